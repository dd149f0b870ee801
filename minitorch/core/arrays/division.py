"""Quotients of float32 rounded down, and remainders: exact, by quotients in double.

NumPy calls the C library for each element, which takes 4 to 9 ns. If the quotient of two float32 in
double is below 2 ** 21, its rounding error is too small to move it across an integer, and its
product with the divisor is exact.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays.questions import every, largest_of, least_of

_SINGLE, _DOUBLE = numpy.dtype("float32"), numpy.dtype("float64")
_FEW = 256  # elements, below which NumPy's own functions are as fast
_SIGN = numpy.int32(-(1 << 31))


def fmod(x: Any, y: Any) -> Any:
    """The remainder of division rounded towards zero, with the sign of `x`: as numpy.fmod."""
    operands = _quotients(x, y)
    if operands is None:
        return numpy.fmod(x, y, out=...)
    dividend, divisor, quotients = operands
    quotients = numpy.trunc(quotients, quotients)
    quotients *= divisor
    rest = numpy.subtract(dividend, quotients, quotients).astype(_SINGLE)
    bits = rest.view(numpy.int32)
    bits |= x.view(numpy.int32) & _SIGN  # zeros have one, too
    return rest


def floor_divide(x: Any, y: Any) -> Any:
    """The quotient rounded down: as numpy.floor_divide."""
    operands = _quotients(x, y)
    if operands is None:
        return numpy.floor_divide(x, y, out=...)
    return numpy.floor(operands[2], operands[2]).astype(_SINGLE)


def _quotients(x: Any, y: Any) -> tuple[Any, Any, Any] | None:
    """Both operands and their quotients in double; None unless all of them are exact enough."""
    if x.dtype is not _SINGLE or y.dtype is not _SINGLE or x.size < _FEW:
        return None
    if y.shape not in ((), x.shape) or not x.flags.c_contiguous:
        return None
    dividend, divisor = x.astype(_DOUBLE), y.astype(_DOUBLE)
    quotients = dividend / divisor
    if max(largest_of(quotients), -least_of(quotients)) < 1 << 21 and every(numpy.isfinite(y)):
        return dividend, divisor, quotients
    return None
