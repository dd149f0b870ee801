"""Clamping, relu and the like: NaN, bounds in the wrong order, gradients at the bounds."""

import math

import pytest

import minitorch as torch


def test_nan_passes_through_clamp_and_relu():
    x = torch.tensor([float("nan")])
    assert math.isnan(x.clamp(0, 1).item())
    assert math.isnan(x.relu().item())


def test_an_infinite_gradient_is_stopped_by_relu():
    x = torch.tensor([-1.0, 1.0], requires_grad=True)
    x.relu().backward(torch.tensor([float("inf"), float("inf")]))
    assert x.grad.tolist() == [0.0, float("inf")]


@pytest.mark.parametrize("size", [4, 4096])
def test_the_gradient_of_relu_is_0_at_0(size):
    x = torch.zeros(size, requires_grad=True)
    x.relu().sum().backward()
    assert not x.grad.any()


def test_the_upper_bound_wins_where_the_bounds_cross():
    assert torch.tensor([5.0]).clamp(3, 1).item() == 1.0


def test_the_gradient_passes_at_the_bounds():
    x = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0], requires_grad=True)
    x.clamp(0, 1).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


def test_a_bound_of_another_kind_lifts_integers():
    assert torch.tensor([1, 2]).clamp(max=1.5).tolist() == [1.0, 1.5]


def test_clamp_wants_a_bound_and_does_not_mix_numbers_with_tensors():
    x = torch.tensor([1.0])
    with pytest.raises(RuntimeError, match="At least one of 'min' or 'max' must not be None"):
        x.clamp()
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        x.clamp(0, x)


def test_equals_share_the_gradient_of_maximum():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 1.0], requires_grad=True)
    torch.maximum(x, y).sum().backward()
    assert x.grad.tolist() == [0.5, 1.0]
    assert y.grad.tolist() == [0.5, 0.0]


def test_only_bounds_that_are_tensors_cast_into_out():
    x, out = torch.tensor([1.0, 3.0]), torch.zeros(2, dtype=torch.float64)
    assert torch.clamp(x, max=torch.tensor(2.0), out=out).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        torch.clamp(x, max=2.0, out=out)


def test_the_larger_of_two_tensors_speaks_as_maximum():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"^maximum\(\): functions with out="):
        torch.max(x, x, out=torch.ones(2))
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        torch.min(x.detach(), x.detach(), out=torch.ones(2, dtype=torch.int64))
    with pytest.raises(TypeError, match=r"^max\(\) received an invalid .* got \(int, Tensor\)"):
        torch.max(2, x)


@pytest.mark.parametrize("size", [3, 64, 5000, 40000])
def test_a_negative_zero_stays_one_between_bounds_of_zero(size):
    x = torch.full((size,), -0.0)
    for y in (
        x.relu(),
        x.clamp(min=0),
        x.clamp(max=0),
        x.clamp(0, 6),
        torch.nn.functional.relu6(x),
    ):
        assert torch.signbit(y).all()
    assert not torch.signbit(x.cumsum(0)).any()


def test_relu_of_many_numbers_is_that_of_each():
    x = torch.randn(3, 20000)
    x[0, 5] = float("nan")
    assert torch.equal(x.relu().nan_to_num(7), torch.where(x > 0, x, x * 0).nan_to_num(7))


def test_threshold_in_place_has_a_node_of_its_own():
    x = torch.ones(2, requires_grad=True)
    y = torch.nn.functional.threshold_(x * 1, 0.5, 0)
    assert type(y.grad_fn).__name__ == "ThresholdBackward1"
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [1.0, 1.0]


def test_threshold_wants_an_order_and_more_than_truths():
    for dtype, name in ((torch.bool, "Bool"), (torch.complex64, "ComplexFloat")):
        with pytest.raises(
            NotImplementedError, match=f'"threshold_cpu" not implemented .* \'{name}'
        ):
            torch.threshold(torch.ones(2, dtype=dtype), 0, 1)


def test_gradients_of_rectifiers_lie_in_memory_as_what_was_rectified():
    for function in (torch.relu, torch.nn.functional.leaky_relu):
        x = torch.ones(3, 2).t().detach().requires_grad_()
        assert torch.autograd.grad(function(x), x, torch.ones(2, 3))[0].stride() == (1, 2)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x, c: x.clamp(c), '"maximum_cpu" not implemented'),
        (lambda x, c: x.clamp(None, c), '"minimum_cpu" not implemented'),
        (lambda x, c: x.clamp(x, c), '"clamp_cpu" not implemented'),
        (lambda x, c: c.clamp(x), "clamp is not supported for complex types"),
        (lambda x, c: c.clamp_max(x), '"minimum_cpu" not implemented'),
        (lambda x, c: x.bool().clamp(True), '"clamp_min_scalar_cpu" not implemented'),
    ],
)
def test_bounds_are_real(call, text):
    with pytest.raises(NotImplementedError, match=f"^{text}"):
        call(torch.ones(1), torch.tensor([1j]))


def test_clamp_min_wants_a_bound():
    with pytest.raises(TypeError, match=r"^clamp_min\(\) received an invalid combination"):
        torch.ones(1).clamp_min(None)
    assert torch.tensor([True]).clamp(torch.tensor([False])).dtype is torch.bool


def test_the_bounds_are_compared_in_place():
    x = torch.ones(1, requires_grad=True)
    x.clamp(torch.zeros(3), torch.ones(1)).sum().backward()
    with pytest.raises(RuntimeError, match=r"output with shape \[1\] doesn't match the broadcast"):
        x.clamp(torch.zeros(1), torch.ones(3)).sum().backward()


@pytest.mark.parametrize("name", ["clamp_max_", "clamp_min_", "clamp_"])
def test_clamp_in_place_looks_at_the_dtype_before_the_bound(name):
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired"):
        getattr(torch.ones(2, dtype=torch.int32), name)(1e50)


def test_threshold_backward_broadcasts_what_does_not_lie_in_rows():
    grad, x = torch.ones(2, 3).T.unsqueeze(2), torch.arange(8.0).view(2, 4).T[::2] - 3
    for g, of in ((grad, x.unsqueeze(1)[:1]), (x.unsqueeze(1)[:1], grad - 1)):
        got = torch.ops.aten.threshold_backward(g, of, 0.0)
        assert torch.equal(got, torch.where(of > 0, g, 0.0))
