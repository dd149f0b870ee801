"""Other memory for a storage that grows, or is shared with other processes.

Tensors hold arrays, so all tensors and storages over the memory get arrays over the new memory.
Python's objects are searched for them only if more than the caller's object holds the memory.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, namespace, on_numpy
from minitorch.core.arrays.lazy import bits_of, lazy, raw_of
from minitorch.core.base.fields import TensorBase


def holders(owner: Any, storages: type) -> Iterator[Any]:
    """The tensors, and the storages of this class, over the memory of an array."""
    on_device = type(owner) in DEVICE_ARRAYS
    for each in gc.get_objects():
        kind = type(each)
        if kind is storages:
            own = getattr(each, "_owner", None)
            if own is owner or (on_device and lies_in(own, owner) and not each._is_part):
                yield each
        elif issubclass(kind, TensorBase) and lies_in(raw_of(getattr(each, "_array", None)), owner):
            yield each


def lies_in(x: Any, owner: Any) -> bool:
    """Whether an array lies in the memory of another, which owns it."""
    if type(owner) in DEVICE_ARRAYS:
        return type(x) is type(owner) and x.data.mem is owner.data.mem
    return isinstance(x, numpy.ndarray) and on_numpy.storage(x) is owner


def move(owner: Any, fresh: Any, users: list[Any]) -> None:
    """Makes the tensors and storages among `users` read the bytes `fresh` in place of `owner`."""
    xp = namespace(owner)
    start = xp.pointer(owner)
    for each in users:
        if not isinstance(each, TensorBase):
            each._owner = fresh
            continue
        x = raw_of(each._array)
        offset = xp.pointer(x) - start if x.size else 0
        moved = xp.over(fresh, x, offset)
        each._array = lazy(moved, *bits_of(each._array))


def beside(owner: Any, x: Any) -> Any:
    """The numbers of the array `x` where another one lies."""
    here, there = namespace(owner), namespace(x)
    return x if here is there else here.asarray(there.to_numpy(x))


def reach(users: list[Any], owner: Any) -> int:
    """The number of bytes, from the start of the memory, that the tensors among `users` reach."""
    xp, most = namespace(owner), 0
    start = xp.pointer(owner)
    for each in users:
        if isinstance(each, TensorBase):
            x = raw_of(each._array)
            if x.size:
                last = sum([(n - 1) * step for n, step in zip(x.shape, x.strides)])
                most = max(most, xp.pointer(x) - start + last + x.itemsize)
    return most
