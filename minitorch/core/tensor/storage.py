"""Storages: the memory behind tensors, as bytes, and as numbers of a dtype as it once was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from minitorch.core.arrays import namespace
from minitorch.core.arrays.borrowed import is_borrowed
from minitorch.core.arrays.layout import memory_of
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import TensorBase
from minitorch.core.warning import warn

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the "
    "only storage class. This should only matter to you if you are using storages directly.  To "
    "access UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()"
)


class UntypedStorage:
    """The bytes behind a tensor and its views: those of an array, a count, or a list of bytes.

    As torch.UntypedStorage; its memory cannot grow or shrink.
    """

    __module__ = "torch.storage"

    def __init__(self, array: Any = 0) -> None:
        if type(array) is int:
            array = numpy.zeros(array, numpy.uint8)
        elif not hasattr(array, "dtype"):
            array = numpy.array(array, numpy.uint8)
        self._owner = namespace(array).storage(array)

    def nbytes(self) -> int:
        """How many bytes there are."""
        return int(self._owner.nbytes)

    size = __len__ = nbytes

    def element_size(self) -> int:
        """How many bytes an element takes: one."""
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte; 0 if there is none."""
        owner = self._owner
        known = owner.nbytes or is_borrowed(owner)
        return int(namespace(owner).pointer(owner)) if known else 0

    @property
    def device(self) -> Any:
        """The device of the memory."""
        xp = namespace(self._owner)
        return devices.device(xp.device_type, xp.device_index)

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is a CUDA device's."""
        return bool(self.device.type == "cuda")

    def untyped(self) -> UntypedStorage:
        """Itself."""
        return self

    def cpu(self) -> UntypedStorage:
        """The same bytes on the CPU: itself if they are there."""
        x = self._owner
        return UntypedStorage(namespace(x).to_numpy(x)) if self.is_cuda else self

    def is_shared(self) -> bool:
        """Whether other processes see the memory: on a CUDA device they may."""
        return self.is_cuda

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is locked for copies to a device: never."""
        return False

    def clone(self) -> UntypedStorage:
        """A copy."""
        return UntypedStorage(self._bytes().copy())

    def fill_(self, value: int) -> UntypedStorage:
        """Writes one value into all bytes."""
        self._bytes()[...] = value
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool | None = None) -> UntypedStorage:
        """Copies as many bytes from another storage. RuntimeError if it has more or fewer."""
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was "
                f"{source.nbytes()} bytes"
            )
        self._bytes()[...] = source._bytes()
        return self

    def resize_(self, size: int) -> UntypedStorage:
        """Refuses to change the size: other arrays read this memory."""
        if size != self.nbytes():
            raise NotImplementedError("torch.UntypedStorage.resize_")
        return self

    def _bytes(self) -> Any:
        owner = self._owner
        return memory_of(owner).view(numpy.uint8)

    def tolist(self) -> list[int]:
        """The bytes as ints."""
        return self._bytes().tolist()

    def __getitem__(self, index: Any) -> Any:
        taken = self._bytes()[index]
        if not isinstance(index, slice):
            return int(taken)
        part = UntypedStorage()
        part._owner = taken
        return part

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes()[index] = value

    def type(self) -> str:
        """The name of the type."""
        return "torch.storage.UntypedStorage"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return self.data_ptr()

    def __repr__(self) -> str:
        lines = "".join([f" {byte}\n" for byte in self.tolist()])
        return (
            f"{lines}[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"
        )


class StorageMeta(type):
    """The type of the storages that are named after a dtype, such as torch.FloatStorage."""

    _dtype: Any

    @property
    def dtype(cls) -> Any:
        """The dtype of the numbers in such a storage."""
        return cls._dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        if not type.__instancecheck__(TypedStorage, instance):
            return False
        return cls is TypedStorage or instance.dtype is cls._dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not TypedStorage:
            kwargs["dtype"] = cls._dtype
        made: Any = object.__new__(TypedStorage)
        made.__init__(*args, **kwargs)
        return made


class TypedStorage(metaclass=StorageMeta):
    """The memory behind a tensor and its views as numbers of a dtype. Deprecated, as torch's.

    args: nothing, a count or the numbers.  wrap_storage: bytes to read as numbers instead.
    """

    __module__ = "torch.storage"
    is_sparse = False
    _dtype: Any = None

    def __init__(
        self,
        *args: Any,
        wrap_storage: UntypedStorage | None = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
    ) -> None:
        if not _internal:
            _warn()
        self._dtype = dtype or dtypes.get_default_dtype()
        kind = self._dtype.numpy
        if wrap_storage is None:
            data = args[0] if args else 0
            if isinstance(data, str):
                raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
            made = numpy.zeros(data, kind) if type(data) is int else numpy.array(data, kind)
            wrap_storage = UntypedStorage(made)
        self._untyped_storage = wrap_storage

    @property
    def dtype(self) -> Any:
        """The dtype of the numbers."""
        return self._dtype

    @property
    def device(self) -> Any:
        """The device of the memory."""
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is a CUDA device's."""
        return self._untyped_storage.is_cuda

    def _numbers(self) -> Any:
        bytes_ = self._untyped_storage._bytes()
        size = self._dtype.itemsize
        return bytes_[: bytes_.size // size * size].view(self._dtype.numpy)

    def size(self) -> int:
        """How many numbers there are."""
        return self._untyped_storage.nbytes() // int(self._dtype.itemsize)

    __len__ = size

    def nbytes(self) -> int:
        """How many bytes there are."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """How many bytes a number takes."""
        return int(self._dtype.itemsize)

    def data_ptr(self) -> int:
        """The address of the first number; 0 if there is none."""
        return self._untyped_storage.data_ptr()

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return self._untyped_storage

    def tolist(self) -> list[Any]:
        """The numbers."""
        return list(self._numbers().tolist())

    def clone(self) -> Any:
        """A copy."""
        return self._like(self._numbers().copy())

    def cpu(self) -> Any:
        """The same memory on the CPU: shared if it is there."""
        x = self._untyped_storage._owner
        return self._like(namespace(x).to_numpy(x))

    def fill_(self, value: Any) -> Any:
        """Writes one value everywhere."""
        self._numbers()[...] = value
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> Any:
        """Copies the numbers of another storage."""
        self._numbers()[...] = source._numbers()
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the type, such as 'torch.FloatStorage'."""
        if dtype is not None:
            raise NotImplementedError("torch.TypedStorage.type with a dtype")
        return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"

    def pickle_storage_type(self) -> str:
        """The name by which files call the type."""
        return f"{self._dtype.scalar_name}Storage"

    def is_shared(self) -> bool:
        """Whether other processes see the memory: on a CUDA device they may."""
        return self.is_cuda

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is locked for copies to a device: never."""
        return False

    def _like(self, x: Any, dtype: Any = None) -> Any:
        kind = dtype or self._dtype
        return TypedStorage(wrap_storage=UntypedStorage(x), dtype=kind, _internal=True)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._numbers()[self._index(index)].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._numbers()[index if isinstance(index, slice) else self._index(index)] = value

    def _index(self, index: Any) -> int:
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {TypedStorage} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return index

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __reduce__(self) -> Any:
        return _again, (self.tolist(), self._dtype)

    def __repr__(self) -> str:
        numbers = "\n ".join(map(str, self.tolist()))
        kind = f"dtype={self._dtype}, device={self.device}"
        return f" {numbers}\n[torch.storage.TypedStorage({kind}) of size {self.size()}]"


def _again(numbers: list[Any], dtype: Any) -> Any:
    return TypedStorage(numbers, dtype=dtype, _internal=True)


def _converting(name: str) -> Any:
    dtype = getattr(dtypes, name)

    def convert(self: Any) -> Any:
        return self._like(self._numbers().astype(dtype.numpy), dtype)

    convert.__name__ = name
    convert.__doc__ = f"A copy as numbers of {dtype!r}."
    return convert


for _name in ("float", "double", "half", "bfloat16", "long", "int", "short", "bool"):
    setattr(TypedStorage, _name, _converting(_name))


def storage(self: Any) -> Any:
    """The memory of a tensor as numbers of its dtype. Deprecated: use untyped_storage."""
    _warn()
    x = self._array
    made = UntypedStorage(getattr(x, "raw", x))
    return TypedStorage(wrap_storage=made, dtype=self.dtype, _internal=True)


_warned = [False]


def _warn() -> None:
    """Gives the warning once in a process, whatever torch.set_warn_always says."""
    if not _warned[0]:
        _warned[0] = True
        warn(DEPRECATED)


def _reset_warn_typed_storage_removal() -> None:
    """Lets it be given once more; torch's tests use this function of torch.storage."""
    _warned[0] = False


class _Named(dict[str, Any]):
    """torch.FloatStorage and its kin by name, made when first asked for."""

    def __missing__(self, name: str) -> Any:
        kinds = {f"{each.scalar_name}Storage": each for each in dtypes.DTYPES}
        for untold in ("UInt16Storage", "UInt32Storage", "UInt64Storage", "ComplexHalfStorage"):
            del kinds[untold]
        if name == "Storage":
            return self["FloatStorage"]
        fields = {"__module__": "torch", "_dtype": kinds[name]}
        made = self[name] = StorageMeta(name, (TypedStorage,), fields)
        return made


NAMED = _Named()


def storage_type(self: Any) -> Any:
    """The type of the memory of a tensor, such as torch.FloatStorage."""
    _warn()
    return NAMED[f"{self.dtype.scalar_name}Storage"]


def is_storage(obj: Any, /) -> bool:
    """Whether `obj` is a storage."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


def is_set_to(self: TensorBase, tensor: TensorBase) -> bool:
    """Whether two tensors read the same memory in the same way."""
    a, b = self._array, tensor._array
    return (
        UntypedStorage(a) == UntypedStorage(b)
        and (a.shape, a.strides) == (b.shape, b.strides)
        and self.storage_offset() == tensor.storage_offset()  # type: ignore[attr-defined]
    )
