"""Special functions, gcd and lcm, the trapezoidal rule."""

from __future__ import annotations

import math

import pytest

import minitorch as torch
from minitorch import special


@pytest.mark.parametrize(
    ("function", "x", "value"),
    [
        (torch.i0, 1.0, 1.2660658777520084),
        (special.i0e, 1.0, 0.46575960759364043),
        (special.i1, 1.0, 0.5651591039924851),
        (special.i1e, 1.0, 0.2079104153497085),
        (special.erfcx, 0.5, 0.6156903441929259),
        (special.entr, 0.5, 0.5 * math.log(2)),
        (special.ndtr, 0.0, 0.5),
        (special.ndtri, 0.5, 0.0),
        (special.log_ndtr, 0.0, -math.log(2)),
    ],
)
def test_values_and_gradients(function, x, value) -> None:
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    assert function(x).item() == pytest.approx(value)
    assert torch.autograd.gradcheck(function, (x,))


def test_gradients_of_bessel_functions_at_zero() -> None:
    x = torch.zeros(1, requires_grad=True)
    (special.i1(x) + special.i1e(x)).backward()
    assert x.grad.tolist() == [1.0]


def test_divisors_and_multiples() -> None:
    a, b = torch.tensor([4, 6, 0]), torch.tensor([6, 9, 5])
    assert torch.gcd(a, b).tolist() == [2, 3, 5]
    assert a.lcm(b).tolist() == [12, 18, 0]
    with pytest.raises(NotImplementedError, match="gcd_cpu"):
        torch.gcd(torch.ones(1), torch.ones(1))


def test_integrals_by_trapezoids() -> None:
    y = torch.tensor([1.0, 2.0, 4.0])
    assert torch.trapezoid(y).item() == 4.5
    assert torch.trapz(y, torch.tensor([0.0, 1.0, 3.0])).item() == 7.5
    assert torch.cumulative_trapezoid(y, dx=2).tolist() == [3.0, 9.0]
    step = torch.trapezoid(y.requires_grad_(), dx=2).grad_fn._saved_other
    assert (type(step), step) == (float, 2.0)


def test_conditions_ranks_and_tensors_as_matrices() -> None:
    x = torch.tensor([[2.0, 0.0], [0.0, 0.5]])
    assert torch.linalg.cond(x).item() == pytest.approx(4.0)
    assert torch.linalg.cond(torch.zeros(2, 2), 1).item() == math.inf
    assert torch.linalg.matrix_rank(torch.ones(3, 3)).item() == 1
    a = torch.eye(6).reshape(2, 3, 6) * 2
    assert torch.linalg.tensorsolve(a, torch.ones(2, 3)).tolist() == [0.5] * 6
    assert torch.linalg.tensorinv(a, ind=2).shape == (6, 2, 3)
    assert torch.vander(torch.tensor([1, 2, 3])).tolist() == [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    assert torch.linalg.vander(torch.tensor([2.0]), N=3).tolist() == [[1.0, 2.0, 4.0]]


def test_numbers_times_powers_of_two_and_a_bessel_window() -> None:
    assert torch.ldexp(torch.tensor([1.5]), torch.tensor([3])).tolist() == [12.0]
    window = torch.kaiser_window(4, False, 8.0)
    assert torch.allclose(window, window.flip(0))
    assert torch.kaiser_window(3, False)[1] == 1


def test_powers_of_two_into_integers() -> None:
    x, n = torch.tensor([1.5]), torch.tensor([3])
    with pytest.raises(RuntimeError, match=r"^ldexp can't be cast to the desired output type Long"):
        torch.ldexp(x, n, out=n.clone())
    with pytest.raises(RuntimeError, match=r"^ldexp can't be cast to the desired output type Long"):
        n.ldexp_(torch.tensor([1, 2]))
    with pytest.raises(RuntimeError, match=r"^result type ComplexFloat can't be cast"):
        x.ldexp_(torch.tensor([1j]))


def test_whole_exponents_of_floats_do_not_overflow_on_the_way() -> None:
    x, n = torch.tensor([0.0, 2.0**-120, 1.0]), torch.tensor([200, 150, 2**32 - 1])
    assert torch.ldexp(x, n).tolist() == [0.0, 2.0**30, 0.5]
    assert torch.ldexp(x, n.float()).isnan().tolist() == [True, False, False]
    assert torch.ldexp(x.half(), n.int()).tolist() == [0.0, 0.0, 0.5]


def test_truth_is_no_exponent() -> None:
    yes = torch.tensor([True])
    with pytest.raises(NotImplementedError, match=r"^\"ldexp_cpu_exp\" not implemented for 'Bool'"):
        torch.ldexp(torch.ones(1), yes)
    with pytest.raises(NotImplementedError, match=r"^\"pow\" not implemented for 'ComplexHalf'"):
        torch.ldexp(torch.tensor([1j]), torch.ones(1, dtype=torch.half))
    assert torch.ldexp(yes, yes).tolist() == [2.0]


def test_shares_below_are_copied_into_out() -> None:
    x, out = torch.zeros(1, requires_grad=True), torch.empty(1)
    assert special.ndtr(x, out=out) is out
    assert out.tolist() == [0.5]
    assert type(out.grad_fn).__name__ == "CopyBackwards"
    with pytest.raises(RuntimeError, match=r"^a leaf Variable that requires grad"):
        special.ndtr(torch.zeros(1), out=x)
    with pytest.raises(RuntimeError, match=r"^result type Float can't be cast"):
        special.ndtr(torch.zeros(1), out=torch.tensor([1]))


@pytest.mark.parametrize(
    ("dtype", "strides"),
    [(torch.float32, (10, 50, 1)), (torch.int64, (10, 50, 1)), (torch.float64, (1, 50, 5))],
)
def test_powers_for_singles_and_integers_are_read_row_by_row(dtype, strides) -> None:
    x = torch.ones(50).to(dtype).as_strided((5, 10, 1), (1, 5, 1))
    assert torch.ldexp(x, torch.ones(50).as_strided((5, 1, 10), (1, 1, 5))).stride() == strides


def test_powers_by_halves_are_rounded_as_halves():
    x, exponent = torch.tensor([1.0, 1.0]), torch.tensor([0.3, 4.7], dtype=torch.bfloat16)
    power = torch.exp2(exponent)
    assert torch.ldexp(x, exponent).tolist() == power.tolist()
    assert torch.ldexp(x.double(), exponent.float()).tolist() == exponent.float().exp2().tolist()
    assert torch.ldexp(x.bfloat16(), exponent).tolist() == power.tolist()


def test_trapz_of_no_samples_is_zero_whatever_the_points_are():
    y = torch.ones(1, 0, dtype=torch.int64)
    assert repr(torch.trapz(y, torch.ones(2, 3))) == "tensor([0])"
    with pytest.raises(IndexError, match=r"^Dimension specified as 0 but tensor has no dim"):
        torch.trapz(torch.ones(()), torch.ones(()))


def test_trapezoid_of_no_points_is_zero_also_of_bools() -> None:
    y = torch.zeros(0, 2, dtype=torch.bool)
    assert torch.trapezoid(y, dim=0).tolist() == [False, False]
    assert torch.trapezoid(y, y, dim=0).tolist() == [False, False]


def test_lcm_that_overflows_is_the_absolute_value_of_what_is_left_in_4_bytes():
    for dtype, left in ((torch.int32, 4), (torch.int64, 4), (torch.int8, -4), (torch.int16, -4)):
        largest = torch.tensor(torch.iinfo(dtype).max, dtype=dtype)
        assert torch.lcm(largest, torch.tensor(4, dtype=dtype)) == left
