"""Elementary functions: rounding through double, both loops of a kernel, gradients."""

import math

import numpy as np
import pytest

import minitorch as torch


@pytest.mark.parametrize("size", [3, 1 << 16])
def test_float32_functions_are_rounded_from_double(size):
    x = np.linspace(-3, 3, size, dtype=np.float32)
    for function, reference in ((torch.exp, np.exp), (torch.tanh, np.tanh), (torch.sin, np.sin)):
        expected = reference(x.astype(np.float64)).astype(np.float32)
        assert (function(torch.from_numpy(x)).numpy() == expected).all()


def test_a_write_in_place_gives_the_bits_of_a_new_result():
    x = torch.linspace(-2, 2, 100)
    for name in ("exp", "sigmoid", "tanh", "log1p"):
        expected = getattr(x, name)()
        written = getattr(x.clone(), name + "_")()
        assert written.numpy().tobytes() == expected.numpy().tobytes()


def test_integers_become_floats_and_are_not_written():
    x = torch.tensor([0, 1])
    assert x.exp().dtype is torch.float32
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        x.exp_()


def test_a_scalar_tensor_stays_a_tensor_through_its_gradient():
    x = torch.tensor(0.5, requires_grad=True)
    x.asin().backward()
    assert x.grad.shape == ()
    assert x.grad.item() == pytest.approx(1 / math.sqrt(0.75))


def test_the_gradient_of_an_infinite_sigmoid_is_0():
    x = torch.tensor([1e4, -1e4], requires_grad=True)
    x.sigmoid().sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_log1p_has_the_name_that_torch_gives_its_node():
    x = torch.tensor([1.0], requires_grad=True)
    assert x.log1p().grad_fn.name() == "Log1PBackward0"
    assert x.exp2().grad_fn.name() == "Exp2Backward0"


def test_functions_without_a_complex_version_say_so():
    with pytest.raises(NotImplementedError, match='"erf_vml_cpu" not implemented for'):
        torch.tensor([1j]).erf()


def test_atan2_has_no_gradient_at_the_origin():
    x = torch.tensor([0.0], requires_grad=True)
    torch.atan2(x, torch.tensor([0.0])).sum().backward()
    assert x.grad.tolist() == [0.0]


@pytest.mark.parametrize("name", ["acosh", "asinh", "atanh"])
def test_some_writes_in_place_have_no_derivative(name):
    leaf = torch.full((2,), 0.5, requires_grad=True)
    x = getattr(leaf * 1, name + "_")()
    assert type(x.grad_fn).__name__ == f"{name.capitalize()}Backward1"
    with pytest.raises(NotImplementedError, match=f"for 'inplace version of {name}' is not impl"):
        x.sum().backward()


def test_the_derivative_of_digamma_is_a_sum_of_six_terms_and_a_series():
    x = torch.tensor([1.0, 0.25, -0.75, 3.0], requires_grad=True)
    torch.digamma(x).sum().backward()
    expected = [math.pi**2 / 6, 17.1973292, 18.9751073, 0.394934067]
    assert x.grad.tolist() == pytest.approx(expected, rel=1e-6)


def test_gradients_of_half_precision_are_rounded_as_torch_rounds_them():
    x = torch.tensor([-2.5], dtype=torch.float16, requires_grad=True)
    x.tanh().backward(torch.tensor([0.5], dtype=torch.float16))
    assert x.grad.item() == 0.01309967041015625  # 1 - tanh(x) ** 2 is not rounded
    x = torch.tensor([0.75], dtype=torch.float16, requires_grad=True)
    x.log2().sum().backward()
    assert x.grad.item() == 1.9228515625
