"""torch._utils: what torch's own modules share, and packages take from there."""

from __future__ import annotations

import functools
import logging
import math
import os
import sys
import traceback
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Generic, ParamSpec

import minitorch
from minitorch._public.later import names_of as _names_of
from minitorch._public.questions import classproperty
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor
from minitorch.overrides import resolve_name

logger = logging.getLogger("torch._utils")

__all__ = [
    "CallbackRegistry",
    "ExceptionWrapper",
    "KeyErrorMessage",
    "classproperty",
    "cpu_count",
    "get_current_device_index",
    "is_compiling",
    "render_call",
    "try_import",
]


def is_compiling() -> bool:
    """Whether this runs while something is compiled: never. Warns that it is deprecated."""
    warnings.warn(
        "`torch._utils.is_compiling` is deprecated. Use `torch.compiler.is_compiling` instead.",
        stacklevel=2,
    )
    return False


def try_import(module_name: str) -> Any:
    """The module of that name; None if there is none."""
    from importlib.util import find_spec

    if module_name in sys.modules:
        return sys.modules[module_name]
    return import_module(module_name) if find_spec(module_name) is not None else None


def _import_dotted_name(name: str) -> Any:
    first, *others = name.split(".")
    found: Any = __import__(first)
    for each in others:
        found = getattr(found, each)
    return found


# ---- tensors taken apart and made again


def _element_size(dtype: Any) -> int:
    """The size in bytes of a number of a dtype."""
    if not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _handle_complex(tensor: Any) -> Any:
    """The real view of a complex tensor; any other as it is."""
    uninitialized = isinstance(tensor, minitorch.nn.parameter.UninitializedParameter)
    is_complex = not uninitialized and tensor.is_complex()
    return OPS.view_as_real(tensor) if is_complex else tensor


def _functionalize_sync(t: Any) -> None:
    """Refuses: no tensor here stands for another while something is compiled."""
    raise NotImplementedError("torch._utils._functionalize_sync")


def _flatten_dense_tensors(tensors: Any) -> Tensor:
    """The numbers of tensors of one dtype, one after the other."""
    return OPS.cat([each.contiguous().view(-1) for each in tensors])


def _flatten_sparse_tensors(tensors: Any) -> tuple[Tensor, Tensor]:
    """The indices of sparse tensors one after the other, and their values."""
    tensors = list(tensors)
    indices = _flatten_dense_tensors([each._indices() for each in tensors])
    return indices, _flatten_dense_tensors([each._values() for each in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Any) -> tuple[Tensor, ...]:
    """Views of parts of `flat` that have the shapes of `tensors`, in their order."""
    parts, offset = [], 0
    for each in tensors:
        parts.append(flat.narrow(0, offset, each.numel()).view_as(each))
        offset += each.numel()
    return tuple(parts)


def _unflatten_sparse_tensors(flat: Any, tensors: Any) -> tuple[Tensor, ...]:
    """Sparse tensors with the shapes of `tensors`, from the result of `_flatten_sparse_tensors`."""
    tensors = list(tensors)
    indices = _unflatten_dense_tensors(flat[0], [each._indices() for each in tensors])
    values = _unflatten_dense_tensors(flat[1], [each._values() for each in tensors])
    return tuple(
        [
            minitorch.sparse_coo_tensor(i, v, each.size(), check_invariants=False)
            for i, v, each in zip(indices, values, tensors, strict=True)
        ]
    )


def _chunk_or_narrow_cat(
    tensor: Tensor, num_chunks: int, narrow_dim: int, cat_dim: int = 0
) -> Tensor:
    """The parts of a tensor along one dimension, joined along another."""
    return OPS.cat(OPS.chunk(tensor, num_chunks, dim=narrow_dim), dim=cat_dim)


def _maybe_view_chunk_cat(res: Tensor, group_size: int, gather_dim: int) -> Tensor:
    """The parts along dimension 0, joined along another dimension: a view where one can be."""
    if gather_dim == 0:
        return res
    shape = list(res.shape)
    between = shape[1:gather_dim]
    if shape[0] != group_size or math.prod(between) != 1:
        return _chunk_or_narrow_cat(res, group_size, narrow_dim=0, cat_dim=gather_dim)
    joined = shape[0] * shape[gather_dim]
    return res.view([1, *between, joined, *shape[gather_dim + 1 :]])


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Groups of tensors of one type, each of up to `size_limit` bytes."""
    groups: dict[str, tuple[list[Tensor], int]] = defaultdict(lambda: ([], 0))
    for tensor in tensors:
        parts = [tensor._indices(), tensor._values()] if tensor.is_sparse else [tensor]
        size = sum(each.numel() * each.element_size() for each in parts)
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


# ---- devices


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> Any:
    """The number of a device: of an int itself, of torch.device('cuda:1') 1.

    optional: None and devices without a number stand for the current one, which is None where
    there is none.  allow_cpu: -1 for the CPU.
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
    return _get_current_device_index()


def _get_available_device_type() -> str | None:
    """The kind of accelerator that there is: 'cuda' or None."""
    return "cuda" if minitorch.cuda.is_available() else None


def _get_device_attr(get_member: Callable[[Any], Any]) -> Any:
    """The result of a function of the accelerator's module; None if there is no accelerator."""
    kind = _get_available_device_type()
    return None if kind is None else get_member(_get_device_module(kind))


def _get_current_device_index() -> int | None:
    """The number of the current accelerator; None where there is none."""
    return _get_device_attr(lambda module: module.current_device())


def _get_all_device_indices() -> list[int] | None:
    """The numbers of all accelerators; None where there is no kind of them."""
    return _get_device_attr(lambda module: list(range(module.device_count())))


def _get_devices_properties(device_ids: Iterable[Any]) -> list[Any]:
    """The properties of some accelerators."""
    return [
        _get_device_attr(lambda module, each=each: module.get_device_properties(each))
        for each in device_ids
    ]


def get_current_device_index() -> int:
    """The number of the current CUDA device; -1 where there is none."""
    cuda = minitorch.cuda
    return cuda.current_device() if cuda.device_count() > 0 else -1


@functools.lru_cache(2)
def _get_device_module(device_type: str) -> Any:
    """The module of a kind of devices. RuntimeError if torch has none of that name."""
    module = getattr(minitorch, device_type, None)
    if module is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as "
            f"'torch.{device_type}'."
        )
    return module


