"""Products of large matrices in the order that NumPy's BLAS computes fastest."""

from __future__ import annotations

import os
from typing import Any

import numpy

SMALL = 4096  # elements of the first matrix below which a product is left to `dot`
_single = numpy.dtype("float32")
# OpenBLAS has kernels for small products, which copy no operand first, where there is AVX-512.
_features = getattr(numpy._core._multiarray_umath, "__cpu_features__", {})
_small_kernels = bool(_features.get("AVX512_SKX"))
_threads = int(
    os.environ.get("OPENBLAS_NUM_THREADS")
    or os.environ.get("OMP_NUM_THREADS")
    or os.cpu_count()
    or 1
)


def threads() -> int:
    """How many threads a product or a large kernel may use."""
    return _threads


def use_threads(n: int) -> None:
    """Says how many threads a product or a large kernel may use; BLAS is told elsewhere."""
    global _threads
    _threads = n


def product(a: Any, b: Any) -> Any:
    """The product of two float matrices (m, k) and (k, n), C-contiguous.

    That of a batch and a transposed layer, and that which is the layer's gradient, take one thread
    0.7 to 0.9 of the time where they are cut into products that are small for OpenBLAS: up to a
    million multiplications, and 1024 numbers where the first operand is the transposed one
    in its order of memory (64 x 784 by 256: 233 us instead of 332, and 234 instead of 262).
    Otherwise the first takes 0.55 to 0.95 of the time as the transposed product (W X^T)^T.
    """
    m, k = a.shape
    n = b.shape[1]
    if type(a) is numpy.ndarray and a.size >= SMALL and b.dtype is a.dtype and m * k * n > 10**6:
        pieces = _threads == 1 and _small_kernels and a.dtype is _single
        if a.flags.c_contiguous and b.flags.f_contiguous and m <= 128 and n >= 64:
            if pieces and (size := _piece(n, min(1024 // m, 10**6 // (m * k)))):
                out = numpy.empty((m, n), a.dtype)
                columns = b.T.reshape(n // size, size, k).transpose(0, 2, 1)
                numpy.matmul(a, columns, out=out.reshape(m, -1, size).transpose(1, 0, 2))
                return out
            if k >= 256:
                return b.T.dot(a.T).T.copy()
        elif a.flags.f_contiguous and b.flags.c_contiguous and pieces and k <= 64:
            size = _piece(m, 10**6 // (k * n))
            if size:
                rows = a.T.reshape(k, m // size, size).transpose(1, 2, 0)
                return numpy.matmul(rows, b).reshape(m, n)
    return a.dot(b)


def multiplier(xp: Any, b: Any, m: int) -> Any:
    """A function of (a, out) which writes the product of matrices a (m, k) and b (k, n) into `out`,
    C-contiguous, and returns it; to be called for many `a`.

    (32, 128) by (128, 512) takes 51 us where b is cut as in `product`, 95 us as a whole, 137 us
    where it is transposed.
    """
    k, n = b.shape
    pieces = type(b) is numpy.ndarray and _threads == 1 and _small_kernels and b.dtype is _single
    size = _piece(n, 10**6 // (m * k)) if pieces and m * k * n > 10**6 else 0
    if not size:
        whole = xp.ascontiguousarray(b)
        return lambda a, out: xp.dot(a, whole, out=out)
    columns = numpy.ascontiguousarray(b.reshape(k, n // size, size).transpose(1, 0, 2))

    def multiply(a: Any, out: Any) -> Any:
        numpy.matmul(a, columns, out=out.reshape(m, -1, size).transpose(1, 0, 2))
        return out

    return multiply


def prefers_rows(m: int, k: int, n: int, dtype: Any) -> bool:
    """Whether products of many matrices (m, k) with (n, k) transposed are worth a copy of one of
    them that lies transposed: 256 numbers of each of 32 rows by those of 96 take 28 us without and
    14 with it. The bits are the same where no tile of OpenBLAS's is cut; less gains little.
    """
    return (
        _small_kernels
        and _threads == 1
        and dtype is _single
        and min(m, n) >= 32
        and max(m, n) >= 64
        and not (m | n) % 16
        and m * k * n <= 10**6
    )


def _piece(n: int, most: int) -> int:
    """The largest piece of a kernel's width into which n can be cut; 0 if there is none."""
    return next((size for size in (64, 32, 16, 8) if size <= most and n % size == 0), 0)
