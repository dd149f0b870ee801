"""Losses as modules."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn import functional as F


def test_huber_loss_takes_a_real_delta():
    with pytest.raises(TypeError, match="delta must be a float or int, got: <class 'complex'>"):
        nn.HuberLoss(delta=1j)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_chunks_of_a_linear_cross_entropy_add_up_to_the_whole(reduction):
    x = torch.randn(7, 4, dtype=torch.float64, requires_grad=True)
    w = torch.randn(5, 4, dtype=torch.float64, requires_grad=True)
    b = torch.randn(5, dtype=torch.float64, requires_grad=True)
    target = torch.tensor([0, 4, -100, 1, 1, 2, 0])
    losses, grads = [], []
    for options in (None, nn.LinearCrossEntropyOptions(batch_chunk_size=3)):
        y = F.linear_cross_entropy(
            x, w, target, linear_bias=b, reduction=reduction, options=options
        )
        losses.append(y)
        grads.append(torch.autograd.grad(y.sum(), (x, w, b)))
    torch.testing.assert_close(*losses)
    torch.testing.assert_close(*grads)


def test_chunks_keep_their_gradients_for_one_backward():
    x, w = torch.randn(6, 4, requires_grad=True), torch.randn(5, 4)
    target = torch.tensor([0, 1, 2, 3, 4, 0])
    once, often = (nn.LinearCrossEntropyOptions(allow_retain_graph=keep) for keep in (False, True))
    for options in (often, once):
        y = F.linear_cross_entropy(x, w, target, options=options)
        y.backward(retain_graph=True)
        if options is often:
            y.backward()
    with pytest.raises(RuntimeError, match="chunked backward called twice"):
        y.backward()


def test_two_ways_to_size_chunks_must_agree():
    options = nn.LinearCrossEntropyOptions(batch_chunk_size=3, chunking_method="aspect_ratio")
    with pytest.raises(ValueError, match="give different chunk sizes"):
        F.linear_cross_entropy(
            torch.ones(6, 4), torch.ones(5, 4), torch.zeros(6, dtype=torch.int64), options=options
        )


@pytest.mark.parametrize("switch", ["size_average", "reduce"])
def test_the_old_switches_of_losses_count_by_their_truth(switch):
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value"):
        nn.CrossEntropyLoss(**{switch: torch.ones(3)})
    with pytest.warns(UserWarning, match="please use reduction='(sum|none)' instead") as seen:
        assert nn.MSELoss(**{switch: 0}).reduction in ("sum", "none")
    assert seen[0].filename.endswith("loss_base.py")
