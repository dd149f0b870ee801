"""The functions of torch._utils that pickles of tensors name, which make tensors of their parts.

`torch.load` has functions of its own for these names, over storages in a file. These take storages
that a program has.
"""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.core.arrays.lazy import bits_of, lazy, raw_of
from minitorch.core.base.above import from_above
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.pickling import rebuild_meta
from minitorch.core.tensor.tensor import Tensor
from minitorch.serialization.older_names import IMPORT_MAPPING, NAME_MAPPING

__all__ = ["IMPORT_MAPPING", "NAME_MAPPING"]


# ---- storages of another type or place


def _get_async_or_non_blocking(
    function_name: str, non_blocking: Any, kwargs: dict[str, Any]
) -> Any:
    """Whether a copy may go on while others wait, which was called `async` once."""
    if not kwargs:
        return non_blocking
    if list(kwargs) != ["async"]:
        raise TypeError(
            f"{function_name}() got an unexpected keyword argument '{list(kwargs)[-1]}'"
        )
    warnings.warn("'async' is deprecated; use 'non_blocking'", stacklevel=2)
    return kwargs["async"]


def _type(self: Any, dtype: Any = None, non_blocking: Any = False, **kwargs: Any) -> Any:
    """The name of a storage's type; with `dtype` the storage with its numbers in that type."""
    non_blocking = _get_async_or_non_blocking("type", non_blocking, kwargs)
    if dtype is None:
        return f"{type(self).__module__}.{type(self).__name__}"
    return self if dtype is type(self) else self.type(dtype, non_blocking)


def _to(self: Any, device: Any, non_blocking: Any = False) -> Any:
    """The storage on a device: itself if it is there."""
    return self if self.device == device else self.to(device=device, non_blocking=non_blocking)


def _get_restore_location(device: Any) -> Any:
    """The device that takes a tensor from `device`: the device itself."""
    return device


# ---- how a tensor reads its memory


def get_tensor_metadata(tensor: Any) -> dict[str, bool]:
    """The bits that are set for a tensor: 'conj' if it reads conjugates, 'neg' if negatives."""
    if not isinstance(tensor, Tensor):
        raise AssertionError(f"expected torch.Tensor, got {type(tensor).__name__}")
    bits = zip(("conj", "neg"), bits_of(tensor._array), strict=True)
    return {name: True for name, is_so in bits if is_so}


def set_tensor_metadata(tensor: Any, metadata: Any) -> None:
    """Has a tensor read its memory as `get_tensor_metadata` said of another."""
    if not isinstance(metadata, dict):
        raise AssertionError(f"expected dict, got {type(metadata).__name__}")
    if not isinstance(tensor, Tensor):
        raise AssertionError(f"expected torch.Tensor, got {type(tensor).__name__}")
    conjugated, negated = bits_of(tensor._array)
    conjugated, negated = "conj" in metadata or conjugated, "neg" in metadata or negated
    if conjugated and not tensor.dtype.is_complex:
        raise RuntimeError("torch._utils.set_tensor_metadata: 'conj' is of complex tensors alone")
    tensor._array = lazy(raw_of(tensor._array), conjugated, negated)


