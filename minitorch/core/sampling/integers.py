"""Uniform integers and permutations.

As ATen/native/DistributionTemplates.h, ATen/native/cpu/DistributionTemplates.h and
ATen/native/TensorFactories.cpp (randperm).
"""

from __future__ import annotations

import math

import numpy as np

from minitorch.core.arrays.floating_point import Silence
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.warning import warn

from .filling import FLOATING, c_type, fill, not_implemented, random_64, scalar_type
from .mersenne_twister import MersenneTwister

_SMALLEST = -(2**63)
# Up to this range a value takes one word, beyond it two.
_ONE_WORD = 2**28
_DIGITS = {"e": 11, "E": 8, "f": 24, "d": 53}
_LARGEST = {"e": 65504, "E": 255 * 2**120, "f": (2**24 - 1) * 2**104, "d": (2**53 - 1) * 2**971}
# From here on dividing and subtracting is quicker than NumPy's remainder, which takes 1.7 ns a
# value against 0.4 (8192 values of 32 bits).
_MANY = 256


def random_range(
    generator: MersenneTwister, out: np.ndarray, low: int = 0, high: int | None = None
) -> None:
    """Fills `out` with integers from [low, high), equally likely but for the remainder's bias.

    Args:
        out: integer, bool or floating.
        low, high: the bounds. Without `high`, all from `low` to the largest of the dtype (2**digits
            for a floating one); without `high` and with `low` at -2**63, all 64-bit values.

    Raises:
        RuntimeError: for bounds that do not fit the dtype, and for a complex `out`.
        NotImplementedError: for another dtype.
    """
    dtype = out.dtype
    if high is not None:
        if not low < high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        if dtype.char in FLOATING:
            low, high = _raise_to(dtype, low), _lower_to(dtype, high)
            if not low < high:
                raise RuntimeError(
                    "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                    f"but got from={low} >= to={high}"
                )
        _check_range(dtype, low, high - 1, "check_random_bounds", "random_update_from_to")
        size = high - low
    elif low > _SMALLEST:
        last = _last_integer(dtype)
        if dtype.char in FLOATING:
            low = _raise_to(dtype, low)
            if not low < last:
                raise RuntimeError(
                    "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' "
                    f"casted to dtype, but got from={low} > to_inc={last}"
                )
        _check_range(dtype, low, last, "random_from_to_impl", "random_from_to_range_calc")
        size = last - low + 1
    else:
        if dtype.name in ("bool", "float16", "complex64", "complex128"):
            raise not_implemented("random_full_64_bits_range_kernel_cpu", dtype)
        if dtype.name not in ("int64", "float64", "float32", "bfloat16"):
            raise RuntimeError(
                "random_full_64_bits_range_kernel_cpu handles only int64, double, float and "
                "bfloat16"
            )
        low, size = 0, _EVERY
    fill(out, lambda count: _integers(generator, count, size, low))


def random_full(generator: MersenneTwister, out: np.ndarray) -> None:
    """Fills `out` with non-negative integers: of all its range, or to 2**digits if it is floating.

    Raises:
        NotImplementedError: for a complex dtype and the unsigned ones above 8 bits.
    """
    dtype = out.dtype
    if not out.size:
        return
    if dtype.name not in _RANDOM_FULL:
        raise not_implemented("random_kernel_cpu", dtype)
    if dtype.char in FLOATING:
        size = 2 ** _DIGITS[dtype.char] + 1
    else:
        size = _last_integer(dtype) + 1
    words = generator.words if dtype.itemsize < 8 else lambda count: random_64(generator, count)
    fill(out, lambda count: _remainders(words(count), size))


def check_permutation_length(count: int, dtype: np.dtype) -> None:
    """Refuses, as `torch.randperm` does, a length that the dtype cannot count to.

    Raises:
        RuntimeError: for a negative length or one that is too large.
        NotImplementedError: for a dtype without permutations.
    """
    name = dtype.name
    if count < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {count}: [{count}]")
    if name in ("float16", "float32", "float64"):
        digits = _DIGITS[dtype.char]
        if count > 2**digits + 1:
            limit = "2049" if digits == 11 else f"2^{digits}+1"
            raise RuntimeError(f"n cannot be greater than {limit} for {scalar_type(dtype)} type.")
    elif name in _OLD_INTEGERS:
        if count - 1 > _last_integer(dtype):
            raise RuntimeError(f"value cannot be converted to type {name}_t without overflow")
    elif name != "bfloat16":
        raise not_implemented("randperm", dtype)


def permutation(generator: MersenneTwister, out: np.ndarray) -> None:
    """Fills the 1-d `out` with 0 to n - 1 in random order, by n - 1 words.

    The dtype is one that `check_permutation_length` lets pass.
    """
    count = out.size
    if count < 2:
        out[...] = 0
        return
    words = generator.words(count - 1)
    if count <= _LOOPED:
        order = list(range(count))
        left = count
        for i, word in enumerate(words.tolist()):
            k = i + word % left
            order[i], order[k] = order[k], order[i]
            left -= 1
        out[...] = order
        return
    out[...] = _shuffled(words)


# Up to this length the plain loop is quicker than the form without one.
_LOOPED = 200


