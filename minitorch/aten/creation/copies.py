"""Copies and casts: clone, contiguous, to and its shorthands, copy_."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy

from minitorch.aten.absent_devices import PRESENT, absent
from minitorch.aten.in_formulas import is_seen
from minitorch.core import arrays
from minitorch.core.arrays import layout, namespace, threads
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.lazy import raw_of, resolved
from minitorch.core.arrays.missing import NO_DATA
from minitorch.core.arrays.overlap import check_itself, check_same_or_apart
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import recording
from minitorch.core.declare.calls import READS_BITS, Calls
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.recording import record
from minitorch.core.declare.general.tangents import pushed_write
from minitorch.core.declare.out import InPlace
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import KEEPS_DIMS
from minitorch.core.declare.wording.signatures import mismatch, refusal, type_name, with_dtypes
from minitorch.core.graph.forward import LEVELS
from minitorch.core.graph.views import check_writable, note_write, requires_grad
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.numbers.scalars import as_number, is_number, wrapped_dtype
from minitorch.core.warning import warn

_FORMATS = {
    devices.channels_last: (4, "required rank 4 tensor to use channels_last format"),
    devices.channels_last_3d: (5, "required rank 5 tensor to use channels_last_3d format"),
}


def strides_in(x: Any, memory_format: Any) -> Any:
    """The strides of a copy of `x` in a memory format; None means to preserve those of `x`."""
    if memory_format is devices.contiguous_format:
        return layout.contiguous_strides(x.shape)
    if memory_format in _FORMATS:
        rank, refusal = _FORMATS[memory_format]
        if x.ndim != rank:
            raise RuntimeError(refusal)
        return layout.channels_last_strides(x.shape)
    return layout.preserved_strides(x.shape, layout.strides_of(x))


def laid_out(xp: Any, x: Any, strides: Any) -> Any:
    """`x` in memory with these strides."""
    if layout.strides_of(x) == strides:
        return x
    out = xp.empty_strided(x.shape, strides, x.dtype)
    out[...] = x
    return out


def suggested_format(x: Any) -> Any:
    """The memory format that the strides of `x` say it has. As Tensor::suggest_memory_format."""
    if x.ndim not in (4, 5) or not layout.is_channels_last(x.shape, layout.strides_of(x)):
        return devices.contiguous_format
    return devices.channels_last if x.ndim == 4 else devices.channels_last_3d


def copied(x: Any, memory_format: Any = None, dtype: Any = None) -> Any:
    """A fresh array with the numbers of `x`, in a memory format and of a NumPy dtype."""
    made = x if dtype is None or dtype == x.dtype else cast(x, dtype)
    if x.flags.c_contiguous and memory_format in (None, devices.preserve_format) and x.size:
        out = x.copy() if made is x else made
        if 1 not in x.shape or layout.same_strides(out, x):
            return out
    out = namespace(x).empty_strided(x.shape, strides_in(x, memory_format), made.dtype)
    if made.size < threads.MANY or type(made) is not numpy.ndarray:
        out[...] = made
        return out

    def copy(part: slice) -> None:
        out[part] = made[part]

    threads.over_rows(copy, len(made), made.size)
    return out


clone = operator(
    "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
    node="CloneBackward0",
    preserves=True,
    forward=lambda self, memory_format: copied(self, memory_format),
    self=lambda grad: grad,
    result=LINEAR,
    vmap=KEEPS_DIMS,
    calls=READS_BITS,
    copies=True,
)


@composite("contiguous", on=("method",))
def contiguous(input: Any, memory_format: Any = devices.contiguous_format) -> Any:
    """`input` itself if it is contiguous in that format, else a copy that is."""
    if memory_format is devices.contiguous_format and input._view is None:  # the question is 0.2 us
        return input
    if input.is_contiguous(memory_format=memory_format):
        return input
    if memory_format is devices.preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return clone(input, memory_format=memory_format)


class _PlainCasts(dict[Any, bool]):
    """(NumPy dtype, another) -> whether `astype` alone makes what torch makes, without a word."""

    def __missing__(self, key: Any) -> bool:
        own, other = key
        halved = other.char == "e" and own.char == "d"  # it rounds twice
        real = own.kind == "c" and other.kind not in "cb"
        found = self[key] = not (own.names or other.names or halved or real)
        return found


_PLAIN_CASTS = _PlainCasts()


def to_copy_forward(self: Any, dtype: Any, device: Any, memory_format: Any) -> Any:
    kind = self.dtype if dtype is None else dtype.numpy
    if (
        type(self) is numpy.ndarray
        and (device is None or device.type == "cpu")
        and memory_format is None
        and _PLAIN_CASTS[self.dtype, kind]
        and self.flags.c_contiguous
        and 1 not in self.shape
        and self.size
    ):
        return self.astype(kind)  # the ordinary case, 0.6 us sooner
    here = namespace(self)
    if device is not None:
        xp = arrays.on_device(device.type, device.index)
        if xp is not here and (here.device_type, device.type) != ("meta", "meta"):
            if here.device_type == "meta":
                place = getattr(self, "place", None)
                if place is None:
                    raise NotImplementedError(NO_DATA)
                copy = copied(self, memory_format, kind)  # of a fake tensor's array
                return copy if device.type == place.type else copy.moved(device)
            if device.type == "meta":
                hollow = xp.empty_strided(
                    self.shape, layout.strides_of(self), dtypes.of(self).numpy
                )
                return copied(hollow, memory_format, kind)
            return xp.asarray(here.to_numpy(copied(self, memory_format, kind)))
    return copied(self, memory_format, kind)


_to_copy = operator(
    "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,"
    " bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
    node="ToCopyBackward0",
    preserves=True,
    sheds_history=True,
    forward=to_copy_forward,
    self=lambda F, grad, self_options: F._cast_gradient(grad, *self_options),
    result=LINEAR,
    on=("F",),
    vmap=KEEPS_DIMS,
    copies=True,
)


def _cast_gradient_array(grad: Any, dtype: Any, device: Any) -> Any:
    if is_complex_half(grad.dtype) and not dtype.is_complex:
        grad = resolved(grad)["real"]
    if grad.dtype.kind == "c" and not dtype.is_complex:
        grad = grad.real
    xp = namespace(grad)
    if grad.dtype == dtype.numpy and xp.device_type == device.type:
        return grad
    return to_copy_forward(grad, dtype, device, None)


@composite("_cast_gradient", on=(), raw=_cast_gradient_array)
def cast_gradient(grad: Any, dtype: Any, device: Any) -> Any:
    """The gradient of a cast from dtype and device: of a complex one, the real part for a real."""
    if grad.is_complex() and not dtype.is_complex:
        grad = OPS.real(grad)
    # A fake tensor says that it lies elsewhere than its array does.
    place = grad.device if device.type == "meta" else device
    return converted(grad, dtype, place, layout=devices.strided)


_TO = tuple(
    [
        f"{what}bool non_blocking = False, bool copy = False, *, "
        "torch.memory_format memory_format = None"
        for what in (
            "torch.device device = None, torch.dtype dtype = None, ",
            "torch.dtype dtype, ",
            "Tensor tensor, ",
        )
    ]
)


_TO_TYPES: dict[str, Any] = {
    "dtype": (dtypes.dtype, type(None)),
    "device": (str, int, devices.device, type(None)),
    "tensor": TensorBase,
    "memory_format": (devices.memory_format, type(None)),
    "non_blocking": bool,
    "copy": bool,
}
_ALONE: dict[Any, str] = {dtypes.dtype: "dtype", devices.device: "device"}


_LAYOUTS = {"memory_format"}


def parsed_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The options of `converted` that the arguments of `to` ask for."""
    if len(args) == 1 and not kwargs:
        if kind := _ALONE.get(type(args[0])):
            return {kind: args[0]}
        if type(args[0]) is str:
            return {"device": devices.device(args[0])}
    if 2 <= len(args) <= 4 and type(args[1]) is dtypes.dtype and kwargs.keys() <= _LAYOUTS:
        place, dtype, *flags = args
        fits = (type(place) is str or type(place) is devices.device) and all(
            [type(each) is bool for each in flags]
        )
        format = kwargs.get("memory_format")
        if fits and (format is None or type(format) is devices.memory_format):
            named = dict(zip(("non_blocking", "copy"), flags, strict=False))
            device = devices.device(place)
            return {"device": device, "dtype": dtype, "memory_format": format, **named}
    return _named_to(args, kwargs)


