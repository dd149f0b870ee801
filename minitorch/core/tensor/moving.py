"""Other memory for a storage that grows, or is shared with other processes.

Tensors hold arrays, so all tensors and storages over the memory get arrays over the new memory.
Python's objects are searched for them only if more than the caller's object holds the memory.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy

from minitorch.core.arrays import on_numpy
from minitorch.core.arrays.lazy import bits_of, lazy, raw_of
from minitorch.core.base.fields import TensorBase


def holders(owner: Any, storages: type) -> Iterator[Any]:
    """The tensors, and the storages of this class, over the memory of an array."""
    for each in gc.get_objects():
        kind = type(each)
        if kind is storages:
            if getattr(each, "_owner", None) is owner:
                yield each
        elif issubclass(kind, TensorBase):
            x = raw_of(getattr(each, "_array", None))
            if isinstance(x, numpy.ndarray) and on_numpy.storage(x) is owner:
                yield each


def move(owner: Any, fresh: Any, users: list[Any]) -> None:
    """Makes the tensors and storages among `users` read the bytes `fresh` in place of `owner`."""
    start = on_numpy.pointer(owner)
    for each in users:
        if not isinstance(each, TensorBase):
            each._owner = fresh
            continue
        x = raw_of(each._array)
        offset = on_numpy.pointer(x) - start if x.size else 0
        moved = numpy.ndarray(x.shape, x.dtype, fresh, offset, x.strides)
        each._array = lazy(moved, *bits_of(each._array))


def reach(users: list[Any], owner: Any) -> int:
    """The number of bytes, from the start of the memory, that the tensors among `users` reach."""
    start, most = on_numpy.pointer(owner), 0
    for each in users:
        if isinstance(each, TensorBase):
            x = raw_of(each._array)
            if x.size:
                last = sum([(n - 1) * step for n, step in zip(x.shape, x.strides)])
                most = max(most, on_numpy.pointer(x) - start + last + x.itemsize)
    return most
