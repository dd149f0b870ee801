"""Factories: tensors of a size, empty or filled with one value, and in the likeness of another."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy

from minitorch.aten.absent_devices import absent
from minitorch.aten.creation.copies import strides_in
from minitorch.core import arrays
from minitorch.core.arrays import DEVICE_ARRAYS, namespace
from minitorch.core.arrays import layout as layouts
from minitorch.core.arrays.floating_point import Silence, cast, warn_of_halves
from minitorch.core.arrays.too_large import check_resize
from minitorch.core.base.fields import LEAF, STRIDED, TensorBase, tensor
from minitorch.core.base.formulas import RAW
from minitorch.core.base.modes import recording
from minitorch.core.declare.calls import READS_BITS, Calls
from minitorch.core.declare.codegen.runtime import ints_of
from minitorch.core.declare.codegen.shells import unshelled
from minitorch.core.declare.families import composite
from minitorch.core.declare.general.fitting import resize
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.signatures import OPTIONS, overloads, type_name
from minitorch.core.determinism import FILLING, fill
from minitorch.core.graph.views import edge_of, note_write
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import PACKED
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.numbers.scalars import as_number, fitted, fitted_in, is_number, wrapped_dtype
from minitorch.core.numbers.size import Size

_FORMATS = (None, devices.contiguous_format)


def space_of(device: Any) -> Any:
    """The namespace in which tensors on `device` (None: the default device) are made."""
    if device is None:
        device = devices.get_default_device()
    if device is devices.CPU or (type(device) is str and device == "cpu"):
        return arrays.on_numpy
    place = device if isinstance(device, devices.device) else devices.device(device)
    if place.type == "cpu":
        return arrays.on_numpy
    if place.type in ("cuda", "meta"):
        return arrays.on_device(place.type, place.index)
    raise absent(place.type)


# The factories that take dtypes with which NumPy does not calculate.
_FOR_PACKED = frozenset(
    "empty empty_permuted empty_strided eye full ones zeros new_ones new_zeros scalar_tensor "
    "rand randn randint randperm".split()  # whose kernels refuse most
)


def target(
    name: str,
    out: Any,
    default: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> tuple[Any, Any, bool]:
    """The namespace, dtype and requires_grad that the options of a factory ask for.

    out: where the result goes, if that is given; its dtype and device are then the ones.
    default: the dtype where none is asked for; None is the default dtype.
    """
    if (
        out is None
        and (dtype is None or (type(dtype) is dtypes.dtype and dtype not in PACKED))
        and (layout is None or layout is devices.strided)
        and pin_memory is False
        and type(requires_grad) is bool
        and default not in PACKED
    ):  # the ordinary case, which needs no more questions
        return space_of(device), dtype or default or dtypes.get_default_dtype(), requires_grad
    return _rare_target(name, out, default, dtype, layout, device, pin_memory, requires_grad)


def _rare_target(
    name: str,
    out: Any,
    default: Any,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    requires_grad: Any,
) -> tuple[Any, Any, bool]:
    """`target` where there is out=, or an option that is seldom given, or refused."""
    if dtype is None:
        dtype = default or dtypes.get_default_dtype()
        if out is not None:
            dtype = checked_out(name, out).dtype
    elif type(dtype) is not dtypes.dtype:
        raise TypeError  # worded by the signature
    elif isinstance(out, TensorBase) and out.dtype is not dtype:
        raise RuntimeError(
            f"dtype {dtype.scalar_name} does not match dtype of out parameter "
            f"({out.dtype.scalar_name})"
        )
    elif out is not None:
        checked_out(name, out)
    if dtype in PACKED:
        if name not in _FOR_PACKED:
            raise NotImplementedError(f"torch.{name} of {dtype}")
        if dtype is dtypes.complex32:
            warn_of_halves()
    if layout is not None and layout is not devices.strided:
        if not isinstance(layout, devices.layout):
            raise TypeError(f"{name}(): argument 'layout' must be torch.layout")
        raise layout_error(name, layout)
    if requires_grad is None:
        requires_grad = False
    elif type(requires_grad) is not bool:
        raise TypeError(f"{name}(): argument 'requires_grad' must be bool")
    xp = space_of(device) if out is None else namespace(out._array)
    if out is not None and device is not None and devices.device(device).type != xp.device_type:
        raise RuntimeError(
            f"device type {devices.device(device).type} does not match device type of out "
            f"parameter ({xp.device_type})"
        )
    if pin_memory is not False and type(pin_memory) is not bool and pin_memory is not None:
        raise TypeError  # worded by the signature
    if pin_memory and xp.device_type == "cpu" and out is None:  # which lies where it lies
        raise unpinnable(name)
    return xp, dtype, requires_grad


def layout_error(name: str, layout: Any) -> Exception:
    """The error for a factory that makes no tensors of a layout."""
    from minitorch.aten.sparse.refusals import factory_error  # start-up: 20 ms

    return factory_error(name, layout)


def unpinnable(name: str) -> RuntimeError:
    """The error for memory of the CPU that is to be locked for copies to a device, by a factory."""
    if DEVICE_ARRAYS:
        return NotImplementedError(f"torch.{name} with pin_memory=True: use Tensor.pin_memory()")
    return RuntimeError(
        "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory "
        "allocator is available on this system."
    )


def checked_out(name: str, out: Any) -> Any:
    """`out`. TypeError if it is no tensor, RuntimeError if a gradient would flow into it."""
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    if recording() and edge_of(out) is not None:
        raise RuntimeError(
            f"aten::{name}(): functions with out=... arguments don't support automatic "
            "differentiation, but one of the arguments requires grad."
        )
    return out


def finished(x: Any, requires_grad: bool) -> Any:
    """A fresh array as a Tensor."""
    result = tensor(x)
    if requires_grad:
        result._check_can_require_grad()
        result._edge = LEAF
    return result


def finished_as_laid_out(x: Any, requires_grad: bool) -> Any:
    """A fresh array as a Tensor; its strides along dimensions of size 1 count as well."""
    result = finished(x, requires_grad)
    if not layouts.is_plain(x):
        result._view = STRIDED
    return result


def requiring_grad(out: Any, requires_grad: bool) -> Any:
    """An out= tensor that requires grad as the call says; one with a history keeps that.

    RuntimeError in the words of torch's factories.
    """
    if requires_grad:
        out._check_can_require_grad()
        return out.requires_grad_()
    return out.requires_grad_(False) if out._edge is LEAF else out


def delivered(x: Any, out: Any, requires_grad: bool) -> Any:
    """`out`, given the shape and the numbers of the array `x`."""
    if out._array.shape != x.shape:
        resize(out, x.shape)
    out._array[...] = x
    note_write(out, None)
    return requiring_grad(out, requires_grad)


def shape_of(name: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape that `zeros(2, 3)` and `zeros((2, 3))` name. TypeError or RuntimeError for none."""
    for n in size:
        if type(n) is not int or n < 0:
            break
    else:
        if size:
            return size  # the ordinary case, in a third of the time of the way below
    if len(size) == 1 and type(size[0]) in _SEQUENCES:
        for n in size[0]:
            if type(n) is not int or n < 0:
                break
        else:
            return tuple(size[0])
    if not size or (size[0] is True and len(size) == 1):
        raise TypeError  # worded by the signature
    shape = ints_of(size)
    for n in shape:
        if n < 0:
            raise RuntimeError(
                f"{name}: Dimension size must be non-negative."
                if name == "zeros"
                else f"Trying to create tensor with negative dimension {n}: {list(shape)}"
            )
    return shape


