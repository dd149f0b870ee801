"""Tensors of data that exists: numbers and sequences, arrays, buffers, other libraries' tensors."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.creation.copies import (
    converted,
    copied,
    refuse_pinning,
    warn_copy_construct,
)
from minitorch.aten.creation.factories import finished, space_of
from minitorch.core import arrays
from minitorch.core.arrays.borrowed import borrow
from minitorch.core.arrays.from_data import array_from_data, check_numpy
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.declare.calls import MODES, NO_ARGUMENT, SELF, Calls
from minitorch.core.declare.families import composite
from minitorch.core.declare.protocols.torch_function import DisableTorchFunctionSubclass
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import from_array, legacy_constructor
from minitorch.core.tensor.dlpack import Asked
from minitorch.core.warning import warn_once

_OPTIONS = (
    "torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, "
    "bool requires_grad = False"
)


@composite("tensor", on=("function",), calls=Calls(asks=MODES))
@overloads(f"object data, *, {_OPTIONS}")
def tensor_from_data(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor that copies `data`: a number, nested sequences, an array or a tensor."""
    kind = None if dtype is None else _numpy_of(dtype)
    if isinstance(data, TensorBase):
        warn_copy_construct("torch.tensor(sourceTensor)")
        x = copied(data._array, devices.preserve_format, kind)
    elif not isinstance(data, _NUMBERS) and lies_on_device(data):
        device = devices.get_default_device() if device is None else device
        there = copied(arrays.cuda().asarray(data), devices.preserve_format, kind)
        x = tensor(there).to(device=device)._array
    else:
        x = array_from_data(data, kind, dtypes.get_default_dtype().numpy)
    if device is not None or devices.get_default_device().type != "cpu":
        x = space_of(device).asarray(x)
    if pin_memory:
        refuse_pinning()
    return finished(x, requires_grad)


_NUMBERS = (list, tuple, int, float, complex)  # and sequences of them


def lies_on_device(data: Any) -> bool:
    """Whether `data` is an array of another library in the memory of a CUDA device."""
    return isinstance(getattr(data, "__cuda_array_interface__", None), dict)


def _numpy_of(dtype: Any) -> Any:
    if type(dtype) is not dtypes.dtype:
        raise TypeError  # worded by the signature
    return dtype.numpy


