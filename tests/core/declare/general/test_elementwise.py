"""Numbers that the dtype of an element-wise computation cannot hold, or that are no such number."""

import numpy
import pytest

import minitorch as torch
from minitorch.nn import functional as F

HALF = "value cannot be converted to type c10::Half without overflow"
SINGLE = "value cannot be converted to type float without overflow"
DOUBLE = "value cannot be converted to type double without overflow"
INT64 = "value cannot be converted to type int64_t without overflow"


@pytest.mark.parametrize(
    ("call", "dtype", "message"),
    [
        (lambda x: F.elu(x, 1e50), torch.float32, SINGLE),
        (lambda x: F.elu(x, 1e50), torch.float16, SINGLE),
        (lambda x: F.elu(x, 1j), torch.float64, DOUBLE),
        (lambda x: F.celu(x, 1j), torch.float32, DOUBLE),
        (lambda x: F.leaky_relu(x, 1j), torch.float32, SINGLE),
        (lambda x: F.hardtanh(x, -1, 2**40), torch.float16, HALF),
        (lambda x: F.hardtanh(x, -1, float("nan")), torch.int64, INT64),
        (lambda x: F.softplus(x, 1, 1e50), torch.float32, SINGLE),
        (lambda x: F.softshrink(x, 1j), torch.float32, DOUBLE),
        (lambda x: F.hardshrink(x, 1e50), torch.float16, HALF),
        (lambda x: F.threshold(x, 1, 1e50), torch.float32, SINGLE),
        (lambda x: F.threshold(x, float("inf"), 1), torch.int64, INT64),
        (lambda x: torch.add(x, x, alpha=1e50), torch.float32, SINGLE),
        (lambda x: x.sub_(x, alpha=2**40), torch.float16, HALF),
        (lambda x: torch.addcmul(x, x, x, value=1j), torch.float32, SINGLE),
        (lambda x: torch.addcdiv(x, x, x, value=1e50), torch.float32, SINGLE),
        (lambda x: torch.lerp(x, x, 1e50), torch.float32, SINGLE),
        (lambda x: torch.clamp(x, 1e50), torch.float32, SINGLE),
        (lambda x: torch.pow(x, 1e50), torch.float16, HALF),
        (lambda x: torch.addmm(x, x, x, beta=1e50), torch.float16, SINGLE),
        (lambda x: torch.addmv(x[0], x, x[0], alpha=1e50), torch.float16, HALF),
        (lambda x: torch.addr(x, x[0], x[0], alpha=1e50), torch.float32, SINGLE),
        (lambda x: torch.baddbmm(x[None], x[None], x[None], alpha=1j), torch.int64, INT64),
        (lambda x: torch.var(x, correction=1j), torch.float32, DOUBLE),
    ],
)
def test_numbers_that_do_not_fit_are_refused(call, dtype, message):
    with pytest.raises(RuntimeError, match=f"^{message}$"):
        call(torch.ones(2, 2).to(dtype))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.elu(x, 2**64),
        lambda x: torch.add(x, x, alpha=10**400),
        lambda x: x + 2**64,
        lambda x: x == 2**64,
        lambda x: x**2**64,
        lambda x: torch.remainder(x, 10**400),
        lambda x: torch.clamp(x, max=2**64),
        lambda x: torch.addmm(x, x, x, beta=2**64),
        lambda x: torch.renorm(x, 2**64, 0, 1),
    ],
)
def test_integers_beyond_64_bits_are_refused(call):
    with pytest.raises(OverflowError, match=r"^int too big to convert$"):
        call(torch.ones(2, 2))


def test_imaginary_zeros_stand_for_real_numbers():
    x = torch.tensor([-1.0, 2.0])
    assert torch.equal(F.leaky_relu(x, 0j), torch.tensor([0.0, 2.0]))
    assert torch.equal(torch.addmm(x, x[None, :1], x[None], alpha=0j), x[None])


def test_infinite_numbers_and_nan_fit_into_floats():
    x = torch.ones(2)
    assert torch.equal(torch.add(x, x, alpha=float("inf")), torch.full((2,), float("inf")))
    assert torch.equal(F.hardtanh(x, -1, float("inf")), x)
    assert torch.isnan(F.threshold(x, 1, float("nan"))).all()


def test_numpy_scalars_are_floats_to_torch_unless_they_are_integers():
    x = torch.ones(2, dtype=torch.int64)
    assert (x + numpy.bool_(True)).dtype is torch.float32
    with pytest.warns(numpy.exceptions.ComplexWarning):
        assert (x + numpy.complex64(1j)).dtype is torch.float32
    assert (x + numpy.int8(1)).dtype is torch.int64


def test_alpha_of_addr_is_a_bool_for_bools_only():
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match=r"^Boolean beta only supported for Boolean results\.$"):
        torch.addr(torch.ones(2, 2), x, x, beta=True)


def test_maxnorm_and_p_of_renorm_are_no_nan():
    x = torch.ones(2, 2)
    with pytest.raises(RuntimeError, match=r"^renorm: non-positive-norm not supported$"):
        torch.renorm(x, float("nan"), 0, 1)
    with pytest.raises(RuntimeError, match=r"maxnorm to be >= 0 but got nan$"):
        torch.renorm(x, 2, 0, float("nan"))
