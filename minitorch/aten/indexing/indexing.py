"""Indexing: x[...] and x[...] = value.

An index is taken apart from left to right: ints, slices and None become views, one operator each;
tensors, lists and bools are collected, and one call of `index` reads (or of `index_put_` writes) at
the positions that they name together. As torch/csrc/autograd/python_variable_indexing.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_int
from typing import Any

import numpy

from minitorch.aten.creation.copies import copy_
from minitorch.aten.indexing.advanced_indexing import index_put_, index_tensor
from minitorch.aten.shape.slicing import select, slice_tensor
from minitorch.aten.shape.views import alias, unsqueeze, view_inner
from minitorch.core.arrays import namespace
from minitorch.core.arrays.from_data import array_from_data
from minitorch.core.arrays.overlap import check_itself
from minitorch.core.arrays.positions import bounds_error
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, recording
from minitorch.core.declare.expose import watchable
from minitorch.core.declare.protocols.mode_stack import LIFT, STACK
from minitorch.core.declare.wording.signatures import type_name as type_of
from minitorch.core.graph.forward import LEVELS
from minitorch.core.graph.views import check_writable, edge_of, note_write, requires_grad, view_of
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import in_numpy
from minitorch.core.numbers.scalars import check_long, fitted
from minitorch.core.tensor.conversion import from_array, type_name
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.warning import warn

_LAST = (1 << 63) - 1
_INTEGERS = (int, numpy.integer)
_USUAL = (int, type(None))
_ORDINARY = frozenset((int, slice, type(None), type(Ellipsis), Tensor, bool))
_SEQUENCE_TEXT = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result"
)

# ---- taking an index apart


def pick(self: Any, dim: int, index: Any, at: int) -> Any:
    """`self` at one position of a dimension; `at` is where the number stood in the index."""
    try:
        return select(self, dim, index)
    except IndexError:
        pass
    except (
        RuntimeError
    ):  # vmap has no example to ask, or views are of no use, which torch sees later
        size = self._array.shape[dim] if self._array.ndim else 0
        if -size <= index < size:
            raise
    check_long(index)
    if self._array.ndim == 0 and index == 0:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
            "in C++ to convert a 0-dim tensor to a number"
        )
    size = self._array.shape[dim] if self._array.ndim else 0
    raise bounds_error(index, at, size)


def limits_of(index: slice) -> tuple[int, int, int]:
    """Start, end and step of a slice as ATen takes them."""
    start, end = index.start, index.stop
    if index.step is None and type(start) in _USUAL and type(end) in _USUAL:
        start, end = start or 0, _LAST if end is None else end
        if -_LAST // 2 < start < _LAST and -_LAST // 2 < end <= _LAST:
            return start, end, 1
    parts = []
    for given, default in ((index.step, 1), (index.start, 0), (index.stop, _LAST)):
        try:
            number = default if given is None else as_int(given)
        except TypeError as error:
            if isinstance(given, TensorBase):
                raise
            raise TypeError(
                "slice indices must be integers or None or have an __index__ method"
            ) from error
        parts.append(min(max(number, -(1 << 62)), _LAST))
    step, start, end = parts
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    return start, end, step


def cut(self: Any, dim: int, index: slice, always: bool) -> Any:
    """A slice of one dimension; `self` itself where that is all of it, unless `always`."""
    start, end, step = limits_of(index)
    if (
        self._array.ndim
        and not always
        and start == 0
        and step == 1
        and end >= self._array.shape[dim]
    ):
        return self
    return slice_tensor(self, dim, start, end, step)


def is_integer(index: Any) -> bool:
    """Whether an index counts as an int, which True and False do not."""
    return isinstance(index, _INTEGERS) and not isinstance(index, bool)


def as_tuple(index: Any) -> tuple[Any, ...]:
    """An index that is no tuple as one. Short lists of more than numbers stand for tuples."""
    if (
        isinstance(index, Sequence)
        and len(index) < 32
        and any(
            each is None
            or each is Ellipsis
            or isinstance(each, (TensorBase, Sequence, numpy.ndarray, slice))
            for each in index
        )
    ):
        warn(_SEQUENCE_TEXT)
        return tuple(index)
    return (index,)


def positions_of(item: Any) -> Any:
    """A tensor for an index that is a list or an array: int64, unless it holds bools or bytes."""
    if isinstance(item, numpy.ndarray):
        if item.dtype.kind not in "biufc":
            return from_array(item)
        found = from_array(item)
    elif isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    else:
        found = tensor(array_from_data(item, None, numpy.dtype("int64")))
        if found._array.dtype.name not in ("bool", "uint8", "int64"):  # which torch then reads
            found = tensor(array_from_data(item, numpy.dtype("int64"), numpy.dtype("int64")))
    kind = found._array.dtype
    if STACK.get():
        found = LIFT[0](found)
    if kind.kind == "b" or kind == dtypes.int64.numpy or kind == dtypes.uint8.numpy:
        return found
    return tensor(found._array.astype(numpy.int64))


_ONE, _NONE = numpy.zeros(1, numpy.int64), numpy.zeros(0, numpy.int64)


def whether(on: bool) -> Any:
    """The positions that stand for True and False along a new dimension of size 1."""
    found = tensor((_ONE if on else _NONE).copy())
    return LIFT[0](found) if STACK.get() else found


def is_mask(index: Any) -> bool:
    """Whether a tensor selects by truth and not by position."""
    kind = index._array.dtype
    return bool(kind.kind == "b" or (kind.kind == "u" and kind.itemsize == 1))


def take_apart(self: Any, items: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """The view that the ints, slices and Nones of an index make of `self`, and the tensors among it
    by the dimensions of that view (a mask stands once for all of its dimensions)."""
    rank = self._array.ndim
    items = tuple(
        [
            positions_of(item)
            if type(item) not in _ORDINARY and isinstance(item, (Sequence, numpy.ndarray))
            else item
            for item in items
        ]
    )
    specified = 0
    for item in items:
        if isinstance(item, TensorBase):
            specified += item._array.ndim if is_mask(item) else 1
        elif item is not None and item is not Ellipsis and item is not True and item is not False:
            specified += 1
    if specified > rank:
        raise IndexError(f"too many indices for tensor of dimension {rank}")
    dim = width = 0
    indices: list[Any] = []

    def note(index: Any, dims: int) -> None:
        nonlocal dim, width
        indices.extend([None] * (dim - width))
        indices.append(index)
        dim += dims
        width = dim

    for at, item in enumerate(items):
        if isinstance(item, TensorBase) and item._array.ndim == 0 and item._level is None:
            if is_mask(item):
                item = bool(item._array)
            elif item._array.dtype.kind in "iu":
                item = int(item._array)
        if item is None:
            self = unsqueeze(self, dim)
            dim += 1
        elif item is Ellipsis:
            dim += rank - specified
        elif isinstance(item, slice):
            self = cut(self, dim, item, False)
            dim += 1
        elif isinstance(item, bool):
            self = unsqueeze(self, dim)
            note(whether(item), 1)
        elif isinstance(item, _INTEGERS):
            self = pick(self, dim, int(item), at)
        elif isinstance(item, TensorBase):
            note(item, item._array.ndim if is_mask(item) else 1)
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                f"are valid indices (got {type_of(item)})"
            )
    return self, indices


_PLAIN_ITEMS = {int, slice}


def getitem(self: Any, index: Any) -> Any:
    """self[index]: a view, or a copy if tensors, lists or bools select.

    IndexError with torch's texts for what is no index, or lies outside.
    """
    kind = type(index)
    if kind is int:
        if self._edge is None and self._view is None and not ASSEMBLED_GLOBALS["WATCHED"]:
            try:  # a select that nothing observes: 0.1 us sooner
                x = self._array[index, ...]
            except IndexError:
                pass
            else:
                if x.size:
                    return view_of(self, x, None)
        return pick(self, 0, index, 0)
    if kind is not tuple:
        if index is None:
            return unsqueeze(self, 0)
        if index is Ellipsis:
            return alias(self)
        if kind is slice:
            found = plain_view(self, (index,)) if self._edge is None else None
            return cut(self, 0, index, True) if found is None else found
        if kind is Tensor and index._array.ndim and index._array.dtype.kind == "i":
            if self._array.ndim:
                return index_tensor(self, [index])
        elif kind is list and self._array.ndim and set(map(type, index)) == {int}:
            found = tensor(numpy.array(index))
            return index_tensor(self, [LIFT[0](found) if STACK.get() else found])
        elif is_integer(index):
            return pick(self, 0, int(index), 0)
        index = index if isinstance(index, tuple) else as_tuple(index)
    elif _PLAIN_ITEMS.issuperset(map(type, index)):
        found = plain_view(self, index) if self._edge is None else None
        return plain_views(self, index) if found is None else found
    self_or_view, indices = take_apart(self, index)
    if indices:
        return index_tensor(self_or_view, indices)
    return alias(self) if self_or_view is self else self_or_view


def plain_view(self: Any, index: tuple[Any, ...]) -> Any:
    """self[index] at once, for ints and slices of a tensor without history: nothing sees the
    views between. None if something else is wanted. 0.5 us in place of 1.5 for x[i, j]."""
    if ASSEMBLED_GLOBALS["WATCHED"] or (self._view is not None and edge_of(self) is not None):
        return None
    for item in index:
        if type(item) is slice and item.step is not None:
            return None
    try:
        x = self._array[(*index, ...)]
    except (IndexError, TypeError, ValueError):
        return None
    # NumPy gives an empty slice another offset.
    return view_of(self, x, None) if x.size else None


def plain_views(self: Any, index: tuple[Any, ...]) -> Any:
    """self[index] for ints and slices, one view after the other."""
    if len(index) > self._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self._array.ndim}")
    viewed, dim = self, 0
    for at, item in enumerate(index):
        if type(item) is int:
            viewed = pick(viewed, dim, item, at)
        else:
            viewed = cut(viewed, dim, item, False)
            dim += 1
    return alias(self) if viewed is self else viewed


def setitem(self: Any, index: Any, value: Any) -> None:
    """self[index] = value: `value` is broadcast, and cast to the dtype.

    TypeError for a value that is neither tensor nor number; IndexError as in `getitem`.
    """
    if type(index) is Tensor and stored_plainly(self, index, value):
        return None
    value = assigned(self, value)
    kind = type(index)
    if kind is int:
        return assign(pick(self, 0, index, 0), value)
    if kind is tuple and int in map(type, index) and _PLAIN_ITEMS.issuperset(map(type, index)):
        found = plain_view(self, index) if self._edge is None else None
        return assign(plain_views(self, index) if found is None else found, value)
    if index is False:
        return None
    if index is True:
        return assign(unsqueeze(self, 0), value)
    if kind is slice:
        return assign(cut(self, 0, index, False), value)
    if not isinstance(index, tuple):
        index = as_tuple(index)
    viewed, indices = take_apart(self, index)
    if not indices:
        return assign(viewed, value)
    shape = without_leading_ones(value._array.shape)
    if shape != value._array.shape:
        value = view_inner(value, shape)
    index_put_(viewed, indices, value)
    return None


def stored_plainly(self: Any, index: Any, value: Any) -> bool:
    """Whether self[index] = value was written at once: at positions or by a mask, in a plain block,
    where nothing is recorded. If not, nothing was written. A fifth of the time of the long way."""
    x, places = self._array, index._array
    if (
        ASSEMBLED_GLOBALS["WATCHED"]
        or LEVELS
        or STACK.get()
        or type(x) is not numpy.ndarray
        or type(places) is not numpy.ndarray
        or not x.flags.c_contiguous
        or not (self._cell is None or type(self._cell) is list)
        or numpy.may_share_memory(x, places)
    ):
        return False
    if places.dtype.kind == "b":
        if not places.ndim or x.shape[: places.ndim] != places.shape:
            return False
    elif not places.ndim or places.dtype is not _INT64:
        return False
    kind = x.dtype
    if type(value) is Tensor:
        given = value._array
        plain = type(given) is numpy.ndarray and given.dtype is kind
        if not plain or kind in _REFUSED or numpy.may_share_memory(x, given):
            return False
        recorded = requires_grad(self) or requires_grad(value)
    else:
        fits = _FITTING.get(type(value))
        if fits is None or kind not in fits or not -1e9 < value < 1e9:
            return False
        given, recorded = value, requires_grad(self)
    if recorded and recording():
        return False
    try:
        x[places] = given
    except (IndexError, ValueError):  # NumPy looks at all positions before it writes
        return False
    note_write(self, None)
    return True


_INT64 = numpy.dtype("int64")
_REFUSED = in_numpy(dtypes.LATE_UNSIGNED)
_FLOATS = frozenset((numpy.dtype("float32"), numpy.dtype("float64")))
_FITTING = {float: _FLOATS, int: _FLOATS | {_INT64}, bool: frozenset((numpy.dtype("bool"),))}


def without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` from its first dimension on that has not size 1."""
    first = next((dim for dim, n in enumerate(shape) if n != 1), len(shape))
    return tuple(shape[first:])


