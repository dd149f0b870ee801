"""device, layout and memory_format: where a tensor lives and how its memory is laid out."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NoReturn

from minitorch.core.numbers.closed import Closed, assign, c_name, refuse_subclasses

_TYPE_NAMES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
    "mps, meta, hpu, mtia, privateuseone"
)
DEVICE_TYPES = frozenset(_TYPE_NAMES.split(", "))

_DEVICE = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?")
_SIGNATURES = " * (torch.device device)\n{complaint} * (str type, int index = -1)\n"


class OutOfMemoryError(RuntimeError):
    """An accelerator has no memory left."""

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """Something went wrong on an accelerator."""

    __module__ = "torch"


class device(Closed):
    """A place for tensors: device("cpu"), device("cuda:1"), device("cuda", 1), device(other).

    An int alone is an index of the accelerator. As a context manager, and through
    `set_default_device`, it becomes the device of tensors made without one.
    RuntimeError for a string that names none. As c10/core/Device.cpp and torch/csrc/Device.cpp.
    """

    __module__ = "torch"
    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __new__(cls, *args: Any, **kwargs: Any) -> device:
        if kwargs or len(args) != 1:
            return rarely_made(args, kwargs)
        (only,) = args
        if isinstance(only, str):
            return _parsed(only)
        if isinstance(only, device):
            return only
        if isinstance(only, int) and not isinstance(only, bool):
            if only < 0:
                raise RuntimeError("Device index must not be negative")
            return located(_accelerator(), only)
        return rarely_made(args, kwargs)

    def __enter__(self) -> device:
        ENTERED.push(self)
        _local.stack = (*_local.stack, self)
        return self

    def __exit__(self, *error: Any) -> None:
        _local.stack = _local.stack[:-1]
        ENTERED.pop()

    __init_subclass__ = refuse_subclasses

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __lt__(self, other: object) -> NoReturn:
        raise TypeError("comparison not implemented")

    __le__ = __gt__ = __ge__ = __lt__

    def __repr__(self) -> str:
        suffix = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{suffix})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple[Any, tuple[str, int | None]]:
        return located, (self.type, self.index)


@lru_cache
def located(type: str, index: int | None) -> device:
    """The device of this type and index, without checks: 60 ns, for the library's own calls."""
    self = object.__new__(device)
    assign(self, "type", type)
    assign(self, "index", index)
    return self


@lru_cache
def _parsed(text: str) -> device:
    """The device that a string such as "cuda:1" names."""
    if not text:
        raise RuntimeError("Device string must not be empty")
    parts = _DEVICE.fullmatch(text)
    if parts is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    type, index = parts.groups()
    if type not in DEVICE_TYPES:
        raise RuntimeError(
            f"Expected one of {_TYPE_NAMES} device type at start of device string: {type}"
        )
    return located(type, None if index is None else int(index))


def rarely_made(args: tuple[Any, ...], kwargs: dict[str, Any]) -> device:
    """The device from the rarer arguments (type and index, keywords); the errors for wrong ones."""
    if list(kwargs) == ["device"] and not args:
        return device(kwargs["device"])
    given = dict(zip(("type", "index"), args, strict=False))
    if len(args) > 2 or "type" not in given | kwargs or (len(args) == 1 and not kwargs):
        raise TypeError(_mismatch(args, kwargs))
    for name in kwargs:
        if name not in ("type", "index"):
            raise TypeError(f"device() got an unexpected keyword argument '{name}'")
        if name in given:
            raise TypeError(f"device() got multiple values for argument '{name}'")
    given |= kwargs
    type, index = given["type"], given.get("index")
    if not isinstance(type, str):
        raise TypeError(_wrong("type", "" if "type" in kwargs else " (position 1)", "str", type))
    if index is not None and (isinstance(index, bool) or not hasattr(index, "__index__")):
        raise TypeError(_wrong("index", "" if "index" in kwargs else " (position 2)", "int", index))
    parsed = _parsed(type)
    if index is None:
        return parsed
    if parsed.index is not None:
        raise RuntimeError(
            "type (string) must not include an index because index was passed explicitly: " + type
        )
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    return located(parsed.type, int(index))


def _wrong(name: str, position: str, wanted: str, value: Any) -> str:
    return f"device(): argument '{name}'{position} must be {wanted}, not {_spelled(value)}"


def _spelled(value: Any) -> str:
    return c_name(type(value))


