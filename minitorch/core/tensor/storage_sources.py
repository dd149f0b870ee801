"""Sources of a storage: a count, bytes, a buffer, a file; and torch's errors for others."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import NoneType
from typing import Any

import numpy

from minitorch.core.arrays import cuda, meta, on_numpy, shared
from minitorch.core.arrays.borrowed import borrow
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.scalars import check_long
from minitorch.core.tensor.storage_rare import shown

_MISSING = object()
_FORMS = (
    "expected one of:\n * (*, int allocator = None, torch.device device = None)\n"
    " * (int size, *, int allocator = None, torch.device device = None)\n"
    " * (object sequence, *, int allocator = None, torch.device device = None)\n"
)


def check_count(size: int) -> None:
    """Raises the RuntimeError of torch's allocator for a negative number of bytes."""
    check_long(size)
    if size < 0:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to "
            f"have been called with negative number: {size % 2**64}"
        )


def made_of(args: tuple[Any, ...], device: Any, other: dict[str, Any]) -> Any:
    """The bytes that the arguments of torch.UntypedStorage mean, as an array."""
    unknown = [name for name in other if name not in ("size", "sequence", "allocator")]
    if unknown or not (device is None or isinstance(device, (str, int, devices.device))):
        named = {**other, **({} if device is None else {"device": device})}
        told = [shown(each) for each in args]
        told += [f"{name}={shown(named[name])}" for name in sorted(named)]
        raise TypeError(
            "torch.UntypedStorage() received an invalid combination of arguments - got "
            f"({', '.join(told)}{'' if args else ', '}), but {_FORMS}"
        )
    if "size" in other or "sequence" in other:
        args = (*args, other.get("size", other.get("sequence")))
    if len(args) > 1:
        kinds = ", ".join([type(each).__name__ for each in args])
        raise TypeError(
            "torch.UntypedStorage() received an invalid combination of arguments - got "
            f"({kinds}), but {_FORMS}"
        )
    given: Any = args[0] if args else 0
    if type(given) is int:
        check_count(given)
        made = on_numpy.zeros(given, numpy.uint8)
    elif isinstance(given, Sequence) or type(given).__module__ == "torch.storage":
        for each in given:
            if not isinstance(each, int):
                raise RuntimeError(
                    "torch.UntypedStorage(): tried to construct a storage from a sequence "
                    f"({shown(given)}), but one of the items was of type {shown(each)} instead of "
                    "int"
                )
        made = numpy.array([each & 255 for each in given], numpy.uint8)
    else:
        raise RuntimeError(
            f"torch.UntypedStorage(): Expected a sequence type, but got {shown(given)}"
        )
    return on_device(made, device)


def on_device(made: Any, device: Any) -> Any:
    """An array of the CPU copied to a device; None is the CPU."""
    wanted = None if device is None else devices.device(device)
    if wanted is None or wanted.type == "cpu":
        return made
    if wanted.type == "cuda":
        return cuda().asarray(made)
    if wanted.type == "meta":
        return meta().empty((made.nbytes,), numpy.uint8)
    raise NotImplementedError(f"torch.UntypedStorage on the device {wanted}")


def borrowed_file(filename: str, is_shared: bool, nbytes: int) -> Any:
    """The first bytes of a file, as an array that cannot become larger."""
    found = shared.from_file(filename, is_shared, nbytes)
    return found if shared.memory_of(found) is not None else borrow(found)


def read_buffer(*args: Any, **named: Any) -> Any:
    """A copy of numbers of a buffer, made by `_read`. TypeError for other arguments."""
    if not args and "buffer" not in named:
        raise TypeError("function missing required argument 'buffer' (pos 1)")
    if len(args) > 5:
        raise TypeError(f"function takes at most 5 arguments ({len(args) + len(named)} given)")
    if len(args) > 1 and not isinstance(args[1], (str, NoneType)):
        raise TypeError(f"argument 2 must be str, not {type(args[1]).__name__}")
    return _read(*args, **named)


def _read(
    buffer: Any,
    byte_order: str | None = None,
    count: int = -1,
    offset: int = 0,
    dtype: Any = _MISSING,
    **other: Any,
) -> Any:
    """A copy of `count` numbers of a buffer, from a byte offset on, as an array of bytes.

    byte_order: 'native', 'little' or 'big'; bytes need none.
    """
    for name in other:
        raise TypeError(f"'{name}' is an invalid keyword argument for this function")
    if not isinstance(byte_order, (str, NoneType)):
        raise TypeError(f"argument 2 must be str, not {type(byte_order).__name__}")
    if dtype is _MISSING:
        raise RuntimeError("argument 'dtype' cannot be None")
    if not isinstance(dtype, dtypes.dtype):
        raise RuntimeError("argument 'dtype' must be of type torch.dtype")
    if byte_order is None and (dtype.itemsize > 1 or str(dtype) == "torch.bool"):
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "native", "little", "big"):
        raise ValueError(
            f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')"
        )
    try:
        memoryview(buffer)
    except TypeError as error:
        raise TypeError(str(error).removeprefix("memoryview: ")) from None
    whole = numpy.frombuffer(buffer, numpy.uint8) if memoryview(buffer).nbytes else numpy.empty(0)
    length, size = whole.nbytes, dtype.itemsize
    if (length or offset) and (offset < 0 or offset > length):
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({offset}) , but got "
            f"{length}"
        )
    if count < 0:
        if (length - offset) % size:
            raise ValueError(f"buffer size ({length}) must be a multiple of element size ({size})")
        count = (length - offset) // size
    elif offset + count * size > length:
        raise ValueError(
            f"buffer has only {length - offset} elements after offset {offset}, but "
            f"specified a size of {count}"
        )
    taken = whole[offset : offset + count * size].astype(numpy.uint8)
    if byte_order not in (None, "native", sys.byteorder) and size > 1:
        parts = 2 if dtype.is_complex else 1
        taken = taken.view(f"u{size // parts}").byteswap().view(numpy.uint8)
    if str(dtype) == "torch.bool":
        taken = (taken != 0).view(numpy.uint8)
    return taken
