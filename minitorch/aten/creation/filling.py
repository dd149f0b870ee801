"""Filling: fill, zero_, masked_fill and index_fill."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.creation.copies import copied
from minitorch.aten.creation.factories import fill_with, fitted_filling
from minitorch.aten.in_formulas import is_seen, number_like
from minitorch.aten.indexing.partial_writes import write_reached
from minitorch.aten.shape.strided import check_repeated
from minitorch.core.arrays import NAMESPACES, layout, namespace, on_numpy
from minitorch.core.arrays.blocks import write_where
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.arrays.overlap import check_itself
from minitorch.core.arrays.positions import bounds_error
from minitorch.core.arrays.scatter import looked_at
from minitorch.core.base.fields import TensorBase, version_of
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import METHOD, composite, operator
from minitorch.core.declare.general.in_place import rewrite
from minitorch.core.declare.general.recording import leads
from minitorch.core.declare.out import ITSELF, NOTHING, InPlace
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import BROADCASTS, KEEPS_DIMS, SHARES_INDEX, WARNS, VMap
from minitorch.core.declare.wording.errors import call_of, wrong_arguments
from minitorch.core.graph.views import recorded_edge
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import EVERY, LATE_UNSIGNED
from minitorch.core.numbers.scalars import fitted_in
from minitorch.core.tensor.conversion import wrap_dim

# ---- fill and zero


def fill_array(xp: Any, x: Any, value: Any) -> None:
    """Fills `x` with a number. RuntimeError if it is out of the range of the dtype."""
    number = fitted_filling(value, dtypes.of(x), x.size)
    x[...] = number if x.dtype.names is None else number.view(x.dtype)


def check_filling(value: Any) -> None:
    """RuntimeError unless a tensor that fills another has no dimensions."""
    if value._array.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value._array.ndim} dimensions."
        )


def fill_from(xp: Any, x: Any, value: Any) -> None:
    """Fills `x` with the number in a 0-d tensor, as a copy of that: whatever its cast gives."""
    check_filling(value)
    check_itself(x)
    if x.size:
        number = value._array
        if namespace(number) is not xp:
            number = xp.asarray(namespace(number).to_numpy(number))
        x[...] = number if number.dtype == x.dtype else cast(number, x.dtype)


def filled(xp: Any, self: Any, value: Any) -> Any:
    plain = type(self) is numpy.ndarray and self.flags.c_contiguous and 1 not in self.shape
    out = numpy.empty(self.shape, self.dtype) if plain else copied(self)
    if hasattr(value, "dtype"):
        number = getattr(value, "_array", value)
        out[...] = number if number.dtype == out.dtype else cast(number, out.dtype)
    else:
        fill_array(xp, out, value)
    return out


fill_scalar = operator(
    "fill.Scalar(Tensor self, Scalar value) -> Tensor",
    node="FillBackward0",
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    result=lambda F, self_t: F.zeros_like(self_t),
    on=("F",),
    vmap=VMap("keeping", warns=True),
)

fill_tensor = operator(
    "fill.Tensor(Tensor self, Tensor value) -> Tensor",
    node="FillBackward1",
    complex_only=True,
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    value=lambda F, grad: F.sum(grad),
    result=lambda F, self_t, value_t: F.fill(self_t, value_t),
    on=("F",),
)

fill_scalar_ = operator(
    "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
    node="FillBackward2",
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    result=lambda self_t: None,
    on=("F",),
    vmap=KEEPS_DIMS,
)

fill_tensor_ = operator(
    "fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)",
    node="FillBackward3",
    complex_only=True,
    forward=filled,
    self=lambda F, grad: F.zeros_like(grad),
    value=lambda F, grad: F.sum(grad),
    result=lambda F, self_t, value_t: F.fill(self_t, value_t),
    on=("F",),
    vmap=KEEPS_DIMS,
)


@composite("fill", on=("function",))
def fill(input: Any, value: Any) -> Any:
    """A copy of `input` filled with a number, or with the element of a 0-d tensor."""
    if isinstance(value, TensorBase):
        check_filling(value)
        return fill_tensor(input, value)
    return fill_scalar(input, value)


@composite("fill_", in_place=InPlace(through=True))
def fill_(input: Any, value: Any) -> Any:
    """Fills `input` with a number, or with the element of a 0-d tensor, in place."""
    row, write = fill_scalar_.row, fill_array
    if isinstance(value, TensorBase):
        row, write = fill_tensor_.row, fill_from
    return rewrite(row, {"self": input, "value": value}, lambda xp, x: write(xp, x, value))


zero_row = operator(
    "zero_(Tensor(a!) self) -> Tensor(a!)",
    node="ZeroBackward0",
    forward=lambda xp, self: xp.zeros_like(self),
    self=lambda F, grad: F.zeros_like(grad),
    result=LINEAR,
    on=("F",),
    vmap=KEEPS_DIMS,
)


@composite("zero_", in_place=InPlace(through=True))
def zero_(input: Any) -> Any:
    """Fills `input` with zeros, in place."""
    return rewrite(zero_row.row, {"self": input}, lambda xp, x: fill_with(x, 0))


# ---- masked_fill and index_fill


def check_mask(mask: Any, value: Any = None) -> None:
    """RuntimeError for a mask that is not bool, or a filling array that has dimensions."""
    if value is not None:
        check_value(value)
    if mask.dtype.kind != "b":
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.of(mask).c_name}"
        )


def masked_fill_forward(xp: Any, self: Any, mask: Any, value: Any) -> Any:
    shape = filled_shape(self, mask)
    value = as_element(value, self)
    out = (self if shape == self.shape else xp.expand(self, shape)).copy(order="C")
    write_where(xp, out, value, mask)
    return out


def filled_shape(self: Any, mask: Any) -> Any:
    """The shape of the filled tensor. RuntimeError with torch's texts for masks that do not fit."""
    shape = self.shape
    if mask.shape != shape:
        shape = layout.broadcast(mask.shape, shape)
    check_mask(mask)
    return shape


