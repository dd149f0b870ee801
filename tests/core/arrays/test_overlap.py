"""Writes into memory that is read at the same time, or twice."""

import pytest

import minitorch as torch

READ = "some elements of the input tensor and the written-to tensor refer to a single memory"
TWICE = "more than one element of the written-to tensor refers to a single memory location"


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x[1:].add_(x[:-1]),
        lambda x: x[1:].lerp_(x[:-1], 0.5),
        lambda x: x[:3].copy_(x[1:4]),
        lambda x: x[:4].view(2, 2).add_(x[:4].view(2, 2).t()),
        lambda x: x.__setitem__([0], x[:1]),
        lambda x: x.index_add_(0, torch.tensor([0]), x[:1]),
        lambda x: x.index_copy_(0, torch.tensor([0]), x[:1]),
        lambda x: x.scatter_(0, torch.tensor([0]), x),
    ],
)
def test_memory_that_is_read_must_not_be_written_elsewhere(write):
    with pytest.raises(RuntimeError, match=READ):
        write(torch.arange(6.0))


@pytest.mark.parametrize(
    "write", [lambda x: x.add_(x), lambda x: x.copy_(x), lambda x: x.mul_(x[:])]
)
def test_the_very_same_memory_may_be_read_and_written(write):
    write(torch.arange(6.0))


@pytest.mark.parametrize(
    "write",
    [lambda x: x.add_(1), lambda x: x.relu_(), lambda x: x.__setitem__((slice(None), 0), 1)],
)
def test_an_expanded_tensor_is_not_written(write):
    with pytest.raises(RuntimeError, match=TWICE):
        write(torch.arange(6.0).expand(2, 6))


def test_an_expanded_tensor_may_be_filled_and_assigned_to_itself():
    x = torch.arange(3.0)
    x.expand(2, 3).fill_(1)
    x.expand(2, 3)[...] = x
    assert x.tolist() == [1, 1, 1]


def test_nothing_overlaps_in_an_empty_tensor():
    x = torch.zeros(1, 0)
    assert x.expand(3, 0).add_(1).shape == (3, 0)


def test_an_index_into_an_expanded_tensor_warns():
    with pytest.warns(UserWarning, match="index_put_ on expanded tensors is deprecated"):
        torch.zeros(3).expand(2, 3)[[0]] = 1.0


def test_out_that_overlaps_itself_is_refused_before_it_is_resized():
    out = torch.ones(3).expand(2, 3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.neg(torch.ones(3), out=out)
    assert out.shape == (2, 3)
