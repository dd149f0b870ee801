"""Reading at positions and by masks: gather, index_select, take, masked_select, where, nonzero.

As ATen/native/TensorAdvancedIndexing.cpp and TensorCompare.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.in_formulas import (
    is_seen,
    is_transformed,
    new_zeros_as,
    number_like,
    options_of,
)
from minitorch.aten.reduction.reduction import compact
from minitorch.aten.shape.views import view_inner, wrapped_dims
from minitorch.core.arrays import layout, namespace, scatter
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.missing import NONZERO, is_numberless, refuse_numberless
from minitorch.core.arrays.on_numpy import own
from minitorch.core.arrays.positions import range_error
from minitorch.core.arrays.scalars import as_scalar
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import FormulaMode
from minitorch.core.declare.codegen.runtime import ints_of
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import APART, APART_OR_INPUT, BEFORE_MEMORY, EXACT, Out, exactly
from minitorch.core.declare.protocols.mode_stack import is_seen_by
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import (
    BROADCASTS,
    NAMES_DIMS,
    SHARES_INDEX,
    SIZES_DIFFER,
    WARNS,
    VMap,
)
from minitorch.core.declare.wording.errors import call_of, wrong_arguments
from minitorch.core.declare.wording.signatures import type_name
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import preserve_format
from minitorch.core.numbers.dispatch import EVERY, FLOAT8, LATE_UNSIGNED, refuse_late_unsigned
from minitorch.core.numbers.promotion import result_type
from minitorch.core.numbers.scalars import fitted
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.core.warning import warn_once

# ---- gather, index_select, take


def gather_forward(xp: Any, self: Any, dim: int, index: Any) -> Any:
    axis = wrap_dim(dim, self.ndim)
    if index.size == 0:
        return xp.empty(index.shape, self.dtype)
    if index.dtype not in dtypes.POSITIONS:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if max(self.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d in range(self.ndim if index.ndim else 0):
        if d != axis and index.shape[d] > self.shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no "
                f"larger than self {list(self.shape)} apart from dimension {axis}"
            )
    out = scatter.gather(
        xp, self if self.ndim else self.reshape(1), axis, index if index.ndim else index.reshape(1)
    )
    return out if out.shape == index.shape else own(out.reshape(index.shape))


def gather_backward(F: Any, grad: Any, self: Any, dim: int, index: Any) -> Any:
    return F.scatter_add(F.new_zeros(grad, self.shape), dim, index, grad)


gather = operator(
    "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    node="GatherBackward0",
    forward=gather_forward,
    kernel="scatter_gather_tensor_cpu",
    self=lambda F, grad, self, dim, index, sparse_grad: gather_backward(F, grad, self, dim, index),
    result=LINEAR,
    variants=("out",),
    out=Out(
        EXACT,
        overlap=APART,
        shaped=BEFORE_MEMORY,
        memory_first=("Dimension",),
        sized=lambda self, dim, index, sparse_grad=False: index._array.shape,
    ),
    vmap=NAMES_DIMS.but(vectors=True, one_rank=True),
)


def index_select_forward(xp: Any, self: Any, dim: int, index: Any) -> Any:
    axis = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if self.ndim == 0 and index.size != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)"
        )
    if index.dtype not in dtypes.POSITIONS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    n = self.shape[axis] if self.ndim else 1
    if self.ndim < 2 and self.dtype.kind == "u":
        refuse_late_unsigned(self, "index_select")  # more dimensions are copied as memory
    index = index.reshape(-1)
    if xp.fused is not None or not scatter.are_within(index, n):  # first: 0.1 us less
        index, wrong = scatter.looked_at(xp, index, n)
        if wrong is not None:
            raise _not_selected(self, axis, n, int(wrong[0]))
    if self.ndim == 0:
        return self.copy()
    return self.take(index, axis)


def _not_selected(self: Any, axis: int, n: int, wrong: int) -> Exception:
    """torch's refusal of a position of index_select."""
    if not n and self.ndim > 1:
        return RuntimeError("index_select(): self indexing axis dim should be positive")
    if self.ndim < 2 or (axis == 0 and self.size):
        return range_error()
    return RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={n}")


