"""Planted faults of every kind are noticed; one that changes nothing is not."""

import ast
import json
import os
import subprocess
import sys

import numpy
import pytest

from conformance import limits
from conformance.cases.sources import Unit
from conformance.mutants import __main__ as command
from conformance.mutants import hunt, in_rows
from conformance.mutants.fault import Edit, Fault, swap, tree
from conformance.mutants.hunt import Fate, Hunt, Sample
from conformance.mutants.processes import Lost, each_in_a_process
from conformance.mutants.watch import Watched, mark, watch_all
from minitorch.core.declare.row import parameters
from minitorch.core.graph import fit

# kind: a part of a fault's name, and a unit that notices it
FAULTS = {
    "a bug that others had": ("retain_grad on a leaf", "autograd/hooks"),
    "accumulation overwritten": ("core/graph/accumulate.py*held + grad", "autograd/engine"),
    "copy that views": ("aten/shape/ordering.py*flip(Tensor(a)", "flip"),
    "dropped factor": ("aten/elementwise/elementary.py*grad * F.cos(self).conj()", "sin"),
    "dropped term": ("aten/elementwise/elementary.py*1 + F.pow_Tensor_Scalar(result, 2)", "tan"),
    "flipped sign": ("mul_Tensor: self=", "mul"),
    "hook order reversed": ("core/graph/hooks.py*leaf._hooks", "autograd/hooks"),
    "lost edge": ("mul_Tensor: other=", "mul"),
    "lost statement of the engine": ("core/graph/accumulate.py*x += grad", "autograd/engine"),
    "missed version bump": ("core/graph/accumulate.py", "autograd/engine"),
    "off by one in a random stream": ("core/sampling/interval.py*24 ->", "rand_like"),
    "saved the wrong tensor": ("mul_Tensor: self=", "mul"),
    "swapped inputs": ("lerp_Tensor: weight=", "lerp"),
    "view that copies": ("transpose_int", "transpose"),
    "wrong error class": ("core/graph/hooks.py*changed the size", "autograd/hooks"),
    "wrong error text": ("core/graph/hooks.py*changed the size", "autograd/hooks"),
    "wrong memory format": ("flip: forward", "flip"),
    "wrong node name": ("mul_Tensor", "mul"),
    "wrong promotion": ("exp: dtype", "exp"),
    "wrong reduction": ("aten/reduction/reduction.py*summation.sum(xp, x, axes, keepdim)", "sum"),
}


@pytest.fixture(scope="module")
def every():
    """All faults by kind: 17,000 of them, in 10 s."""
    return hunt.all_faults()


def test_there_is_a_fault_of_every_kind(every):
    assert set(FAULTS) == set(every)


def test_a_fault_of_every_kind_is_noticed(tmp_path):
    file = tmp_path / "fates.json"
    parts = []
    for kind, (part, unit) in FAULTS.items():
        parts += ["--only", f"{kind}: *{part}", "--op", unit]
    made = subprocess.run(
        [sys.executable, "-m", "conformance.mutants", *parts, "--json", str(file)],
        capture_output=True,
        text=True,
    )
    assert file.exists(), made.stdout + made.stderr
    noticed = {each["kind"] for each in json.loads(file.read_text()) if each["killed"]}
    assert noticed == set(FAULTS)


def hunted(fault):
    """The number of pieces of code about arithmetic that could notice a fault, and if one did."""
    fate = Hunt(watch_all([Unit("operators", "arithmetic")])).fate(fault)
    return fate.cases, fate.killed


def test_a_fault_that_changes_nothing_is_not_noticed():
    runs = frozenset({("row", "mul_Tensor")})
    fault = Fault(
        "none", "aten/elementwise/arithmetic.py", 1, "as it is", "the same", runs, lambda: True
    )
    ((_, (cases, killed)),) = each_in_a_process(hunted, [fault], 1, seconds=100)
    assert cases > 0
    assert not killed


class Shaky(Watched):
    """A case that differs whether a fault is planted or not."""

    def differs(self):
        return self.clean[0] if self.clean else ""


def test_what_differs_by_itself_has_noticed_nothing():
    runs = numpy.array([mark(("row", "mul_Tensor"))])
    cases = [Shaky(Unit("operators", "a"), "a piece", b"", ("value", "grad"), runs, 0.1)]
    covers = frozenset({("row", "mul_Tensor")})
    fault = Fault(
        "none", "aten/elementwise/arithmetic.py", 1, "as it is", "the same", covers, lambda: True
    )
    hunt = Hunt(cases)
    (fate,) = hunt.fates([fault], 1)
    assert not fate.killed
    assert hunt.unsteady == ["operators/a, a piece: value", "operators/a, a piece: grad"]


