"""The normal distribution, by the Box-Muller transform, and what is made from it.

Two ways, as in ATen/native/cpu/DistributionTemplates.h. From 16 elements on, a contiguous tensor is
filled with uniforms that are transformed in blocks of 16, the first eight with the last eight. Any
other draws pairs in float64, of which the second waits in the generator for the next call.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .filling import (
    FLOATING,
    HALVES,
    PIECE,
    as_real,
    fill,
    fused_multiply_add,
    libm,
    not_implemented,
    unit_doubles,
    unit_floats,
)
from .mersenne_twister import MersenneTwister
from .single_precision import box_muller

# Below this many values the C library's functions one by one are as quick as NumPy's on vectors.
_FEW = 32


def normal(
    generator: MersenneTwister, out: np.ndarray, mean: float = 0.0, std: float = 1.0
) -> None:
    """Fills `out` with normal values.

    Args:
        generator: where the words come from.
        out: floating or complex; a complex element gets `std / sqrt(2)` in each part.
        mean, std: of the distribution; `std` is not negative.

    Raises:
        RuntimeError: if `std` is negative or no number.
        NotImplementedError: for another dtype.
    """
    if not std >= 0.0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    char = out.dtype.char
    if char in "FD":
        normal(generator, as_real(out), mean, std / math.sqrt(2))
        return
    if not out.size:
        return
    if char not in FLOATING:
        raise not_implemented("normal_kernel_cpu", out.dtype)
    with np.errstate(all="ignore"):
        if out.size < 16 or not out.flags.c_contiguous:
            exact = char == "d"
            fill(
                out,
                lambda count: fused_multiply_add(
                    standard_normals(generator, count, exact), std, mean
                ),
            )
        else:
            draw, transform = (
                (unit_doubles, _double_box_muller) if char == "d" else (unit_floats, box_muller)
            )
            _fill_blocks(generator, out.reshape(-1), draw, lambda u: transform(u, mean, std))


def log_normal(
    generator: MersenneTwister, out: np.ndarray, mean: float = 1.0, std: float = 2.0
) -> None:
    """Fills `out` with the exponentials of normal values, drawn pair by pair whatever the size.

    Raises:
        RuntimeError: if `std` is not positive.
        NotImplementedError: if `out` is not floating.
    """
    if not std > 0.0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if not out.size:
        return
    if out.dtype.char not in FLOATING:
        raise not_implemented("log_normal_cpu", out.dtype)
    exact = out.dtype.char == "d"

    def draw(count: int) -> np.ndarray:
        values = fused_multiply_add(standard_normals(generator, count, exact), std, mean)
        return libm(_exp, values) if exact else np.exp(values)

    with np.errstate(all="ignore"):
        fill(out, draw)


def standard_normals(generator: MersenneTwister, count: int, exact: bool) -> np.ndarray:
    """`count` float64 values of mean 0 and standard deviation 1, drawn pair by pair.

    The generator's cached value comes first, and the second value of a last half pair is left there.

    Args:
        exact: whether each value must have the C library's last bit. Where the result is rounded
            to float32 or less, NumPy's vector functions give the same and are quicker.
    """
    values = np.empty(count + 2)
    done = 0
    if count and generator.cached_normal is not None:
        values[0] = generator.cached_normal
        generator.cached_normal = None
        done = 1
    pairs = (count - done + 1) // 2
    if pairs:
        draws = unit_doubles(generator, 2 * pairs)
        # The last pair is exact in any case: its second value may go into the generator's state.
        vector = 0 if exact or count < _FEW else pairs - 1
        end = done + 2 * pairs
        if vector:
            radius = np.sqrt(-2.0 * np.log1p(-draws[1 : 2 * vector : 2]))
            theta = (2.0 * math.pi) * draws[0 : 2 * vector : 2]
            values[done : done + 2 * vector : 2] = radius * np.cos(theta)
            values[done + 1 : done + 2 * vector : 2] = radius * np.sin(theta)
        values[done + 2 * vector : end] = _pairs(draws[2 * vector :].tolist())
        if end > count:
            generator.cached_normal = float(values[count])
    return values[:count]


def standard_normal(generator: MersenneTwister) -> float:
    """One value of mean 0 and standard deviation 1: the cached one, or the first of a new pair."""
    cached = generator.cached_normal
    if cached is not None:
        generator.cached_normal = None
        return cached
    first, generator.cached_normal = _pairs([generator.unit_double(), generator.unit_double()])
    return first


def _pairs(draws: list[float]) -> list[float]:
    values = []
    for i in range(0, len(draws), 2):
        radius = math.sqrt(-2.0 * math.log1p(-draws[i + 1]))
        theta = 2.0 * math.pi * draws[i]
        values += (radius * math.cos(theta), radius * math.sin(theta))
    return values


def _fill_blocks(
    generator: MersenneTwister,
    flat: np.ndarray,
    draw: Callable[[MersenneTwister, int], np.ndarray],
    transform: Callable[[np.ndarray], np.ndarray],
) -> None:
    """Transforms uniforms block by block; a rest of less than 16 redoes the last 16 elements.

    ATen fills the whole tensor with uniforms first, so the rest costs words of its own in float32
    and float64. The half types go through a buffer of one block and skip them.
    """

    def fill_piece(piece: np.ndarray) -> None:
        blocks = draw(generator, piece.size).reshape(-1, 2, 8)
        values = transform(blocks.transpose(1, 0, 2).reshape(2, -1))
        piece.reshape(-1, 2, 8)[...] = values.reshape(2, -1, 8).transpose(1, 0, 2)

    whole = flat.size // 16 * 16
    for start in range(0, whole, PIECE):
        fill_piece(flat[start : min(start + PIECE, whole)])
    if whole < flat.size:
        if flat.dtype.char not in HALVES:
            draw(generator, flat.size - whole)
        fill_piece(flat[-16:])


def _double_box_muller(draws: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Cosines and sines in float64 from draws of shape (2, n), with the C library's functions."""
    radius = np.sqrt(-2.0 * libm(math.log, 1.0 - draws[0]))
    theta = (2.0 * math.pi) * draws[1]
    values = np.stack([radius * libm(math.cos, theta), radius * libm(math.sin, theta)])
    return fused_multiply_add(values, std, mean)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
