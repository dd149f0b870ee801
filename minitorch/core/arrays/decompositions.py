"""Decompositions of matrices of doubles by NumPy's loops over LAPACK, without numpy.linalg.

numpy.linalg checks types, and makes an error state and a named tuple around a loop: 3 us for one
matrix of 5 by 5, whose eigenvalues take 2. Arrays of other dtypes use numpy.linalg, as do all
arrays if NumPy has the loops under another name; both ways give the same bits and errors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NoReturn

import numpy

loops: Any
try:
    from numpy._core._multiarray_umath import _extobj_contextvar, _make_extobj
    from numpy.linalg import _umath_linalg as loops
except ImportError:
    loops = None


def _raising(text: str) -> Any:
    """An error state in which a loop that fails raises an error with this text; other
    floating-point errors are ignored."""

    def fail(*_: Any) -> NoReturn:
        raise numpy.linalg.LinAlgError(text)

    if loops is None:
        return None
    quiet = dict.fromkeys(("over", "divide", "under"), "ignore")
    return _make_extobj(call=fail, invalid="call", **quiet)


_SINGULAR_VALUES = _raising("SVD did not converge")
_EIGENVALUES = _raising("Eigenvalues did not converge")
_FACTORS = _raising("Incorrect argument found while performing QR factorization")


def _run(state: Any, loop: Callable[..., Any], *arrays: Any) -> Any:
    token = _extobj_contextvar.set(state)
    try:
        return loop(*arrays)
    finally:
        _extobj_contextvar.reset(token)


def _has_loops(x: Any, kinds: str = "dD") -> bool:
    return loops is not None and type(x) is numpy.ndarray and x.dtype.char in kinds and x.size > 0


def svd(
    x: Any, full_matrices: bool = True, compute_uv: bool = True, in_own_precision: bool = False
) -> Any:
    """As numpy.linalg.svd, which computes in double, or in the precision of `x`."""
    if not _has_loops(x, "fdFD" if in_own_precision else "dD"):
        return numpy.linalg.svd(x, full_matrices, compute_uv)
    loop = (loops.svd_f if full_matrices else loops.svd_s) if compute_uv else loops.svd
    return _run(_SINGULAR_VALUES, loop, x)


def eigh(x: Any, uplo: str = "L", in_own_precision: bool = False) -> Any:
    """As numpy.linalg.eigh, which computes in double, or in the precision of `x`."""
    if not _has_loops(x, "fdFD" if in_own_precision else "dD"):
        return numpy.linalg.eigh(x, uplo)
    return _run(_EIGENVALUES, loops.eigh_up if uplo in "uU" else loops.eigh_lo, x)


def eigvalsh(x: Any, uplo: str = "L") -> Any:
    """As numpy.linalg.eigvalsh."""
    if not _has_loops(x):
        return numpy.linalg.eigvalsh(x, uplo)
    return _run(_EIGENVALUES, loops.eigvalsh_up if uplo in "uU" else loops.eigvalsh_lo, x)


def eig(x: Any) -> Any:
    """As numpy.linalg.eig for finite matrices; the results are complex also if all are real."""
    if not _has_loops(x):
        return numpy.linalg.eig(x)
    return _run(_EIGENVALUES, loops.eig, x)


def qr(x: Any, mode: str) -> Any:
    """As numpy.linalg.qr, with the modes "reduced", "complete" and "r"."""
    if not _has_loops(x):
        return numpy.linalg.qr(x, mode=mode)
    x = x.copy("K")  # which the loop writes over
    tau = _run(_FACTORS, loops.qr_r_raw, x)
    rows, columns = x.shape[-2:]
    complete = mode == "complete" and rows > columns
    kept = rows if complete else min(rows, columns)
    factor = x[..., :kept, :]
    r = numpy.where(_upper(kept, columns), factor, factor.dtype.type(0))
    if mode == "r":
        return r
    return _run(_FACTORS, loops.qr_complete if complete else loops.qr_reduced, x, tau), r


@lru_cache(256)
def _upper(rows: int, columns: int) -> Any:
    """Which elements of a matrix lie on its diagonal or above it."""
    return ~numpy.tri(rows, columns, -1, dtype=bool)
