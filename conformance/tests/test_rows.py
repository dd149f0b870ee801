"""Rows are held against torch's tables: faults in a declaration are found, and only those."""

import pytest

import minitorch
from conformance.cases import rows
from conformance.cases.sources import Unit
from conformance.examine import examine
from conformance.options import Options
from conformance.oracle import tables
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.schema import Schema

CHANGES = {
    "schema": {"schema": Schema.parse("mul.Tensor(Tensor self, Tensor other=1) -> Tensor")},
    "node": {"node": "MulBackward7"},
    "graph": {"formulas": {"self": ROWS["mul_Tensor"].formulas["self"]}},
    "jvp": {"result": None},
    "out": {"variants": frozenset({"inplace"})},
}


def differing(key):
    verdict = examine(Unit("rows", key), Options())
    assert not verdict.trouble
    return {name for name, found in verdict.found.items() if not found.passes}


def test_a_row_as_torch_has_it_is_clean():
    assert differing("mul.Tensor") == set()


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_a_row_is_found(name, monkeypatch):
    changed = ROWS["mul_Tensor"].but(**CHANGES[name])
    monkeypatch.setitem(ROWS, "mul_Tensor", changed)
    monkeypatch.setattr(minitorch.mul, "row", changed)
    assert differing("mul.Tensor") == {name}


def test_a_row_that_torch_does_not_have_is_found(monkeypatch):
    own = ROWS["neg"].but(schema=Schema.parse("minus(Tensor self) -> Tensor"), result=LINEAR)
    monkeypatch.setitem(ROWS, "neg", own)
    assert differing("minus") == {"schema"}


def test_a_method_that_torch_has_is_missed(monkeypatch):
    monkeypatch.delattr(minitorch.Tensor, "exp_")
    assert differing("exp") == {"variants"}


def test_torch_itself_has_no_rows():
    assert rows.keys(Options(impl="torch")) == []


def test_tables_number_nodes_as_torch_does():
    entries = tables.entries()
    assert entries["pow.Tensor_Tensor"].node == "PowBackward1"
    assert entries["leaky_relu_"].node == "LeakyReluBackward1"
    assert entries["max.dim"].outputs == (0,)
    assert "add" in tables.with_out()
    assert "select_scatter" not in tables.with_out()
