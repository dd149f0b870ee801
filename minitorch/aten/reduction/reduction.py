"""Reductions: sum, mean, prod, all, any, logsumexp and their kin."""

from __future__ import annotations

from math import inf
from math import prod as product
from operator import index
from typing import Any

import numpy

from minitorch.aten.in_formulas import is_seen, options_of
from minitorch.aten.shape.views import wrapped_dims
from minitorch.core.arrays import namespace, summation
from minitorch.core.arrays.floating_point import cast, widened
from minitorch.core.arrays.layout import is_plain
from minitorch.core.arrays.missing import is_true
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, RAW, may_be_zero
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import fit
from minitorch.core.declare.general.writing import check_gradients, deliver
from minitorch.core.declare.out import (
    EXACT,
    Out,
    castable_as,
    check_castable,
    declare_out,
    exactly,
    out_of,
)
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.row import LINEAR, REDUCTION
from minitorch.core.declare.vmap import NAMES_DIMS, made_of
from minitorch.core.declare.wording.out_rules import check_out_dtype
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.numbers import dtype as dtypes

_SINGLE, _DOUBLE = dtypes.float32.numpy, dtypes.float64.numpy

# ---- dimensions


def axes_of(dims: Any, rank: int) -> tuple[int, ...] | None:
    """The axes that `dim=` names, counted from the front; None for all of them."""
    if dims is None:
        return None
    if type(dims) is tuple and len(dims) == 1 and type(dims[0]) is int and -rank <= dims[0] < rank:
        return dims if dims[0] >= 0 else (dims[0] + rank,)
    wrapped = wrapped_dims((dims,) if isinstance(dims, int) else dims, rank)
    axes = tuple([each if type(each) is int else axis_of(each) for each in wrapped])
    return (axes or None) if rank else None


def listed(dim: Any) -> Any:
    """`dim=` as the tuple that nodes show: (0,) for 0; None stays, and what is for the parser."""
    if type(dim) is int:
        return (dim,)
    if dim is None or type(dim) is tuple:
        return dim
    if isinstance(dim, (tuple, list)):
        return tuple(dim)
    return (index(dim),) if hasattr(dim, "__index__") and type(dim) is not bool else dim


def check_has_dim(keepdim: Any) -> None:
    """TypeError, for the parser to word, if a call without `dim` keeps dimensions."""
    if keepdim:
        raise TypeError("keepdim=True without dim")


def axis_of(dim: Any) -> int:
    """A dimension that is no plain int; TypeError, for the parser to word, if it is no int."""
    if isinstance(dim, (bool, float)):
        raise TypeError
    return index(dim)


def compact(xp: Any, x: Any) -> Any:
    """A reduction's result as torch leaves it: an array, C-contiguous, in memory of its own."""
    x = x if type(x) is numpy.ndarray else xp.as_array(x)
    return x if x.base is None and x.flags.c_contiguous and is_plain(x) else x.copy()


def restored(F: Any, grad: Any, rank: int, dims: Any, keepdim: bool) -> Any:
    """`grad` with the dimensions back, of size 1, that a reduction over `dims` took away."""
    if keepdim or dims is None or rank == 0:
        return grad
    if isinstance(dims, int):
        return F.unsqueeze(grad, dims)
    if len(dims) == 1:
        return F.unsqueeze(grad, dims[0])
    for dim in sorted([dim % rank for dim in dims]):
        grad = F.unsqueeze(grad, dim)
    return grad


def values_at(F: Any, self_t: Any, dim: int, indices: Any, keepdim: bool) -> Any:
    """The tangents of the elements that were chosen along `dim`."""
    if keepdim or not self_t.shape:
        return F.gather(self_t, dim, indices)
    return F.squeeze_dim(F.gather(self_t, dim, F.unsqueeze(indices, dim)), dim)


def restored_all(F: Any, grad: Any, rank: int, dims: Any, keepdim: bool) -> Any:
    """`restored` for an operator in which no dims mean all dims."""
    return grad if not dims and dims != 0 else restored(F, grad, rank, dims, keepdim)


def counted(sizes: Any, dims: Any) -> int:
    """How many elements a reduction over `dims` takes together."""
    if dims is None or dims == ():
        return product(sizes)
    dims = (dims,) if isinstance(dims, int) else dims
    return product([sizes[dim] for dim in dims]) if sizes else 1


