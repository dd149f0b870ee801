"""Norms of matrices, what follows from them, and what else torch.linalg makes of its operators."""

from __future__ import annotations

import math
from math import prod
from typing import Any

import numpy

from minitorch.aten.in_formulas import is_seen, is_transformed, options_of, overwrite
from minitorch.aten.linalg.checks import (
    check_errors,
    check_floating,
    check_matrices,
    check_square,
    mH,
    on_host,
    swapped,
    tolerances,
)
from minitorch.aten.linalg.pseudo_inverse import pinv_gradient, pinv_tangent
from minitorch.aten.linalg.solving import inv_ex
from minitorch.aten.reduction.norms import (
    check_asked_dtype,
    check_norm_dtype,
    linalg_vector_norm,
    norm_along,
    vector_norm,
)
from minitorch.aten.reduction.reduction import listed
from minitorch.core.arrays import decompositions, lapack
from minitorch.core.arrays.missing import refuse_numberless
from minitorch.core.arrays.questions import every
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS, RAW, is_complex
from minitorch.core.base.modes import FormulaMode, GradMode
from minitorch.core.declare.calls import Calls
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import fit
from minitorch.core.declare.out import BEFORE_DTYPE, EXACT, ROWS_OR_KEPT, Out, safely_castable
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.out_rules import gradients_error
from minitorch.core.graph.views import note_write, requires_grad
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import bool as bool_dtype
from minitorch.core.numbers.dtype import float64, int64
from minitorch.core.numbers.limits import finfo
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.numbers.scalars import fitted
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.core.warning import warn_once


def cast_into(out: Any, found: Any, name: str) -> Any:
    """`found`, copied into `out` if there is one that can take it."""
    if out is None:
        return found
    check_safely_castable(out, found.dtype, name)
    fit(out, found.shape)
    return out.copy_(found)


def check_safely_castable(out: Any, result: Any, name: str) -> None:
    """RuntimeError if a result of the dtype `result` cannot go into `out`, where there is one."""
    if out is not None and not can_cast(result, out.dtype):
        raise RuntimeError(
            f"{name}: Expected result to be safely castable from {result.scalar_name} dtype, "
            f"but got result with dtype {out.dtype.scalar_name}"
        )


@composite("linalg_cond", on=("F",), calls=Calls(copies_out=True))
def linalg_cond(A: Any, p: Any = None, *, out: Any = None) -> Any:
    """The norm of A times that of its inverse: how much solutions of A X = B change with B."""
    return cast_into(out, condition(A, p), "linalg.cond")


