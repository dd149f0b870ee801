"""Distributions that are one formula of one float64 uniform: exponential, geometric, Cauchy.

As ATen/core/TransformationHelper.h.
"""

from __future__ import annotations

import math

import numpy as np

from minitorch.core.numbers.float8 import is_float8

from .filling import (
    FLOATING,
    c_type,
    fill_silently,
    fused_multiply_add,
    libm,
    not_implemented,
    scalar_type,
    unit_doubles,
)
from .mersenne_twister import MersenneTwister

_CONTINUOUS = "distribution is a continuous probability distribution."


def exponential(generator: MersenneTwister, out: np.ndarray, rate: float = 1.0) -> None:
    """Fills `out` with exponentially distributed values, two words each.

    Raises:
        RuntimeError: if `rate` is not positive, or `out` not floating.
    """
    if not rate > 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    if not out.size:
        return
    char = out.dtype.char
    if char not in FLOATING:
        if is_float8(out.dtype):
            raise not_implemented("exponential_cpu", out.dtype)
        raise RuntimeError(
            f"Exponential {_CONTINUOUS} dtype must be a floating point "
            f"but you specified {scalar_type(out.dtype)}"
        )
    factor = -1.0 / rate

    def draw(count: int) -> np.ndarray:
        values = -unit_doubles(generator, count)
        return factor * (libm(math.log1p, values) if char == "d" else np.log1p(values))

    fill_silently(out, draw)


def geometric(generator: MersenneTwister, out: np.ndarray, p: float) -> None:
    """Fills `out` with the number of trials up to the first success, two words each.

    Args:
        out: floating, or integer of a type that torch has had all along.
        p: the chance of success, strictly between 0 and 1.

    Raises:
        RuntimeError: if `p` is out of range.
        NotImplementedError: for another dtype.
    """
    if not 0.0 < p < 1.0:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if not out.size:
        return
    if out.dtype.char not in FLOATING and out.dtype.name not in _OLD_INTEGERS:
        raise not_implemented("geometric_cpu", out.dtype)
    divisor = math.log1p(-p)

    def draw(count: int) -> np.ndarray:
        # The rounding up hides the last bit in which NumPy's logarithm may differ.
        values: np.ndarray = np.log(unit_doubles(generator, count))
        values /= divisor
        np.ceil(values, values)
        return values

    fill_silently(out, draw)


def cauchy(
    generator: MersenneTwister, out: np.ndarray, median: float = 0.0, sigma: float = 1.0
) -> None:
    """Fills `out` with values of the Cauchy distribution, two words each.

    Raises:
        RuntimeError: if `sigma` is not positive, or `out` not floating.
    """
    if not sigma > 0.0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    char = out.dtype.char
    if char not in FLOATING:
        if is_float8(out.dtype):
            if not out.size:
                return
            raise not_implemented("cauchy_cpu", out.dtype)
        raise RuntimeError(
            f"Cauchy {_CONTINUOUS} dtype must be a floating point "
            f"but you specified {c_type(out.dtype)}"
        )
    if not out.size:
        return

    def draw(count: int) -> np.ndarray:
        angle = math.pi * (unit_doubles(generator, count) - 0.5)
        return fused_multiply_add(
            libm(math.tan, angle) if char == "d" else np.tan(angle), sigma, median
        )

    fill_silently(out, draw)


_OLD_INTEGERS = {"uint8", "int8", "int16", "int32", "int64"}
