"""Two environments with the same packages: one with real torch, one where minitorch stands for it.

`Suites` reads packages.toml and keeps all else in one folder, which is made once and used again:

    torch/, minitorch/      virtual environments with the same packages in exact versions
    sources/                source distributions, and unpacked beside them
    results/                what each test came to, of torch once and for all

Packages are installed with `--no-deps`, so that none brings another torch along. The environment of
torch takes torch itself from the environment that runs this; that of minitorch has no torch, and
`python -m minitorch install-as-torch` has put minitorch in its place.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any
from venv import EnvBuilder

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).parent / "packages.toml"
PLUGIN = Path(__file__).with_name("seeded_tests.py")  # of pytest, which runs the tests
KINDS = ("torch", "minitorch")
_ADDED = f"python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


@dataclass(frozen=True)
class Package:
    """A row of packages.toml: a package in one version, and which of its tests are run."""

    name: str
    version: str
    tests: tuple[str, ...]  # patterns of test files, as paths in the source distribution
    copies: tuple[str, ...]  # what the tests need of it
    requirements: tuple[str, ...]  # exact versions
    source: str = "sdist"  # "wheel" if the installed package holds its own tests
    deselected: dict[str, str] = field(default_factory=dict)  # pattern of a test -> the reason
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def requirement(self) -> str:
        """The requirement as pip reads it."""
        return f"{self.name}=={self.version}"


def read(table: Path = TABLE) -> dict[str, Package]:
    """Returns the packages by name. ValueError where a deselected test has no reason."""
    found = tomllib.loads(table.read_text())
    common = found["common"]["requirements"]
    packages = {}
    for row in found["package"]:
        lists = {name: tuple(row.pop(name, ())) for name in ("tests", "copies", "requirements")}
        lists["requirements"] = (*common, *lists["requirements"])
        package = Package(**row, **lists)
        for pattern, reason in package.deselected.items():
            if len(reason.split()) < 3:
                raise ValueError(f"{package.name}: no reason why {pattern} is deselected")
        packages[package.name] = package
    return packages


class Unavailable(Exception):
    """An environment or a source that cannot be made here, for example without a network."""


class Environments:
    """The folder with the environments, the sources and the results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def python(self, kind: str) -> Path:
        """Returns an environment's interpreter."""
        return self.folder / kind / "bin" / "python"

    def prepare(self, package: Package) -> Path:
        """Makes what the tests of a package need, unless it is there. Returns its source."""
        with self._locked():
            for kind in KINDS:
                self._make(kind)
                self._install(kind, package)
            return self._fetch(package)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lets one process at a time change the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _make(self, kind: str) -> None:
        """Makes an empty environment, in which `import torch` finds the library of its name."""
        stamp = self.folder / kind / "made"
        if stamp.exists():
            return
        EnvBuilder(clear=True, with_pip=False).create(self.folder / kind)
        if kind == "torch":
            import torch  # start-up: 2 s

            # Behind the environment's own folder on the path, so that its packages win.
            near = Path(torch.__file__).parents[1]
            (self.folder / kind / "lib" / _ADDED / "torch.pth").write_text(f"{near}\n")
        else:
            wheels = self.folder / "wheels"
            line = [sys.executable, "-m", "minitorch", "install-as-torch", "--wheel", str(wheels)]
            _run(line, cwd=ROOT)
            self._pip(kind, "install", "--no-deps", "--no-index", *map(str, wheels.glob("*.whl")))
        stamp.touch()

    def _install(self, kind: str, package: Package) -> None:
        """Installs a package and its requirements, as far as they are missing."""
        stamp = self.folder / kind / "installed.json"
        present = set(json.loads(stamp.read_text())) if stamp.exists() else set()
        missing = {*package.requirements, package.requirement} - present
        if missing:
            self._pip(kind, "install", "--no-deps", "--no-compile", *sorted(missing))
            stamp.write_text(json.dumps(sorted(present | missing), indent=0))

    def _fetch(self, package: Package) -> Path:
        """Returns the folder of a package's source, with its tests."""
        if package.source == "wheel":
            return self.folder / "torch" / "lib" / _ADDED
        sources = self.folder / "sources"
        unpacked = sources / f"{package.name}-{package.version}"
        if not unpacked.exists():
            archives = sources / f"{unpacked.name}.archive"
            ask = ("download", "--no-deps", "--no-binary", package.name, package.requirement)
            self._pip("torch", *ask, "--dest", str(archives))
            (archive,) = archives.glob("*.tar.gz")
            with tarfile.open(archive) as tar:
                tar.extractall(archives, filter="data")
            (folder,) = (each for each in archives.iterdir() if each.is_dir())
            folder.rename(unpacked)
        return unpacked

    def _pip(self, kind: str, *arguments: str) -> None:
        """Lets this environment's pip change another one."""
        line = [sys.executable, "-m", "pip", "--python", str(self.python(kind)), *arguments]
        _run(line, cwd=self.folder)

    def results(self, package: Package, kind: str) -> dict[str, Any] | None:
        """Returns the kept results of a package's tests; None if they were not run yet."""
        kept = self._kept(package, kind)
        return json.loads(kept.read_text()) if kept.exists() else None

    def keep(self, package: Package, kind: str, results: dict[str, Any]) -> None:
        """Keeps what a package's tests came to."""
        kept = self._kept(package, kind)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(results, indent=1))

    def _kept(self, package: Package, kind: str) -> Path:
        """Returns a file whose name changes with all that its content depends on, but minitorch."""
        told = repr((package, kind, sys.version_info[:2], PLUGIN.read_text()))
        digest = hashlib.sha256(told.encode()).hexdigest()[:8]
        return self.folder / "results" / f"{package.name}-{kind}-{digest}.json"


@cache
def environments(folder: str) -> Environments:
    """Returns the environments of a folder."""
    return Environments(Path(folder))


def files(package: Package, source: Path) -> list[str]:
    """Returns the chosen test files of a package, as paths in its source."""
    every = (path.relative_to(source).as_posix() for path in _python_files(package, source))
    return sorted(
        name for name in every if any(fnmatchcase(name, pattern) for pattern in package.tests)
    )


def _python_files(package: Package, source: Path) -> Iterator[Path]:
    for name in package.copies:
        yield from (source / name).rglob("*.py")


def copy_tests(package: Package, source: Path, target: Path) -> None:
    """Copies the files that tests need, so that their writes do not change other tests' files."""
    for name in package.copies:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, target / name)


def _run(command: list[str], cwd: Path) -> None:
    """Runs a command that prepares something. Unavailable, with the end of its words, if it fails.

    Modules of this repository are found, its pinned settings are passed on.
    """
    search = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | search, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = lines[-1] if lines else done.stderr.strip().rpartition("\n")[2]
        said = " ".join(command[command.index("-m") + 1 :])
        raise Unavailable(f"`{said}` failed (it may need a network): {why}")
