"""The functions of Bessel, digamma, and orthogonal polynomials, in the steps of torch.

As aten/src/ATen/native/Math.h. Bessel's are Cephes' ratios of polynomials, in double, but for
denominators whose leading 1 is left out, which is seen in the seventh digit; polynomials are by
their recurrences, in double, Chebyshev's by angles where the degree is high.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy

from minitorch.core.arrays.floating_point import Silence, restore, silence
from minitorch.core.arrays.questions import every, largest_of, some
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
    """The value at an array of doubles, by Horner's rule from the highest power on: as
    numpy.polyval, in a third of its time."""
    y = numpy.zeros(x.shape)
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
    """first() where `near` is true and second() elsewhere; each is computed only if needed."""
    if every(near):
        return first()
    return numpy.where(near, first(), second()) if some(near) else second()


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
    return numpy.where(tiny, 1 - z / 4, near) if some(tiny) else near


def _first(order: int, x: Any) -> Any:
    return _by_side(x <= 5, lambda: _near(order, x), lambda: _far(order, x, False))


def first_kind(order: int, x: Any) -> Any:
    """J0 or J1 of doubles."""
    with Silence():
        out = _first(order, abs(x))
        return numpy.where(x < 0, -out, out) if order else out


def _second(order: int, x: Any) -> Any:
    """Y0 or Y1 between 0 and 5; NaN below 0."""
    logarithms = _near(order, abs(x)) * numpy.log(x)
    if order:
        return x * _ratio(order, "y", x * x) + 2 / math.pi * (logarithms - 1 / x)
    return _ratio(order, "y", x * x) + 2 / math.pi * logarithms


def second_kind(order: int, x: Any) -> Any:
    """Y0 or Y1 of doubles: minus infinity at 0, NaN below."""
    with Silence():
        out = _by_side(x <= 5, lambda: _second(order, x), lambda: _far(order, x, True))
        if every(x > 0):
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
    """psi of float32 by Cephes' method in double, as in aten/src/ATen/native/Math.h.

    2 ms for 100,000 numbers of both signs; SciPy's psi takes 16, since it searches roots among
    negative numbers.
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
    while some(small := y < _ASYMPTOTIC):  # psi(y) = psi(y + 1) - 1 / y
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


class Terms(NamedTuple):
    """The polynomials of one kind at an array of doubles, by degree: 1 is the first.

    second: the next. step: step(k, p, q) is the one after q, of degree k, and p before it.
    """

    second: Any
    step: Callable[[int, Any, Any], Any]


def chebyshev_terms(x: Any, kind: str, shifted: bool) -> Terms:
    """Chebyshev's polynomials of the kinds t, u, v and w; `shifted` from [-1, 1] to [0, 1]."""
    y = x + x - 1.0 if shifted else x
    twice = y + y
    if kind in "vw":
        second = twice + (1.0 if kind == "w" else -1.0)
    else:
        second = y if kind == "t" else twice
    return Terms(second, lambda k, p, q: twice * q - p)


def hermite_terms(x: Any) -> Terms:
    twice = x + x
    return Terms(twice, lambda k, p, q: twice * q - (k + k) * p)


def laguerre_terms(x: Any) -> Terms:
    other = 1.0 - x
    return Terms(other, lambda k, p, q: ((k + k + other) * q - k * p) / (k + 1))


TERMS: dict[str, Callable[[Any], Terms]] = {
    "hermite_polynomial_h": hermite_terms,
    "hermite_polynomial_he": lambda x: Terms(x, lambda k, p, q: x * q - k * p),
    "laguerre_polynomial_l": laguerre_terms,
    "legendre_polynomial_p": lambda x: Terms(
        x, lambda k, p, q: ((k + k + 1) * x * q - k * p) / (k + 1)
    ),
}
_HIGHEST = 64  # degree to which terms are found without looking at the elements


@cache
def of_scipy(name: str) -> Callable[[Any, Any], Any]:
    """SciPy's function of degrees and doubles for a polynomial."""
    from scipy import special  # start-up: 150 ms

    if name[-1] not in "vw":
        return getattr(special, _IN_SCIPY[name])
    second = of_scipy(f"{name[:-1]}u")
    join = numpy.subtract if name[-1] == "v" else numpy.add
    return lambda n, x: join(second(n, x), second(n - 1, x), out=...)


