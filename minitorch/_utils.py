"""torch._utils: what torch's own modules share, and packages take from there."""

from __future__ import annotations

import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from minitorch.core.numbers import device as devices
from minitorch.core.tensor.tensor import Tensor
from minitorch.questions import classproperty

__all__ = ["ExceptionWrapper", "KeyErrorMessage", "classproperty"]


def is_compiling() -> bool:
    """Whether this runs while something is compiled: never."""
    return False


def try_import(module_name: str) -> Any:
    """The module of that name; None if there is none."""
    from importlib.util import find_spec

    return import_module(module_name) if find_spec(module_name) is not None else None


def _import_dotted_name(name: str) -> Any:
    first, *others = name.split(".")
    found: Any = __import__(first)
    for each in others:
        found = getattr(found, each)
    return found


# ---- tensors taken apart and made again


def _element_size(dtype: Any) -> int:
    """How many bytes a number of a dtype takes."""
    return dtype.itemsize


def _flatten_dense_tensors(tensors: Any) -> Tensor:
    """The numbers of tensors of one dtype, one after the other."""
    import minitorch

    return minitorch.cat([each.contiguous().view(-1) for each in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Any) -> tuple[Tensor, ...]:
    """Views of parts of `flat` that have the shapes of `tensors`, in their order."""
    parts, offset = [], 0
    for each in tensors:
        parts.append(flat.narrow(0, offset, each.numel()).view_as(each))
        offset += each.numel()
    return tuple(parts)


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Groups of tensors of one type, each of up to `size_limit` bytes."""
    groups: dict[str, tuple[list[Tensor], int]] = defaultdict(lambda: ([], 0))
    for tensor in tensors:
        size = tensor.numel() * tensor.element_size()
        group, taken = groups[tensor.type()]
        if taken + size > size_limit and taken > 0:
            yield group
            group, taken = [], 0
        group.append(tensor)
        groups[tensor.type()] = group, taken + size
    for group, _ in groups.values():
        if group:
            yield group


def _reorder_tensors_as(tensors: Iterable[Tensor], ordered: Iterable[Tensor]) -> Any:
    """Tensors in the order of the types of others."""
    by_type = defaultdict(list)
    for tensor in tensors:
        by_type[tensor.type()].append(tensor)
    queues = {kind: iter(listed) for kind, listed in by_type.items()}
    return tuple([next(queues[tensor.type()]) for tensor in ordered])


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """The tensor of that geometry in the memory of a storage."""
    import minitorch

    untyped = getattr(storage, "_untyped_storage", storage)
    dtype = getattr(storage, "dtype", None) or minitorch.get_default_dtype()
    made = minitorch.tensor([], dtype=dtype, device=untyped.device)
    return made.set_(untyped, storage_offset, size, stride)


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
    tensor._backward_hooks = backward_hooks
    return tensor


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    """The Parameter of a tensor."""
    from minitorch.nn import Parameter

    parameter = Parameter(data, requires_grad)
    parameter._backward_hooks = backward_hooks
    return parameter


def _rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any
) -> Any:
    """The Parameter of a tensor with attributes that a user set."""
    return _set_obj_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _get_obj_state(obj: Any) -> Any:
    """What an object has beside its tensor: its attributes, those of its slots as well."""
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
    plain, slots = state if isinstance(state, tuple) else (state, None)
    if isinstance(state, tuple) and len(state) != 2:
        raise RuntimeError(f"Invalid serialized state: {state}")
    if plain:
        vars(obj).update(plain)
    for name, value in (slots or {}).items():
        setattr(obj, name, value)
    return obj


# ---- devices


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device: of an int itself, of torch.device('cuda:1') 1.

    optional: None and devices without a number stand for the current one.  allow_cpu: -1 for it.
    """
    if isinstance(device, str):
        device = devices.device(device)
    if isinstance(device, devices.device):
        if not allow_cpu and device.type == "cpu":
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        device = -1 if device.type == "cpu" else device.index
    if isinstance(device, int):
        return device
    if device is not None or not optional:
        raise ValueError(
            f"Expected a torch.device with a specified index or an integer, but got:{device}"
        )
    import minitorch

    return minitorch.cuda.current_device()


def _get_available_device_type() -> str | None:
    """The kind of accelerator that there is: 'cuda' or None."""
    import minitorch

    return "cuda" if minitorch.cuda.is_available() else None


def _get_all_device_indices() -> list[int] | None:
    """The numbers of all accelerators; None where there is no kind of them."""
    import minitorch

    return list(range(minitorch.cuda.device_count())) if _get_available_device_type() else None


# ---- errors that cross from a thread or process to another


class KeyErrorMessage(str):
    """The text of a KeyError, which Python would show in quotes and with its line ends escaped."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception with its traceback as text, to be raised again somewhere else.

    exc_info: as sys.exc_info gives it, which is the default.  where: where it happened.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, value, where_from = exc_info = sys.exc_info() if exc_info is None else exc_info
        self.exc_type = kind
        self.exc_msg = "".join(traceback.format_exception(kind, value, where_from))
        self.where = where

    def reraise(self) -> None:
        """Raises an exception of the same type with the text, and where it comes from."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            error = self.exc_type(text)
        except Exception:  # its __init__ takes something else
            raise RuntimeError(text) from None
        raise error


class CallbackRegistry:
    """Functions that are called with the same arguments when something happens."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.callback_list: list[Callable[..., None]] = []

    def add_callback(self, cb: Callable[..., None]) -> None:
        """Adds one."""
        self.callback_list.append(cb)

    def fire_callbacks(self, *args: Any, **kwargs: Any) -> None:
        """Calls all of them."""
        for each in self.callback_list:
            each(*args, **kwargs)
