"""Factories: tensors made of nothing, of data, or in the likeness of another."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy

from minitorch.aten.copies import copied, strides_in
from minitorch.core import arrays
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.from_data import array_from_data, check_numpy
from minitorch.core.declare.families import composite
from minitorch.core.declare.runtime import ints_of
from minitorch.core.declare.writing import put
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import LEAF, TensorBase, tensor
from minitorch.core.tensor.conversion import from_array


def space_of(device: Any) -> Any:
    """The namespace in which tensors on `device` (None: the default device) are made."""
    if device is None:
        device = devices.get_default_device()
    place = device if isinstance(device, devices.device) else devices.device(device)
    if place.type == "cpu":
        return arrays.on_numpy
    if place.type == "cuda":
        return arrays.cuda()
    raise NotImplementedError(f"torch.device('{place}'): tensors live on cpu or cuda")


def check_dtype(name: str, dtype: Any) -> Any:
    """`dtype`, or the default dtype for None. TypeError for anything else."""
    if dtype is None:
        return dtypes.get_default_dtype()
    if type(dtype) is not dtypes.dtype:
        raise TypeError(
            f"{name}(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}"
        )
    return dtype


def finished(x: Any, requires_grad: bool, out: Any = None) -> Any:
    """The array of a factory as a Tensor, written into `out` if that is given."""
    result = tensor(x)
    if out is not None:
        put(out, result)
        return out
    if requires_grad:
        result.check_can_require_grad()
        result._edge = LEAF
    return result


def shape_of(name: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape that `zeros(2, 3)` and `zeros((2, 3))` name. TypeError or RuntimeError for none."""
    try:
        shape = ints_of(size)
    except TypeError:
        wrong = size[0] if len(size) == 1 else next(n for n in size if not hasattr(n, "__index__"))
        raise TypeError(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(wrong).__name__}"
        ) from None
    for n in shape:
        if n < 0:
            raise RuntimeError(
                f"{name}: Dimension size must be non-negative."
                if name in ("zeros", "full", "ones")
                else f"Trying to create tensor with negative dimension {n}: {list(shape)}"
            )
    return shape


def laid_out(xp: Any, shape: Any, dtype: Any, memory_format: Any) -> Any:
    """An uninitialised array in a memory format."""
    if memory_format in (None, devices.contiguous_format):
        return xp.empty(shape, dtype)
    return xp.empty_strided(shape, layout.channels_last_strides(shape), dtype)


@composite("empty", on=("function",))
def empty(
    *size: Any,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
    names: Any = None,
    **named: Any,
) -> Any:
    """An uninitialised tensor of the shape `size`."""
    shape = shape_of("empty", _named_size(size, named))
    kind = check_dtype("empty", dtype if out is None or dtype is not None else out.dtype)
    x = laid_out(space_of(device), shape, kind.numpy, memory_format)
    return finished(x, requires_grad, out)


