"""Rounding, signs and magnitudes."""

import pytest

import minitorch as torch


def test_halves_are_rounded_to_even():
    assert torch.tensor([0.5, 1.5, -2.5]).round().tolist() == [0.0, 2.0, -2.0]


def test_decimals_may_be_negative():
    x = torch.tensor([1234.5])
    assert x.round(decimals=-2).item() == 1200.0
    assert x.round(decimals=0).item() == 1234.0


def test_integers_round_to_themselves_and_bools_not_at_all():
    assert torch.tensor([3]).round().dtype is torch.int64
    with pytest.raises(NotImplementedError, match="\"floor_vml_cpu\" not implemented for 'Bool'"):
        torch.tensor([True]).floor()


def test_the_sign_of_nan_is_0():
    assert torch.tensor([float("nan"), -2.0]).sign().tolist() == [0.0, -1.0]


def test_the_magnitude_of_complex_numbers_is_real():
    z = torch.tensor([3 + 4j], requires_grad=True)
    assert abs(z).dtype is torch.float32
    abs(z).sum().backward()
    assert z.grad.tolist() == [pytest.approx(0.6 + 0.8j)]


def test_complex_numbers_have_no_sign_but_a_direction():
    z = torch.tensor([3 + 4j, 0j])
    with pytest.raises(NotImplementedError, match=r"torch\.sgn"):
        z.sign()
    assert z.sgn().tolist() == [pytest.approx(0.6 + 0.8j), 0j]


def test_what_is_refused_is_refused_in_place_too():
    with pytest.raises(NotImplementedError, match="\"floor_vml_cpu\" not implemented for 'Bool'"):
        torch.tensor([True]).floor_()
    with pytest.raises(RuntimeError, match="In-place abs is not supported for complex tensors"):
        torch.tensor([1j]).abs_()
