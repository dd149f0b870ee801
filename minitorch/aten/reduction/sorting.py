"""Sorting and order statistics: sort, topk, kthvalue, median, mode.

Not-a-numbers count as larger than all numbers. As ATen/native/Sorting.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.aten.creation.copies import laid_out, strides_in
from minitorch.aten.in_formulas import after, is_seen
from minitorch.aten.reduction.extrema import refuse_complex
from minitorch.aten.reduction.reduction import values_at
from minitorch.core.arrays import ordering, selection, selection_of_many
from minitorch.core.arrays.questions import every, some
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import (
    APART,
    BEFORE_MEMORY,
    EXACT,
    NOT_PARTLY,
    SILENT_FOR_SCALARS,
    Out,
    exactly,
)
from minitorch.core.declare.row import EMPTY, REDUCTION, SCALARS
from minitorch.core.declare.vmap import NAMES_DIMS, made_of
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import (
    COMPLEX,
    COMPLEX_HALF,
    EVERY,
    FLOATING,
    HALVES,
    INTEGRAL,
    LATE_UNSIGNED,
)
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.tensor.conversion import wrap_dim

# ---- kernels

_FEW = 512  # elements, below which one sort of all is as fast as a partition


def widened(xp: Any, x: Any) -> Any:
    """`x`, 2-byte floats as float32, which NumPy sorts faster and in the same order."""
    if x.dtype.names:  # NumPy would sort by the fields
        raise TypeError(f"{dtypes.of(x)} has no order")
    return x.astype(xp.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


def order(xp: Any, x: Any, axis: int, descending: bool = False) -> Any:
    """The positions along `axis` that sort `x`; equal elements stay in order."""
    x = widened(xp, x)
    if xp.device_type == "cpu":
        return ordering.order(xp.asarray(x), axis, descending)
    return ordering.by_comparisons(x, axis, descending)


def first_of_long(xp: Any, x: Any, axis: int, k: int, descending: bool) -> Any:
    """The first `k` of `order`, where few of long rows are wanted; else None."""
    return ordering.first_of_long(x, axis, k, descending) if type(x) is numpy.ndarray else None


def check_order(name: str, x: Any) -> None:
    """RuntimeError for dtypes that have no order."""
    if x.dtype.kind == "c" or is_complex_half(x.dtype):
        raise RuntimeError(f" {name} does not support complex dtypes on CPU")


def chosen(xp: Any, x: Any, indices: Any, axis: int) -> Any:
    """The elements of `x` at `indices` along `axis`."""
    return xp.take_along_axis(x, indices, axis)


def equal(xp: Any, a: Any, b: Any) -> Any:
    """Where two arrays are equal; not-a-numbers are equal to each other."""
    same = a == b
    unknown = b != b if a.dtype.kind in "fV" else None
    return same if unknown is None or not some(unknown) else same | ((a != a) & unknown)


def settle_ties(
    xp: Any,
    x: Any,
    axis: int,
    indices: Any,
    find: Callable[[list[int]], Any],
    find_in_all: Callable[[Any], Any],
    largest: bool,
) -> Any:
    """`indices`, positions of selected elements, as torch finds them where elements are equal.

    find: the positions that it selects, from a list of integers ordered as the elements of a row.
    find_in_all: as `find`, of a matrix at once; for many elements.
    Only rows in which something that was selected occurs again are looked at.
    """
    if not indices.size:
        return indices
    rows = xp.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    shown = xp.moveaxis(indices, axis, -1)
    found = xp.ascontiguousarray(shown).reshape(len(rows), shown.shape[-1])
    if xp.device_type != "cpu" or not found.size:
        return indices
    values = xp.take_along_axis(rows, found, -1)
    as_last = equal(xp, rows, values[:, -1:])
    among = equal(xp, values[:, 1:], values[:, :-1]).any(axis=1)
    if int(numpy.count_nonzero(as_last)) == len(rows) and not some(among):
        return indices  # each row has its last value once
    tied = among | (as_last.sum(axis=1) > 1)
    if not some(tied):
        return indices
    found = found.copy()
    keys = ordering.ordered_keys(widened(xp, rows[tied]), largest)
    if keys.size < _FEW:
        found[tied] = [find(row) for row in keys.tolist()]
    else:
        found[tied] = find_in_all(keys)
    return xp.moveaxis(found.reshape(shown.shape), -1, axis)


def is_strict(values: Any, axis: int, descending: bool) -> bool:
    """Whether sorted values differ from their neighbours, and none is not-a-number."""
    before = (slice(None),) * axis
    one, next_one = values[(*before, slice(-1))], values[(*before, slice(1, None))]
    return bool(every(one > next_one if descending else one < next_one))


def single(xp: Any, x: Any) -> tuple[Any, Any]:
    """The values and positions of a scalar: itself, and 0."""
    return x.copy(), xp.zeros((), xp.int64)


def selecting_backward(F: Any, grad: Any, dim: int, indices: Any, sizes: Any, keepdim: bool) -> Any:
    """The gradient of the elements that were selected along `dim`.

    As value_selecting_reduction_backward of ATen/native/ReduceOps.cpp.
    """
    if not keepdim and sizes:
        grad, indices = F.unsqueeze(grad, dim), F.unsqueeze(indices, dim)
    return F.scatter_src(F.new_zeros(grad, sizes), dim, indices, grad)


# ---- sort


def unstable_order(xp: Any, x: Any, axis: int, descending: bool = False) -> Any:
    """The positions along `axis` that sort `x`, with equal elements as torch's sort leaves them.

    Up to 16 elements stay in order, and any number that are one in memory.
    """
    n = x.shape[axis]
    if n <= 16 or not x.strides[axis] or xp.device_type != "cpu" or not x.size:
        return order(xp, x, axis, descending)
    moved = xp.moveaxis(widened(xp, xp.asarray(x)), axis, -1)
    keys = ordering.ordered_keys(moved, descending).reshape(-1, n)
    found, equals = ordering.order_with_ties(keys)
    tied = equals.any(axis=1)
    if every(tied):
        found = selection_of_many.sorting_orders(found, equals)
    elif some(tied):
        found[tied] = selection_of_many.sorting_orders(found[tied], equals[tied])
    return xp.moveaxis(found.reshape(moved.shape), -1, axis)


def sort_forward(xp: Any, self: Any, dim: int, descending: bool, stable: Any = None) -> Any:
    axis = wrap_dim(dim, self.ndim)
    check_order("Sort", self)
    if self.ndim == 0:
        return single(xp, self)
    indices = (order if stable else unstable_order)(xp, self, axis, descending)
    values = chosen(xp, self, indices, axis)
    strides = strides_in(self, None)
    return laid_out(xp, values, strides), laid_out(xp, indices, strides)


sort_default = operator(
    "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    node="SortBackward0",
    forward=lambda xp, self, dim, descending: sort_forward(xp, self, dim, descending),
    kernel="sorting_kernel_method_name",
    knows=EVERY - COMPLEX_HALF,
    self=lambda F, grad, dim, indices, self_sym_sizes: selecting_backward(
        F, grad, dim, indices, self_sym_sizes, True
    ),
    result=lambda F, self_t, dim, indices: F.gather(self_t, dim, indices),
    differentiable=(True, False),
    variants=("out",),
    on=("F",),
    preserves=True,
    vmap=NAMES_DIMS.but(vectors=True),
)

sort_stable = operator(
    "sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False)"
    " -> (Tensor values, Tensor indices)",
    node="SortBackward1",
    forward=sort_forward,
    kernel="sorting_kernel_method_name",
    knows=EVERY - COMPLEX_HALF,
    self=lambda F, grad, dim, indices, self_sym_sizes: selecting_backward(
        F, grad, dim, indices, self_sym_sizes, True
    ),
    result=lambda F, self_t, dim, indices: F.gather(self_t, dim, indices),
    differentiable=(True, False),
    variants=("out",),
    on=("F",),
    preserves=True,
    vmap=NAMES_DIMS.but(vectors=True),
)


def _how(places: tuple[Any, ...], dim: Any, descending: Any, stable: Any) -> tuple[Any, Any]:
    """dim and descending of a sort, which stand by place only where stable= is not given."""
    if places:
        doubled = dim is not UNSET or (len(places) > 1 and descending is not UNSET)
        if stable is not UNSET or doubled or len(places) > 2:
            raise TypeError  # worded by the signatures
        dim, descending = (*places, descending)[:2]
    if descending is not UNSET and type(descending) is not bool:
        raise TypeError  # worded by the signatures
    return -1 if dim is UNSET else dim, False if descending is UNSET else descending


@composite("sort", own_out=Out(EXACT, overlap=APART))
def sort(
    input: Any,
    *places: Any,
    dim: Any = UNSET,
    descending: Any = UNSET,
    stable: Any = UNSET,
    out: Any = None,
) -> Any:
    """The elements of `input` sorted along `dim`, and where they stood: (values, indices)."""
    dim, descending = _how(places, dim, descending, stable)
    if stable is UNSET or stable is None:
        return sort_default(input, dim, descending, out=out)
    return sort_stable(input, stable=stable, dim=dim, descending=descending, out=out)


@composite("argsort", out=Out(EXACT, overlap=APART))
def argsort(
    input: Any,
    *places: Any,
    dim: Any = UNSET,
    descending: Any = UNSET,
    stable: Any = UNSET,
) -> Any:
    """The positions that sort `input` along `dim`."""
    dim, descending = _how(places, dim, descending, stable)
    if stable is UNSET or stable is None:
        return sort_default(input, dim, descending)[1]
    return sort_stable(input, stable=stable, dim=dim, descending=descending)[1]


@composite("msort", out=Out(EXACT, overlap=NOT_PARTLY, shaped=BEFORE_MEMORY, error_name="sort"))
def msort(input: Any) -> Any:
    """The elements of `input` sorted along its first dimension."""
    return sort_default(input, 0, False)[0]


# ---- topk


def topk_forward(xp: Any, self: Any, k: int, dim: int, largest: bool, sorted: bool) -> Any:
    axis = wrap_dim(dim, self.ndim)
    if not 0 <= k <= (self.shape[axis] if self.ndim else 1):
        raise RuntimeError("selected index k out of range")
    check_order("topk", self)
    if self.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if self.ndim == 0:
        return single(xp, self)
    n = self.shape[axis]
    first = (slice(None),) * axis + (slice(k),)
    if n < _FEW or k > n // 8 or k == 0 or xp.device_type == "cuda":  # which sorts to part
        found = order(xp, self, axis, largest)
        more = found[(slice(None),) * axis + (slice(k + 1),)]
        values = chosen(xp, self, more, axis)
        if k and xp.device_type == "cpu" and is_strict(values, axis, largest):
            return values[first].copy(order="C"), more[first].copy(order="C")
        indices = found[first]
    else:
        wide = widened(xp, self)
        indices = first_of_long(xp, wide, axis, k, largest)
        if indices is None:
            last = (slice(None),) * axis + (slice(n - k, None),)
            end = wide.argpartition(n - k if largest else k, axis)
            part = end[last if largest else first]
            part.sort(axis)
            within = order(xp, chosen(xp, self, part, axis), axis, largest)
            indices = chosen(xp, part, within, axis)
    indices = settle_ties(
        *(xp, self, axis, indices),
        lambda keys: selection.smallest(keys, k, sorted),
        lambda keys: selection_of_many.smallest(keys, k, sorted),
        largest,
    )
    indices = indices.copy(order="C")
    return xp.ascontiguousarray(chosen(xp, self, indices, axis)), indices


topk = operator(
    "topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True)"
    " -> (Tensor values, Tensor indices)",
    node="TopkBackward0",
    forward=topk_forward,
    kernel="topk_cpu",
    knows=EVERY - LATE_UNSIGNED,
    spares=(SCALARS,),
    self=lambda F, grad, dim, indices, self_sym_sizes: selecting_backward(
        F, grad, dim, indices, self_sym_sizes, True
    ),
    result=lambda F, self_t, dim, indices: F.gather(self_t, dim, indices),
    differentiable=(True, False),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
    vmap=NAMES_DIMS.but(vectors=True),
)

# ---- order statistics


def picked(xp: Any, self: Any, axis: int, indices: Any, keepdim: bool) -> tuple[Any, Any]:
    """Values and positions, one per row along `axis`; `indices` has that dimension with size 1."""
    values = chosen(xp, self, indices, axis)
    if not keepdim:
        shape = (*self.shape[:axis], *self.shape[axis + 1 :])
        values, indices = values.reshape(shape), indices.reshape(shape)
    return values.copy(order="C"), indices.copy(order="C")


def kthvalue_forward(xp: Any, self: Any, k: int, dim: int, keepdim: bool) -> Any:
    axis = wrap_dim(dim, self.ndim)
    n = self.shape[axis] if self.ndim else 1
    if self.ndim and n == 0:
        raise IndexError(f"kthvalue(): Expected reduction dim {axis} to have non-zero size.")
    if not 1 <= k <= n:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    check_kernel("kthvalue_cpu", self)
    if self.ndim == 0:
        return single(xp, self)
    indices = settle_ties(
        *(xp, self, axis, at_rank(xp, widened(xp, self), axis, k - 1)),
        lambda keys: [selection.quickselect(keys, k - 1)],
        lambda keys: selection_of_many.quickselect(keys, k - 1)[:, None],
        False,
    )
    return picked(xp, self, axis, indices, keepdim)


def at_rank(xp: Any, x: Any, axis: int, k: int) -> Any:
    """Where the element that is number k in a stable order of each row stands.

    The dimension has size 1. Of many elements a partition finds the value, and of those that equal
    it the one that as many precede is taken.
    """
    if x.size < _FEW or xp.device_type != "cpu":
        return order(xp, x, axis)[(slice(None),) * axis + (slice(k, k + 1),)]
    found = first_of_long(xp, x, axis, k + 1, False)
    if found is not None:
        return found[(slice(None),) * axis + (slice(k, k + 1),)]
    moved = xp.moveaxis(x, axis, -1)
    rows = ordering.ordered_keys(moved).reshape(-1, x.shape[axis])
    values = ordering.at_place(rows, k)
    before = k - (rows < values).sum(axis=1, keepdims=True)
    row, place = (rows == values).nonzero()
    starts = row.searchsorted(xp.arange(len(rows)))[:, None]
    return xp.moveaxis(place[starts + before].reshape(*moved.shape[:-1], 1), -1, axis)


def with_one(x: Any, dim: int) -> tuple[int, ...]:
    """The shape of `x` with one element along `dim`."""
    axis = wrap_dim(dim, x.dim())
    return tuple([1 if i == axis else n for i, n in enumerate(x._array.shape)])


def check_kernel(kernel: str, x: Any) -> None:
    """NotImplementedError in the words of ATen's kernel dispatch for bool and complex."""
    if x.dtype.kind in "bc":
        raise dtypes.unknown_to(kernel, x)