_IN_SCIPY = {
    "chebyshev_polynomial_t": "eval_chebyt",
    "chebyshev_polynomial_u": "eval_chebyu",
    "shifted_chebyshev_polynomial_t": "eval_sh_chebyt",
    "shifted_chebyshev_polynomial_u": "eval_sh_chebyu",
    "hermite_polynomial_h": "eval_hermite",
    "hermite_polynomial_he": "eval_hermitenorm",
    "laguerre_polynomial_l": "eval_laguerre",
    "legendre_polynomial_p": "eval_legendre",
}
_FEW = 1024  # elements, from which on a call for each step costs less than SciPy's loops


_DEGREES = [numpy.asarray(n) for n in range(_HIGHEST + 1)]  # kept: 0.2 us less than a cast


def of_few(name: str, x: Any, degree: int) -> Any:
    """The polynomial of a low degree at few float32, in one call; None if one is not finite."""
    before = silence()
    try:
        y = of_scipy(name)(_DEGREES[degree], x.astype(_DOUBLE))
        if type(y) is not numpy.ndarray:
            y = numpy.asarray(y)
        flat = y if y.ndim == 1 else y.reshape(-1)
        return y.astype(x.dtype) if flat.dot(flat) < _FINITE else None
    finally:
        restore(before)


_FINITE = 1e76  # the sum of their squares, below which all are as float32


def of_degree(x: Any, degree: int, terms: Callable[[Any], Terms]) -> Any:
    """The polynomial of one degree at an array, in blocks that stay in the cache."""
    if not degree:
        return numpy.ones(x.shape, x.dtype)
    if x.size <= _IN_CACHE:
        return numpy.asarray(_of_degree(x.astype(numpy.float64), degree, terms)).astype(x.dtype)
    out = numpy.empty(x.shape, x.dtype)
    flat, into = x.reshape(-1), out.reshape(-1)
    for start in range(0, x.size, _IN_CACHE):
        part = slice(start, start + _IN_CACHE)
        into[part] = _of_degree(flat[part].astype(numpy.float64), degree, terms)
    return out


def _of_degree(x: Any, degree: int, terms: Callable[[Any], Terms]) -> Any:
    p, (q, step) = 1.0, terms(x)
    for k in range(1, degree):
        p, q = q, step(k, p, q)
    return q


def recurrence(xp: Any, n: Any, terms: Terms, known: Any) -> Any:
    """The polynomials of degrees `n`.

    known: where none is wanted.
    """
    q = terms.second + xp.zeros(n.shape)
    p = xp.ones(q.shape)
    out = xp.where(n == 0, p, q)
    degrees = xp.where(known | (out != out), 0, n)
    largest = int(largest_of(degrees)) if degrees.size else 0
    for k in range(2, largest + 1):
        p, q = q, terms.step(k - 1, p, q)
        out = xp.where(degrees == k, q, out)
        if k % _LOOKS == 0 and not some((degrees > k) & (q == q)):
            return xp.where(degrees > k, q, out)  # terms that are no numbers stay
    return out


_LOOKS = 64  # steps after which is asked whether a term is still wanted


def whole(xp: Any, n: Any) -> Any:
    """Degrees without fractions; -1, which no polynomial has, for numbers that no int64 holds."""
    return xp.where(xp.abs(n) < 2.0**63, xp.trunc(n), -1.0)


def polynomial_of(
    xp: Any,
    x: Any,
    n: Any,
    name: str,
    terms: Callable[[Any], Terms],
    general: Callable[..., Any],
    highest: int = _HIGHEST,
) -> Any:
    """The polynomials of degrees `n` at `x`, in double; 0 of negative degrees.

    general: general(xp, x, n, terms, dtype) knows what `terms` alone do not say: of high degrees,
        and where the terms need not be computed. highest: the degree above which it is asked for
        doubles.
    """
    degree, single = -1, x.dtype.char == "f"
    if type(x) is numpy.ndarray and n.size == 1 and n.ndim <= x.ndim:
        degree = n.item()
        low = 0 <= degree < (_HIGHEST if single else highest) + 1
        degree = int(degree) if low else -1
    if degree >= 0 and single and x.size < _FEW:
        few = of_few(name, x, degree)
        if few is not None:
            return few
    with Silence():
        if degree >= 0:
            return of_degree(x, degree, terms)
        wide, n = x.astype(numpy.float64), whole(xp, n.astype(numpy.float64))
        out = general(xp, wide, n, terms, x.dtype)
        return xp.asarray(xp.where(n < 0, 0, out), dtype=x.dtype)


