"""The largest and the smallest: max, min, amax, amin, aminmax, argmax, argmin.

Not-a-numbers win, and of equal elements the first is found.
"""

from __future__ import annotations

from typing import Any

from minitorch.aten.in_formulas import after, is_seen
from minitorch.aten.reduction.reduction import (
    axes_of,
    compact,
    listed,
    restored,
    restored_all,
    values_at,
)
from minitorch.core.arrays.questions import every
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import APART, EXACT, MATCHING, Out, exactly
from minitorch.core.declare.row import EMPTY, REDUCTION, SCALARS
from minitorch.core.declare.vmap import NAMES_DIMS, WARNS, made_of
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import (
    BOOL,
    COMPLEX,
    COMPLEX_HALF,
    EVERY,
    FLOATING,
    HALVES,
    INTEGRAL,
    LATE_UNSIGNED,
    refusing_others,
)
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.tensor.conversion import wrap_dim

# ---- what they refuse


def refuse_complex(self: Any, kernel: str) -> None:
    """NotImplementedError for complex numbers, which have no order."""
    if self.dtype.kind == "c":
        raise dtypes.unknown_to(kernel, self)


def refuse_empty(self: Any, name: str, axes: Any) -> None:
    """IndexError or RuntimeError where there would be nothing to choose from."""
    if axes is None:
        if self.size == 0:
            raise RuntimeError(
                f"{name}: Expected reduction dim to be specified for input.numel() == 0. "
                "Specify the reduction dim with the 'dim' argument."
            )
        return
    for axis in axes:
        if self.ndim and self.shape[axis] == 0:
            raise IndexError(f"{name}: Expected reduction dim {axis} to have non-zero size.")


# ---- gradients


def value_selecting_reduction_backward(
    F: Any, grad: Any, dim: int, indices: Any, sizes: Any, keepdim: bool
) -> Any:
    """`grad` at `indices` along `dim`, zero elsewhere."""
    rank = len(sizes)
    grad, indices = [restored(F, each, rank, dim, keepdim) for each in (grad, indices)]
    return F.scatter(F.new_zeros(grad, sizes), dim, indices, grad)


def chosen(F: Any, self: Any, result: Any) -> Any:
    """For each element of `self`, whether it is the extreme one; not-a-numbers count as such."""
    return F.logical_or(self == result, F.logical_and(self != self, result != result))


def evenly_distributed(F: Any, grad: Any, self: Any, result: Any) -> Any:
    """The gradient of the extreme of all elements, shared among equal ones."""
    if is_seen(F, grad):
        unknown = F.logical_and(F.isnan(self), F.isnan(result))
        mask = after(F, "logical_or", self == result, unknown)
        return mask * (grad / F.sum(mask))
    mask = chosen(F, self, result)
    share = over_count(F, grad, F.sum(mask))
    return F.masked_fill_Tensor(F.new_zeros(grad, self.shape), mask, share)


def restored_sizes(self: Any, dims: Any) -> tuple[int, ...]:
    """The sizes of a result over `dims` with those kept at 1; none if `dims` are none.

    A tensor with no dimension has one where `dims` name it, as in torch.
    """
    if not dims:
        return ()
    shape = tuple(self.shape) or (1,)
    reduced = {dim % len(shape) for dim in dims}
    return tuple([1 if i in reduced else n for i, n in enumerate(shape)])


def kept(F: Any, x: Any, self: Any, dims: Any, keepdim: bool) -> Any:
    """A result over `dims`, or its gradient, with those kept."""
    return x if keepdim else F.view(x, restored_sizes(self, dims))


def shared_among(F: Any, grad: Any, mask: Any, dims: Any) -> Any:
    """`grad` in equal parts to the elements of `mask` along `dims`."""
    return over_count(F, grad, F.sum(mask, dims, True)) * mask


def scaled_by_count(F: Any, grad: Any, self: Any, result: Any, dims: Any, keepdim: bool) -> Any:
    """The gradient of the extremes over `dims`, each shared among equal elements."""
    # Not-a-numbers are no part of it: their gradient is inf * 0.
    mask = F.eq(kept(F, result, self, dims, keepdim), self)
    return shared_among(F, kept(F, grad, self, dims, keepdim), mask, dims)


def over_count(F: Any, grad: Any, count: Any) -> Any:
    """grad / count, for ints that NumPy would take for a reason to compute in double precision."""
    return grad / (F.type_as(count, grad) if F is RAW else count)


# ---- max, min


