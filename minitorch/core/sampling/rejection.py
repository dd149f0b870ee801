"""Distributions drawn by trial and rejection: Poisson, gamma, binomial.

How many words an element takes depends on the words, so they are drawn one element at a time.
As ATen/native/Distributions.cpp and ATen/native/Distributions.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minitorch.core.arrays.floating_point import Silence
from minitorch.core.numbers.float8 import is_float8

from .filling import alongside, fill, not_implemented, scalar_type
from .gaussian import standard_normal
from .mersenne_twister import MersenneTwister

_INT64_MIN = -(2**63)


def poisson(generator: MersenneTwister, out: np.ndarray, rate: np.ndarray) -> None:
    """Fills `out` with Poisson counts, each element by its own rate.

    Args:
        out: floating, of the dtype of `rate`.
        rate: not negative; its shape broadcasts to that of `out`.

    Raises:
        RuntimeError: if a rate is negative or no number.
        NotImplementedError: for another dtype.
    """
    if rate.dtype.char not in "eEfd":
        raise not_implemented("poisson_cpu", rate.dtype)
    if not out.size:
        return
    rates = alongside(rate, out).astype(np.float64)
    _fill_from(out, [_poisson(generator, value) for value in rates.tolist()])


def standard_gamma(generator: MersenneTwister, out: np.ndarray, shape: np.ndarray) -> None:
    """Fills `out` with gamma values of scale 1.

    Args:
        out: float32 or float64, of the dtype of `shape`.
        shape: the distribution's parameter alpha; broadcasts to the shape of `out`.

    Raises:
        NotImplementedError: for another dtype.
    """
    if shape.dtype.char not in "fd":
        raise not_implemented("gamma_cpu", shape.dtype)
    values = gammas(generator, alongside(shape, out))
    _fill_from(out, np.fmax(values, np.finfo(out.dtype).tiny))


def gammas(generator: MersenneTwister, shape: np.ndarray) -> np.ndarray:
    """Float64 gamma values of scale 1 for the elements of `shape`, in C order and not floored.

    Dirichlet draws are these, of float64 parameters, divided by their sum.
    """
    number = shape.dtype.type
    values = [_gamma(generator, alpha, number) for alpha in shape.ravel()]
    return np.array(values, np.float64).reshape(shape.shape)


def check_binomial(count: np.ndarray, p: np.ndarray) -> None:
    """ValueError unless both are floating."""
    for name, array in (("count", count), ("prob", p)):
        if is_float8(array.dtype):
            raise not_implemented("binomial_cpu", array.dtype)
        if array.dtype.char not in "eEfd":
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, "
                f"got: {scalar_type(array.dtype)}"
            )


def binomial(generator: MersenneTwister, out: np.ndarray, count: np.ndarray, p: np.ndarray) -> None:
    """Fills `out` with the number of successes in `count` trials of chance `p`.

    Args:
        out: float32 or float64, of the dtype of `count` and `p`.
        count, p: broadcast to the shape of `out`.

    Raises:
        ValueError: if one is not floating.
        RuntimeError: if their dtypes differ.
        NotImplementedError: for a half type.
    """
    check_binomial(count, p)
    if count.dtype != p.dtype:
        raise RuntimeError(
            f"Found dtype {scalar_type(p.dtype)} but expected {scalar_type(count.dtype)}"
        )
    if count.dtype.char not in "fd":
        raise not_implemented("binomial_cpu", count.dtype)
    if not out.size:
        return
    pairs = zip(alongside(count, out), alongside(p, out), strict=True)
    with Silence():
        values = [_binomial(generator, trials, chance) for trials, chance in pairs]
    _fill_from(out, values)


def _fill_from(out: np.ndarray, values: list[float] | np.ndarray) -> None:
    values = np.asarray(values, np.float64)
    done = 0

    def following(count: int) -> np.ndarray:
        nonlocal done
        done += count
        return values[done - count : done]

    with Silence():
        fill(out, following)


def _poisson(generator: MersenneTwister, rate: float) -> float:
    if not rate >= 0.0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate >= 10.0:
        return _poisson_by_rejection(generator.unit_double, rate)
    if rate == 0.0:
        return 0.0
    least = math.exp(-rate)
    factors, product = 0, 1.0
    while True:
        product *= generator.unit_double()
        if product <= least:
            return float(factors)
        factors += 1


def _poisson_by_rejection(uniform: Callable[[], float], rate: float) -> float:
    """W. Hörmann, "The transformed rejection method for Poisson random variables", 1993."""
    root, log_rate = math.sqrt(rate), math.log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        x = (2.0 * a / us + b) * u + rate + 0.43 if us else math.nan
        # A number beyond 64 bits becomes the least int64, as the processor converts it.
        k = math.floor(x) if abs(x) < 2.0**63 else _INT64_MIN
        if us >= 0.07 and v <= v_r:
            return float(k)
        if k < 0 or (us < 0.013 and v > us):
            continue
        left = _log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
        if left <= -rate + k * log_rate - _log_factorial(k):
            return float(k)


# These two are float32 constants in ATen, whatever the arithmetic around them.
_SQUEEZE = float(np.float32(0.0331))
_SERIES = 10  # from here on the first terms of a series are as good as the sum
_THIRD = np.float32(1.0 / 3.0)


def _gamma(generator: MersenneTwister, alpha: np.floating, number: type[np.floating]) -> float:
    """G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", 2000.

    What concerns `alpha` alone is computed in its own dtype, the rest in float64.
    """
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = _power(1.0 - generator.unit_double(), float(number(1.0) / alpha))
        alpha = alpha + number(1.0)
    d = float(alpha - number(_THIRD))
    c = 1.0 / math.sqrt(9.0 * d) if d > 0.0 else math.nan  # negative shapes are no error in ATen
    while True:
        x = standard_normal(generator)
        y = 1.0 + c * x
        if y <= 0.0:
            continue
        v = y * y * y
        u = 1.0 - generator.unit_double()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def _binomial(generator: MersenneTwister, count: np.floating, p: np.floating) -> float:
    if not (count > 0 and p > 0):
        return math.nan if count > 0 and p != p else 0.0
    if p >= 1:
        return float(count)
    mirrored = p > 0.5
    chance = type(p)(1.0) - p if mirrored else p
    draw = _binomial_by_rejection if count * chance >= 10 else _binomial_by_waiting
    successes = draw(generator.unit_double, count, chance)
    return float(count) - successes if mirrored else successes


def _binomial_by_waiting(uniform: Callable[[], float], count: np.floating, p: np.floating) -> float:
    """Adds up the waiting times between successes until they exceed the number of trials."""
    divisor = float(np.log1p(-p))
    waited = successes = 0.0
    while True:
        quotient = _log(uniform()) / divisor
        waited += math.ceil(quotient) if math.isfinite(quotient) else quotient
        if waited > count:
            return successes
        successes += 1.0


def _binomial_by_rejection(
    uniform: Callable[[], float], trials: np.floating, p: np.floating
) -> float:
    """W. Hörmann, "The generation of binomial random variates", 1993: algorithm BTRS."""
    one = type(p)(1.0)
    count, ratio = float(trials), float(p / (one - p))
    deviation = math.sqrt(float(trials * p * (one - p)))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * float(p)
    center = float(trials * p) + 0.5
    v_r = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * deviation
    m = math.floor((count + 1.0) * float(p))
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        if not us:
            continue
        k = float(math.floor((2.0 * a / us + b) * u + center))
        if us >= 0.07 and v <= v_r:
            return k
        if not 0.0 <= k <= count:
            continue
        bound = (
            (m + 0.5) * math.log((m + 1.0) / (ratio * (count - m + 1.0)))
            + (count + 1.0) * math.log((count - m + 1.0) / (count - k + 1.0))
            + (k + 0.5) * math.log(ratio * (count - k + 1.0) / (k + 1.0))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        if _log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def _log_factorial(k: float) -> float:
    # The C library's lgamma(k + 1) in its order of operations, which Python's own does not follow:
    # at rates of 10**15 the difference decides.
    if k < 7:
        return math.lgamma(k + 1.0)
    x = k + 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    tail = inverse * (1.0 / 12.0 + square * (-1.0 / 360.0 + square / 1260.0))
    return (x - 0.5) * (math.log(x) - 1.0) + (0.5 * math.log(2.0 * math.pi) - 0.5 + tail)


def _stirling_tail(k: float) -> float:
    """The error of Stirling's formula for log(k!): the exact value less the formula's."""
    if k < _SERIES:
        whole = (k + 0.5) * math.log(k + 1.0) - (k + 1.0) + 0.5 * math.log(2.0 * math.pi)
        return math.lgamma(k + 1.0) - whole
    square = (k + 1.0) * (k + 1.0)
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)


def _power(x: float, y: float) -> float:
    try:
        return float(x**y)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf
