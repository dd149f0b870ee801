"""Losses: reductions, refusals and warnings."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_mse_loss_warns_of_another_size_and_broadcasts():
    with pytest.warns(UserWarning, match="Using a target size \\(torch.Size\\(\\[2\\]\\)\\)"):
        loss = F.mse_loss(torch.zeros(3, 2), torch.ones(2))
    assert loss.item() == 1.0


def test_binary_cross_entropy_limits_what_it_divides_second_gradients_by():
    x = torch.tensor([0.0, 1e-13, 0.5], dtype=torch.float64, requires_grad=True)
    target = torch.full_like(x, 0.5).requires_grad_()
    loss = F.binary_cross_entropy(x, target, reduction="sum")
    (slope,) = torch.autograd.grad(loss, x, create_graph=True)
    (quick,) = torch.autograd.grad(slope.sum(), target, retain_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), target, create_graph=True)
    (third,) = torch.autograd.grad(second[1], x)
    assert quick.tolist() == second.tolist() == pytest.approx([-1e12, -1e12, -4.0], rel=1e-12)
    assert third.tolist() == pytest.approx([0.0, 1e24, 0.0], rel=1e-12)


def test_binary_cross_entropy_divides_otherwise_by_what_comes_into_its_backward():
    x = torch.tensor([1e-12, 0.5], dtype=torch.float64, requires_grad=True)
    loss = F.binary_cross_entropy(x, torch.full_like(x, 0.25), reduction="sum")
    incoming = torch.ones_like(loss, requires_grad=True)
    (slope,) = torch.autograd.grad(loss, x, incoming, create_graph=True)
    (second,) = torch.autograd.grad(slope[0], incoming)
    assert second.item() == pytest.approx(-0.25 / 2e-12, rel=1e-9)


def test_losses_of_doubles_hold_their_small_constants_in_single_precision():
    x = torch.zeros(1, 1, dtype=torch.float64, requires_grad=True)
    F.binary_cross_entropy(x, torch.ones_like(x)).backward()
    assert x.grad.item() == -1 / 9.999999960041972e-13
    other = torch.full((1, 1), 1e-6, dtype=torch.float64)
    loss = F.cosine_embedding_loss(other, other, torch.ones(1))
    square, added = 1e-12, 9.999999960041972e-13
    assert loss.item() == pytest.approx(1 - square / (square + added), rel=1e-12)


def test_binary_cross_entropy_wants_chances():
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        F.binary_cross_entropy(torch.ones(2) * 2, torch.ones(2))


def test_an_unknown_reduction_is_refused():
    with pytest.raises(ValueError, match="foo is not a valid value for reduction"):
        F.l1_loss(torch.ones(2), torch.ones(2), reduction="foo")


def test_smooth_l1_loss_without_beta_is_l1_loss():
    x = torch.tensor([1.0, 5.0], requires_grad=True)
    loss = F.smooth_l1_loss(x, torch.zeros(2), beta=0.0)
    assert loss.item() == 3.0
    assert type(loss.grad_fn).__name__ == "MeanBackward0"


def test_huber_losses_lie_as_the_input():
    x = torch.randn(4, 3).T.requires_grad_()
    assert F.huber_loss(x, torch.zeros(3, 4), reduction="none").stride() == (1, 3)


@pytest.mark.parametrize("name", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_gradients_of_binary_cross_entropies_lie_as_their_input(name):
    x = torch.rand(5, 3).t().requires_grad_()
    y = torch.rand(3, 5)
    (grad,) = torch.autograd.grad(getattr(F, name)(x, y, weight=torch.rand(3, 5)), x)
    assert grad.stride() == (1, 3)


def test_losses_of_halves_are_rounded_at_every_step():
    x = -torch.tensor([[256.0]] + [[1.0]] * 8).to(torch.bfloat16)
    target = torch.zeros(9, dtype=torch.int64)
    assert F.nll_loss(x, target, reduction="sum").item() == 264.0
    assert F.nll_loss(x.flip(0), target, reduction="sum").item() == 264.0
    z = torch.tensor([2.0], dtype=torch.bfloat16)
    assert F.binary_cross_entropy_with_logits(z, z * 0.1).item() == 1.7265625


def test_losses_are_written_into_the_dtype_of_their_input():
    x, whole = torch.ones(2, 3), torch.ones(2, 3).long()
    with pytest.raises(RuntimeError, match="type Float can't be cast to the desired output type L"):
        F.huber_loss(whole, x)
    for loss in (F.binary_cross_entropy, F.binary_cross_entropy_with_logits):
        with pytest.raises(RuntimeError, match="result type ComplexFloat can't be cast"):
            loss(x, x, weight=x.cfloat())
        with pytest.raises(
            RuntimeError, match="output with shape \\[2, 3\\] doesn't match the bro"
        ):
            loss(x, x, weight=x[None])
    with pytest.raises(RuntimeError, match="length 7 at -1! Mismatching argument at index 1 had"):
        F.binary_cross_entropy(x, x, weight=torch.ones(2, 7))
    with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
        F.binary_cross_entropy_with_logits(x, x, pos_weight=x.bool())
    with pytest.raises(RuntimeError, match="with two bool tensors is not supported"):
        F.binary_cross_entropy_with_logits(x, x.bool())
    with pytest.raises(RuntimeError, match="Found dtype Float but expected Long"):
        F.binary_cross_entropy(whole, x)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize(
    "name", ["mse_loss", "smooth_l1_loss", "soft_margin_loss", "binary_cross_entropy", "l1_loss"]
)
def test_a_reduced_loss_keeps_the_memory_of_one_number(name, reduction):
    input, target = torch.rand(4, 16, requires_grad=True), torch.rand(4, 16)
    loss = getattr(torch.nn.functional, name)(input, target, reduction=reduction)
    assert loss.untyped_storage().nbytes() == 4
    assert loss.storage_offset() == 0


@pytest.mark.parametrize("name", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_weights_of_another_dtype_leave_that_of_the_loss(name):
    x = torch.full((3,), 0.25, dtype=torch.float16)
    weight = torch.full((3,), 2.0)
    loss = getattr(torch.nn.functional, name)(x, x, weight=weight, reduction="none")
    assert loss.dtype is torch.float16


def test_a_ranking_loss_of_integers_is_floating():
    ones = torch.ones(3, dtype=torch.int64)
    assert torch.nn.functional.margin_ranking_loss(ones, ones, ones).dtype is torch.float32


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_smooth_l1_loss_and_huber_loss_refuse_nan_before_the_dtype(dtype):
    x = torch.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match="does not support negative values for beta"):
        F.smooth_l1_loss(x, x, beta=float("nan"))
    with pytest.raises(RuntimeError, match="does not support non-positive values for delta"):
        F.huber_loss(x, x, delta=float("nan"))


def test_smooth_l1_loss_reads_beta_from_what_stands_for_a_number():
    x, y = torch.zeros(2), torch.ones(2)
    assert F.smooth_l1_loss(x, y, beta=0j).item() == 1.0
    assert F.smooth_l1_loss(x, y, beta=torch.tensor(2 + 0j)).item() == 0.25
    with pytest.raises(RuntimeError, match="converted to type double without overflow"):
        F.smooth_l1_loss(x, y, beta=torch.tensor(1j))


def test_multi_margin_loss_takes_a_complex_margin_that_is_real():
    x, target = torch.tensor([[1.0, 2.0]]), torch.tensor([0])
    assert F.multi_margin_loss(x, target, margin=1 + 0j).item() == 1.0
    with pytest.raises(RuntimeError, match="converted to type float without overflow"):
        F.multi_margin_loss(x, target, margin=1 + 1j)
