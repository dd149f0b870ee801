"""Norms of vectors, the distance of two, and weights as a direction and a length.

The last as ATen/native/WeightNorm.cpp.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.elementwise.arithmetic import check_difference
from minitorch.aten.in_formulas import after, is_seen
from minitorch.aten.reduction.reduction import axes_of, compact, listed, restored_all
from minitorch.core.arrays import layout
from minitorch.core.arrays.blocks import MANY
from minitorch.core.arrays.floating_point import cast, warn_of_real_parts, widened
from minitorch.core.base.above import from_above
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, RAW, is_complex
from minitorch.core.declare.calls import IN_PYTHON
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.families import composite, not_differentiable, operator
from minitorch.core.declare.out import ALONE, APART_OR_INPUT, EXACT, InPlace, Out
from minitorch.core.declare.vmap import NAMES_DIMS, WARNS, made_of
from minitorch.core.declare.wording.plain_numbers import as_float
from minitorch.core.declare.wording.signatures import takes_over
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import COMPLEX_HALF, FLOATING, HALVES, LATE_UNSIGNED
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.numbers.promotion import promote_types, result_type
from minitorch.core.numbers.scalars import as_number
from minitorch.core.tensor.conversion import wrap_dim

_NAME = "linalg.vector_norm"
_SUMMED = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)  # by _powsum


def check_dtypes(self: Any, ord: Any, dtype: Any) -> None:
    """RuntimeError with torch's texts for dtypes that have no such norm."""
    own = dtypes.of(self)
    if not (own.is_floating_point or own.is_complex):
        raise RuntimeError(
            f"{_NAME}: Expected a floating point or complex tensor as input. Got {own.scalar_name}"
        )
    if isinstance(ord, complex):
        raise RuntimeError(f"{_NAME}: Expected a non-complex scalar as the order of norm.")
    if dtype is not None:
        check_asked_dtype(_NAME, own, dtype)


def check_asked_dtype(name: str, own: Any, dtype: Any) -> None:
    """RuntimeError with torch's texts if a norm of numbers of a dtype cannot be asked for in
    `dtype`."""
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            f"{name}: dtype should be floating point or complex, but got {dtype.scalar_name}"
        )
    if dtype.is_complex != own.is_complex:
        kind = "complex" if own.is_complex else "real"
        raise RuntimeError(
            f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype.scalar_name}"
        )
    if promote_types(own, dtype) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({own.scalar_name}) should be convertible "
            f"without narrowing to the specified dtype ({dtype.scalar_name})"
        )


def check_empty(self: Any, ord: Any, axes: Any) -> None:
    """RuntimeError with torch's texts for empty dimensions that have no such norm."""
    if self.size == 0 and (ord < 0 or ord == math.inf):
        shown = f"{ord:g}" if not isinstance(ord, int) else ord
        if axes is None:
            raise RuntimeError(
                f"{_NAME} cannot compute the {shown} norm on an empty tensor because the operation "
                "does not have an identity"
            )
        for axis in axes:
            if self.shape[axis] == 0:
                raise RuntimeError(
                    f"{_NAME} cannot compute the {shown} norm on the dimension {axis}because this "
                    "dimension is empty and the operation does not have an identity"
                )


def is_alone(self: Any, dim: Any, axes: Any) -> bool:
    """Whether each result is made of one element, so that torch sums nothing."""
    sizes = self.shape if axes is None else [self.shape[axis] for axis in axes]
    return all(n == 1 for n in sizes) and bool(self.ndim or not dim)


