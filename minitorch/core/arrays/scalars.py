"""Python numbers as 0-d arrays, kept so that `x * 2.0` costs a lookup (0.09 us) and no conversion.

The kept arrays are read-only. -0.0 equals 0.0 as a key, so zeros of floating dtypes are never kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from minitorch.core.arrays.floating_point import Silence, cast
from minitorch.core.numbers.dtype import FROM_NUMPY

_MOST = 4096


class _Kept(dict[tuple[Any, Any], Any]):
    """(NumPy dtype, number) -> 0-d array. KeyError for a pair that needs promotion."""

    def __init__(self, kinds: str) -> None:
        super().__init__()
        self.kinds = kinds

    def __missing__(self, key: tuple[Any, Any]) -> Any:
        dtype, number = key
        # 2-byte floats take part with the number as it is, not rounded: bfloat16 is of kind V.
        if dtype.kind not in self.kinds or (dtype.itemsize == 2 and dtype.kind == "f"):
            raise KeyError(key)
        if type(number) is int and not -(2**63) <= number < 2**63:
            raise KeyError(key)
        try:
            x = numpy.asarray(number, dtype)
        except OverflowError:  # an integer that wraps around
            raise KeyError(key) from None
        if dtype.kind == "c" and not numpy.isfinite(x):  # `add` multiplies these by 1 + 0j
            raise KeyError(key)
        if number == 0 and type(number) is float:
            return x
        if len(self) >= _MOST:
            self.clear()
        x.flags.writeable = False
        self[key] = x
        return x


# type of the number -> its kept arrays, for the dtypes that it does not lift.
NUMBERS: dict[type, _Kept] = {float: _Kept("fc"), int: _Kept("fci")}


class _ByValue(_Kept):
    """(NumPy dtype, number) -> NumPy scalar, which the kernels of a device take by value."""

    def __missing__(self, key: tuple[Any, Any]) -> Any:
        with numpy.errstate(all="ignore"):
            x = super().__missing__(key)[()]
        if key in self:
            self[key] = x
        return x


NUMBERS_ON_DEVICE: dict[type, _Kept] = {float: _ByValue("fc"), int: _ByValue("fci")}


def number(like: Any, count: int) -> Any:
    """An integer as an operand beside the floating array `like`: a kept 0-d array, which ufuncs
    take 0.15 us faster than the int, or the int itself."""
    if type(like) is numpy.ndarray:
        try:
            return _COUNTS[like.dtype, count]
        except KeyError:
            pass
    return count


_COUNTS = NUMBERS[int]


def ones(xp: Any, like: Any, n: int) -> Any:
    """A vector of n ones of the dtype and device of `like`; not to be written."""
    if type(like) is numpy.ndarray and n <= _LONGEST:
        return _kept_ones(n, like.dtype.char)
    return xp.ones(n, like.dtype)


_LONGEST = 1 << 16


@lru_cache(64)
def _kept_ones(n: int, char: str) -> Any:
    return numpy.ones(n, char)


def as_scalar(xp: Any, number: Any, dtype: Any) -> Any:
    """A Python number as a 0-d array of the torch dtype `dtype`; integers wrap around as in C."""
    kind = dtype.numpy
    with Silence():
        if kind.kind in "iu":
            bits = 8 * kind.itemsize
            unsigned = numpy.asarray(int(number) % (1 << bits), f"u{kind.itemsize}")
            return xp.asarray(unsigned.astype(kind))
        if kind.names:
            number = numpy.asarray(complex(number) if dtype.is_complex else number)
            return xp.asarray(cast(number, kind))
        if isinstance(number, complex) and kind.kind not in "cb":
            number = number.real
        elif type(number) is int and not -(2**63) <= number < 2**63:
            number = float(number)  # bfloat16 takes no larger integers
        if kind.char == "e":
            number = numpy.float32(number)  # as c10::Half is made: it rounds twice
        return xp.asarray(number, dtype=kind)


def scalar_like(number: Any, dtype: Any, xp: Any) -> Any:
    """A number as a 0-d array of the NumPy dtype `dtype`."""
    if xp.device_type == "cpu":
        try:
            return NUMBERS[type(number)][dtype, number]
        except KeyError:
            pass
    return as_scalar(xp, number, FROM_NUMPY[dtype])
