"""Common parts of the distributions: unit draws, fused multiply-add, and filling in memory order.

As ATen/core/TransformationHelper.h and ATen/native/cpu/DistributionTemplates.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minitorch.core.arrays.floating_point import restore, silence
from minitorch.core.numbers.dtype import FROM_NUMPY
from minitorch.core.numbers.float8 import is_complex_half

from .mersenne_twister import MersenneTwister

# Elements made at a time: the arrays between stay in the second-level cache. Measured on
# 2**20 float32 uniforms over (-0.1, 0.3): 4.9 ms at 8192, 6.9 ms at 2048, 6.3 ms in one piece.
PIECE = 8192

_PAIR = np.dtype("<u8")
_LOW_24_BITS = np.array(0xFFFFFF, np.uint32)
_WORD = np.dtype("<u4")
_LOW_53_BITS = np.array(0xFFFFFFFF_001FFFFF, np.uint64)  # of two words, the high half first
_BITS_OF_A_WORD = np.array(32, np.uint64)
_TO_UNIT_FLOAT = np.array(2.0**-24, np.float32)
_TO_UNIT_DOUBLE = np.array([2.0**-21, 2.0**-53])
_FEW = 64
_MASKS = np.tile(np.array([0x001FFFFF, 0xFFFFFFFF], np.uint32), _FEW)
_SPLITTER = 2.0**27 + 1

_SCALAR_TYPES = {
    "bool": ("Bool", "bool"),
    "uint8": ("Byte", "unsigned char"),
    "int8": ("Char", "signed char"),
    "int16": ("Short", "short int"),
    "int32": ("Int", "int"),
    "int64": ("Long", "long int"),
    "uint16": ("UInt16", "short unsigned int"),
    "uint32": ("UInt32", "unsigned int"),
    "uint64": ("UInt64", "long unsigned int"),
    "float16": ("Half", "c10::Half"),
    "bfloat16": ("BFloat16", "c10::BFloat16"),
    "float32": ("Float", "float"),
    "float64": ("Double", "double"),
    "complex64": ("ComplexFloat", "c10::complex<float>"),
    "complex128": ("ComplexDouble", "c10::complex<double>"),
}

# dtype.char of the dtypes a continuous distribution can be drawn in ("E" is ml_dtypes' bfloat16).
FLOATING = "fdeE"
HALVES = "eE"


def scalar_type(dtype: np.dtype) -> str:
    """The name ATen gives to a dtype in its messages, such as `Long`."""
    return FROM_NUMPY[dtype].scalar_name if dtype.names else _SCALAR_TYPES[dtype.name][0]


def c_type(dtype: np.dtype) -> str:
    """The C++ name of a dtype in ATen's messages, such as `long int`."""
    if is_complex_half(dtype):
        return "c10::complex<c10::Half>"
    return f"c10::{FROM_NUMPY[dtype].scalar_name}" if dtype.names else _SCALAR_TYPES[dtype.name][1]