_SEQUENCES = (tuple, list, Size)


def shape_for(name: str, size: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
    """`shape_of`, which checks a size after the options; errors for out= have another text."""
    try:
        shape = shape_of(name, size)
    except RuntimeError:
        if out is not None:
            raise RuntimeError("numel: integer multiplication overflow") from None
        target(name, None, **options)
        raise
    if isinstance(out, TensorBase):
        check_resize(shape, out.dtype.itemsize)
    return shape


def laid_out(xp: Any, shape: Any, dtype: Any, memory_format: Any) -> Any:
    """An uninitialised array in a memory format."""
    if memory_format in _FORMATS:
        return xp.empty(shape, dtype)
    if memory_format is devices.preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    rank = 4 if memory_format is devices.channels_last else 5
    if len(shape) != rank:
        name = str(memory_format).removeprefix("torch.")
        raise RuntimeError(f"required rank {rank} tensor to use {name} format")
    return xp.empty_strided(shape, layouts.channels_last_strides(shape), dtype)


# ---- of a size


@composite("empty", on=("function",), calls=READS_BITS)
@overloads(
    "tuple of ints size, *, torch.memory_format memory_format = None, Tensor out = None, " + OPTIONS
)
def empty(
    *numbers: Any, size: Any = None, out: Any = None, memory_format: Any = None, **options: Any
) -> Any:
    """An uninitialised tensor of the shape `size`."""
    if isinstance(out, TensorBase) and edge_of(out) is not None:
        raise RuntimeError("cannot resize variables that require grad")
    if options.get("layout") in SPARSE_LAYOUTS and out is None:
        return of_sparse_layout("empty", numbers if size is None else (*numbers, size), options)
    xp, dtype, requires_grad = target("empty", out, **options)
    shape = shape_of("empty", numbers if size is None else (*numbers, size))
    if out is None:
        x = laid_out(xp, shape, dtype.numpy, memory_format)
        if FILLING:
            fill(x)
        return finished(x, requires_grad)
    if out._array.shape != shape:
        resize(out, shape)
        note_write(out, None)
    if FILLING:
        fill(out._array)
        note_write(out, None)
    return requiring_grad(out, requires_grad)


SPARSE_LAYOUTS = (
    devices.sparse_coo,
    devices.sparse_csr,
    devices.sparse_csc,
    devices.sparse_bsr,
    devices.sparse_bsc,
)


def of_sparse_layout(name: str, size: Any, options: dict[str, Any]) -> Any:
    """A tensor without elements of a sparse layout, which torch.empty and torch.zeros give."""
    from minitorch.aten.sparse.creation import empty_of  # start-up: 4 ms

    if name in ("ones", "new_ones"):
        raise layout_error(name, options["layout"])
    if options.get("pin_memory"):
        raise unpinnable(name)
    return empty_of(shape_of(name, size), name=name, **options)


def _constant(name: str, value: int) -> Callable[..., Any]:
    def constant(*numbers: Any, size: Any = None, out: Any = None, **options: Any) -> Any:
        if options or out is not None:
            if options.get("layout") in SPARSE_LAYOUTS and out is None:
                shape = numbers if size is None else (*numbers, size)
                return of_sparse_layout(name, shape, options)
            xp, dtype, requires_grad = target(name, out, **options)
        else:
            xp, dtype, requires_grad = space_of(None), dtypes.get_default_dtype(), False
        size = numbers if size is None else (*numbers, size)
        shape = shape_of(name, size) if out is None else shape_for(name, size, out, options)
        if dtype in PACKED:
            x = xp.empty(shape, dtype.numpy)
            fill_with(x, value)
        else:
            x = xp.ones(shape, dtype.numpy) if value else xp.zeros(shape, dtype.numpy)
        return finished(x, requires_grad) if out is None else delivered(x, out, requires_grad)

    return constant


def entitled(
    function: Callable[..., Any],
    name: str,
    doc: str,
    vmap: VMap | None = None,
    calls: Calls | None = None,
) -> Callable[..., Any]:
    """Exposes a function made by a loop under its own name, with its own words."""
    function.__doc__ = doc
    composite(name, on=("function",), vmap=vmap, calls=calls)(function)
    return function


def _exposed(name: str, value: int) -> Callable[..., Any]:
    checked = overloads(f"tuple of ints size, *, Tensor out = None, {OPTIONS}")
    doc = f"A tensor of the shape `size` filled with {value}."
    return entitled(checked(_constant(name, value)), name, doc)


zeros = _exposed("zeros", 0)
ones = _exposed("ones", 1)


@composite("full", on=("function",))
@overloads(
    f"tuple of ints size, Number fill_value, *, Tensor out = None, {OPTIONS}",
)
def full(size: Any, fill_value: Any, *, out: Any = None, **options: Any) -> Any:
    """A tensor of the shape `size` filled with `fill_value`; its dtype follows the value."""
    if type(fill_value) is float:
        kind = None
    else:
        fill_value = as_number(number_of(fill_value))
        kind = dtypes.int64 if type(fill_value) is int else wrapped_dtype(fill_value)
        if kind is dtypes.complex32:  # of the default dtype float16
            kind = dtypes.complex64
    xp, dtype, requires_grad = target("full", out, kind, **options)
    if not isinstance(size, (tuple, list)):
        raise TypeError  # worded by the signature
    shape = shape_for("full", (size,), out, options)
    x = xp.full(shape, fitted_filling(fill_value, dtype, prod(shape)), dtype.numpy)
    return finished(x, requires_grad) if out is None else delivered(x, out, requires_grad)


def fitted_filling(value: Any, dtype: Any, count: int) -> Any:
    """A number as one of a dtype that fills `count` elements. RuntimeError if it does not fit: a
    single one of a 2-byte float is only asked whether it is a double, as scalar_fill of torch."""
    if count == 1 and dtype.itemsize == 2 and dtype.is_floating_point:
        return float(numpy.float32(fitted(value, dtypes.float64)))  # as c10::Half is made
    return fitted(value, dtype)


def number_of(value: Any) -> Any:
    """A number, taken out of a 0-dimensional tensor if it is in one. TypeError for no number, and
    for one whose gradient would be lost."""
    if isinstance(value, TensorBase):
        if value._array.ndim or value.requires_grad:
            raise TypeError("a number is wanted, not such a tensor")
        return value.item()
    if not is_number(value):
        raise TypeError(f"a number is wanted, not {type(value).__name__}")
    return value


@composite("_efficientzerotensor", on=("F",))
def _efficientzerotensor(size: Any, **options: Any) -> Any:
    """Zeros, which torch keeps without memory; these have some."""
    return zeros(size, **options)


@composite("scalar_tensor", on=("function",))
@overloads(f"Number s, *, {OPTIONS}")
def scalar_tensor(s: Any, **options: Any) -> Any:
    """The number `s` as a 0-dimensional tensor of the default dtype."""
    xp, dtype, requires_grad = target("scalar_tensor", None, **options)
    number = number_of(s)
    if dtype.is_floating_point and dtype.itemsize == 2:  # to which torch casts
        number = fitted(number, dtypes.float64)
        with Silence():
            x = cast(numpy.asarray(number, numpy.float64).astype(numpy.float32), dtype.numpy)
        return finished(xp.asarray(x), requires_grad)
    if xp is arrays.on_numpy and not dtype.is_complex:
        return finished(numpy.array(fitted(number, dtype), dtype.numpy), requires_grad)
    return finished(xp.full((), fitted(number, dtype), dtype.numpy), requires_grad)


@composite("empty_strided", on=("function",), calls=READS_BITS)
@overloads(f"tuple of ints size, tuple of ints stride, *, {OPTIONS}")
def empty_strided(size: Any, stride: Any, **options: Any) -> Any:
    """An uninitialised tensor with the given strides."""
    xp, dtype, requires_grad = target("empty_strided", None, **options)
    if not isinstance(stride, (tuple, list)):
        raise TypeError  # worded by the signature
    shape, strides = shape_of("empty_strided", (size,)), ints_of((stride,))
    if len(shape) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides "
            f"({len(strides)})"
        )
    reach, backwards = 1, False
    for n, step in zip(shape, strides):
        reach += (n - 1) * step
        backwards = backwards or step < 0
    if backwards or reach * dtype.itemsize >= 2**63:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(shape)} and "
            f"strides={list(strides)}"
        )
    x = xp.empty_strided(shape, strides, dtype.numpy)
    if FILLING:
        fill(x)
    return finished_as_laid_out(x, requires_grad)