def parsed_module_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """The (device, dtype, non_blocking, memory_format) that the arguments of Module.to ask for.

    RuntimeError if they ask for a copy.
    """
    named = _named_to(args, kwargs)
    if named["copy"]:
        raise RuntimeError(".to() does not accept copy argument")
    return named["device"], named["dtype"], named["non_blocking"], named["memory_format"]


def _named_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments of `to` by name, the device and dtype of a tensor for this tensor."""
    args, kwargs = with_dtypes(args, kwargs) or (args, kwargs)
    given, names = kwargs, ["device", "dtype", "non_blocking", "copy"]
    if args and is_number(args[0]) and type(as_number(args[0])) is not int:  # for a tensor
        args = (tensor(numpy.asarray(as_number(args[0]))), *args[1:])
    if args:
        if isinstance(args[0], TensorBase):
            names[:2] = ["tensor"]
        elif type(args[0]) is dtypes.dtype:
            names[:2] = ["dtype"]
        kwargs = {**dict(zip(names, args, strict=False)), **kwargs}
    fits = [isinstance(value, _TO_TYPES.get(name, ())) for name, value in kwargs.items()]
    doubled = "tensor" in kwargs and not kwargs.keys().isdisjoint(("device", "dtype"))
    doubled = doubled or (names[0] == "dtype" and "device" in kwargs)
    if doubled or not all(fits) or len(fits) < len(args) + len(given):
        raise mismatch("to", _TO, args, given) or TypeError(given)
    other, device, dtype = map(kwargs.get, ("tensor", "device", "dtype"))
    if other is not None:
        device, dtype = other.device, other.dtype
    return {
        "dtype": dtype,
        "device": None if device is None else devices.device(device),
        "non_blocking": kwargs.get("non_blocking", False),
        "copy": kwargs.get("copy", False),
        "memory_format": kwargs.get("memory_format"),
    }


def to_raw(self: Any, dtype: Any) -> Any:
    """`to` of an array, in formulas."""
    return self if self.dtype == dtype.numpy else copied(self, None, dtype.numpy)


@composite("to", on=("method",), calls=Calls(numbers=True), raw=to_raw)
def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`self` with another dtype or on another device; itself if nothing changes."""
    return converted(self, **parsed_to(args, kwargs))


