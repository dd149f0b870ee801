"""Module.compile: arguments are checked, and calls go on as they are written."""

import copy
import pickle

import pytest

import minitorch as torch
from minitorch import nn


def test_a_compiled_module_computes_what_it_computed_before():
    model, x = nn.Linear(3, 2), torch.ones(1, 3)
    before = model(x)
    assert model.compile(fullgraph=True) is None
    assert callable(model._compiled_call_impl)
    assert torch.equal(model(x), before)
    assert list(model.state_dict()) == ["weight", "bias"]


def test_copies_of_a_compiled_module_are_not_compiled():
    model = nn.Linear(3, 2)
    model.compile()
    assert "_compiled_call_impl" not in model.__getstate__()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other._compiled_call_impl is None


def test_wrong_arguments_are_refused_in_the_words_of_compile():
    model = nn.Linear(3, 2)
    with pytest.raises(RuntimeError, match=r"^Unrecognized mode=none"):
        model.compile(mode="none")
    with pytest.raises(TypeError):
        model.compile("eager")
    assert model._compiled_call_impl is None


def test_a_function_as_backend_is_refused():
    with pytest.raises(NotImplementedError, match=r"torch\.nn\.Module\.compile"):
        nn.Linear(3, 2).compile(backend=lambda graph, inputs: graph)
