"""Writing at positions what all that goes there comes to: scatter_reduce, index_reduce.

As ATen/native/TensorAdvancedIndexing.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.aten.in_formulas import after
from minitorch.aten.indexing.partial_writes import write_reached
from minitorch.aten.indexing.scattering import OF_INDICES, check_scatter, check_slices, scattered
from minitorch.core.arrays import scatter as kernels
from minitorch.core.arrays.positions import bounds_error, range_error
from minitorch.core.base.formulas import RAW, is_complex
from minitorch.core.declare.families import METHOD, composite, operator
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import (
    ALONE,
    APART_OR_FIRST,
    EXACT,
    NOTHING,
    NOTHING_AFTER_SHAPES,
    InPlace,
    Out,
)
from minitorch.core.declare.vmap import NAMES_DIMS, WARNS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import (
    BOOL,
    COMPLEX,
    FLOATING,
    HALVES,
    INTEGRAL,
    USUAL,
    refuse_late_unsigned,
    refusing_others,
)
from minitorch.core.warning import warn_once

_KINDS = ("sum", "prod", "mean", "amax", "amin")


def scatter_reduce_forward(
    xp: Any, self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool
) -> Any:
    axis = check_scatter(self, dim, index, src)
    if reduce not in _KINDS:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if index.size:
        refuse_reduction(self, reduce, include_self)
    return scattered(kernels.scatter_reduce, xp, self, axis, index, src, reduce, include_self)


_refuse_filling = refusing_others(INTEGRAL | FLOATING | HALVES)
_refuse_extremes = refusing_others(BOOL | INTEGRAL | FLOATING | HALVES)
_refuse_mean = refusing_others(INTEGRAL | FLOATING | HALVES | COMPLEX)
_refuse_sum = refusing_others(USUAL)


def refuse_reduction(x: Any, reduce: str, include_self: bool) -> None:
    """NotImplementedError in the words of the kernel that reduces, or of that which fills first."""
    if not include_self:
        _refuse_sum(x, "scatter_reduce_exclude_input_init")
    if reduce in ("sum", "prod"):
        _refuse_sum(x, "scatter_gather_tensor_cpu")
    else:
        refuse = _refuse_mean if reduce == "mean" else _refuse_extremes
        refuse(x, f"scatter_gather_tensor_cpu_reduce_{reduce}")


class Places:
    """How formulas read and write where a reduction wrote: elements, or whole slices.

    take(x) is what is there, add(x, y) adds to it, clear(x) makes it 0.
    """

    def __init__(self, F: Any, dim: int, index: Any, slices: bool) -> None:
        self.F, self.where, self.slices = F, (dim, index), slices
        self.read = F.index_select if slices else F.gather
        self.sum = F.index_add if slices else F.scatter_add
        self.fill = F.index_fill_int_Scalar if slices else F.scatter_value

    def take(self, x: Any) -> Any:
        return self.read(x, *self.where)

    def add(self, x: Any, y: Any) -> Any:
        return self.sum(x, *self.where, y)

    def clear(self, x: Any) -> Any:
        return self.fill(x, *self.where, 0)


def reduced_backward(
    F: Any,
    at: Places,
    again: Callable[[Any, Any], Any],
    grad: Any,
    self: Any,
    source: Any,
    reduce: str,
    include_self: bool,
    result: Any,
    dtype: Any,
) -> Any:
    """As scatter_reduce_backward and index_reduce_backward of
    torch/csrc/autograd/FunctionsManual.cpp.

    again: the reduction itself, of another `self` and `source`.
    """
    if reduce == "sum":
        to_self, to_source = grad, at.take(grad)
    elif reduce == "prod":
        to_self, to_source = _prod_backward(F, at, again, grad, self, source, result, dtype)
    elif reduce == "mean":
        count = F.ones_like(grad) if include_self else F.zeros_like(grad)
        count = at.add(count, F.ones_like(source))
        count = after(F, "masked_fill", count, F.eq(count, 0), 1)
        to_self = F.div(grad, count)
        if F is RAW:
            to_source = at.take(to_self)
        else:
            counts = at.take(count)
            to_source = F.div(at.take(grad), counts)
    else:
        value = at.take(result)
        is_self = F._to_copy(F.eq(self, result), dtype=dtype)
        is_source = F._to_copy(F.eq(source, value), dtype=dtype)
        shared = F.div(grad, at.add(is_self, is_source))
        if F is RAW or at.slices:  # masks of elements are multiplied as they are
            to_self = F.mul(is_self, shared)
            to_source = F.mul(is_source, at.take(shared))
        else:
            to_self = F.mul(F.eq(self, result), shared)
            taken = at.take(shared)
            to_source = F.mul(F.eq(source, value), taken)
    if not include_self:
        to_self = at.clear(to_self)
    return to_self, to_source


def _prod_backward(
    F: Any, at: Places, again: Any, grad: Any, self: Any, source: Any, result: Any, dtype: Any
) -> Any:
    """Products with one zero factor have a gradient for that factor alone."""
    zeros = F.eq(self, 0)
    masked_self = F.masked_fill(self, zeros, 1)
    to_self = F.div(F.mul(grad, again(masked_self, source)), masked_self)
    source_zero = F.eq(source, 0)
    counts = at.add(F.zeros_like(self), F._to_copy(source_zero, dtype=dtype))
    single = source_zero & F.eq(at.take(counts), 1)
    exclusive = again(self, F.masked_fill(source, single, 1))
    masked_source = F.masked_fill(source, source_zero, 1)
    regular = F.div(at.take(F.mul(grad, result)), masked_source)
    to_source = F.where(single, at.take(F.mul(grad, exclusive)), regular)
    return to_self, to_source


def refuse_complex_gradients(name: str, grad: Any) -> None:
    """RuntimeError for complex gradients."""
    if is_complex(grad):
        raise RuntimeError(
            f"{name} does not support automatic differentiation for outputs with complex dtype."
        )


def scatter_reduce_backward(
    F: Any,
    grad: Any,
    self: Any,
    self_options: Any,
    dim: int,
    index: Any,
    src: Any,
    reduce: str,
    include_self: bool,
    result: Any,
) -> Any:
    """The gradients of `self` and `src`."""
    refuse_complex_gradients("scatter_reduce", grad)

    def again(self: Any, src: Any) -> Any:
        return F.scatter_reduce_two(self, dim, index, src, reduce, include_self=include_self)

    at = Places(F, dim, index, False)
    rest = (self, src, reduce, include_self, result, self_options[0])
    return reduced_backward(F, at, again, grad, *rest)


def scatter_reduce_tangent(
    F: Any,
    call: Any,
    self_p: Any,
    self_t: Any,
    dim: int,
    index: Any,
    src_p: Any,
    src_t: Any,
    reduce: str,
    result: Any,
) -> Any:
    """As scatter_reduce_jvp of torch/csrc/autograd/FunctionsManual.cpp: none for products."""
    if reduce in ("sum", "mean"):
        return call(self=self_t, src=src_t)
    if reduce == "prod":
        return None
    is_self, is_src = self_p == result, src_p == F.gather(result, dim, index)
    self_t, src_t = [
        F.masked_fill(t, F.logical_not(chosen), 0)
        for t, chosen in ((self_t, is_self), (src_t, is_src))
    ]
    total = call(self=self_t, src=src_t, reduce="sum")
    count = F.type_as(is_self, self_p), F.type_as(is_src, self_p)
    return total / call(self=count[0], src=count[1], reduce="sum")


scatter_reduce = operator(
    "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *,"
    " bool include_self=True) -> Tensor",
    node="ScatterReduceBackward0",
    forward=scatter_reduce_forward,
    inputs=scatter_reduce_backward,
    joint=("self", "src"),
    result=scatter_reduce_tangent,
    variants=("out", "inplace"),
    elementwise=True,
    real_gradients=True,
    in_place=InPlace(reads=NOTHING, refused_first=OF_INDICES, reached=write_reached),
    out=Out(EXACT, overlap=APART_OR_FIRST),
    vmap=NAMES_DIMS.but(one_rank=True),
)

# ---- index_reduce


def index_reduce_forward(
    xp: Any, self: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool
) -> Any:
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    axis = check_slices("index_reduce_", self, dim, index, source)
    places = index.reshape(-1)
    size = self.shape[axis] if self.ndim else 1
    try:
        if not include_self:
            _refuse_filling(self, "index_reduce_func_exclude_input_init")
        elif self.ndim < 2:
            _refuse_filling(self, "index_func_")
        elif reduce[0] == "a":
            _refuse_extremes(self, "maximum_cpu" if reduce == "amax" else "minimum_cpu")
        elif reduce == "mean":
            refuse_late_unsigned(self, "add_stub")
            if self.dtype.kind == "b":
                raise dtypes.unknown_to("div_floor_cpu", self)
        if not include_self:  # which are filled first
            places, wrong = kernels.looked_at(xp, places, size, -size)
            if wrong is not None:
                raise bounds_error(wrong[0], axis, size)
        places, wrong = kernels.looked_at(xp, places, size)
        if wrong is not None:
            raise range_error()
    except Exception:  # of the kernel
        _warn()
        raise
    if source.ndim:
        places = places.reshape([-1 if i == axis else 1 for i in range(source.ndim)])
        places = xp.expand(places, source.shape)
    return scattered(
        *(kernels.scatter_reduce, xp, self, axis, places, source, reduce, include_self, True)
    )


def index_reduce_backward(
    F: Any,
    grad: Any,
    self: Any,
    self_options: Any,
    dim: int,
    index: Any,
    source: Any,
    reduce: str,
    include_self: bool,
    result: Any,
) -> Any:
    """The gradients of `self` and `source`."""
    refuse_complex_gradients("index_reduce", grad)

    def again(self: Any, source: Any) -> Any:
        _warn()
        return F.index_reduce(self, dim, index, source, reduce, include_self=include_self)

    at = Places(F, dim, index, True)
    rest = (self, source, reduce, include_self, result, self_options[0])
    return reduced_backward(F, at, again, grad, *rest)


index_reduce_row = operator(
    "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *,"
    " bool include_self=True) -> Tensor",
    node="IndexReduceBackward0",
    forward=index_reduce_forward,
    inputs=index_reduce_backward,
    joint=("self", "source"),
    elementwise=True,
    on=("F",),
    vmap=WARNS,
)


def _warn() -> None:
    """Warns after what is said of out=, as torch."""
    warn_once("index_reduce() is in beta and the API may change at any time.")


@composite("index_reduce", own_out=Out(EXACT, overlap=APART_OR_FIRST))
def index_reduce(
    input: Any,
    dim: int,
    index: Any,
    source: Any,
    reduce: str,
    *,
    include_self: bool = True,
    out: Any = None,
) -> Any:
    """The slices of `input` that `index` names, reduced with those of `source`.

    reduce: 'prod', 'mean', 'amax' or 'amin'.
    include_self: whether the slices of `input` take part.
    """
    call = (input, dim, index, source, reduce), {"include_self": include_self}
    if out is None:
        result = index_reduce_row(*call[0], **call[1])
    else:
        result = deliver("index_reduce", index_reduce_row, out, call)
    _warn()
    return result


@composite(
    "index_reduce_",
    on=METHOD,
    in_place=InPlace(reads=NOTHING_AFTER_SHAPES, reached=write_reached, falls_back=ALONE),
)
def index_reduce_(
    self: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """`index_reduce`, written into `self`."""
    call = (dim, index, source, reduce), {"include_self": include_self}
    store("index_reduce_", index_reduce_row, self, call)
    _warn()
    return self
