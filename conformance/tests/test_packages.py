"""The source packages reads reports of pytest, and holds the library to what passes with torch."""

import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from conformance.cases import packages
from conformance.cases.package_environments import (
    PLUGIN,
    Environments,
    Package,
    Unavailable,
    copy_tests,
    files,
    read,
)
from conformance.cases.packages import Suite, outcomes
from conformance.cases.sources import Unit
from conformance.differ.compare import Grade
from conformance.examine import Verdict, judge
from conformance.options import Options

PACKAGE = Package("tiny", "1.0", ("tests/test_*.py",), ("tests",), ())
TESTS = """
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2
@pytest.mark.skip(reason="of no use")
def test_skipped(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_often(n): pass
"""
STATES = {"passes": "passed", "fails": "failure", "skipped": "skipped"}
STATES |= {"often[1]": "passed", "often[2]": "passed"}
TABLE = """
[common]
requirements = ["numpy==2"]
[[package]]
name = "tiny"
version = "1.0"
tests = ["tests/test_*.py"]
copies = ["tests"]
requirements = ["more==1"]
deselected = {"tests/test_a.py::test_web" = "REASON"}
"""


def _pytest(folder, text, *options):
    (folder / "test_some.py").write_text(text)
    (folder / "pytest.ini").touch()
    line = [sys.executable, "-m", "pytest", "-q", *options, "--junitxml=report.xml", "test_some.py"]
    subprocess.run(line, cwd=folder, capture_output=True, check=False)
    return outcomes(folder / "report.xml")


def test_reports_of_pytest_are_read(tmp_path):
    found = _pytest(tmp_path, TESTS)
    assert {name: state for name, (state, _) in found.items()} == {
        f"test_some::test_{name}": state for name, state in STATES.items()
    }
    assert "assert 1 == 2" in found["test_some::test_fails"][1]


DRAWS = """
import random
import numpy
import torch
import pytest

DRAWN = set()

@pytest.mark.parametrize("n", [1, 2])
def test_draws(n):
    DRAWN.add((random.random(), numpy.random.rand(), torch.rand(()).item()))
    assert len(DRAWN) == 1
"""


@pytest.mark.parametrize(("options", "second"), [((), "failure"), (("-p", PLUGIN.stem), "passed")])
def test_every_test_starts_from_the_same_random_numbers(tmp_path, options, second):
    shutil.copy(PLUGIN, tmp_path)
    found = _pytest(tmp_path, DRAWS, *options)
    assert [state for state, _ in found.values()] == ["passed", second]


def _judged(tmp_path, monkeypatch, **ours):
    """Returns what a file came to whose tests end in torch as STATES says, and here otherwise."""
    ends = {"torch": STATES, "minitorch": STATES | ours}

    def run(case, kind):
        return {name: (state, f"ValueError: {kind}") for name, state in ends[kind].items() if state}

    monkeypatch.setattr(Suite, "_run", run)
    case = Suite(PACKAGE, Environments(tmp_path))
    verdict = Verdict(Unit("packages", "tiny"))
    other = SimpleNamespace(__name__="minitorch", manual_seed=torch.manual_seed)
    judge(verdict, case, torch, other, Options())
    return verdict.found["text"]


def test_what_fails_or_is_skipped_with_torch_is_not_asked_for(tmp_path, monkeypatch):
    assert _judged(tmp_path, monkeypatch, fails="passed", skipped="failure").passes


@pytest.mark.parametrize("state", ["failure", "error", "skipped", None])
def test_a_test_that_passes_with_torch_alone_is_found(tmp_path, monkeypatch, state):
    found = _judged(tmp_path, monkeypatch, passes=state)
    assert found.differing == 1
    (shown,) = found.differences
    assert "passes" in shown.path
    assert shown.grade >= Grade.MISSING


def test_remarks_count_the_tests_of_a_package(tmp_path, monkeypatch):
    _judged(tmp_path, monkeypatch, passes="failure")
    monkeypatch.setattr(packages, "read", lambda: {"tiny": PACKAGE})
    monkeypatch.setattr(packages, "_ASKED", [Environments(tmp_path)])
    (line,) = packages.remarks({"tiny": 1.0})
    assert line.startswith("tiny==1.0: 2 of 3 tests (66.7 %)")
    assert "torch skips or fails 2" in line


@pytest.mark.parametrize(
    ("results", "why"),
    [({"x": ("error", "no such module")}, "no such module"), ({}, "none is found")],
)
def test_a_package_of_which_torch_passes_nothing_is_trouble(tmp_path, monkeypatch, results, why):
    monkeypatch.setattr(packages, "read", lambda: {"tiny": PACKAGE})
    monkeypatch.setattr(Suite, "_run", lambda case, kind: results)
    with pytest.raises(LookupError, match=f"torch passes no test of tiny: {why}"):
        next(packages.cases("tiny", Options(packages_folder=str(tmp_path))))


def test_results_of_torch_are_kept_until_the_row_changes(tmp_path):
    places = Environments(tmp_path)
    places.keep(PACKAGE, "torch", {"x": ["passed", ""]})
    assert places.results(PACKAGE, "torch") == {"x": ["passed", ""]}
    assert places.results(PACKAGE, "minitorch") is None
    changed = Package("tiny", "1.0", ("tests/test_*.py",), ("tests",), ("more==2",))
    assert places.results(changed, "torch") is None


def test_a_table_says_why_tests_are_deselected(tmp_path):
    table = tmp_path / "table.toml"
    table.write_text(TABLE.replace("REASON", "it asks a web page"))
    (package,) = read(table).values()
    assert package.requirements == ("numpy==2", "more==1")
    table.write_text(TABLE.replace("REASON", ""))
    with pytest.raises(ValueError, match=r"no reason why tests/test_a\.py::test_web is"):
        read(table)


def test_the_shipped_table_names_exact_versions():
    for package in read().values():
        assert package.tests
        assert package.copies
        assert all(requirement.count("==") == 1 for requirement in package.requirements)
        assert not any(requirement.startswith("torch==") for requirement in package.requirements)


def test_files_are_chosen_and_copied(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "tests" / "data").mkdir(parents=True)
    for name in ("tests/test_a.py", "tests/helper.py", "tests/data/b.txt", "tiny.py"):
        (source / name).touch()
    assert files(PACKAGE, source) == ["tests/test_a.py"]
    copy_tests(PACKAGE, source, target)
    assert (target / "tests" / "data" / "b.txt").exists()
    assert not (target / "tiny.py").exists()


def test_what_cannot_be_fetched_is_said_in_a_sentence(tmp_path):
    places = Environments(tmp_path)
    (tmp_path / "torch").mkdir()
    with pytest.raises(Unavailable, match=r"`pip .*` failed \(it may need a network\): "):
        places._pip("torch", "download", "--no-index", "--no-deps", "no-such-package==1.0")


def test_other_libraries_are_refused(tmp_path):
    with pytest.raises(LookupError, match="no other library"):
        packages.keys(Options(impl="cupy", packages_folder=str(tmp_path)))