def check_order_of_condition(p: Any) -> None:
    """RuntimeError for a number that is no order of a norm of matrices."""
    order = fitted(p, dtypes.float64)
    if abs(order) not in (1, math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {order:g}")


def condition(A: Any, p: Any) -> Any:
    if not isinstance(p, str):
        check_matrices(A._array, "linalg.cond", "input tensor")
        if p not in (None, 2, -2):
            check_order_of_condition(p)
        if not A.numel():
            return written_zeros(A, A.shape[:-2], A.dtype)
    if p in (None, 2, -2):
        S = OPS.linalg_svdvals(A)
        first, last = OPS.narrow(S, -1, 0, 1), OPS.narrow(S, -1, S.shape[-1] - 1, 1)
        ratio = last / first if p == -2 else first / last
        return ratio.squeeze(-1)
    check_square(A._array, f"linalg.cond(ord={p})")
    if p not in ("fro", "nuc") and isinstance(p, str):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not A.numel():
        return written_zeros(A, A.shape[:-2], A.dtype)
    if p == "nuc":
        S = OPS.linalg_svdvals(A)
        return OPS.sum(S, (-1,)) * OPS.sum(OPS.reciprocal(S), (-1,))
    inverse, info = inv_ex(A)
    singular = info.unsqueeze_(-1).unsqueeze_(-1) > 0
    # In place, as torch fills it, though this leaves the inverse's own node without a gradient.
    inverse.masked_fill_(singular, float("inf"))
    if isinstance(p, complex):
        raise RuntimeError(
            "linalg.matrix_norm: Expected a non-complex scalar as the order of norm."
        )
    product = linalg_matrix_norm(A, p) * linalg_matrix_norm(inverse, p)
    return product.nan_to_num_(float("inf"), float("inf"), float("-inf"))


def written_zeros(A: Any, shape: Any, dtype: Any) -> Any:
    """Zeros that count as written, which is how torch makes results for empty matrices."""
    found = A.new_zeros(shape, dtype=dtype.to_real() if dtype.is_complex else dtype)
    note_write(found, None)
    return found


def _seen_rank(A: Any, hermitian: bool, atol: Any, rtol: Any) -> Any:
    """The rank by the operators that torch calls, which modes see.

    As matrix_rank_impl of ATen/native/LinearAlgebra.cpp.
    """
    kind = A.dtype.to_real() if A.dtype.is_complex else A.dtype
    options = options_of(A, float64)
    if rtol is not None and atol is None and not isinstance(rtol, TensorBase):
        atol = 0.0
    if rtol is None:
        given = isinstance(atol, TensorBase) or (atol or 0.0) > 0
        rtol = 0.0 if given else finfo(kind).eps * max(A.shape[-2:])
    with GradMode(False), FormulaMode(True):
        result = OPS.empty(A.shape[:-2], **options_of(A, int64))
        if atol is None:
            atol = OPS.zeros((), **options)
        elif not isinstance(atol, TensorBase):
            atol = OPS.full((), float(atol), **options)
        if not isinstance(rtol, TensorBase):
            rtol = OPS.full((), rtol, **options)
        if not A.numel():
            return result.fill_(0)
        if hermitian:
            S = OPS.abs(OPS.linalg_eigvalsh(A))
            largest = OPS.amax(S, (-1,), True)
        else:
            S = OPS.linalg_svdvals(A)
            largest = OPS.slice(S, -1, 0, 1)
        share = OPS.unsqueeze(rtol, -1) * largest
        limit = OPS.maximum(OPS.unsqueeze(atol, -1), share)
        return OPS.sum(OPS.gt(S, limit), (-1,))


@composite("linalg_matrix_rank", on=("F",), calls=Calls(copies_out=True))
def linalg_matrix_rank(
    A: Any,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Any = None,
) -> Any:
    """How many singular values count as more than zero. As torch.linalg.matrix_rank."""
    check_matrices(A._array, "torch.linalg.matrix_rank", "input tensor input")
    if STACK.get() and out is None:
        return _seen_rank(A, hermitian, *((atol, rtol) if tol is None else (tol, 0.0)))
    with GradMode(False):
        limits = [
            each._array if isinstance(each, TensorBase) else each
            for each in ((atol, rtol) if tol is None else (tol, 0.0))
        ]
        least, share = (
            tensor(each) for each in tolerances("torch.linalg.matrix_rank", A._array, *limits)
        )
        if not A.numel():
            return cast_into(out, written_zeros(A, A.shape[:-2], int64), "linalg.matrix_rank")
        S = OPS.linalg_eigvalsh(A).abs() if hermitian else OPS.linalg_svdvals(A)
        limit = OPS.maximum(least, share * S.amax(-1))
        found = (limit.unsqueeze(-1) < S).sum(-1)
        if out is not None and requires_grad(out):
            raise gradients_error("sum")
        if out is None and found.shape != A.shape[:-2]:  # by tolerances with more dimensions
            fit(OPS.zeros(A.shape[:-2], dtype=int64), found.shape)  # which torch says
        if out is None:
            note_write(found, None)  # torch adds into memory that it has allotted
    return cast_into(out, found, "linalg.matrix_rank")


@composite("linalg_tensorinv", on=("F",), calls=Calls(copies_out=True))
def linalg_tensorinv(A: Any, ind: int = 2, *, out: Any = None) -> Any:
    """The inverse of tensordot with `A` over its dimensions from `ind` on."""
    check_safely_castable(out, A.dtype, "tensorinv")
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > A.dim():
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {A.dim()}")
    behind, front = A.shape[ind:], A.shape[:ind]
    if prod(behind) != prod(front):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {prod(behind)} != {prod(front)}"
        )
    inverse, info = inv_ex(A.reshape(prod(behind), prod(front)))
    check_errors(info, "inv", is_matrix=True)
    return cast_into(out, inverse.reshape([*behind, *front]), "tensorinv")


