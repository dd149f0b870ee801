"""Rounding, signs and magnitudes."""

import math

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


def test_rounding_to_decimals_takes_floats_only():
    x = torch.ones(2, dtype=torch.int64)
    with pytest.raises(NotImplementedError, match="\"round_cpu\" not implemented for 'Long'"):
        torch.round(x, decimals=1)
    with pytest.raises(NotImplementedError, match="\"round_vml_cpu\" not implemented for 'Long'"):
        torch.special.round(x)
    assert torch.special.round(torch.tensor([1.25]), decimals=1).tolist() == pytest.approx([1.2])


def test_the_magnitude_of_complex_numbers_is_cast_into_out():
    out = torch.zeros(1, dtype=torch.float64)
    assert torch.abs(torch.tensor([3 + 4j]), out=out).tolist() == [5]
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        torch.abs(torch.tensor([3.0]), out=out)


def test_the_gradient_of_a_direction_is_0_at_0_and_lies_as_it_came():
    x = torch.tensor([[3 + 4j, 0j], [1j, 1 + 0j]]).t().requires_grad_()
    (gradient,) = torch.autograd.grad(torch.sgn(x), x, torch.ones(2, 2, dtype=x.dtype))
    assert gradient[1, 0] == 0
    assert gradient.stride() == (2, 1)


def test_the_gradient_of_an_empty_rounding_keeps_its_strides():
    x = torch.ones(0, 3, 1, requires_grad=True)
    (gradient,) = torch.autograd.grad(torch.round(x, decimals=3).sum(), x)
    assert gradient.stride() == (0, 0, 0)


def test_a_step_takes_one_dtype():
    text = "heaviside is not yet implemented for tensors with different dtypes"
    x, y = torch.ones(2), torch.ones(2, dtype=torch.float64)
    for call in (
        lambda: torch.heaviside(x, y),
        lambda: torch.heaviside(x, x, out=y),
        lambda: x.heaviside_(y),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()


def test_the_gradient_of_a_sign_is_contiguous():
    sign = torch.ones(2, 3).t().requires_grad_()
    torch.copysign(torch.ones(3, 2), sign).sum().backward()
    assert sign.grad.stride() == (1, 3)  # that of a leaf lies as the leaf
    (gradient,) = torch.autograd.grad(torch.copysign(torch.ones(3, 2), sign).sum(), sign)
    assert gradient.stride() == (2, 1)


def test_infinities_become_the_largest_numbers_of_their_dtype():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.tensor([math.inf, -math.inf, math.nan], dtype=dtype)
        limits = torch.finfo(dtype)
        assert torch.nan_to_num(x).tolist() == [limits.max, limits.min, 0]
    assert torch.nan_to_num(torch.tensor([complex(math.inf, math.nan)]), 1, 2).tolist() == [2 + 1j]


def test_numbers_without_nans_keep_even_the_strides_of_nothing():
    assert torch.nan_to_num(torch.zeros(1, 8)[:, :1]).stride() == (8, 1)
    assert torch.nan_to_num(torch.zeros(1, 0, 8)[..., ::2]).stride() == (8, 8, 2)


def test_the_next_number_towards_another_wants_two_tensors():
    with pytest.raises(TypeError, match=r"argument 'other' \(position 2\) must be Tensor, not int"):
        torch.nextafter(torch.ones(2), 2)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.nextafter(x, torch.tensor([1.0, 3.0]))
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0.0, 1.0]


def test_integers_have_no_next_number():
    x = torch.ones(2, dtype=torch.int64)
    with pytest.raises(NotImplementedError, match="\"nextafter_cpu\" not implemented for 'Long'"):
        torch.nextafter(x, x)


@pytest.mark.parametrize(
    ("dtype", "above_one", "below_minus_two", "least"),
    [
        (torch.float16, 1 + 2**-10, -2 - 2**-9, 2**-24),
        (torch.bfloat16, 1 + 2**-7, -2 - 2**-6, 2**-133),
        (torch.float32, 1 + 2**-23, -2 - 2**-22, 2**-149),
    ],
)
def test_neighbours_are_those_of_the_dtype(dtype, above_one, below_minus_two, least):
    x = torch.tensor([1.0, -2.0, 0.0, math.inf, 3.0], dtype=dtype)
    found = torch.nextafter(x, torch.tensor([9.0, -9.0, -1.0, 0.0, 3.0], dtype=dtype))
    assert found.dtype is dtype
    assert found.tolist() == [above_one, below_minus_two, -least, torch.finfo(dtype).max, 3.0]
    nothing = torch.tensor([math.nan, 1.0], dtype=dtype)
    assert torch.nextafter(nothing, nothing.flip(0)).isnan().all()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_infinite_complex_numbers_have_no_direction(dtype):
    x = torch.tensor([complex(math.inf, 1), complex(0, -math.inf), 3 + 4j, 0j], dtype=dtype)
    found = torch.view_as_real(torch.sgn(x))
    assert found[:2].isnan().all()
    assert found[2].tolist() == pytest.approx([0.6, 0.8])
    assert found[3].tolist() == [0, 0]
    assert torch.sgn(x[0]).isnan().item()


def test_heaviside_of_nan_is_0():
    x = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0])
    assert torch.heaviside(x, torch.tensor(0.5)).tolist() == [0.0, 1.0, 0.0, 0.5, 0.5]