def extreme_along(xp: Any, self: Any, dim: int, keepdim: bool, name: str) -> tuple[Any, Any]:
    """The extremes along `dim` and their indices."""
    axis = wrap_dim(dim, self.ndim)
    refuse_empty(self, f"{name}()", (axis,))
    if self.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")
    if self.ndim == 0:
        return self.copy(), xp.zeros((), xp.int64)
    ufunc, find = (xp.maximum, self.argmax) if name == "max" else (xp.minimum, self.argmin)
    if self.size == 0:
        shape = tuple([1 if i == axis else n for i, n in enumerate(self.shape)])
        shape = shape if keepdim else shape[:axis] + shape[axis + 1 :]
        return xp.empty(shape, self.dtype), xp.empty(shape, xp.int64)
    values, places = ufunc.reduce(self, axis, keepdims=True), find(axis, keepdims=True)
    if not every(values):  # of zeros the first one has the sign
        values = xp.take_along_axis(self, places, axis)
    if not keepdim:
        values, places = values.squeeze(axis), places.squeeze(axis)
    return compact(xp, values), compact(xp, places)


def extreme_of_all(xp: Any, self: Any, name: str) -> Any:
    refuse_empty(self, f"{name}()", None)
    refuse_complex(self, f"{name}_all")
    if self.flags.c_contiguous:  # finding the place first takes a third of the time
        flat = self.reshape(-1)
        return xp.as_array(flat[flat.argmax() if name == "max" else flat.argmin()])
    return xp.as_array((xp.maximum if name == "max" else xp.minimum).reduce(self, None))


def _along(name: str, node: str) -> Any:
    """The row of max or min along a dimension."""
    return operator(
        f"{name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        node=node,
        forward=lambda xp, self, dim, keepdim: extreme_along(xp, self, dim, keepdim, name),
        kernel=f"{name}_cpu",
        knows=EVERY - LATE_UNSIGNED,
        spares=(EMPTY, SCALARS),
        self=lambda F, grad, dim, indices, self_sym_sizes, keepdim: (
            value_selecting_reduction_backward(F, grad, dim, indices, self_sym_sizes, keepdim)
        ),
        result=values_at,
        differentiable=(True, False),
        on=("F",),
        out=Out(EXACT),
        vmap=NAMES_DIMS,
    )


def _of_all(name: str, node: str, along: Any) -> Any:
    """The row of max or min of all elements.

    along: the function of the row along a dimension.
    """
    return operator(
        f"{name}(Tensor self) -> Tensor",
        node=node,
        forward=lambda xp, self: extreme_of_all(xp, self, name),
        kernel=f"{name}_all",
        knows=EVERY - COMPLEX - COMPLEX_HALF - LATE_UNSIGNED,
        self=evenly_distributed,
        result=REDUCTION,
        on=("F",),
        vmap=made_of(lambda self: along(self.flatten(), 0, False)[0]),
    )


max_dim = _along("max", node="MaxBackward0")
max_default = _of_all("max", node="MaxBackward1", along=max_dim)
min_dim = _along("min", node="MinBackward0")
min_default = _of_all("min", node="MinBackward1", along=min_dim)


