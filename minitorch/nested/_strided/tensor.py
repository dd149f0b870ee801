"""StridedNested: what a strided nested tensor is made of, and what Python sees of it.

As ATen/NestedTensorImpl.h: it has no shape, since its parts have different ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import minitorch as torch
from minitorch.core.arrays import NAMESPACES
from minitorch.core.arrays.layout import contiguous_strides
from minitorch.core.base.fields import CLASSES, STRIDED, TensorBase
from minitorch.core.base.modes import WRAPPERS
from minitorch.core.declare.protocols.torch_function import disabled
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.tensor.storage import warn_deprecated
from minitorch.core.tensor.tensor import Tensor
from minitorch.nested._internal.above import above
from minitorch.nested.prototype import warn_prototype
from minitorch.utils import wrapper_subclasses

NO_SIZES = "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue."
NO_STRIDES = "Internal error: NestedTensorImpl doesn't support strides. Please file an issue."


class Geometry(NamedTuple):
    """The places of a batch's tensors in the buffer.

    sizes, strides: a tuple for each tensor. offsets: the place of each one's first element.
    """

    sizes: tuple[tuple[int, ...], ...]
    strides: tuple[tuple[int, ...], ...]
    offsets: tuple[int, ...]

    @property
    def is_contiguous(self) -> bool:
        """Whether all lie in rows, one after the other."""
        return self == in_rows(self.sizes)


def in_rows(sizes: Sequence[Sequence[int]]) -> Geometry:
    """The geometry of parts of these sizes that lie in rows, one after the other."""
    offsets, end = [], 0
    for size in sizes:
        offsets.append(end)
        end += prod(size)
    known = tuple(map(tuple, sizes))
    return Geometry(known, tuple(tuple(contiguous_strides(s)) for s in known), tuple(offsets))


class Parts(wrapper_subclasses.Wrapper):
    """The array of a strided nested tensor. Its shape is what gradients have to agree in."""

    __slots__ = ()

    def __init__(self, kind: Any, attributes: Any, geometry: Geometry, dtype: Any) -> None:
        self.kind, self.attributes, self.layout = kind, attributes, torch.strided
        self.shape, self.dtype = geometry.sizes, dtype
        self.strides = geometry.strides  # type: ignore[assignment]

    @property
    def size(self) -> int:
        """The number of elements."""
        return sum(map(prod, self.shape))

    @property
    def ndim(self) -> int:
        """The number of dimensions, the batch included."""
        return len(self.shape[0]) + 1 if self.shape else 1

    @property
    def flags(self) -> wrapper_subclasses.Flags:
        """Whether the parts lie in rows, one after the other."""
        return wrapper_subclasses.Flags(self.attributes["_geometry"].is_contiguous)


def nested(buffer: Any, geometry: Geometry) -> Any:
    """A strided nested tensor of parts of a buffer, without history."""
    warn_prototype()
    self: Any = TensorBase.__new__(StridedNested)
    self._grad = self._cell = self._edge = None
    self._view = STRIDED
    self.__dict__["_buffer"], self.__dict__["_geometry"] = buffer, geometry
    self._array = Parts(StridedNested, self.__dict__, geometry, buffer._array.dtype)
    return self


def joined(parts: Sequence[Any]) -> Any:
    """A strided nested tensor of copies of dense tensors, in rows."""
    buffer = torch.cat([part.detach().reshape(-1) for part in parts])
    return nested(buffer, in_rows([part.shape for part in parts]))


def parts_of(self: Any) -> list[Any]:
    """The parts, as views of the buffer without history."""
    place = self._geometry
    return [
        self._buffer.as_strided(size, strides, offset)
        for size, strides, offset in zip(place.sizes, place.strides, place.offsets)
    ]


def buffer_of(self: Any) -> Any:
    """The buffer of one that is contiguous. RuntimeError with torch's text of any other."""
    if not self._geometry.is_contiguous:
        raise RuntimeError("NestedTensor must be contiguous to get buffer.")
    return self._buffer


def regular_size(self: Any, dim: int) -> int | None:
    """The size that all have in a dimension; None if they differ."""
    sizes = self._geometry.sizes
    if dim == 0:
        return len(sizes)
    found = {size[dim - 1] for size in sizes}
    return found.pop() if len(found) == 1 else None


