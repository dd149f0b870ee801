"""Coordinates: what a tensor of layout torch.sparse_coo holds in the place of an array."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, NAMESPACES, layout
from minitorch.core.base.modes import watch
from minitorch.core.numbers import device as devices

REFUSAL = "torch.sparse_coo_tensor, and tensors of other sparse layouts, on a CUDA device"


class Parts:
    """Common to the arrays of all sparse layouts. Calls are watched while there is one."""

    __slots__ = ("__weakref__", "shape", "values")
    flags = SimpleNamespace(c_contiguous=False)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        watch(+1)  # here, as __del__ comes also where __init__ refuses
        return object.__new__(cls)

    def __init__(self, values: Any, shape: Any) -> None:
        if DEVICE_ARRAYS and type(values) in DEVICE_ARRAYS:
            raise NotImplementedError(REFUSAL)
        self.values, self.shape = values, tuple(shape)

    def __del__(self) -> None:
        if watch is not None:  # as it is when the interpreter ends
            watch(-1)

    dtype = property(lambda self: self.values.dtype)
    itemsize = property(lambda self: self.values.itemsize)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    strides = property(lambda self: layout.NoStrides((0,) * len(self.shape)))


class Coordinates(Parts):
    """Where the elements are, (sparse dimensions, n), and their values, (n, *dense dimensions).

    coalesced: whether they are in order, each place once.
    """

    __slots__ = ("coalesced", "indices")
    layout = devices.sparse_coo

    def __init__(
        self, indices: Any, values: Any, shape: Any, coalesced: bool | None = None
    ) -> None:
        super().__init__(values, shape)
        self.indices = indices
        self.coalesced = len(values) < 2 or bool(coalesced)

    def positions(self) -> Any:
        """Where each element is, as one number."""
        return positions(self.indices, self.shape[: len(self.indices)])

    def added_to(self, x: Any, alpha: Any = 1) -> None:
        """Adds alpha times the values to the array `x`, in their order."""
        values = self.values if alpha == 1 else self.values * x.dtype.type(alpha)
        if self.coalesced:
            x[tuple(self.indices)] += values if len(self.indices) else values.sum(0)
        else:
            numpy.add.at(x, tuple(self.indices), values.astype(x.dtype, copy=False))


def positions(indices: Any, sizes: Any) -> Any:
    """Where each column of `indices` is in a tensor of these sizes, as one number."""
    steps = layout.contiguous_strides(tuple(sizes))
    return (indices * numpy.array(steps, numpy.int64)[:, None]).sum(0)


class SparseNamespace:
    """A namespace in the place of NumPy: arrays of these kinds are for sparse operators alone."""

    device_type, device_index = "cpu", None

    def __getattr__(self, name: str) -> NoReturn:
        raise NotImplementedError("what this asks of sparse tensors")


NAMESPACES[Coordinates] = SparseNamespace()
