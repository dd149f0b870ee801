"""Activation functions: what the property tests of all rows do not say."""

import math
import re

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


def test_prelu_of_what_is_no_tensor_says_which_argument_it_is():
    x = torch.ones(2)
    for call, text in (
        (lambda: torch.prelu(2, x), "'input' (position 1) must be Tensor, not int"),
        (lambda: torch.prelu(x, 2), "'weight' (position 2) must be Tensor, not int"),
        (lambda: x.prelu(2.5), "'weight' (position 1) must be Tensor, not float"),
        (lambda: torch.prelu(input=x, weight=2), "'weight' must be Tensor, not int"),
    ):
        with pytest.raises(TypeError, match=re.escape(f"prelu(): argument {text}")):
            call()


def test_celu_divides_by_an_alpha_of_single_precision_in_a_backward():
    x = torch.tensor([-1.0], dtype=torch.float64, requires_grad=True)
    for inplace in (False, True):
        F.celu(x * 1, 0.3, inplace).backward()
    rounded = 0.30000001192092896
    by_input = 0.3 / rounded * math.exp(-1 / rounded)
    by_result = (0.3 * math.expm1(-1 / 0.3) + 0.3) / rounded
    assert x.grad.item() == pytest.approx(by_input + by_result, rel=1e-12)


def test_celu_refuses_an_alpha_beyond_single_precision_in_a_backward():
    x = torch.tensor([-1.0], dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="cannot be converted to type float without overflow"):
        F.celu(x, 1e39).backward()


def test_hardsigmoid_of_doubles_has_a_slope_of_single_precision():
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    F.hardsigmoid(x).backward()
    assert x.grad.tolist() == [0.1666666716337204]


@pytest.mark.parametrize("activation", [F.elu, F.leaky_relu, F.softplus, F.gelu])
def test_gradients_lie_in_memory_as_the_operands_do(activation):
    x = torch.randn(5, 4).t().requires_grad_()
    (grad,) = torch.autograd.grad(activation(x).sum(), x, create_graph=True)
    assert grad.stride() == (1, 4)
    if grad.requires_grad and activation is not F.leaky_relu:
        (second,) = torch.autograd.grad(grad.pow(2).sum(), x)
        assert second.stride() == (1, 4)


def test_softshrink_refuses_what_the_dtype_cannot_hold():
    text = "lambda must be in range \\[0, {}\\] for input dtype {}, but found {}"
    with pytest.raises(RuntimeError, match=text.format("3.40282e\\+38", "Float", "-0.5")):
        F.softshrink(torch.ones(2), -0.5)
    with pytest.raises(RuntimeError, match=text.format("65504", "Half", "100000")):
        F.softshrink(torch.ones(2).half(), 1e5)


def test_logsigmoid_writes_into_its_own_dtype():
    x, out = torch.ones(2), torch.empty(0)
    assert F.logsigmoid(x, out=out) is out
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        F.logsigmoid(x, out=torch.empty(2, dtype=torch.float64))


def test_relu6_saves_its_bounds_as_integers():
    node = F.relu6(torch.ones(2, requires_grad=True)).grad_fn
    assert repr((node._saved_min_val, node._saved_max_val)) == "(0, 6)"


def test_an_empty_result_lies_as_its_input_where_aten_allocates_it_so():
    x = torch.ones(1, 0, 6)[:, :, ::2]
    assert F.hardtanh(torch.ones(1, 0, 6).half()[:, :, ::2]).stride() == (6, 6, 2)
    assert F.hardtanh(x).stride() == F.prelu(x, torch.ones(1)).stride() == (6, 6, 2)
    assert F.gelu(x).stride() == (3, 3, 1)


def test_prelu_has_a_second_gradient():
    x, w = torch.tensor([-2.0, 3.0]).requires_grad_(), torch.tensor([0.5]).requires_grad_()
    y = F.prelu(x, w)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    by_x, by_w = torch.autograd.grad(g, (x, w), torch.ones_like(g))
    assert (by_x.tolist(), by_w.tolist()) == ([0.0, 0.0], [1.0])


def test_gated_units_keep_strides_of_single_dimensions():
    x = torch.empty_strided((2, 3, 1, 4), (1, 8, 24, 2)).fill_(1.0)
    assert F.glu(x).stride() == (1, 4, 12, 2)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_of_a_number_is_that_of_an_array(approximate):
    x = torch.tensor([-0.5, 0.25])
    expected = F.gelu(x, approximate=approximate).tolist()
    assert [F.gelu(each, approximate=approximate).item() for each in x] == expected


def test_alpha_dropout_adds_its_shift_in_place():
    x = torch.ones(6, requires_grad=True)
    dropped = F.alpha_dropout(x, 0.5, True)
    assert dropped._version == 1
    assert type(dropped.grad_fn).__name__ == "AddBackward0"


def test_prelu_does_not_promote():
    with pytest.raises(RuntimeError, match="Type promoting not supported"):
        F.prelu(torch.ones(3), torch.ones(1).double())


@pytest.mark.parametrize("size", [0, 1, 5])
def test_gelu_keeps_no_more_memory_than_its_result(size: int) -> None:
    assert torch.nn.functional.gelu(torch.ones(size)).untyped_storage().nbytes() == 4 * size
