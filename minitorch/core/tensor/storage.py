"""Storages: the memory behind tensors, as bytes, or (deprecated) as numbers of a dtype."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from minitorch.core.arrays import cuda as on_cuda
from minitorch.core.arrays import lies_pinned, namespace, on_numpy, retyped
from minitorch.core.arrays.borrowed import is_borrowed
from minitorch.core.arrays.floating_point import cast, legible
from minitorch.core.arrays.from_data import array_from_data
from minitorch.core.arrays.layout import memory_of
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.naming import copy_of
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.closed import FullyNamed
from minitorch.core.tensor import moving
from minitorch.core.tensor import storage_rare as rare
from minitorch.core.tensor import storage_words as words
from minitorch.core.tensor.storage_sharing import _StorageBase, renumber
from minitorch.core.tensor.storage_sources import check_count, made_of, on_device, read_buffer
from minitorch.core.warning import warn

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the "
    "only storage class. This should only matter to you if you are using storages directly.  To "
    "access UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()"
)


class UntypedStorage(_StorageBase, metaclass=FullyNamed):
    """The bytes behind a tensor and its views, made from an array, a count, or a list of bytes.

    As torch.UntypedStorage.
    """

    __module__ = "torch.storage"
    is_sparse = is_sparse_csr = is_hpu = False
    _is_part = False  # a part of another storage, which cannot grow

    def __init__(self, *args: Any, device: Any = None, **other: Any) -> None:
        array = made_of(args, device, other) if not _is_array(args) else args[0]
        self._owner = namespace(array).storage(array)

    def nbytes(self) -> int:
        """How many bytes there are."""
        return int(self._owner.nbytes)

    def size(self) -> int:
        """How many bytes there are."""
        return self.nbytes()

    def __len__(self) -> int:
        return self.nbytes()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def element_size(self) -> int:
        """How many bytes an element takes: one."""
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte; 0 if there is none."""
        owner = self._owner
        if is_numberless(owner):
            return 0
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
        """These bytes on the CPU: this storage if they are there."""
        x = self._owner
        return UntypedStorage(namespace(x).to_numpy(x)) if self.is_cuda else self

    def cuda(self, device: Any = None, non_blocking: bool = False) -> UntypedStorage:
        """These bytes on a CUDA device. TypeError or AssertionError if there is none."""
        rare.check_cuda(device)
        return UntypedStorage(on_cuda().asarray(self._owner))

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """These bytes on a device: this storage if they are there."""
        return self.cuda(device) if devices.device(device).type == "cuda" else self.cpu()

    def new(self) -> UntypedStorage:
        """An empty storage."""
        return UntypedStorage()

    hpu, mps = copy_of(words.hpu), copy_of(words.mps)

    def _to(self, dtype: Any) -> Any:
        words.checked_dtype(dtype)
        as_bytes = TypedStorage(wrap_storage=self, dtype=dtypes.uint8, _internal=True)
        return as_bytes._like(cast(as_bytes._numbers(), dtype.numpy), dtype)

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> UntypedStorage:
        """A copy of the bytes of a buffer, read as numbers of a dtype in either byte order.

        As torch.UntypedStorage.from_buffer(buffer, byte_order, count, offset, dtype=).
        """
        return cls(read_buffer(*args, **kwargs))

    # ---- its size

    def resizable(self) -> bool:
        """Whether resize_ can change the size: not for borrowed or shared memory."""
        return not (self._is_part or is_borrowed(self._owner) or self.filename is not None)

    def resize_(self, size: int) -> UntypedStorage:
        """Changes the size; tensors over the memory keep their elements.

        Raises:
            RuntimeError: the memory is borrowed, or shared.
            NotImplementedError: a tensor reads beyond the new size.
        """
        if type(size) is not int:
            raise RuntimeError(f"resize_ expects an int, but got {rare.shown(size)}")
        check_count(size)
        if not self.resizable() or (self.is_shared() and not self.is_cuda):
            raise RuntimeError("Trying to resize storage that is not resizable")
        if size != self.nbytes():
            self._move(namespace(self._owner).zeros(size, numpy.uint8))
        return self

    def _move(self, fresh: Any) -> None:
        owner = self._owner
        users = list(moving.holders(owner, UntypedStorage))
        if moving.reach(users, owner) > fresh.nbytes:
            raise NotImplementedError(
                f"torch.UntypedStorage.resize_: a tensor reads beyond {fresh.nbytes} bytes"
            )
        taken = min(owner.nbytes, fresh.nbytes)
        fresh[:taken] = self._bytes()[:taken]
        moving.move(owner, fresh, users)
        renumber(owner, fresh)

    # ---- its bytes

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is locked for copies to a device."""
        if device is not None:
            rare.checked_device("is_pinned", device)
        return lies_pinned(self._owner)

    def pin_memory(self, device: Any = None) -> UntypedStorage:
        """Raises an error: memory is locked by pinning the tensor. RuntimeError if there is no
        accelerator to lock it for."""
        place = None if device is None else rare.checked_device("pin_memory", device)
        raise rare.unpinnable(place)

    def get_device(self) -> int | None:
        """The number of the device; None for the CPU."""
        return self.device.index

    def clone(self) -> UntypedStorage:
        """A copy."""
        return UntypedStorage(self._bytes().copy())

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        known = memo.setdefault("torch", {})
        if self.data_ptr() not in known:
            known[self.data_ptr()] = self.clone()
        return known[self.data_ptr()]

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __reduce__(self) -> Any:
        return _of_array, (self._bytes().copy(),)

    def fill_(self, value: int) -> UntypedStorage:
        """Writes one value into all bytes."""
        if not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {rare.shown(value)}")
        self[0 : self.nbytes()] = value
        return self

    def copy_(self, *args: Any, **named: Any) -> UntypedStorage:
        """Copies the bytes of another storage, as torch's copy_(src, non_blocking=None).

        Raises:
            RuntimeError: the other storage has more or fewer bytes.
        """
        source = words.source_of_copy(is_storage, *args, **named).untyped()
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was "
                f"{source.nbytes()} bytes"
            )
        self._bytes()[...] = moving.beside(self._owner, source._bytes())
        return self

    def byteswap(self, dtype: Any) -> None:
        """Reverses the order of the bytes of each number of a dtype, in place."""
        if not isinstance(dtype, dtypes.dtype):
            raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
        parts = 2 if dtype.is_complex else 1
        if self.nbytes() % dtype.itemsize:
            raise RuntimeError(f"the length of data is not a multiple of {dtype.itemsize}")
        self._bytes().view(f"u{dtype.itemsize // parts}").byteswap(inplace=True)

    def _bytes(self) -> Any:
        owner = self._owner
        if is_numberless(owner):
            raise NotImplementedError("Not available for 'meta' device type")
        return memory_of(owner).view(numpy.uint8)

    def tolist(self) -> list[int]:
        """The bytes as ints."""
        return self._bytes().tolist()

    def __iter__(self) -> Iterator[int]:
        return (self[i] for i in range(self.nbytes()))

    def __getitem__(self, index: Any) -> Any:
        taken = self._bytes()[self._checked(index, "can't index a torch.UntypedStorage with ")]
        if not isinstance(index, slice):
            return int(taken)
        part = UntypedStorage()
        part._owner, part._is_part = taken, True
        return part

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, int):
            raise RuntimeError(
                f"can only set storage content with a int types, but got {type(value).__name__} "
                "instead"
            )
        if not isinstance(index, slice) and not -self.nbytes() <= index < self.nbytes():
            raise RuntimeError("out of bounds")
        self._bytes()[self._checked(index, "can't index a torch.UntypedStorage with ")] = (
            value & 255
        )

    def _checked(self, index: Any, text: str) -> Any:
        if isinstance(index, slice):
            step = 1 if index.step is None else index.step
            if step != 1:
                raise RuntimeError(
                    f"Trying to slice with a step of {step}, but only a step of 1 is supported"
                )
        elif type(index) is not int:
            raise TypeError(f"{text}{rare.shown(index)}")
        elif not -self.nbytes() <= index < self.nbytes():
            raise IndexError(f"index {index} out of range for storage of size {self.nbytes()}")
        return index

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the type, or a copy as a storage of another type."""
        if dtype is not None:
            return rare.cast(self, dtype)
        return "torch.storage.UntypedStorage"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UntypedStorage):
            return NotImplemented
        return self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return self.data_ptr()

    def __repr__(self) -> str:
        if self.device.type == "meta":
            return f"...\n[torch.storage.UntypedStorage(device=meta) of size {self.nbytes()}]"
        lines = "\n ".join(map(str, self.tolist()))
        return (
            f" {lines}\n[torch.storage.UntypedStorage(device={self.device}) of size "
            f"{self.nbytes()}]"
        )


