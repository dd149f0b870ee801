"""A package called torch that hands out minitorch, in an environment of its own."""

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from minitorch._public import installing

PACKAGES = ("minitorch", "ml_dtypes", "numpy", "pip", "scipy")


def run(python, *arguments):
    """The result of a call of an environment's Python, away from this project's folder."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [python, *arguments], capture_output=True, text=True, env=variables, cwd=python.parent
    )


@pytest.fixture
def python(tmp_path):
    """The Python of an environment with minitorch, its requirements and pip, and no torch."""
    pytest.importorskip("pip")
    made = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    (site,) = made.glob("lib/python*/site-packages")
    for name in PACKAGES:
        package = Path(find_spec(name).origin).parent
        for folder in (package, package.with_name(f"{name}.libs")):
            if folder.exists():
                (site / folder.name).symlink_to(folder)
    return made / "bin" / "python"


def test_the_wheel_records_each_of_its_files(tmp_path):
    path = installing.write_wheel(tmp_path)
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        record = wheel.read(names[-1]).decode().splitlines()
    assert path.name == f"torch-{installing.VERSION}-py3-none-any.whl"
    assert [line.partition(",")[0] for line in record] == names


def test_programs_find_minitorch_as_torch_until_it_is_uninstalled(python):
    assert run(python, "-c", "import torch").returncode == 1
    done = run(python, "-m", "minitorch", "install-as-torch")
    assert done.returncode == 0, done.stdout + done.stderr
    program = (
        "import importlib.metadata, torch.nn.functional as F, minitorch, torch, torch.nn as nn\n"
        "from torch.optim import SGD\n"
        "assert torch is minitorch and nn is minitorch.nn and F is minitorch.nn.functional\n"
        "print(importlib.metadata.version('torch'), torch.ones(2).sum().item())"
    )
    assert run(python, "-c", program).stdout == f"{installing.VERSION} 2.0\n"
    listed = run(python, "-m", "pip", "install", "--no-index", "torch>=2").stdout
    assert "already satisfied" in listed
    assert run(python, "-m", "minitorch", "uninstall-as-torch").returncode == 0
    assert run(python, "-c", "import torch").returncode == 1
    again = run(python, "-m", "minitorch", "uninstall-as-torch")
    assert again.returncode == 1
    assert "no torch is installed" in again.stderr


def test_torch_itself_is_left_alone(monkeypatch):
    class Torch:
        version = "2.13.0"

    monkeypatch.setattr(installing, "distribution", lambda name: Torch)
    for command in ("install-as-torch", "uninstall-as-torch"):
        assert "torch 2.13.0 itself is installed" in installing.main([command])
