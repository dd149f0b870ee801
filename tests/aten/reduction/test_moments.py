"""Variances and standard deviations."""

from __future__ import annotations

import math

import pytest

import minitorch as torch

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 6.0, 8.0]])


def test_the_overloads_agree() -> None:
    assert X.var(1).tolist() == [1.0, 4.0]
    assert X.var(1, correction=1).tolist() == X.var(1, True).tolist()
    assert X.var(1, unbiased=False).tolist() == X.var(1, correction=0).tolist()
    assert X.var(False).item() == X.var(correction=0).item()
    assert X.std(1, keepdim=True).tolist() == [[1.0], [2.0]]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        X.var(0, unbiased=False, correction=1)


def test_nodes_show_the_correction_as_it_was_given() -> None:
    x = X.clone().requires_grad_()
    assert x.var().grad_fn._saved_correction is None
    assert x.var(0).grad_fn._saved_correction == 1
    assert x.std(0, False).grad_fn._saved_correction == 0


def test_means_come_along() -> None:
    var, mean = torch.var_mean(X, 1)
    assert var.tolist() == [1.0, 4.0]
    assert mean.tolist() == [2.0, 6.0]
    std, _ = torch.std_mean(X, 1)
    assert std.tolist() == [1.0, 2.0]


def test_the_gradient_of_a_variance_is_twice_the_deviation() -> None:
    x = X.clone().requires_grad_()
    x.var(1).sum().backward()
    assert x.grad.tolist() == [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]]


def test_the_gradient_of_a_deviation_of_zero_is_zero() -> None:
    x = torch.ones(3, requires_grad=True)
    x.std().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_too_few_elements_give_a_warning_and_no_number() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert math.isnan(torch.ones(1).var().item())


def test_complex_numbers_have_a_real_variance() -> None:
    z = torch.tensor([1 + 1j, -1 - 1j])
    assert z.var().item() == 4.0
    assert z.var().dtype is torch.float32


def test_integers_have_none() -> None:
    with pytest.raises(RuntimeError, match="std and var only support floating point"):
        torch.ones(2, dtype=torch.int64).var()


@pytest.mark.parametrize("function", [torch.var_mean, torch.std_mean])
def test_the_gradient_of_both_moments_lies_as_the_input(function) -> None:
    x = torch.tensor([[1.0, 2.0], [4.0, 3.0], [5.0, 8.0]]).t().requires_grad_()
    spread, mean = function(x, 1)
    assert torch.autograd.grad((spread + mean).sum(), x)[0].stride() == (1, 2)
