"""Silence about infinities and NaNs, in a tenth of the time of numpy.errstate; and silent casts.

Entering and leaving numpy.errstate(all="ignore") takes 1.45 us, which shows in a backward of a few
nodes. The work inside takes 0.12 us: it sets a context variable, for this thread and task alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import threads
from minitorch.core.arrays.namespaces import NAMESPACES
from minitorch.core.arrays.questions import some
from minitorch.core.numbers import float8
from minitorch.core.numbers.float8 import is_float8
from minitorch.core.warning import warn_once

silence: Callable[[], Any]
restore: Callable[[Any], None]

try:
    from numpy._core._multiarray_umath import _extobj_contextvar, _make_extobj

    _IGNORING = _make_extobj(all="ignore")
    restore = _extobj_contextvar.reset

    def silence() -> Any:
        """Switches NumPy's floating-point warnings off; returns what `restore` takes."""
        return _extobj_contextvar.set(_IGNORING)

except ImportError:  # a NumPy that keeps its error state elsewhere

    def silence() -> Any:
        """Switches NumPy's floating-point warnings off; returns what `restore` takes."""
        state = numpy.errstate(all="ignore")
        state.__enter__()
        return state

    def restore(state: Any) -> None:
        """Switches them back to what they were."""
        state.__exit__(None, None, None)


class Silence:
    """`with Silence():` is `with numpy.errstate(all="ignore"):`, 1 us sooner."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = silence()

    def __exit__(self, *error: object) -> None:
        restore(self._before)


def cast(x: Any, dtype: Any, order: Any = "K") -> Any:
    """`x` as another NumPy dtype, with torch's warning where complex numbers become real."""
    if x.dtype.names:
        x = widened(x)
    if dtype.names:
        return packed(x, dtype, order)
    if x.dtype.kind == "c" and dtype.kind != "c" and dtype.kind != "b":
        if x.size:
            warn_of_real_parts()
        x = x.real
    before = silence()
    try:
        if dtype.char == "e" and x.dtype.char == "d":
            x = x.astype(numpy.float32, order=order)  # as c10::Half is made: it rounds twice
        if x.size >= threads.MANY and _is_slow(x, dtype):
            out = numpy.empty_like(x, dtype)
            threads.over_elements(_write, out, x)
            return out
        return x.astype(dtype, order=order)
    finally:
        restore(before)


def has_nan(xp: Any, x: Any) -> bool:
    """Whether an element is NaN: for few elements the largest is (0.3 us; isnan and any take 0.8),
    for many the sum of their squares (a sixth of the time)."""
    if type(x) is numpy.ndarray and 0 < x.size <= _FEW and x.dtype.kind in "fiub":
        largest = x.item(x.argmax())
        return bool(largest != largest)
    if type(x) is numpy.ndarray and x.dtype.char in "fd":
        flat = x.reshape(-1)
        total = flat.dot(flat)
        return bool(total != total)
    return bool(some(xp.isnan(x)))


_FEW = 4096


def is_half(dtype: Any) -> bool:
    """Whether a NumPy dtype is a 2-byte float; bfloat16, which ml_dtypes defines, is of kind V."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def _is_slow(x: Any, dtype: Any) -> bool:
    """Whether NumPy's cast takes a nanosecond an element or more: to or from float16."""
    halves = "e" in (x.dtype.char, dtype.char)
    return halves and type(x) is numpy.ndarray and x.flags.c_contiguous


def _write(x: Any, out: Any) -> None:
    numpy.copyto(out, x, casting="unsafe")


def readable(x: Any) -> Any:
    """An array of bfloat16, complex32 or floats of 8 bits as float32 or complex64."""
    return widened(x) if x.dtype.names else x.astype(numpy.float32)


def legible(x: Any) -> Any:
    """An array whose elements Python reads as numbers: `x` itself, but for those of `readable`."""
    return x if x.dtype.kind != "V" else readable(x)


def widened(x: Any) -> Any:
    """An array of complex32 as complex64, one of floats of 8 bits as float32."""
    xp = _device_of(x)
    if xp is not None:
        return xp.structures.widened(xp, x)
    x = numpy.asarray(x)  # a Lazy as what is read of it
    if is_float8(x.dtype):
        return float8.read(x)
    out = numpy.empty_like(x, numpy.complex64)
    out.real, out.imag = x["real"], x["imag"]
    return out


def _device_of(x: Any) -> Any:
    """The namespace of an array on a device; None for memory of the host."""
    xp = NAMESPACES.get(type(x))
    return xp if xp is not None and xp.device_type == "cuda" else None


def packed(x: Any, dtype: Any, order: Any = "K") -> Any:
    """The numbers of an array as complex32 or floats of 8 bits; `dtype` is their NumPy dtype."""
    xp = _device_of(x)
    if is_float8(dtype):
        if x.dtype.kind == "c":
            if x.size:
                warn_of_real_parts()
            x = x.real
        if xp is not None:
            return xp.structures.floats8(xp, x, dtype, order)
        return float8.written(x, dtype) if order == "K" else float8.written(x, dtype).copy(order)
    warn_of_halves()
    if x.dtype.char == "D":
        with Silence():
            x = x.astype(numpy.complex64)  # torch rounds twice
    if xp is not None:
        return xp.structures.complex_halves(xp, x, dtype, order)
    out = numpy.empty_like(x, dtype, order)
    with Silence():
        out["real"], out["imag"] = (x.real, x.imag) if x.dtype.kind != "V" else (x, 0)
    return out


def warn_of_halves() -> None:
    """Warns that few operators support complex32."""
    warn_once("ComplexHalf support is experimental and many operators don't support it yet.")


def warn_of_real_parts() -> None:
    """Warns that only the real parts of complex numbers are kept."""
    warn_once("Casting complex values to real discards the imaginary part")