def index_select_backward(F: Any, grad: Any, sizes: Any, dim: int, index: Any) -> Any:
    return F.index_add(new_zeros_as(F, grad, sizes), dim, index, grad)


index_select = operator(
    "index_select(Tensor self, int dim, Tensor index) -> Tensor",
    node="IndexSelectBackward0",
    forward=index_select_forward,
    self=lambda F, grad, self_sym_sizes, dim, index: index_select_backward(
        F, grad, self_sym_sizes, dim, index
    ),
    result=LINEAR,
    variants=("out",),
    out=Out(
        exactly("index_select(): self and result must have the same scalar type"),
        overlap=APART,
        memory_first=("Dimension", "index_select"),
    ),
    vmap=SHARES_INDEX,
)


def check_long(name: str, index: Any) -> None:
    """RuntimeError unless the positions are int64."""
    if index.dtype != dtypes.int64.numpy:
        raise RuntimeError(
            f"{name}(): Expected a long tensor for index, but got {dtypes.of(index).scalar_name}"
        )


def take_forward(xp: Any, self: Any, index: Any) -> Any:
    check_long("take", index)
    if self.size == 0 and index.size:
        raise IndexError("take(): tried to take from an empty tensor")
    return scatter.take(xp, self, index)


take = operator(
    "take(Tensor self, Tensor index) -> Tensor",
    node="TakeBackward0",
    forward=take_forward,
    kernel="take_cpu",
    self=lambda F, grad, self, index: F.put(F.zeros_like(self), index, grad, True),
    result=LINEAR,
    variants=("out",),
    out=Out(
        exactly(
            "take(): self and out expected to have the same dtype, but got self.dtype = "
            "{result.scalar_name} and out.dtype = {out.scalar_name}"
        ),
        overlap=APART,
    ),
    vmap=WARNS,
)


@composite(
    "take_along_dim",
    out=Out(
        EXACT,
        overlap=APART,
        error_name="gather",
        looked_at=lambda tensors: [x.detach() for x in tensors],  # it reads views of them
        memory_first=("Dimension", "torch.take_along_dim"),
    ),
)
def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Any:
    """The elements of `input` at `indices` along `dim`, both broadcast elsewhere."""
    if type(input._array) is not type(indices._array) and input.device != indices.device:
        raise RuntimeError(
            f"Expected tensor to have {input.device.type} Device, but got tensor with "
            f"{indices.device.type} Device (while checking arguments for torch.take_along_dim():)"
        )
    if dim is None:
        return gather(view_inner(input, (-1,)), 0, view_inner(indices, (-1,)))
    if input.dim() != indices.dim():
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {input.dim()} dimensions for input, and {indices.dim()} dimensions for "
            "indices"
        )
    if indices._array.dtype != dtypes.int64.numpy:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got "
            f"{indices.dtype.scalar_name}"
        )
    axis = wrap_dim(dim, input.dim())
    if not input.dim():
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    a, b = list(input._array.shape), list(indices._array.shape)
    n, count = a[axis], b[axis]
    a[axis] = b[axis] = 1
    a = list(layout.broadcast(tuple(a), tuple(b)))
    b = [*a[:axis], count, *a[axis + 1 :]]
    a[axis] = n
    if is_seen_by(input, indices):
        indices = indices.expand(b)
        input = input.expand(a)
        return gather(input, axis, wrapped_positions(indices, n))
    return gather(input.expand(a), axis, wrapped_positions(indices, n).expand(b))


def wrapped_positions(indices: Any, n: int) -> Any:
    """`indices` modulo n, as a tensor."""
    x = indices._array
    if is_seen_by(indices):
        return OPS.remainder(indices, n)
    return tensor(namespace(x).remainder(x, n, out=...)) if n else indices


# ---- masks


def masked_select_forward(xp: Any, self: Any, mask: Any) -> Any:
    refuse_numberless("aten::masked_select", self, mask)
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = layout.broadcast(mask.shape, self.shape)
    return xp.expand(self, shape)[xp.expand(mask, shape)].reshape(-1)


def masked_select_backward(F: Any, grad: Any, self: Any, mask: Any) -> Any:
    shape = layout.broadcast(self.shape, mask.shape)
    zeros = F.zeros_like(F.expand(self, shape), memory_format=preserve_format)
    if is_transformed(grad) or is_seen(F, grad):
        return F.masked_scatter(zeros, mask, grad)
    return F.masked_scatter_(zeros, mask, grad)


