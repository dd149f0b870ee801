"""Airy's function Ai, step by step as ATen/native/Math.h computes it.

Moshier's Cephes library gave the fractions. Two of them lack their highest coefficient in ATen, so
that its Ai is up to 3e-6 away from the true one left of -2.09; so is this one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.core.arrays.floating_point import Silence
from minitorch.core.arrays.questions import some
from minitorch.core.arrays.special import polynomial

# Numerators and denominators, the highest coefficients first.
_DECAY = (
    (
        3.46538101525629032477e-01,
        1.20075952739645805542e01,
        7.62796053615234516538e01,
        1.68089224934630576269e02,
        1.59756391350164413639e02,
        7.05360906840444183113e01,
        1.40264691163389668864e01,
        9.99999999999999995305e-01,
    ),
    (
        5.67594532638770212846e-01,
        1.47562562584847203173e01,
        8.45138970141474626562e01,
        1.77318088145400459522e02,
        1.64234692871529701831e02,
        7.14778400825575695274e01,
        1.40959135607834029598e01,
        1.00000000000000000470e00,
    ),
)
_SINE = (
    (
        -1.31696323418331795333e-01,
        -6.26456544431912369773e-01,
        -6.93158036036933542233e-01,
        -2.79779981545119124951e-01,
        -4.91900132609500318020e-02,
        -4.06265923594885404393e-03,
        -1.59276496239262096340e-04,
        -2.77649108155232920844e-06,
        -1.67787698489114633780e-08,
    ),
    (
        1.33560420706553243746e01,
        3.26825032795224613948e01,
        2.67367040941499554804e01,
        9.18707402907259625840e00,
        1.47529146771666414581e00,
        1.15687173795188044134e-01,
        4.40291641615211203805e-03,
        7.54720348287414296618e-05,
        4.51850092970580378464e-07,
    ),
)
_COSINE = (
    (
        1.97339932091685679179e-02,
        3.91103029615688277255e-01,
        1.06579897599595591108e00,
        9.39169229816650230044e-01,
        3.51465656105547619242e-01,
        6.33888919628925490927e-02,
        5.85804113048388458567e-03,
        2.82851600836737019778e-04,
        6.98793669997260967291e-06,
        8.11789239554389293311e-08,
        3.41551784765923618484e-10,
    ),
    (
        9.30892908077441974853e00,
        1.98352928718312140417e01,
        1.55646628932864612953e01,
        5.47686069422975497931e00,
        9.54293611618961883998e-01,
        8.64580826352392193095e-02,
        4.12656523824222607191e-03,
        1.01259085116509135510e-04,
        1.17166733214413521882e-06,
        4.91834570062930015649e-09,
    ),
)
_FEW = 12  # numbers, whose series one by one take 4 us each, and 60 as an array
_NEAR, _ZERO_FROM = 2.09, 103.892
_EPSILON = 2.0**-52
_ROOT = 5.64189583547756286948e-01  # 1 / sqrt(pi)
_AT_ZERO, _SLOPE_AT_ZERO = 0.355028053887817239260, 0.258819403792806798405


def airy_ai(x: Any) -> Any:
    """Returns Ai of an array of float64; NaN where it is infinite."""
    with Silence():
        out = numpy.zeros(x.shape)
        left, right = x < -_NEAR, x >= _NEAR
        for side, values in ((left, _waves), (right, _decay)):
            if some(side):
                numpy.copyto(out, values(x), where=side)
        near = ~(left | right)
        if some(near):
            out[near] = _series(x[near])
        out[x > _ZERO_FROM] = 0.0
        out[numpy.isinf(x)] = numpy.nan
    return out


def _ratio(fraction: Any, x: Any) -> Any:
    return polynomial(fraction[0], x) / polynomial(fraction[1], x)


def _waves(x: Any) -> Any:
    """Returns Ai left of -2.09."""
    phase = -2.0 * x * numpy.sqrt(-x) / 3.0
    z = 1.0 / phase
    angle = phase + 0.25 * math.pi
    sine = numpy.sin(angle) * (1.0 + z * z * _ratio(_SINE, z * z))
    return (
        _ROOT / numpy.sqrt(numpy.sqrt(-x)) * (sine - numpy.cos(angle) * z * _ratio(_COSINE, z * z))
    )


def _decay(x: Any) -> Any:
    """Returns Ai right of 2.09."""
    zeta = 2.0 * x * numpy.sqrt(x) / 3.0
    return _ROOT * _ratio(_DECAY, 1.0 / zeta) / (2.0 * numpy.sqrt(numpy.sqrt(x)) * numpy.exp(zeta))


def _series(x: Any) -> Any:
    """Returns Ai between these: Taylor's series of its two parts."""
    if x.size <= _FEW:
        try:
            return _series_of_few(x)
        except ZeroDivisionError:
            pass  # where the first part is 0, an array is infinite or NaN
    f, g, k = numpy.ones_like(x), x.copy(), 1.0
    m, n, cube = f, g, x * x * x
    more = True
    while more:
        m, n = m * cube / (k + 1.0), n * cube / (k + 2.0)
        m, n = m / (k + 2.0), n / (k + 3.0)
        k += 3.0
        f, g = f + m, g + n
        more = bool(some(numpy.abs(m / f) > _EPSILON))
    return _AT_ZERO * f - _SLOPE_AT_ZERO * g


def _series_of_few(x: Any) -> Any:
    """Returns as many terms of each number as the slowest one takes, as of an array."""
    k = 1.0
    found = [(1.0, each, 1.0, each, each * each * each) for each in x.tolist()]
    more = True
    while more:
        more, terms = False, found
        found = []
        for m, n, f, g, cube in terms:
            m, n = m * cube / (k + 1.0) / (k + 2.0), n * cube / (k + 2.0) / (k + 3.0)
            f, g = f + m, g + n
            more = more or abs(m / f) > _EPSILON
            found.append((m, n, f, g, cube))
        k += 3.0
    return numpy.array([_AT_ZERO * f - _SLOPE_AT_ZERO * g for _, _, f, g, _ in found])