def vector_norm_forward(xp: Any, self: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    ord = as_number(ord)
    check_dtypes(self, ord, dtype)
    axes = axes_of(dim, self.ndim)
    check_empty(self, ord, axes)
    if dtype is not None and self.dtype != dtype.numpy:
        self = cast(self, dtype.numpy)
    if is_complex_half(self.dtype):
        norm = vector_norm_forward(xp, widened(self), ord, dim, keepdim, None)
        return norm.astype(xp.float16)
    kind = self.real.dtype if self.dtype.kind == "c" else self.dtype
    if ord == 0 and kind != self.dtype and self.size and is_alone(self, dim, axes):
        warn_of_real_parts()  # nothing to sum: torch writes self != 0 right into the result
    everything = axes is None or len(axes) == self.ndim
    if ord == 2 and everything and type(self) is numpy.ndarray and self.dtype.char == "f":
        norm = xp.asarray(math.sqrt(sum_of_squares(self)), dtype=kind)
        return norm.reshape((1,) * self.ndim) if keepdim else norm
    # Taken in double and rounded once.
    wide = self.astype(xp.complex128 if self.dtype.kind == "c" else xp.float64, copy=False)
    x = xp.as_array(norm_of(xp, wide, ord, axes, keepdim, wide is not self))
    return compact(xp, x.astype(kind, copy=False))


def sum_of_squares(x: Any) -> float:
    """The sum of the squares of all float32, in double: 100,000 of them in 27 us, not 87."""
    flat, total = x.reshape(-1), 0.0
    for start in range(0, x.size, MANY):
        wide = flat[start : start + MANY].astype(numpy.float64)
        total += float(wide.dot(wide))
    return total


def norm_of(xp: Any, x: Any, ord: Any, axes: Any, keepdim: bool, is_fresh: bool = False) -> Any:
    """The norm of double numbers, over which it may write if they are fresh."""
    mine = is_fresh and type(x) is numpy.ndarray and x.dtype.kind == "f"
    if ord == 0:
        return (x != 0).sum(axis=axes, keepdims=keepdim)
    if ord == 2:
        if axes == (x.ndim - 1,) and type(x) is numpy.ndarray and x.dtype.kind == "f":
            norms = numpy.sqrt(numpy.vecdot(x, x))  # of 316 rows of as many: 17 us, not 45
            return norms[..., None] if keepdim else norms
        if x.dtype.kind != "c":
            squares = numpy.multiply(x, x, out=x) if mine else x * x
        else:
            squares = x.real * x.real + x.imag * x.imag
        return xp.sqrt(xp.add.reduce(squares, axes, keepdims=keepdim))
    x = numpy.abs(x, out=x) if mine else abs(x)
    if ord == math.inf:
        return x.max(axis=axes, keepdims=keepdim)
    if ord == -math.inf:
        return x.min(axis=axes, keepdims=keepdim)
    if ord == 1:
        return xp.add.reduce(x, axes, keepdims=keepdim)
    return xp.power(xp.power(x, ord).sum(axis=axes, keepdims=keepdim), 1 / ord)


def norm_backward(
    F: Any, grad: Any, self: Any, ord: Any, result: Any, dim: Any, keepdim: bool
) -> Any:
    """The gradient of a norm; zero where the norm is zero and has none.

    As norm_backward of torch/csrc/autograd/FunctionsManual.cpp.
    """
    if ord == 0 and F is RAW:
        return None
    if F is not RAW:
        ord = float(ord)  # which the nodes of powers show
    rank = len(self.shape)
    grad = restored_all(F, grad, rank, dim, keepdim)
    norm = restored_all(F, result, rank, dim, keepdim)
    if ord == 0:
        return None
    if ord == 1:
        return F.sgn(self) * grad
    if ord == 2:
        return grad * F.masked_fill_(self / norm, norm == 0, 0)
    if abs(ord) == math.inf:
        magnitude = F.abs(self)
        mask = magnitude == norm  # first: sparse tensors are refused here
        if is_seen(F, grad):
            mask = F.logical_or(mask, F.isnan(magnitude))
        else:
            unknown = F.logical_and(magnitude != magnitude, norm != norm)
            mask = F.logical_or(mask, unknown)
        dims = dim or (() if is_seen(F, grad) else tuple(range(rank)))  # none stand for all
        count = F.sum(mask, dims, True)
        if F is RAW:  # where NumPy would promote
            mask, count = F.type_as(mask, grad), F.type_as(count, grad)
        share = grad / count * mask
        return F.sgn(self) * share
    if ord < 1:
        powers = F.masked_fill_(after(F, "pow", F.abs(self), ord - 1), self == 0, 0)
        slope = F.sgn(self) * powers
        falling = F.pow(norm, 1 - ord)
        return slope * grad * falling
    if ord < 2:
        powers = after(F, "pow", F.abs(self), ord - 1)
        slope = F.sgn(self) * powers
    else:
        slope = self * after(F, "pow", F.abs(self), ord - 2)
    return slope * F.masked_fill_(grad / F.pow(norm, ord - 1), norm == 0, 0)


def norm_jvp(
    F: Any, self_p: Any, self_t: Any, ord: Any, result: Any, dim: Any, keepdim: bool
) -> Any:
    """The tangent of a norm. As norm_jvp of torch/csrc/autograd/FunctionsManual.cpp."""

    def summed(x: Any) -> Any:
        return F.sum_dim_IntList(F.real(x), dim, keepdim)

    if ord == 0:
        return F.zeros_like(result)
    along = F.sgn(self_p) * self_t.conj()
    if ord == 1:
        return summed(along)
    if ord == 2:
        return F.masked_fill(summed(self_p * self_t.conj()) / result, result == 0, 0)
    magnitude = F.abs(self_p)
    if ord < 1 and ord != -math.inf:
        powers = F.masked_fill(F.pow(magnitude, ord - 1), self_p == 0, 0)
        return summed(powers * F.real(along)) * F.pow(result, 1 - ord)
    if abs(ord) == math.inf:
        norm = restored_all(F, result, self_p.dim(), dim, keepdim)
        mask = F.logical_or(magnitude == norm, F.logical_and(magnitude != magnitude, norm != norm))
        count = F.sum_dim_IntList(mask, dim, True)
        return summed(F.real(along) * F.type_as(mask, norm) / count)
    if ord < 2:
        products = F.pow(magnitude, ord - 1) * F.real(along)
    else:
        products = F.pow(magnitude, ord - 2) * F.real(self_p * self_t.conj())
    return F.masked_fill(summed(products) / F.pow(result, ord - 1), result == 0, 0)


linalg_vector_norm = operator(
    "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *,"
    " ScalarType? dtype=None) -> Tensor",
    node="LinalgVectorNormBackward0",
    forward=vector_norm_forward,
    self=norm_backward,
    result=norm_jvp,
    on=("F",),
    variants=("out",),
    elementwise=True,
    out=Out(EXACT),
    vmap=NAMES_DIMS,
)


def powsum_forward(xp: Any, self: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    ord = as_float(as_number(ord))
    axes = axes_of(dim, self.ndim)
    own = dtypes.of(self)
    kind = dtype or (own if own.is_floating_point or own.is_complex else dtypes.int64)
    real = kind.to_real() if kind.is_complex else kind
    if not self.size:
        shape = self.sum(axis=axes, keepdims=keepdim).shape
        return xp.zeros(shape, real.numpy)
    if own.is_complex and not kind.is_complex and not is_alone(self, dim, axes):
        kind = kind.to_complex()
    if not (kind.is_complex or kind in _SUMMED):
        raise dtypes.unknown_to("powsum_cpu", kind)
    if own.is_complex and not kind.is_complex:  # nothing to sum
        kind = kind.to_complex()
    if own is not kind:
        self = cast(self, kind.numpy)
    # Taken in double and rounded once, as the norms are.
    if kind is dtypes.complex32:
        self = widened(self)
    wide = self.astype(xp.complex128 if self.dtype.kind == "c" else xp.float64, copy=False)
    sums = xp.power(abs(wide), ord).sum(axis=axes, keepdims=keepdim)
    return compact(xp, xp.as_array(sums).astype(real.numpy, copy=False))


linalg__powsum = operator(
    "linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *,"
    " ScalarType? dtype=None) -> Tensor",
    node="NotImplemented",
    forward=powsum_forward,
    self=not_differentiable("linalg__powsum"),
    on=("F",),
)


def vector_norm(
    x: Any,
    ord: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """(sum |x| ** ord) ** (1 / ord) over all elements or `dim`; inf the largest, 0 the count.

    As torch.linalg.vector_norm.
    """
    try:
        if type(ord) is not float and type(ord) is not int:
            refuse_handed("linalg.linalg_vector_norm", x, ord, dim, keepdim, dtype=dtype)
            ord = as_number(ord.item() if isinstance(ord, TensorBase) else ord)
        return linalg_vector_norm(x, ord, listed(dim), keepdim, dtype=dtype, out=out)
    except Exception:
        refuse_handed("linalg.linalg_vector_norm", x, ord, dim, keepdim, dtype=dtype)
        raise


@composite("norm", on=("method",), own_out=Out(EXACT), calls=IN_PYTHON)
def norm_method(
    self: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Any:
    """The norm of all elements as one vector, or of the vectors along `dim`. As Tensor.norm."""
    return norm(self, p, dim, keepdim, dtype=dtype)


norm_method.__name__ = norm_method.__qualname__ = "norm"


@composite("norm", on=("function",))
def norm(
    input: Any,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: Any = None,
) -> Any:
    """The norm of all elements as one vector, or of the vectors along `dim`.

    p: the order, "fro" for 2, "nuc" for the sum of the singular values.
    """
    if isinstance(p, str):
        if p == "nuc":
            if not isinstance(dim, (list, tuple)):
                dim = tuple(range(input.dim())) if dim is None else listed(dim)
            if out is None:
                return OPS.linalg_matrix_norm(input, p, dim, keepdim, dtype=dtype)
            return OPS.linalg_matrix_norm(input, p, dim, keepdim, dtype=dtype, out=out)
        if p != "fro":
            dims = [*range(input.dim())] if dim is None else dim
            dims = [dims] if isinstance(dims, int) else dims
            refuse_handed("linalg.linalg_matrix_norm", input, p, dims, keepdim, dtype=dtype)
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
        if len(listed(dim) or ()) > 2:
            dims = " ".join(map(str, dim))
            raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dims}")
        p = 2
    elif p is None:
        p = 2.0
    elif takes_over(p):  # torch looks at `input` alone, and hands the order on
        vector_norm_of = from_above("linalg:vector_norm")
        return vector_norm_of(input, p, dim, keepdim, dtype=dtype)
    return vector_norm(input, p, dim, keepdim, dtype=dtype, out=out)


# Norms of vectors by the node that distances have.
norm_of_all = operator(
    "norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
    node="NormBackward0",
    forward=lambda xp, self, p: norm_forward(xp, self, p, None, False),
    self=lambda F, grad, self, p, result: norm_backward(F, grad, self, p, result, None, False),
    result=lambda F, self_p, self_t, p, result: norm_jvp(F, self_p, self_t, p, result, None, False),
    on=("F",),
    elementwise=True,
)

norm_along = operator(
    "norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
    node="NormBackward1",
    forward=lambda xp, self, p, dim, keepdim: norm_forward(xp, self, p, dim, keepdim),
    self=lambda F, grad, self, p, result, dim, keepdim: norm_backward(
        F, grad, self, p, result, dim, keepdim
    ),
    result=lambda F, self_p, self_t, p, result, dim, keepdim: norm_jvp(
        F, self_p, self_t, p, result, dim, keepdim
    ),
    on=(),
)


# And in another dtype. The node of torch takes what is saved to the dtype of the gradient.
norm_all_as = operator(
    "norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
    node="NormBackward2",
    forward=lambda xp, self, p, dtype: vector_norm_forward(xp, self, p, None, False, dtype),
    self=lambda F, grad, self, p, result: norm_backward(
        F, grad, F.type_as(self, grad), p, result, None, False
    ),
    result=lambda F, self_p, self_t, p, result: norm_jvp(F, self_p, self_t, p, result, None, False),
    on=(),
)

norm_along_as = operator(
    "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *,"
    " ScalarType dtype) -> Tensor",
    node="NormBackward3",
    forward=lambda xp, self, p, dim, keepdim, dtype: vector_norm_forward(
        xp, self, p, dim, keepdim, dtype
    ),
    self=lambda F, grad, self, p, result, dim, keepdim: norm_backward(
        F, grad, F.type_as(self, grad), p, result, dim, keepdim
    ),
    result=lambda F, self_p, self_t, p, result, dim, keepdim: norm_jvp(
        F, self_p, self_t, p, result, dim, keepdim
    ),
    on=(),
)


def norm_forward(xp: Any, self: Any, p: Any, dim: Any, keepdim: bool) -> Any:
    """The norm, in the dtype of `self`; integers have none."""
    check_norm_dtype(dtypes.of(self))
    return vector_norm_forward(xp, self, p, dim, keepdim, None)


def check_norm_dtype(kind: Any) -> None:
    """RuntimeError, in the words of at::norm, for a dtype of integers."""
    if not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{kind.scalar_name} instead."
        )


def dist_forward(xp: Any, self: Any, other: Any, p: Any) -> Any:
    check_difference([x.dtype.kind == "b" for x in (self, other)])
    layout.broadcast(self.shape, other.shape)
    common = result_type(*[(dtypes.of(x), x.ndim) for x in (self, other)])
    if common in LATE_UNSIGNED:
        raise dtypes.unknown_to("add_stub", common)
    check_norm_dtype(common)
    if common is dtypes.complex32:
        wide = [widened(cast(x, common.numpy)) for x in (self, other)]
        difference = cast(wide[0] - wide[1], common.numpy)
    else:
        difference = cast(self, common.numpy) - cast(other, common.numpy)
    return vector_norm_forward(xp, difference, p, None, False, None)


dist = operator(
    "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
    node="DistBackward0",
    forward=dist_forward,
    self=lambda F, grad, self, other, p, result: norm_backward(
        F, grad, self - other, p, result, None, False
    ),
    other=lambda F, grad, self, other, p, result: (
        -norm_backward(F, grad, self - other, p, result, None, False)
    ),
    result=lambda F, self_p, self_t, other_p, other_t, p, result: norm_jvp(
        F, self_p - other_p, self_t - other_t, p, result, None, False
    ),
    vmap=made_of(lambda self, other, p: OPS.linalg_vector_norm(self - other, p)),
)

# ---- renorm


def widest(kind: Any) -> Any:
    """The dtype in which sums of a dtype are taken on the CPU."""
    return {dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128}.get(
        kind, dtypes.float32 if kind.itemsize == 2 else kind
    )


def renorm_forward(xp: Any, self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    p, maxnorm = as_number(p), as_number(maxnorm)
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if self.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    axes = others(self.ndim, wrap_dim(dim, self.ndim))
    kind = widest(dtypes.of(self))
    if dtypes.of(self) in LATE_UNSIGNED | COMPLEX_HALF:
        raise RuntimeError(  # an assertion of torch's, which names its place in torch's source
            "false INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/AccumulateType.cpp":23, please report a bug to '
            f"PyTorch. Unrecognized ScalarType: {dtypes.of(self).scalar_name}"
        )
    check_dtypes(self, p, None)
    check_empty(self, p, axes)
    norm = vector_norm_forward(xp, self, p, axes, True, kind)
    factor = xp.where(norm > maxnorm, maxnorm / (norm + norm.dtype.type(1e-7)), 1)
    return xp.ascontiguousarray(self * factor.astype(self.real.dtype))


def others(rank: int, dim: int) -> list[int]:
    """All dimensions but one."""
    return [i for i in range(rank) if i != dim % rank]


def _norms(F: Any, x: Any, p: float, dim: int) -> tuple[Any, list[int], Any]:
    """The norms of slices, the dimensions they are over, and the dtype they are in."""
    kind = widest(dtypes.of(getattr(x, "_array", x)))
    axes = others(len(x.shape), dim)
    return F.linalg_vector_norm(x, p, axes, True, dtype=kind), axes, kind


def renorm_backward(F: Any, grad: Any, self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """As renorm_backward of torch/csrc/autograd/FunctionsManual.cpp."""
    norm, axes, _ = _norms(F, self, p, dim)
    p = float(p)
    product = self.conj() * grad
    product = F.real(product) if is_complex(product) else product
    total = F.sum_dim_IntList(product, axes, True, dtype=dtypes.of(getattr(norm, "_array", norm)))
    through = norm_backward(F, total, self, p, norm, axes, True)
    inverse = F.reciprocal(norm + 1e-7)
    rest = grad - inverse * through
    scaled = F.to(maxnorm * inverse * rest, dtypes.of(getattr(grad, "_array", grad)))
    return F.where(norm > maxnorm, scaled, grad)


def renorm_tangent(F: Any, self_p: Any, self_t: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """As renorm_jvp of torch/csrc/autograd/FunctionsManual.cpp."""
    p = float(p)
    norm, axes, kind = _norms(F, self_p, p, dim)
    wide_p, wide_t = [F.to(x, kind) for x in (self_p, self_t)]
    slope = norm_jvp(F, wide_p, wide_t, p, norm, axes, True)
    inverse = F.reciprocal(norm + 1e-7)
    scaled = maxnorm * inverse * (wide_t - wide_p * (inverse * slope))
    return F.where(norm > maxnorm, F.type_as(scaled, self_t), self_t)


renorm = operator(
    "renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
    node="RenormBackward0",
    forward=renorm_forward,
    self=renorm_backward,
    result=renorm_tangent,
    variants=("inplace", "out"),
    elementwise=True,
    out=Out(EXACT, overlap=APART_OR_INPUT),
    in_place=InPlace(falls_back=ALONE),
    vmap=WARNS,
)


@composite("norm_except_dim", on=("function",))
def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """The norm over all dimensions but one, which stay as dimensions of size 1; over all for -1."""
    if dim == -1:
        check_norm_dtype(v.dtype)
        return norm_of_all(v, pow)
    last = v.dim() - 1
    if dim not in (0, last):
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    sizes = [1] * v.dim()
    rows, over = ((v.size(0), -1), 1) if dim == 0 else ((-1, v.size(last)), 0)
    sizes[dim] = v.size(dim)
    matrix = v.contiguous().view(rows)
    check_norm_dtype(v.dtype)
    return norm_along(matrix, pow, (over,), False).view(sizes)


def weight_norm_forward(xp: Any, v: Any, g: Any, dim: int) -> tuple[Any, Any]:
    kind = dtypes.of(v)
    if not kind.is_floating_point:
        raise dtypes.unknown_to("weight_norm_kernel", kind)
    axes = tuple(range(1, v.ndim)) if dim == 0 else tuple(range(v.ndim - 1))
    wide = v.dtype if v.dtype.itemsize > 2 else xp.float32
    v, g = v.astype(wide, copy=False), g.astype(wide, copy=False)
    norms = xp.sqrt(xp.sum(v * v, axes, keepdims=True))
    out = xp.as_array(v * (g / norms)).astype(kind.numpy, copy=False)
    if kind is dtypes.float16:  # those of bfloat16 stay float32
        norms = norms.astype(xp.float16)
    return out, norms.reshape(g.shape)


def weight_norm_gradients(
    F: Any, grad: Any, v: Any, g: Any, result1: Any, dim: int
) -> tuple[Any, Any]:
    norms = result1 if result1.dtype == g.dtype else F.type_as(result1, g)
    rows, over = ((len(v), -1), 1) if dim == 0 else ((-1, v.shape[-1]), 0)
    sizes = [1] * len(v.shape)
    sizes[dim] = v.shape[dim]
    sums = F.reshape(F.sum(F.reshape(grad * v, rows), over), tuple(sizes))
    along = grad - v * (sums / (norms * norms))
    return (g / norms) * along, sums / norms


_weight_norm_interface = operator(
    "_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)",
    node="WeightNormInterfaceBackward0",
    forward=weight_norm_forward,
    kernel="weight_norm_kernel",
    knows=FLOATING | HALVES,
    inputs=weight_norm_gradients,
    differentiable=(True, False),
    on=("function",),
)


@composite("_weight_norm", on=("function",))
def _weight_norm(v: Any, g: Any, dim: int = 0) -> Any:
    """The direction of `v` times the length `g`, along one dimension."""
    v, g = v.contiguous(), g.contiguous()
    if dim in (0, v.dim() - 1):
        return _weight_norm_interface(v, g, dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