@composite("new_tensor", on=("method",), calls=Calls(itself_alone=True))
def new_tensor(
    self: Any,
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Any:
    """A tensor of `data` with the dtype and device of `self`."""
    kind = self.dtype if dtype is None else dtype
    if isinstance(data, TensorBase):
        warn_copy_construct("tensor.new_tensor(sourceTensor)")
        data = data.detach().clone()._array
    return tensor_from_data(
        data,
        dtype=kind,
        device=self.device if device is None else device,
        requires_grad=requires_grad,
        pin_memory=pin_memory,
    )


@composite("new", on=("method",), calls=Calls(asks=SELF))
def new(self: Any, *args: Any, **kwargs: Any) -> Any:
    """As the legacy constructor of the type of `self`: sizes, or data."""
    home = self.device
    made = legacy_constructor(self.dtype, home.type, *args, **kwargs)
    return made if made.device.type == home.type else made.to(home)


@composite("from_numpy", on=("function",), calls=Calls(asks=NO_ARGUMENT))
def from_numpy(ndarray: Any) -> Any:
    """A tensor that shares the memory of a NumPy array."""
    return from_array(borrow(check_numpy(ndarray, warn_read_only=True)))


@composite("as_tensor", on=("function",), calls=Calls(asks=MODES))
@overloads("object data, *, torch.dtype dtype = None, torch.device device = None")
def as_tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """A tensor of `data`, sharing its memory if it is an array or tensor that already fits."""
    if isinstance(data, TensorBase):
        return converted(data, dtype, None if device is None else devices.device(device))
    if isinstance(data, numpy.ndarray):
        return from_numpy(data).to(device=device, dtype=dtype)
    if lies_on_device(data):
        shared = tensor(arrays.cuda().asarray(data))
        return shared.to(
            device=devices.get_default_device() if device is None else device, dtype=dtype
        )
    return tensor_from_data(data, dtype=dtype, device=device)


@composite("asarray", on=("function",), calls=Calls(asks=MODES))
def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Any:
    """A tensor of `obj`; copy=True always copies, False never, None if there is no other way."""
    wants_grad = requires_grad is True
    source = _shared(obj, dtype)
    if source is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return tensor_from_data(obj, dtype=dtype, device=device, requires_grad=wants_grad)
    if requires_grad is None and source.requires_grad:
        _warn_kept_gradient()
        wants_grad = True
    result = source.to(device=device, dtype=dtype)
    if copy is False and result is not source:
        raise ValueError(
            f"can't alias tensor with dtype '{source.dtype.scalar_name}' into dtype "
            f"'{result.dtype.scalar_name}'."
            if result.dtype is not source.dtype
            else f"can't alias tensor from device '{source.device}' to '{result.device}'."
        )
    if copy and result is source:
        result = result.clone()
    if not wants_grad:
        return result.detach() if result.requires_grad else result
    return result if result.requires_grad else result.requires_grad_()


def _shared(obj: Any, dtype: Any) -> Any:
    """A tensor over the memory of `obj`; None if it must be copied."""
    if isinstance(obj, TensorBase):
        return obj
    if isinstance(obj, numpy.ndarray):
        return from_numpy(obj)
    if isinstance(obj, numpy.generic):
        return from_numpy(numpy.asarray(obj))
    if hasattr(type(obj), "__dlpack__"):
        return from_dlpack(obj)
    if isinstance(obj, (bytes, bytearray, memoryview)):
        return frombuffer(obj, dtype=dtypes.get_default_dtype() if dtype is None else dtype)
    return None


def _warn_kept_gradient() -> None:
    warn_once(
        "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of "
        "False. Pass requires_grad=False explicitly to get the old behavior and silence this "
        "warning.",
    )


@composite("from_dlpack", on=("function",), calls=Calls(asks=NO_ARGUMENT))
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor over the memory of an object that supports DLPack."""
    given: dict[str, Any] = {} if copy is None else {"copy": copy}
    is_capsule = type(ext_tensor).__name__ == "PyCapsule"
    if not is_capsule and not hasattr(ext_tensor, "__dlpack__"):
        raise RuntimeError(_NO_CAPSULE)
    kind = 1 if is_capsule else ext_tensor.__dlpack_device__()[0]
    if device is not None:
        device = devices.device(device) if isinstance(device, str) else device
        if not isinstance(device, devices.device):
            raise AssertionError(f"from_dlpack: unsupported device type: {type(device)}")
        if device.type == "meta":
            raise BufferError("Cannot pack tensors on meta")
        if device.type == "cpu" and kind == 1:
            given["dl_device"] = (1, 0)
    asked = Asked(ext_tensor, **given)
    if isinstance(ext_tensor, TensorBase):
        asked.__dlpack__()  # raises for a tensor that cannot be exported
        with DisableTorchFunctionSubclass():
            result = ext_tensor.detach()
    elif kind == 1:
        try:
            result = from_array(borrow(numpy.from_dlpack(asked)))
        except ValueError:  # as numpy says of a capsule that was used
            raise RuntimeError(_NO_CAPSULE) from None
    else:
        result = tensor(arrays.cuda().from_dlpack(ext_tensor))
    if device is not None:
        result = result.to(device=device)
    return result.clone() if copy else result


_NO_CAPSULE = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only "
    "once, so you might have already constructed a tensor from it once."
)


@composite("frombuffer", on=("function",), calls=Calls(asks=NO_ARGUMENT))
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Any:
    """A 1-dimensional tensor over the memory of a Python buffer."""
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if view.readonly:
        warn_once(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. "
            "This means you can write to the underlying (supposedly non-writable) buffer using the "
            "tensor. You may want to copy the buffer to protect its data or make it writable "
            "before converting it to a tensor. This type of warning will be suppressed for the "
            "rest of this program.",
        )
    length, itemsize = view.nbytes, dtype.itemsize
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({length} bytes) minus 1"
        )
    if count < 0 and (length - offset) % itemsize:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a "
            f"multiple of element size ({itemsize})"
        )
    if count > 0 and count * itemsize > length - offset:
        raise ValueError(
            f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) "
            f"must not be greater than actual buffer length ({length} bytes)"
        )
    return finished(borrow(numpy.frombuffer(buffer, dtype.numpy, count, offset)), requires_grad)