@composite(
    "linalg_tensorsolve",
    on=("F",),
    calls=Calls(copies_out=True),
    vmap=VMap("warned"),
)
def linalg_tensorsolve(A: Any, B: Any, dims: Any = None, *, out: Any = None) -> Any:
    """The solution X of tensordot(A, X, X.dim()) = B."""
    check_safely_castable(out, A.dtype, "tensorsolve")
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.dim() - len(dims), A.dim())))
    if A.dim() < B.dim():  # the sizes that are left would be less than none
        raise RuntimeError("cannot create std::vector larger than max_size()")
    shape = A.shape[B.dim() :]
    if prod(shape) != B.numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {prod(shape)} != {B.numel()}"
        )
    flat = OPS.linalg_solve(A.reshape(B.numel(), prod(shape)), B.reshape(B.numel()))
    return cast_into(out, flat.reshape(shape), "tensorsolve")


@composite("linalg_vander", on=("F",))
def linalg_vander(x: Any, *, N: int | None = None) -> Any:
    """The powers 0, 1, ..., N - 1 of each number, side by side."""
    if x.dtype is bool_dtype or (x.is_floating_point() and x.dtype.itemsize == 2):
        raise RuntimeError(
            "linalg.vander supports floating point, complex, and integer tensors, but got "
            f"{x.dtype.scalar_name}"
        )
    x = x if x.dim() else x.unsqueeze(-1)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = OPS.cumprod(x.unsqueeze(-1).expand(*x.shape, count - 1), -1)
    return OPS.cat((powers.new_ones((*x.shape, 1)), powers), -1)


