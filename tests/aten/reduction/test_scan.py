"""Running sums, products and extremes."""

from __future__ import annotations

import math

import pytest

import minitorch as torch


def test_running_sums_of_integers_are_int64() -> None:
    assert torch.tensor([True, True]).cumsum(0).tolist() == [1, 2]
    assert torch.ones(2, dtype=torch.int8).cumsum(0).dtype is torch.int64


def test_running_sums_are_kept_in_double() -> None:
    x = torch.tensor([2.0**24, 1.0, 1.0])
    assert x.cumsum(0).tolist() == [2.0**24, 2.0**24, 2.0**24 + 2]


def test_a_running_sum_is_written_in_place() -> None:
    x = torch.ones(3)
    assert x.cumsum_(0) is x
    assert x.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match="Bad in-place call"):
        torch.ones(3, dtype=torch.int64).cumsum_(0, dtype=torch.float32)


def test_the_gradient_of_a_running_sum_runs_from_the_end() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    x.cumsum(1).sum().backward()
    assert x.grad.tolist() == [[3.0, 2.0, 1.0]] * 2


def derivative(function, x, i, step=1e-6):
    moved = x.clone()
    moved[i] += step
    return (function(moved) - function(x)).item() / step


@pytest.mark.parametrize("values", [[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 3.0, 0.0]])
def test_the_gradient_of_a_running_product_holds_at_zeros(values):
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    x.cumprod(0).sum().backward()
    plain = x.detach()
    expected = [derivative(lambda y: y.cumprod(0).sum(), plain, i) for i in range(3)]
    assert x.grad.tolist() == pytest.approx(expected, abs=1e-4)


def test_running_extremes_say_where_they_were_last_met() -> None:
    values, indices = torch.tensor([1.0, 3.0, 3.0, 2.0]).cummax(0)
    assert values.tolist() == [1.0, 3.0, 3.0, 3.0]
    assert indices.tolist() == [0, 1, 2, 2]
    values, indices = torch.tensor([1.0, math.nan, 2.0]).cummin(0)
    assert math.isnan(values[2].item())
    assert indices.tolist() == [0, 1, 1]


def test_the_gradient_of_a_running_extreme_adds_up_where_it_came_from() -> None:
    x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    x.cummax(0).values.sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 0.0]


def test_logcumsumexp_is_the_logarithm_of_a_running_sum() -> None:
    x = torch.tensor([0.0, 0.0, math.log(2.0)], dtype=torch.float64, requires_grad=True)
    out = x.logcumsumexp(0)
    assert out.exp().tolist() == pytest.approx([1.0, 2.0, 4.0])
    out[2].backward()
    assert x.grad.tolist() == pytest.approx([0.25, 0.25, 0.5])


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_running_along_any_dimension_is_as_along_the_last(name: str) -> None:
    x = (torch.arange(30 * 20 * 40) * 7919 % 13 - 6).reshape(30, 20, 40) / 4
    x[3, 5, 7] = math.nan
    for dim in (0, 1):
        found = getattr(x, name)(dim)
        last = getattr(x.transpose(dim, -1).contiguous(), name)(-1)
        pairs = [(found, last)] if name in ("cumsum", "cumprod") else zip(found, last, strict=True)
        for a, b in pairs:
            assert torch.equal(a.nan_to_num(99), b.transpose(dim, -1).nan_to_num(99))
