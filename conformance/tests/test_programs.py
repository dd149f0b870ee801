"""Generated programs: always the same for a seed, equal for equal libraries, shrunk to little."""

import ast
import subprocess
import sys

import pytest
import torch

from conformance.cases.case import Case
from conformance.cases.programs import cases
from conformance.cases.programs.program import Program, shorter
from conformance.cases.sources import Unit
from conformance.examine import examine
from conformance.options import Options
from conformance.tests.faulty import Faulty


def _options(examples: int, seed: int = 0) -> Options:
    return Options(impl="torch", examples=examples, seed=seed, keep=1)


def test_the_same_seed_gives_the_same_programs():
    first, second = (list(cases("000", _options(20, seed=3))) for _ in range(2))
    assert first == second
    assert first != list(cases("000", _options(20, seed=4)))


def test_units_divide_the_examples():
    options = _options(260)
    first, second = list(cases("000", options)), list(cases("001", options))
    assert (len(first), len(second)) == (250, 10)
    assert first[:10] != second


def test_programs_are_neither_all_faultless_nor_all_faulty():
    programs = list(cases("000", _options(60)))
    errors = [
        error
        for program in programs
        for error in program.perform(torch)["error"].values()
    ]  # fmt: skip
    failing = sum(error is not None for error in errors)
    assert 0.02 < failing / len(errors) < 0.2
    assert not any("SyntaxError" in repr(error) for error in errors)


def test_a_program_goes_on_after_an_error():
    program = Program("a = torch.ones(2)\nb = a @ a @ a @ a\nc = a + 1\n")
    outcome = program.perform(torch)
    assert [repr(error)[:12] for error in outcome["error"].values()] == [
        "None",
        "RuntimeError",
        "None",
    ]
    assert outcome["shape"]["in the end"] == {"a": (2,), "c": (2,)}


def test_torch_does_not_differ_from_itself():
    verdict = examine(Unit("programs", "000"), _options(40, seed=1))
    assert verdict.passes
    assert verdict.found["value"].cases == 40


def _then(function, change):
    return lambda *args, **kwargs: change(function(*args, **kwargs))


COMMON = ("neg", "square", "atan", "asinh", "erfc", "tanh", "mul", "add", "cat", "stack")
FAULTS = {  # the property that must notice, and the names that are replaced
    "an edge too many": ("node", {n: _then(getattr(torch, n), torch.clone) for n in COMMON}),
    "a detached result": (
        "requires_grad",
        {n: _then(getattr(torch, n), torch.detach) for n in COMMON},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_and_shrunk(fault):
    name, replaced = FAULTS[fault]
    verdict = examine(Unit("programs", "000"), _options(60), Faulty(**replaced))
    assert not verdict.trouble
    assert not verdict.found[name].passes
    shown = [entry.case.source for found in verdict.found.values() for entry in found.differences]
    assert min(len(ast.parse(source).body) for source in shown) <= 6, shown


def test_needless_statements_go_and_regions_are_opened():
    source = "a = 1\nwith m:\n    b = 2\n    c = 3\n"
    assert shorter(source) == [
        "a = 1\n",
        "a = 1\nb = 2\nc = 3\n",
        "a = 1\nwith m:\n    b = 2\n",
        "a = 1\nwith m:\n    c = 3\n",
        "with m:\n    b = 2\n    c = 3\n",
    ]


def test_what_is_not_made_by_chance_cannot_be_shrunk():
    case = Program("a = torch.ones(2)\n")
    assert Case.shrunk(case, lambda smaller: True) is case


def test_the_script_runs_and_shows_the_tensors(tmp_path):
    file = tmp_path / "program.py"
    program = Program("a = torch.ones(2, requires_grad=True)\nb = a[0]\nb.add_(1)\nb.backward()\n")
    file.write_text(program.script("minitorch"))
    shown = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert ">>> b = a[0]" in shown.stdout
    assert "RuntimeError: a view of a leaf Variable" in shown.stdout
    assert "view of a" in shown.stdout
    assert "graph of b" in shown.stdout