@composite("empty_permuted", on=("function",))
@overloads(f"tuple of ints size, tuple of ints physical_layout, *, {OPTIONS}")
def empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Any:
    """An uninitialised tensor without gaps whose dimensions lie in memory in the given order."""
    xp, dtype, requires_grad = target("empty_permuted", None, **options)
    shape, order = shape_of("empty_permuted", (size,)), ints_of((physical_layout,))
    if len(order) != len(shape):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for i, dim in enumerate(order):
        if not 0 <= dim < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got "
                f"{dim} at index {i}).  NB: negative dims not currently supported; file an issue "
                "if you want it."
            )
        if dim in order[:i]:
            raise RuntimeError("Duplicate dim not allowed")
    strides = layouts.dense_strides(shape, order)
    try:
        x = xp.empty_strided(shape, strides, dtype.numpy)
    except RuntimeError:
        xp.empty([shape[dim] for dim in order], dtype.numpy)  # which torch permutes, and refuses
        raise
    if FILLING:
        fill(x)
    return finished(x, requires_grad)


# ---- in the likeness of another


def like(input: Any, dtype: Any, device: Any, memory_format: Any) -> Any:
    """An uninitialised array of the shape of a Tensor, in its layout or in a memory format."""
    if not isinstance(input, TensorBase) or not isinstance(dtype, (dtypes.dtype, type(None))):
        raise TypeError("a Tensor and a torch.dtype are wanted")
    x = input._array
    xp = namespace(x) if device is None else space_of(device)
    kind = x.dtype if dtype is None else dtype.numpy
    if is_complex_half(kind):
        warn_of_halves()
    if x.size and x.flags.c_contiguous and memory_format in (None, devices.preserve_format):
        out = xp.empty(x.shape, kind)
        if 1 not in x.shape or layouts.same_strides(out, x):
            return out
    return xp.empty_strided(x.shape, strides_in(x, memory_format), kind)