def _cast_to(out: Any, function: Any) -> Any:
    """`function` with its result in the dtype of `out`, which must be able to hold it."""

    def casting(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if not can_cast(result.dtype, out.dtype):
            raise RuntimeError(
                "Expected canCast( typeMetaToScalarType(self.dtype()), "
                "typeMetaToScalarType(out.dtype())) to be true, but got false.  (Could this error "
                "message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        return result.to(out.dtype)

    return casting


def _declare(name: str, extreme: str, of_all: Any, along: Any, of_two: str) -> Any:
    """torch.max or torch.min: the overloads behind one name."""

    def function(
        input: Any, dim: Any = UNSET, keepdim: bool = False, *, other: Any = None, out: Any = None
    ) -> Any:
        if isinstance(dim, TensorBase):
            if other is not None:
                raise TypeError  # worded by the signatures
            other, dim = dim, UNSET
        if other is not None:
            if dim is not UNSET or keepdim:
                raise TypeError
            return getattr(OPS, of_two)(input, other, out=out)
        if out is not None:
            into = function if isinstance(out, (tuple, list)) else _cast_to(out, function)
            return deliver(name, into, out, ((input, dim, keepdim), {}))
        return of_all(input) if dim is UNSET and not keepdim else along(input, dim, keepdim)

    function.__doc__ = f"""The {extreme} element; along `dim` (values, indices); of two tensors the
    {extreme} of each pair.

    As torch.{name}.
    """
    return composite(name, bare=of_all)(function)


max = _declare("max", "largest", max_default, max_dim, "maximum")
min = _declare("min", "smallest", min_default, min_dim, "minimum")

# ---- amax, amin, aminmax


def extreme_over(xp: Any, self: Any, dims: Any, keepdim: bool, name: str) -> Any:
    """The extremes over `dims`; none mean all."""
    for dim in () if self.size or not dims else dims:  # each, before one appears twice
        wrap_dim(dim, self.ndim)  # refuses one that is not there
        refuse_empty(self, f"{name}()", (dim,))
    axes = axes_of(dims, self.ndim)
    if axes is None:
        refuse_empty(self, f"{name}()", None)
    refuse_complex(self, f"{name[1:]}_values_cpu")
    ufunc = xp.maximum if name == "amax" else xp.minimum
    return compact(xp, ufunc.reduce(self, axes, keepdims=keepdim))


amax_dims = operator(
    "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
    node="AmaxBackward0",
    forward=lambda xp, self, dim, keepdim: extreme_over(xp, self, dim, keepdim, "amax"),
    kernel="max_values_cpu",
    knows=EVERY - COMPLEX - COMPLEX_HALF - LATE_UNSIGNED,
    self=lambda F, grad, self, result, dim, keepdim: scaled_by_count(
        F, grad, self, result, dim, keepdim
    ),
    result=REDUCTION,
    on=("F",),
    variants=("out",),
    elementwise=True,
    vmap=NAMES_DIMS,
)

amin_dims = operator(
    "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
    node="AminBackward0",
    forward=lambda xp, self, dim, keepdim: extreme_over(xp, self, dim, keepdim, "amin"),
    kernel="min_values_cpu",
    knows=EVERY - COMPLEX - COMPLEX_HALF - LATE_UNSIGNED,
    self=lambda F, grad, self, result, dim, keepdim: scaled_by_count(
        F, grad, self, result, dim, keepdim
    ),
    result=REDUCTION,
    on=("F",),
    variants=("out",),
    elementwise=True,
    vmap=NAMES_DIMS,
)


@composite("amax", own_out=Out(MATCHING, known=lambda self: (self.dtype,)))
def amax(input: Any, dim: Any = (), keepdim: bool = False, *, out: Any = None) -> Any:
    """The largest elements over the dimensions `dim`, all if none."""
    dim = () if dim is None else dim
    return amax_dims(input, listed(dim), keepdim, out=out)


@composite("amin", own_out=Out(MATCHING, known=lambda self: (self.dtype,)))
def amin(input: Any, dim: Any = (), keepdim: bool = False, *, out: Any = None) -> Any:
    """The smallest elements over the dimensions `dim`, all if none."""
    dim = () if dim is None else dim
    return amin_dims(input, listed(dim), keepdim, out=out)


def aminmax_forward(xp: Any, self: Any, dim: Any, keepdim: bool) -> tuple[Any, Any]:
    axes = None if dim is None else (wrap_dim(dim, self.ndim),)
    if axes is None and self.size == 0:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
            "identity."
        )
    if axes is not None and self.ndim and self.shape[axes[0]] == 0:
        raise IndexError(f"aminmax: Expected reduction dim {axes[0]} to have non-zero size.")
    if axes is not None and not self.ndim and self.dtype.kind == "c":
        raise RuntimeError(f"aminmax not implemented for {dtypes.of(self).scalar_name}")
    refuse_complex(self, "aminmax_cpu")
    axes = axes if self.ndim else None
    low = xp.minimum.reduce(self, axes, keepdims=keepdim)
    return compact(xp, low), compact(xp, xp.maximum.reduce(self, axes, keepdims=keepdim))


def aminmax_backward(
    F: Any, grads: Any, self: Any, dim: Any, keepdim: bool, low: Any, high: Any
) -> Any:
    """The gradient of the smallest and the largest elements together."""
    dims = tuple(range(len(self.shape))) if dim is None else (dim,)

    def share(grad: Any, result: Any) -> Any:
        grad = kept(F, grad, self, dims, keepdim)  # before the mask here, as in torch
        mask = F.eq(self, kept(F, result, self, dims, keepdim))
        return shared_among(F, grad, mask, dims)

    pairs = zip(grads, (low, high), strict=True)
    parts = [share(grad, result) for grad, result in pairs if grad is not None]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1] if parts else None


