"""The continuous uniform distribution.

As ATen/native/DistributionTemplates.h and ATen/core/DistributionsHelper.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minitorch.core.arrays.floating_point import Silence
from minitorch.core.numbers.float8 import is_complex_half

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
    if char in "FD" or is_complex_half(out.dtype):
        if not out.size:  # as a view of real numbers that torch does not fill
            return
        uniform(generator, as_real(out), low, high)
        return
    if char not in FLOATING:
        raise not_implemented("check_uniform_bounds", out.dtype)
    if low == 0.0 and high == 1.0 and char in "fd":
        fill(out, partial(unit_floats if char == "f" else unit_doubles, generator))
        return
    make = _floats if char == "f" else _doubles
    wide = high - low > _NEVER_UNDERFLOWS
    if char == "f" and wide:
        fill(out, make(generator, low, high))  # it looks at the bounds
        return
    _check_bounds(out.dtype, low, high)
    if char == "d" and wide:
        fill(out, make(generator, low, high))
        return
    with Silence():
        if char in "fd":
            fill(out, make(generator, low, high))
        else:
            fill(out, _halves(generator, out.dtype, low, high))


# Over a wider interval no value but 0 is small enough to raise the processor's underflow flag, and
# the 0.7 us that `errstate` costs can be saved.
_NEVER_UNDERFLOWS = 1e-20


def _doubles(generator: MersenneTwister, low: float, high: float) -> _Draw:
    def draw(count: int) -> np.ndarray:
        values = fused_multiply_add(unit_doubles(generator, count), high - low, low)
        values[values == high] = low
        return values

    return draw


def _floats(generator: MersenneTwister, low: float, high: float) -> _Draw:
    step, first, last, reaches_last = _steps(low, high, math.copysign(1.0, low))

    def draw(count: int) -> np.ndarray:
        values: np.ndarray = np.multiply(random_24(generator, count), step)
        values += first
        if reaches_last:
            values = values.astype(np.float32)
            values[values == last] = first
        return values

    return draw


@lru_cache(1024)  # bounds are few: 1.5 us less
def _steps(low: float, high: float, _sign_of_low: float) -> tuple[Any, Any, Any, bool]:
    """The step of float32 values from `low` to `high`, both bounds, and whether rounding comes to
    the upper one. RuntimeError for bounds that do not fit."""
    _check_bounds(_FLOAT32, low, high)
    first, last = float(np.float32(low)), float(np.float32(high))
    # 24 random bits times the 24 of the distance, plus `first`: one rounding, at the very end.
    step = float(np.float32(last - first)) * 2.0**-24
    reaches_last = float(np.float32((2.0**24 - 1.0) * step + first)) == last
    return np.array(step), np.array(first), np.array(last), reaches_last


_FLOAT32 = np.dtype(np.float32)


def _halves(generator: MersenneTwister, dtype: np.dtype, low: float, high: float) -> _Draw:
    floats = _floats(generator, low, high)
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
