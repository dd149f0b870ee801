"""The way of tensors and storages to another process: as a descriptor of their shared memory.

Sending moves the memory to where both see it, as Tensor.share_memory_ does. A process that gets
memory which it maps already reads the same bytes, so that what returns is what was sent.

As in torch, a tensor crosses as its memory and geometry: a view that conjugates or negates arrives
as what lies in memory.
"""

from __future__ import annotations

import multiprocessing.reduction
import os
import threading
from multiprocessing import reduction
from multiprocessing.util import register_after_fork
from typing import Any

import minitorch
from minitorch import nested
from minitorch.core.graph.hooks import warn_if_has_hooks
from minitorch.core.numbers import device as devices
from minitorch.core.public_pickles import STANDS
from minitorch.core.tensor import pickling
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage
from minitorch.core.tensor.tensor import Tensor

_NON_LEAF = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
    "support crossing process boundaries.  If you just want to transfer the data, call detach() on "
    "the tensor before serializing (e.g., putting it on the queue)."
)


class StorageWeakRef:
    """A reference to a storage that does not keep it alive.

    cdata: the number of the memory, by which references are equal.
    """

    __slots__ = ("_free_weak_ref", "cdata")
    __module__ = "torch.multiprocessing.reductions"

    def __init__(self, storage: Any) -> None:
        self.cdata = storage._weak_ref()
        self._free_weak_ref = UntypedStorage._free_weak_ref

    @classmethod
    def from_weakref(cls, cdata: int) -> StorageWeakRef:
        """The reference of a number that a storage's _weak_ref() gave."""
        made = cls.__new__(cls)
        made.cdata, made._free_weak_ref = cdata, UntypedStorage._free_weak_ref
        return made

    def expired(self) -> bool:
        """Whether the memory is gone."""
        return bool(UntypedStorage._expired(self.cdata))

    def __hash__(self) -> int:
        return int(self.cdata)

    def __eq__(self, other: Any) -> bool:
        return self is other or bool(self.cdata == other.cdata)


class SharedCache(dict[Any, StorageWeakRef]):
    """The storages that this process sent or got, by what identifies their memory.

    Where there are more than `limit`, those whose memory is gone are dropped.
    """

    __module__ = "torch.multiprocessing.reductions"

    def __init__(self) -> None:
        self.limit = 128
        self._after_fork()
        register_after_fork(self, SharedCache._after_fork)

    def _after_fork(self) -> None:
        self.lock = threading.Lock()  # the one of before may be held for ever in a forked process

    def get(self, key: Any) -> Any:  # type: ignore[override]
        """The storage of a key; None if there is none."""
        with self.lock:
            return dict.get(self, key)

    def __setitem__(self, key: Any, storage_ref: StorageWeakRef) -> None:
        with self.lock:
            dict.__setitem__(self, key, storage_ref)
            if len(self) > self.limit:
                self.free_dead_references()

    def free_dead_references(self) -> None:
        """Drops the storages whose memory is gone, and lets there be twice as many as are left."""
        for key, reference in list(self.items()):
            if reference.expired():
                del self[key]
        self.limit = max(128, 2 * len(self))


shared_cache = SharedCache()


def storage_from_cache(cls: Any, key: Any) -> Any:
    """The storage of a key, if this process has it and its memory is still there; else None."""
    reference = shared_cache.get(key)
    return None if reference is None else UntypedStorage._new_with_weak_ptr(reference.cdata)


def fd_id(fd: int) -> tuple[int, int]:
    """The identity of a descriptor's file: its inode and device."""
    status = os.fstat(fd)
    return status.st_ino, status.st_dev


def _sent(cls: Any) -> Any:
    """A class as it is sent: by its bare name where this library does not stand for torch, for
    `torch.Tensor` may then be another's."""
    return cls if STANDS or not cls.__module__.startswith("torch") else cls.__name__


_CLASSES = {each.__name__: each for each in (Tensor, Parameter, UntypedStorage)}


# ---- storages


