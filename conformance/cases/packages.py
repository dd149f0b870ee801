"""The own tests of packages that build on torch, run with real torch and with minitorch.

packages.toml says which packages, in which versions, and which of their test files; a key is a
package. Its files are run by pytest in a process of its own: in an environment with torch, and in
one where minitorch stands for torch (package_environments.py). What passes with torch must pass
with minitorch; what fails or is skipped with torch says nothing.
"""

import os
import shutil
import tempfile
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
    PLUGIN,
    ROOT,
    Environments,
    Package,
    copy_tests,
    environments,
    files,
    read,
)
from conformance.options import Options
from conformance.oracle.record import Failure

PASSED = "passed"
SECONDS = 3600  # of processor time, for a package: its tests, and what has to be installed
# Tests are offline, without a GPU, and start their interpreters alike.
_SETTINGS = {
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "Agg",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
_PYTEST = ("-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", PLUGIN.stem)


_ASKED: list[Environments] = []  # by `keys`, for `remarks`, which is not told of the options


@dataclass
class Suite(Case):
    """The chosen tests of a package."""

    package: Package
    places: Environments
    main: str = "text"
    properties: frozenset[str] = frozenset(("text",))
    neighbours = 0  # a test passes or fails; no number of it is noise

    @property
    def label(self) -> str:
        """The package and its version."""
        return self.package.requirement

    @cached_property
    def expected(self) -> dict[str, Any]:
        """State and text by test with torch."""
        results = self.places.results(self.package, "torch")
        if results is None:
            results = self._run("torch")
            self.places.keep(self.package, "torch", results)
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
        self.places.keep(self.package, "minitorch", results)
        return {"text": {test: verdict_of(test, results) for test in self.passing}}

    def _run(self, kind: str) -> dict[str, Any]:
        """Runs the tests in one of the environments. Returns state and text by test."""
        source = self.places.prepare(self.package)
        with tempfile.TemporaryDirectory() as folder:
            copy_tests(self.package, source, Path(folder))
            shutil.copy(PLUGIN, folder)
            report = Path(folder) / "report.xml"
            search = {"PYTHONPATH": str(ROOT)} if kind == "minitorch" else {"PYTHONPATH": ""}
            python = self.places.python(kind)
            line = [str(python), *_PYTEST, f"--junitxml={report}", *files(self.package, source)]
            for pattern in self.package.deselected:
                line.append(f"--deselect={pattern}")
            told = os.environ | _SETTINGS | self.package.environment | search
            told["PATH"] = f"{python.parent}{os.pathsep}{told['PATH']}"  # for tests that run python
            done = limits.run(line, cwd=folder, env=told)
            if not report.exists():
                last = (done.stderr or done.stdout).strip().rpartition("\n")[2]
                return {"all": ("crashed", f"exit status {done.returncode}: {last}")}
            return outcomes(report)

    def script(self, impl: str) -> str:
        """Returns the command that runs the tests."""
        kind = "torch" if impl == "torch" else "minitorch"
        search = f"PYTHONPATH={ROOT} " if kind == "minitorch" else ""
        chosen = " ".join(files(self.package, self.places.prepare(self.package)))
        return (
            f"# in a copy of {', '.join(self.package.copies)} of the source distribution\n"
            f"{search}{self.places.python(kind)} -m pytest {chosen}"
        )

    @property
    def title(self) -> str:
        """The package and its version."""
        return self.label

    @property
    def size(self) -> int:
        """The number of tests that pass with torch."""
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
    """Returns the packages of the table."""
    if options.impl not in KINDS:
        raise LookupError("the source packages can compare minitorch and torch, no other library")
    _ASKED.append(environments(options.packages_folder))
    return list(read())


def cases(key: str, options: Options) -> Iterator[Suite]:
    """Yields the suite of a package. LookupError where torch passes none of it."""
    suite = Suite(read()[key], environments(options.packages_folder))
    if not suite.passing:
        failures = [text for state, text in suite.expected.values() if state != "skipped"]
        raise LookupError(f"torch passes no test of {key}: {(failures or ['none is found'])[0]}")
    yield suite


def remarks(seconds: dict[str, float]) -> Iterator[str]:
    """Yields how many tests passed, by package, and how much of its table is deselected."""
    packages = read()
    for name in seconds:
        theirs, ours = (_ASKED[-1].results(packages[name], kind) for kind in KINDS)
        if theirs is None or ours is None:  # it was stopped
            continue
        expected = [test for test, (state, _) in theirs.items() if state == PASSED]
        passed = sum(verdict_of(test, ours) == PASSED for test in expected)
        yield (
            f"{packages[name].requirement}: {passed} of {len(expected)} tests "
            f"({100 * passed / max(len(expected), 1):.1f} %); torch skips or fails "
            f"{len(theirs) - len(expected)}, patterns deselected: {len(packages[name].deselected)}"
        )