def aminmax_tangents(
    F: Any, self_p: Any, self_t: Any, dim: Any, keepdim: bool, min: Any, max: Any
) -> Any:
    """The means of the tangents of the smallest elements, and of the largest."""
    rank = len(self_p.shape)
    dims = tuple(range(rank)) if dim is None else (dim,)
    masks = [self_p == restored_all(F, each, rank, dim, keepdim) for each in (min, max)]
    return tuple(
        [
            F.sum_dim_IntList(F.mul(mask, self_t), dims, keepdim)
            / F.sum_dim_IntList(mask, dims, keepdim)
            for mask in masks
        ]
    )


aminmax = operator(
    "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
    node="AminmaxBackward0",
    forward=aminmax_forward,
    kernel="aminmax_cpu",
    knows=EVERY - COMPLEX - COMPLEX_HALF - LATE_UNSIGNED,
    spares=(EMPTY, SCALARS),
    self=lambda F, grads, self, dim, keepdim, min, max: aminmax_backward(
        F, grads, self, dim, keepdim, min, max
    ),
    result=aminmax_tangents,
    variants=("out",),
    out=Out(EXACT, overlap=APART),
    vmap=NAMES_DIMS.but(named=True),
)

# ---- argmax, argmin


def place_of_extreme(xp: Any, self: Any, dim: Any, keepdim: bool, name: str) -> Any:
    """The index of the extreme along `dim`, or in the flattened tensor."""
    kind = self.dtype.kind
    if kind in "cb":
        raise RuntimeError(
            f"{name}(): does not support {'complex' if kind == 'c' else 'bool'} input"
        )
    axis = None if dim is None else wrap_dim(dim, self.ndim)
    if axis is None and self.size == 0:
        raise IndexError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        )
    refuse_empty(self, f"{name}()", None if axis is None else (axis,))
    if self.size == 0:
        shape = [1 if i == axis else n for i, n in enumerate(self.shape)]
        return xp.empty(shape if keepdim else shape[:axis] + shape[axis + 1 :], xp.int64)
    find = self.argmax if name == "argmax" else self.argmin
    return compact(xp, find(axis if self.ndim else None, keepdims=keepdim))


argmax_row = operator(
    "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
    forward=lambda xp, self, dim, keepdim: place_of_extreme(xp, self, dim, keepdim, "argmax"),
    kernel="argmax_cpu",
    knows=EVERY - LATE_UNSIGNED,
    on=("F",),
    variants=("out",),
    vmap=NAMES_DIMS.but(named=True),
)

argmin_row = operator(
    "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
    forward=lambda xp, self, dim, keepdim: place_of_extreme(xp, self, dim, keepdim, "argmin"),
    kernel="argmin_cpu",
    knows=EVERY - LATE_UNSIGNED,
    on=("F",),
    variants=("out",),
    vmap=NAMES_DIMS.but(named=True),
)


@composite("argmax", own_out=Out(EXACT, takes_grad=True))
def argmax(input: Any, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """Where the largest element lies, in the flattened tensor or along `dim`."""
    return argmax_row(input, dim, keepdim, out=out)


@composite("argmin", own_out=Out(EXACT, takes_grad=True))
def argmin(input: Any, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """Where the smallest element lies, in the flattened tensor or along `dim`."""
    return argmin_row(input, dim, keepdim, out=out)


# ---- hash_tensor


_refuse_hashing = refusing_others(BOOL | INTEGRAL | FLOATING | HALVES)


def hash_forward(xp: Any, self: Any, dim: Any, keepdim: bool, mode: int) -> Any:
    """Exclusive or of all bits: of numbers as doubles, of integers as int64."""
    dims = (dim,) if isinstance(dim, int) else dim or ()
    for each in () if self.size else dims:  # each, before one appears twice
        wrap_dim(each, self.ndim)
        refuse_empty(self, "hash_tensor", (each,))
    axes = axes_of(None if dim in ([], ()) else dim, self.ndim)
    refuse_empty(self, "hash_tensor", axes)
    if mode:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    _refuse_hashing(self, "xor_sum_cpu")
    kind = xp.int64 if self.dtype.kind in "biu" else xp.float64
    bits = xp.ascontiguousarray(self.astype(kind)).view(xp.uint64).reshape(self.shape)
    return compact(xp, xp.bitwise_xor.reduce(bits, axis=axes, keepdims=keepdim))


hash_tensor = operator(
    "hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor",
    forward=hash_forward,
    variants=("out",),
    out=Out(
        exactly("Expected result to be of dtype uint64, but got {out.scalar_name}"),
        overlap=APART,
        takes_grad=True,
        known=lambda self: (dtypes.uint64,),
    ),
    vmap=WARNS,
)