def reduce_storage(storage: Any) -> tuple[Any, ...]:
    """The pickled form of a storage: the descriptor of its memory, and its number of bytes.

    RuntimeError for storages elsewhere than on the CPU. A descriptor is sent under either sharing
    strategy: a file in memory without a name cannot be left behind.
    """
    if storage.is_cuda:
        raise RuntimeError("Cannot pickle CUDA storage; try pickling a CUDA tensor instead")
    if storage.device.type == "meta":
        raise RuntimeError("Cannot pickle meta storage; try pickling a meta tensor instead")
    if storage.size() == 0:
        return rebuild_storage_empty, (_sent(type(storage)),)
    fd, size = storage._share_fd_cpu_()
    shared_cache[fd_id(fd)] = StorageWeakRef(storage)
    return rebuild_storage_fd, (_sent(type(storage)), multiprocessing.reduction.DupFd(fd), size)


def rebuild_storage_empty(cls: Any) -> Any:
    """A storage of no bytes."""
    return _CLASSES.get(cls, cls)()


def rebuild_storage_fd(cls: Any, df: Any, size: int) -> Any:
    """The storage of a descriptor that another process sent."""
    cls, fd = _CLASSES.get(cls, cls), df.detach()
    try:
        storage = storage_from_cache(cls, fd_id(fd))
        if storage is None:
            storage = cls._new_shared_fd_cpu(fd, size)
            shared_cache[fd_id(fd)] = StorageWeakRef(storage)
        return storage
    finally:
        os.close(fd)


def reduce_typed_storage(storage: Any) -> tuple[Any, ...]:
    """The pickled form of a storage of a dtype: its bytes and the dtype."""
    return rebuild_typed_storage, (storage._untyped_storage, storage.dtype)


def rebuild_typed_storage(storage: Any, dtype: Any) -> Any:
    """The storage of a dtype over bytes that another process sent."""
    return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def reduce_typed_storage_child(storage: Any) -> tuple[Any, ...]:
    """The pickled form of torch.FloatStorage and its kin: their bytes and the class."""
    return rebuild_typed_storage_child, (storage._untyped_storage, type(storage))


def rebuild_typed_storage_child(storage: Any, storage_type: Any) -> Any:
    """The storage of a class over bytes that another process sent."""
    return storage_type(wrap_storage=storage, _internal=True)


# ---- tensors


