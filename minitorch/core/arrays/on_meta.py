"""The array language over arrays without numbers: NumPy's functions as rules of shape and dtype.

It is loaded when the first meta tensor is made. A ufunc broadcasts, and its dtype is that of
NumPy's result for single elements. Functions that are not in the tables below run on ones in place
of the missing numbers (`stand_ins.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import layout, on_numpy
from minitorch.core.arrays.hollow import ON_META, Hollow, fresh, ordered, placed, pointer
from minitorch.core.arrays.missing import NoNumbers, wrong_device
from minitorch.core.arrays.stand_ins import is_hollow, of_ones

__all__ = ["is_hollow", "pointer"]

ndarray = Hollow
device_type, device_index = "meta", None


# ---- element-wise


def shape_of(x: Any) -> tuple[int, ...]:
    return tuple(x.shape) if hasattr(x, "shape") else numpy.shape(x)


def single(x: Any) -> Any:
    """One element of the dtype of `x`; `x` itself if it is a number."""
    return numpy.ones((1,) * x.ndim, x.dtype) if hasattr(x, "dtype") else x


def check_devices(arrays: Any) -> None:
    """RuntimeError with torch's text for arrays with numbers beside those without."""
    places = ["meta" if isinstance(x, Hollow) else "cpu" for x in arrays if getattr(x, "ndim", 0)]
    for place in places:
        if place != places[0]:
            raise wrong_device(place, places[0])


