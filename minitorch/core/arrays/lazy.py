"""Memory that is read through a conjugation or a negation: torch's conj and neg bits.

`x.conj()` is a view: it shares the memory of `x`, and reading it gives the conjugates. Its array is
a `Lazy`. Functions that move no numbers (indexing, transposing) return another `Lazy`. All other
readers, NumPy's functions included, get a plain array of the numbers, and numbers that are assigned
to its elements are converted back before they are written into the memory. This module is the
namespace of such arrays. See docs/decisions/0009-conjugates-are-read-through.md.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.mixins import NDArrayOperatorsMixin

from minitorch.core.arrays import layout, on_numpy
from minitorch.core.arrays.floating_point import packed

device_type, device_index = "cpu", None


class Lazy(NDArrayOperatorsMixin):
    """The array `raw` as it is to be read: conjugated, negated, or both."""

    __slots__ = ("__weakref__", "conjugated", "negated", "raw")

    def __init__(self, raw: Any, conjugated: bool, negated: bool) -> None:
        self.raw = raw
        self.conjugated = conjugated
        self.negated = negated

    def like(self, raw: Any) -> Any:
        """Another array of raw numbers, read in the same way."""
        return lazy(raw, self.conjugated, self.negated)

    def through(self, x: Any) -> Any:
        """The numbers `x`, conjugated and negated: its own inverse."""
        if x.dtype.names:  # complex32
            return turned_halves(x.copy(), self.conjugated, self.negated)
        x = numpy.conj(x) if self.conjugated else numpy.asarray(x)
        return numpy.negative(x) if self.negated else x

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raw = self.raw
        if dtype is None and raw.ndim and raw.flags.c_contiguous and layout.is_plain(raw):
            return self.through(raw)  # the ordinary case
        steps = [abs(s) // self.itemsize for s in self.strides]  # NumPy's can run backwards
        strides = layout.preserved_strides(self.shape, tuple(steps))
        out = on_numpy.empty_strided(self.shape, strides, self.dtype)
        out[...] = self.through(self.raw)
        return out if dtype is None else out.astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        out = named.pop("out", (None,))
        result = getattr(ufunc, method)(*map(resolved, inputs), **named)
        if out[0] is None or out[0] is ...:
            return result if isinstance(result, tuple) else numpy.asarray(result)
        out[0][...] = result
        return out[0]

    def __getattr__(self, name: str) -> Any:
        if name in _GEOMETRY:
            return getattr(self.raw, name)
        if name.startswith("__"):  # NumPy asks for interfaces to memory
            raise AttributeError(name)
        if name in _MOVING:
            move = getattr(self.raw, name)
            return lambda *args, **kwargs: self.like(move(*args, **kwargs))
        return getattr(resolved(self), name)

    def __getitem__(self, key: Any) -> Any:
        return self.like(self.raw[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        value = numpy.asarray(value)
        if self.dtype.names and not value.dtype.names:
            value = packed(value, self.dtype)
        if value.dtype.kind in "biu" or (value.dtype.kind == "f" and self.dtype.kind == "c"):
            value = value.astype(self.dtype)  # so that zeros have a sign to change
        self.raw[key] = self.through(value)

    def fill(self, value: Any) -> None:
        """Writes `value` everywhere."""
        self[...] = value

    def __len__(self) -> int:
        return len(self.raw)

    def __bool__(self) -> bool:
        return bool(resolved(self))

    def __complex__(self) -> complex:  # NumPy asks where one element is written
        return complex(resolved(self))

    def __float__(self) -> float:
        return float(resolved(self))

    @property
    def T(self) -> Any:
        return self.like(self.raw.T)


_GEOMETRY = frozenset(("shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes", "flags"))
_MOVING = frozenset(("reshape", "transpose", "swapaxes", "squeeze", "diagonal"))


def lazy(raw: Any, conjugated: bool, negated: bool) -> Any:
    """`raw` read in this way; `raw` itself if there is nothing to do."""
    return Lazy(raw, conjugated, negated) if conjugated or negated else raw


def bits_of(x: Any) -> tuple[bool, bool]:
    """Whether the array `x` is read conjugated, and whether negated."""
    return (x.conjugated, x.negated) if type(x) is Lazy else (False, False)


def turned_halves(x: Any, conjugated: bool, negated: bool) -> Any:
    """An array of complex32, whose numbers are replaced by their conjugates, negatives, or both."""
    for part, turned in (("real", False), ("imag", conjugated)):
        if x.size and turned != negated:
            x[part][...] = -x[part]
    return x


def raw_of(x: Any) -> Any:
    """The array in the memory that `x` is read from."""
    return x.raw if type(x) is Lazy else x


def is_numpy(x: Any) -> bool:
    """Whether `x` is a NumPy array, or a Lazy over one."""
    return type(raw_of(x)) is numpy.ndarray


def resolved(x: Any) -> Any:
    """`x` as a plain array of its numbers: a copy if it is a Lazy."""
    return x.__array__() if type(x) is Lazy else x


# ---- as a namespace


def __getattr__(name: str) -> Any:
    return getattr(on_numpy, name)


def strided(x: Any, shape: Any, strides: Any, offset: int = 0) -> Any:
    """As on_numpy.strided."""
    like = x.like if type(x) is Lazy else numpy.asarray
    return like(on_numpy.strided(raw_of(x), shape, strides, offset))


def expand(x: Any, shape: Any) -> Any:
    """As on_numpy.expand."""
    return strided(x, shape, on_numpy.expand(raw_of(x), shape).strides)


def pointer(x: Any) -> int:
    """The address of the first element."""
    return on_numpy.pointer(raw_of(x))


def storage(x: Any) -> Any:
    """The array that owns the memory of `x`."""
    return on_numpy.storage(raw_of(x))


def may_share_memory(x: Any, y: Any) -> bool:
    """Whether two arrays might have memory in common."""
    return on_numpy.may_share_memory(raw_of(x), raw_of(y))


def copyto(x: Any, value: Any, where: Any = True) -> None:
    """Writes `value` into `x` where a mask says so. As numpy.copyto."""
    value = x.through(resolved(value)) if type(x) is Lazy else resolved(value)
    numpy.copyto(raw_of(x), value, where=resolved(where))


def to_numpy(x: Any) -> Any:
    """The numbers as a plain array."""
    return resolved(x)


def as_array(x: Any) -> Any:
    """As on_numpy.as_array."""
    return on_numpy.as_array(resolved(x))