_LIKE = "torch.memory_format memory_format = None, " + OPTIONS


def of_another_layout(
    name: str, input: Any, layout: Any, dtype: Any, requires_grad: bool = False
) -> Any:
    """A tensor like a dense one in a sparse layout: of zeros alone. NotImplementedError else."""
    if name == "zeros_like" and layout in SPARSE_LAYOUTS:
        options = {"layout": layout, "dtype": dtype or input.dtype, "requires_grad": requires_grad}
        return of_sparse_layout("zeros", (input.shape,), options)
    raise layout_error("empty_strided", layout)


def fill_with(x: Any, number: int) -> None:
    """Fills an array, which NumPy may not compute with, with a number that every dtype has."""
    x.fill(fitted_in(number, x) if x.dtype.names else number)


def _likeness(name: str, value: Any) -> Callable[..., Any]:
    @overloads(f"Tensor input, *, {_LIKE}")
    def likeness(
        input: Any,
        *,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        memory_format: Any = devices.preserve_format,
        pin_memory: bool = False,
    ) -> Any:
        if layout is not None and layout is not devices.strided:
            return of_another_layout(name, input, layout, dtype, requires_grad)
        x = like(input, dtype, device, memory_format)
        if pin_memory is True and namespace(x).device_type == "cpu":
            raise unpinnable(name)
        if value is not None:
            fill_with(x, value)
        elif FILLING:
            fill(x)
        return finished_as_laid_out(x, requires_grad)

    what = "An uninitialised tensor" if value is None else f"A tensor filled with {value}"
    doc = f"{what} of the shape, dtype, device and layout of `input`."
    calls = READS_BITS if value is None else None
    return entitled(likeness, name, doc, VMap("alike", makes=True), calls)


