"""Comparisons and logic."""

from typing import Any

import pytest

import minitorch as torch


def test_comparing_with_what_is_no_number_falls_back_to_identity():
    x = torch.tensor([1.0])
    assert (x == None) is False  # noqa: E711  (the operator is under test)
    assert (x != "a") is True
    with pytest.raises(TypeError, match="not supported between instances"):
        bool(x < None)


def test_complex_numbers_have_no_order():
    z = torch.tensor([1j])
    with pytest.raises(NotImplementedError, match="\"lt_cpu\" not implemented for 'ComplexFloat'"):
        bool(z < z)


def test_comparisons_list_their_overloads_when_none_fits():
    with pytest.raises(TypeError) as caught:
        torch.eq(1, 2)
    assert "(Tensor input, Number other, *, Tensor out = None)" in str(caught.value)


def test_logical_operators_take_tensors_only():
    x = torch.tensor([1.0, 0.0])
    assert torch.logical_and(x, x).tolist() == [True, False]
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        torch.logical_and(x, 1)


def test_bits_belong_to_integers_and_bools():
    x = torch.tensor([6, 3])
    assert (x & 2).tolist() == [2, 2]
    assert (1 | x).tolist() == [7, 3]
    assert (~x).tolist() == [-7, -4]
    with pytest.raises(NotImplementedError, match="bitwise_and_cpu"):
        torch.tensor([1.0]) & 1
    with pytest.raises(TypeError, match=r"operator\.invert"):
        ~torch.tensor([1.0])


def test_shifts_beyond_the_width_are_defined():
    x = torch.tensor([1, -8])
    assert (x << 64).tolist() == [0, 0]
    assert (x >> 64).tolist() == [0, -1]
    assert (1 << torch.tensor([3])).tolist() == [8]


def test_isclose_takes_equal_infinities_for_close_and_nan_only_on_request():
    x = torch.tensor([float("inf"), float("nan"), 1.0])
    y = torch.tensor([float("inf"), float("nan"), 1.0 + 1e-6])
    assert torch.isclose(x, y).tolist() == [True, False, True]
    assert torch.isclose(x, y, equal_nan=True).tolist() == [True, True, True]
    with pytest.raises(
        RuntimeError, match="rtol must be greater than or equal to zero, but got -1"
    ):
        torch.isclose(x, y, rtol=-1)


def test_equal_compares_shapes_too():
    assert torch.equal(torch.ones(2), torch.ones(2))
    assert not torch.equal(torch.ones(2), torch.ones(2, 1))


def test_everything_real_is_real_where_it_lies():
    assert torch.isreal(torch.ones(2, 3).t()).stride() == (1, 3)
    assert torch.isreal(torch.tensor([1j, 1 + 0j])).tolist() == [False, True]


def test_infinities_of_a_sign_are_bools_and_not_complex():
    with pytest.raises(RuntimeError, match="isneginf does not support non-boolean outputs"):
        torch.isneginf(torch.ones(2), out=torch.ones(2))
    with pytest.raises(RuntimeError, match="isposinf does not support complex inputs"):
        torch.isposinf(torch.ones(2, dtype=torch.complex64))


@pytest.mark.parametrize("function", [torch.isclose, torch.allclose])
def test_closeness_is_one_of_tensors(function):
    with pytest.raises(TypeError, match=r"argument 'other' \(position 2\) must be Tensor, not int"):
        function(torch.ones(2), 1)


@pytest.mark.parametrize("tolerance", [torch.tensor(1), torch.tensor(0.5, dtype=torch.float64)])
def test_tolerances_of_closeness_may_be_tensors_without_dimensions(tolerance):
    x = torch.tensor([0.0, 1.0])
    assert torch.allclose(x, x + 0.25, atol=tolerance)
    assert torch.isclose(x, x + 0.25, rtol=tolerance, atol=0.0).tolist() == [
        tolerance.item() == 1,
        True,
    ]


def test_whether_integers_are_finite_lies_as_they_do() -> None:
    x = torch.empty(0, 3, 4, dtype=torch.int64)[..., ::2]
    assert x.isfinite().stride() == x.isinf().stride() == (12, 4, 2)
    assert x.isnan().stride() == x.float().isnan().stride() == (6, 2, 1)


def test_tensors_of_two_dtypes_are_equal_once_promoted():
    assert torch.equal(torch.ones(2), torch.ones(2, dtype=torch.int64))
    assert torch.equal(torch.tensor([16777217]), torch.tensor([16777216.0]))
    assert not torch.equal(torch.tensor([1.0, 2j]), torch.tensor([1, 2]))


def test_truth_values_are_close_within_a_tolerance():
    x = torch.tensor([True, False])
    assert torch.isclose(x, ~x, atol=2).tolist() == [True, True]
    assert torch.isclose(x, x)._version == 1
    assert torch.isclose(x, x, rtol=0, atol=0)._version == 0


@pytest.mark.parametrize("other", [1.0, torch.ones(3, requires_grad=True)])
def test_comparisons_in_place_have_gradients_of_zeros(other: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).ge_(other)
    assert y.grad_fn.name() == f"GeBackward{int(isinstance(other, torch.Tensor))}"
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