class StridedNested(Tensor, watched=False):
    """A nested tensor of layout torch.strided."""

    __slots__ = ()
    __torch_function__ = staticmethod(disabled)
    _buffer: Any
    _geometry: Geometry
    _own_functions: Any  # operators.py gives them
    _of_parts: Any
    _split_backward: Any
    _own_row: Any
    is_nested = property(lambda self: True)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return above.compute(func, *args, **(kwargs or {}))

    @property
    def shape(self) -> Any:
        """Torch has none: RuntimeError."""
        raise RuntimeError(NO_SIZES)

    def size(self, dim: int | None = None) -> Any:
        """The size that all of the batch have in a dimension. RuntimeError if they differ."""
        if dim is None:
            raise RuntimeError(NO_SIZES)
        ndim = self._array.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but "
                f"got {dim})"
            )
        place = dim % ndim
        found = regular_size(self, place)
        if found is None:
            raise RuntimeError(f"Given dimension {place} is irregular and does not have a size.")
        return found

    def stride(self, dim: int | None = None) -> Any:
        """Torch has none: RuntimeError."""
        raise RuntimeError(NO_STRIDES)

    def storage_offset(self) -> int:
        """The offset of the buffer in its storage."""
        return 0

    def untyped_storage(self) -> Any:
        """The storage of the buffer."""
        return self._buffer.untyped_storage()

    def storage(self) -> Any:
        """The storage of the buffer as numbers of its dtype. Deprecated."""
        warn_deprecated()
        return self._typed_storage()

    def data_ptr(self) -> int:
        """The address of the buffer."""
        return int(self._buffer.data_ptr())

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether all lie in rows, one after the other."""
        return self._geometry.is_contiguous

    def is_same_size(self, other: Any) -> bool:
        """Whether the parts of another nested tensor have the sizes of these."""
        return bool(self._geometry.sizes == other._geometry.sizes)

    @property
    def nbytes(self) -> int:
        """The bytes of all numbers."""
        return int(self._array.size * self._array.itemsize)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The legacy type's name, or this tensor cast to a type."""
        if dtype is not None:
            return super().type(dtype, non_blocking)
        return f"torch.{self.dtype.scalar_name}Tensor"

    def __len__(self) -> int:
        raise RuntimeError(NO_SIZES)

    def __iter__(self) -> Any:
        raise RuntimeError(NO_SIZES)

    def tolist(self) -> Any:
        """Torch has none: RuntimeError."""
        raise RuntimeError(NO_STRIDES)

    def numpy(self, *, force: bool = False) -> Any:
        """Torch has none: RuntimeError."""
        raise RuntimeError(NO_SIZES)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise RuntimeError(NO_SIZES)

    def apply_(self, callable: Any) -> Any:
        """Torch has none: RuntimeError."""
        raise RuntimeError(NO_STRIDES)

    def share_memory_(self) -> Any:
        """Moves the buffer into memory that processes share."""
        self._buffer.share_memory_()
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuilt, (self._buffer, self._geometry, self.requires_grad)

    def __deepcopy__(self, memo: Any) -> Any:
        raise no_kernel("new_empty", "NestedTensorCPU")

    def is_shared(self) -> bool:
        """Whether the buffer is shared between processes."""
        return bool(self._buffer.is_shared())

    def values(self) -> Any:
        """The numbers of all, one after the other: a view through which gradients flow."""
        return above.called("values.default", self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        lines = ",\n".join(
            ["\n".join(["  " + line for line in repr(part).split("\n")]) for part in _shown(self)]
        )
        node = self.grad_fn
        suffix = ""
        if node is not None:
            suffix = f", grad_fn=<{type(node).__name__}>"
        elif self.requires_grad:
            suffix = ", requires_grad=True"
        return f"nested_tensor([\n{lines}\n]{suffix})"


def _rebuilt(buffer: Any, geometry: Any, requires_grad: bool) -> Any:
    return nested(buffer, Geometry(*geometry)).requires_grad_(requires_grad)


def _shown(self: Any) -> Any:
    """The parts, as printing shows them: taken without a graph, and whether they require grad."""
    parts = parts_of(self)
    return [part.requires_grad_() for part in parts] if self.requires_grad else parts


StridedNested.__name__ = StridedNested.__qualname__ = "Tensor"
StridedNested.__module__ = "torch"
NAMESPACES[Parts] = NAMESPACES[wrapper_subclasses.Wrapper]
CLASSES[Parts] = wrapper_subclasses.become
WRAPPERS.append(Parts)