def by_element(function: Callable[..., Any], *arrays: Any, order: str = "K") -> Any:
    """An element-wise result without numbers: the broadcast shape, the dtypes for one element."""
    check_devices(arrays)
    with numpy.errstate(all="ignore"):
        results = function(*[None if x is None else single(x) for x in arrays])
    given = [x for x in arrays if x is not None]
    shape = layout.broadcast(*[shape_of(x) for x in given])
    inputs = [(shape_of(x), layout.strides_of(x)) for x in given if hasattr(x, "shape") and x.ndim]
    ordered = inputs and 0 not in shape and order != "C"
    strides = layout.elementwise_strides(shape, inputs) if ordered else None
    if isinstance(results, tuple):
        return tuple([fresh(shape, each.dtype, strides) for each in results])
    return fresh(shape, results.dtype, strides)


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A call of a ufunc, or of one of its methods."""
    outs = named.pop("out", None)
    out = outs[0] if isinstance(outs, tuple) else outs
    out = None if out is ... else out
    if method == "__call__":
        if ufunc in (numpy.matmul, numpy.vecdot):
            result = _matmul(*inputs) if ufunc is numpy.matmul else _vecdot(*inputs)
        else:
            named.pop("where", None)
            order = named.pop("order", "K")
            result = by_element(lambda *xs: ufunc(*xs, **named), *inputs, order=order)
    elif method == "reduce":
        result = reduced(ufunc.reduce, inputs[0], 0, *inputs[1:], **named)
    elif method in ("accumulate", "reduceat"):
        x = inputs[0]
        dtype = named.get("dtype") or ufunc.accumulate(numpy.ones(1, x.dtype)).dtype
        result = fresh(x.shape if method == "accumulate" else inputs[1].shape, dtype)
    elif method == "outer":
        result = by_element(ufunc, inputs[0][(..., *[None] * inputs[1].ndim)], inputs[1])
    elif method == "at":
        return None
    else:
        raise NotImplementedError(f"numpy.{ufunc.__name__}.{method} on meta tensors")
    return result if out is None else out


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple([numpy.lib.array_utils.normalize_axis_index(int(i), ndim) for i in axes])


def reduced(function: Any, x: Hollow, default: Any, *args: Any, **named: Any) -> Any:
    """A reduction over axes."""
    named.pop("out", None)
    named.pop("where", None)
    names = ("axis", "dtype", "out", "keepdims")
    named = {**dict(zip(names, args, strict=False)), **named}
    named.pop("out", None)
    axis = named.setdefault("axis", default)
    axes = axes_of(axis, x.ndim)
    extreme = getattr(function, "__name__", "") in ("max", "min", "argmax", "argmin")
    if extreme and any(x.shape[i] == 0 for i in axes):
        raise ValueError("zero-size array to reduction operation which has no identity")
    dtype = function(numpy.ones((1,) * x.ndim, x.dtype), **named).dtype
    if named.get("keepdims"):
        return fresh([1 if i in axes else n for i, n in enumerate(x.shape)], dtype)
    return fresh([n for i, n in enumerate(x.shape) if i not in axes], dtype)


# ---- products


def _matmul(a: Any, b: Any) -> Any:
    """As numpy.matmul."""
    x, y = shape_of(a), shape_of(b)
    x = (1, *x) if len(x) == 1 else x
    y = (*y, 1) if len(y) == 1 else y
    if x[-1] != y[-2]:
        raise ValueError(f"matmul: {x} and {y} do not fit")
    shape = (*numpy.broadcast_shapes(x[:-2], y[:-2]), x[-2], y[-1])
    if a.ndim == 1:
        shape = (*shape[:-2], shape[-1])
    if b.ndim == 1:
        shape = shape[:-1]
    return fresh(shape, numpy.result_type(a.dtype, b.dtype))


def _vecdot(a: Any, b: Any, **named: Any) -> Any:
    return fresh(layout.broadcast(a.shape, b.shape)[:-1], numpy.result_type(a.dtype, b.dtype))


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    """As numpy.dot."""
    if not (shape_of(a) and shape_of(b)):
        return by_element(numpy.multiply, a, b)
    at = 0 if b.ndim == 1 else b.ndim - 2
    if a.shape[-1] != b.shape[at]:
        raise ValueError(f"shapes {a.shape} and {b.shape} not aligned")
    rest = [n for i, n in enumerate(b.shape) if i != at]
    made = fresh((*a.shape[:-1], *rest), numpy.result_type(a.dtype, b.dtype))
    return made if out is None else out


def _einsum(subscripts: Any, *arrays: Any, **named: Any) -> Any:
    """As numpy.einsum with a result that is named."""
    if not isinstance(subscripts, str):
        return _einsum_of_numbers(subscripts, *arrays)
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    sizes: dict[str, int] = {}
    dots: tuple[int, ...] = ()
    for part, x in zip(inputs.split(","), arrays, strict=True):
        head, ellipsis, tail = part.partition("...")
        first, last = len(head), x.ndim - len(tail)
        if ellipsis:
            dots = numpy.broadcast_shapes(dots, x.shape[first:last])
        for name, n in zip(head + tail, (*x.shape[:first], *x.shape[last:]), strict=True):
            sizes[name] = n if sizes.get(name, 1) == 1 else sizes[name]
    before, ellipsis, after = output.partition("...")
    middle = dots if ellipsis else ()
    shape = (*[sizes[c] for c in before], *middle, *[sizes[c] for c in after])
    return fresh(shape, numpy.result_type(*[x.dtype for x in arrays]))


def _einsum_of_numbers(*given: Any) -> Any:
    """As numpy.einsum of arrays, each with the numbers of its dimensions, and of the result's."""
    *pairs, output = given
    arrays, lists = pairs[::2], pairs[1::2]
    text = ",".join(["".join([chr(97 + i) for i in dims]) for dims in lists])
    return _einsum(f"{text}->{''.join([chr(97 + i) for i in output])}", *arrays)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    if isinstance(axes, int):
        ours, theirs = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        ours, theirs = [axes_of(tuple(numpy.atleast_1d(each)), x.ndim)
                        for each, x in zip(axes, (a, b), strict=True)]  # fmt: skip
    rest = [n for i, n in enumerate(a.shape) if i not in ours]
    rest += [n for i, n in enumerate(b.shape) if i not in theirs]
    return fresh(rest, numpy.result_type(a.dtype, b.dtype))


# ---- joining, ordering, taking


def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, **named: Any) -> Any:
    check_devices(arrays)
    shapes = [list(shape_of(x)) for x in arrays]
    if axis is None:
        shapes, axis = [[int(numpy.prod(each))] for each in shapes], 0
    (axis,) = axes_of(axis, len(shapes[0]))
    for each in shapes:
        if each[:axis] + each[axis + 1 :] != shapes[0][:axis] + shapes[0][axis + 1 :]:
            raise ValueError("all the input array dimensions except for the concatenation axis")
    shape = list(shapes[0])
    shape[axis] = sum([each[axis] for each in shapes])
    dtype = named.get("dtype") or numpy.result_type(*[x.dtype for x in arrays])
    return fresh(shape, dtype) if out is None else out