kthvalue = operator(
    "kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False)"
    " -> (Tensor values, Tensor indices)",
    node="KthvalueBackward0",
    forward=kthvalue_forward,
    kernel="kthvalue_cpu",
    knows=INTEGRAL | FLOATING | HALVES,
    spares=(SCALARS,),
    self=lambda F, grad, dim, indices, self_sym_sizes, keepdim: selecting_backward(
        F, grad, dim, indices, self_sym_sizes, keepdim
    ),
    result=values_at,
    differentiable=(True, False),
    variants=("out",),
    out=Out(
        exactly("output values must be of same type as input"),
        exactly("output indices must be of scalar type {result.scalar_name}"),
        overlap=APART,
        known=lambda self: (self.dtype, dtypes.int64),
        sized=lambda self, k, dim=-1, keepdim=False: with_one(self, dim),
        with_dim=lambda own, rank, dim: own == rank - 1,
    ),
    vmap=NAMES_DIMS,
)


def median_positions(xp: Any, x: Any, axis: int, ignore_nan: bool) -> Any:
    """Where the median of each row along `axis` stands; that dimension has size 1.

    The lower of the two middle ones; the first not-a-number if there is one that counts.
    """
    x = widened(xp, x)
    n = x.shape[axis]
    if x.dtype.kind != "f" or (x.size >= _FEW and not some(xp.isnan(x))):
        return at_rank(xp, x, axis, (n - 1) // 2)
    sorted_places = order(xp, x, axis)
    missing = xp.isnan(x).sum(axis=axis, keepdims=True)
    if ignore_nan:
        middle = xp.maximum(n - missing - 1, 0) // 2
    else:
        middle = xp.where(missing > 0, n - missing, (n - 1) // 2)
    places = xp.take_along_axis(sorted_places, middle, axis)
    if ignore_nan and n and some(missing == n):
        places[missing == n] = selection.first_of_equals(n)
    return places


def median_forward(xp: Any, self: Any, dim: int, keepdim: bool, name: str = "median") -> Any:
    axis = wrap_dim(dim, self.ndim)
    if self.ndim and self.shape[axis] == 0:
        raise IndexError(f"median(): Expected reduction dim {axis} to have non-zero size.")
    check_kernel("median_out", self)
    if self.ndim == 0:
        return single(xp, self)
    places = median_positions(xp, self, axis, name == "nanmedian")
    return picked(xp, self, axis, places, keepdim)


def median_of_all(xp: Any, self: Any, ignore_nan: bool) -> Any:
    if not self.size:
        if self.dtype.kind in "iu":  # the integer to which processors convert a NaN
            least = {4: -(1 << 31), 8: -(1 << 63)}.get(self.dtype.itemsize, 0)
            return xp.full((), 0 if self.dtype.kind == "u" else least, self.dtype)
        return xp.full((), xp.nan, self.dtype)
    check_kernel("median_cpu", self)
    flat = self.reshape(-1)
    return flat.take(median_positions(xp, flat, 0, ignore_nan)).reshape(())


def evenly_distribute_backward(F: Any, grad: Any, self: Any, result: Any) -> Any:
    """The gradient of a value, shared by all the elements that equal it.

    As evenly_distribute_backward of torch/csrc/autograd/FunctionsManual.cpp.
    """
    unknown = F.isnan(self)
    both = F.logical_and(unknown, F.isnan(result))
    if is_seen(F, grad):
        mask = after(F, "logical_or", F.eq(self, result), both)
        return F.mul(mask, F.div(grad, F.sum(mask)))
    mask = F.logical_or(both, F.eq(self, result))
    return F.masked_fill_Tensor(F.zeros_like(self), mask, F.div(grad, F.sum(mask)))


def _declare_medians(name: str, node: str) -> Any:
    everything = operator(
        f"{name}(Tensor self) -> Tensor",
        node=f"{node}Backward0",
        forward=lambda xp, self: median_of_all(xp, self, name == "nanmedian"),
        kernel="median_cpu",
        knows=INTEGRAL | FLOATING | HALVES,
        self=evenly_distribute_backward,
        result=REDUCTION,
        on=("F",),
        real_gradients=True,
        vmap=made_of(lambda self: getattr(OPS, f"{name}_dim")(self.flatten(), 0, False)[0]),
    )
    along = operator(
        f"{name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        node=f"{node}Backward1",
        forward=lambda xp, self, dim, keepdim: median_forward(xp, self, dim, keepdim, name),
        kernel="median_out",
        knows=INTEGRAL | FLOATING | HALVES,
        self=lambda F, grad, dim, indices, self_sym_sizes, keepdim: selecting_backward(
            F, grad, dim, indices, self_sym_sizes, keepdim
        ),
        result=values_at,
        differentiable=(True, False),
        variants=("out",),
        on=("F",),
        real_gradients=True,
        vmap=NAMES_DIMS,
    )

    def median(input: Any, dim: Any = UNSET, keepdim: bool = False, *, out: Any = None) -> Any:
        if dim is UNSET and not keepdim:
            return everything(input)
        return along(input, dim, keepdim, out=out)

    median.__doc__ = (
        "The lower of the two middle elements: of all of `input`, or (values, indices) along `dim`."
    )
    said = Out(
        exactly(
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; "
            "but type torch.{out.scalar_name}Tensor does not equal "
            f"torch.{{result.scalar_name}}Tensor (while checking arguments for {name})"
        ),
        exactly(
            "Expected tensor for argument #1 'indices' to have scalar type {result.scalar_name}; "
            f"but got torch.{{out.scalar_name}}Tensor instead (while checking arguments for {name})"
        ),
        overlap=APART,
    )
    return composite(name, own_out=said, bare=everything)(median)


median = _declare_medians("median", "Median")
nanmedian = _declare_medians("nanmedian", "Nanmedian")


def mode_forward(xp: Any, self: Any, dim: int, keepdim: bool) -> Any:
    axis = wrap_dim(dim, self.ndim)
    if self.ndim and self.shape[axis] == 0:
        raise IndexError(f"mode(): Expected reduction dim {axis} to have non-zero size.")
    if self.ndim == 0:
        return single(xp, self)
    if self.size:
        refuse_complex(self, "mode_cpu")
    rows = xp.moveaxis(widened(xp, self), axis, -1)
    axis_of_rows = rows.ndim - 1
    places = unstable_order(xp, rows, axis_of_rows)
    x = xp.take_along_axis(rows, places, -1)
    n = x.shape[-1]
    count = xp.arange(n)
    fresh = xp.ones(x.shape, bool)
    fresh[..., 1:] = x[..., 1:] != x[..., :-1]
    starts = xp.maximum.accumulate(xp.where(fresh, count, 0), axis=-1)
    # The run that is longest, and of those the first, reaches its length first at its last element.
    best = (count - starts).argmax(axis=-1)[..., None]
    indices = xp.moveaxis(xp.take_along_axis(places, best, -1), -1, axis)
    return picked(xp, self, axis, indices, keepdim)


mode = operator(
    "mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    node="ModeBackward0",
    forward=mode_forward,
    kernel="mode_cpu",
    knows=EVERY - COMPLEX - COMPLEX_HALF - LATE_UNSIGNED,
    spares=(EMPTY, SCALARS),
    self=lambda F, grad, dim, indices, self_sym_sizes, keepdim: selecting_backward(
        F, grad, dim, indices, self_sym_sizes, keepdim
    ),
    result=values_at,
    differentiable=(True, False),
    variants=("out",),
    out=Out(
        exactly(
            "expected scalar type '{result.scalar_name}' but got '{out.scalar_name}' for values "
            "output"
        ),
        exactly(
            "expected scalar type '{result.scalar_name}' but got '{out.scalar_name}' for indices "
            "output"
        ),
        overlap=APART,
        resize=SILENT_FOR_SCALARS,
        with_dim=lambda own, rank, dim: own >= dim,
    ),
    vmap=NAMES_DIMS,
)