@composite("vander", on=("function",))
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of each number of a vector, the highest first unless `increasing`."""
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    if N is not None and N < 0:
        raise RuntimeError("N must be non-negative.")
    count = x.shape[0] if N is None else N
    integers = not (x.is_floating_point() or x.is_complex())
    kind = (x.new_ones(1).sum() if integers else x).dtype
    result = OPS.ones(x.shape[0], count, dtype=kind, device=x.device)
    if count > 1:
        OPS.slice(result, 1, 1).copy_(x.unsqueeze(1))
        rest = OPS.slice(result, 1, 1)
        rest.copy_(OPS.cumprod(rest, 1))
    return result if increasing else OPS.flip(result, (1,))


@composite("nuclear_norm", on=("function",))
def nuclear_norm(input: Any, dim: Any = (-2, -1), keepdim: bool = False, *, out: Any = None) -> Any:
    """The sum of the singular values of matrices."""
    if type(dim) is bool:  # torch has an overload without dim
        dim, keepdim = (-2, -1), dim
    if type(dim) is int:
        dim = (dim, dim)
    return linalg_matrix_norm(input, "nuc", dim, keepdim, out=out)


@composite(
    "frobenius_norm", on=("function",), out=Out(EXACT, error_name="norm", shaped=BEFORE_DTYPE)
)
def frobenius_norm(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """The square root of the sum of squares, over one or two dimensions."""
    warn_once(
        "at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be "
        "removed in a future PyTorch release. Please use `linalg.vector_norm(A, 2., dim, keepdim)` "
        "instead"
    )
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) > 2:
        raise RuntimeError(
            f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead."
        )
    check_norm_dtype(input.dtype)
    return norm_along(input, 2, dims, keepdim)


# ---- norms, ranks, condition numbers, matrix_exp


# ---- matrix_norm, norm

_NAME = "linalg.matrix_norm"


def matrix_dims(A: Any, dim: Any, dtype: Any, low_precision: bool) -> list[int]:
    """The two dimensions of the matrices, counted from the front."""
    check_matrices(A._array, _NAME)
    check_floating(A._array, _NAME, low_precision)
    if len(dim) != 2:
        raise RuntimeError(f"{_NAME}: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    dims = [wrap_dim(each, A.dim()) for each in dim]
    if dims[0] == dims[1]:
        raise RuntimeError(f"{_NAME}: dims must be different. Got ({dims[0]}, {dims[1]})")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            f"{_NAME}: dtype should be floating point or complex, but got {dtype.scalar_name}"
        )
    return dims


def of_singular_values(A: Any, dims: list[int], keepdim: bool, dtype: Any, reduce: Any) -> Any:
    """The result of `reduce` for the singular values of the matrices in two dimensions."""
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
    elif isinstance(ord, complex):
        raise RuntimeError(f"{_NAME}: Expected a non-complex scalar as the order of norm.")
    elif abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"{_NAME}: Order {ord:g} not supported.")
    spectral = ord in ("nuc", 2, -2)
    dims = matrix_dims(A, dim, dtype, low_precision=not spectral)
    if dtype is not None:
        check_asked_dtype(_NAME, A.dtype, dtype)
    if ord == "fro":
        return linalg_vector_norm(A, 2, dims, keepdim, dtype=dtype)
    if ord == "nuc":
        return of_singular_values(
            A, dims, keepdim, dtype, lambda S: OPS.sum_dim_IntList(S, (-1,), keepdim)
        )
    summed, compared = dims if abs(ord) == 1 else dims[::-1]
    if ord > 0 and not (A.shape[compared] and (A.shape[summed] or not spectral)):
        left = [1 if i in dims else n for i, n in enumerate(A.shape) if keepdim or i not in dims]
        kind = A.dtype if dtype is None else dtype
        return written_zeros(A, left, kind)
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
    if is_transformed(A) or is_transformed(direction) or is_seen(F, direction):
        above = F.cat((A, direction), -1)
        below = F.cat((F.zeros_like(A), A), -1)
        blocks = F.cat((above, below), -2)
    else:
        blocks = F.new_zeros(A, (*A.shape[:-2], 2 * n, 2 * n))
        for row, column, block in ((0, 0, A), (n, n, A), (0, n, direction)):
            place = F.narrow(F.narrow(blocks, -2, row, n), -1, column, n)
            overwrite(F, place, block)
    found = F.linalg_matrix_exp(blocks)
    return F.narrow(F.narrow(found, -2, 0, n), -1, n, n)


def takes_powers(self: Any) -> bool:
    """Whether torch's matrix_exp joins powers of `self`: of halves, not for matrices of a small
    norm, for which two terms are enough."""
    x = self.detach()
    return x.numel() > 0 and x.shape[-1] > 1 and (x.dim() > 2 or x.abs().sum(-2).max() > 0.2994384)


linalg_matrix_exp = operator(
    "linalg_matrix_exp(Tensor self) -> Tensor",
    node="LinalgMatrixExpBackward0",
    forward=matrix_exp_forward,
    self=lambda F, grad, self: matrix_exp_differential(F, mH(F, self), grad),
    result=lambda F, self_p, self_t: matrix_exp_differential(F, self_p, self_t),
    on=("F",),
    calls=Calls(joins=takes_powers),
)


@composite("matrix_exp")
def matrix_exp(input: Any) -> Any:
    """The exponentials of square matrices."""
    return linalg_matrix_exp(input)


# ---- lstsq


def is_vector(A: Any, b: Any) -> bool:
    """Whether `b` holds vectors, not matrices, for the matrices `A`."""
    return len(b.shape) == 1 or tuple(b.shape) == tuple(A.shape[:-1])


def check_least_squares(self: Any, b: Any, rcond: Any, driver: str) -> None:
    """RuntimeError with torch's texts for arguments that are no system of equations."""
    name = "torch.linalg.lstsq"
    if self.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if self.dtype != b.dtype:
        kinds = [dtypes.of(x).scalar_name for x in (self, b)]
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{kinds[0]} and other's dtype {kinds[1]}"
        )
    if self.ndim - b.ndim not in (0, 1):
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - "
            "other.dim()) <= 1"
        )
    axis = -1 if is_vector(self, b) else -2
    if self.shape[-2] != b.shape[axis]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({axis})")
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if self.dtype.char not in "fdFD":
        if rcond is not None:
            raise dtypes.unknown_to("linalg_lstsq_cpu", dtypes.of(self))
        raise RuntimeError("This function doesn't handle types other than float and double")


