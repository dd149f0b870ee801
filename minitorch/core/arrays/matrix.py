"""Products of vectors, matrices and batches of matrices.

Half types are multiplied in float32 and rounded once; integers wrap around. NumPy passes float and
complex operands to BLAS, after a copy if BLAS cannot take their strides, and handles empty ones.
Shapes are not checked here; operands have one dtype.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays.floating_point import cast, widened


def mm(xp: Any, a: Any, b: Any) -> Any:
    """(n, k) @ (k, m) -> (n, m), C-contiguous. As ATen/native/LinearAlgebra.cpp."""
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        if xp.fused is not None and b.ndim == 2:
            return xp.matmul(a, b)
        return a.astype(xp.float32).dot(b.astype(xp.float32)).astype(a.dtype)
    if a.dtype.names:
        return cast(widened(a).dot(widened(b)), a.dtype)
    return a.dot(b)  # 0.3 us for small matrices, where the operator @ takes 0.8


def bmm(xp: Any, a: Any, b: Any) -> Any:
    """(..., n, k) @ (..., k, m) -> (..., n, m), C-contiguous; leading axes broadcast."""
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu" and xp.fused is None:
        return xp.matmul(a.astype(xp.float32), b.astype(xp.float32)).astype(a.dtype)
    if type(a) is numpy.ndarray:
        a, b = _blas(a), _blas(b)
    return xp.matmul(a, b)


def mv(xp: Any, a: Any, v: Any) -> Any:
    """(n, k) @ (k,) -> (n,). As ATen/native/Blas.cpp."""
    return mm(xp, a, v)


def dot(xp: Any, u: Any, v: Any) -> Any:
    """The sum of u * v of two vectors, 0-d; complex numbers are not conjugated."""
    return xp.asarray(mm(xp, u, v))


def vdot(xp: Any, u: Any, v: Any) -> Any:
    """The sum of conj(u) * v of two vectors, 0-d."""
    return xp.asarray(mm(xp, u.conj() if u.dtype.kind == "c" else u, v))


def outer(xp: Any, u: Any, v: Any) -> Any:
    """(n,), (m,) -> (n, m). As ATen/native/LinearAlgebra.cpp (ger)."""
    return xp.multiply(u[:, None], v)


def addmm(xp: Any, c: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * c + alpha * (a @ b), rounded once for half types; for beta 0, c is not read.

    Args:
        c: broadcasts to the product.
        a, b: two matrices, a matrix and a vector, or two batches of matrices (addmm, addmv,
            baddbmm).
        beta, alpha: Python numbers.

    As ATen/native/LinearAlgebra.cpp.
    """
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        wide = [x.astype(xp.float32) for x in (c, a, b)]
        return addmm(xp, *wide, beta, alpha).astype(a.dtype)
    if a.dtype.names:
        wide = [widened(x) for x in (c, a, b)]
        return cast(addmm(xp, *wide, beta, alpha), a.dtype)
    return _combined(xp, c, a.dot(b) if a.ndim == 2 else bmm(xp, a, b), beta, alpha)


def addbmm(xp: Any, c: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * c + alpha * (the sum over the batch of a @ b). As ATen/native/LinearAlgebra.cpp."""
    for one, other in zip(a, b, strict=True):  # one after another, as torch adds and rounds them
        c, beta = addmm(xp, c, one, other, beta, alpha), 1
    if len(a):
        return c
    zero = xp.zeros((a.shape[1], b.shape[2]), a.dtype)
    return _combined(xp, c, zero, beta, alpha)


def addr(xp: Any, c: Any, u: Any, v: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * c + alpha * outer(u, v). As ATen/native/LinearAlgebra.cpp."""
    if u.dtype.itemsize == 2 and u.dtype.kind not in "iu":
        wide = [x.astype(xp.float32) for x in (c, u, v)]
        return addr(xp, *wide, beta, alpha).astype(u.dtype)
    return _combined(xp, c, outer(xp, u, v), beta, alpha)


def _combined(xp: Any, c: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta * c + alpha * product, written into `product`."""
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if beta == 1:
        return xp.add(product, c, out=product)
    if beta == 0:
        return product
    return xp.add(product, c * product.dtype.type(beta), out=product)


def _blas(a: Any) -> Any:
    """The batch `a` in strides that matmul passes on to BLAS: copied if neither side is dense.

    Without this a batch of sliced or expanded matrices is multiplied by a plain loop, ten times
    slower. Batch strides may be anything.
    """
    rows, columns = a.strides[-2:]
    size = a.itemsize
    n, m = a.shape[-2:]
    if (columns == size and rows >= m * size) or (rows == size and columns >= n * size):
        return a
    return a if a.dtype.kind in "iub" else a.copy()