empty_like = _likeness("empty_like", None)
zeros_like = _likeness("zeros_like", 0)
ones_like = _likeness("ones_like", 1)


@composite("full_like", on=("function",), vmap=VMap("alike", makes=True), calls=READS_BITS)
@overloads(f"Tensor input, Number fill_value, *, {_LIKE}")
def full_like(
    input: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = devices.preserve_format,
    pin_memory: bool = False,
) -> Any:
    """A tensor filled with `fill_value` of the shape, dtype, device and layout of `input`."""
    if layout is not None and layout is not devices.strided:
        return of_another_layout("full_like", input, layout, dtype, requires_grad)
    x = like(input, dtype, device, memory_format)
    if pin_memory is True and namespace(x).device_type == "cpu":
        raise unpinnable("full_like")
    x.fill(fitted_in(number_of(fill_value), x))
    return finished_as_laid_out(x, requires_grad)


def _renewed(name: str, function: Any, signature: str, vmap: str = "renewed") -> None:
    def renewed(
        self: Any, *args: Any, dtype: Any = None, device: Any = None, **options: Any
    ) -> Any:
        return function(
            *args,
            dtype=self.dtype if dtype is None else dtype,
            device=self.device if device is None else device,
            **options,
        )

    renewed.__name__ = renewed.__qualname__ = name
    renewed.__doc__ = f"As torch.{name[4:]}, with the dtype and device of `self`."
    declare = composite(name, on=("method",), vmap=VMap(vmap, makes=True))
    declare(overloads(f"{signature}, *, {OPTIONS}")(renewed))


# The undecorated functions, so that a complaint carries the method's name.
_renewed("new_empty", unshelled(empty), "tuple of ints size")
_renewed("new_zeros", _constant("new_zeros", 0), "tuple of ints size")
_renewed("new_ones", _constant("new_ones", 1), "tuple of ints size")
_renewed("new_full", unshelled(full), "tuple of ints size, Number fill_value")
_renewed(
    "new_empty_strided",
    unshelled(empty_strided),
    "tuple of ints size, tuple of ints stride",
    "renewed_strided",
)


def zeros_like_array(x: Any, memory_format: Any = devices.preserve_format) -> Any:
    """Zeros for a formula, in the layout of a bare array `x`, as an empty one would have it.

    memory_format: that of the preserved layout, which C++ tells where modes see the call.
    """
    assert memory_format is devices.preserve_format
    xp = namespace(x)
    if x.size and x.flags.c_contiguous and layouts.is_plain(x):
        return xp.zeros(x.shape, x.dtype)
    out = xp.empty_strided(x.shape, strides_in(x, None), x.dtype)
    out.fill(0)
    return out


RAW.zeros_like = zeros_like_array
RAW.new_zeros = lambda x, size: namespace(x).zeros(size, x.dtype)
RAW.ones_like = lambda x: namespace(x).ones_like(x)
