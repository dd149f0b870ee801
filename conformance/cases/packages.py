"""The own tests of packages that build on torch, run with real torch and with minitorch.

packages.toml says which packages, in which versions, and which of their test files; a key is a
package and one test file. The file is run by pytest in a process of its own: in an environment with
torch, and in one where minitorch stands for torch (package_environments.py). What passes with torch
must pass with minitorch; what fails or is skipped with torch says nothing.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

from conformance import limits
from conformance.cases.case import Case, Outcome
from conformance.cases.package_environments import (
    KINDS,
    ROOT,
    Environments,
    Package,
    Unavailable,
    copy_tests,
    environments,
    files,
    read,
)
from conformance.options import Options
from conformance.oracle.record import Failure

PASSED = "passed"
# Tests are offline, without a GPU, and start their interpreters alike.
_SETTINGS = {
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "Agg",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
_PYTEST = ("-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore")


_ASKED: list[Environments] = []  # by `keys`, for `remarks`, which is not told of the options


@dataclass
class TestFile(Case):
    """One file of a package's tests."""

    __test__ = False  # for pytest, which would take it for tests

    package: Package
    file: str
    places: Environments
    main: str = "text"
    properties: frozenset[str] = frozenset(("text",))
    neighbours = 0  # a test passes or fails; no number of it is noise

    @property
    def label(self) -> str:
        """The package and the file."""
        return f"{self.package.requirement} {self.file}"

    @cached_property
    def expected(self) -> dict[str, Any]:
        """State and text by test with torch."""
        results = self.places.results(self.package, self.file, "torch")
        if results is None:
            results = self._run("torch")
            self.places.keep(self.package, self.file, "torch", results)
        return results

    @property
    def passing(self) -> list[str]:
        """The tests that pass with torch."""
        return [test for test, (state, _) in self.expected.items() if state == PASSED]

    def run(self, torch: ModuleType) -> Outcome:
        """Returns what became of each test that passes with torch: that it passed, or a failure."""
        if torch.__name__ == "torch":
            return {"text": dict.fromkeys(self.passing, PASSED)}
        results = self._run("minitorch")
        self.places.keep(self.package, self.file, "minitorch", results)
        return {"text": {test: verdict_of(test, results) for test in self.passing}}

    def _run(self, kind: str) -> dict[str, Any]:
        """Runs the file in one of the environments. Returns state and text by test."""
        source = self.places.prepare(self.package)
        with tempfile.TemporaryDirectory() as folder:
            copy_tests(self.package, source, Path(folder))
            report = Path(folder) / "report.xml"
            search = {"PYTHONPATH": str(ROOT)} if kind == "minitorch" else {"PYTHONPATH": ""}
            python = self.places.python(kind)
            line = [str(python), *_PYTEST, f"--junitxml={report}", self.file]
            for pattern in self.package.deselected:
                line.append(f"--deselect={pattern}")
            told = os.environ | _SETTINGS | self.package.environment | search
            told["PATH"] = f"{python.parent}{os.pathsep}{told['PATH']}"  # for tests that run python
            done = limits.run(line, cwd=folder, env=told)
            if not report.exists():
                last = (done.stderr or done.stdout).strip().rpartition("\n")[2]
                return {self.file: ("crashed", f"exit status {done.returncode}: {last}")}
            return outcomes(report)

    def script(self, impl: str) -> str:
        """Returns the command that runs the file."""
        kind = "torch" if impl == "torch" else "minitorch"
        search = f"PYTHONPATH={ROOT} " if kind == "minitorch" else ""
        return (
            f"# in a copy of {', '.join(self.package.copies)} of the source distribution\n"
            f"{search}{self.places.python(kind)} -m pytest {self.file}"
        )

    @property
    def title(self) -> str:
        """The package and the file."""
        return self.label

    @property
    def size(self) -> int:
        """How many tests pass with torch."""
        return len(self.passing)


def outcomes(report: Path) -> dict[str, tuple[str, str]]:
    """Returns state and text by test, from a report in JUnit's format."""
    found: dict[str, tuple[str, str]] = {}
    for test in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{test.get('classname')}::{test.get('name')}"
        state, text = PASSED, ""
        for child in test:
            if child.tag in ("failure", "error", "skipped"):
                state = child.tag
                text = child.get("message") or (child.text or "").strip().rpartition("\n")[2]
        found[name] = (state, text)
    return found


def verdict_of(test: str, results: dict[str, tuple[str, str]]) -> str | Failure:
    """Returns what became of a test: "passed", or a failure with its text."""
    if test not in results:
        lost = [text for state, text in results.values() if state in ("error", "crashed")]
        return Failure("NotRun", lost[0] if lost else "the test was not collected")
    state, text = results[test]
    kind, _, words = text.partition(": ")
    return PASSED if state == PASSED else Failure(kind, f"{words} ({state})")


def keys(options: Options) -> list[str]:
    """Returns the test files: PACKAGE/FILE. Sources are fetched where they are missing."""
    _check(options)
    places = environments(options.packages_folder)
    _ASKED.append(places)
    named = []
    for package in read().values():
        try:
            source = places.prepare(package)
        except Unavailable as error:
            raise LookupError(f"{package.requirement}: {error}") from error
        named += [f"{package.name}/{name}" for name in files(package, source)]
    return named


def cases(key: str, options: Options) -> Iterator[TestFile]:
    """Yields the one test file, unless torch skips all of it. LookupError where all of it fails."""
    name, _, file = key.partition("/")
    case = TestFile(read()[name], file, environments(options.packages_folder))
    if case.passing:
        yield case
    elif failures := [text for state, text in case.expected.values() if state != "skipped"]:
        raise LookupError(f"torch passes no test of {key}: {failures[0]}")


def remarks(seconds: dict[str, float]) -> Iterator[str]:
    """Yields how many tests passed, by package, and how many are deselected in its table."""
    packages = read()
    counts = {name: Counter() for name in packages}
    for key in seconds:
        name, _, file = key.partition("/")
        theirs, ours = (_ASKED[-1].results(packages[name], file, kind) for kind in KINDS)
        if theirs is None or ours is None:  # it was stopped
            continue
        passing = [test for test, (state, _) in theirs.items() if state == PASSED]
        counts[name]["files"] += 1
        counts[name]["torch"] += len(passing)
        counts[name]["minitorch"] += sum(verdict_of(each, ours) == PASSED for each in passing)
        counts[name]["failed"] += len(theirs) - len(passing)
    for name, count in counts.items():
        if count["files"]:
            share = 100 * count["minitorch"] / max(count["torch"], 1)
            yield (
                f"{packages[name].requirement}: {count['minitorch']} of {count['torch']} tests "
                f"({share:.1f} %), files: {count['files']}; torch skips or fails "
                f"{count['failed']}, deselected by pattern: {len(packages[name].deselected)}"
            )


def _check(options: Options) -> None:
    if options.impl not in KINDS:
        raise LookupError("the source packages can compare minitorch and torch, no other library")