def _stack(arrays: Any, axis: int = 0, **named: Any) -> Any:
    arrays = list(arrays)
    (axis,) = axes_of(axis, arrays[0].ndim + 1)
    shape = (*arrays[0].shape[:axis], len(arrays), *arrays[0].shape[axis:])
    return fresh(shape, numpy.result_type(*[x.dtype for x in arrays]))


def _same(dtype: Any = None) -> Callable[..., Any]:
    def same(x: Any, *args: Any, **named: Any) -> Any:
        return fresh(x.shape, dtype or named.get("dtype") or x.dtype)

    return same


def _running(function: Any) -> Callable[..., Any]:
    def running(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        made = function(numpy.ones(1, x.dtype), dtype=dtype).dtype
        shape = (x.size,) if axis is None else x.shape
        return fresh(shape, made) if out is None else out

    return running


def _take(x: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    if axis is None:
        return fresh(shape_of(indices), x.dtype)
    (axis,) = axes_of(axis, x.ndim)
    made = fresh((*x.shape[:axis], *shape_of(indices), *x.shape[axis + 1 :]), x.dtype)
    return made if out is None else out


def _take_along_axis(x: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        return fresh(indices.shape, x.dtype)
    (axis,) = axes_of(axis, x.ndim)
    theirs = [1 if i == axis else n for i, n in enumerate(x.shape)]
    return fresh(numpy.broadcast_shapes(indices.shape, tuple(theirs)), x.dtype)


def _nothing(*args: Any, **named: Any) -> None:
    """Writes somewhere, which leaves no trace."""


def _likeness(x: Any, *args: Any, **named: Any) -> Any:
    names = ("dtype", "order", "subok", "shape")
    named = {**dict(zip(names, args, strict=False)), **named}
    dtype, shape = named.get("dtype") or x.dtype, named.get("shape")
    if shape is not None or not isinstance(x, Hollow):
        return fresh(x.shape if shape is None else shape, dtype)
    return fresh(x.shape, dtype, ordered(x, named.get("order", "K")))


def full_like(x: Any, value: Any, *args: Any, **named: Any) -> Any:
    return _likeness(x, *args, **named)


def _copy(x: Any, order: str = "K", subok: bool = False) -> Any:
    return x.copy(order)


def broadcast_to(x: Any, shape: Any, subok: bool = False) -> Any:
    """As numpy.broadcast_to."""
    shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    if numpy.broadcast_shapes(x.shape, shape) != shape:
        raise ValueError(f"cannot broadcast {x.shape} to {shape}")
    return expand(x, shape)


def _broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    shape = numpy.broadcast_shapes(*[x.shape for x in arrays])
    return tuple([broadcast_to(x, shape) for x in arrays])


def _repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    if isinstance(repeats, Hollow):
        raise NoNumbers
    x = x.reshape(-1) if axis is None else x
    (axis,) = axes_of(axis or 0, x.ndim)
    each = numpy.asarray(repeats)
    many = x.shape[axis] * int(each) if each.size == 1 else int(each.sum())
    return fresh((*x.shape[:axis], many, *x.shape[axis + 1 :]), x.dtype)


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    return fresh(shape_of(v), numpy.intp)


def _pad(x: Any, width: Any, *args: Any, **named: Any) -> Any:
    widths = numpy.broadcast_to(numpy.asarray(width), (x.ndim, 2))
    shape = [n + int(a) + int(b) for n, (a, b) in zip(x.shape, widths, strict=True)]
    return fresh(shape, x.dtype)


def _moved(function: Any) -> Callable[..., Any]:
    """A function that gives views, as it is for NumPy's arrays."""

    def moved(x: Any, *args: Any, **named: Any) -> Any:
        return x.like(function(x.geometry, *args, **named))

    return moved


def _split(x: Any, *args: Any, **named: Any) -> Any:
    return [x.like(each) for each in numpy.split(x.geometry, *args, **named)]


def _swapped(name: str) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **named: Any) -> Any:
        return getattr(x, name)(*args, **named)

    return call


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    numpy.matmul: _matmul, numpy.dot: _dot, numpy.einsum: _einsum, numpy.tensordot: _tensordot,
    numpy.concatenate: _concatenate, numpy.stack: _stack,
    numpy.sort: _same(), numpy.argsort: _same(numpy.intp), numpy.partition: _same(),
    numpy.argpartition: _same(numpy.intp), numpy.roll: _same(),
    numpy.tril: _same(), numpy.triu: _same(), numpy.cumsum: _running(numpy.cumsum),
    numpy.cumprod: _running(numpy.cumprod), numpy.take: _take,
    numpy.take_along_axis: _take_along_axis, numpy.put_along_axis: _nothing,
    numpy.copyto: _nothing, numpy.putmask: _nothing, numpy.place: _nothing, numpy.put: _nothing,
    numpy.fill_diagonal: _nothing,
    numpy.empty_like: _likeness, numpy.zeros_like: _likeness, numpy.ones_like: _likeness,
    numpy.full_like: full_like, numpy.copy: _copy, numpy.broadcast_to: broadcast_to,
    numpy.broadcast_arrays: _broadcast_arrays, numpy.repeat: _repeat, numpy.pad: _pad,
    numpy.searchsorted: _searchsorted, numpy.split: _split,
    numpy.shape: lambda x: x.shape, numpy.ndim: lambda x: x.ndim,
    numpy.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
    numpy.reshape: _swapped("reshape"), numpy.ravel: _swapped("ravel"),
    numpy.real: lambda x: x.real, numpy.imag: lambda x: x.imag,
    **{each: _moved(each) for each in (
        numpy.moveaxis, numpy.swapaxes, numpy.transpose, numpy.squeeze, numpy.expand_dims,
        numpy.flip, numpy.diagonal, numpy.rollaxis)},
    numpy.may_share_memory: lambda x, y, max_work=None: may_share_memory(x, y),
    numpy.shares_memory: lambda x, y, max_work=None: may_share_memory(x, y),
}  # fmt: skip
_ELEMENTWISE = frozenset((
    numpy.where, numpy.clip, numpy.angle, numpy.nan_to_num, numpy.round, numpy.around,
    numpy.isclose, numpy.sinc, numpy.i0, numpy.real_if_close, numpy.isposinf, numpy.isneginf,
))  # fmt: skip
_REDUCTIONS = frozenset((
    numpy.sum, numpy.prod, numpy.mean, numpy.max, numpy.min, numpy.amax, numpy.amin, numpy.any,
    numpy.all, numpy.argmax, numpy.argmin, numpy.count_nonzero, numpy.median, numpy.var, numpy.std,
    numpy.nansum, numpy.nanmedian, numpy.nanmax, numpy.nanmin, numpy.ptp,
))  # fmt: skip
_DEPENDENT = frozenset((
    numpy.nonzero, numpy.flatnonzero, numpy.argwhere, numpy.unique, numpy.bincount,
    numpy.histogram, numpy.array_equal, numpy.allclose, numpy.compress, numpy.extract,
))  # fmt: skip


def apply_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function of NumPy."""
    rule = _FUNCTIONS.get(function)
    if rule is not None:
        return rule(*args, **kwargs)
    if function in _ELEMENTWISE:
        if function is numpy.where and len(args) == 1:
            raise NoNumbers
        return by_element(lambda *xs: function(*xs, **kwargs), *args)
    if function in _REDUCTIONS:
        return reduced(function, args[0], None, *_by_axis(function, args[1:]), **kwargs)
    if function in _DEPENDENT:
        raise NoNumbers
    return of_ones(function, args, kwargs)


def _by_axis(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return args


def method(x: Hollow, name: str) -> Any:
    """A method of ndarray that is a function of NumPy as well."""
    if name in ("conj", "conjugate"):
        return lambda: by_element(numpy.conj, x) if x.dtype.kind == "c" else x
    if name == "sort":
        return _nothing
    if name == "resize":
        raise NoNumbers
    function = getattr(numpy, name, None)
    if function is None or not hasattr(numpy.ndarray, name):
        raise AttributeError(f"an array without numbers has no {name}")
    return lambda *args, **kwargs: apply_function(function, (x, *args), kwargs)


# ---- as a namespace


def strided(x: Any, shape: Any, strides: Any, offset: int = 0) -> Any:
    """As on_numpy.strided."""
    return placed(x.memory, shape, x.dtype, strides, pointer(x) - x.memory.address + offset)


def empty_strided(shape: Any, strides: Any, dtype: Any) -> Any:
    """An array with these strides, in elements."""
    plain = all(shape) and tuple(strides) == layout.contiguous_strides(shape)
    return fresh(shape, dtype, None if plain else strides)


def block(size: Any, dtype: Any) -> Any:
    """Memory for so many numbers of a dtype."""
    return fresh(size, dtype)


def empty(shape: Any, dtype: Any = float, order: str = "C") -> Any:
    """As numpy.empty."""
    return fresh(shape, dtype)


zeros = ones = empty


def full(shape: Any, value: Any, dtype: Any = None, order: str = "C") -> Any:
    """As numpy.full."""
    kind = value.dtype if hasattr(value, "dtype") else numpy.asarray(value).dtype
    return fresh(shape, kind if dtype is None else dtype)


def arange(*args: Any, dtype: Any = None) -> Any:
    """As numpy.arange."""
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    kind = dtype or numpy.result_type(*[numpy.min_scalar_type(a) for a in args], numpy.int64)
    if dtype is None and all(isinstance(each, (int, numpy.integer)) for each in args):
        kind = numpy.int64
    return fresh(max(0, int(numpy.ceil((stop - start) / step))), kind)


def eye(n: int, m: int | None = None, k: int = 0, dtype: Any = float) -> Any:
    """As numpy.eye."""
    return fresh((n, n if m is None else m), dtype)


tri = eye


def asarray(x: Any, dtype: Any = None, **options: Any) -> Any:
    """An array without the numbers of `x`."""
    if isinstance(x, Hollow):
        same = dtype is None or numpy.dtype(dtype) == x.dtype
        return x if same and not options.get("copy") else x.astype(dtype or x.dtype)
    if isinstance(x, (list, tuple)) and any(isinstance(each, Hollow) for each in x):
        return _stack(x)
    x = numpy.asarray(x) if dtype is None else numpy.asarray(x, dtype)
    strides = layout.strides_of(x)
    return fresh(x.shape, x.dtype, None if x.flags.c_contiguous or min(strides) < 0 else strides)


def array(x: Any, dtype: Any = None, **options: Any) -> Any:
    """As numpy.array."""
    return asarray(x, dtype, copy=True)


def ascontiguousarray(x: Any, dtype: Any = None) -> Any:
    """As numpy.ascontiguousarray."""
    x = asarray(x, dtype)
    return x if x.flags.c_contiguous else x.copy()


as_array = asarray


def storage(x: Any) -> Any:
    """The whole memory that `x` lies in, as a 1-d array of its dtype."""
    memory = x.memory
    return placed(memory, (memory.nbytes // x.itemsize,), x.dtype, (x.itemsize,))


def own(x: Any) -> Any:
    """`x`, the only user of its memory."""
    return x


def to_numpy(x: Any) -> Any:
    """NotImplementedError: there are no numbers."""
    raise NoNumbers


def expand(x: Any, shape: Any) -> Any:
    """A stride-0 view of `x` as the larger `shape`."""
    lead = len(shape) - x.ndim
    strides = (0,) * lead + tuple(
        [0 if n == 1 else s for n, s in zip(x.shape, x.strides, strict=True)]
    )
    return strided(x, shape, strides)


def zeroed(x: Any, mask: Any) -> Any:
    """As on_numpy.zeroed."""
    return by_element(lambda a, b: a, x, mask)


def threshold_backward(grad: Any, x: Any, threshold: float) -> Any:
    """As on_numpy.threshold_backward."""
    return by_element(lambda a, b: a, grad, x)


def may_share_memory(x: Any, y: Any) -> bool:
    """Whether two arrays lie in one memory, and there not apart."""
    if type(x) is not Hollow or type(y) is not Hollow or x.memory is not y.memory:
        return False
    return bool(numpy.may_share_memory(x.geometry, y.geometry))


class _Elementary:
    """xp.elementary: each function of core/arrays/elementary.py by element."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(on_numpy.elementary, name)

        def call(*arrays: Any, out: Any = ..., **named: Any) -> Any:
            result = by_element(lambda *xs: function(*xs, **named), *arrays)
            return result if out is None or out is ... else out

        return call


elementary = _Elementary()
fused = None
_MAKING = frozenset(("linspace", "logspace", "indices", "triu_indices", "tril_indices", "identity"))


def __getattr__(name: str) -> Any:
    value = getattr(numpy, name)
    if name in _MAKING:
        return lambda *args, **kwargs: of_ones(value, args, kwargs)
    return value


ON_META.apply_ufunc, ON_META.apply_function, ON_META.method = apply_ufunc, apply_function, method
