"""The order in which gloo adds: its ring, as formulas over arrays, without any message in it.

A tensor is cut into as many chunks as there are ranks. Chunk k starts at rank k-1 and goes to the
rank below, each adding its own: `sum = own + sum`. So the bits of a sum are torch's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

Array = Any
Fold = Callable[..., Any]
_SEGMENT = 1 << 20  # bytes of gloo's longest segment


def _quiet(function: Any) -> Fold:
    """A ufunc that says nothing of infinities, as torch does not."""

    def fold(own: Array, before: Array, out: Array) -> None:
        with numpy.errstate(all="ignore"):
            function(own, before, out=out)

    return fold


def _smaller(own: Array, before: Array, out: Array) -> None:
    numpy.copyto(out, numpy.where(before < own, before, own))


def _larger(own: Array, before: Array, out: Array) -> None:
    numpy.copyto(out, numpy.where(own < before, before, own))


# By the name of the reduction: what makes one of this rank's values and of those before it.
# Minimum and maximum are C++'s std::min and std::max, which keep a first NaN.
FOLDS: dict[str, Fold] = {
    "SUM": _quiet(numpy.add),
    "AVG": _quiet(numpy.add),
    "PRODUCT": _quiet(numpy.multiply),
    "MIN": _smaller,
    "MAX": _larger,
    "BAND": numpy.bitwise_and,
    "BOR": numpy.bitwise_or,
    "BXOR": numpy.bitwise_xor,
}


def _up(number: int, step: int) -> int:
    """The next multiple of a step."""
    return -(-number // step) * step


def bounds(count: int, itemsize: int, ranks: int) -> list[int]:
    """The ranks + 1 offsets at which gloo's ring cuts `count` elements into chunks, one a rank."""
    longest = itemsize * max(1, _SEGMENT // itemsize)
    segments = _up(max(-(-count * itemsize // longest), 2 * ranks), ranks)
    step = _up(-(-count * itemsize // segments), itemsize) // itemsize * (segments // ranks)
    return [min(count, k * step) for k in range(ranks + 1)]


def folded(parts: Sequence[Array], owner: int, fold: Fold) -> Array:
    """The sum of chunk `owner` as the ring makes it: from rank owner-1 down and round to owner.

    Args:
        parts: the chunk of each rank.
    """
    ranks = len(parts)
    total = parts[owner - 1].copy()
    for k in range(2, ranks + 1):
        fold(parts[(owner - k) % ranks], total, out=total)
    return total


def sum_of_part(parts: Sequence[Array], start: int, at: Sequence[int], fold: Fold) -> Array:
    """The sum of a stretch of a tensor, with each of its chunks in the order of the ring.

    Args:
        parts: the stretch of each rank.
        start: where the stretch begins in the tensor.
        at: where the ring cuts the tensor.
    """
    total = numpy.empty_like(parts[0])
    for k in range(len(parts)):
        low = min(max(at[k] - start, 0), total.size)
        high = min(max(at[k + 1] - start, 0), total.size)
        if low < high:
            total[low:high] = folded([part[low:high] for part in parts], k, fold)
    return total