def cutoff(driver: str, eps: float, size: int, rcond: float | None) -> float:
    """Up to which part of the largest a singular value counts as zero, as LAPACK reads it."""
    if rcond is None or driver == "gels":  # which takes matrices for ones of full rank
        return eps * size
    if (driver == "gelsd" and not 0 < rcond < 1) or (driver == "gelss" and rcond < 0):
        return eps
    return rcond


def _misread_batch(A: Any, b: Any) -> Any:
    """Matrices on the right, whose leading dimensions count as as many batches as the left has.

    As broadcast_batch_size of ATen/native/LinearAlgebraUtils.h. RuntimeError where the result
    does not hold them.
    """
    batches = numpy.broadcast_shapes(A.shape[:-2], b.shape[: A.ndim - 2])
    wanted = (*batches, *b.shape[-2:])
    for i, (n, m) in enumerate(zip(wanted[1:], b.shape, strict=True), start=1):
        if m not in (n, 1):
            raise RuntimeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at "
                f"non-singleton dimension {i}"
            )
    return numpy.broadcast_to(b, wanted)


def lstsq_forward(xp: Any, self: Any, b: Any, rcond: Any, driver: Any) -> Any:
    """By the pseudo-inverse, in double."""
    refuse_numberless("aten::linalg_lstsq.out", self, b)
    driver = "gelsy" if driver is None else driver
    check_least_squares(self, b, rcond, driver)
    rows, columns = self.shape[-2:]
    kind, real = self.dtype, self.real.dtype
    rcond = cutoff(driver, numpy.finfo(real).eps, max(rows, columns), rcond)

    def kernel(A: Any, b: Any) -> Any:
        vector = is_vector(A, b)
        if not vector and A.ndim != b.ndim:
            b = _misread_batch(A, b)
        A, b = [x.astype(numpy.result_type(x, numpy.float64)) for x in (A, b)]
        u, sizes, vh = decompositions.svd(A, False)
        kept = sizes > rcond * sizes[..., :1]
        inverse = numpy.where(kept, 1 / numpy.where(kept, sizes, 1), 0)
        B = b[..., None] if vector else b
        X = swapped(vh).conj() @ (inverse[..., None] * (swapped(u).conj() @ B))
        if driver == "gelsy" and not every(kept):
            X, ranks = lapack.least_squares(A, B, rcond)
            ranks = ranks[tuple([slice(n) for n in A.shape[:-2]])]  # of each matrix, once
        else:
            ranks = kept.sum(-1)
        full = driver == "gels" or bool(every(kept))
        none = numpy.empty(0, real)
        residuals = none
        if rows > columns and driver != "gelsy" and full:
            residuals = (abs(A @ X - B) ** 2).sum(-2)
        values = sizes if driver in ("gelsd", "gelss") else none
        return (
            X,
            numpy.asarray(residuals, real),
            numpy.asarray(numpy.empty(0) if driver == "gels" else ranks, numpy.int64, order="C"),
            values.astype(real),
        )

    X, *others = on_host(xp, kernel, self, b)
    # as LAPACK leaves it: columns, in memory for the right-hand sides
    memory = xp.empty((*X.shape[:-2], X.shape[-1], max(rows, columns)), kind)
    solution = swapped(memory)[..., :columns, :]
    solution[...] = X
    return solution[..., 0] if is_vector(self, b) else solution, *others


