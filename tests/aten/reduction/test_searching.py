"""unique, isin, bincount, searchsorted and bucketize."""

import warnings
from math import nan
from typing import Any

import pytest

import minitorch as torch

D = torch.tensor([1, 2, 2, 3, 1])


def test_unique_gives_values_inverse_and_counts() -> None:
    values, inverse, counts = torch.unique(D, return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 3]
    assert torch.equal(values[inverse], D)
    assert counts.tolist() == [2, 2, 1]


def test_each_not_a_number_is_unique() -> None:
    assert torch.unique(torch.tensor([nan, nan, 1.0])).numel() == 3


def test_unique_along_a_dimension_compares_slices() -> None:
    x = torch.tensor([[1, 2], [0, 1], [1, 2]])
    values, inverse, counts = torch.unique(x, dim=0, return_inverse=True, return_counts=True)
    assert values.tolist() == [[0, 1], [1, 2]]
    assert inverse.tolist() == [1, 0, 1]
    assert counts.tolist() == [1, 2]


def test_unique_consecutive_joins_neighbours_only() -> None:
    assert torch.unique_consecutive(D).tolist() == [1, 2, 3, 1]


def test_isin_takes_numbers_on_either_side() -> None:
    assert torch.isin(D, torch.tensor([1, 3])).tolist() == [True, False, False, True, True]
    assert torch.isin(1, D).item()


def test_bincount_adds_weights() -> None:
    assert torch.bincount(D, minlength=6).tolist() == [0, 2, 2, 1, 0, 0]
    weighted = torch.bincount(D, weights=D)
    assert (weighted.dtype, weighted.tolist()) == (torch.float64, [0.0, 2.0, 4.0, 3.0])


def test_searchsorted_looks_from_either_side_row_by_row() -> None:
    edges = torch.tensor([1.0, 3.0, 5.0])
    values = torch.tensor([2.0, 3.0, 9.0])
    assert torch.searchsorted(edges, values).tolist() == [1, 1, 3]
    assert torch.searchsorted(edges, values, right=True).tolist() == [1, 2, 3]
    rows = torch.tensor([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]])
    assert torch.searchsorted(rows, torch.tensor([[2.0, 3.0], [3.0, 7.0]])).tolist() == [
        [1, 1],
        [1, 3],
    ]
    assert torch.bucketize(3, edges, out_int32=True).dtype == torch.int32
    assert torch.searchsorted(edges.flip(0), values, sorter=torch.tensor([2, 1, 0])).tolist() == [
        1,
        1,
        3,
    ]


ERRORS = [
    (lambda: torch.bincount(torch.tensor([-1])), RuntimeError, "only supports 1-d non-negative"),
    (lambda: torch.bincount(D, torch.ones(4)), RuntimeError, "weights should be 1-d and have the"),
    (lambda: torch.searchsorted(D, D, side="foo"), RuntimeError, "can only be 'left' or 'right'"),
    (lambda: torch.bucketize(D, torch.ones(1, 3)), RuntimeError, "must be 1 dimension, but got"),
    (
        lambda: torch.unique(torch.ones(2, requires_grad=True)).sum().backward(),
        RuntimeError,
        "is not implemented",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_bad_searches_are_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_runs_of_nothing_are_laid_out_afresh() -> None:
    values, counts = torch.unique_consecutive(torch.empty(5, 0, 5), return_counts=True, dim=1)
    assert values.stride() == (5, 5, 1)
    assert counts.tolist() == []


def test_a_search_warns_once_of_each_tensor_with_gaps():
    torch.set_warn_always(True)
    values, boundaries = torch.rand(3, 2).t(), torch.arange(8.0)[::2]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.searchsorted(boundaries, values)
            torch.searchsorted(boundaries, values[:, :0])
    finally:
        torch.set_warn_always(False)
    named = [str(each.message).split(": ")[1].split(" tensor")[0] for each in caught]
    assert named == ["input value", "boundary"]


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_searchsorted_finds_nan_behind_everything(dtype, right):
    edges = torch.tensor([1.0, 2.0, nan], dtype=dtype)
    found = torch.searchsorted(edges, torch.tensor([nan, 0.5, 5.0], dtype=dtype), right=right)
    assert found.tolist() == [3, 0, 3]


def test_bucketize_compares_integers_with_halves_in_their_common_dtype():
    edges = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    assert torch.bucketize(torch.tensor([2, 5]), edges).tolist() == [1, 2]


def test_unique_consecutive_takes_a_dimension_in_a_tensor():
    x = torch.tensor([[1.0], [1.0]])
    assert torch.unique_consecutive(x, dim=torch.tensor(0)).tolist() == [[1.0]]
