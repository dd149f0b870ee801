"""Norms of matrices, the ranks and condition numbers that follow from them, and matrix_exp."""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.linalg_checks import (
    check_floating,
    check_matrices,
    check_square,
    mH,
    on_host,
)
from minitorch.aten.norms import linalg_vector_norm, vector_norm
from minitorch.aten.reduction import listed
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.writing import fit
from minitorch.core.graph.formulas import OPS
from minitorch.core.tensor.conversion import wrap_dim

# ---- matrix_norm, norm

_NAME = "linalg.matrix_norm"


def matrix_dims(A: Any, dim: Any, dtype: Any, low_precision: bool) -> list[int]:
    """The two dimensions of the matrices, counted from the front."""
    check_matrices(A._array, _NAME)
    if len(dim) != 2:
        raise RuntimeError(f"{_NAME}: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    dims = [wrap_dim(each, A.dim()) for each in dim]
    if dims[0] == dims[1]:
        raise RuntimeError(f"{_NAME}: dims must be different. Got ({dims[0]}, {dims[1]})")
    check_floating(A._array, _NAME, low_precision)
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            f"{_NAME}: dtype should be floating point or complex, but got {dtype.scalar_name}"
        )
    return dims


def of_singular_values(A: Any, dims: list[int], keepdim: bool, dtype: Any, reduce: Any) -> Any:
    """What `reduce` makes of the singular values of the matrices in two dimensions."""
    order = [i for i in range(A.dim()) if i not in dims] + dims
    A = A if dtype is None else A.to(dtype)
    found = reduce(OPS.linalg_svdvals(A.permute(order)))
    if not keepdim:
        return found
    return found.unsqueeze(-1).permute([order.index(i) for i in range(len(order))])


def into(out: Any, found: Any, name: str) -> Any:
    """`found`, copied into `out` if there is one."""
    if out is None:
        return found
    if out.dtype is not found.dtype:
        raise RuntimeError(
            f"{name} expected out tensor dtype {found.dtype.scalar_name} but got: "
            f"{out.dtype.scalar_name}"
        )
    fit(out, found.shape)
    return out.copy_(found)


def norm_of_matrices(A: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"{_NAME}: Order {ord} not supported.")
    elif abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"{_NAME}: Order {ord:g} not supported.")
    spectral = ord in ("nuc", 2, -2)
    dims = matrix_dims(A, dim, dtype, low_precision=not spectral)
    if ord == "fro":
        return linalg_vector_norm(A, 2, dims, keepdim, dtype=dtype)
    if ord == "nuc":
        return of_singular_values(
            A, dims, keepdim, dtype, lambda S: OPS.sum_dim_IntList(S, (-1,), keepdim)
        )
    summed, compared = dims if abs(ord) == 1 else dims[::-1]
    if ord > 0 and not (A.shape[compared] and (A.shape[summed] or not spectral)):
        left = [1 if i in dims else n for i, n in enumerate(A.shape) if keepdim or i not in dims]
        return A.new_zeros(left, dtype=dtype)
    extreme = OPS.amax if ord > 0 else OPS.amin
    if spectral:
        return of_singular_values(A, dims, keepdim, dtype, lambda S: extreme(S, (-1,), keepdim))
    if not keepdim and summed < compared:
        compared -= 1
    sums = linalg_vector_norm(A, 1.0, (summed,), keepdim, dtype=dtype)
    return extreme(sums, (compared,), keepdim)


@composite("linalg_matrix_norm", on=("F",))
def linalg_matrix_norm(
    A: Any,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The norms of matrices: "fro", "nuc", or of order 1, 2, inf or their negatives."""
    return into(out, norm_of_matrices(A, ord, tuple(dim), keepdim, dtype), _NAME)


@composite("linalg_norm", on=("F",))
def linalg_norm(
    input: Any,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The norms of vectors or, over two dimensions and with an order, of matrices."""
    dim = listed(dim)
    if dim is not None:
        if len(dim) not in (1, 2):
            raise RuntimeError(
                f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}"
            )
    elif ord is not None and input.dim() not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{input.dim()}D."
        )
    if isinstance(ord, str) or (
        ord is not None and (len(dim) if dim is not None else input.dim()) == 2
    ):
        found = norm_of_matrices(input, ord, dim or (-2, -1), keepdim, dtype)
    else:
        found = vector_norm(input, 2.0 if ord is None else ord, dim, keepdim, dtype=dtype)
    return into(out, found, "linalg.norm")


# ---- matrix_exp


def matrix_exp_forward(xp: Any, self: Any) -> Any:
    check_square(self, "linalg.matrix_exp")
    check_floating(self, "linalg.matrix_exp")

    def kernel(a: Any) -> Any:
        from scipy.linalg import expm

        if not a.size:
            return numpy.empty(a.shape, a.dtype)
        wide = a.astype(numpy.result_type(a.dtype, numpy.float64), copy=False)
        return numpy.ascontiguousarray(expm(wide), a.dtype)

    if self.dtype.itemsize == 2:
        wide = self.astype(xp.float32)
        return on_host(xp, kernel, wide).astype(self.dtype)
    return on_host(xp, kernel, self)


def matrix_exp_differential(F: Any, A: Any, direction: Any) -> Any:
    """How exp(A) changes with A: the corner of the exponential of a matrix of blocks."""
    n = A.shape[-1]
    A, direction = A * 1, direction * 1  # torch copies, so the gradients have memory of their own
    above = F.cat((A, direction), -1)
    below = F.cat((F.zeros_like(A), A), -1)
    found = F.linalg_matrix_exp(F.cat((above, below), -2))
    return F.narrow(F.narrow(found, -2, 0, n), -1, n, n)


linalg_matrix_exp = operator(
    "linalg_matrix_exp(Tensor self) -> Tensor",
    node="LinalgMatrixExpBackward0",
    forward=matrix_exp_forward,
    self=lambda F, grad, self: matrix_exp_differential(F, mH(F, self), grad),
    result=lambda F, self_p, self_t: matrix_exp_differential(F, self_p, self_t),
    on=("F",),
)


@composite("matrix_exp")
def matrix_exp(input: Any) -> Any:
    """The exponentials of square matrices."""
    return linalg_matrix_exp(input)
