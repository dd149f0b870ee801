"""segment_reduce: parts of a dimension by lengths or offsets, empty ones, ties, refusals."""

import math

import pytest

import minitorch as torch

X = torch.arange(6.0)
LENGTHS = torch.tensor([2, 0, 4])


@pytest.mark.parametrize(
    ("reduce", "empty", "first", "last"),
    [
        ("sum", 0, 1, 14),
        ("prod", 1, 0, 120),
        ("max", -math.inf, 1, 5),
        ("min", math.inf, 0, 2),
    ],
)
def test_segments_are_given_by_lengths_or_offsets(reduce, empty, first, last) -> None:
    found = torch.segment_reduce(X, reduce, lengths=LENGTHS)
    assert found.tolist() == [first, empty, last]
    offsets = torch.tensor([0, 2, 2, 6])
    assert torch.equal(torch.segment_reduce(X, reduce, offsets=offsets), found)
    assert torch.segment_reduce(X, reduce, lengths=LENGTHS, initial=2)[1] == 2


def test_the_mean_of_nothing_is_not_a_number_unless_it_starts_with_one() -> None:
    assert torch.segment_reduce(X, "mean", lengths=LENGTHS).isnan().tolist() == [False, True, False]
    found = torch.segment_reduce(X, "mean", lengths=LENGTHS, initial=3)
    assert found.tolist() == [2, 3, 4.25]


def test_rows_have_segments_of_their_own() -> None:
    lengths = torch.tensor([[1, 2], [3, 0]])
    found = torch.segment_reduce(X.reshape(2, 3), "sum", lengths=lengths, axis=1)
    assert found.tolist() == [[0, 3], [12, 0]]


def test_ties_share_the_gradient_and_zeros_have_the_product_of_the_others() -> None:
    x = torch.tensor([1.0, 1.0, 0.0, 3.0], requires_grad=True)
    two = torch.tensor([2, 2])
    torch.segment_reduce(x, "max", lengths=two).sum().backward()
    assert x.grad.tolist() == [0.5, 0.5, 0, 1]
    (grad,) = torch.autograd.grad(torch.segment_reduce(x, "prod", lengths=two).sum(), x)
    assert grad.tolist() == [1, 1, 3, 0]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "Either lengths or offsets must be defined"),
        ({"indices": LENGTHS}, "indices based reduction is not supported yet"),
        ({"lengths": torch.tensor([7, -1])}, "lengths contains negative value!"),
        ({"lengths": torch.tensor([1, 2])}, "Expected all rows of lengths along axis to sum to"),
        ({"lengths": LENGTHS, "axis": 1}, "Dimension out of range"),
        ({"lengths": LENGTHS.float()}, "not implemented for 'Float'"),
    ],
)
def test_what_is_no_partition_is_refused(given, text) -> None:
    with pytest.raises((RuntimeError, IndexError), match=text):
        torch.segment_reduce(X, "sum", **given)
