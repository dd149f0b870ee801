"""arange: how many numbers, and what it refuses."""

import pytest

import minitorch as torch


def test_small_integers_are_counted_by_bounds_that_are_no_integers():
    assert torch.arange(2.5, dtype=torch.int32).tolist() == [0, 1, 2]
    assert torch.arange(2.5, dtype=torch.int64).tolist() == [0, 1]
    with pytest.raises(RuntimeError, match="unsupported range: 0 -> inf"):
        torch.arange(float("inf"), dtype=torch.int64)
