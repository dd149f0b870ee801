"""Products of large matrices in the order that NumPy's BLAS computes fastest; fused sums."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy

SMALL = 4096  # elements of the first matrix below which a product is left to `dot`
_single, _double = numpy.dtype("float32"), numpy.dtype("float64")
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
    """Sets how many threads a product or a large kernel may use. BLAS has a setting of its own."""
    global _threads
    _threads = n


def product(a: Any, b: Any) -> Any:
    """The product of two float matrices (m, k) and (k, n), C-contiguous.

    The product of a batch and a transposed layer, and the product that gives the layer's gradient,
    take one thread 0.7 to 0.9 of the time if they are split into products that are small for
    OpenBLAS: up to a million multiplications, and 1024 numbers if the first operand is the
    transposed one in its order of memory (64 x 784 by 256: 233 us, not 332, and 234, not 262).
    Otherwise the first product takes 0.55 to 0.95 of the time if computed as the transposed one, (W
    X^T)^T.
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
    """A function (a, out) for many `a`: it writes the product of matrices a (m, k) and b (k, n)
    into `out`, C-contiguous, and returns `out`.

    (32, 128) by (128, 512) takes 51 us with b split as in `product`, 95 us with b as a whole, 137
    us with b transposed.
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
    """Whether products of many matrices (m, k) with (n, k) transposed are worth a copy of a factor
    that lies transposed: 256 numbers of each of 32 rows by those of 96 take 28 us without the copy
    and 14 with it. The bits are the same if no tile of OpenBLAS's is cut; smaller products gain
    little."""
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
    """The largest width of a kernel, at most `most`, that divides n; 0 if there is none."""
    return next((size for size in (64, 32, 16, 8) if size <= most and n % size == 0), 0)


# ---- x + factor * y, rounded once

_axpy: dict[Any, Callable[..., Any]] | None = None


def axpy_of(dtype: Any) -> Callable[..., Any] | None:
    """axpy(y, x, n, factor), which adds factor * y to the vector x with one rounding; None if BLAS
    does not do so for the dtype. SciPy's binding is loaded at the first call, in 3 ms."""
    global _axpy
    if _axpy is None:
        _axpy = _find_axpy()
    return _axpy.get(dtype)


def plus_scaled(x: Any, y: Any, factor: Any) -> Any:
    """x + factor * y, row by row, fresh and rounded once, as torch's fused instruction does it.

    None for arrays of two dtypes, and for a factor of 0, which axpy takes for nothing. None as well
    for float32 that do not lie in rows of one shape: by way of double they are rounded once, too.

    100,000 float32: 25 us, not 250 by way of double.
    """
    known = type(x) is type(y) is numpy.ndarray and x.dtype == y.dtype
    axpy = axpy_of(x.dtype) if known and factor else None
    if axpy is None:
        return None
    if x.shape != y.shape or not (x.flags.c_contiguous and y.flags.c_contiguous):
        if x.dtype.char != "d":
            return None
        x, y = numpy.broadcast_arrays(x, y)
        y = numpy.ascontiguousarray(y)
    out = x.copy()
    return out if add_scaled(out, y, factor) else None


def add_scaled(out: Any, y: Any, factor: Any) -> bool:
    """Adds factor * y to `out`, of its shape and dtype, with one rounding; returns whether it did.
    It does if both lie row by row, `out` may be written, and BLAS can count the elements."""
    if not (factor and out.flags.carray and y.flags.c_contiguous and out.size < 1 << 31):
        return False
    axpy = axpy_of(out.dtype)
    if axpy is not None and out.size:
        axpy(y.reshape(-1), out.reshape(-1), out.size, factor)
    return axpy is not None


def _binding() -> Any:
    """SciPy's binding of BLAS, without the 0.3 s that importing scipy.linalg as a whole costs."""
    import importlib.machinery
    import importlib.util
    import os

    scipy = importlib.util.find_spec("scipy")
    if scipy is None or scipy.origin is None:
        raise ImportError("scipy")
    folder = os.path.join(os.path.dirname(scipy.origin), "linalg")
    spec = importlib.machinery.PathFinder.find_spec("scipy.linalg._fblas", [folder])
    if spec is None or spec.loader is None:
        raise ImportError("scipy.linalg._fblas")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _find_axpy() -> dict[Any, Callable[..., Any]]:
    """dtype -> axpy(x, out, n, factor), for those that this machine's BLAS really fuses."""
    try:
        binding = _binding()
        found = {_single: binding.saxpy, _double: binding.daxpy}
    except (ImportError, AttributeError):
        return {}
    return {dtype: axpy for dtype, axpy in found.items() if _fuses(axpy, dtype)}


def _fuses(axpy: Callable[..., Any], dtype: Any) -> bool:
    """Whether axpy works in place and rounds once, wherever in an array the element is."""
    small = numpy.finfo(dtype).eps
    for n in (1, 3, 67):
        x = numpy.full(n, 1 + small, dtype)
        out = numpy.full(n, -(1 + 2 * small), dtype)
        axpy(x, out, n, 1 + small)  # (1 + e)**2 - (1 + 2 e) is e**2, lost where the product rounds
        if not (out == small * small).all():
            return False
    return True
