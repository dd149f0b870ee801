"""Slopes of gamma and Dirichlet samples by their parameters, at fixed values of the distribution
function: minus its derivative by the parameter, over the density.

By implicit reparametrisation (Figurnov, Mohamed, Mnih 2018). As ATen's
native/Distributions.h: Taylor series for small samples, Rice's saddle point expansion for large
parameters, and rational functions fitted to the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitorch.core.arrays.floating_point import Silence

_GAMMA = np.array(
    [
        [
            [0.16009398, -0.094634809, 0.025146376, -0.0030648343],
            [1, 0.32668115, 0.10406089, 0.0014179084],
        ],
        [
            [0.53487893, 0.1298071, 0.065735949, -0.0015649758],
            [0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        ],
        [
            [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777],
            [0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07],
        ],
    ]
)  # by the power of u, numerator or denominator, and the power of v

_BETA = np.array(
    [
        [
            [
                [1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
                [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
                [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013],
            ],
            [
                [0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
                [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
                [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05],
            ],
            [
                [-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
                [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
                [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05],
            ],
        ],
        [
            [
                [1, -0.02924021934, -0.04438342661, 0.007285809825],
                [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
                [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149],
            ],
            [
                [0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
                [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
                [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05],
            ],
            [
                [0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
                [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
                [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06],
            ],
        ],
    ]
)  # numerator or denominator, by the powers of u, of a and of b


_PSI_10 = 2.25175258906672110764
_PSI_TAIL = (
    *(8.33333333333333333333e-2, -8.33333333333333333333e-3, 3.96825396825396825397e-3),
    *(-4.16666666666666666667e-3, 7.57575757575757575758e-3, -2.10927960927960927961e-2),
    8.33333333333333333333e-2,
)


def _log(x: np.ndarray) -> np.ndarray:
    # Rounded once, as the C library's function of float32 is, and NumPy's is not.
    return np.log(x.astype(np.float64)).astype(x.dtype)


def _power(x: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    return np.power(x.astype(np.float64), exponent.astype(np.float64)).astype(x.dtype)


def digamma(x: np.ndarray) -> np.ndarray:
    """The logarithmic derivative of the gamma function for positive x, in the dtype of x.

    As ATen's digamma_one: the last bits decide where two of its values cancel.
    """
    given, total = x, np.zeros(x.shape, np.float64)
    for _ in range(10):
        low = x < 10
        total = np.where(low, total - 1 / x, total)
        x = np.where(low, x + x.dtype.type(1), x)
    inverse = 1.0 / (x * x).astype(np.float64)
    tail = np.where(x < 1e17, inverse * _polynomial(_PSI_TAIL, inverse), 0.0)
    result = total + _log(x) - (x.dtype.type(0.5) / x) - tail
    result = np.where(x == 10, total + _PSI_10, result)
    return np.where(given == 0, np.inf, result).astype(x.dtype)


def gamma_slopes(alpha: np.ndarray, x: np.ndarray) -> np.ndarray:
    """d sample / d alpha of samples `x` of gamma distributions of shape `alpha`.

    Args:
        alpha, x: of one shape, float32 or float64.

    Returns:
        float64 of that shape.
    """
    alpha, x = np.broadcast_arrays(alpha.astype(np.float64), x.astype(np.float64))
    small, large = x < np.float32(0.8), alpha > 8.0
    # The bounds are float32 constants in ATen.
    near = (np.float64(np.float32(0.9)) * alpha <= x) & (x <= np.float64(np.float32(1.1)) * alpha)
    return _by_case(
        (
            (small, _gamma_of_small_sample),
            (~small & large & near, _gamma_near_mean),
            (~small & large & ~near, _gamma_of_large_shape),
            (~small & ~large, _gamma_between),
        ),
        alpha,
        x,
    )


def dirichlet_slopes(x: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> np.ndarray:
    """d x / d alpha over 1 - x of shares `x` of Dirichlet distributions.

    Args:
        x: the shares.
        alpha: their concentrations.
        total: the sums of these; all of one shape, float32 or float64.

    Returns:
        float64 of that shape.
    """
    number = x.dtype.type
    beta, boundary = total - alpha, total * x * (number(1) - x)
    low = (x <= 0.5) & (boundary < 2.5)
    high = ~low & (x >= 0.5) & (boundary < 0.75)
    middle = ~low & ~high & (alpha > 6) & (beta > 6)
    cases = (
        (low, _beta_of_small_share),
        (high, lambda x, a, t: -_beta_by_other(1 - x, t - a, a)),
        (middle, _beta_of_large_shapes),
        (~low & ~high & ~middle, _beta_between),
    )
    return _by_case(cases, x, alpha, total)


def _by_case(cases: Any, *arguments: np.ndarray) -> np.ndarray:
    out = np.empty(arguments[0].shape, np.float64)
    with Silence():
        for where, formula in cases:
            if where.any():
                out[where] = formula(*(each[where] for each in arguments))
    return out


def _polynomial(coefficients: Any, x: Any) -> Any:
    """The value of a polynomial with coefficients of rising powers, by Horner's rule."""
    *others, result = coefficients
    for each in reversed(others):
        result = each + x * result
    return result


# ---- gamma


