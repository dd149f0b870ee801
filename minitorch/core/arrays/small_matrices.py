"""Factors of many small matrices at once: all take each step together.

LAPACK is called for one matrix at a time, which takes 3.5 us however small the matrix is. Here its
steps are taken in its order, without the fused additions of some processors: the errors are as
large. Matrices lie as planes (rows, columns, batch) meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays.questions import every

_LARGEST = 12  # rows or columns, above which LAPACK is faster
_FEWEST = 32  # matrices, below which LAPACK is as fast
_GROUP = 1 << 16  # elements of the matrices that are taken at once, so that they stay in the cache


def are_many(*operands: Any) -> bool:
    """Whether the matrices (batch, rows, columns) are many, small and finite."""
    return all([
        len(x) >= _FEWEST
        and max(x.shape[1:]) <= _LARGEST
        and bool(every(numpy.isfinite(x)))
        for x in operands
    ])  # fmt: skip


def lu_factor(x: Any) -> tuple[Any, Any, Any]:
    """L without its diagonal and U in one matrix, the rows that were swapped, from 1 on, and which
    element of the diagonal of U is the first zero, 0 if none is; of matrices (batch, m, n)."""
    lu = numpy.empty(x.shape, x.dtype)
    pivots = numpy.empty((len(x), min(x.shape[1:])), numpy.int32)
    for part in _parts(x):
        planes = _planes(x[part])
        pivots[part] = _factor(planes).T + 1
        lu[part] = planes.transpose(2, 0, 1)
    zeros = lu.diagonal(0, 1, 2) == 0
    return lu, pivots, numpy.where(zeros.any(1), zeros.argmax(1) + 1, 0)


def lu_solve(lu: Any, pivots: Any, b: Any, adjoint: bool) -> Any:
    """The solution of A X = B, or of A^H X = B, by the factors of A; all of one batch."""
    out = numpy.empty(b.shape, b.dtype)
    for part in _parts(lu, b):
        factors, x = _planes(lu[part]), _planes(b[part])
        swaps = pivots[part].T - 1
        (_solve_adjoint if adjoint else _solve)(factors, swaps, x)
        out[part] = x.transpose(2, 0, 1)
    return out


def solve_triangular(a: Any, b: Any, upper: bool, unit: bool) -> Any:
    """The solution of A X = B for triangular A, of which the other triangle is not read."""
    out, n = numpy.empty(b.shape, b.dtype), a.shape[1]
    for part in _parts(a, b):
        triangle, x = _planes(a[part]), _planes(b[part])
        for k in range(n - 1, -1, -1) if upper else range(n):
            if not unit:
                x[k] /= triangle[k, k]
            rest = slice(k) if upper else slice(k + 1, None)
            x[rest] -= triangle[rest, k, None] * x[k]
        out[part] = x.transpose(2, 0, 1)
    return out


def cholesky(x: Any, upper: bool) -> Any:
    """The triangular factors; None if a matrix has a minor that is not positive."""
    out = numpy.empty(x.shape, x.dtype)
    if upper:
        x = x.swapaxes(1, 2).conj()
    for part in _parts(x):
        a = _planes(x[part])
        for k in range(len(a)):
            pivot = a[k, k].real
            if not every(pivot > 0):
                return None
            root = numpy.sqrt(pivot)
            a[k, k], a[k, k + 1 :] = root, 0
            a[k + 1 :, k] /= root
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k + 1 :, k].conj()
        out[part] = (a.conj().transpose(2, 1, 0)) if upper else a.transpose(2, 0, 1)
    return out


def _parts(*operands: Any) -> list[slice]:
    """Slices of the batch."""
    step = max(1, _GROUP // max([x[0].size for x in operands]))
    return [slice(start, start + step) for start in range(0, len(operands[0]), step)]


def _planes(x: Any) -> Any:
    """(batch, rows, columns) -> (rows, columns, batch), in memory of its own."""
    return x.transpose(1, 2, 0).copy()


def _factor(a: Any) -> Any:
    """Factors the planes in place; (least, batch), the row that each was swapped with, from 0 on.

    As LAPACK's getf2.
    """
    least, batch = min(a.shape[:2]), a.shape[2]
    pivots = numpy.empty((least, batch), numpy.int64)
    for k in range(least):
        column = a[k:, k]
        sizes = abs(column) if a.dtype.kind == "f" else abs(column.real) + abs(column.imag)
        pivots[k] = sizes.argmax(0) + k
        _swap(a, k, pivots[k])
        pivot = a[k, k]
        a[k + 1 :, k] /= numpy.where(pivot == 0, 1, pivot)
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, None, k + 1 :]
    return pivots


def _swap(a: Any, k: int, rows: Any) -> None:
    """Swaps the row k of each matrix with one of its rows."""
    moved = (rows != k).nonzero()[0]
    if moved.size:
        other = rows[moved]
        first, second = a[k, :, moved], a[other, :, moved]
        a[k, :, moved], a[other, :, moved] = second, first


def _solve(lu: Any, swaps: Any, x: Any) -> None:
    n = len(lu)
    for k in range(n):
        _swap(x, k, swaps[k])
    for k in range(n):
        x[k + 1 :] -= lu[k + 1 :, k, None] * x[k]
    for k in range(n - 1, -1, -1):
        x[k] /= lu[k, k]
        x[:k] -= lu[:k, k, None] * x[k]


def _solve_adjoint(lu: Any, swaps: Any, x: Any) -> None:
    n = len(lu)
    lu = lu.conj()
    for k in range(n):
        x[k] /= lu[k, k]
        x[k + 1 :] -= lu[k, k + 1 :, None] * x[k]
    for k in range(n - 1, -1, -1):
        x[:k] -= lu[k, :k, None] * x[k]
    for k in range(n - 1, -1, -1):
        _swap(x, k, swaps[k])