def _named_size(size: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    if "size" in named:
        return (named.pop("size"),)
    return size


@composite("zeros", on=("function",))
def zeros(
    *size: Any,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **named: Any,
) -> Any:
    """A tensor of the shape `size` filled with 0."""
    shape = shape_of("zeros", _named_size(size, named))
    kind = check_dtype("zeros", dtype if out is None or dtype is not None else out.dtype)
    return finished(space_of(device).zeros(shape, kind.numpy), requires_grad, out)


@composite("ones", on=("function",))
def ones(
    *size: Any,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **named: Any,
) -> Any:
    """A tensor of the shape `size` filled with 1."""
    shape = shape_of("ones", _named_size(size, named))
    kind = check_dtype("ones", dtype if out is None or dtype is not None else out.dtype)
    return finished(space_of(device).ones(shape, kind.numpy), requires_grad, out)


@composite("full", on=("function",))
def full(
    size: Any,
    fill_value: Any,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A tensor of the shape `size` filled with `fill_value`; its dtype follows the value."""
    from minitorch.core.numbers.promotion import wrapped_dtype
    from minitorch.core.numbers.scalars import fitted

    shape = shape_of("full", (size,))
    if isinstance(fill_value, TensorBase):
        fill_value = fill_value.item()
    if dtype is None:
        kind = out.dtype if out is not None else wrapped_dtype(fill_value)
    else:
        kind = check_dtype("full", dtype)
    x = space_of(device).full(shape, fitted(fill_value, kind), kind.numpy)
    return finished(x, requires_grad, out)


def like(x: Any, dtype: Any, device: Any, memory_format: Any) -> Any:
    """An uninitialised array of the shape of `x`, in its layout or in a memory format."""
    xp = namespace(x) if device is None else space_of(device)
    kind = x.dtype if dtype is None else dtype.numpy
    if x.flags.c_contiguous and memory_format in (None, devices.preserve_format):
        return xp.empty(x.shape, kind)
    return xp.empty_strided(x.shape, strides_in(x, memory_format), kind)


def _likeness(name: str, value: Any) -> None:
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
        x = like(input._array, dtype, device, memory_format)
        if value is not None:
            x.fill(value)
        return finished(x, requires_grad)

    likeness.__name__ = likeness.__qualname__ = name
    what = "An uninitialised tensor" if value is None else f"A tensor filled with {value}"
    likeness.__doc__ = f"{what} of the shape, dtype, device and layout of `input`."
    composite(name, on=("function",))(likeness)


_likeness("empty_like", None)
_likeness("zeros_like", 0)
_likeness("ones_like", 1)


@composite("full_like", on=("function",))
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
    from minitorch.core.numbers.scalars import fitted

    x = like(input._array, dtype, device, memory_format)
    x.fill(fitted(fill_value, dtypes.of(x)))
    return finished(x, requires_grad)


@composite("empty_strided", on=("function",))
def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """An uninitialised tensor with the given strides."""
    kind = check_dtype("empty_strided", dtype)
    x = space_of(device).empty_strided(tuple(size), tuple(stride), kind.numpy)
    return finished(x, requires_grad)


def _renewed(name: str, function: Any) -> None:
    def renewed(
        self: Any,
        *size: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        layout: Any = None,
        pin_memory: bool = False,
        **named: Any,
    ) -> Any:
        return function(
            *size,
            dtype=self.dtype if dtype is None else dtype,
            device=self.device if device is None else device,
            requires_grad=requires_grad,
            **named,
        )

    renewed.__name__ = renewed.__qualname__ = name
    renewed.__doc__ = f"As torch.{function.__name__}, with the dtype and device of `self`."
    composite(name, on=("method",))(renewed)


_renewed("new_empty", empty)
_renewed("new_zeros", zeros)
_renewed("new_ones", ones)
_renewed("new_full", full)
_renewed("new_empty_strided", empty_strided)


@composite("new_tensor", on=("method",))
def new_tensor(
    self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """A tensor of `data` with the dtype and device of `self`."""
    return tensor_from_data(
        data,
        dtype=self.dtype if dtype is None else dtype,
        device=self.device if device is None else device,
        requires_grad=requires_grad,
    )


@composite("tensor", on=("function",))
def tensor_from_data(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor that copies `data`: a number, nested sequences, an array or a tensor."""
    kind = None if dtype is None else check_dtype("tensor", dtype).numpy
    if isinstance(data, TensorBase):
        _warn_copy_construct()
        x = copied(data._array, devices.preserve_format, kind)
    else:
        x = array_from_data(data, kind, dtypes.get_default_dtype().numpy)
    if device is not None or devices.get_default_device().type != "cpu":
        x = space_of(device).asarray(x)
    return finished(x, requires_grad)


tensor_from_data.__name__ = tensor_from_data.__qualname__ = "tensor"


def _warn_copy_construct() -> None:
    import warnings

    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() "
        "or sourceTensor.detach().clone().requires_grad_(True), rather than "
        "torch.tensor(sourceTensor).",
        UserWarning,
        stacklevel=3,
    )


@composite("scalar_tensor", on=("function",))
def scalar_tensor(
    s: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The number `s` as a 0-dimensional tensor."""
    return full((), s, dtype=check_dtype("scalar_tensor", dtype), device=device, requires_grad=requires_grad)


@composite("from_numpy", on=("function",))
def from_numpy(array: Any, /) -> Any:
    """A tensor that shares the memory of a NumPy array."""
    return from_array(check_numpy(array, warn_read_only=True))


@composite("as_tensor", on=("function",))
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """A tensor of `data`, sharing its memory if it is an array or tensor that already fits."""
    if isinstance(data, TensorBase):
        return data.to(device=device, dtype=dtype)
    if isinstance(data, numpy.ndarray):
        return from_array(check_numpy(data)).to(device=device, dtype=dtype)
    return tensor_from_data(data, dtype=dtype, device=device)


@composite("asarray", on=("function",))
def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Any:
    """A tensor of `obj`; copy=True always copies, False never, None if there is no other way."""
    shares = isinstance(obj, (TensorBase, numpy.ndarray)) or hasattr(obj, "__dlpack__")
    if not shares:
        if copy is False:
            raise ValueError("can't alias an arbitrary sequence into a tensor.")
        return tensor_from_data(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    if isinstance(obj, TensorBase):
        source = obj
    elif isinstance(obj, numpy.ndarray):
        source = from_array(check_numpy(obj))
    else:
        source = from_dlpack(obj)
    result = source.to(device=device, dtype=dtype)
    if copy is False and result._array is not source._array:
        raise ValueError("can't alias tensor with a different dtype or device.")
    if copy and result._array is source._array:
        result = result.clone()
    if isinstance(obj, TensorBase) and not requires_grad:
        result = result.detach()
    return result.requires_grad_() if requires_grad else result


@composite("from_dlpack", on=("function",))
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor over the memory of anything that speaks DLPack."""
    if ext_tensor.__dlpack_device__()[0] == 1:
        x = numpy.from_dlpack(ext_tensor)
        return from_array(x.copy() if copy else x)
    return tensor(arrays.cuda().from_dlpack(ext_tensor))


@composite("frombuffer", on=("function",))
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Any:
    """A 1-dimensional tensor over the memory of a Python buffer."""
    x = numpy.frombuffer(buffer, dtype.numpy, count, offset)
    return finished(x, requires_grad)


@composite("arange", on=("function",))
def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The numbers from start (0) to end, without it, in steps of `step`."""
    if end is None:
        start, end = 0, start
    start, end, step = [n.item() if isinstance(n, TensorBase) else n for n in (start, end, step)]
    if dtype is not None:
        kind = check_dtype("arange", dtype)
    elif out is not None:
        kind = out.dtype
    else:
        whole = all(isinstance(n, (int, numpy.integer)) for n in (start, end, step))
        kind = dtypes.int64 if whole else dtypes.get_default_dtype()
    return finished(space_of(device).asarray(arange_array(start, end, step, kind)), requires_grad, out)


def arange_array(start: Any, end: Any, step: Any, kind: Any) -> Any:
    """The numbers of arange with torch's rounding. RuntimeError with torch's texts for bad bounds."""
    if kind is dtypes.bool:
        raise RuntimeError(
            '"arange_cpu" not implemented for \'Bool\''
        )
    integral = not kind.is_floating_point
    if integral:
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (abs(start) < float("inf") and abs(end) < float("inf")):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if integral:
        count = -((start - end) // step) if step > 0 else -((end - start) // -step)
        count = ceil((end - start) / step) if count < 0 else count
        return (start + step * numpy.arange(count)).astype(kind.numpy)
    count = ceil((end - start) / step)
    if kind is not dtypes.float32:
        exact = start + step * numpy.arange(count, dtype=numpy.float64)
        return exact.astype(kind.numpy)
    return _arange_float32(float(start), float(step), count)


def _arange_float32(start: float, step: float, count: int) -> Any:
    # As vectorised by ATen: a float32 base per 8 lanes, the rest of 16 one by one.
    i = numpy.arange(count, dtype=numpy.float64)
    out = (start + step * i).astype(numpy.float32)
    blocked = count - count % 16
    if blocked:
        base = (start + step * i[:blocked:8]).astype(numpy.float32).astype(numpy.float64)
        lanes = base[:, None] + step * numpy.arange(8, dtype=numpy.float64)
        out[:blocked] = lanes.astype(numpy.float32).reshape(-1)
    return out


@composite("linspace", on=("function",))
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """`steps` numbers at equal distances from start to end, both included."""
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, TensorBase) and value.dim() != 0:
            raise RuntimeError(
                "linspace only supports 0-dimensional start and end tensors, but got "
                f"{name} with {value.dim()} dimension(s)."
            )
    start, end = [n.item() if isinstance(n, TensorBase) else n for n in (start, end)]
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if dtype is not None:
        kind = check_dtype("linspace", dtype)
    elif out is not None:
        kind = out.dtype
    else:
        kind = dtypes.get_default_dtype()
        if isinstance(start, complex) or isinstance(end, complex):
            kind = kind.to_complex()
    return finished(space_of(device).asarray(_linspace(start, end, steps, kind)), requires_grad, out)


def _linspace(start: Any, end: Any, steps: int, kind: Any) -> Any:
    if kind.is_complex:
        i = numpy.arange(steps)
        step = (complex(end) - complex(start)) / max(steps - 1, 1)
        half = steps // 2
        x = numpy.where(i < half, start + step * i, end - step * (steps - 1 - i))
        return (numpy.full(steps, start) if steps == 1 else x).astype(kind.numpy)
    integral = not kind.is_floating_point
    if integral:
        start, end = int(start), int(end)
    if steps == 1:
        return numpy.full(1, start).astype(kind.numpy)
    work = numpy.float64 if kind is dtypes.float64 else numpy.float32
    i = numpy.arange(steps)
    if steps == 0:
        return numpy.empty(0, kind.numpy)
    step = float(work((work(end) - work(start)) / work(steps - 1)))
    forwards = float(work(start)) + step * i
    backwards = float(work(end)) - step * (steps - 1 - i)
    x = numpy.where(i < steps // 2, forwards, backwards)
    if integral:
        return numpy.trunc(x.astype(work)).astype(kind.numpy)
    return x.astype(kind.numpy) if kind is dtypes.float64 else x.astype(work).astype(kind.numpy)


@composite("eye", on=("function",))
def eye(
    n: int,
    m: int | None = None,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """An (n, m) matrix with ones on its diagonal."""
    for name, value in (("n", n), ("m", m)):
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    kind = check_dtype("eye", dtype if out is None or dtype is not None else out.dtype)
    return finished(space_of(device).eye(n, m, dtype=kind.numpy), requires_grad, out)
