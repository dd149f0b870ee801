"""Positions on CUDA: a kernel checks that they are in range, and the host does not wait for it.

CuPy wraps positions out of range around, and kernels that write at positions would write anywhere.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy

from minitorch.core.arrays import layout
from minitorch.core.arrays.on_cupy_faults import WORD

_within = cupy.ElementwiseKernel(
    "T index, int64 low, int64 n, uint64 fault",
    "int64 place",
    """
    long long at = index;
    if (at < low || at >= n) {
        *reinterpret_cast<long long*>(fault) = 1;
        at = 0;
    }
    place = at < 0 ? at + n : at;
    """,
    "minitorch_within",
)


def within(index: Any, low: int, n: int) -> Any:
    """The positions `index` in [0, n), laid out as they are: negative ones from `low` on count from
    the end. One out of range is reported when the host next waits."""
    limits = numpy.int64(low), numpy.int64(n), WORD
    if index.ndim < 2 or index.flags.c_contiguous:
        return _within(index, *limits)
    axes = layout.slowest_first(index.shape, [(index.shape, index.strides)])
    back = sorted(range(index.ndim), key=axes.__getitem__)
    return _within(index.transpose(axes), *limits).transpose(back)
