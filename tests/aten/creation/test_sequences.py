"""arange, linspace, logspace: their numbers, and the arguments they refuse."""

import math

import numpy
import pytest

import minitorch as torch


def test_small_integers_are_counted_by_bounds_that_are_no_integers():
    assert torch.arange(2.5, dtype=torch.int32).tolist() == [0, 1, 2]
    assert torch.arange(2.5, dtype=torch.int64).tolist() == [0, 1]
    with pytest.raises(RuntimeError, match="unsupported range: 0 -> inf"):
        torch.arange(float("inf"), dtype=torch.int64)


def test_logspace_is_infinite_where_a_power_overflows():
    assert torch.logspace(1, 400, 2).tolist() == [10.0, math.inf]
    assert torch.logspace(1e50, 1, 1).tolist() == [math.inf]
    found = torch.logspace(-1, 400, 5, base=-10.0).tolist()
    assert [math.isnan(each) for each in found] == [False, True, True, True, False]


def test_linspace_converts_only_the_ends_that_it_uses():
    assert torch.linspace(1, 1e50, 1).tolist() == [1.0]
    assert torch.linspace(-1e50, 1e50, 0).tolist() == []
    assert torch.linspace(1e50, 1, 1, dtype=torch.float16).tolist() == [math.inf]
    with pytest.raises(RuntimeError, match="type float without overflow"):
        torch.linspace(1, 1e50, 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.linspace(0, 1, 5),
        lambda: torch.logspace(0, 1, 5),
        lambda: torch.arange(0.0, 2.0, 0.5),
        lambda: torch.eye(3),
        lambda: torch.tril_indices(3, 3),
    ],
)
def test_a_short_sequence_is_the_callers_own(make):
    first = make()
    kept = first.clone()
    first.fill_(7)
    assert torch.equal(make(), kept)


def test_a_list_of_arrays_warns_for_each_array_in_it():
    rows = [numpy.ones(2), numpy.zeros(2)]
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="list of numpy.ndarrays is extremely slow") as seen:
            assert torch.equal(torch.tensor(rows), torch.tensor([[1.0, 1.0], [0.0, 0.0]]).double())
    finally:
        torch.set_warn_always(False)
    assert len(seen) == 2