def converted(
    self: Any,
    dtype: Any = None,
    device: Any = None,
    copy: bool = False,
    memory_format: Any = None,
    layout: Any = None,
    non_blocking: bool = False,
) -> Any:
    """`self` as dtype on device in a memory format; itself unless something changes or copy."""
    same = dtype is None or dtype is self.dtype
    if device is not None:
        if device.type not in PRESENT:
            raise absent(device.type, moving=True)
        own = self.device
        same = same and device.type == own.type and device.index in (None, own.index)
    if same and not copy:
        if memory_format in (None, devices.preserve_format):
            return self
        if memory_format is suggested_format(self._array):
            return self
    return _to_copy(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        non_blocking=non_blocking,
        memory_format=memory_format,
    )


def as_type(self: Any, dtype: Any) -> Any:
    """`self` in another dtype as Tensor::toType of C++, which tells all options."""
    return converted(self, dtype, self.device, layout=devices.strided)


def _shorthand(name: str, dtype: Any) -> None:
    # A shell would add 0.2 us to the 0.4 of a call that finds the dtype.
    def shorthand(self: Any, *rest: Any, memory_format: Any = devices.preserve_format) -> Any:
        if memory_format is devices.preserve_format and not rest:  # which torch does not hand on
            return converted(self, dtype)
        if rest or not (memory_format is None or type(memory_format) is devices.memory_format):
            named = {"memory_format": memory_format}
            given = {} if memory_format is devices.preserve_format else named
            raise refusal(f"Tensor.{name}", rest, given)  # type: ignore[misc]
        return converted(self, dtype, memory_format=memory_format)

    shorthand.__doc__ = f"`self` as {dtype}; itself if it is."
    shorthand.refuses = True  # type: ignore[attr-defined]
    composite(name, on=("method",))(shorthand)


for _name in (
    "half",
    "float",
    "double",
    "bfloat16",
    "short",
    "int",
    "long",
    "bool",
    "cfloat",
    "chalf",
    "cdouble",
):
    _shorthand(_name, getattr(dtypes, _name))
_shorthand("char", dtypes.int8)
_shorthand("byte", dtypes.uint8)


def _cast_function(name: str, dtype: Any) -> None:
    def cast(self: Any, non_blocking: bool = False) -> Any:
        return converted(self, dtype)

    cast.__doc__ = f"`self` as {dtype}; itself if it is. non_blocking: has no meaning here."
    composite(name, on=("function",))(cast)


for _name in ("uint8", "int8", "float64", "float32", "float16", "int32", "int64", "int16"):
    _cast_function(f"_cast_{getattr(dtypes, _name).scalar_name}", getattr(dtypes, _name))


@composite("type_as", on=("method",), calls=Calls(falls_back=True))
def type_as(self: Any, other: Any) -> Any:
    """`self` with the dtype and device of `other`."""
    if not isinstance(other, TensorBase):
        raise TypeError(
            f"type_as(): argument 'other' (position 1) must be Tensor, not {type_name(other)}"
        )
    return converted(self, other.dtype, other.device, layout=devices.strided)