masked_select = operator(
    "masked_select(Tensor self, Tensor mask) -> Tensor",
    node="MaskedSelectBackward0",
    forward=masked_select_forward,
    kernel="masked_select",
    knows=EVERY - LATE_UNSIGNED | FLOAT8,
    self=masked_select_backward,
    result=LINEAR,
    variants=("out",),
    out=Out(
        exactly("masked_select(): self and result must have the same scalar type"), overlap=APART
    ),
    vmap=VMap("masked_select"),
)


def where_forward(xp: Any, condition: Any, self: Any, other: Any) -> Any:
    if xp.fused is not None:  # numbers in tensors may be on the CPU
        self, other = [x if x.ndim else xp.asarray(x) for x in (self, other)]
    if self.dtype is not other.dtype:
        kinds = [(dtypes.of(x), x.ndim) for x in (self, other)]
        common = result_type(*kinds).numpy
        self, other = [x if x.dtype == common else cast(x, common) for x in (self, other)]
    if not condition.shape == self.shape == other.shape:
        layout.broadcast(condition.shape, self.shape, other.shape)
    out = xp.as_array(xp.where(condition, self, other))
    return layout.in_torch_layout(xp, out, (condition, self, other))


where_self = operator(
    "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
    node="WhereBackward0",
    preserves=True,
    forward=where_forward,
    self=lambda F, grad, condition: F.where(condition, grad, number_like(F, grad)),
    other=lambda F, grad, condition: F.where(condition, number_like(F, grad), grad),
    result=lambda F, condition, self_t, other_t: F.where(condition, self_t, other_t),
    on=("F",),
    elementwise=True,
    complex_only=True,
    vmap=BROADCASTS.but(condition=True),
)


def check_condition(condition: Any) -> Any:
    """A condition as a bool tensor; uint8 with a warning. RuntimeError for other dtypes."""
    kind = condition._array.dtype
    if kind.kind == "b":
        return condition
    if kind != dtypes.uint8.numpy:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.scalar_name}"
        )
    warn_once(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed "
        "in a future version of PyTorch. Use a boolean condition instead.",
    )
    return tensor(condition._array.astype(bool))


def branches(condition: Any, *operands: Any) -> list[Any]:
    """The operands of `where` as tensors: a number gets the dtype that it has among the others."""
    if all(isinstance(each, TensorBase) for each in operands):
        return list(operands)
    kinds = [
        (dtypes.of(each._array), each._array.ndim) if isinstance(each, TensorBase) else each
        for each in operands
    ]
    kind = result_type(*kinds)
    if is_seen_by(condition, *operands):  # modes see the tensors that torch makes of numbers
        options = options_of(condition, kind)
        with FormulaMode(True):
            return [
                each if isinstance(each, TensorBase) else OPS.scalar_tensor(each, **options)
                for each in operands
            ]
    xp = namespace(condition._array)
    if kind.is_floating_point and kind.itemsize == 2:  # of a number that is cast, not converted
        return [
            each if isinstance(each, TensorBase) else tensor(as_scalar(xp, each, kind))
            for each in operands
        ]
    return [
        each if isinstance(each, TensorBase) else tensor(xp.asarray(fitted(each, kind), kind.numpy))
        for each in operands
    ]


def _type_of_branches(condition: Any, *operands: Any) -> tuple[Any, ...]:
    """The dtype of the result of `where`, if no number stands among the operands."""
    if len(operands) != 2:
        return ()
    return (result_type(*[(dtypes.of(each._array), each._array.ndim) for each in operands]),)


_MISSING = object()
_OPERANDS = (TensorBase, int, float, complex)


@composite(
    "where",
    on=("function",),
    out=Out(
        exactly("Expected out type to be {result.scalar_name} but got {out.scalar_name}"),
        overlap=APART_OR_INPUT,
        known=_type_of_branches,
    ),
)
def where(condition: Any, input: Any = _MISSING, other: Any = _MISSING, **named: Any) -> Any:
    """`input` where `condition` is true, else `other`; with `condition` alone, its nonzeros."""
    input = named.pop("self", input)
    operands = (input, other)
    if input is _MISSING and other is _MISSING and not named:
        return nonzero_tuple(condition)
    if (
        named
        or not isinstance(condition, TensorBase)
        or not all(isinstance(each, _OPERANDS) for each in operands)
    ):
        given = (condition, *[each for each in operands if each is not _MISSING])
        raise wrong_arguments(where_self.row, call_of(*given))
    values = branches(condition, *operands)
    return where_self(check_condition(condition), *values)


