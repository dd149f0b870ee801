"""A package called torch that hands out minitorch: for packages that require torch.

    python -m minitorch install-as-torch                    into this environment, by pip or uv
    python -m minitorch install-as-torch --wheel FOLDER     only writes the wheel
    python -m minitorch uninstall-as-torch

pip then counts torch as installed, so that a package which requires it no longer brings it along,
and `import torch` finds minitorch in every program of the environment. The wheel is built here and
has no code beyond one call; its version is torch's with `+minitorch` behind it.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from minitorch.version import __version__

_LOCAL = "+minitorch"
VERSION = __version__.partition("+")[0] + _LOCAL
_INFO = f"torch-{VERSION}.dist-info"
_FILES = {
    "torch/__init__.py": '''"""minitorch in the place of torch: see minitorch/drop_in.py."""

from minitorch.drop_in import stand_for_torch

stand_for_torch()
''',
    "functorch/__init__.py": '''"""minitorch in the place of torch's functorch."""

from minitorch.drop_in import stand_for_functorch

stand_for_functorch()
''',
    f"{_INFO}/METADATA": f"""Metadata-Version: 2.1
Name: torch
Version: {VERSION}
Summary: minitorch in the place of torch
Requires-Python: >=3.11
Requires-Dist: minitorch-eager
""",
    f"{_INFO}/WHEEL": """Wheel-Version: 1.0
Generator: minitorch
Root-Is-Purelib: true
Tag: py3-none-any
""",
    f"{_INFO}/top_level.txt": "functorch\ntorch\n",
}


def write_wheel(folder: Path) -> Path:
    """Writes the wheel of the package torch into a folder, and returns its path."""
    path = folder / f"torch-{VERSION}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    records = [f"{name},{_digest(text)},{len(text.encode())}" for name, text in _FILES.items()]
    record = f"{_INFO}/RECORD"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, text in _FILES.items():
            wheel.writestr(name, text)
        wheel.writestr(record, "\n".join([*records, f"{record},,"]) + "\n")
    return path


def installed() -> Distribution | None:
    """Returns the distribution called torch in this environment; None where there is none."""
    try:
        return distribution("torch")
    except PackageNotFoundError:
        return None


def main(arguments: Sequence[str]) -> int | str:
    """Does what the command line says. Returns 0, or the sentence that says why not."""
    parser = argparse.ArgumentParser(prog="python -m minitorch", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("command", choices=("install-as-torch", "uninstall-as-torch"))
    parser.add_argument("--wheel", metavar="FOLDER", type=Path, help="only write the wheel there")
    given = parser.parse_args(arguments)
    if given.wheel:
        print(write_wheel(given.wheel))
        return 0
    found = installed()
    if found is not None and not found.version.endswith(_LOCAL):
        return f"torch {found.version} itself is installed in {sys.prefix}: it is left as it is"
    if given.command == "uninstall-as-torch":
        return _run("uninstall", "torch") if found else f"no torch is installed in {sys.prefix}"
    with tempfile.TemporaryDirectory() as folder:
        return _run("install", "--no-deps", "--no-index", str(write_wheel(Path(folder))))


def _run(command: str, *arguments: str) -> int | str:
    """Lets the installer that is at hand do something. Returns its status, or why there is none."""
    if find_spec("pip") is not None:
        yes = ["--yes"] if command == "uninstall" else ["--force-reinstall"]
        call = [sys.executable, "-m", "pip", command, *yes, *arguments]
    elif uv := shutil.which("uv"):
        call = [uv, "pip", command, "--python", sys.executable, *arguments]
    else:
        return "neither pip nor uv is here: write the wheel by --wheel FOLDER, and install it"
    return subprocess.run(call, check=False).returncode


def _digest(text: str) -> str:
    return "sha256=" + urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b"=").decode()
