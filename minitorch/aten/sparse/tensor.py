"""SparseTensor, whose `_array` is a Coordinates: what Python sees of one apart from operators."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy

from minitorch.aten.sparse import above
from minitorch.aten.sparse.coordinates import Coordinates
from minitorch.core.base.fields import CLASSES, TensorBase, tensor, version_of
from minitorch.core.declare.protocols.torch_function import disabled
from minitorch.core.numbers import device as devices
from minitorch.core.tensor import printing
from minitorch.core.tensor.conversion import check_assigned_data
from minitorch.core.tensor.pickling import PUBLIC
from minitorch.core.tensor.storage import warn_deprecated
from minitorch.core.tensor.tensor import Tensor


def made(indices: Any, values: Any, shape: Any, coalesced: bool | None = None) -> Any:
    """A SparseTensor; it shares the memory of both arrays."""
    return tensor(Coordinates(indices, values, shape, coalesced))


def alike(self: Any, values: Any, coalesced: bool | None = None) -> Any:
    """A SparseTensor with other values at the same places."""
    c = self._array
    return made(c.indices, values, c.shape, c.coalesced if coalesced is None else coalesced)


def values_of(self: Any) -> Any:
    """The values of a sparse tensor as a dense one without history."""
    return tensor(self._array.values)


class SparseBase(Tensor, watched=False):
    """The base class of the tensors of all sparse layouts."""

    __slots__ = ()
    __torch_function__ = staticmethod(disabled)
    _kind = "Sparse"  # as errors name the layout
    _memory = "SparseTensorImpl"
    is_sparse = property(lambda self: False)

    @property
    def data(self) -> Any:
        return tensor(self._array)

    @data.setter
    def data(self, other: Any) -> None:
        check_assigned_data(self, other)
        self._array = other._array
        self.__class__ = type(other)

    @property
    def nbytes(self) -> int:
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent "
            "tensors, add the nbytes of the indices and values.  If you want the size of the  "
            "equivalent dense tensor, multiply numel() by element_size()"
        )

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return False

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The legacy type's name ('torch.sparse.FloatTensor'), or this tensor cast to a type."""
        if dtype is not None:
            return super().type(dtype, non_blocking)
        return f"torch.sparse{self._kind.removeprefix('Sparse')}.{self.dtype.scalar_name}Tensor"

    def data_ptr(self) -> int:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def tolist(self) -> Any:
        return self.data_ptr()

    def untyped_storage(self) -> Any:
        raise NotImplementedError(f"Cannot access storage of {self._memory}")

    _typed_storage = is_shared = share_memory_ = untyped_storage

    def storage(self) -> Any:
        warn_deprecated()
        return self.untyped_storage()

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError(
            f"can't convert {self._kind} layout tensor to numpy. Use Tensor.to_dense() first."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self.numpy()
        raise AssertionError

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("Cannot assign to a sparse tensor")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return int(self.shape[0])

    def detach(self) -> Any:
        result = tensor(self._array)
        result._cell = version_of(self)
        return result

    def __deepcopy__(self, memo: Any) -> Any:
        if self.grad_fn is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
                "because of a torch.nn.utils.weight_norm usage, see "
                "https://github.com/pytorch/pytorch/pull/103001"
            )
        result = memo[id(self)] = self.detach().clone()
        result._edge = self._edge
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        if PUBLIC:
            return PUBLIC[0](self)
        return above.rebuild, self._saved_parts()

    def _saved_parts(self) -> Any:
        raise NotImplementedError

    def _element(self) -> Any:
        """The only element as a Python number."""
        raise NotImplementedError

    def item(self) -> Any:
        if self.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar"
            )
        return self._element()

    def __bool__(self) -> bool:
        if self.numel() != 1:
            few = "no values" if not self.numel() else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {few} is ambiguous")
        return bool(self.item())


class SparseTensor(SparseBase, watched=False):
    """A tensor of layout torch.sparse_coo."""

    __slots__ = ()
    is_sparse = property(lambda self: True)
    layout = property(lambda self: devices.sparse_coo)

    def stride(self, dim: int | None = None) -> Any:
        return (0,) * self.dim() if dim is None else 0

    def storage_offset(self) -> int:
        return 0

    def _element(self) -> Any:
        return self.detach().to_dense().item()

    def new(self, *args: Any) -> Any:
        """An empty one, one of a size, or one of indices, values and a size; of the same dtype."""
        if args and isinstance(args[0], TensorBase):
            indices, values, *size = args
            return above.sparse_coo_tensor(indices, values, *size, check_invariants=False)
        if args and not isinstance(args[0], int):
            raise TypeError(
                "SparseTensor.new(sequence) only accepts sizes.  Please use "
                "torch.sparse_coo_tensor() or construct a strided tensor and convert it to sparse "
                "via to_sparse."
            )
        shape = args or (0,)
        return made(numpy.empty((len(shape), 0), int), numpy.empty(0, self._array.dtype), shape)

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        c = self._array
        text = f"indices={part_text(c.indices, 8)},\n       values={part_text(c.values, 7)}"
        suffixes = [f"size={c.shape}", f"nnz={len(c.values)}"]
        if not printing._goes_without_saying(self.dtype, False):
            suffixes.append(f"dtype={self.dtype}")
        suffixes += [f"layout={self.layout}", *printing._history(self)]
        contents = text if tensor_contents is None else tensor_contents
        return printing.join_suffixes(f"tensor({contents}", suffixes, 7, newline=True) + ")"

    def _saved_parts(self) -> Any:
        c = self._array
        return (
            "sparse_coo",
            (tensor(c.indices), tensor(c.values)),
            c.shape,
            c.coalesced,
        )


for _kind in (SparseBase, SparseTensor):
    _kind.__name__ = _kind.__qualname__ = "Tensor"
    _kind.__module__ = "torch"
CLASSES[Coordinates] = lambda self: setattr(self, "__class__", SparseTensor)


def part_text(x: Any, indent: int) -> str:
    """The text of a part: indent is that of the tensor and of the part's own name."""
    if not x.size:
        return f"tensor([], size={x.shape})"
    return f"tensor({printing.contents(x, 7 + indent + 7)})"
