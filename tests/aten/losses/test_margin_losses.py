"""Margin losses of many classes are those of few, computed part by part."""

import pytest

import minitorch as torch
from minitorch.aten.losses import margin_losses
from minitorch.nn import functional as F


def loss_and_gradient(x, target, reduction):
    x = x.detach().clone().requires_grad_()
    loss = F.multilabel_margin_loss(x, target, reduction=reduction)
    loss.sum().backward()
    return loss.detach().numpy().tobytes(), x.grad.numpy().tobytes()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 40), (7,)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_multilabel_margin_loss_part_by_part_has_the_same_bits(
    monkeypatch, dtype, shape, reduction
):
    torch.manual_seed(0)
    x = torch.randn(*shape, dtype=dtype)
    for lowest, unusual in ((0, 0.5), (-1, float("nan")), (-1, float("inf"))):
        x.view(-1)[0] = unusual
        target = torch.randint(lowest, shape[-1], shape)
        whole = loss_and_gradient(x, target, reduction)
        monkeypatch.setattr(margin_losses, "_MANY", 0)
        monkeypatch.setattr(margin_losses, "_AT_ONCE", 37)
        assert loss_and_gradient(x, target, reduction) == whole
        monkeypatch.undo()
