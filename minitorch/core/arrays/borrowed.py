"""Borrowed memory, which another object owns: a tensor over it can be written, but not resized."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays.layout import reach_of, strides_of


class _Lent:
    """The memory from the first to the last element of an array: the extent of a tensor's storage.

    From the array itself NumPy would find the memory around it as well. It is writable, as in
    torch, even if the array is not.
    """

    def __init__(self, x: numpy.ndarray) -> None:
        self.owner = x
        self.__array_interface__ = {
            "version": 3,
            "data": (x.__array_interface__["data"][0], False),
            "typestr": x.dtype.str,
            "shape": (reach_of(x.shape, strides_of(x)),),
        }


def borrow(x: numpy.ndarray) -> numpy.ndarray:
    """An array over the memory of `x`, which is noted as borrowed."""
    return numpy.ndarray(x.shape, x.dtype, numpy.asarray(_Lent(x)), 0, x.strides)


def is_borrowed(owner: Any) -> bool:
    """Whether the memory that this array holds for a tensor is borrowed."""
    return type(owner.base) is _Lent


def check_resizable(owner: Any) -> None:
    """Raises RuntimeError with torch's text if this memory is borrowed."""
    if is_borrowed(owner):
        raise RuntimeError("Trying to resize storage that is not resizable")