@composite("cpu", on=("method",))
def cpu(self: Any, memory_format: Any = None) -> Any:
    """`self` in the memory of the host; itself if it is."""
    return converted(self, device=devices.device("cpu"), memory_format=memory_format)


@composite("cuda", on=("method",))
def cuda(
    self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None
) -> Any:
    """`self` on a CUDA device. AssertionError with torch's text where there is none."""
    place = devices.device("cuda" if device is None else device)
    if place.type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    return converted(self, device=place, memory_format=memory_format)


def _to_absent(kind: str, shown: str) -> None:
    def to_kind(
        self: Any, device: Any = None, non_blocking: Any = False, memory_format: Any = None
    ) -> Any:
        if isinstance(device, int):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        place = devices.device(kind if device is None else device)
        if place.type != kind:
            raise RuntimeError(f"Invalid device, must be {shown} device")
        raise absent(kind, moving=True)

    to_kind.__name__ = kind
    to_kind.__doc__ = "Refuses: there is no such device."
    composite(kind, on=("method",))(to_kind)


for _name, _shown in (("ipu", "ipu"), ("mtia", "MTIA"), ("xpu", "xpu")):
    _to_absent(_name, _shown)


copy_row = operator(
    "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
    node="CopyBackwards",
    forward=lambda self, src: None,
    self=lambda F, grad: (
        F.zeros_like(grad, memory_format=devices.contiguous_format)
        if is_seen(F, grad)
        else F.new_zeros(grad, grad.shape)
    ),
    src=lambda F, grad: grad,
    result=lambda F, src_t, result: F.clone(F.expand(src_t, result.shape)),
    on=("F",),
)


def _same_place(x: Any, source: Any) -> bool:
    """Whether two arrays are the same numbers in the same memory: nothing is written then."""
    same = x.dtype == source.dtype and x.shape == source.shape and x.strides == source.strides
    return same and namespace(x).pointer(x) == namespace(source).pointer(source)


_WIDE = {float: dtypes.float64, complex: dtypes.complex128}  # as torch's parser makes a tensor


@composite(
    "copy_", on=("method",), in_place=InPlace(through=True, copies=True), calls=Calls(numbers=True)
)
def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Writes the numbers of `src`, broadcast and cast, into `self`."""
    if is_number(src):
        src = as_number(src)
        wide = _WIDE.get(type(src)) or wrapped_dtype(src)
        src = OPS.full((), src, dtype=wide, device=self.device)
    elif not isinstance(src, TensorBase):
        raise TypeError(
            f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}"
        )
    if LEVELS:
        return pushed_write(copy_row.row, copy_numbers, (self, src), {})
    return copy_numbers(self, src)


def copy_numbers(self: Any, src: Any) -> Any:
    """Writes the numbers of one tensor into another, which is returned; records it."""
    x, source = self._array, src._array
    inexact = x.dtype.kind in "fcV"  # else torch does not even look at what the view is of
    recorded = inexact and recording() and (requires_grad(self) or requires_grad(src))
    check_writable(self, recorded)
    node = None
    if recorded:
        node = record(copy_row.row, {"self": self, "src": src}, self, written=True)
    apart = (
        type(x) is numpy.ndarray
        and type(source) is numpy.ndarray
        and x.flags.c_contiguous
        and not numpy.may_share_memory(x, source)
    )
    if not apart and not _same_place(x, source):
        check_itself(x)
        check_same_or_apart(raw_of(x), raw_of(source))
    if source.shape != x.shape:
        shape = layout.broadcast(x.shape, source.shape)
        if shape != x.shape:
            raise RuntimeError(
                f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}"
            )
    if namespace(source) is not namespace(x):
        if namespace(x).device_type == "meta":
            note_write(self, node)
            return self
        if namespace(source).device_type == "meta":
            raise NotImplementedError(NO_DATA)
        source = namespace(x).asarray(namespace(source).to_numpy(source))
    if x.size:
        x[...] = source if source.dtype == x.dtype else cast(source, x.dtype)
    note_write(self, node)
    return self


# ---- words about copies


def refuse_pinning() -> NoReturn:
    """Raises torch's error for pinned memory without an accelerator."""
    raise RuntimeError(
        "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator "
        "is available on this system."
    )


def warn_copy_construct(call: str) -> None:
    """Warns of `call`, which copies a tensor that is no data."""
    warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() "
        f"or sourceTensor.detach().clone().requires_grad_(True), rather than {call}."
    )