def reduce_tensor(tensor: Any) -> tuple[Any, ...]:
    """The pickled form of a tensor: its storage and geometry. RuntimeError for non-leaves.

    Tensors of a CUDA device are sent by value.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(_NON_LEAF)
    warn_if_has_hooks(tensor)
    if tensor.is_nested and tensor.layout is devices.strided:
        return reduce_nested_tensor(tensor)
    if tensor.layout not in (devices.strided, devices.jagged):
        return reduce_sparse_tensor(tensor)
    if tensor.is_cuda:
        return pickling.reduce_tensor(tensor)  # type: ignore[no-any-return]
    kind, size, stride = _sent(type(tensor)), tensor.size(), tensor.stride()
    if tensor.device.type == "meta":
        nbytes = tensor.untyped_storage().size()
        geometry = (size, stride, tensor.storage_offset(), tensor.dtype)
        return rebuild_meta_tensor, (kind, *geometry, nbytes, tensor.requires_grad)
    storage = tensor._typed_storage()
    metadata = (tensor.storage_offset(), size, stride, tensor.requires_grad)
    return rebuild_tensor, (kind, storage, metadata)


def rebuild_tensor(cls: Any, storage: Any, metadata: Any) -> Any:
    """The tensor of a geometry over a storage that another process sent."""
    offset, size, stride, requires_grad = metadata
    return _as(cls, _placed(storage, offset, size, stride), requires_grad)


def _placed(storage: Any, offset: int, size: Any, stride: Any) -> Any:
    from minitorch._utils import _rebuild_tensor  # start-up: 4 ms

    return _rebuild_tensor(storage, offset, size, stride)


def _as(cls: Any, tensor: Any, requires_grad: bool) -> Any:
    if _CLASSES.get(cls, cls) is Parameter:
        return Parameter(tensor, requires_grad=requires_grad)
    tensor.requires_grad = requires_grad
    return tensor


def rebuild_meta_tensor(
    tensor_cls: Any,
    tensor_size: Any,
    tensor_stride: Any,
    tensor_offset: int,
    dtype: Any,
    storage_size_bytes: int,
    requires_grad: bool,
) -> Any:
    """The tensor of a geometry without numbers."""
    untyped = UntypedStorage(storage_size_bytes, device="meta")
    storage = TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)
    made = _placed(storage, tensor_offset, tensor_size, tensor_stride)
    return _as(tensor_cls, made, requires_grad)


def reduce_nested_tensor(nt: Any) -> tuple[Any, ...]:
    """The pickled form of a nested tensor of the strided layout: its buffer and three tables."""
    tables = (nt._nested_tensor_size(), nt._nested_tensor_strides())
    parts = (nt.values(), *tables, nt._nested_tensor_storage_offsets())
    return rebuild_nested_tensor, sum([reduce_tensor(part) for part in parts], ())


def rebuild_nested_tensor(
    rebuild_buffer_func: Any,
    rebuild_buffer_args: Any,
    rebuild_sizes_func: Any,
    rebuild_sizes_args: Any,
    rebuild_strides_func: Any,
    rebuild_strides_args: Any,
    rebuild_offsets_func: Any,
    rebuild_offsets_args: Any,
) -> Any:
    """The nested tensor of a buffer and three tables that another process sent: a copy."""
    buffer = rebuild_buffer_func(*rebuild_buffer_args)
    sizes = rebuild_sizes_func(*rebuild_sizes_args).tolist()
    strides = rebuild_strides_func(*rebuild_strides_args).tolist()
    offsets = rebuild_offsets_func(*rebuild_offsets_args).tolist()
    parts = [buffer.as_strided(*each) for each in zip(sizes, strides, offsets)]
    return nested.nested_tensor(parts, dtype=buffer.dtype, device=buffer.device)


def reduce_sparse_tensor(sparse: Any) -> tuple[Any, ...]:
    """The pickled form of a sparse tensor: its indices, values and shape."""
    if sparse.layout is devices.sparse_coo:
        parts = reduce_tensor(sparse._indices()) + reduce_tensor(sparse._values())
        return rebuild_sparse_coo_tensor, (*parts, sparse.shape, sparse.is_coalesced())
    if sparse.layout in (devices.sparse_csr, devices.sparse_bsr):
        indices = sparse.crow_indices(), sparse.col_indices()
    elif sparse.layout in (devices.sparse_csc, devices.sparse_bsc):
        indices = sparse.ccol_indices(), sparse.row_indices()
    else:
        raise NotImplementedError(sparse.layout)
    parts = sum([reduce_tensor(part) for part in (*indices, sparse.values())], ())
    return rebuild_sparse_compressed_tensor, (*parts, sparse.shape, sparse.layout)


def rebuild_sparse_coo_tensor(
    rebuild_indices_func: Any,
    rebuild_indices_args: Any,
    rebuild_values_func: Any,
    rebuild_values_args: Any,
    shape: Any,
    is_coalesced: bool,
) -> Any:
    """The sparse tensor of indices and values that another process sent."""
    indices = rebuild_indices_func(*rebuild_indices_args)
    values = rebuild_values_func(*rebuild_values_args)
    return minitorch.sparse_coo_tensor(indices, values, shape, is_coalesced=is_coalesced)


def rebuild_sparse_compressed_tensor(
    rebuild_compressed_indices_func: Any,
    rebuild_compressed_indices_args: Any,
    rebuild_plain_indices_func: Any,
    rebuild_plain_indices_args: Any,
    rebuild_values_func: Any,
    rebuild_values_args: Any,
    shape: Any,
    layout: Any,
) -> Any:
    """The compressed tensor of indices and values that another process sent."""
    compressed = rebuild_compressed_indices_func(*rebuild_compressed_indices_args)
    plain = rebuild_plain_indices_func(*rebuild_plain_indices_args)
    values = rebuild_values_func(*rebuild_values_args)
    return minitorch.sparse_compressed_tensor(compressed, plain, values, shape, layout=layout)


# ---- devices that cannot be shared, and files with names, which are not made


def _refusing(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"torch.multiprocessing.reductions.{name}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


rebuild_cuda_tensor = _refusing("rebuild_cuda_tensor")
rebuild_event = _refusing("rebuild_event")
reduce_event = _refusing("reduce_event")
rebuild_storage_filename = _refusing("rebuild_storage_filename")


def init_reductions() -> None:
    """Lets Python's multiprocessing send tensors and storages so."""
    reduction.register(UntypedStorage, reduce_storage)
    reduction.register(TypedStorage, reduce_typed_storage)
    reduction.register(Tensor, reduce_tensor)
    reduction.register(Parameter, reduce_tensor)