def _gamma_of_small_sample(alpha: np.ndarray, x: np.ndarray) -> np.ndarray:
    numerator, denominator = np.ones_like(x), alpha
    series, squares = numerator / denominator, numerator / (denominator * denominator)
    for i in range(1, 6):
        numerator = numerator * (-x / i)
        denominator = denominator + 1
        series = series + numerator / denominator
        squares = squares + numerator / (denominator * denominator)
    power = np.power(x, alpha)
    density = np.power(x, alpha - 1) * np.exp(-x)
    slope = (np.log(x) - digamma(alpha)) * (power * series) - power * squares
    result = -slope / density
    return np.where(np.isnan(result), 0.0, result)


def _gamma_near_mean(alpha: np.ndarray, x: np.ndarray) -> np.ndarray:
    square = alpha * alpha
    one = 1 + 24 * alpha * (1 + 12 * alpha)
    two = 1440 * square + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
    return one * two / (1244160 * square * square)


def _gamma_of_large_shape(alpha: np.ndarray, x: np.ndarray) -> np.ndarray:
    root = np.sqrt(8 * alpha)
    ratio = np.log(x / alpha)
    two = root / (alpha - x)
    three = np.power(x - alpha - alpha * ratio, -1.5)
    one = ratio * np.where(x < alpha, two - three, two + three) - np.sqrt(2 / alpha) * (
        alpha + x
    ) / ((alpha - x) * (alpha - x))
    stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))
    return -stirling * (x * one) / root


def _gamma_between(alpha: np.ndarray, x: np.ndarray) -> np.ndarray:
    u, v = np.log(x / alpha), np.log(alpha)
    p, q = (_polynomial([_polynomial(_GAMMA[:, i, j], u) for j in range(4)], v) for i in range(2))
    return np.exp(p / q)


# ---- beta: x of Beta(a, b), where t = a + b. As ATen, the series are of the dtype of x.


def _beta_of_small_share(x: Any, a: Any, t: Any) -> Any:
    b = t - a
    factor = digamma(a) - digamma(a + b) - _log(x)
    numerator = np.ones_like(x)
    series = numerator / a * (factor + 1 / a)
    for i in range(1, 11):
        numerator = numerator * ((i - b) * x / i)
        series = series + numerator / (a + i) * (factor + 1 / (a + i))
    result = x * _power(1 - x, -b) * series
    return np.where(np.isnan(result), 0.0, result)


def _beta_by_other(x: Any, a: Any, b: Any) -> Any:
    """The slope by b of a small x of Beta(a, b)."""
    factor = digamma(a + b) - digamma(b)
    numerator, betas, slopes, series = np.ones_like(x), np.ones_like(x), 0.0, factor / a
    for i in range(1, 9):
        numerator = numerator * (-x / i)
        slopes = slopes * (b - i) + betas
        betas = betas * (b - i)
        series = series + numerator / (a + i) * (slopes + factor * betas)
    result = -_power(1 - x, 1 - b) * series
    return np.where(np.isnan(result), 0.0, result)


def _beta_of_large_shapes(x: Any, a: Any, t: Any) -> Any:
    x, a, t = (each.astype(np.float64) for each in (x, a, t))
    b = t - a
    t = a + b
    mean, deviation = a / t, np.sqrt(a * b / (t + 1)) / t
    near = (mean - 0.1 * deviation <= x) & (x <= mean + 0.1 * deviation)
    cases = ((near, _beta_near_mean), (~near, _beta_far_from_mean))
    return _by_case(cases, x, a, b, t)


def _beta_near_mean(x: Any, a: Any, b: Any, t: Any) -> Any:
    square = b * b
    powers_of_a = (
        47 * x * square * square,
        (43 + 20 * (16 + 27 * b) * x) * square * b,
        3 * (59 + 180 * b - 90 * x) * square,
        (453 + 1620 * b * (1 - x) - 455 * x) * b,
        8 * (1 - x) * (135 * b - 11),
    )
    above = (1 + 12 * a) * (1 + 12 * b) / (t * t)
    below = 12960 * a * a * a * b * b * (1 + 12 * t)
    return above / (1 - x) * _polynomial(powers_of_a, a) / below


def _beta_far_from_mean(x: Any, a: Any, b: Any, t: Any) -> Any:
    def stirling(y: Any) -> Any:
        return 1 + 1 / (12 * y) + 1 / (288 * y * y)

    away = a * (x - 1) + b * x
    one = (2 * a * a * (x - 1) + a * b * (x - 1) - x * b * b) / (
        np.sqrt(2 * a / b) * np.power(t, 1.5) * away * away
    )
    two = 0.5 * np.log(a / (t * x))
    three = np.sqrt(8 * a * b / t) / away
    divergence = b * np.log(b / (t * (1 - x))) + a * np.log(a / (t * x))
    four = np.power(divergence, -1.5)
    terms = one + two * (three + np.where(x < a / t, four, -four))
    scale = stirling(a) * stirling(b) / stirling(t)
    return scale * (-x / np.sqrt(2 * a * b / t)) * terms


def _beta_between(x: Any, a: Any, t: Any) -> Any:
    slopes = (digamma(t) - digamma(a)).astype(np.float64)
    x, a, t = (each.astype(np.float64) for each in (x, a, t))
    u = np.log(x)
    v = np.log(a) - u
    w = np.log(t) - v
    p, q = (
        sum(u**i * v**j * _polynomial(_BETA[n, i, j], w) for i in range(3) for j in range(3))
        for n in range(2)
    )
    return p / q * (x * slopes / (t - a))
