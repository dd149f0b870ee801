"""The suite finds planted faults, and finds none where there are none."""

import pytest
import torch

import minitorch
from conformance.cases import opinfo
from conformance.cases.sources import Unit
from conformance.cases.trial import Trial
from conformance.differ.compare import PASSING, Grade, compare, worst
from conformance.examine import examine as examine_unit
from conformance.options import Options
from conformance.oracle.turns import VECTORS
from conformance.tests import faulty


def examine(key, *arguments):
    return examine_unit(Unit("opinfo", key), *arguments)


@pytest.mark.parametrize("fault", faulty.FAULTS)
def test_a_planted_fault_is_found(fault):
    operator, name, _ = faulty.FAULTS[fault]
    verdict = examine(operator, Options(), faulty.module(fault))
    assert not verdict.trouble
    assert not verdict.found[name].passes, verdict.found[name]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("key", ["mul", "sort", "nn.functional.dropout", "__getitem__", "eye"])
def test_torch_does_not_differ_from_itself(key, seed):
    verdict = examine(key, Options(impl="torch", seed=seed))
    assert verdict.found
    assert not verdict.trouble
    assert all(found.grade is Grade.SAME for found in verdict.found.values())


def test_a_name_that_is_not_there_is_missing_not_wrong():
    class Without(faulty.Faulty):
        def __getattr__(self, name):
            if name == "mul":
                raise AttributeError("module 'torch' has no attribute 'mul'")
            return getattr(torch, name)

    verdict = examine("mul", Options(properties=("value",)), Without())
    assert verdict.found["value"].grade is Grade.MISSING


def test_a_feature_that_is_not_implemented_is_missing_not_wrong():
    def mul(*args, **kwargs):
        raise NotImplementedError("torch.mul")

    verdict = examine("mul", Options(properties=("value",)), faulty.Faulty(mul=mul))
    assert verdict.found["value"].grade is Grade.MISSING


@pytest.mark.parametrize("key", opinfo.tiers())
def test_our_expression_is_what_op_db_calls(key, monkeypatch):
    op = opinfo.operators()[key]
    dtype = "float32" if torch.float32 in op.supported_dtypes("cpu") else "int64"
    if getattr(torch, dtype) not in op.supported_dtypes("cpu"):
        pytest.skip("no such dtype on the CPU")
    if key == "rand_like":
        pytest.skip("op_db calls randn_like by this name")
    profile = opinfo.Profile(2, 2, 0, 0, 0, 0, 0, 0)
    trials = opinfo.trials(key, profile, 0, (dtype,))
    for trial in [trial for trial in trials if trial.experiment == "forward"]:
        own = trial.perform(torch)
        turned = VECTORS.get(trial.expression, ())  # to one side, for either library
        monkeypatch.setitem(VECTORS, "torch.theirs", turned)
        same = Trial("forward", "torch.theirs", trial.call, "", uninitialised=trial.uninitialised)
        theirs = same.perform(faulty.Faulty(theirs=op.op))
        for name in ("effects", "warnings", "saved"):
            own.pop(name, None)
            theirs.pop(name, None)
        assert worst(compare(theirs, own)) <= PASSING


def test_warnings_are_afterwards_as_they_were():
    for library in (torch, minitorch):
        library.set_warn_always(False)
    examine("abs", Options(limit=1))
    assert not torch.is_warn_always_enabled()
    assert not minitorch.is_warn_always_enabled()
