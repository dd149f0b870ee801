"""Scalars: what a Python or NumPy number means to torch, and whether it fits into a dtype."""

from __future__ import annotations

from math import isfinite
from typing import Any, NoReturn

import numpy as np

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind, dtype, get_default_dtype
from minitorch.core.numbers.float8 import written
from minitorch.core.numbers.limits import iinfo

Number = bool | int | float | complex

_PYTHON_NUMBERS = frozenset((bool, int, float, complex))
_LARGEST = {
    dtypes.float16: 65504.0,
    dtypes.complex32: 65504.0,
    dtypes.bfloat16: 3.3895313892515355e38,
    dtypes.float32: 3.4028234663852886e38,
    dtypes.complex64: 3.4028234663852886e38,
}
_RANGES = {
    each: (iinfo(each).min, iinfo(each).max)
    for each in dtypes.DTYPES
    if each.number_kind is Kind.INTEGER
}


def is_number(value: Any) -> bool:
    """Whether torch accepts `value` for a parameter Number: Python's four types, and NumPy's."""
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def is_too_large(value: Any) -> bool:
    """Whether a value is an integer of NumPy that no int64 holds, which torch does not read."""
    return isinstance(value, np.integer) and bool(value >= 2**63)


def as_number(value: Any) -> Number:
    """The Python number that torch makes of `value`, for which `is_number` holds.

    NumPy's integers become int; its other scalars become float, also bool and complex64, with
    NumPy's warning, as in torch. OverflowError for an int outside the ranges of int64 and uint64.
    As THPUtils_unpackScalar in torch/csrc.
    """
    kind = type(value)
    if kind is int:
        if not -(2**63) <= value < 2**63:
            _check_unsigned(value)
        return value
    if kind in _PYTHON_NUMBERS:
        return value
    if isinstance(value, bool):
        return bool(value)
    if isinstance(value, np.integer):
        if is_too_large(value):
            raise TypeError("an integer is required")
        return int(value)
    if isinstance(value, int):
        return as_number(int(value))
    if isinstance(value, complex):
        return complex(value)
    if isinstance(value, (str, bytes)):  # Python would read them
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def wrapped_dtype(value: Any) -> dtype:
    """The dtype by which a bare number promotes: bool, int64, the default or its complex."""
    number = as_number(value)
    if isinstance(number, bool):
        return dtypes.bool
    if isinstance(number, int):
        return dtypes.int64 if number < 2**63 else dtypes.uint64
    if isinstance(number, float):
        return get_default_dtype()
    return get_default_dtype().to_complex()


_WIDE = frozenset((dtypes.float32, dtypes.float64, dtypes.bfloat16))


def fitted(value: Any, d: dtype, type_name: str | None = None) -> Number:
    """`value` as an element of dtype `d`: floats lose their fraction, negatives wrap in unsigned.

    RuntimeError where torch's checked conversion (full, fill_, masked_fill, clamp, ...) refuses:
    beyond the range, NaN as an integer, an imaginary part in a real number. `type_name` is what
    the error calls `d`.
    As c10/core/Scalar.h and c10/util/TypeCast.h.
    """
    kind = type(value)
    if (kind is float or kind is int) and d in _WIDE and -1e9 < value < 1e9:
        return float(value)  # the ordinary case, in a third of the time
    number = as_number(value)
    if d.number_kind is Kind.BOOL:
        return bool(number)
    if d.number_kind is Kind.COMPLEX:
        number = complex(number)
        _check_size(number.real, d, type_name)
        _check_size(number.imag, d, type_name)
        if d is dtypes.complex32:
            return np.array((number.real, number.imag), d.numpy)[()]  # type: ignore[return-value]
        return number
    if isinstance(number, complex):
        if number.imag != 0:
            overflow(d, type_name)
        number = number.real
    if d.number_kind is Kind.FLOATING:
        if d in dtypes.PACKED:  # larger numbers are the largest, infinite or nan
            return written(number, d.numpy)[()]
        _check_size(float(number), d, type_name)
        # By way of a float, as c10::Half is made: it rounds twice.
        return float(np.float32(number)) if d is dtypes.float16 else float(number)
    low, high = _RANGES[d]
    if isinstance(number, float):
        # C++ compares with the largest integer as a float: 2.0**63 passes, and is wrapped.
        if not low <= number <= float(high):
            overflow(d, type_name)
        return int(number) if number <= high else low
    if d.is_signed or number >= 0:
        if not low <= number <= high:
            overflow(d, type_name)
        return int(number)
    if -number > high:
        overflow(d, type_name)
    return number & high


def fitted_in(value: Any, x: Any) -> Any:
    """`fitted` for the dtype of an array. A device has other dtypes for floats of 8 bits."""
    number = fitted(value, dtypes.of(x))
    return number if x.dtype.names is None else number.view(x.dtype)  # type: ignore[union-attr]


def check_long(number: int) -> None:
    """Raises torch's ValueError for an int that C's long long does not hold."""
    if not -(2**63) <= number < 2**63:
        raise ValueError("Overflow when unpacking long long")


def overflow(d: dtype, type_name: str | None = None) -> NoReturn:
    """Raises torch's RuntimeError for a number that does not fit into `d`."""
    type_name = type_name or _checked_name(d)
    raise RuntimeError(f"value cannot be converted to type {type_name} without overflow")


def _checked_name(d: dtype) -> str:
    if d.number_kind is Kind.INTEGER:
        return "int" if d is dtypes.int32 else f"{d.name}_t"
    return d.c_name


def _check_size(part: float, d: dtype, type_name: str | None) -> None:
    largest = _LARGEST.get(d)
    if largest is not None and abs(part) > largest and isfinite(part):
        overflow(d, type_name or (d.c_name if d.itemsize == 2 else None))


def _check_unsigned(value: int) -> None:
    if value < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if value >= 2**64:
        raise OverflowError("int too big to convert")
