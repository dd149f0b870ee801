"""Times two ranks of torch.distributed: processes of one machine, by gloo and by MPI."""

import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec

from . import processes
from .measure import Timing
from .table import Row, row

RANKS = 2


def rows(implementation: str, turns: int) -> Iterator[Row]:
    """The rows of two ranks, each library in turn; none without mpi4py.

    Args:
        turns: how often each library runs the script; its best turn counts.
    """
    if find_spec("mpi4py") is None:
        print("ranks: left out, since mpi4py is not installed: pip install mpi4py mpich")
        return
    found: list[list[dict]] = [[], []]
    with processes.installed(implementation) as ours, processes.installed("torch") as torch:
        for _ in range(turns):
            for name, environment, own in zip((implementation, "torch"), (ours, torch), found):
                own.append(_figures(processes.script("two_ranks", name), environment))
    for name in found[0][0]["times"]:
        yield row(f"2 ranks: {name}", *(_timing([f["times"][name] for f in own]) for own in found))
    peaks = [_timing([[f["memory"]] * 2 for f in own]) for own in found]
    yield row("2 ranks: memory of one", *peaks, unit="B")


def _timing(pairs: list[list[float]]) -> Timing:
    """The best of all turns, and the median of their medians."""
    return Timing(min(best for best, _ in pairs), statistics.median(m for _, m in pairs))


def _figures(command: list[str], environment: dict[str, str]) -> dict:
    """The figures that rank 0 prints. RuntimeError if a rank fails."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    shared |= {"BEGUN": str(time.time()), "OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            [sys.executable, *command],
            env={**environment, **shared, "RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=processes.FOLDER / "scripts",
        )
        for rank in range(RANKS)
    ]
    ended = [each.communicate() for each in started]
    for each, (_, errors) in zip(started, ended):
        if each.returncode:
            raise RuntimeError(errors.strip() or f"{command} failed with {each.returncode}")
    return json.loads(ended[0][0].splitlines()[-1])
