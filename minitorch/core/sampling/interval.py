"""The continuous uniform distribution.

As ATen/native/DistributionTemplates.h and ATen/core/DistributionsHelper.h.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minitorch.core.arrays.floating_point import Silence

from .filling import (
    FLOATING,
    as_real,
    c_type,
    fill,
    fused_multiply_add,
    not_implemented,
    random_24,
    scalar_type,
    unit_doubles,
    unit_floats,
)
from .mersenne_twister import MersenneTwister

_Draw = Callable[[int], np.ndarray]


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
        if not out.size:  # as a view of real numbers that torch does not fill
            return
        uniform(generator, as_real(out), low, high)
        return
    if char not in FLOATING:
        raise not_implemented("check_uniform_bounds", out.dtype)
    if low == 0.0 and high == 1.0 and char in "fd":
        draw = unit_floats if char == "f" else unit_doubles
        fill(out, lambda count: draw(generator, count))
        return
    _check_bounds(out.dtype, low, high)
    make = _doubles if char == "d" else _floats if char == "f" else _halves
    if high - low > _NEVER_UNDERFLOWS and char in "fd":
        fill(out, make(generator, out.dtype, low, high))
    else:
        with Silence():
            fill(out, make(generator, out.dtype, low, high))


# Over a wider interval no value but 0 is small enough to raise the processor's underflow flag, and
# the 0.7 us that `errstate` costs can be saved.
_NEVER_UNDERFLOWS = 1e-20


def _doubles(generator: MersenneTwister, dtype: np.dtype, low: float, high: float) -> _Draw:
    def draw(count: int) -> np.ndarray:
        values = fused_multiply_add(unit_doubles(generator, count), high - low, low)
        values[values == high] = low
        return values

    return draw


def _floats(generator: MersenneTwister, dtype: np.dtype, low: float, high: float) -> _Draw:
    first, last = float(np.float32(low)), float(np.float32(high))
    # 24 random bits times the 24 of the distance, plus `first`: one rounding, at the very end.
    step = float(np.float32(last - first)) * 2.0**-24
    reaches_last = float(np.float32((2.0**24 - 1.0) * step + first)) == last

    def draw(count: int) -> np.ndarray:
        values: np.ndarray = np.multiply(random_24(generator, count), step)
        values += first
        if reaches_last:
            values = values.astype(np.float32)
            values[values == last] = first
        return values

    return draw


def _halves(generator: MersenneTwister, dtype: np.dtype, low: float, high: float) -> _Draw:
    floats = _floats(generator, dtype, low, high)
    first, last = np.array([low, high], np.float32).astype(dtype)

    def draw(count: int) -> np.ndarray:
        values = floats(count).astype(np.float32).astype(dtype)
        values[values == last] = first
        return values

    return draw


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
