"""CuPy's ufuncs, called as NumPy's are: with layouts, reductions and all dtypes.

CuPy's take no `order`, lay out every result row by row, have no `accumulate`, and refuse logical
functions of complex numbers and running sums of bfloat16.
"""

from __future__ import annotations

import weakref
from typing import Any

import cupy
import numpy as _np

from minitorch.core.arrays import layout as _layout
from minitorch.core.arrays.on_cupy_plain import NAMES, Plain
from minitorch.core.arrays.on_cupy_repeated import write_at

# The functions of CuPy behind ufunc.reduce and ufunc.accumulate.
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_RUNNING = {"add": "cumsum", "multiply": "cumprod"}


class Composed:
    """A formula over arrays of one dtype as a kernel that is called as CuPy's ufuncs are."""

    __slots__ = ("kernel", "name")

    def __init__(self, name: str, formula: str, inputs: str = "T x", preamble: str = "") -> None:
        self.name = name
        self.kernel = cupy.ElementwiseKernel(
            inputs, "T result", f"result = {formula}", f"minitorch_{name}", preamble=preamble
        )

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        return self.kernel(*arrays) if out is None else self.kernel(*arrays, out)


class Ufunc:
    """A ufunc of CuPy that is called as NumPy's are, and lays out what it returns as they do.

    CuPy gives arrays for 0-d results anyway, so `out=...`, which asks NumPy for one, is left out.
    """

    __slots__ = ("function", "name", "of_truth", "plain")

    def __init__(self, function: Any) -> None:
        self.function = function
        self.name = getattr(function, "name", "").removeprefix("cupy_")
        self.of_truth = self.name.startswith("logical_")
        self.plain = Plain(self.name, self) if self.name in NAMES else None

    def __call__(self, *arrays: Any, out: Any = None, order: Any = "K", **options: Any) -> Any:
        if self.of_truth:
            arrays = tuple([_truth(x) for x in arrays])
        if out is not None and out is not Ellipsis:
            return self.function(*arrays, out=out, **options)
        axes = None if order == "C" else axes_of_result(arrays)
        if axes is None:
            return self.function(*arrays, **options)
        result = self.function(*[_turned(x, axes) for x in arrays], **options)
        back = inverse(axes)
        if type(result) is tuple:
            return tuple([note_owner(each.transpose(back)) for each in result])
        return note_owner(result.transpose(back))

    def reduce(
        self,
        x: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
    ) -> Any:
        """The reduction of `x`, and of `initial`, over axes; None is all of them."""
        name = _REDUCTIONS.get(self.name)
        if name is None:
            result = self._reduced_by_halves(x, axis, keepdims)
        else:
            options = {} if dtype is None else {"dtype": dtype}
            result = getattr(cupy, name)(x, axis=axis, keepdims=keepdims, **options)
        if initial is not None:
            result = self.function(result, cupy.asarray(initial, result.dtype))
        return into(out, result)

    def _reduced_by_halves(self, x: Any, axis: Any, keepdims: bool) -> Any:
        """The reduction in log2(n) calls, each of which combines one half with the other."""
        every = range(x.ndim) if axis is None else axis if type(axis) is tuple else (axis,)
        axes = sorted([each % x.ndim for each in every])
        for each in axes:
            x = cupy.moveaxis(x, each, 0)
            while len(x) > 1:
                half = len(x) // 2
                odd = x[2 * half :]
                x = self.function(x[:half], x[half : 2 * half])
                if len(odd):
                    x = cupy.concatenate((x, odd))
            x = cupy.moveaxis(x, 0, each)
        if keepdims:
            return x
        return x.reshape([n for each, n in enumerate(x.shape) if each not in axes])

    def accumulate(self, x: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The running reduction of `x` along an axis."""
        if x.dtype.name == "bfloat16" and dtype is None:  # CuPy's kernel does not compile
            return into(out, self.accumulate(x.astype(_np.float32), axis).astype(x.dtype))
        running = _RUNNING.get(self.name)
        if running is not None:
            options = {} if dtype is None else {"dtype": dtype}
            return into(out, getattr(cupy, running)(x, axis=axis, **options))
        if self.of_truth:
            x = x != 0
        y = cupy.moveaxis(x if dtype is None else x.astype(dtype), axis, 0).copy(order="C")
        step = 1
        while step < len(y):  # y[i] combines the last 2, then 4, then 8 elements up to x[i]
            y[step:] = self.function(y[:-step], y[step:])
            step *= 2
        return into(out, cupy.ascontiguousarray(cupy.moveaxis(y, 0, axis)))

    def at(self, x: Any, places: Any, values: Any) -> None:
        """Combines values into the vector `x` at places, each of which may repeat."""
        write_at(self.name, x, places, values)

    def __repr__(self) -> str:
        return f"<ufunc {self.name!r} on CUDA>"


def note_owner(x: Any, nbytes: int | None = None) -> Any:
    """`x`, after a note in its memory that it is no view, and how many bytes were asked for.

    CuPy's memory knows its size rounded up; its views know what they are views of, but not those
    that are made with strides of their own.
    """
    try:
        memory = x.data.mem
        known = memory.__dict__
    except AttributeError:  # memory that does not come from CuPy's pool
        return x
    offset = x.data.ptr - memory.ptr
    known["asked"] = offset + (x.nbytes if nbytes is None else nbytes)
    known["owner"], known["form"] = weakref.ref(x), (x.shape, x.dtype, x.strides, offset)
    return x


def into(out: Any, result: Any) -> Any:
    """`result`, written into `out` if that is an array."""
    if out is None or out is Ellipsis:
        return result
    out[...] = result
    return out


def axes_of_result(arrays: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The axes, slowest first, in which NumPy lays out a result of these; None for row by row."""
    for x in arrays:
        if type(x) is cupy.ndarray and x.ndim > 1 and not x.flags.c_contiguous:
            break
    else:
        return None
    inputs = [(x.shape, x.strides) for x in arrays if type(x) is cupy.ndarray]
    shape = _np.broadcast_shapes(*[each[0] for each in inputs])
    axes = _layout.slowest_first(shape, inputs)
    return None if axes == tuple(range(len(shape))) else axes


def inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    """The axes that take a transposed array back."""
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _turned(x: Any, axes: tuple[int, ...]) -> Any:
    """`x` with leading axes of size 1, as many as `axes`, transposed to these."""
    if type(x) is not cupy.ndarray or not x.ndim:
        return x
    if x.ndim < len(axes):
        x = x.reshape((1,) * (len(axes) - x.ndim) + x.shape)
    return x.transpose(axes)


def _truth(x: Any) -> Any:
    return x != 0 if type(x) is cupy.ndarray and x.dtype.kind == "c" else x