def as_element(value: Any, x: Any) -> Any:
    """A number, or the element of a 0-d array, that fits the dtype of `x`."""
    number = value.item() if hasattr(value, "dtype") and value.dtype.kind != "V" else value
    element = fitted_in(float(number) if hasattr(number, "dtype") else number, x)
    return x.dtype.type(element) if x.dtype.names is None else element


def check_value(value: Any) -> None:
    """RuntimeError for a filling array that has dimensions."""
    if value.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )


masked_fill_scalar = operator(
    "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
    node="MaskedFillBackward0",
    forward=masked_fill_forward,
    kernel="masked_fill",
    knows=EVERY - LATE_UNSIGNED,
    spares=(),
    self=lambda F, grad, mask: F.masked_fill(grad, mask, 0),
    result=lambda F, self_t, mask: F.masked_fill(self_t, mask, 0),
    on=("F",),
    vmap=BROADCASTS,
)


def chosen_gradients(F: Any, grad: Any, mask: Any) -> Any:
    """The gradients of the elements that were filled; those of a function transform are kept in
    their places, for each example may have another number of them; those of meta tensors as well.
    """
    if is_seen(F, grad):
        return F.where(mask, grad, number_like(F, grad))
    counted = getattr(grad, "_level", None) is None and getattr(mask, "_level", None) is None
    if counted and not is_numberless(getattr(grad, "_array", grad)):
        return F.masked_select(grad, mask)
    return F.masked_fill(grad, ~mask, 0)


masked_fill_tensor = operator(
    "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
    node="MaskedFillBackward1",
    complex_only=True,
    forward=masked_fill_forward,
    kernel="masked_fill",
    knows=EVERY - LATE_UNSIGNED,
    spares=(),
    self=lambda F, grad, mask: F.masked_fill(grad, mask, 0),
    value=lambda F, grad, mask: F.sum(chosen_gradients(F, grad, mask)),
    result=lambda F, self_t, mask, value_t: F.masked_fill_Tensor(self_t, mask, value_t),
    on=("F",),
    vmap=WARNS,
)