HALVES = (dtypes.float16, dtypes.bfloat16)  # numbers too large for these are assigned as infinity


def assigned(self: Any, value: Any) -> Any:
    """The tensor to assign to an element of `self`."""
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, (int, float, complex, numpy.integer)):
        dtype = dtypes.of(self._array)
        if type(value) is int:
            check_long(value)
        xp = namespace(self._array)
        number: Any = fitted(value, dtypes.float64 if dtype in HALVES else dtype)
        if dtype in dtypes.PACKED:
            number = numpy.asarray(number)
        if dtype is dtypes.float16:
            number = numpy.float32(number)  # rounded twice, as cast() rounds
        made = tensor(xp.asarray(number, dtype.numpy))
        return LIFT[0](made) if STACK.get() else made
    raise TypeError(f"can't assign a {type_of(value)} to a {type_name(self)}")


def assign(self: Any, value: Any) -> None:
    """Writes `value`, broadcast, into the view `self`."""
    shape, source = self._array.shape, value._array
    if source.shape != shape:
        if source.ndim == 0:
            check_writable(self, requires_grad(self))
            check_itself(self._array)
            self.fill_(value)
            return
        stripped = without_leading_ones(source.shape)
        value = view_inner(value, stripped)
        if stripped != shape:
            value = value.expand(shape)
    copy_(self, value)


for _name, _function in (("__getitem__", getitem), ("__setitem__", setitem)):
    _function.__name__ = _name
    setattr(Tensor, _name, watchable(_name, _function))
