"""Powers in torch's steps: common exponents multiplied, others in double, integers wrapping."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from minitorch.core.arrays.questions import every, some
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.numbers.scalars import as_number


def to_number(xp: Any, self: Any, exponent: Any, dtype: Any) -> Any:
    """self ** exponent for a Python number. numpy.power takes 20 times as long as x * x * x.

    dtype: the dtype of `self` before 2-byte floats were promoted; ATen rounds the squares of
    bfloat16.
    """
    if self.dtype.kind in "biu":
        return _integers(xp, self, exponent)
    if type(exponent) is int and not -(2**63) <= exponent < 2**63:
        as_number(exponent)  # which refuses it, unless an unsigned integer holds it
    if exponent == 2:
        return xp.multiply(self, self, out=...)
    if exponent == 3:
        square = xp.multiply(self, self, out=...)
        if dtype.kind == "V":
            square = square.astype(dtype).astype(self.dtype)
        return xp.multiply(square, self, out=square)
    if exponent == 1:
        return self.copy("K")
    if exponent == 0:
        return xp.ones_like(self)
    if exponent == 0.5:
        return xp.sqrt(self, out=...)
    if exponent == -0.5:
        return xp.elementary.rsqrt(self)
    if exponent == -1:
        return xp.elementary.reciprocal(self)
    if exponent == -2:
        square = xp.multiply(self, self, out=...)
        if dtype.kind == "V":
            square = square.astype(dtype).astype(self.dtype)
        return xp.elementary.reciprocal(square, out=square)
    return _power(xp, self, scalar_like(exponent, self.dtype, xp))


def _power(xp: Any, self: Any, exponent: Any) -> Any:
    """self ** exponent; of complex numbers exp(exponent * log(self)), for a base of 0 too."""
    found = xp.elementary.power(self, exponent)
    if found.dtype.kind != "c":
        return found
    multiplied = xp.imag(exponent) == 0  # by NumPy, if the real part is an integer
    if some(multiplied):
        by_logarithm = xp.exp(exponent * xp.log(self))
        found = xp.where(multiplied, by_logarithm, found).astype(found.dtype)
    if every(self):
        return found
    real, imaginary = xp.real(exponent), xp.imag(exponent)
    zero = xp.where(imaginary < 0, found.dtype.type(0), complex(0, -0.0))
    of_zero = xp.where(real > 0, zero, xp.where(real < 0, complex(inf, nan), complex(nan, nan)))
    of_zero = xp.where(abs(imaginary) == inf, complex(nan, nan), of_zero)
    return xp.where(self == 0, of_zero, found).astype(found.dtype)


def _integers(xp: Any, self: Any, exponent: int) -> Any:
    if exponent == 0:
        return xp.ones_like(self)
    if exponent == 1:
        return self.copy("K")
    return xp.power(self, scalar_like(exponent, self.dtype, xp), out=...)


def to_array(xp: Any, self: Any, exponent: Any) -> Any:
    """self ** exponent, element by element; an integer to a negative power is 1, -1 or 0."""
    if self.dtype.kind not in "iu":
        return _power(xp, self, exponent)
    if not some(exponent < 0):
        return xp.power(self, exponent, out=...)
    odd = (exponent & 1).astype(bool)
    inverse = xp.where(self == 1, 1, xp.where(self == -1, xp.where(odd, -1, 1), 0))
    power = xp.power(self, xp.where(exponent < 0, 0, exponent), out=...)
    return xp.as_array(xp.where(exponent < 0, inverse, power)).astype(self.dtype)


def of_number(xp: Any, self: Any, exponent: Any) -> Any:
    """self ** exponent for a Python number `self`."""
    if self == 1:
        return xp.ones_like(exponent)
    return to_array(xp, scalar_like(self, exponent.dtype, xp), exponent)
