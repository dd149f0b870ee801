"""Orthogonal polynomials by their recurrences, in the dtype of their argument.

As aten/src/ATen/native/Math.h: those of Chebyshev by angles where the degree is high.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy


def recurrence(
    xp: Any, n: Any, p: Any, q: Any, step: Callable[[int, Any, Any], Any], known: Any
) -> Any:
    """The n-th term: `p`, `q`, then `step(k, p, q)` of the two before, with k from 1 on.

    known: where no term is wanted.
    """
    out = xp.where(n == 0, p, q)
    degrees = xp.where(known | (out != out), 0, n)
    for k in range(2, int(degrees.max(initial=0)) + 1):
        p, q = q, step(k - 1, p, q)
        out = xp.where(degrees == k, q, out)
        out = xp.where((degrees > k) & (q != q), q, out)  # a term that is no number stays
    return out


def fused(a: Any, b: Any, c: Any) -> Any:
    """a * b - c, rounded once as torch's compiler has it; of doubles, twice."""
    return (a.astype(numpy.float64) * b - c).astype(a.dtype)


def whole(xp: Any, n: Any) -> Any:
    """Degrees without fractions; -1, of which there is no polynomial, for no number or infinity."""
    return xp.where(xp.isfinite(n), xp.trunc(n), n.dtype.type(-1))


def chebyshev(xp: Any, x: Any, n: Any, kind: str, threshold: int, shifted: bool = False) -> Any:
    """Of the first to fourth kind, t, u, v and w; `shifted` from [-1, 1] to [0, 1]."""
    n, one = whole(xp, n), x.dtype.type(1)
    y = x + x - one if shifted else x
    twice = y + y
    second = {"t": y, "u": twice, "v": twice - one, "w": twice + one}[kind]
    sign = xp.where(xp.fmod(n, 2) == 0, one, -one)
    high = {"t": one, "u": n + one, "v": one, "w": n + n + one}[kind]
    low = sign * {"t": one, "u": n + one, "v": n + n + one, "w": one}[kind]
    ends = xp.abs(y) == 1
    angled = (n > threshold) & (xp.abs(y) < 1) & ~ends
    ones = xp.ones(y.shape, y.dtype)
    out = recurrence(xp, n, ones, second * ones, lambda k, p, q: fused(twice, q, p), angled | ends)
    if angled.any():
        with numpy.errstate(all="ignore"):
            out = xp.where(angled, by_angle(xp, y, n, kind), out)
    out = xp.where(ends, xp.where(y > 0, high, low), out)
    return xp.asarray(xp.where(n < 0, 0, out), dtype=x.dtype)


def by_angle(xp: Any, y: Any, n: Any, kind: str) -> Any:
    """Chebyshev's polynomials between -1 and 1 as ratios of sines and cosines."""
    angle, f = xp.elementary.arccos(y), xp.elementary
    if kind == "t":
        return f.cos(n * angle)
    if kind == "u":
        return f.sin((n + 1) * angle) / f.sin(angle)
    wave = f.cos if kind == "v" else f.sin
    return wave((n + n.dtype.type(0.5)) * angle) / wave(angle / 2)


def recurrent(
    xp: Any,
    x: Any,
    n: Any,
    second: Callable[[Any], Any],
    step: Callable[[int, Any, Any, Any], Any],
    limited: bool = False,
) -> Any:
    """The others: 1, `second(x)`, then `step(k, x, p, q)` of the two before, with k from 1 on.

    limited: whether there are no numbers of high degrees.
    """
    n = whole(xp, n)
    limit = (512 if x.dtype.itemsize == 8 else 128) if limited else numpy.inf
    ones = xp.ones(xp.broadcast_shapes(x.shape, n.shape), x.dtype)
    with numpy.errstate(all="ignore"):
        out = recurrence(xp, n, ones, second(x) * ones, lambda k, p, q: step(k, x, p, q), n > limit)
    out = xp.where((n > limit) & (n > 1), numpy.nan, out)
    return xp.asarray(xp.where(n < 0, 0, out), dtype=x.dtype)


def legendre(xp: Any, x: Any, n: Any) -> Any:
    """Legendre's, 1 or -1 at the ends."""
    out = recurrent(
        *[xp, x, n, lambda x: x],
        *[lambda k, x, p, q: fused((k + k + 1) * x, q, k * p) / (k + 1)],
    )
    ends = xp.where((x > 0) | (xp.fmod(whole(xp, n), 2) == 0), 1, -1)
    return xp.asarray(xp.where((xp.abs(x) == 1) & (n >= 0), ends, out), dtype=x.dtype)


KERNELS: dict[str, Callable[..., Any]] = {
    **{
        f"{prefix}chebyshev_polynomial_{kind}": partial(
            chebyshev, kind=kind, threshold=threshold, shifted=bool(prefix)
        )
        for prefix, thresholds in (("", (6, 8, 8, 8)), ("shifted_", (6, 6, 6, 4)))
        for kind, threshold in zip("tuvw", thresholds, strict=True)
    },
    "hermite_polynomial_h": partial(
        recurrent,
        second=lambda x: x + x,
        step=lambda k, x, p, q: fused(x + x, q, (k + k) * p),
        limited=True,
    ),
    "hermite_polynomial_he": partial(
        recurrent, second=lambda x: x, step=lambda k, x, p, q: fused(x, q, k * p), limited=True
    ),
    "laguerre_polynomial_l": partial(
        recurrent,
        second=lambda x: 1 - x,
        step=lambda k, x, p, q: fused((k + k) + (1 - x), q, k * p) / (k + 1),
    ),
    "legendre_polynomial_p": legendre,
}
