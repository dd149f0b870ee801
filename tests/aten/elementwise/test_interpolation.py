"""Fused products: one rounding where torch has one."""

import numpy as np
import pytest

import minitorch as torch

A = np.float32(1 + 2**-12)


def test_addcmul_rounds_product_and_sum_once():
    x, a = torch.tensor([-1.0]), torch.tensor([float(A)])
    exact = np.float32(float(A) * float(A) - 1.0)
    assert torch.addcmul(x, a, a).item() == exact
    assert exact != np.float32(A * A) - np.float32(1)


def test_lerp_starts_from_the_nearer_end():
    start, end = torch.tensor([1e8]), torch.tensor([1.0])
    assert torch.lerp(start, end, 1.0).item() == 1.0
    assert torch.lerp(start, end, torch.tensor([1.0])).item() == 1.0


def test_lerp_wants_one_dtype():
    x = torch.tensor([1.0])
    with pytest.raises(RuntimeError, match="expected dtype float for `end` but got dtype double"):
        torch.lerp(x, x.double(), 0.5)


def test_addcdiv_refuses_quotients_of_integers():
    x = torch.tensor([1])
    with pytest.raises(RuntimeError, match="Integer division with addcdiv is no longer supported"):
        torch.addcdiv(x, x, x)


def test_a_saved_argument_called_value_is_shown():
    x = torch.tensor([1.0], requires_grad=True)
    node = torch.addcmul(x, x, x, value=2).grad_fn
    assert node._saved_value == 2
    assert node._saved_tensor1 is x


def test_xlogy_is_0_where_its_factor_is():
    x = torch.tensor([0.0, 0.0, 2.0], requires_grad=True)
    y = torch.tensor([0.0, float("nan"), 1.0])
    product = torch.xlogy(x, y)
    assert product[0].item() == 0.0
    assert product[1].isnan()
