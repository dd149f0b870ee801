"""The normal distribution, by the Box-Muller transform, and what is made from it.

Two ways, as in ATen/native/cpu/DistributionTemplates.h. From 16 elements on, a contiguous tensor is
filled with uniforms that are transformed in blocks of 16, the first eight with the last eight. Any
other draws pairs in float64, of which the second waits in the generator for the next call.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minitorch.core.arrays.floating_point import Silence
from minitorch.core.numbers.float8 import is_complex_half

from .filling import (
    FLOATING,
    HALVES,
    PIECE,
    as_real,
    fill_silently,
    fused_multiply_add,
    libm,
    not_implemented,
    unit_doubles,
    unit_floats,
)
from .mersenne_twister import MersenneTwister
from .single_precision import box_muller

# Up to this many pairs the C library's functions one by one are as quick as NumPy's on vectors.
_FEW = 12


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
    if char in "FD" or is_complex_half(out.dtype):
        normal(generator, as_real(out), mean, std / math.sqrt(2))
        return
    if not out.size:
        return
    if char not in FLOATING:
        raise not_implemented("normal_kernel_cpu", out.dtype)
    if out.size < 16 or not out.flags.c_contiguous:
        exact = char == "d"
        fill_silently(out, lambda count: _normals(generator, count, mean, std, exact))
        return
    with Silence():
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
        values = _normals(generator, count, mean, std, exact)
        return libm(_exp, values) if exact else np.exp(values)

    fill_silently(out, draw)


def _normals(
    generator: MersenneTwister, count: int, mean: float, std: float, exact: bool
) -> np.ndarray:
    """`count` float64 values drawn pair by pair.

    The generator's cached value comes first; the second value of a last half pair is left there.

    Args:
        exact: whether each value must have the C library's last bit. Where the result is rounded
            to float32 or less, NumPy's vector functions give the same and are quicker.
    """
    values = []
    if count and generator.cached_normal is not None:
        values.append(generator.cached_normal)
        generator.cached_normal = None
    pairs = (count - len(values) + 1) // 2
    vectorised = np.empty(0)
    if pairs > _FEW and not exact:
        # The last pair is exact in any case: its second value may go into the generator's state.
        vectorised = _vectorised_pairs(unit_doubles(generator, 2 * (pairs - 1)))
        pairs = 1
    rest = _pairs(generator, pairs)
    if len(values) + vectorised.size + len(rest) > count:
        generator.cached_normal = rest.pop()
    standard = np.array(values + rest)
    if vectorised.size:
        standard = np.concatenate([values, vectorised, rest])
    if mean == 0.0 and std == 1.0:
        return standard
    return fused_multiply_add(standard, std, mean)


def standard_normal(generator: MersenneTwister) -> float:
    """One value of mean 0 and standard deviation 1: the cached one, or the first of a new pair."""
    cached = generator.cached_normal
    if cached is not None:
        generator.cached_normal = None
        return cached
    first, generator.cached_normal = _pairs(generator, 1)
    return first


def _pairs(generator: MersenneTwister, count: int) -> list[float]:
    values = []
    words = iter(generator.words(4 * count).tolist())
    for high, low, other_high, other_low in zip(words, words, words, words, strict=True):
        theta = (2.0 * math.pi) * (((high & 0x1FFFFF) << 32 | low) * 2.0**-53)
        u = ((other_high & 0x1FFFFF) << 32 | other_low) * 2.0**-53
        radius = math.sqrt(-2.0 * math.log1p(-u))
        values.append(radius * math.cos(theta))
        values.append(radius * math.sin(theta))
    return values


def _vectorised_pairs(draws: np.ndarray) -> np.ndarray:
    radius = np.sqrt(-2.0 * np.log1p(-draws[1::2]))
    theta = (2.0 * math.pi) * draws[0::2]
    values = np.empty_like(draws)
    np.multiply(radius, np.cos(theta), values[0::2])
    np.multiply(radius, np.sin(theta), values[1::2])
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

    def transformed(uniforms: np.ndarray) -> np.ndarray:
        blocks = uniforms.reshape(-1, 2, 8)
        values = transform(blocks.transpose(1, 0, 2).reshape(2, -1))
        return values.reshape(2, -1, 8).transpose(1, 0, 2).reshape(-1)

    def fill_piece(piece: np.ndarray) -> None:
        piece[...] = transformed(draw(generator, piece.size))

    whole = flat.size // 16 * 16
    if whole < flat.size <= PIECE:  # the rest at once with the others, in half the time
        skipped = 0 if flat.dtype.char in HALVES else flat.size - whole
        draws = draw(generator, whole + skipped + 16)
        values = transformed(np.concatenate([draws[:whole], draws[-16:]]))
        flat[:whole] = values[:whole]
        flat[-16:] = values[whole:]
        return
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