def chebyshev(
    xp: Any, x: Any, n: Any, terms: Any, dtype: Any, kind: str, threshold: int, shifted: bool
) -> Any:
    """Chebyshev's polynomials: beyond a threshold by angles, as ATen has them."""
    y = x + x - 1.0 if shifted else x
    size = xp.abs(y)
    ends = size == 1
    angled = (n > threshold) & (size < 1)
    out = recurrence(xp, n, terms(x), angled | ends)
    if some(angled):
        out = xp.where(angled, by_angle(xp, y, n, kind), out)
    return xp.where(ends, at_ends(xp, y, n, kind), out) if some(ends) else out


def at_ends(xp: Any, y: Any, n: Any, kind: str) -> Any:
    """Chebyshev's polynomials at 1 and -1."""
    sign = xp.where(xp.fmod(n, 2) == 0, 1.0, -1.0)
    high = {"t": 1.0, "u": n + 1.0, "v": 1.0, "w": n + n + 1.0}[kind]
    low = sign * {"t": 1.0, "u": n + 1.0, "v": n + n + 1.0, "w": 1.0}[kind]
    return xp.where(y > 0, high, low)


def by_angle(xp: Any, y: Any, n: Any, kind: str) -> Any:
    """Chebyshev's polynomials between -1 and 1 as ratios of sines and cosines."""
    angle = xp.arccos(y)
    if kind == "t":
        return xp.cos(n * angle)
    if kind == "u":
        return xp.sin((n + 1.0) * angle) / xp.sin(angle)
    wave = xp.cos if kind == "v" else xp.sin
    return wave((n + 0.5) * angle) / wave(angle / 2)


def hermite(xp: Any, x: Any, n: Any, terms: Any, dtype: Any) -> Any:
    """Hermite's polynomials; NaN for high degrees."""
    beyond = n > (512 if dtype.itemsize == 8 else 128)
    return xp.where(beyond, numpy.nan, recurrence(xp, n, terms(x), beyond))


def laguerre(xp: Any, x: Any, n: Any, terms: Any, dtype: Any) -> Any:
    """Laguerre's polynomials."""
    return recurrence(xp, n, terms(x), False)


def legendre(xp: Any, x: Any, n: Any, terms: Any, dtype: Any) -> Any:
    """Legendre's polynomials, 1 or -1 at the ends."""
    ends = xp.abs(x) == 1
    out = recurrence(xp, n, terms(x), ends)
    return xp.where(ends, xp.where((x > 0) | (xp.fmod(n, 2) == 0), 1.0, -1.0), out)


def _kernels() -> dict[str, Callable[..., Any]]:
    kernels = {}
    for prefix, thresholds in (("", (6, 8, 8, 8)), ("shifted_", (6, 6, 6, 4))):
        for kind, threshold in zip("tuvw", thresholds, strict=True):
            kernels[f"{prefix}chebyshev_polynomial_{kind}"] = partial(
                polynomial_of,
                terms=partial(chebyshev_terms, kind=kind, shifted=bool(prefix)),
                general=partial(chebyshev, kind=kind, threshold=threshold, shifted=bool(prefix)),
                highest=threshold,
            )
    for name, general in (
        ("hermite_polynomial_h", hermite),
        ("hermite_polynomial_he", hermite),
        ("laguerre_polynomial_l", laguerre),
        ("legendre_polynomial_p", legendre),
    ):
        kernels[name] = partial(polynomial_of, terms=TERMS[name], general=general)
    return {name: partial(kernel, name=name) for name, kernel in kernels.items()}


KERNELS = _kernels()