def _columns(F: Any, A: Any, *given: Any) -> list[Any]:
    """The right-hand sides `given` as matrices: columns, if the first of them is vectors."""
    vector = is_vector(A, given[0])
    return [F.unsqueeze(x, -1) if vector and x is not None else x for x in given]


def lstsq_backward(
    F: Any, grads: Any, self: Any, b: Any, solution: Any, grad_input_mask: Any
) -> Any:
    """As linalg_lstsq_backward of torch/csrc/autograd/FunctionsManual.cpp."""
    grad, through = grads[0], grads[1]
    B, grad, X = _columns(F, self, b, grad, solution)
    to_self = to_b = None
    if grad is not None:
        inverse = F.linalg_pinv_atol_rtol_tensor(self)
        if grad_input_mask[0]:
            to_self = pinv_gradient(F, F.matmul(grad, mH(F, B)), inverse, self)
        if grad_input_mask[1]:
            to_b = F.matmul(mH(F, inverse), grad)
    if through is not None and through.shape[0]:
        rest, weight = F.matmul(self, X) - B, F.unsqueeze(through, -2)
        if grad_input_mask[0]:
            added = 2 * F.matmul(weight * rest, mH(F, X))
            to_self = added if to_self is None else to_self + added
        if grad_input_mask[1]:
            added = (-2 * weight) * rest
            to_b = added if to_b is None else to_b + added
    if to_b is not None and is_vector(self, b):
        to_b = F.squeeze_dim(to_b, -1)
    if F is RAW and to_self is not None and to_self.size:
        to_self = lapack.by_columns(to_self)
    return to_self, to_b


def lstsq_solution_tangent(F: Any, self_p: Any, self_t: Any, b_p: Any, b_t: Any) -> Any:
    """As linalg_lstsq_solution_jvp."""
    B, moved = _columns(F, self_p, b_p, b_t)
    inverse = F.linalg_pinv_atol_rtol_tensor(self_p)
    turned = pinv_tangent(F, self_p, self_t, inverse)
    found = F.matmul(turned, B) + F.matmul(inverse, moved)
    return F.squeeze_dim(found, -1) if is_vector(self_p, b_p) else found


def lstsq_residuals_tangent(
    F: Any, self_p: Any, self_t: Any, b_p: Any, b_t: Any, solution: Any, residuals: Any
) -> Any:
    """As linalg_lstsq_residuals_jvp."""
    if not residuals.shape[0]:
        return F.zeros_like(residuals)
    B, moved, X = _columns(F, self_p, b_p, b_t, solution)
    rest = F.matmul(self_p, X) - B
    change = F.matmul(self_t, X) - moved
    product = rest.conj() * change
    return 2 * F.sum_dim_IntList(F.real(product) if is_complex(product) else product, (-2,))


_lstsq = operator(
    "linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) ->"
    " (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    node="LinalgLstsqBackward0",
    forward=lstsq_forward,
    inputs=lstsq_backward,
    result=(lstsq_solution_tangent, lstsq_residuals_tangent),
    differentiable=(True, True, False, False),
    variants=("out",),
    on=("F",),
    out=Out(
        *safely_castable("torch.linalg.lstsq", "solution", "residuals", "rank", "singular_values"),
        strides=ROWS_OR_KEPT,
    ),
)
