"""Floats of 8 bits: how float32 becomes one, and the number that each pattern of bits stands for.

NumPy keeps them as a structure, which it moves and does not compute with. ml_dtypes knows the
formats; where torch's conversions differ from its, they are here. As c10/util/Float8_*.h.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


def is_complex_half(dtype: Any) -> bool:
    """Whether a NumPy dtype is complex32's, the other structure."""
    return dtype.names is not None and dtype.names[0] == "real"


def is_float8(dtype: Any) -> bool:
    """Whether a NumPy dtype holds floats of 8 bits."""
    return dtype.names is not None and dtype.names[0] != "real"


def written(numbers: Any, dtype: Any) -> Any:
    """Numbers as floats of 8 bits, whose NumPy dtype this is; each is rounded to float32 first."""
    name = dtype.names[0]
    with np.errstate(all="ignore"):
        x = np.asarray(numbers).astype(np.float32)
        if name == "float8_e4m3fn":  # the largest number stands for larger ones, and for infinity
            x = np.clip(x, -448, 448)
        elif name == "float8_e8m0fnu":  # no bit for a sign, and no zero
            x = np.abs(x)
        bits = x.astype(_known(name)).view(np.uint8)
    if name == "float8_e8m0fnu":
        bits = np.where(x == 0, np.uint8(0), bits)
    elif name == "float8_e5m2":
        bits = np.where(np.isnan(x), bits | np.uint8(3), bits)  # all bits of the fraction
    out = np.empty_like(x, dtype)
    out[name] = bits
    return out


def read(x: Any) -> Any:
    """The numbers of an array of floats of 8 bits, in float32 and with its order of axes."""
    name = x.dtype.names[0]
    out = np.empty_like(x, np.float32)
    out[...] = numbers(name)[x[name]]
    return out


@cache
def numbers(name: str) -> Any:
    """The 256 numbers of a format."""
    return np.arange(256, dtype=np.uint8).view(_known(name)).astype(np.float32)


@cache
def steps(name: str) -> tuple[Any, Any]:
    """How float32 is written in a format, as a table for arrays that `written` does not take.

    Returns:
        The patterns of 31 bits, without the sign, at which the code changes; and the codes from
        each of them on, in two rows: of positive numbers, and of negative ones.
    """
    dtype = np.dtype([(name, np.uint8)])

    def codes(patterns: Any) -> Any:
        both = np.stack([patterns, patterns | np.uint32(1 << 31)]).astype(np.uint32)
        return written(both.view(np.float32), dtype)[name]

    # Between neighbours here, the numbers of bfloat16, a code changes once at most.
    grid = np.arange(1 << 15, dtype=np.uint32) << np.uint32(16)
    grid = np.append(grid, np.uint32((1 << 31) - 1))
    known = codes(grid)
    below = np.flatnonzero((known[:, 1:] != known[:, :-1]).any(0))
    low, high = grid[below].astype(np.int64), grid[below + 1].astype(np.int64)
    before = known[:, below]
    for _ in range(17):
        middle = (low + high) // 2
        same = (codes(middle) == before).all(0)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    firsts = np.append(0, high)
    return firsts.astype(np.int32), codes(firsts)


@cache
def _known(name: str) -> Any:
    """The dtype of ml_dtypes."""
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, name))