# ---- sum, nansum


def summed(xp: Any, x: Any, dims: Any, keepdim: bool, dtype: Any) -> Any:
    """The sum over `dims` (None or empty: all); integers and bools add up as int64."""
    axes = axes_of(dims, x.ndim)
    if dtype is not None and x.dtype != dtype.numpy:
        x = cast(x, dtype.numpy)
    total = compact(xp, summation.sum(xp, x, axes, keepdim))
    return total if dtype is None else total.astype(dtype.numpy, copy=False)


def sum_forward(self: Any, dtype: Any) -> Any:
    if dtype is None:
        return summation.total(self)
    return summed(namespace(self), self, None, False, dtype)


def sum_backward(F: Any, grad: Any, sizes: Any, dims: Any, keepdim: bool) -> Any:
    """The gradient of a sum over `dims`, expanded to the shape of its input."""
    return F.expand(restored(F, grad, len(sizes), dims, keepdim), sizes)


def _every(self: Any) -> tuple[int, ...]:
    return tuple(range(self._array.ndim))


sum_default = operator(
    "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    node="SumBackward0",
    forward=sum_forward,
    kernel="sum_cpu",
    self=lambda F, grad, self_sym_sizes: F.expand(grad, self_sym_sizes),
    result=LINEAR,
    on=("F",),
    vmap=made_of(lambda self, dtype: OPS.sum_dim_IntList(self, _every(self), False, dtype=dtype)),
)

sum_dim = operator(
    "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)"
    " -> Tensor",
    node="SumBackward1",
    forward=lambda xp, self, dim, keepdim, dtype: summed(xp, self, dim, keepdim, dtype),
    kernel="sum_cpu",
    self=lambda F, grad, self_sym_sizes, dim, keepdim: sum_backward(
        F, grad, self_sym_sizes, dim, keepdim
    ),
    result=LINEAR,
    on=("F",),
    vmap=NAMES_DIMS,
)


