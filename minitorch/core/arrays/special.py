"""The functions of Bessel, digamma, and orthogonal polynomials, in the steps of torch.

As aten/src/ATen/native/Math.h. Bessel's are Cephes' ratios of polynomials, in double, but for
denominators whose leading 1 is left out, which is seen in the seventh digit; polynomials are by
their recurrences in the dtype of their argument, Chebyshev's by angles where the degree is high.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from minitorch.core.arrays.floating_point import Silence
from minitorch.core.arrays.scalars import NUMBERS

# ---- Bessel

# By order: coefficients for large arguments (p, q), for small ones of the first kind (r), and of
# the second (y); numerators end in p, denominators in q.
_TABLES = {
    0: {
        "pp": (
            0.0007969367292973471,
            0.08283523921074408,
            1.239533716464143,
            5.447250030587687,
            8.74716500199817,
            5.303240382353949,
            1.0,
        ),
        "pq": (
            0.0009244088105588637,
            0.08562884743544745,
            1.2535274390105895,
            5.470977403304171,
            8.761908832370695,
            5.306052882353947,
            1.0,
        ),
        "qp": (
            -0.011366383889846916,
            -1.2825271867050931,
            -19.553954425773597,
            -93.20601521237683,
            -177.68116798048806,
            -147.07750515495118,
            -51.41053267665993,
            -6.050143506007285,
        ),
        "qq": (
            64.3178256118178,
            856.4300259769806,
            3882.4018360540163,
            7240.467741956525,
            5930.727011873169,
            2062.0933166032783,
            242.0057402402914,
        ),
        "yp": (
            15592.436785523574,
            -14663929.59039716,
            5435264770.518765,
            -982136065717.9115,
            87590639439536.7,
            -3466283033847297.0,
            4.4273326857256984e16,
            -1.8495080043698668e16,
        ),
        "yq": (
            1041.2835366425984,
            626107.330137135,
            268919633.39381415,
            86400248710.3935,
            20297961275010.555,
            3171577528429750.5,
            2.5059625617265306e17,
        ),
        "rp": (-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0),
        "rq": (
            499.563147152651,
            173785.4016763747,
            48440965.83399621,
            11185553704.535683,
            2112775201154.892,
            310518229857422.56,
            3.1812195594320496e16,
            1.7108629408104315e18,
        ),
    },
    1: {
        "pp": (
            0.0007621256162081731,
            0.07313970569409176,
            1.1271960812968493,
            5.112079511468076,
            8.424045901417724,
            5.214515986823615,
            1.0,
        ),
        "pq": (
            0.0005713231280725487,
            0.06884559087544954,
            1.105142326340617,
            5.073863861286015,
            8.399855543276042,
            5.209828486823619,
            1.0,
        ),
        "qp": (
            0.05108625947501766,
            4.982138729512334,
            75.82382841325453,
            366.7796093601508,
            710.8563049989261,
            597.4896124006136,
            211.68875710057213,
            25.207020585802372,
        ),
        "qq": (
            74.23732770356752,
            1056.4488603826283,
            4986.410583376536,
            9562.318924047562,
            7997.041604473507,
            2826.1927851763908,
            336.0936078106983,
        ),
        "yp": (
            1263204747.9017804,
            -647355876379.1603,
            114509511541823.73,
            -8127702555013251.0,
            2.024394757135949e17,
            -7.788771962659501e17,
        ),
        "yq": (
            594.3015923461282,
            235564.09294306856,
            73481194.44597217,
            18760131610.870617,
            3882312774962.3857,
            620557727146953.8,
            6.871410873553005e16,
            3.9727060811656064e18,
        ),
        "rp": (-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0),
        "rq": (
            620.8364781180543,
            256987.25675774884,
            83514679.14319493,
            22151159547.97925,
            4749141220799.914,
            784369607876235.9,
            8.952223361846274e16,
            5.322786203326801e18,
        ),
    },
}
_ZEROS = (  # squared, of the first kind
    (5.783185962946784, 30.471262343662087),
    (14.681970642123893, 49.21845632169460),
)


def polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    """The value at an array of doubles, from the highest power on: as numpy.polyval, in a third of
    its time."""
    y = numpy.zeros_like(x)
    for each in coefficients:
        numpy.multiply(y, x, y)
        numpy.add(y, _DOUBLES[_DOUBLE, each], y)
    return y


_DOUBLE = numpy.dtype("float64")
_DOUBLES = NUMBERS[float]  # kept 0-d arrays: to add one takes half as long as to add the number


def _ratio(order: int, kind: str, x: Any) -> Any:
    table = _TABLES[order]
    return polynomial(table[f"{kind}p"], x) / polynomial(table[f"{kind}q"], x)


def _by_side(near: Any, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """first() where `near` says so and second() elsewhere, each computed only if it is wanted."""
    if near.all():
        return first()
    return numpy.where(near, first(), second()) if near.any() else second()


def _far(order: int, x: Any, second: bool) -> Any:
    angle, z = x - math.pi * (0.25 + order / 2), 25 / (x * x)
    one, other = numpy.cos(angle), -numpy.sin(angle)
    if second:
        one, other = -other, one
    waves = _ratio(order, "p", z) * one + 5 / x * _ratio(order, "q", z) * other
    return waves * math.sqrt(2 / math.pi) / numpy.sqrt(x)


def _near(order: int, x: Any) -> Any:
    z = x * x
    a, b = _ZEROS[order]
    near = (z - a) * (z - b) * _ratio(order, "r", z)
    if order:
        return near * x
    tiny = x < 1e-5
    return numpy.where(tiny, 1 - z / 4, near) if tiny.any() else near


def _first(order: int, x: Any) -> Any:
    return _by_side(x <= 5, lambda: _near(order, x), lambda: _far(order, x, False))


def first_kind(order: int, x: Any) -> Any:
    """J0 or J1 of doubles."""
    with Silence():
        out = _first(order, abs(x))
        return numpy.where(x < 0, -out, out) if order else out


def _second(order: int, x: Any) -> Any:
    """Y0 or Y1 between 0 and 5; no number below."""
    logarithms = _near(order, abs(x)) * numpy.log(x)
    if order:
        return x * _ratio(order, "y", x * x) + 2 / math.pi * (logarithms - 1 / x)
    return _ratio(order, "y", x * x) + 2 / math.pi * logarithms


def second_kind(order: int, x: Any) -> Any:
    """Y0 or Y1 of doubles: minus infinity at 0, no number below."""
    with Silence():
        out = _by_side(x <= 5, lambda: _second(order, x), lambda: _far(order, x, True))
        if (x > 0).all():
            return out
        return numpy.where(x == 0, -numpy.inf, numpy.where(x < 0, numpy.nan, out))


# ---- gamma

_ASYMPTOTIC = 10.0  # from which on the series is exact to double
_DIGAMMA = (
    1 / 12,
    -2.10927960927960927961e-2,
    7.57575757575757575758e-3,
    -4.16666666666666666667e-3,
    3.96825396825396825397e-3,
    -8.33333333333333333333e-3,
    1 / 12,
)
_IN_CACHE = 1 << 14  # doubles whose steps stay in cache


def digamma(x: Any) -> Any:
    """Of float32: Cephes' psi, as aten/src/ATen/native/Math.h has it, in double.

    2 ms for 100,000 of both signs, of which SciPy's looks for roots among the negative ones: 16 ms.
    """
    out = numpy.empty(x.shape, x.dtype)
    flat, into = x.reshape(-1), out.reshape(-1)
    with Silence():
        for start in range(0, x.size, _IN_CACHE):
            part = slice(start, start + _IN_CACHE)
            into[part] = _digamma(flat[part].astype(numpy.float64))
    return out


def _digamma(x: Any) -> Any:
    negative = x < 0
    y = numpy.where(negative, 1 - x, x)
    out = numpy.zeros(x.shape)
    while (small := y < _ASYMPTOTIC).any():  # psi(y) = psi(y + 1) - 1 / y
        out -= small / y
        y += small
    z = 1 / (y * y)
    out += numpy.log(y) - 0.5 / y - z * polynomial(_DIGAMMA, z)
    below = x[negative]
    reflected = out[negative] - math.pi / numpy.tan(math.pi * (below - numpy.trunc(below)))
    out[negative] = numpy.where(below == numpy.trunc(below), numpy.nan, reflected)
    zero = x == 0
    out[zero] = numpy.copysign(numpy.inf, -x[zero])
    return out


# ---- polynomials


def recurrence(
    xp: Any, n: Any, p: Any, q: Any, step: Callable[[int, Any, Any], Any], known: Any
) -> Any:
    """The n-th term: `p`, `q`, then `step(k, p, q)` of the two before, with k from 1 on.

    known: where no term is wanted.
    """
    out = xp.where(n == 0, p, q)
    degrees = xp.where(known | (out != out), 0, n)
    largest = int(degrees.max()) if degrees.size else 0
    for k in range(2, largest + 1):
        p, q = q, step(k - 1, p, q)
        out = xp.where(degrees == k, q, out)
        if k % _LOOKS == 0 and not ((degrees > k) & (q == q)).any():
            return xp.where(degrees > k, q, out)  # terms that are no numbers stay
    return out


_LOOKS = 64  # steps after which is asked whether a term is still wanted


def fused(a: Any, b: Any, c: Any) -> Any:
    """a * b - c, rounded once as torch's compiler has it; of doubles, twice."""
    x = a.astype(numpy.float64) * b
    x -= c
    return x.astype(a.dtype)