class Deadly(Shaky):
    """A case that ends its process whether a fault is planted or not."""

    def differs(self):
        os._exit(3)


def test_what_ends_the_process_by_itself_has_noticed_nothing():
    runs = numpy.array([mark(("row", "mul_Tensor"))])
    covers = frozenset({("row", "mul_Tensor")})
    fault = Fault(
        "none", "aten/elementwise/arithmetic.py", 1, "as it is", "the same", covers, lambda: True
    )
    hunt = Hunt([Deadly(Unit("operators", "a"), "a piece", b"", ("value",), runs, 0.1)])
    (fate,) = hunt.fates([fault], 1)
    assert not fate.killed
    assert hunt.unsteady == [f"{fault.name}: died with exit code 3"]


def test_the_rate_of_all_faults_counts_a_kind_as_often_as_it_is():
    def fates(kind, killers):
        made = [Fault(kind, "a.py", n, "", "", frozenset(), lambda: True) for n in range(4)]
        return [Fate(fault, killer) for fault, killer in zip(made, killers, strict=True)]

    found = fates("many", ["a case"] * 3 + [""]) + fates("few", ["", "", "", ""])
    rate, error = command.of_all(found, [], {"many": 90, "few": 10})
    assert rate == pytest.approx(0.9 * 0.75)
    assert 0.2 < error < 0.6
    assert command.of_all(found, [], {"many": 4, "few": 4}) == (0.375, 0)


def test_code_is_swapped_where_functions_are_alive():
    file = "core/graph/fit.py"
    returned = next(node for node in ast.walk(tree(file)) if isinstance(node, ast.Return))

    def plant(_):
        swapped = swap(file, Edit(file, returned, "return 'planted'").apply())
        return swapped, fit.fit_gradient.__code__.co_consts

    ((_, (swapped, constants)),) = each_in_a_process(plant, [None], 1, seconds=100)
    assert swapped
    assert "planted" in constants
    assert "planted" not in fit.fit_gradient.__code__.co_consts


def test_a_formula_gets_other_names_also_where_its_own_are_cells():
    def formula(grad, self, *, dim):
        return [(grad, self, dim) for _ in range(1)]

    changed = in_rows.calling(formula, ("self", "grad", "axis"), lambda result: result[0])
    assert parameters(changed) == ("self", "grad", "axis")
    assert changed(1, 2, 3) == changed(axis=3, grad=2, self=1) == (1, 2, 3)


def test_processes_that_die_or_take_too_long_are_lost(monkeypatch):
    import time

    monkeypatch.setattr(limits, "WAITING", 1)

    def work(what):
        if what == "dies":
            os._exit(3)
        if what == "sleeps":
            time.sleep(60)
        return what

    found = dict(each_in_a_process(work, ["works", "dies", "sleeps"], 3, seconds=3))
    assert found["works"] == "works"
    assert found["dies"] == Lost("died with exit code 3")
    assert found["sleeps"] == Lost("no answer within 3 s")


def test_samples_repeat_and_spread_over_all_kinds(every):
    def drawn(seed):
        return [fault.name for fault in Sample(every, 200, seed).draw()]

    assert len(drawn(1)) == 200
    assert drawn(1) == drawn(1) != drawn(2)
    assert {name.split(":")[0] for name in drawn(1)} == set(every)


def test_what_cannot_be_planted_gives_way_to_another_fault():
    def fault(line, planted, idle=False):
        named = ("kind", "a.py", line, "as it is", "the same", frozenset())
        return Fault(*named, lambda: planted, lambda: idle)

    every = [fault(line, planted=line % 2) for line in range(16)]
    every += [fault(line, planted=True, idle=True) for line in range(16, 32)]
    runs = numpy.array([mark(("row", "mul_Tensor"))])
    hunt = Hunt([Shaky(Unit("operators", "a"), "a piece", b"", (), runs, 0.1)])
    fates = list(hunt.sampled(Sample({"kind": every}, 6, seed=0), 1))
    assert len(fates) == 6
    assert all(fate.fault.line % 2 and fate.fault.line < 16 for fate in fates)
    assert len(list(hunt.sampled(Sample({"kind": every}, 20, seed=0), 1))) == 8


def test_the_list_of_equivalents_is_strict_both_ways():
    def fate(text, killer):
        fault = Fault("kind", "a.py", 1, "x[0]", text, frozenset(), lambda: True)
        return Fate(fault, killer)

    listed = [{"pattern": "kind: a.py:1: x[0] -> y", "reason": "the same"}]
    assert command.stale([fate("y", "")], listed) == []
    assert command.stale([fate("y", "a case")], listed) == [listed[0]["pattern"]]
    assert command.stale([fate("z", "a case")], listed) == []
    assert all(set(each) == {"pattern", "reason"} for each in command.equivalents())
