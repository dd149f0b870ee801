"""Eigenvectors of Hermitian matrices with the signs that torch's LAPACK gives them, which is MKL.

Signs are open, and prints of programs show them. From 26 rows on LAPACK divides and conquers, and
signs agree. Below, they follow from the rotations of ?steqr: since LAPACK 3.10, and so in
OpenBLAS, ?lartg gives them another sign than before, and than in MKL. `turned` goes through the
rotations of before on a single row of numbers, and compares the signs that it ends with.

As ?steqr, ?laev2 and ?lartg of LAPACK 3.9.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy

from minitorch.core.arrays import lapack

SMALL = 25  # rows up to which ?stedc leaves a matrix to ?steqr


def turned(x: Any, values: Any, vectors: Any, lower: bool) -> Any:
    """Eigenvectors with torch's signs; `x` are the matrices, of which one triangle is read."""
    n = x.shape[-1]
    if not 2 < n <= SMALL or not x.size:
        return vectors
    probe, precision = _probe(n), _PRECISIONS[values.dtype.char]
    signs = []
    shown = (probe @ vectors).reshape(-1, n).tolist()
    for matrix, row in zip(x.reshape(-1, n, n), shown, strict=True):
        ended = _rotated(*_tridiagonal(matrix, probe, lower), *precision) or row
        signs += [
            -1.0 if (a * b.conjugate()).real < 0 else 1.0 for a, b in zip(row, ended, strict=True)
        ]
    if min(signs) > 0:
        return vectors
    return vectors * numpy.array(signs, values.dtype).reshape(*x.shape[:-2], 1, n)


# For single and for double precision: the distance to 1 that rounding makes, and the least number.
_PRECISIONS = {
    kind.dtype.char: (float(kind.eps) / 2, float(kind.tiny))
    for kind in map(numpy.finfo, (numpy.float32, numpy.float64))
}


@cache
def _probe(n: int) -> Any:
    """A row of n numbers that is orthogonal to no eigenvector of a matrix that programs have."""
    return numpy.cos(numpy.arange(1.0, n + 1))


def _tridiagonal(x: Any, row: Any, lower: bool) -> tuple[list[float], list[float], list[Any]]:
    """The diagonal of the tridiagonal matrix that reflections make of `x`, the one beside it, and
    `row` times the reflections. As ?sytrd and ?ormtr."""
    reduce = lapack.routine("hetrd" if x.dtype.kind == "c" else "sytrd", x)
    packed, d, e, factors, _ = reduce(x, lower=lower)
    n, row = len(d), row.astype(packed.dtype)
    for k in range(1, n) if lower else range(n - 1, 0, -1):
        factor = factors[k - 1]
        if not factor:
            continue
        part = slice(k, n) if lower else slice(0, k)
        v = packed[part, k - 1 if lower else k].copy()
        v[0 if lower else -1] = 1.0
        rest = row[part]
        rest -= factor * rest.dot(v) * v.conj()
    return d.tolist(), e.tolist(), row.tolist()


def _rotation(f: float, g: float) -> tuple[float, float, float]:
    """(c, s, r) of the rotation that takes (f, g) to (r, 0). As ?lartg before LAPACK 3.10."""
    if not g:
        return 1.0, 0.0, f
    if not f:
        return 0.0, 1.0, g
    r = math.hypot(f, g)
    c, s = f / r, g / r
    return (-c, -s, -r) if abs(f) > abs(g) and c < 0 else (c, s, r)


def _pair(a: float, b: float, c: float) -> tuple[float, float, float, float]:
    """The eigenvalues of a symmetric matrix of 2 x 2, and the rotation that finds them. As
    ?laev2."""
    total, apart, twice = a + c, a - c, b + b
    root = math.hypot(apart, twice)
    large, little = (a, c) if abs(a) > abs(c) else (c, a)
    first, second, up = 0.5 * root, -0.5 * root, True
    if total:
        up = total > 0
        first = 0.5 * (total + root if up else total - root)
        second = (large / first) * little - (b / first) * b
    right = apart >= 0
    cs = apart + root if right else apart - root
    if abs(cs) > abs(twice):
        t = -twice / cs
        sine = 1 / math.sqrt(1 + t * t)
        cosine = t * sine
    elif not twice:
        cosine, sine = 1.0, 0.0
    else:
        t = -cs / twice
        cosine = 1 / math.sqrt(1 + t * t)
        sine = t * cosine
    return (first, second, -sine, cosine) if up is right else (first, second, cosine, sine)


def _rotated(
    d: list[float], e: list[float], row: list[Any], eps: float, tiny: float
) -> list[Any] | None:
    """`row` times the rotations that make a tridiagonal matrix diagonal, in the order of the
    eigenvalues; None where they do not end. As ?steqr."""
    n = len(d)
    if not all(map(math.isfinite, (*d, *e))):
        return None
    left, start = 30 * n, 0
    while start < n:
        if start:
            e[start - 1] = 0.0
        end = n - 1
        for m in range(start, n - 1):
            if abs(e[m]) <= math.sqrt(abs(d[m])) * math.sqrt(abs(d[m + 1])) * eps:
                e[m], end = 0.0, m
                break
        first, last = start, end
        start = end + 1
        if first != last:
            if abs(d[last]) < abs(d[first]):
                first, last = last, first
            left = _block(d, e, row, first, last, left, (eps * eps, tiny))
            if left <= 0:
                return None
    order = list(range(n))
    for i in range(n - 1):  # by selection: equal eigenvalues change places as in ?steqr
        k = min(range(i, n), key=lambda j: d[order[j]])
        order[i], order[k] = order[k], order[i]
    return [row[j] for j in order]


def _block(
    d: list[float], e: list[float], row: list[Any], at: int, end: int, left: int, limits: Any
) -> int:
    """Makes a block diagonal, from `at` to `end`, which may lie before it.

    left: how many sweeps are allowed. limits: (the square of the precision, the least number).

    Returns:
        How many sweeps are left.
    """
    step = 1 if end > at else -1  # QL, or QR
    (eps2, tiny), shift = limits, min(step, 0)  # e[i + shift] lies between i and i + step

    def turn(low: int, c: float, s: float) -> None:
        a, b = row[low], row[low + 1]
        row[low + 1], row[low] = c * b - s * a, s * b + c * a

    while (end - at) * step >= 0 and left > 0:
        m = at
        while m != end and e[m + shift] ** 2 > eps2 * abs(d[m]) * abs(d[m + step]) + tiny:
            m += step
        if m != end:
            e[m + shift] = 0.0
        if m == at:
            at += step
        elif m == at + step:
            low = min(at, m)
            d[low], d[low + 1], c, s = _pair(d[low], e[low], d[low + 1])
            turn(low, c, s)
            e[low] = 0.0
            at += 2 * step
        else:
            left -= 1
            g = (d[at + step] - d[at]) / (2 * e[at + shift])
            g = d[m] - d[at] + e[at + shift] / (g + math.copysign(math.hypot(g, 1.0), g))
            s, c, p = 1.0, 1.0, 0.0
            for i in range(m - step, at - step, -step):
                f, b = s * e[i + shift], c * e[i + shift]
                c, s, r = _rotation(g, f)
                if i != m - step:
                    e[i + step + shift] = r
                g = d[i + step] - p
                r = (d[i] - g) * s + 2 * c * b
                p = s * r
                d[i + step] = g + p
                g = c * r - b
                turn(min(i, i + step), c, -s * step)
            d[at] -= p
            e[at + shift] = g
    return left
