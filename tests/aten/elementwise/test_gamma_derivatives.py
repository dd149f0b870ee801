"""Derivatives of the gamma function."""

import math

import pytest

import minitorch as torch


def test_the_derivative_of_digamma_is_known_at_one_and_one_half():
    x = torch.tensor([1.0, 0.5, -0.5], dtype=torch.float64)
    expected = [math.pi**2 / 6, math.pi**2 / 2, math.pi**2 / 2 + 4]
    assert torch.polygamma(1, x).tolist() == pytest.approx(expected, rel=1e-8)


def test_float32_is_reflected_in_float32():
    # The sine of a multiple of pi that was rounded to float32, as torch takes it.
    assert torch.polygamma(1, torch.tensor([-7.9505869])).item() == pytest.approx(
        412.7526, rel=1e-6
    )


def test_in_place_it_has_a_node_of_its_own():
    x = torch.ones(2, requires_grad=True)
    assert x.polygamma(1).grad_fn.name() == "PolygammaBackward0"
    y = x.clone()
    assert y.polygamma_(1) is y
    assert y.grad_fn.name() == "PolygammaBackward1"
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == pytest.approx([-2.404114, -2.404114])


def test_the_order_is_a_natural_number():
    with pytest.raises(RuntimeError, match=r"polygamma\(n, x\) does not support negative n."):
        torch.polygamma(-1, torch.ones(2))


@pytest.mark.parametrize("function", [torch.igamma, torch.igammac])
def test_there_is_no_incomplete_gamma_function_of_integers(function):
    x = torch.tensor([1])
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        function(x, x)


def test_slopes_of_samples_warn_where_they_outgrow_the_first():
    a = torch.tensor([0.5, 2.0])
    with pytest.warns(UserWarning, match=r"shape \[2, 1\], which does not match .* \[2, 2\]"):
        slopes = torch._standard_gamma_grad(a.unsqueeze(1), a)
    assert slopes.shape == (2, 2)


def test_the_second_slope_of_mvlgamma_goes_through_one_sum():
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    (grad,) = torch.autograd.grad(torch.mvlgamma(x, 3).sum(), x, create_graph=True)
    digamma = grad.grad_fn.next_functions[1][0].next_functions[0][0]
    added = digamma.next_functions[0][0]
    assert [digamma.name(), added.name()] == ["DigammaBackward0", "AddBackward0"]
    assert added.next_functions[0] == (None, 0)


def test_mvlgamma_of_integers_is_that_of_floats():
    x = torch.tensor([6, 8, 9])
    assert torch.equal(torch.mvlgamma(x, 5), torch.mvlgamma(x.float(), 5))


def test_polygamma_has_no_number_at_infinity_from_the_second_on() -> None:
    x = torch.tensor([float("inf"), 2.0])
    assert torch.polygamma(0, x)[0].isinf()
    assert torch.polygamma(1, x)[0] == 0
    for n in (2, 3):
        assert torch.polygamma(n, x).isnan().tolist() == [True, False]


def test_polygamma_of_few_float32_is_that_of_many() -> None:
    x = torch.linspace(-1.9, 20, 2000)
    for n in (0, 1, 2, 5):
        found = torch.polygamma(n, x[:900])
        torch.testing.assert_close(found, torch.polygamma(n, x)[:900], rtol=1e-4, atol=1e-4)
