"""The parts of tensors in files, and tensors rebuilt from them: storages and geometry.

The functions have the names, and take the arguments, of those in torch's files.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy

from minitorch.core.arrays import layout, namespace, on_numpy, retyped
from minitorch.core.arrays.lazy import lazy
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.fields import LEAF, tensor
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.size import size_of
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.pickling import rebuild_meta
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage
from minitorch.core.tensor.tensor import Tensor


class StorageType:
    """Stands for torch.FloatStorage and its kin, which say the dtype of a storage in a file."""

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self._dtype = DTYPES[name]

    @property
    def dtype(self) -> Any:
        """The dtype of the storage."""
        return self._dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


DTYPES = {
    f"{each.scalar_name}Storage": each
    for each in map(
        dtypes.by_name,
        (
            *("float64", "float32", "float16", "bfloat16", "complex64", "complex128"),
            *("int64", "int32", "int16", "int8", "uint8", "bool"),
        ),
    )
}
TYPES = {dtype: StorageType(name) for name, dtype in DTYPES.items()}


class Stored:
    """A storage with the dtype by which a file counts its elements; None counts bytes."""

    def __init__(self, storage: UntypedStorage, dtype: Any) -> None:
        self.storage = storage
        self.dtype = dtype

    @property
    def key(self) -> Any:
        """A key that is equal for storages of the same memory."""
        storage = self.storage
        return storage.data_ptr() or id(storage._owner), storage.nbytes()

    @property
    def type(self) -> Any:
        """The class that a file names."""
        return UntypedStorage if self.dtype is None else TYPES[self.dtype]

    def numel(self) -> int:
        """The number of elements."""
        return self.storage.nbytes() // (1 if self.dtype is None else self.dtype.itemsize)


def described(self: Any) -> tuple[Any, tuple[Any, ...]]:
    """The function that makes a tensor again, and its arguments."""
    dtype, x = self.dtype, self._array
    if is_numberless(x):
        return rebuild_meta, (dtype, tuple(self.shape), self.stride(), self.requires_grad)
    raw = getattr(x, "raw", x)  # of numbers that are read as conjugates
    storage = UntypedStorage(raw)
    arguments = (
        Stored(storage, dtype if dtype in TYPES else None),
        self.storage_offset(),
        tuple(self.shape),
        self.stride(),
        self.requires_grad,
        OrderedDict(),
    )
    if dtype not in TYPES:
        arguments = (*arguments, dtype)
    bits = {name: True for name in ("conj", "neg") if getattr(self, f"is_{name}")()}
    return rebuild_tensor_v2 if dtype in TYPES else rebuild_tensor_v3, (
        (*arguments, bits) if bits else arguments
    )


def described_sparse(self: Any) -> tuple[Any, tuple[Any, ...]]:
    """The function rebuild_sparse_tensor, and the parts of a sparse tensor as its arguments."""
    _, parts, size, *rest = self._saved_parts()
    return rebuild_sparse_tensor, (self.layout, (*parts, size_of(size), *rest))


def rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """The tensor of a sparse layout, of its parts, its size, and whether it is coalesced."""
    from minitorch.aten.sparse.creation import rebuild  # start-up: 4 ms

    name = str(layout).removeprefix("torch.")
    count = 2 if name == "sparse_coo" else 3
    return rebuild(name, data[:count], *data[count:])


def get_layout(name: str) -> Any:
    """The layout that is called so: torch.sparse_coo."""
    return getattr(devices, name.removeprefix("torch."))


def rebuild_tensor(stored: TypedStorage, storage_offset: int, size: Any, stride: Any) -> Any:
    """The tensor of that geometry over a storage; offset and strides count elements."""
    return made(stored, stored.dtype, storage_offset, size, stride, False)


def rebuild_tensor_v2(
    storage: TypedStorage,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Any:
    """The tensor as a leaf that requires grad or not; `metadata`: whether it reads conjugates."""
    return made(storage, storage.dtype, storage_offset, size, stride, requires_grad, metadata)


def rebuild_tensor_v3(
    storage: TypedStorage,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    """rebuild_tensor_v2 over a storage that counts bytes."""
    return made(storage, dtype, storage_offset, size, stride, requires_grad, metadata)


def made(
    stored: TypedStorage,
    dtype: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    metadata: Any = None,
) -> Any:
    """A tensor of that geometry over a storage. RuntimeError if it would reach out of it."""
    owner, kind = stored._untyped_storage._owner, dtype.numpy
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise RuntimeError(
            f"mismatch in length of strides and shape. Size: {len(size)}, stride: {len(stride)}"
        )
    if any(n < 0 for n in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension: {list(size)}")
    if any(n < 0 for n in stride):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)}"
        )
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    needed = layout.reach_of(size, stride)
    needed = (offset + needed) * kind.itemsize if needed else 0
    if needed > owner.nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
            f"itemsize {kind.itemsize} requiring a storage size of {needed} are out of bounds for "
            f"storage of size {owner.nbytes}"
        )
    strides = tuple([step * kind.itemsize for step in stride])
    if type(owner) is numpy.ndarray:
        start = offset * kind.itemsize if needed else 0
        x = on_numpy.ndarray(size, kind, owner, start, strides)
    else:
        xp = namespace(owner)
        x = xp.strided(retyped(owner, kind), size, strides, offset * kind.itemsize)
    if metadata and not is_numberless(x):
        x = lazy(x, metadata.get("conj", False), metadata.get("neg", False))
    result = tensor(x, LEAF if requires_grad else None)
    result._cell = [1]  # torch makes an empty tensor first, and has it look at the storage
    return result


def rebuild_parameter(data: Any, requires_grad: bool, backward_hooks: Any) -> Any:
    """The Parameter over the memory of a tensor."""
    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(
    data: Any, requires_grad: bool, backward_hooks: Any, state: Any
) -> Any:
    """The Parameter over the memory of a tensor, with the attributes that a user set."""
    return with_state(Parameter(data, requires_grad), state)


def rebuild_from_type_v2(function: Any, kind: Any, arguments: Any, state: Any) -> Any:
    """The result of `function` as a tensor of a subclass, with attributes that a user set."""
    result = function(*arguments)
    if type(result) is not kind:
        result = result.as_subclass(kind)
    if type(result).__setstate__ is not Tensor.__setstate__:
        result.__setstate__(state)
        return result
    return with_state(result, state)


def with_state(result: Any, state: Any) -> Any:
    """`result` with the attributes of a state: a dict, or a pair of it and another for slots."""
    for each in state if isinstance(state, tuple) else (state,):
        for name, value in (each or {}).items():
            setattr(result, name, value)
    return result
