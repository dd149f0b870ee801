"""Factorizations and solutions of batches of matrices, by the LAPACK routines that torch calls.

NumPy passes whole batches to LAPACK if it has a function. For other routines SciPy, imported at the
first call, gets one matrix at a time. Results lie in memory column by column, as LAPACK leaves
them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy

from minitorch.core.arrays import decompositions, namespace, small_matrices
from minitorch.core.arrays.layout import broadcast, contiguous_strides
from minitorch.core.arrays.questions import some


class _LinAlgError(RuntimeError):
    """The error that torch.linalg raises for matrices for which a LAPACK routine fails."""

    __module__ = "torch._C"


def strides_by_columns(shape: Any) -> tuple[int, ...]:
    """The strides of a batch of matrices each of which lies column by column."""
    return (*contiguous_strides(shape)[:-2], 1, max(shape[-2], 1))


def by_columns(x: Any, xp: Any = numpy) -> Any:
    """A copy of the matrices `x` that lies column by column."""
    if type(x) is numpy.ndarray and is_alone(x):
        return x.copy("F")  # in a quarter of the time
    out = namespace(x).empty_strided(x.shape, strides_by_columns(x.shape), x.dtype)
    out[...] = x
    return out


def is_alone(x: Any) -> bool:
    """Whether `x` is one matrix, and not empty: SciPy's routines make the copy by columns
    themselves, which takes 1.5 us less than for a batch of one."""
    return x.ndim == 2 and x.size > 0


def keep(own: Any, found: Any) -> None:
    """Writes the result of a routine into the matrix `own`, unless the routine did so itself."""
    if found is not own:
        own[...] = found


def routine(name: str, x: Any) -> Callable[..., Any]:
    """A routine of LAPACK for numbers of the dtype of `x`."""
    return _found("lapack", _PREFIXES[x.dtype.char] + name)


_PREFIXES = {"f": "s", "d": "d", "F": "c", "D": "z"}


@cache
def _found(library: str, name: str) -> Callable[..., Any]:
    from scipy import linalg  # start-up: 30 ms

    found: Callable[..., Any] = getattr(getattr(linalg, library), name)
    return found


def batch_of(*matrices: Any) -> tuple[int, ...]:
    """The common shape of the batches."""
    return broadcast(*[x.shape[:-2] for x in matrices])


_ALONE = ((),)


def places(batch: Any) -> Any:
    """The places of the matrices of a batch, one after another."""
    return numpy.ndindex(batch) if batch else _ALONE


def spread(x: Any, batch: Any, count: int = 2) -> Any:
    """The matrices `x` repeated for a batch; unchanged if they have this batch.

    count: how many dimensions one of them has.
    """
    rank = x.ndim - count
    if x.shape[:rank] == batch:
        return x
    return namespace(x).broadcast_to(x, (*batch, *x.shape[rank:]))


_ONE = numpy.int32(1)


def lu_factor(x: Any) -> tuple[Any, Any, Any]:
    """L without its diagonal and U in one matrix; the rows that were swapped, from 1 on; and
    which element of the diagonal of U is the first zero, 0 if none is."""
    if is_alone(x):
        lu, swapped, code = routine("getrf", x)(x)
        return lu, swapped + _ONE, numpy.array(code, numpy.int32)
    batch, least = x.shape[:-2], min(x.shape[-2:])
    if least and x.ndim > 2:
        flat = x.reshape(-1, *x.shape[-2:])
        if small_matrices.are_many(flat):
            lu, pivots, info = small_matrices.lu_factor(flat)
            info = info.astype(numpy.int32).reshape(batch)
            return by_columns(lu.reshape(x.shape)), pivots.reshape(*batch, least), info
    lu = by_columns(x)
    pivots = numpy.zeros((*batch, least), numpy.int32)
    info = numpy.zeros(batch, numpy.int32)
    if least:
        getrf = routine("getrf", x)
        for i in places(batch):
            own = lu[i]
            factors, swapped, info[i] = getrf(own, overwrite_a=True)
            keep(own, factors)
            pivots[i] = swapped + 1
    return lu, pivots, info


def lu_solve(lu: Any, pivots: Any, b: Any, adjoint: bool) -> Any:
    """The solution of A X = B, or of A^H X = B, by the factors of A."""
    if lu.ndim == 2 and is_alone(b):
        return routine("getrs", lu)(lu, pivots - _ONE, b, 2 * adjoint)[0]
    batch = batch_of(lu, b)
    if b.shape[-1] and b.shape[-2] and batch:
        flat = [spread(each, batch).reshape(-1, *each.shape[-2:]) for each in (lu, b)]
        if small_matrices.are_many(*flat):
            swaps = spread(pivots, batch, 1).reshape(-1, pivots.shape[-1])
            x = small_matrices.lu_solve(flat[0], swaps, flat[1], adjoint)
            return by_columns(x.reshape(*batch, *b.shape[-2:]))
    x = by_columns(spread(b, batch))
    if b.shape[-1] and b.shape[-2]:
        getrs = routine("getrs", lu)
        lu = spread(lu, batch)
        swaps = spread(pivots, batch, 1) - 1
        for i in places(batch):
            own = x[i]
            keep(own, getrs(lu[i], swaps[i], own, 2 * adjoint, overwrite_b=True)[0])
    return x


def cholesky(x: Any, upper: bool) -> tuple[Any, Any]:
    """The triangular factor, and the order of the first minor that is not positive; 0 if all are.

    If one fails, its matrix is as LAPACK leaves it, with zeros in the other triangle. A minor that
    is NaN is not positive.
    """
    if is_alone(x):
        factor, code = routine("potrf", x)(x, lower=not upper, clean=True)
        last = factor[-1, -1]
        if last == last:  # a nan on the diagonal makes all that come after it nan
            return factor, numpy.array(code, numpy.int32)
    if x.ndim > 2 and x.shape[-1]:
        flat = x.reshape(-1, *x.shape[-2:])
        found = small_matrices.cholesky(flat, upper) if small_matrices.are_many(flat) else None
        if found is not None:
            return by_columns(found.reshape(x.shape)), numpy.zeros(x.shape[:-2], numpy.int32)
    factor, info = by_columns(x), numpy.zeros(x.shape[:-2], numpy.int32)
    if x.shape[-1]:
        potrf = routine("potrf", x)
        for i in places(x.shape[:-2]):
            factor[i], info[i] = potrf(factor[i], lower=not upper, clean=True)
        # OpenBLAS takes the square root of nan, where LAPACK's own routine stops.
        unknown = numpy.isnan(factor.diagonal(0, -2, -1))
        if some(unknown):
            stopped = unknown.any(axis=-1) & (info == 0)
            info[...] = numpy.where(stopped, unknown.argmax(axis=-1) + 1, info)
    return factor, info


def eigh(x: Any, uplo: str, compute_v: bool) -> tuple[Any, Any, Any]:
    """The eigenvalues and eigenvectors of Hermitian matrices, of which one triangle is read, and
    for each matrix the number by which LAPACK says that the search failed; 0 if it did not.

    There is one empty array in place of the vectors if they are not wanted.
    """
    values = vectors = numpy.empty(0, x.dtype)
    info = numpy.zeros(x.shape[:-2], numpy.int32)
    try:
        if compute_v:
            values, vectors = decompositions.eigh(x, uplo, in_own_precision=True)
            vectors = by_columns(vectors)
        else:
            values = decompositions.eigvalsh(x, uplo)
    except numpy.linalg.LinAlgError:  # NumPy does not tell which matrix, nor the number
        solve = routine("heevd" if x.dtype.kind == "c" else "syevd", x)
        for i in places(info.shape):
            info[i] = solve(x[i], compute_v=compute_v, lower=uplo == "L")[2]
        if not some(info):
            raise
    return values, vectors, info


def solve_triangular(a: Any, b: Any, upper: bool, unit: bool) -> Any:
    """The solution of A X = B for triangular A, of which the other triangle is not read."""
    trsm = _found("blas", _PREFIXES[a.dtype.char] + "trsm")
    if a.ndim == 2 and is_alone(b):
        if a.flags.c_contiguous:  # the transpose of one that lies as LAPACK takes it
            return trsm(1.0, a.T, b, lower=upper, trans_a=True, diag=unit)
        return trsm(1.0, a, b, lower=not upper, diag=unit)
    batch = batch_of(a, b)
    if batch and b.size and a.size:
        flat = [spread(each, batch).reshape(-1, *each.shape[-2:]) for each in (a, b)]
        if small_matrices.are_many(*flat):
            x = small_matrices.solve_triangular(*flat, upper, unit)
            return by_columns(x.reshape(*batch, *b.shape[-2:]))
    x = by_columns(spread(b, batch))
    if x.size:
        a = spread(a, batch)
        for i in places(batch):
            own, triangle, lower = x[i], a[i], not upper
            # One that lies row by row is the transpose of one that lies as LAPACK takes it.
            by_rows = triangle.flags.c_contiguous
            if by_rows:
                triangle, lower = triangle.T, upper
            found = trsm(
                1.0, triangle, own, lower=lower, trans_a=by_rows, diag=unit, overwrite_b=True
            )
            keep(own, found)
    return x


def least_squares(A: Any, B: Any, rcond: float) -> tuple[Any, Any]:
    """The smallest solutions of A X = B in the least squares, and the ranks of the matrices: the
    leading columns count whose triangle has singular values within `rcond`.

    As torch, which marks each column as one that keeps its place.
    """
    batch, (rows, columns), count = batch_of(A, B), A.shape[-2:], B.shape[-1]
    A, B = (spread(x, batch) for x in (A, B))
    X = numpy.zeros((*batch, max(rows, columns), count), A.dtype)
    X[..., :rows, :] = B
    ranks = numpy.zeros(batch, numpy.int64)
    if A.size and B.size:
        gelsy = routine("gelsy", A)
        lwork = 64 * (2 * min(rows, columns) + 3 * columns + count + 1)
        for i in places(batch):
            pivots = numpy.zeros((columns, 1), numpy.int32)
            _, X[i], _, ranks[i], _ = gelsy(A[i], X[i], pivots, rcond, lwork)
    return X[..., :columns, :], ranks


def permutation(pivots: Any, rows: int, dtype: Any) -> Any:
    """The matrices P of P L U, from the row swaps."""
    batch = pivots.shape[:-1]
    out = numpy.zeros((*batch, rows, rows), dtype)
    for i in places(batch):
        order = list(range(rows))
        for k, other in enumerate(pivots[i].tolist()):
            order[k], order[other - 1] = order[other - 1], order[k]
        out[i].reshape(-1)[[rows * row + k for k, row in enumerate(order)]] = 1
    return out
