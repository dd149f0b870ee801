"""Activation functions: what the property tests of all rows do not say."""

import math

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_leaky_relu_in_place_refuses_a_negative_slope_when_it_goes_backward():
    x = torch.ones(2, requires_grad=True) * 1
    y = F.leaky_relu(x, -1.0, inplace=True)
    assert type(y.grad_fn).__name__ == "LeakyReluBackward1"
    with pytest.raises(RuntimeError, match="negative slope which is not supported"):
        y.sum().backward()


def test_elu_in_place_finds_its_gradient_from_the_result():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    F.elu_(x * 1).sum().backward()
    assert x.grad.tolist() == pytest.approx([math.exp(-1), 1.0])


def test_integers_are_refused_with_the_kernels_name():
    for function, kernel in ((F.silu, "silu_cpu"), (F.elu, "elu_cpu"), (F.gelu, "GeluKernelImpl")):
        with pytest.raises(NotImplementedError, match=f"\"{kernel}\" not implemented for 'Long'"):
            function(torch.tensor([1, 2]))


def test_silu_and_mish_have_second_derivatives():
    for function in (F.silu, F.mish, F.gelu, F.softplus, F.logsigmoid):
        x = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        (curve,) = torch.autograd.grad(slope.sum(), x)
        h = 1e-6
        ends = []
        for step in (h, -h):
            moved = (x.detach() + step).requires_grad_()
            ends.append(torch.autograd.grad(function(moved).sum(), moved)[0])
        wanted = ((ends[0] - ends[1]) / (2 * h)).tolist()
        assert curve.tolist() == pytest.approx(wanted, abs=1e-6)


def test_hardsigmoid_has_no_second_derivative():
    x = torch.tensor([0.5], requires_grad=True)
    (slope,) = torch.autograd.grad(F.hardsigmoid(x), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for aten::hardsigmoid_backward"):
        slope.backward()


def test_glu_needs_an_even_dimension():
    with pytest.raises(RuntimeError, match="Halving dimension must be even, but dimension 0"):
        F.glu(torch.ones(3))


def test_celu_in_place_finds_its_gradient_from_the_result():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    y = torch.celu_(x * 1, 2.0)
    assert type(y.grad_fn).__name__ == "CeluBackward1"
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([math.exp(-0.5), 1.0])


@pytest.mark.parametrize("activation", [F.elu, F.leaky_relu, F.softplus, F.gelu])
def test_gradients_lie_in_memory_as_the_operands_do(activation):
    x = torch.randn(5, 4).t().requires_grad_()
    (grad,) = torch.autograd.grad(activation(x).sum(), x, create_graph=True)
    assert grad.stride() == (1, 4)
    if grad.requires_grad and activation is not F.leaky_relu:
        (second,) = torch.autograd.grad(grad.pow(2).sum(), x)
        assert second.stride() == (1, 4)