def cpu_count() -> int | None:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count()


class _LazySeedTracker:
    """The last two ways in which devices were seeded before there were any, in their order."""

    def __init__(self) -> None:
        self.manual_seed_all_cb: Any = None
        self.manual_seed_cb: Any = None
        self.call_order: list[Any] = []

    def queue_seed_all(self, cb: Any, traceback: Any) -> None:
        """Notes what seeds all devices."""
        self.manual_seed_all_cb = cb, traceback
        self.call_order = [self.manual_seed_cb, self.manual_seed_all_cb]

    def queue_seed(self, cb: Any, traceback: Any) -> None:
        """Notes what seeds the current device."""
        self.manual_seed_cb = cb, traceback
        self.call_order = [self.manual_seed_all_cb, self.manual_seed_cb]

    def get_calls(self) -> list[Any]:
        """Both, the later one last; None for one that was not asked for."""
        return self.call_order


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
        try:
            raise error
        finally:
            del error  # the traceback has this frame: both would live until a collection


P = ParamSpec("P")


class CallbackRegistry(Generic[P]):
    """Functions that are called with the same arguments when something happens."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.callback_list: list[Callable[P, None]] = []

    def add_callback(self, cb: Callable[P, None]) -> None:
        """Adds one."""
        self.callback_list.append(cb)

    def fire_callbacks(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Calls all of them. An error of one is logged."""
        for each in self.callback_list:
            try:
                each(*args, **kwargs)
            except Exception:
                logger.exception(
                    "Exception in callback for %s registered with gpu trace", self.name
                )


# ---- words and classes


def render_call(fn: Any, args: Any, kwargs: Any) -> str:
    """A call as text, with tensors by their sizes alone."""
    with minitorch._tensor_str.printoptions(threshold=0, edgeitems=0):
        given = [repr(each) for each in args]
        given += [f"{name}={each!r}" for name, each in kwargs.items()]
    return f"{resolve_name(fn) or fn}({', '.join(given)})"


def _dummy_type(name: str) -> type:
    """A class of that name that cannot be made."""

    def refuse(cls: Any, *args: Any, **kwargs: Any) -> Any:
        name = cls.__name__ if isinstance(cls, type) else type(cls).__name__
        raise RuntimeError(f"Tried to instantiate dummy base class {name}")

    return type(name, (object,), {"__init__": refuse, "__new__": refuse})


__getattr__ = _names_of("torch._utils")