def _mismatch(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    got = ", ".join(map(_spelled, args))
    why = ""
    if kwargs:
        got = f"{got}, " if got else ""
        got += ", ".join(f"{name}={_spelled(value)}" for name, value in kwargs.items()) + ", "
        why = (
            f"      didn't match because some of the keywords were incorrect: {', '.join(kwargs)}\n"
        )
    elif len(args) == 1:
        why = f"      didn't match because some of the arguments have invalid types: (!{got}!)\n"
    return (
        f"device() received an invalid combination of arguments - got ({got}), but expected one "
        f"of:\n{_SIGNATURES.format(complaint=why)}"
    )


def _accelerator() -> str:
    """The type of the accelerator of this machine; RuntimeError if it has none."""
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount() > 0:
            return "cuda"
    except Exception:  # cupy is absent, or finds no driver
        pass
    raise RuntimeError("Cannot access accelerator device when none is available.")


class _Local(threading.local):
    """The default devices of one thread: what was set, under what `with` blocks have entered."""

    chosen: device | None = None
    stack: tuple[device, ...] = ()


_local = _Local()
CPU = located("cpu", None)


# Makes a device that is entered the mode of this thread, and takes it away again
# (aten/creation/default_device.py sets both).
ENTERED = SimpleNamespace(push=None, pop=None)


def get_default_device() -> device:
    """The device of tensors made without one: that of the innermost `with device(...)`, else the
    one set."""
    return _local.stack[-1] if _local.stack else _local.chosen or CPU


def chosen() -> device | None:
    """The device that was set for this thread, not by `with device(...)`."""
    return _local.chosen


def set_chosen(device: device | None) -> device | None:
    """Makes it the device of tensors made without one outside of `with device(...)`, in this
    thread; None is the CPU. Returns the one before."""
    before, _local.chosen = _local.chosen, device
    return before


class _Constant(Closed):
    """A named constant of torch that prints as its name; each exists once."""

    __slots__ = ("_name",)

    _name: str

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _constant, (self._name,)


class layout(_Constant):
    """How a tensor's elements are kept: `torch.strided`, the only one here, or a sparse form."""

    __module__ = "torch"
    __slots__ = ()
    __init_subclass__ = refuse_subclasses


def title_of(layout: Any) -> str:
    """A layout as torch's errors write it: SparseCsr."""
    parts = str(layout).removeprefix("torch.").split("_")
    return "".join(map(str.capitalize, parts)).removesuffix("Coo")


class memory_format(_Constant):
    """The order of a dense tensor's dimensions in memory, such as `torch.channels_last`."""

    __module__ = "torch"
    __slots__ = ()
    __init_subclass__ = refuse_subclasses


class qscheme(_Constant):
    """A scheme of quantisation; no tensor here has one."""

    __module__ = "torch"
    __slots__ = ()
    __init_subclass__ = refuse_subclasses


def _named(cls: Any, name: str) -> Any:
    self = _CONSTANTS[name] = object.__new__(cls)
    assign(self, "_name", name)
    return self


def _constant(name: str) -> Any:
    return _CONSTANTS[name]


_CONSTANTS: dict[str, Any] = {}

strided = _named(layout, "strided")
# Of tensors as torch keeps them elsewhere; no tensor here has them.
_mkldnn = _named(layout, "_mkldnn")
jagged, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr = (
    _named(layout, name)
    for name in ("jagged", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr")
)
COMPRESSED = frozenset((sparse_bsc, sparse_bsr, sparse_csc, sparse_csr))

(
    per_channel_affine,
    per_channel_affine_float_qparams,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
) = (
    _named(qscheme, f"per_{name}")
    for name in (
        "channel_affine",
        "channel_affine_float_qparams",
        "channel_symmetric",
        "tensor_affine",
        "tensor_symmetric",
    )
)

contiguous_format = _named(memory_format, "contiguous_format")
channels_last = _named(memory_format, "channels_last")
channels_last_3d = _named(memory_format, "channels_last_3d")
preserve_format = _named(memory_format, "preserve_format")
legacy_contiguous_format = contiguous_format


def without_cuda(act: str) -> str:
    """torch's words where it is to `act`, such as "initialize CUDA", and was built without CUDA."""
    return (
        f"Cannot {act} without ATen_cuda library. PyTorch splits its backend into two shared "
        "libraries: a CPU library and a CUDA library; this error has occurred because you are "
        "trying to use some CUDA functionality, but the CUDA library has not been loaded by the "
        "dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't "
        "directly use any symbols from the CUDA library! One common culprit is a lack of "
        "-Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic "
        "library dependencies if you don't depend on any of their symbols.  You can check if this "
        "has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so "
        "library."
    )