def _is_array(args: tuple[Any, ...]) -> bool:
    return len(args) == 1 and hasattr(args[0], "dtype") and hasattr(args[0], "strides")


class StorageMeta(FullyNamed):
    """The type of the storages that are named after a dtype, such as torch.FloatStorage."""

    _dtype: Any

    @property
    def dtype(cls) -> Any:
        """The dtype of the numbers in such a storage."""
        return cls._dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        typed = type.__instancecheck__(TypedStorage, instance)
        return typed and (cls is TypedStorage or instance.dtype is cls._dtype)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.get("_internal"):
            words.check_making(cls, UntypedStorage, args, kwargs)
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
    is_sparse = is_hpu = False
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
            warn_deprecated()
        self._dtype = dtypes.get_default_dtype() if dtype is None else dtype
        if wrap_storage is None:
            made = self._made_of(args[0]) if args else numpy.zeros(0, numpy.uint8)
            wrap_storage = UntypedStorage(on_device(made, device))
        self._untyped_storage = wrap_storage

    def _made_of(self, data: Any) -> Any:
        if not isinstance(self._dtype, dtypes.dtype):
            raise RuntimeError(f"expected torch.dtype, but got {type(self._dtype)}")
        if isinstance(data, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
        if not isinstance(data, int):
            return array_from_data(data, self._dtype.numpy, numpy.dtype(numpy.float32))
        check_count(data * int(self._dtype.itemsize))
        return on_numpy.zeros(int(data), self._dtype.numpy)

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
        return retyped(bytes_[: bytes_.size // size * size], self._dtype.numpy)

    def size(self) -> int:
        """How many numbers there are."""
        return self._untyped_storage.nbytes() // int(self._dtype.itemsize)

    def __len__(self) -> int:
        return self.size()

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
        """This memory as bytes."""
        return self._untyped_storage

    def tolist(self) -> list[Any]:
        """The numbers."""
        return list(legible(self._numbers()).tolist())

    def clone(self) -> Any:
        """A copy."""
        return self._like(self._numbers().copy())

    def cpu(self) -> Any:
        """These numbers on the CPU: this memory if they are there."""
        x = self._untyped_storage._owner
        return self._like(namespace(x).to_numpy(x))

    def fill_(self, value: Any) -> Any:
        """Writes one value everywhere. TypeError unless it is a number, or a tensor."""
        self[0 : self.size()] = value
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> Any:
        """Copies the bytes of another storage, whatever their dtype. As UntypedStorage.copy_."""
        self._untyped_storage.copy_(source, non_blocking)
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the type, such as 'torch.FloatStorage', or a copy of another type."""
        if dtype is not None:
            return rare.cast(self._untyped_storage, dtype)
        return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"

    def pickle_storage_type(self) -> str:
        """The name by which files call the type."""
        return f"{self._dtype.scalar_name}Storage"

    def is_shared(self) -> bool:
        """Whether other processes can see the memory: it was shared, or is on a CUDA device."""
        return bool(self._untyped_storage.is_shared())

    def share_memory_(self) -> Any:
        """Moves the memory, with all tensors over it, to where other processes can see it."""
        self._untyped_storage.share_memory_()
        return self

    @property
    def filename(self) -> str | None:
        """The file that the memory is mapped from; None if there is none with a name."""
        return self._untyped_storage.filename

    def _share_fd_cpu_(self) -> tuple[int, int]:
        fd, nbytes = self._untyped_storage._share_fd_cpu_()
        return fd, nbytes // int(self._dtype.itemsize)

    def _shared_decref(self) -> Any:
        return self

    def resizable(self) -> bool:
        """Whether resize_ can change the size."""
        return self._untyped_storage.resizable()

    def resize_(self, size: int) -> None:
        """Changes how many numbers there are. As UntypedStorage.resize_."""
        self._untyped_storage.resize_(size * int(self._dtype.itemsize))

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is locked for copies to a device."""
        return self._untyped_storage.is_pinned(device)

    def pin_memory(self, device: Any = None) -> Any:
        """Raises an error, as UntypedStorage.pin_memory does."""
        return self._untyped_storage.pin_memory(device)

    def get_device(self) -> int | None:
        """The number of the device; None for the CPU."""
        return self._untyped_storage.get_device()

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        """These numbers on a CUDA device."""
        rare.check_cuda(device)
        return self._wrapped(self._untyped_storage.cuda(device))

    def to(self, *, device: Any, non_blocking: bool = False) -> Any:
        """These numbers on a device: this memory if they are there."""
        return self._wrapped(self._untyped_storage.to(device=device))

    @classmethod
    def from_buffer(cls, *args: Any, dtype: Any = None, device: Any = None, **kwargs: Any) -> Any:
        """A copy of the numbers of a buffer. As UntypedStorage.from_buffer.

        dtype: for TypedStorage itself; torch.FloatStorage and the like have their own.
        """
        for name, value in (("dtype", dtype), ("device", device)):
            if cls._dtype is not None and value is not None:
                raise RuntimeError(
                    f"from_buffer: '{name}' can only be specified in UntypedStorage.from_buffer "
                    "and TypedStorage.from_buffer"
                )
        if device is not None and devices.device(device).type != "cpu":
            place = devices.device(device).type
            raise RuntimeError(f"TypedStorage.from_buffer: Not available for device {place}")
        kind = cls._dtype or dtype or dtypes.get_default_dtype()
        made = UntypedStorage.from_buffer(*args, dtype=kind, **kwargs)
        return TypedStorage(wrap_storage=made, dtype=kind, _internal=True)

    _from_buffer = from_buffer

    @classmethod
    def from_file(cls, filename: Any, shared: bool, size: int) -> Any:
        """The first numbers of a file, of the dtype of torch.FloatStorage or the like."""
        if cls._dtype is None:
            raise RuntimeError("from_file can only be called on derived classes")
        made = UntypedStorage.from_file(filename, shared, size * int(cls._dtype.itemsize))
        return TypedStorage(wrap_storage=made, dtype=cls._dtype, _internal=True)

    @classmethod
    def _new_shared(cls, size: int, *, device: Any = "cpu") -> Any:
        """A storage of so many numbers that other processes can see."""
        kind = cls._dtype or dtypes.get_default_dtype()
        made = UntypedStorage._new_shared(size * int(kind.itemsize))
        return TypedStorage(wrap_storage=made, dtype=kind, _internal=True)

    def _wrapped(self, untyped: UntypedStorage) -> Any:
        return TypedStorage(wrap_storage=untyped, dtype=self._dtype, _internal=True)

    def _like(self, x: Any, dtype: Any = None) -> Any:
        kind = dtype or self._dtype
        return TypedStorage(wrap_storage=UntypedStorage(x), dtype=kind, _internal=True)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return legible(self._numbers()[self._index(idx)]).item()

    def __setitem__(self, idx: Any, value: Any) -> None:
        if is_storage(value):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        if not isinstance(idx, (int, slice)):
            raise RuntimeError(f"can't index a {TypedStorage} with {type(idx)}")
        tensor(self._numbers())[idx] = value

    def _index(self, index: Any) -> int:
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {TypedStorage} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return index

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __copy__(self) -> Any:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        return rare.copied(self, memo)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    hpu = copy_of(words.hpu)

    def _to(self, dtype: Any) -> Any:
        return self._like(cast(self._numbers(), words.checked_dtype(dtype).numpy), dtype)

    def _get_legacy_storage_class(self) -> Any:
        return NAMED[self.pickle_storage_type()]

    def __reduce__(self) -> Any:
        return _again, (self.tolist(), self._dtype)

    def __repr__(self) -> str:
        kind = f"dtype={self._dtype}, device={self.device}"
        if self.device.type == "meta":
            return f"...\n[torch.storage.TypedStorage({kind}) of size {self.size()}]"
        numbers = "\n ".join(map(str, self.tolist()))
        return f" {numbers}\n[torch.storage.TypedStorage({kind}) of size {self.size()}]"


def _of_array(array: Any) -> UntypedStorage:
    return UntypedStorage(array)


def _again(numbers: list[Any], dtype: Any) -> Any:
    return TypedStorage(numbers, dtype=dtype, _internal=True)


def _converting(name: str, dtype: Any) -> Any:
    def convert(self: Any) -> Any:
        return self._like(cast(self._numbers(), dtype.numpy), dtype)

    convert.__name__ = name
    convert.__doc__ = f"A copy as numbers of {dtype!r}."
    return convert


def _reading(name: str) -> Any:
    def convert(self: Any) -> Any:
        as_bytes = TypedStorage(wrap_storage=self, dtype=dtypes.uint8, _internal=True)
        return getattr(as_bytes, name)()

    convert.__name__ = name
    convert.__doc__ = "The bytes as numbers of that dtype, in memory of their own."
    return convert


_PLAIN = "float double half bfloat16 long int short bool".split()
_CONVERSIONS = {name: getattr(dtypes, name) for name in _PLAIN}
_CONVERSIONS |= {"char": dtypes.int8, "byte": dtypes.uint8}
_CONVERSIONS |= {"complex_double": dtypes.complex128, "complex_float": dtypes.complex64}
_CONVERSIONS |= {each.name: each for each in dtypes.FLOAT8 if each.is_signed}
for _name, _kind in _CONVERSIONS.items():
    setattr(TypedStorage, _name, _converting(_name, _kind))
    setattr(UntypedStorage, _name, _reading(_name))


for _name in "nbytes size data_ptr resize_ element_size is_shared pickle_storage_type".split():
    setattr(TypedStorage, f"_{_name}", copy_of(vars(TypedStorage)[_name]))
for _name in "getitem setitem deepcopy".split():
    setattr(TypedStorage, f"_{_name}", copy_of(vars(TypedStorage)[f"__{_name}__"]))
rare.add(UntypedStorage, TypedStorage)
words.word(UntypedStorage, TypedStorage, lambda: warn_deprecated())


def _handed_on(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._untyped_storage, name)(*args, **kwargs)

    method.__name__ = name
    return method


for _name in "_share_filename_cpu_ _shared_incref _weak_ref _share_memory_".split():
    setattr(TypedStorage, _name, _handed_on(_name))
for _name in "_free_weak_ref _expired".split():
    setattr(TypedStorage, _name, staticmethod(getattr(UntypedStorage, _name)))


def storage(self: Any) -> Any:
    """The memory of a tensor as numbers of its dtype. Deprecated: use untyped_storage."""
    warn_deprecated()
    x = self._array
    made = UntypedStorage(getattr(x, "raw", x))
    return TypedStorage(wrap_storage=made, dtype=self.dtype, _internal=True)


def typed_storage(self: Any) -> Any:
    """The memory of a tensor as numbers of its dtype, without a warning."""
    made = self.untyped_storage()
    return TypedStorage(wrap_storage=made, dtype=self.dtype, _internal=True)


_warned = [False]


def warn_deprecated() -> None:
    """Gives the warning once in a process, whatever torch.set_warn_always says."""
    if not _warned[0]:
        _warned[0] = True
        warn(DEPRECATED)


def _reset_warn_typed_storage_removal() -> None:
    """Lets the warning be given once more; torch's tests use this function of torch.storage."""
    _warned[0] = False


class _Named(dict[str, Any]):
    """torch.FloatStorage and the like by name, made at first use."""

    def __missing__(self, name: str) -> Any:
        named = [each for each in dtypes.DTYPES if each not in dtypes.LATE_UNSIGNED | dtypes.PACKED]
        kinds = {f"{each.scalar_name}Storage": each for each in named}
        if name == "Storage":
            return self["FloatStorage"]
        fields = {"__module__": "torch", "_dtype": kinds[name]}
        self[name] = StorageMeta(name, (TypedStorage,), fields)
        return self[name]


NAMED = _Named()


def storage_type(self: Any) -> Any:
    """The type of the memory of a tensor, such as torch.FloatStorage."""
    warn_deprecated()
    return NAMED[f"{self.dtype.scalar_name}Storage"]


def is_storage(obj: Any, /) -> bool:
    """Whether `obj` is a storage."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


def is_set_to(self: TensorBase, tensor: TensorBase) -> bool:
    """Whether two tensors read the same memory in the same way."""
    a, b = self._array, tensor._array
    one, other = UntypedStorage(a), UntypedStorage(b)
    return (
        (one == other if one.data_ptr() else one._owner is other._owner)
        and (a.shape, a.strides) == (b.shape, b.strides)
        and self.storage_offset() == tensor.storage_offset()  # type: ignore[attr-defined]
    )
