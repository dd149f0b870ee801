"""The continuous uniform distribution.

As ATen/native/DistributionTemplates.h and ATen/core/DistributionsHelper.h.
"""

from __future__ import annotations

import numpy as np

from .filling import (
    FLOATING,
    HALVES,
    as_real,
    c_type,
    fill,
    fused_multiply_add,
    not_implemented,
    scalar_type,
    unit_doubles,
    unit_floats,
)
from .mersenne_twister import MersenneTwister


def uniform(
    generator: MersenneTwister, out: np.ndarray, low: float = 0.0, high: float = 1.0
) -> None:
    """Fills `out` with values from [low, high), one word each (two for float64).

    Args:
        generator: where the words come from.
        out: floating or complex; a complex element takes its real part first.
        low, high: the bounds; both must lie in the dtype's range, and so must their distance.

    Raises:
        NotImplementedError: for another dtype.
        RuntimeError: for bounds that do not fit.
    """
    char = out.dtype.char
    if char in "FD":
        uniform(generator, as_real(out), low, high)
        return
    if char not in FLOATING:
        raise not_implemented("check_uniform_bounds", out.dtype)
    if low == 0.0 and high == 1.0 and char in "fd":
        draw = unit_floats if char == "f" else unit_doubles
        fill(out, lambda count: draw(generator, count))
        return
    _check_bounds(out.dtype, low, high)
    with np.errstate(all="ignore"):
        if char == "d":
            fill(out, lambda count: _scaled_doubles(generator, count, low, high))
        elif char == "f":
            fill(out, lambda count: _scaled_floats(generator, count, low, high))
        else:
            fill(out, lambda count: _scaled_halves(generator, count, low, high, out.dtype))


def _scaled_doubles(generator: MersenneTwister, count: int, low: float, high: float) -> np.ndarray:
    values = fused_multiply_add(unit_doubles(generator, count), high - low, low)
    values[values == high] = low
    return values


def _scaled_floats(generator: MersenneTwister, count: int, low: float, high: float) -> np.ndarray:
    first, last = np.float32(low), np.float32(high)
    values = _single_fma(unit_floats(generator, count), last - first, first)
    # Rounding is monotonic: only where the largest draw is rounded up to `high` can any be.
    if _single_fma(_LARGEST_UNIT_FLOAT, last - first, first) == last:
        values[values == last] = first
    return values


def _scaled_halves(
    generator: MersenneTwister, count: int, low: float, high: float, dtype: np.dtype
) -> np.ndarray:
    first, last = np.array([low, high], np.float32)
    values = unit_floats(generator, count)
    if (low, high) != (0.0, 1.0):
        values = _single_fma(values, last - first, first)
    values = values.astype(dtype)
    first, last = np.array([low, high], np.float32).astype(dtype)
    values[values == last] = first
    return values


_LARGEST_UNIT_FLOAT = np.array([1 - 2.0**-24], np.float32)


def _single_fma(x: np.ndarray, factor: np.float32, addend: np.float32) -> np.ndarray:
    """Float32 `x * factor + addend` rounded once: the product of two float32 fits a float64."""
    wide = x.astype(np.float64)
    wide *= float(factor)
    wide += float(addend)
    return wide.astype(np.float32)


def _check_bounds(dtype: np.dtype, low: float, high: float) -> None:
    largest = _LARGEST[dtype.char]
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {c_type(dtype)}")
    if not low <= high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if not high - low <= largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{scalar_type(dtype)}>::max(), "
            f"but found to={high:g} and from={low:g} which result in to-from to exceed the limit"
        )


_LARGEST = {
    "e": 65504.0,
    "E": float.fromhex("0x1.fep127"),
    "f": float.fromhex("0x1.fffffep127"),
    "d": float.fromhex("0x1.fffffffffffffp1023"),
}