def whole(xp: Any, n: Any) -> Any:
    """Degrees without fractions; -1, of which there is no polynomial, for what no int64 holds."""
    return xp.where(xp.abs(n) < 2.0**63, xp.trunc(n), n.dtype.type(-1))


def chebyshev(xp: Any, x: Any, n: Any, kind: str, threshold: int, shifted: bool = False) -> Any:
    """Of the first to fourth kind, t, u, v and w; `shifted` from [-1, 1] to [0, 1]."""
    n, one = whole(xp, n), x.dtype.type(1)
    y = x + x - one if shifted else x
    twice = y + y
    second = {"t": y, "u": twice, "v": twice - one, "w": twice + one}[kind]
    size = xp.abs(y)
    ends = size == 1
    angled = (n > threshold) & (size < 1)
    ones = xp.ones(y.shape, y.dtype)
    out = recurrence(xp, n, ones, second * ones, lambda k, p, q: fused(twice, q, p), angled | ends)
    if angled.any():
        with Silence():
            out = xp.where(angled, by_angle(xp, y, n, kind), out)
    if ends.any():
        out = xp.where(ends, at_ends(xp, y, n, kind), out)
    return xp.asarray(xp.where(n < 0, 0, out), dtype=x.dtype)


def at_ends(xp: Any, y: Any, n: Any, kind: str) -> Any:
    """Chebyshev's polynomials at 1 and -1."""
    one = y.dtype.type(1)
    sign = xp.where(xp.fmod(n, 2) == 0, one, -one)
    high = {"t": one, "u": n + one, "v": one, "w": n + n + one}[kind]
    low = sign * {"t": one, "u": n + one, "v": n + n + one, "w": one}[kind]
    return xp.where(y > 0, high, low)


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
    known: Any = False,
) -> Any:
    """The others: 1, `second(x)`, then `step(k, x, p, q)` of the two before, with k from 1 on.

    limited: whether there are no numbers of high degrees.
    known: where no term is wanted.
    """
    n = whole(xp, n)
    ones = xp.ones(xp.broadcast_shapes(x.shape, n.shape), x.dtype)
    beyond = n > (512 if x.dtype.itemsize == 8 else 128) if limited else False
    with Silence():
        known = known | beyond
        out = recurrence(xp, n, ones, second(x) * ones, lambda k, p, q: step(k, x, p, q), known)
    if limited:
        out = xp.where(beyond, numpy.nan, out)
    return xp.asarray(xp.where(n < 0, 0, out), dtype=x.dtype)


def legendre(xp: Any, x: Any, n: Any) -> Any:
    """Legendre's, 1 or -1 at the ends."""
    n, ends = whole(xp, n), xp.abs(x) == 1
    out = recurrent(
        *[xp, x, n, lambda x: x],
        *[lambda k, x, p, q: fused((k + k + 1) * x, q, k * p) / (k + 1)],
        known=ends,
    )
    if not ends.any():
        return out
    signs = xp.where((x > 0) | (xp.fmod(n, 2) == 0), 1, -1)
    return xp.asarray(xp.where(ends & (n >= 0), signs, out), dtype=x.dtype)


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
