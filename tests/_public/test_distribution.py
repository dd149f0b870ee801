"""The distribution: its name everywhere, its metadata, and archives of the same bytes each time."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from minitorch._public import installing
from minitorch._public.distribution import REQUIRES
from minitorch.distributed import world

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def built(folder: Path, **environment: str) -> dict[str, bytes]:
    """The wheel and the source distribution of this checkout, by file name."""
    for name in ("build", "hatchling"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed: it makes the archives")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--sdist"]
    variables = {**os.environ, **environment}
    done = subprocess.run(
        [*command, "--outdir", folder, ROOT], capture_output=True, text=True, env=variables
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_archives_made_twice_are_the_same_bytes_and_carry_their_metadata(tmp_path: Path):
    # hatchling takes the time of each file from SOURCE_DATE_EPOCH, or one of its own: never now.
    first = built(tmp_path / "first", SOURCE_DATE_EPOCH="1700000000")
    again = built(tmp_path / "again", SOURCE_DATE_EPOCH="1700000000")
    later = built(tmp_path / "later", SOURCE_DATE_EPOCH="1800000000")
    version = PROJECT["version"]
    stem = f"minitorch_eager-{version}"
    assert set(first) == {f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"}
    assert first == again
    assert all(first[name] != later[name] for name in first)  # so the time is part of the bytes
    with zipfile.ZipFile(tmp_path / "first" / f"{stem}-py3-none-any.whl") as wheel:
        names = wheel.namelist()
        metadata = message_from_string(wheel.read(f"{stem}.dist-info/METADATA").decode())
    assert {name.partition("/")[0] for name in names} == {"minitorch", f"{stem}.dist-info"}
    assert "minitorch/py.typed" in names
    assert f"{stem}.dist-info/licenses/LICENSE" in names
    assert metadata["Name"] == PROJECT["name"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    needed = [each for each in metadata.get_all("Requires-Dist", []) if "extra ==" not in each]
    assert [each.replace("-", "_") for each in needed] == list(REQUIRES)


def test_whatever_names_the_distribution_names_that_of_pyproject():
    name = PROJECT["name"]
    assert name != "minitorch"  # which is another project on the package index
    assert f"Requires-Dist: {name}\n" in installing._FILES[f"{installing._INFO}/METADATA"]
    assert f"pip install {name}[distributed]" in world._NEEDED
    study = ROOT / "minitorch" / "study" / "libraries" / "on_minitorch.py"
    assert f"metadata.version('{name}')" in study.read_text(encoding="utf-8")
    assert list(REQUIRES) == PROJECT["dependencies"]
    own = [
        line
        for lines in PROJECT["optional-dependencies"].values()
        for line in lines
        if line.startswith("minitorch")
    ]
    assert own
    assert all(line.startswith(f"{name}[") for line in own)
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install \"?minitorch(\[|\"?\s)", text), page
