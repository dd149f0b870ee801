"""The named tuples of operators with several outputs."""

from __future__ import annotations

import copy
import pickle

import pytest

import minitorch as torch
from minitorch import return_types
from minitorch.core.declare.wording.return_types import return_type


def test_outputs_have_names_and_places() -> None:
    out = torch.tensor([1.0, 3.0]).max(0)
    assert out.values is out[0]
    assert out.indices is out[1]
    assert isinstance(out, tuple)
    assert repr(out) == "torch.return_types.max(\nvalues=tensor(3.),\nindices=tensor(1))"


def test_outputs_are_matched_by_position() -> None:
    match torch.tensor([1.0, 3.0]).max(0):
        case return_types.max(values, indices):
            assert (values.item(), indices.item()) == (3.0, 1)


def test_a_type_takes_a_sequence_of_its_length() -> None:
    kind = return_type("max", ("values", "indices"))
    assert kind((1, 2)) == (1, 2)
    with pytest.raises(TypeError, match=r"takes a 2-sequence \(3-sequence given\)"):
        kind((1, 2, 3))
    with pytest.raises(TypeError, match="constructor requires a sequence"):
        kind(3)
    with pytest.raises(AttributeError):
        kind((1, 2)).values = 3


def test_copies_keep_the_type() -> None:
    out = return_type("max", ("values", "indices"))((1, 2))
    assert type(copy.copy(out)) is type(out)
    reduced, arguments = out.__reduce__()
    assert reduced(*arguments) == out
    assert pickle.dumps(tuple(out))


def test_a_call_with_out_returns_a_type_of_its_own() -> None:
    out = torch.max(torch.ones(2, 2), 0, out=(torch.empty(2), torch.empty(2, dtype=torch.int64)))
    assert type(out).__name__ == "max_out"


def test_outputs_without_names_are_plain_tuples() -> None:
    assert type(torch.var_mean(torch.ones(2))) is tuple
