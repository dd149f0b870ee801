"""How tensors and storages cross to another process: as a descriptor of their shared memory.

Sending moves the memory to where both see it, as Tensor.share_memory_ does. A process that gets
memory which it maps already reads the same bytes, so that what returns is what was sent.
"""

from __future__ import annotations

import multiprocessing.reduction
from multiprocessing.reduction import ForkingPickler
from typing import Any

from minitorch.core.arrays import shared
from minitorch.core.graph.hooks import warn_if_has_hooks
from minitorch.core.tensor import pickling
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage
from minitorch.core.tensor.tensor import Tensor

_NON_LEAF = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
    "support crossing process boundaries.  If you just want to transfer the data, call detach() on "
    "the tensor before serializing (e.g., putting it on the queue)."
)


def reduce_storage(storage: UntypedStorage) -> tuple[Any, ...]:
    """What a storage is sent as: the descriptor of its memory, and how many bytes it has."""
    if storage.is_cuda:
        raise NotImplementedError(
            "torch.multiprocessing: storages of a CUDA device cannot be sent to another process"
        )
    if not storage.nbytes():
        return rebuild_storage_empty, ()
    storage.share_memory_()
    memory = shared.memory_of(storage._owner)
    assert memory is not None
    if memory.fd < 0:  # a private mapping of a file, which others cannot see
        return UntypedStorage, (storage._bytes().copy(),)
    return rebuild_storage_fd, (multiprocessing.reduction.DupFd(memory.fd), storage.nbytes())


def rebuild_storage_empty() -> UntypedStorage:
    """A storage of no bytes."""
    return UntypedStorage()


def rebuild_storage_fd(descriptor: Any, nbytes: int) -> UntypedStorage:
    """The storage of a descriptor that another process sent."""
    return UntypedStorage(shared.mapped(descriptor.detach(), nbytes))


def reduce_typed_storage(storage: TypedStorage) -> tuple[Any, ...]:
    """What a storage of a dtype is sent as: its bytes and the dtype."""
    return rebuild_typed_storage, (storage._untyped_storage, storage.dtype)


def rebuild_typed_storage(untyped: UntypedStorage, dtype: Any) -> Any:
    """The storage of a dtype over bytes that another process sent."""
    return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)


def reduce_tensor(tensor: Any) -> tuple[Any, ...]:
    """What a tensor is sent as: its storage, its geometry. RuntimeError for non-leaves.

    Tensors of a CUDA device are sent by value.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(_NON_LEAF)
    warn_if_has_hooks(tensor)
    if tensor.is_cuda:
        return pickling.reduce_tensor(tensor)  # type: ignore[no-any-return]
    plain = tensor.detach().resolve_conj().resolve_neg() if tensor.is_complex() else tensor
    if not plain.untyped_storage().nbytes():
        plain = plain.detach().clone()
    storage = plain.untyped_storage()
    arguments = (storage, plain.dtype, plain.storage_offset(), tuple(plain.shape), plain.stride())
    return rebuild_tensor, (type(tensor) is Parameter, *arguments, tensor.requires_grad)


def rebuild_tensor(
    is_parameter: bool,
    storage: UntypedStorage,
    dtype: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
) -> Any:
    """The tensor of that geometry over a storage that another process sent."""
    import minitorch

    made = minitorch.empty(0, dtype=dtype).set_(storage, offset, size, stride)
    if is_parameter:
        return Parameter(made, requires_grad)
    return made.requires_grad_(requires_grad)


def init_reductions() -> None:
    """Lets Python's multiprocessing send tensors and storages so."""
    ForkingPickler.register(Tensor, reduce_tensor)
    ForkingPickler.register(Parameter, reduce_tensor)
    ForkingPickler.register(UntypedStorage, reduce_storage)
    ForkingPickler.register(TypedStorage, reduce_typed_storage)