@composite("where", on=("method",))
def where_method(self: Any, condition: Any, other: Any) -> Any:
    """`self` where `condition` is true, `other` elsewhere."""
    return where(condition, self, other)


# ---- what is not zero


def nonzero_array(xp: Any, self: Any) -> Any:
    """The positions of the nonzero elements, a row each; one column after the other in memory."""
    if is_numberless(self):
        raise NotImplementedError(NONZERO)
    refuse_late_unsigned(self, "nonzero_count_cpu")
    x = self.reshape(1) if self.ndim == 0 else self
    places = x.nonzero() if type(x) is numpy.ndarray else xp.nonzero(x)  # 0.4 us less
    count, rank = places[0].size, self.ndim
    out = xp.empty_strided((count, rank), (1, count), xp.int64)
    for dim in range(rank):
        out[:, dim] = places[dim]
    return out


nonzero_row = operator(
    "nonzero(Tensor self) -> Tensor",
    preserves=True,
    forward=nonzero_array,
    variants=("out",),
    on=("F",),
    vmap=SIZES_DIFFER,
)


@composite(
    "nonzero",
    own_out=Out(
        exactly(
            "nonzero: Expected out tensor to have scalar type {result.scalar_name} but got scalar "
            "type{out.scalar_name}"
        ),
        overlap=APART,
        takes_grad=True,
    ),
    vmap=VMap("nonzero"),
)
def nonzero(input: Any, *, as_tuple: bool = False, out: Any = None) -> Any:
    """The positions of the nonzero elements: an (n, dimensions) tensor, or a vector per axis."""
    if as_tuple and out is None:
        return nonzero_tuple(input)
    if out is not None and not isinstance(out, TensorBase):
        raise TypeError(f"nonzero(): argument 'out' must be Tensor, not {type_name(out)}")
    if as_tuple:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    return nonzero_row(input, out=out)


def nonzero_tuple(input: Any) -> tuple[Any, ...]:
    """The positions of the nonzero elements, a vector per axis. A scalar counts as a vector."""
    return nonzero_row(input if input.dim() else input.unsqueeze(0)).unbind(1)


@composite("argwhere", vmap=VMap("warned"))
def argwhere(input: Any) -> Any:
    """The positions of the nonzero elements, a row each."""
    return nonzero_row(input)


def count_nonzero_forward(xp: Any, self: Any, dim: Any) -> Any:
    dims = (dim,) if isinstance(dim, int) else dim
    axes = None if dims is None else tuple(wrapped_dims(dims, self.ndim))
    if not dims:  # else zeros are told by a comparison
        refuse_late_unsigned(self, "nonzero_count_cpu")
    mask = cast(self, numpy.dtype(bool)) if self.dtype.kind == "V" else self
    if axes is None or self.ndim == 0:
        return xp.as_array(xp.asarray(xp.count_nonzero(mask), xp.int64))
    return compact(xp, xp.asarray(xp.count_nonzero(mask, axis=axes or None), xp.int64))


count_nonzero_row = operator(
    "count_nonzero(Tensor self, int? dim=None) -> Tensor",
    forward=count_nonzero_forward,
    on=("F",),
    vmap=NAMES_DIMS.but(vectors=True),
)

count_nonzero_dims = operator(
    "count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
    forward=count_nonzero_forward,
    on=("F",),
)


@composite("count_nonzero")
def count_nonzero(input: Any, *numbers: Any, dim: Any = None) -> Any:
    """How many elements are not 0, in all or over `dim`."""
    if numbers:
        dim = numbers[0] if len(numbers) == 1 else numbers
    if isinstance(dim, (tuple, list)):
        return count_nonzero_dims(input, ints_of((dim,)))
    if dim is not None and type(dim) is not int:
        raise TypeError  # which the parser says better, or finds in a tensor
    return count_nonzero_row(input, dim)
