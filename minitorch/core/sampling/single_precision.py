"""Box-Muller in float32, with the bits of ATen's vector kernel.

ATen's kernel (ATen/native/cpu/avx_mathfun.h) takes its logarithm, sine and cosine from the
polynomials of the Cephes library (S. L. Moshier, 1989) and joins each multiplication and the
addition after it in one fused operation. So does this: every quantity is a float32 kept in a
float64 array, where a product of two is exact; the sum is then rounded to float32. (Rounding twice
goes wrong only where the float64 sum falls on a tie of float32, of chance 2**-29 an operation.)
"""

from __future__ import annotations

import math

import numpy as np


def _constant(value: float) -> np.ndarray:
    # An array without dimensions: as an operand it takes 0.2 us less than a Python number.
    return np.array(np.float32(value), np.float64)


_LOG = [
    _constant(c)
    for c in (
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    )
]
_LN2_LOW = _constant(-2.12194440e-4)
_LN2_HIGH = _constant(0.693359375)
_HALF, _MINUS_HALF = _constant(0.5), _constant(-0.5)
_ROOT_HALF_BITS = np.array(0x3F3504F3, np.int32)

_FOUR_OVER_PI = np.array(1.27323954473516, np.float32)
_ZERO, _UNIT, _MINUS_DOUBLE = (np.array(i, np.float32) for i in (0.0, 1.0, -2.0))
_TWO_PI = np.array(2 * math.pi, np.float32)
# pi/4 in three parts, negated.
_QUARTER_PI = [
    _constant(c) for c in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
]
# Coefficients of the cosine's polynomial above those of the sine's.
_COS_SIN = np.array(
    [
        [[2.443315711809948e-5], [-1.9515295891e-4]],
        [[-1.388731625493765e-3], [8.3321608736e-3]],
        [[4.166664568298827e-2], [-1.6666654611e-1]],
    ],
    np.float32,
).astype(np.float64)

_ONE, _TWO, _FOUR, _NOT_ONE = (np.array(i, np.int32) for i in (1, 2, 4, -2))
_MANTISSA, _TO_SIGN = (np.array(i, np.int32) for i in (23, 29))


def box_muller(draws: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Normal values from uniform ones, pair by pair.

    Args:
        draws: float32 of shape (2, n), from [0, 1): what gives the radii, and what the angles.
        mean, std: of the result, used in float32.

    Returns:
        Float32 of the same shape: the cosines, and the sines.
    """
    radius = _log(_UNIT - draws[0])
    radius *= _MINUS_DOUBLE
    np.sqrt(radius, radius)
    values = _cos_sin(draws[1] * _TWO_PI)
    values *= radius
    if mean == 0.0 and std == 1.0:
        # The addition of the mean turns a minus zero into a plain one.
        values += _ZERO
        return values
    wide = values.astype(np.float64)
    wide *= float(np.float32(std))
    wide += float(np.float32(mean))
    return wide.astype(np.float32)


def _log(x: np.ndarray) -> np.ndarray:
    """The logarithm of float32 values from (0, 1]."""
    bits = x.view(np.int32)
    exponent = (bits - _ROOT_HALF_BITS) >> _MANTISSA
    mantissa = (bits - (exponent << _MANTISSA)).view(np.float32)
    e = exponent.astype(np.float64)
    x = mantissa - _UNIT
    single = x
    x = x.astype(np.float64)

    z = x * x
    single[...] = z
    z[...] = single
    y = x * _LOG[0]
    y += _LOG[1]
    single[...] = y
    y[...] = single
    for coefficient in _LOG[2:]:
        y *= x
        y += coefficient
        single[...] = y
        y[...] = single
    y *= x
    single[...] = y
    y[...] = single
    low = e * _LN2_LOW
    single[...] = low
    low[...] = single
    y *= z
    y += low
    single[...] = y
    y[...] = single
    z *= _HALF
    y -= z
    single[...] = y
    y[...] = single
    x += y
    single[...] = x
    x[...] = single
    e *= _LN2_HIGH
    e += x
    single[...] = e
    return single


def _cos_sin(theta: np.ndarray) -> np.ndarray:
    """The cosines and sines, of shape (2, n), of float32 angles that are not negative."""
    octant = (theta * _FOUR_OVER_PI).astype(np.int32)
    octant += _ONE
    octant &= _NOT_ONE
    j = octant.astype(np.float64)
    # Row 0 belongs to the cosine, row 1 to the sine: what the last product multiplies by.
    last = np.empty((2, theta.size))
    x = last[1]
    x[...] = theta
    for part in _QUARTER_PI:
        x += j * part
        theta[...] = x
        x[...] = theta
    z = x * x
    theta[...] = z
    z[...] = theta
    last[0] = z
    values = np.empty((2, theta.size), np.float32)
    y = _COS_SIN[0] * z
    y += _COS_SIN[1]
    values[...] = y
    y[...] = values
    y *= z
    y += _COS_SIN[2]
    values[...] = y
    y[...] = values
    y *= z
    values[...] = y
    y[...] = values
    y *= last
    z *= _MINUS_HALF
    last[0] = z
    y += last
    values[...] = y
    cosine = values[0]
    cosine += _UNIT

    # An odd quarter turn exchanges the two, bit by bit; then each gets its sign.
    bits = values.view(np.int32)
    exchange = (bits[0] ^ bits[1]) & -((octant >> _ONE) & _ONE)
    bits[0] ^= exchange ^ ((~(octant - _TWO) & _FOUR) << _TO_SIGN)
    bits[1] ^= exchange ^ ((octant & _FOUR) << _TO_SIGN)
    return values