def not_implemented(kernel: str, dtype: np.dtype) -> NotImplementedError:
    """ATen's error for a kernel that has no version for a dtype."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(dtype)}'")


def random_24(generator: MersenneTwister, count: int) -> np.ndarray:
    """Uint32 values below 2**24: the low bits of one word each."""
    bits: np.ndarray = np.bitwise_and(generator.words(count), _LOW_24_BITS)
    return bits


def unit_floats(generator: MersenneTwister, count: int) -> np.ndarray:
    """Float32 values from [0, 1): 24 random bits each."""
    values = random_24(generator, count).astype(np.float32)
    values *= _TO_UNIT_FLOAT
    return values


def fill_silently(out: np.ndarray, draw: Callable[[int], np.ndarray]) -> None:
    """As `fill`, for draws that may be infinite or NaN."""
    before = silence()  # written out: 0.2 us less than Silence
    try:
        fill(out, draw)
    finally:
        restore(before)


def random_64(generator: MersenneTwister, count: int) -> np.ndarray:
    """Uint64 values of two words each, the first of them the high half."""
    swapped = generator.words(2 * count).view(_PAIR)
    values = swapped << _BITS_OF_A_WORD
    values |= swapped >> _BITS_OF_A_WORD
    return values


def unit_doubles(generator: MersenneTwister, count: int) -> np.ndarray:
    """Float64 values from [0, 1): the low 53 bits of two words each."""
    if count <= _FEW:  # without views as pairs and back: 0.4 us less of 1.7
        few: np.ndarray = generator.words(2 * count) & _MASKS[: 2 * count]
        return few.astype(np.float64).reshape(-1, 2).dot(_TO_UNIT_DOUBLE)
    bits = (generator.words(2 * count).view(_PAIR) & _LOW_53_BITS).view(_WORD)
    # The sum of both halves is exact, in any order.
    values: np.ndarray = bits.astype(np.float64).reshape(-1, 2).dot(_TO_UNIT_DOUBLE)
    return values


def memory_order(array: np.ndarray) -> np.ndarray:
    """A view whose C order is the order of the elements in memory; 1-d where that is possible."""
    if not array.flags.c_contiguous:
        array = array.transpose(_memory_axes(array))
        if not array.flags.c_contiguous:
            return array
    return array.reshape(-1)


def alongside(array: np.ndarray, out: np.ndarray) -> np.ndarray:
    """The elements of `array`, broadcast to the shape of `out`, in its memory order: 1-d."""
    if array.shape != out.shape:
        array = np.broadcast_to(array, out.shape)
    if not out.flags.c_contiguous:
        array = array.transpose(_memory_axes(out))
    return array.reshape(-1)


def _memory_axes(array: np.ndarray) -> list[int]:
    strides = array.strides
    return sorted(range(array.ndim), key=lambda axis: -strides[axis])


def fill(out: np.ndarray, draw: Callable[[int], np.ndarray]) -> None:
    """Writes `draw(count)` into `out` in memory order, piece after piece, cast to its dtype.

    Half types get a float64 by way of float32, as C++ casts it. Strides are of any kind.
    """
    narrow = out.dtype.char in HALVES
    if out.size <= PIECE and not narrow and out.flags.c_contiguous:
        out.reshape(-1)[...] = draw(out.size)
        return
    target = memory_order(out)
    if target.ndim != 1:
        values = np.empty(out.size, out.dtype)
        fill(values, draw)
        target[...] = values.reshape(target.shape)
        return
    for start in range(0, target.size, PIECE):
        piece = target[start : start + PIECE]
        values = draw(piece.size)
        if narrow and values.dtype == np.float64:
            values = values.astype(np.float32)
        piece[...] = values


def as_real(array: np.ndarray) -> np.ndarray:
    """The real view of a complex array, with a last dimension of real and imaginary part."""
    parts = {"F": np.float32, "D": np.float64, "V": np.float16}
    return array[..., np.newaxis].view(parts[array.dtype.char])


def fused_multiply_add(x: np.ndarray, factor: float, addend: float) -> np.ndarray:
    """`x * factor + addend` in float64 with a single rounding, as the C function `fma`.

    The product is taken apart into its rounded value and its error (T. J. Dekker, 1971), the sum
    likewise (D. E. Knuth); what is left out is a tie of the last addition, of chance 2**-53.
    """
    scaled_factor = _SPLITTER * factor
    if addend == 0.0 or not (math.isfinite(scaled_factor) and math.isfinite(addend)):
        return x * factor + addend
    if factor == 1.0:
        return x + addend
    factor_high = scaled_factor - (scaled_factor - factor)
    factor_low = factor - factor_high
    scaled = x * _SPLITTER
    x_high = scaled - (scaled - x)
    x_low = x - x_high
    product = x * factor
    error = x_high * factor_high
    error -= product
    error += x_high * factor_low
    error += x_low * factor_high
    error += x_low * factor_low
    total = product + addend
    back = total - product
    error += (product - (total - back)) + (addend - back)
    total += error
    return total


def libm(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    """`function` of the `math` module on each value of a float64 array.

    Those are the C library's functions, which ATen calls too; NumPy has its own for vectors, with
    other last bits in up to 7 % of the values.
    """
    return np.fromiter(map(function, x.tolist()), np.float64, x.size)