# ---- tensors of storages and arrays


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """The tensor of that geometry in the memory of a typed storage."""
    made = OPS.empty((0,), dtype=storage.dtype, device=storage._untyped_storage.device)
    return made.set_(storage._untyped_storage, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """The tensor of that geometry, with requires_grad and the hooks that a file has for it."""
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    tensor.requires_grad = requires_grad
    if metadata:
        set_tensor_metadata(tensor, metadata)
    _give_hooks(tensor, backward_hooks)
    return tensor


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Tensor:
    """The tensor of that geometry and dtype, over a storage that counts bytes."""
    untyped = storage._untyped_storage
    tensor = OPS.empty((0,), dtype=dtype, device=untyped.device, requires_grad=requires_grad)
    tensor.set_(untyped, storage_offset, size, stride)
    if metadata:
        set_tensor_metadata(tensor, metadata)
    _give_hooks(tensor, backward_hooks)
    return tensor


def _give_hooks(tensor: Any, hooks: Any) -> None:
    """Gives a leaf the hooks that an old pickle has for it: a dict of functions, mostly empty."""
    for hook in (hooks or {}).values():
        tensor.register_hook(hook)


# Sparse tensors whose parts were not looked at yet, for their storages may come later in a file.
_sparse_tensors_to_validate: list[Tensor] = []
_SPARSE = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Tensor:
    """The tensor of a sparse layout, of its parts, its size, and whether it is coalesced."""
    from minitorch.serialization.storages import rebuild_sparse_tensor  # start-up: 34 ms

    if str(layout).removeprefix("torch.") not in _SPARSE:
        raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")
    _sparse_tensors_to_validate.append(rebuild_sparse_tensor(layout, data))
    return _sparse_tensors_to_validate[-1]


def _validate_loaded_sparse_tensors() -> None:
    """Looks whether the parts of the sparse tensors made since the last call fit, if asked to.

    Asked to is by torch.sparse.check_sparse_tensor_invariants.
    """
    waiting = _sparse_tensors_to_validate[:]
    _sparse_tensors_to_validate.clear()
    if not waiting:
        return
    sparse = from_above("sparse")
    if not sparse.check_sparse_tensor_invariants.is_enabled():
        return
    for each in waiting:
        if each.layout is devices.sparse_coo:
            parts = each._indices(), each._values(), each.size()
            sparse.sparse_coo_tensor(
                *parts, is_coalesced=each.is_coalesced(), check_invariants=True
            )
            continue
        if each.layout in (devices.sparse_csr, devices.sparse_bsr):
            parts = each.crow_indices(), each.col_indices(), each.values()
        else:
            parts = each.ccol_indices(), each.row_indices(), each.values()
        sparse.sparse_compressed_tensor(
            *parts, each.size(), layout=each.layout, check_invariants=True
        )


def _rebuild_device_tensor_from_cpu_tensor(
    data: Tensor, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    """A tensor's numbers in a dtype and on a device."""
    tensor = data.to(dtype=dtype, device=_get_restore_location(device))
    tensor.requires_grad = requires_grad
    return tensor


def _rebuild_device_tensor_from_numpy(
    data: Any, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    """The numbers of a NumPy array in a dtype and on a device."""
    tensor = OPS.from_numpy(data)
    return _rebuild_device_tensor_from_cpu_tensor(tensor, dtype, device, requires_grad)


_rebuild_xla_tensor = _rebuild_device_tensor_from_numpy
_rebuild_meta_tensor_no_storage = rebuild_meta


def _rebuild_nested_tensor(buffer: Any, sizes: Any, strides: Any, storage_offsets: Any) -> Any:
    """Refuses: there are no nested tensors here."""
    raise NotImplementedError("torch._utils._rebuild_nested_tensor")


def _rebuild_qtensor(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    quantizer_params: Any,
    requires_grad: Any,
    backward_hooks: Any,
) -> Any:
    """Refuses: there are no quantized tensors here."""
    raise NotImplementedError("torch._utils._rebuild_qtensor")


def _rebuild_wrapper_subclass(
    cls: Any,
    dtype: Any,
    size: Any,
    stride: Any,
    storage_offset: Any,
    layout: Any,
    device: Any,
    requires_grad: bool,
) -> Any:
    """A tensor of a class that has a geometry and no numbers of its own."""
    return Tensor._make_wrapper_subclass(
        cls,
        size,
        strides=stride,
        dtype=dtype,
        storage_offset=storage_offset,
        layout=layout,
        device=_get_restore_location(device),
        requires_grad=requires_grad,
    )


def _restore_device_fake_mode(tensor: Any) -> Any:
    """The tensor: no mode here makes tensors without numbers of those in a file."""
    return tensor


# ---- parameters and attributes


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    """The Parameter of a tensor."""
    parameter = Parameter(data, requires_grad)
    _give_hooks(parameter, backward_hooks)
    return parameter


def _rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any
) -> Any:
    """The Parameter of a tensor with attributes that a user set."""
    return _set_obj_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _get_obj_state(obj: Any) -> Any:
    """The state of an object besides its tensor: its attributes, those of its slots as well."""
    import copyreg

    get = getattr(obj, "__getstate__", None)
    if get is not None and type(obj).__getstate__ is not getattr(object, "__getstate__", None):
        return get()
    slots = copyreg._slotnames(type(obj))  # type: ignore[attr-defined]
    if not slots:
        return obj.__dict__
    return obj.__dict__, {name: getattr(obj, name) for name in slots if hasattr(obj, name)}


def _set_obj_state(obj: Any, state: Any) -> Any:
    """Gives an object what `_get_obj_state` found."""
    plain, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if isinstance(plain, tuple):
        raise RuntimeError(f"Invalid serialized state: {state}")
    for name, value in [*(plain or {}).items(), *(slots or {}).items()]:
        setattr(obj, name, value)
    return obj
