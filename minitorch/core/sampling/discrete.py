"""Bernoulli trials, the dropout mask and draws from a list of weights.

As ATen/native/Distributions.cpp, ATen/native/Dropout.cpp and ATen/native/cpu/MultinomialKernel.cpp.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minitorch.core.arrays import selection
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.numbers.float8 import is_float8

from .continuous import exponential
from .filling import (
    FLOATING,
    HALVES,
    alongside,
    fill,
    not_implemented,
    random_64,
    scalar_type,
    unit_doubles,
    unit_floats,
)
from .mersenne_twister import MersenneTwister

_LOW_53_BITS = np.array(2**53 - 1, np.uint64)
_MOST_CATEGORIES = 2**24
_TRIALS = {"bool", "uint8", "int8", "int16", "int32", "int64"}


def bernoulli(generator: MersenneTwister, out: np.ndarray, p: float = 0.5) -> None:
    """Fills `out` with ones with the probability `p`, else zeros, two words each.

    Args:
        out: floating, bool, or integer (not of the unsigned types above 8 bits).
        p: from 0 to 1; both ends draw their words too.

    Raises:
        RuntimeError: if `p` is out of range.
        NotImplementedError: for another dtype.
    """
    if not 0.0 <= p <= 1.0:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if out.dtype.char not in FLOATING and (out.size or out.dtype.kind != "c"):
        _check_trials(out, "bernoulli_scalar_cpu_")
    fill(out, lambda count: _trials(generator, count, p))


def bernoulli_each(generator: MersenneTwister, out: np.ndarray, probabilities: np.ndarray) -> None:
    """Fills `out` with ones, each element by its own chance.

    Args:
        out: as for `bernoulli`.
        probabilities: floating, of a shape that broadcasts to that of `out`. One word each is
            compared with them, two if they are float64.

    Raises:
        RuntimeError: if a probability is out of range.
        NotImplementedError: for another dtype.
    """
    if not out.size:
        return
    if out.dtype.char not in FLOATING:
        _check_trials(out, "bernoulli_tensor_cpu_self_")
    if probabilities.dtype.char not in FLOATING:
        raise not_implemented("bernoulli_tensor_cpu_p_", probabilities.dtype)
    wide = probabilities.dtype.char == "d"
    chances = alongside(probabilities if wide else probabilities.astype(np.float32), out)
    unit = unit_doubles if wide else unit_floats
    with Silence():
        proper = (chances >= 0) & (chances <= 1)
    if not proper.all():
        unit(generator, int(proper.argmin()))  # for those before it, which ATen draws
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message "
            "be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    done = 0

    def draw(count: int) -> np.ndarray:
        nonlocal done
        piece = chances[done : done + count]
        done += count
        return unit(generator, count) < piece

    fill(out, draw)


def dropout_mask(generator: MersenneTwister, out: np.ndarray, p: float) -> None:
    """Fills `out` with `1 / (1 - p)` where an element is kept, and 0 where it is dropped.

    Args:
        out: floating, of the shape and the strides of the input.
        p: the chance to drop, at least 0 and less than 1 (ATen draws nothing at 1).
    """
    if out.dtype.char not in FLOATING:
        _check_trials(out, "bernoulli_scalar_cpu_")
    keep = 1.0 - p
    single = np.float64 if out.dtype.char == "d" else np.float32
    scale = (single(1.0) / single(keep)).astype(out.dtype)
    fill(out, lambda count: _trials(generator, count, keep) * scale)


def check_weights(weights: np.ndarray) -> None:
    """RuntimeError unless weights are floating, and one or several rows."""
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if is_float8(weights.dtype):
        raise not_implemented("aminmax_cpu", weights.dtype)
    if weights.dtype.char not in FLOATING:
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, "
            f"got: {scalar_type(weights.dtype)}"
        )


def multinomial(
    generator: MersenneTwister, weights: np.ndarray, count: int, replacement: bool = False
) -> np.ndarray:
    """Indices drawn by weight from each row.

    Args:
        weights: floating, of shape (categories,) or (rows, categories); not negative, each row
            with a positive sum.
        count: how many to draw from a row.
        replacement: whether an index can come up more than once.

    Returns:
        Int64 of shape (count,) or (rows, count).

    Raises:
        RuntimeError: for weights or a count that cannot be.
    """
    check_multinomial(weights, count, replacement)
    categories = weights.shape[-1]
    shape = (*weights.shape[:-1], count)
    if not weights.size and categories:
        return np.empty(shape, np.int64)
    with Silence():
        if replacement and count > 1:
            rows = weights.reshape(-1, categories)
            sampled = _with_replacement(generator, rows, count)
        else:
            sampled = _without_replacement(generator, weights, count)
    return sampled.reshape(shape)


def check_multinomial(weights: Any, count: int, replacement: bool) -> None:
    """RuntimeError for shapes, a dtype or a count that `multinomial` refuses."""
    check_weights(weights)
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    categories = weights.shape[-1]
    if not replacement and count > categories:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if categories > _MOST_CATEGORIES:
        raise RuntimeError("number of categories cannot exceed 2^24")


def check_chances(weights: Any) -> None:
    """RuntimeError for weights of which one is negative or not finite, or that add up to 0."""
    plain = weights.astype(np.float32) if weights.dtype.char in HALVES else weights
    if not (plain.min() >= 0 and plain.max() < np.inf):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not plain.any(axis=-1).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _check_trials(out: np.ndarray, kernel: str) -> None:
    if out.dtype.name not in _TRIALS:
        raise not_implemented(kernel, out.dtype)


def _trials(generator: MersenneTwister, count: int, p: float) -> np.ndarray:
    # The comparison of integers stands for that of the uniform with p, scaled by 2**53.
    bits = random_64(generator, count)
    bits &= _LOW_53_BITS
    return bits < np.array(math.ceil(p * 2.0**53), np.uint64)


def _without_replacement(generator: MersenneTwister, weights: np.ndarray, count: int) -> np.ndarray:
    """The indices of the largest quotients of weight and exponential draw, largest first.

    P. Efraimidis and P. Spirakis, "Weighted random sampling with a reservoir", 2006.
    """
    if not weights.size:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    check_chances(weights)
    # Rows that share their memory are drawn one after the other.
    quotients = np.empty_like(weights, order="K" if all(weights.strides) else "C")
    exponential(generator, quotients)
    np.divide(weights, quotients, quotients)
    if weights.dtype.char in HALVES:
        quotients = quotients.astype(np.float32)
    if count == 1:
        chosen: np.ndarray = quotients.argmax(axis=-1)
        return chosen
    return _largest(quotients.reshape(-1, quotients.shape[-1]), count)


def _largest(rows: np.ndarray, count: int) -> np.ndarray:
    """The positions of the largest of each row, largest first; equal ones as torch's topk finds
    them."""
    order = np.argsort(-rows, axis=-1, kind="stable")[:, : count + 1]
    leading = np.take_along_axis(rows, order, -1)
    order = order[:, :count]
    for i in (leading[:, 1:] == leading[:, :-1]).any(axis=-1).nonzero()[0]:
        ranks = np.unique(-rows[i], return_inverse=True)[1]
        order[i] = selection.smallest(ranks.tolist(), count, True)
    return order


def _with_replacement(generator: MersenneTwister, rows: np.ndarray, count: int) -> np.ndarray:
    sampled = np.empty((rows.shape[0], count), np.int64)
    exact = rows.dtype if rows.dtype.char == "d" else np.dtype(np.float32)
    for row, indices in zip(rows, sampled, strict=True):
        row = row.astype(exact)
        if not (row >= 0).all():
            raise RuntimeError(
                "invalid multinomial distribution (encountering probability entry < 0)"
            )
        if not np.isfinite(row).all():
            raise RuntimeError(
                "invalid multinomial distribution (encountering probability entry = infinity or "
                "NaN)"
            )
        # Summed one after the other, as ATen does: NumPy's running sum does it in order too.
        total = np.cumsum(row, dtype=exact)
        if not total.size or not total[-1] > 0:
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        total /= total[-1]
        total[-1] = 1.0
        indices[...] = total.astype(np.float64).searchsorted(unit_doubles(generator, count))
    return sampled
