"""Stable orders of NumPy arrays: by digits where rows are long, by comparisons elsewhere.

Not-a-numbers are equal to each other and larger than all numbers; -0 equals 0.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy

from minitorch.core.arrays import blas, threads
from minitorch.core.arrays.questions import largest_of, least_of, some

# NumPy sorts 16-bit integers by counting. Long rows of 32 or 64 bits are sorted by 16 of them after
# another, the low ones first: 100,000 float32 take 2.7 ms so, 10.1 ms by comparisons.
_MANY = 1024  # elements, below which one call of NumPy's is as fast
_LONG = 2048  # elements of a row, from which on digits are faster
_SIGNED = {4: numpy.dtype("int32"), 8: numpy.dtype("int64")}
_DIGIT = numpy.dtype("uint16")


def ordered_keys(x: Any, descending: bool = False) -> Any:
    """Integers that are ordered as the elements of `x`, of a real dtype, are, and C-contiguous."""
    size, kind = x.dtype.itemsize, x.dtype.kind
    if kind != "f":
        keys = numpy.array(x, order="C")
        return numpy.invert(keys, keys) if descending else keys
    signed = _SIGNED[size]
    keys = numpy.add(x, x.dtype.type(0), order="C")  # 0 for -0
    unknown = numpy.isnan(keys)
    bits = keys.view(signed)
    # The bits of negative numbers but the sign are reversed.
    flips = bits >> (8 * size - 1)
    flips &= signed.type((1 << (8 * size - 1)) - 1)
    bits ^= flips
    if some(unknown):
        bits[unknown] = (1 << (8 * size - 1)) - 1
    return numpy.invert(bits, bits) if descending else bits


def order(x: Any, axis: int, descending: bool = False) -> Any:
    """The positions along `axis` that sort `x`, of a real dtype; equal elements stay in order."""
    n = x.shape[axis]
    if x.size < _MANY or (x.dtype.itemsize < 4 and not descending):
        return by_comparisons(x, axis, descending)
    rows = numpy.moveaxis(x, axis, -1)
    keys = ordered_keys(rows, descending)
    if n < _LONG and x.dtype.kind == "f":
        found, tied = _by_vectors(keys)
        tied = tied.any(-1)
        found[tied] = keys[tied].argsort(axis=-1, kind="stable")
    else:
        found = _sorted_stably(keys)
    return numpy.moveaxis(found, -1, axis)


def order_with_ties(keys: Any) -> tuple[Any, Any]:
    """The positions that sort the rows of integers `keys`, with equal ones in any order, and
    whether each of the sorted ones equals the one before it."""
    if keys.shape[-1] < _LONG and keys.dtype.itemsize >= 4:
        return _by_vectors(keys)
    found = _sorted_stably(keys)
    return found, _tied(keys, found)


_LONGER = 4096  # elements of a row, from which on its groups are looked at first


def first_of_long(x: Any, axis: int, k: int, descending: bool = False) -> Any:
    """The first `k` of `order` if they are few in long rows without NaN; else None.

    Elements that cannot be among the first of 256 groups or more are excluded at once: 100,000
    float32 take 50 us; a partition takes 1,000.
    """
    n = x.shape[axis]
    if n < _LONGER or k * 64 > n or not k or x.dtype.itemsize < 4 or x.dtype.kind not in "fiu":
        return None
    rows = numpy.moveaxis(x, axis, -1).reshape(-1, n)
    best = numpy.maximum if descending else numpy.minimum
    count = max(256, 4 * k)
    length = n // count
    ends = best.reduce(rows[:, : count * length].reshape(-1, count, length), 2)
    if x.dtype.kind == "f" and not numpy.isfinite(best.reduce(rows, None)):
        return None  # a minimum or maximum of not-a-numbers is one
    at = count - k if descending else k - 1
    bounds = numpy.partition(ends, at, 1)[:, at]
    found = numpy.empty((len(rows), k), numpy.int64)
    for row, bound, into in zip(rows, bounds, found, strict=True):
        places = (row >= bound if descending else row <= bound).nonzero()[0]
        into[:] = places[order(row[places], 0, descending)[:k]]
    shape = (*numpy.moveaxis(x, axis, -1).shape[:-1], k)
    return numpy.moveaxis(found.reshape(shape), -1, axis)


def by_comparisons(x: Any, axis: int, descending: bool = False) -> Any:
    """As `order`, by one sort of the library of `x`."""
    if not descending:
        return x.argsort(axis=axis, kind="stable")
    reverse = (slice(None),) * axis + (slice(None, None, -1),)
    found = x[reverse].argsort(axis=axis, kind="stable")[reverse]
    return x.shape[axis] - 1 - found


def _by_vectors(keys: Any) -> tuple[Any, Any]:
    """As `order_with_ties`, by a sort that on many processors takes 8 or 16 keys at once."""
    found = _argsort(keys)
    return found, _tied(keys, found)


def _argsort(keys: Any, kind: Any = None) -> Any:
    """keys.argsort(axis=-1, kind=kind), on several threads where there are many rows."""
    if keys.size < threads.MANY or keys.ndim < 2 or blas.threads() == 1:
        return keys.argsort(axis=-1, kind=kind)
    rows, found = keys.reshape(-1, keys.shape[-1]), numpy.empty(keys.shape, numpy.int64)
    into = found.reshape(rows.shape)

    def sort(part: slice) -> None:
        into[part] = rows[part].argsort(axis=-1, kind=kind)

    threads.over_rows(sort, len(rows), rows.size)
    return found


def at_place(rows: Any, k: int) -> Any:
    """(rows, 1): the element of each row that a sort would leave at place `k`."""
    out = numpy.empty((len(rows), 1), rows.dtype)

    def part_in_two(part: slice) -> None:
        out[part] = numpy.partition(rows[part], k, axis=1)[:, k : k + 1]

    threads.over_rows(part_in_two, len(rows), rows.size)
    return out


def _tied(keys: Any, found: Any) -> Any:
    values = numpy.take_along_axis(keys, found, -1)
    return values[..., 1:] == values[..., :-1]


def _sorted_stably(keys: Any) -> Any:
    size = keys.dtype.itemsize
    if size < 4 or keys.shape[-1] < _LONG or sys.byteorder != "little":
        return _argsort(keys, "stable")
    digits = keys.view(_DIGIT).reshape(*keys.shape, size // 2)
    found = None
    for i in range(size // 2):
        digit = digits[..., i]
        if i == size // 2 - 1 and keys.dtype.kind == "i":
            digit = digit.view(numpy.int16)
        if least_of(digit) == largest_of(digit):
            continue
        if found is None:
            found = _argsort(digit, "stable")
        else:
            moved = numpy.take_along_axis(digit, found, -1)
            found = numpy.take_along_axis(found, _argsort(moved, "stable"), -1)
    if found is None:
        found = numpy.empty(keys.shape, numpy.int64)
        found[...] = numpy.arange(keys.shape[-1])
    return found