def sum(
    input: Any,
    dim: Any = UNSET,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The sum of all elements, or over the dimensions `dim`; bools and integers give int64.

    As ATen/native/ReduceOps.cpp, in its order of additions.
    """
    if dim is UNSET and not keepdim and out is None:
        return sum_default(input) if dtype is None else sum_default(input, dtype=dtype)
    if dim is UNSET:
        check_has_dim(keepdim)
    if out is not None:
        kind = getattr(out, "dtype", None) if dtype is None else dtype
        return deliver("sum", sum, out, ((input, dim, keepdim), {"dtype": kind}))
    return sum_dim(input, listed(dim), keepdim, dtype=dtype)


def sum_raw(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    return RAW.sum_dim_IntList(x, listed(dim), keepdim, dtype)


composite("sum", raw=sum_raw, own_out=Out(EXACT), bare=sum_default)(sum)


_NO_COMPLEX_NANSUM = "nansum on CPU does not support complex inputs"


def nansum_forward(xp: Any, self: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if self.dtype.kind == "c":
        axes_of(dim, self.ndim)  # its first refusal
        raise RuntimeError(_NO_COMPLEX_NANSUM)
    if self.dtype.kind not in "biu":
        if dtype is not None and dtype.is_complex and self.size:
            raise dtypes.unknown_to("nansum_cpu", dtype)
        self = summation.known(xp, self)
    return summed(xp, self, dim, keepdim, dtype)


def nansum_backward(F: Any, grad: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    known = F.logical_not(F.isnan(self))
    return F.mul(sum_backward(F, grad, self.shape, dim, keepdim), known)


nansum_row = operator(
    "nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)"
    " -> Tensor",
    node="NansumBackward0",
    forward=nansum_forward,
    self=lambda F, grad, self, dim, keepdim: nansum_backward(F, grad, self, dim, keepdim),
    result=REDUCTION,
    elementwise=True,
    on=("F",),
    variants=("out",),
    vmap=NAMES_DIMS,
)


@composite(
    "nansum",
    own_out=Out(
        exactly(
            "nansum: provided dtype must match dtype of result. Got {out.scalar_name} and "
            "{result.scalar_name}."
        )
    ),
)
def nansum(
    input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Any:
    """The sum without the NaNs."""
    if out is not None:
        if input.is_complex():
            check_gradients(out_of("nansum"), "nansum", (out,), [input])
            raise RuntimeError(_NO_COMPLEX_NANSUM)
        if not input.is_floating_point():
            return sum(input, dim, keepdim, dtype=dtype, out=out)
        if dtype is None and not (out.is_floating_point() or out.is_complex()):
            fit(out, sum(input.detach(), dim, keepdim).shape)
            raise dtypes.unknown_to("nansum_cpu", out.dtype)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            check_out_dtype("sum", dtype, out.dtype)
        if dtype is not None and dtype is not out.dtype:
            raise RuntimeError(
                "nansum: provided dtype must match dtype of result. Got "
                f"{out.dtype.scalar_name} and {dtype.scalar_name}."
            )
        dtype = out.dtype
    return nansum_row(input, listed(dim), keepdim, dtype=dtype, out=out)


# ---- mean, nanmean


def check_mean(self: Any, dtype: Any) -> None:
    """RuntimeError unless a mean of floating or complex numbers is wanted."""
    wanted = dtypes.of(self) if dtype is None else dtype
    if not (wanted.is_floating_point or wanted.is_complex):
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} "
            "dtype must be either a floating point or complex dtype. Got: "
            f"{wanted.scalar_name}"
        )


def mean_forward(xp: Any, self: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    check_mean(self, dtype)
    if dtype is not None and self.dtype != dtype.numpy:
        self = cast(self, dtype.numpy)
    return compact(xp, summation.mean(xp, self, axes_of(dim, self.ndim), keepdim))


def mean_of_all(xp: Any, self: Any, dtype: Any) -> Any:
    kind = self.dtype
    if dtype is None and self.size and (kind is _SINGLE or kind is _DOUBLE):
        return xp.as_array(summation.total(self)[()] / kind.type(self.size))
    return mean_forward(xp, self, None, False, dtype)


def mean_backward(F: Any, grad: Any, sizes: Any, dims: Any, keepdim: bool) -> Any:
    """The gradient of a mean over `dims`."""
    return sum_backward(F, grad, sizes, dims, keepdim) / counted(sizes, dims)


mean_default = operator(
    "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    node="MeanBackward0",
    forward=mean_of_all,
    kernel="sum_cpu",
    self=lambda F, grad, self_sym_sizes, self_sym_numel: (
        F.expand(grad, self_sym_sizes) / self_sym_numel
    ),
    result=LINEAR,
    on=("F",),
    vmap=made_of(lambda self, dtype: OPS.mean_dim(self, _every(self), False, dtype=dtype)),
)

mean_dim = operator(
    "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    node="MeanBackward1",
    forward=mean_forward,
    kernel="sum_cpu",
    self=lambda F, grad, self_sym_sizes, dim, self_sym_numel, keepdim: mean_backward(
        F, grad, self_sym_sizes, dim, keepdim
    ),
    result=LINEAR,
    on=("F",),
    vmap=NAMES_DIMS,
)


def mean(
    input: Any,
    dim: Any = UNSET,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The mean of all elements, or over the dimensions `dim`."""
    if dim is UNSET and not keepdim and out is None:
        return mean_default(input, dtype=dtype)
    if dim is UNSET:
        check_has_dim(keepdim)
    if out is not None:
        return mean_into(out, input, dim, keepdim, dtype)
    return mean_dim(input, listed(dim), keepdim, dtype=dtype)


declare_out(
    "mean.dtype_out",
    Out(
        castable_as(
            "mean.dtype_out(): input types can't be cast to the desired output type "
            "{out.scalar_name}"
        )
    ),
)


def mean_into(out: Any, input: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """`mean` into `out`: taken in its dtype if no other is wanted, which must be that of `out`."""
    if dtype is None and isinstance(out, TensorBase):
        if dim is UNSET:
            check_out_dtype("mean.dtype_out", input.dtype, out.dtype)
        check_mean(input._array, None)
        dtype = out.dtype
        if not (dtype.is_floating_point or dtype.is_complex):  # adds up, and cannot divide
            sum(input, dim, keepdim, dtype=dtype)
            check_castable("mean", dtypes.get_default_dtype(), dtype)
    return deliver("mean", mean, out, ((input, dim, keepdim), {"dtype": dtype}))


def mean_raw(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    return RAW.mean_dim(x, listed(dim), keepdim, dtype)


composite("mean", raw=mean_raw, own_out=Out(EXACT), bare=mean_default)(mean)


@composite("nanmean")
def nanmean(
    input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Any:
    """The mean without the NaNs."""
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(
            "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty "
            "tensors."
            if out is not None
            else "nanmean(): expected input to have floating point or complex dtype but got "
            f"{input.dtype.scalar_name}"
        )
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating "
            f"point or complex dtype. Got: {dtype.scalar_name}"
        )
    if isinstance(out, TensorBase) and out.dtype.number_kind < dtypes.Kind.FLOATING:
        fit(out, sum(input.detach(), dim, keepdim).shape)
        raise dtypes.unknown_to("nansum_cpu", out._array)
    if STACK.get():
        x = input.detach()
        count = sum_dim((x != x).logical_not_(), listed(dim), keepdim)
        return OPS.div(nansum(input, listed(dim), keepdim, dtype=dtype, out=out), count, out=out)
    total = nansum(input, listed(dim), keepdim, dtype=dtype, out=out)
    count = OPS.logical_not(OPS.isnan(input.detach()))
    return OPS.div(total, sum(count, dim, keepdim), out=out)


# ---- prod


_VECTORS = 16  # elements, from which on torch may multiply in vectors


def is_taken_in_vectors(x: Any, axes: Any) -> bool:
    """Whether a product over the axes goes along rows of single or double numbers in memory."""
    if x.dtype.char not in "fd" or type(x) is not numpy.ndarray or not x.flags.c_contiguous:
        return False
    if axes is None:
        return x.size >= _VECTORS
    return axes == (x.ndim - 1,) and x.shape[-1] >= _VECTORS and x.size > 0


def multiplied(xp: Any, self: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """The product over `dim`, an int or None; half types multiply in float32."""
    if dtype is not None and self.dtype != dtype.numpy:
        self = cast(self, dtype.numpy)
    kind = wide = self.dtype
    if kind.kind in "biu":
        wide = xp.dtype(xp.int64)
        kind = wide if dtype is None else kind
    elif kind.itemsize == 2:
        self, wide = self.astype(xp.float32), xp.float32
    axes = axes_of(dim, self.ndim)
    if axes is None and self.flags.f_contiguous:
        self = self.T  # torch goes through memory
    if kind == self.dtype and is_taken_in_vectors(self, axes):
        lead = () if axes is None else self.shape[:-1]
        x = summation.product(self.reshape(product(lead), -1))
        if keepdim:
            return x.reshape((1,) * self.ndim if axes is None else (*lead, 1)).copy()
        return x.reshape(lead) if len(lead) == 1 else x.reshape(lead).copy()
    x = xp.multiply.reduce(self, axes, wide, keepdims=keepdim)
    return compact(xp, xp.as_array(x).astype(kind, copy=False))


def prod_backward(
    F: Any, grad: Any, self: Any, result: Any, dim: Any = None, keepdim: bool = False
) -> Any:
    """The gradient of a product: the product of all others.

    Where nothing is zero that is result / self; else the products before and after each element
    are multiplied, so that a single zero gets its gradient.
    """
    rank = len(self.shape)
    if rank == 0:
        return grad
    if dim is not None and not keepdim:
        at = dim % rank
        grad, result = F.unsqueeze(grad, at), F.unsqueeze(result, at)
    seen = is_seen(F, grad)
    if not seen and not may_be_zero(self):
        return grad * (result / self).conj()
    if dim is None:
        if not seen and not recording() and is_true((self == 0).sum() > 1, False):
            return F.new_zeros(self, self.shape)
        flat = F.view(F.contiguous(self), (-1,))
        return F.reshape(products_of_others(F, grad, flat, 0), self.shape)
    return products_of_others(F, grad, self, dim % rank)


def products_of_others(F: Any, grad: Any, self: Any, dim: int) -> Any:
    """`grad` times the product of all elements along `dim` but the one in its place."""
    size = self.shape[dim]
    if 0 in self.shape:
        return F.expand(grad, self.shape)
    if size == 1:
        return grad
    if is_seen(F, grad):
        shape = [*self.shape]
        shape[dim] = 1
        ones = OPS.ones(shape, **options_of(self))
    else:
        ones = F.ones_like(F.slice(self, dim, 0, 1))
    before = F.cumprod(F.cat([ones, F.slice(self, dim, 0, size - 1)], dim), dim)
    behind = F.cat([ones, F.flip(F.slice(self, dim, 1, size), (dim,))], dim)
    after = F.flip(F.cumprod(behind, dim), (dim,))
    return grad * (before * after).conj()


prod_default = operator(
    "prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    node="ProdBackward0",
    forward=lambda xp, self, dtype: multiplied(xp, self, None, False, dtype),
    kernel="prod_out_cpu",
    self=lambda F, grad, self, result: prod_backward(F, grad, same_dtype(F, self, grad), result),
    result=REDUCTION,
    on=("F",),
    elementwise=True,
    vmap=made_of(lambda self, dtype: OPS.prod_dim_int(self.flatten(), 0, False, dtype=dtype)),
)

prod_dim = operator(
    "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    node="ProdBackward1",
    forward=multiplied,
    kernel="prod_out_cpu",
    self=lambda F, grad, self, result, dim, keepdim: prod_backward(
        F, grad, same_dtype(F, self, grad), result, dim, keepdim
    ),
    result=REDUCTION,
    on=("F",),
    elementwise=True,
    vmap=NAMES_DIMS,
)


def same_dtype(F: Any, x: Any, grad: Any) -> Any:
    """`x` in the dtype of `grad`."""
    return x if x.dtype is grad.dtype else F.type_as(x, grad)


def prod_raw(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    return RAW.prod_dim_int(x, dim, keepdim, dtype)


@composite("prod", raw=prod_raw, own_out=Out(EXACT), bare=prod_default)
def prod(
    input: Any, dim: Any = UNSET, keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Any:
    """The product of all elements, or along `dim`; bools and integers give int64."""
    if out is not None:
        kind = getattr(out, "dtype", None) if dtype is None else dtype
        return deliver("prod", prod, out, ((input, dim, keepdim), {"dtype": kind}))
    if dim is UNSET:
        check_has_dim(keepdim)
        return prod_default(input, dtype=dtype)
    return prod_dim(input, dim, keepdim, dtype=dtype)


# ---- all, any


def truth(xp: Any, self: Any, dim: Any, keepdim: bool, name: str) -> Any:
    """Whether all, or any, elements are true: a bool, or a uint8 of uint8s."""
    rank = self.ndim
    if self.dtype.names:
        self = widened(self)
    kind = xp.uint8 if self.dtype == xp.uint8 else bool
    dim = (dim,) if type(dim) is int else dim
    if dim == ():
        x = self != 0  # nothing is reduced
    else:
        axes = axes_of(dim, rank)
        ufunc = xp.logical_and if name == "all" else xp.logical_or
        x = ufunc.reduce(self, axes, keepdims=keepdim)
    return compact(xp, xp.as_array(x).astype(kind, copy=False))


all_default = operator(
    "all(Tensor self) -> Tensor",
    forward=lambda xp, self: truth(xp, self, None, False, "all"),
    on=("F",),
    variants=("out",),
)

any_default = operator(
    "any(Tensor self) -> Tensor",
    forward=lambda xp, self: truth(xp, self, None, False, "any"),
    on=("F",),
    variants=("out",),
)

all_dims = operator(
    "all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    forward=lambda xp, self, dim, keepdim: truth(xp, self, dim, keepdim, "all"),
    on=("F",),
    variants=("out",),
    vmap=NAMES_DIMS,
)

any_dims = operator(
    "any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    forward=lambda xp, self, dim, keepdim: truth(xp, self, dim, keepdim, "any"),
    on=("F",),
    variants=("out",),
    vmap=NAMES_DIMS,
)


def _check_truth(name: str, result: Any, out: Any) -> None:
    if out not in (dtypes.bool, dtypes.uint8):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {out.scalar_name}")


_TRUTH = Out(_check_truth, takes_grad=True, known=lambda self: (dtypes.bool,))


@composite(
    "all",
    raw=lambda x, dim=None, keepdim=False: RAW.all_dims(x, listed(dim), keepdim),
    own_out=_TRUTH,
    bare=all_default,
)
def all(input: Any, dim: Any = UNSET, keepdim: bool = False, *, out: Any = None) -> Any:
    """Whether all elements are true, in all or along `dim`."""
    if dim is UNSET:
        return all_dims(input, None, True, out=out) if keepdim else all_default(input, out=out)
    if type(dim) is int and STACK.get() and out is None:
        return all_dims(input, dim, keepdim)  # which modes see as another overload
    return all_dims(input, listed(dim), keepdim, out=out)


@composite(
    "any",
    raw=lambda x, dim=None, keepdim=False: RAW.any_dims(x, listed(dim), keepdim),
    own_out=_TRUTH,
    bare=any_default,
)
def any(input: Any, dim: Any = UNSET, keepdim: bool = False, *, out: Any = None) -> Any:
    """Whether any element is true, in all or along `dim`."""
    if dim is UNSET:
        return any_dims(input, None, True, out=out) if keepdim else any_default(input, out=out)
    if type(dim) is int and STACK.get() and out is None:
        return any_dims(input, dim, keepdim)  # which modes see as another overload
    return any_dims(input, listed(dim), keepdim, out=out)


# ---- logsumexp


def logsumexp_forward(xp: Any, self: Any, dim: Any, keepdim: bool) -> Any:
    if self.dtype.kind in "biu":
        self = self.astype(dtypes.get_default_dtype().numpy)
    if not (dim or keepdim) and self.ndim and self.size:  # the largest keep their dimensions
        ones = [1] * self.ndim
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {ones}")
    return compact(xp, summation.logsumexp(xp, self, axes_of(dim, self.ndim) or (), keepdim))


def logsumexp_backward(F: Any, grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of logsumexp: the softmax."""
    rank = len(self.shape)
    grad = restored_all(F, grad, rank, dim, keepdim)
    result = restored_all(F, result, rank, dim, keepdim)
    return grad * F.exp(self - result).conj()


def logsumexp_jvp(F: Any, self_p: Any, self_t: Any, dim: Any, keepdim: bool) -> Any:
    """The mean of the tangents, weighted by exponentials that are taken again."""
    if self_p.numel():
        self_p = self_p - F.amax(F.real(self_p), dim, True)
    weights = F.exp(self_p)
    total = F.sum_dim_IntList(weights, dim, keepdim)
    return F.sum_dim_IntList(weights * self_t, dim, keepdim) / total


logsumexp_dims = operator(
    "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
    node="LogsumexpBackward0",
    forward=logsumexp_forward,
    self=logsumexp_backward,
    result=logsumexp_jvp,
    on=("F",),
    variants=("out",),
    vmap=NAMES_DIMS,
)


def _floating(name: str, result: Any, out: Any) -> None:
    """The rule for an out= of logsumexp."""
    if not (out.is_floating_point or out.is_complex):
        raise RuntimeError(
            f"{name}(): Expected floating point type for result tensor, but got: {out.scalar_name}"
        )
    check_castable(name, result, out)


@composite("logsumexp", own_out=Out(_floating))
def logsumexp(input: Any, dim: Any, keepdim: bool = False, *, out: Any = None) -> Any:
    """log(sum(exp(input))) over `dim`, without overflow."""
    dims = listed(dim)
    if isinstance(out, TensorBase) and isinstance(input, TensorBase):
        kind = out.dtype
        fits = dims or keepdim or not input.dim() or not input.numel()  # else the row refuses
        if kind is not input.dtype and (kind.is_floating_point or kind.is_complex) and fits:
            return deliver("logsumexp", logsumexp_of, out, ((input, dims, keepdim, kind), {}))
    return logsumexp_dims(input, dims, keepdim, out=out)


def logsumexp_of(input: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """logsumexp with a sum and a logarithm in `dtype`, that of an out= tensor.

    The exponentials are of the input's dtype. As ATen/native/ReduceOps.cpp (logsumexp_out_impl).
    """
    if not (input.is_floating_point() or input.is_complex()):
        input = input.to(dtypes.get_default_dtype())
    if not input.numel():
        return logsumexp_dims(input, dim, keepdim).to(dtype)
    highest = OPS.amax(OPS.real(input), dim, True)
    highest = OPS.masked_fill(highest, OPS.abs(highest) == inf, 0)
    total = OPS.log(sum(OPS.exp(input - highest), dim, keepdim, dtype=dtype))
    return total.add_(highest if keepdim else highest.reshape(total.shape))