@composite("masked_fill", inplace=METHOD)
def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`input` with `value`, a number or a 0-d tensor, where `mask` is true."""
    if isinstance(value, TensorBase) and isinstance(mask, TensorBase):
        layout.broadcast(mask._array.shape, input._array.shape)
        check_value(value._array)
    if isinstance(mask, TensorBase) and mask.dtype is not dtypes.bool:  # before histories
        if leads((input, value)) and recording():
            recorded_edge(input)  # a view that may have none says so
            version_of(mask)[0]  # no inference tensor is saved
        filled_shape(input._array, mask._array)
    if isinstance(value, TensorBase):
        return masked_fill_tensor(input, mask, value)
    if not isinstance(value, (int, float, complex)):
        raise wrong_arguments(masked_fill_scalar.row, call_of(mask, value))
    return masked_fill_scalar(input, mask, value)


def masked_fill_array(x: Any, mask: Any, value: Any) -> Any:
    """`masked_fill_` of formulas on bare arrays."""
    xp = NAMESPACES.get(type(x), on_numpy)
    x = xp.as_array(x)
    write_where(xp, x, value, mask)
    return x


@composite(
    "masked_fill_",
    on=(),
    raw=masked_fill_array,
    in_place=InPlace(
        overlaps=True,
        fills="tensor[mask] = scalar",
        check=check_mask,
        reads=ITSELF,
        through=True,
        aligns=True,
        falls_back=("Tensor", None),
    ),
)
def masked_fill_in_place(input: Any, mask: Any, value: Any) -> Any:
    """Writes `value` where `mask` is true: for formulas, into what they have made themselves."""
    return input.masked_fill_(mask, value)


def index_fill_forward(xp: Any, self: Any, dim: int, index: Any, value: Any) -> Any:
    if index.dtype != dtypes.int64.numpy:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    number = value.item() if hasattr(value, "dtype") else value
    if isinstance(number, complex) and self.dtype.kind != "c":
        raise RuntimeError(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        )
    axis = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    element = fitted_in(number, self)
    n = self.shape[axis] if self.ndim else 1
    if check_repeated(xp, self, axis, index.size):
        return copied(self)
    index, wrong = looked_at(xp, index, n, -n)
    if wrong is not None:
        raise bounds_error(wrong[0], axis, n)
    out = copied(self)
    whole = out if self.ndim else out.reshape(1)
    whole[(slice(None),) * axis + (index.reshape(-1),)] = element
    return out


index_fill_scalar = operator(
    "index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
    node="IndexFillBackward0",
    forward=index_fill_forward,
    kernel="index_fill_cpu",
    knows=EVERY - LATE_UNSIGNED,
    spares=(),
    self=lambda F, grad, dim, index: F.index_fill(grad, dim, index, 0),
    result=lambda F, self_t, dim, index: F.index_fill(self_t, dim, index, 0),
    on=("F",),
    vmap=SHARES_INDEX,
)

index_fill_tensor = operator(
    "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
    node="IndexFillBackward1",
    complex_only=True,
    forward=index_fill_forward,
    kernel="index_fill_cpu",
    knows=EVERY - LATE_UNSIGNED,
    spares=(),
    self=lambda F, grad, dim, index: F.index_fill(grad, dim, index, 0),
    value=lambda F, grad, dim, index: F.sum(F.index_select(grad, dim, F._unique(index, False)[0])),
    result=lambda F, self_t, dim, index, value_t: F.index_fill_int_Tensor(
        self_t, dim, index, value_t
    ),
    on=("F",),
)


@composite("fill_diagonal_", on=("method",))
def fill_diagonal_(self: Any, fill_value: Any, wrap: bool = False) -> Any:
    """Writes a number on the main diagonal; with `wrap`, of a tall matrix again below it."""
    shape, strides = self.shape, self.stride()
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    height, width = shape[0], shape[1]
    if len(shape) == 2:
        count = min(height, width)
    elif len(set(shape)) == 1:
        count = height
    else:
        raise RuntimeError("all dimensions of input must be of equal length")
    step, start = sum(strides), self.storage_offset()
    fill_(self.as_strided((count,), (step,), start), fill_value)
    if wrap and len(shape) == 2 and height > width + 1:
        start += strides[0] * (width + 1)
        rest = -(-(height - width - 1) * width // (width + 1))
        fill_(self.as_strided((rest,), (step,), start), fill_value)
    return self


@composite(
    "index_fill",
    inplace=METHOD,
    in_place=InPlace(
        overlaps=True,
        fills="tensor[mask] = scalar",
        reads=NOTHING,
        reached=write_reached,
        through=True,
    ),
)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """`input` with the slices `index` along `dim` filled with a number or a 0-d tensor."""
    if not isinstance(value, TensorBase):
        return index_fill_scalar(input, dim, index, value)
    if value._array.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    return index_fill_tensor(input, dim, index, value)
