"""Derivatives around the gamma function: polygamma, and of gamma samples by their parameter.

SciPy is loaded at the first call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy


def polygamma(xp: Any, n: int, x: Any) -> Any:
    """The n-th derivative of digamma at `x`; but for the first, evaluated in double and rounded."""
    if n == 1:
        return trigamma(xp, x)
    from scipy import special

    wide = xp.to_numpy(x).astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        return xp.asarray(special.polygamma(n, wide)).astype(x.dtype)


def trigamma(xp: Any, x: Any) -> Any:
    """The derivative of digamma, in the steps of torch: aten/src/ATen/native/Math.h."""
    dtype = x.dtype
    if dtype.itemsize == 2:
        return trigamma(xp, x.astype(xp.float32)).astype(dtype)
    number = dtype.type
    pi = number(math.pi)
    with numpy.errstate(all="ignore"):
        sine = xp.elementary.sin(pi * x)
        turned = x < 0.5
        result = xp.where(turned, -(pi * pi) / (sine * sine), number(0))
        x = xp.where(turned, 1 - x, x)
        for _ in range(6):
            result = result + 1 / (x * x)
            x = x + 1
        y = 1 / (x * x)
        series = y * (number(1 / 6) - y * (number(1 / 30) - y * number(1 / 42)))
        result = result + (1 + 1 / (2 * x) + series) / x
        return xp.as_array(xp.where(turned, -result, result)).astype(dtype)


def standard_gamma_grad(xp: Any, alpha: Any, sample: Any) -> Any:
    """d sample / d alpha of gamma samples, at a fixed value of their distribution function.

    By implicit reparametrisation (Figurnov, Mohamed, Mnih 2018): minus the derivative of the
    distribution function by alpha, here a central difference, over the density.
    """
    from scipy import special

    a = xp.to_numpy(alpha).astype(numpy.float64)
    x = xp.to_numpy(sample).astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        step = 1e-5 * numpy.maximum(a, 1e-3)
        slope = (special.gammainc(a + step, x) - special.gammainc(a - step, x)) / (2 * step)
        density = numpy.exp((a - 1) * numpy.log(x) - x - special.gammaln(a))
        return xp.asarray(-slope / density).astype(alpha.dtype)
