"""Seldom calls of storages: casts to another type, devices, torch's private methods."""

from __future__ import annotations

import copy
import operator
from importlib import import_module
from typing import Any

from minitorch.core.arrays import cuda as on_cuda
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.scalars import check_long


def shown(value: Any) -> str:
    """The name of a value's type as torch's errors write it."""
    kind = type(value)
    named = isinstance(value, (dtypes.dtype, devices.device)) or kind.__module__ == "torch.storage"
    return f"{_module(kind)}.{kind.__name__}" if named else kind.__name__


def _module(kind: type) -> str:
    return "torch.storage" if kind.__module__ == "torch.storage" else "torch"


def checked_device(name: str, device: Any) -> Any:
    """The device that an argument names. TypeError if it names none."""
    known = isinstance(device, (str, bytes, devices.device)) or type(device) is int
    if not known:
        raise TypeError(
            f"{name}(): argument 'device' (position 1) must be torch.device, not {shown(device)}"
        )
    if type(device) is int:
        check_long(device)
    return devices.device(device.decode() if isinstance(device, bytes) else device)


def unpinnable(device: Any) -> Exception:
    """The error for a storage whose memory cannot be locked.

    device: for which it was to be locked; None for the accelerator that there is.
    """
    if device is not None and device.type in ("cpu", "meta"):
        return RuntimeError(f"{device.type.upper()} device type not an accelerator.")
    try:
        on_cuda()
    except AssertionError:
        if device is None:
            return RuntimeError("Cannot access accelerator device when none is available.")
        return RuntimeError(devices.without_cuda("initialize CUDA"))
    return NotImplementedError("torch.UntypedStorage.pin_memory: pin the tensor")


def device_index(device: Any) -> Any:
    """The number of a device for methods such as cuda(); None for none or the first.

    Raises torch's TypeError or RuntimeError for values that are not devices.
    """
    if not device:
        return None
    if type(device) is not int:
        text = f"device(): argument 'index' (position 2) must be int, not {shown(device)}"
        raise TypeError(text)
    check_long(device)
    if device < 0:
        raise RuntimeError("Device index must not be negative")
    return device


def check_cuda(device: Any) -> None:
    """Raises torch's error of a storage's cuda() if there is no such device."""
    if isinstance(device, devices.device) and device.type == "cuda":
        return
    try:
        on_cuda()
    except AssertionError:
        if device_index(device) is None:
            text = "'<' not supported between instances of 'NoneType' and 'int'"
            raise TypeError(text) from None
        raise RuntimeError("PyTorch was compiled without CUDA support") from None


def cast(self: Any, dtype: Any) -> Any:
    """A storage's numbers in another type of storage, given by itself or its name."""
    if isinstance(dtype, str):
        package, *names = dtype.split(".")
        dtype = import_module("minitorch" if package == "torch" else package)
        for name in names:
            dtype = getattr(dtype, name)
    if dtype is type(self):
        return self
    if not hasattr(dtype, "is_sparse"):
        raise AttributeError(f"'{shown(dtype)}' object has no attribute 'is_sparse'")
    if not isinstance(dtype, type):
        raise TypeError(f"'{shown(dtype)}' object is not callable")
    return dtype(self.size()).copy_(self)


def check_file(name: str, *args: Any, **named: Any) -> None:
    """Raises TypeError for arguments of from_file that torch's parser refuses."""
    if len(args) + len(named) > 3:
        raise TypeError(f"function takes at most 3 arguments ({len(args) + len(named)} given)")
    if not args and "filename" not in named:
        raise TypeError("function missing required argument 'filename' (pos 1)")
    for each in named:
        if each not in ("filename", "shared", name):
            raise TypeError(f"'{each}' is an invalid keyword argument for this function")
    file = args[0] if args else named["filename"]
    if not isinstance(file, str):
        text = "None" if file is None else shown(file)
        raise TypeError(f"argument 1 must be str, not {text}")
    for each in (*args[1:], *[named[each] for each in ("shared", name) if each in named]):
        operator.index(each)


class _Private:
    """torch's private methods that need a device, or that only its own code calls."""

    def _byteswap(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            raise TypeError("StorageBase._byteswap() takes no keyword arguments")
        if len(args) != 1:
            raise RuntimeError("tuple of 1 item expected")
        if type(args[0]) is not int:
            raise RuntimeError("_byteswap(): arg must be an 'int'")
        check_long(args[0])
        if args[0] not in (1, 2, 4, 8):
            raise RuntimeError("elem_size must be 1, 2, 4, or 8")
        own: Any = self
        whole = own._bytes()
        count = whole.size // args[0] * args[0]
        whole[:count].view(f"u{args[0]}").byteswap(inplace=True)

    def _fix_weakref(self) -> None:
        """Counts a reference: there is nothing to do."""

    @staticmethod
    def _release_ipc_counter_cuda(*args: Any, **kwargs: Any) -> None:
        if kwargs:
            raise TypeError("_release_ipc_counter_cuda() takes no keyword arguments")
        raise RuntimeError("CUDA is not available")

    def _release_ipc_counter(self, *args: Any, **kwargs: Any) -> None:
        self._release_ipc_counter_cuda(*args, **kwargs)

    def _resize_with_addr_(self, *args: Any, **kwargs: Any) -> None:
        own: Any = self
        if kwargs:
            text = "StorageBase._resize_with_addr_() takes no keyword arguments"
            raise TypeError(text)
        if len(args) != 2:
            raise RuntimeError(f"_resize_with_addr_ expects 2 arguments, got {len(args)}")
        if type(args[0]) is not int:
            text = f"_resize_with_addr_ expects an int size, but got {shown(args[0])}"
            raise RuntimeError(text)
        raise RuntimeError(
            f"_resize_with_addr_ is only supported on CUDA storage, got {own.device}"
        )

    def _swap_data_ptr_(self, other: Any) -> None:
        if not isinstance(other, type(self)):
            text = f"_swap_data_ptr_ expects an UntypedStorage, but got {shown(other)}"
            raise RuntimeError(text)
        raise NotImplementedError("torch.UntypedStorage._swap_data_ptr_")


def _maybe_wrap_index(self: Any, idx: Any, is_stop: bool = False) -> int:
    """An index counted from the first number; with `is_stop`, the end of a slice."""
    if idx is None:
        return int(self._size()) if is_stop else 0
    if type(idx) is not int:
        raise TypeError(f"can't index a {type(self)} with {type(idx)}")
    size = int(self._size())
    if not -size <= idx < size + is_stop:  # an end may lie behind the last number
        raise IndexError(f"index {idx} out of range for storage of size {size}")
    return idx if is_stop and idx > 0 else idx % size


def copied(self: Any, memo: Any) -> Any:
    """A typed storage over a deep copy of the bytes."""
    return self._wrapped(copy.deepcopy(self._untyped_storage, memo))


def add(untyped: Any, typed: Any) -> None:
    """Gives both classes of storages the methods of this file."""
    for name, member in vars(_Private).items():
        if not name.startswith("__"):
            setattr(untyped, name, member)
    typed._release_ipc_counter = _Private._release_ipc_counter
    typed._maybe_wrap_index = _maybe_wrap_index
