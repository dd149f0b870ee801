"""Timing whole processes: the import of the installed wheel, and small scripts from end to end."""

import contextlib
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from .measure import Timing

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
SCRIPTS = ("linear_regression", "xor_mlp")


@contextlib.contextmanager
def installed(name: str) -> Iterator[dict[str, str]]:
    """The environment in which `import name` finds what pip installed: for minitorch, a wheel of
    this checkout, compiled as pip compiles it, in a temporary folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if name == "torch":
        yield environment
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        if importlib.util.find_spec("hatchling"):
            command.append("--no-build-isolation")
        subprocess.run([*command, "--target", folder, ROOT], check=True)
        yield {**environment, "PYTHONPATH": folder}


def run(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Wall time and peak memory of one process."""
    done = subprocess.run(
        [sys.executable, FOLDER / "launch.py", sys.executable, *command],
        env=environment,
        cwd=FOLDER / "scripts",
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"{command} failed")
    figures = json.loads(done.stdout)
    return figures["seconds"], figures["memory"]


def race(
    commands: Sequence[Sequence[str]], environments: Sequence[dict[str, str]], count: int
) -> tuple[list[Timing], list[Timing]]:
    """Times and peak memories of the commands, run in turn, after one run that is not counted."""
    runs: list[list[tuple[float, float]]] = [[] for _ in commands]
    for turn in range(count + 1):
        for command, environment, own in zip(commands, environments, runs):
            figures = run(command, environment)
            if turn:
                own.append(figures)
    columns = [tuple(zip(*own)) for own in runs]
    times = [Timing(min(seconds), statistics.median(seconds)) for seconds, _ in columns]
    memory = [Timing(min(peak), statistics.median(peak)) for _, peak in columns]
    return times, memory


def importing(name: str) -> list[str]:
    return ["-c", f"import {name}"]


def script(name: str, library: str) -> list[str]:
    path = str(FOLDER / "scripts" / f"{name}.py")
    return [path] if library == "torch" else ["-m", library, path]