def _shuffled(words: np.ndarray) -> np.ndarray:
    """The result of the forward Fisher-Yates shuffle, without going step by step.

    Step i exchanges positions i and k[i] >= i. What stands at i just before is found by following
    the last exchange that reached i back to its own step, all steps at once, halving the way each
    time. What step i puts at i for good stood at k[i]: the value the last earlier step with
    the same k put there, or k[i] itself where there is none.
    """
    steps = words.size
    count = steps + 1
    i = np.arange(steps)
    k: np.ndarray = i + words % np.arange(count, 1, -1, dtype=np.uint32)
    value = np.arange(count)
    moved = np.flatnonzero(k != i)
    # Of several steps that reach one position the last must win, as assignment in order makes sure.
    value[k[moved]] = moved
    while True:
        further = value[value]
        if np.array_equal(further, value):
            break
        value = further
    step = k.argsort(kind="stable")
    target = k[step]
    same = np.flatnonzero(target[1:] == target[:-1])
    result = np.empty(count, np.int64)
    result[:steps] = k
    result[step[same + 1]] = value[step[same]]
    stays = np.flatnonzero(k == i)
    result[stays] = value[stays]
    result[steps] = value[steps]
    return result


def _integers(generator: MersenneTwister, count: int, size: int, low: int) -> np.ndarray:
    """`count` values of [low, low + size), of 64 bits with or without a sign."""
    if size < _ONE_WORD:
        values = _remainders(generator.words(count), size)
        if not low:
            return values
        values = values.astype(np.uint64)
    else:
        values = _remainders(random_64(generator, count), size)
    if low:
        values += np.uint64(low % 2**64)
    return values.view(np.int64)


def _remainders(words: np.ndarray, size: int) -> np.ndarray:
    """`words % size`, of the same dtype."""
    if size >> 8 * words.itemsize:
        return words
    divisor = np.array(size, words.dtype)
    remainders: np.ndarray
    if size.bit_count() == 1:
        remainders = words & np.array(size - 1, words.dtype)
    elif words.size < _MANY:
        remainders = np.remainder(words, divisor)
    else:
        whole = words // divisor
        whole *= divisor
        remainders = np.subtract(words, whole, whole)
    return remainders


def _last_integer(dtype: np.dtype) -> int:
    """The largest integer drawn without an upper bound."""
    if dtype.char in FLOATING:
        return int(2 ** _DIGITS[dtype.char])
    if dtype.kind == "b":
        return 1
    return _limits(dtype)[1] if dtype.kind in "iu" else 0


def _limits(dtype: np.dtype) -> tuple[int, int]:
    bits = 8 * dtype.itemsize
    return (0, 2**bits - 1) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _check_range(dtype: np.dtype, low: int, last: int, check: str, kernel: str) -> None:
    """Refuses bounds outside the dtype; warns where a floating one has gaps between integers."""
    char = dtype.char
    if dtype.kind == "c" or is_complex_half(dtype):
        raise RuntimeError(f"{check} handles only integral, floating-point and boolean types")
    if char in FLOATING:
        smallest, largest = -_LARGEST[char], _LARGEST[char]
    elif dtype.kind == "b":
        smallest, largest = 0, 1
    elif dtype.kind in "iu":
        smallest, largest = _limits(dtype)
        # ATen looks at the largest uint64 as a signed number, and refuses it.
        largest = min(largest, 2**63 - 1)
    else:
        raise not_implemented(kernel, dtype)
    for name, bound in (("from", low), ("to - 1", last)):
        if not smallest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {c_type(dtype)}")
    if char in FLOATING:
        digits = _DIGITS[char]
        for name, bound in (("from", low), ("to - 1", last)):
            if abs(bound) > 2**digits:
                warn(
                    f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision "
                    f"limitations {c_type(dtype)} can support discrete uniform distribution only "
                    "within this range. This warning will become an error in version 1.7 release, "
                    "please fix the code in advance"
                )


def _raise_to(dtype: np.dtype, low: int) -> int:
    """`low`, or the first representable integer above where the dtype would round it down."""
    rounded = _rounded(dtype, low + 1)
    if rounded >= low:
        return low
    return rounded + (1 << abs(low + 1).bit_length() - _DIGITS[dtype.char])


def _lower_to(dtype: np.dtype, high: int) -> int:
    """`high`, or a representable integer below where the dtype would round its last value up."""
    rounded = _rounded(dtype, high - 1)
    if rounded < high:
        return high
    return rounded - (1 << abs(high - 1).bit_length() - _DIGITS[dtype.char])


def _rounded(dtype: np.dtype, value: int) -> int:
    """The integer that the dtype rounds `value` to; beyond its range, ATen's 64-bit minimum."""
    with Silence():
        number = float(
            np.array(value, np.float64 if dtype.char == "d" else np.float32).astype(dtype)
        )
    return int(number) if math.isfinite(number) and number < 2.0**63 else _SMALLEST


_EVERY = 2**64  # words are taken as they are
_OLD_INTEGERS = {"uint8", "int8", "int16", "int32", "int64"}
_RANDOM_FULL = _OLD_INTEGERS | {"bool", "float16", "bfloat16", "float32", "float64"}
