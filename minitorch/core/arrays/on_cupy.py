"""The array language over CuPy: CuPy's own names, and the same extra names as on_numpy.py.

Imported when the first CUDA tensor is made; ImportError without CuPy, and where it finds no device.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as _np

from minitorch.core.arrays import layout as _layout

if not cupy.cuda.is_available():
    raise ImportError("CuPy is installed, but there is no CUDA device")

ndarray = cupy.ndarray
device_type, device_index = "cuda", 0


def __getattr__(name: str) -> Any:
    value = getattr(cupy, name)
    if isinstance(value, cupy.ufunc):
        value = Ufunc(value)
    globals()[name] = value
    return value


class Ufunc:
    """A ufunc of CuPy with what NumPy's have besides: out=... and the methods of reductions.

    CuPy gives arrays for 0-d results anyway, so `out=...`, which asks NumPy for one, is left out.
    """

    __slots__ = ("function", "kind")

    def __init__(self, function: Any) -> None:
        self.function = function
        self.kind = _REDUCTIONS.get(getattr(function, "name", "").removeprefix("cupy_"))

    def __call__(self, *arrays: Any, out: Any = None, **options: Any) -> Any:
        if out is None or out is Ellipsis:
            return self.function(*arrays, **options)
        return self.function(*arrays, out=out, **options)

    def reduce(
        self, x: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """The reduction of `x` over axes; None is all of them."""
        options = {} if dtype is None else {"dtype": dtype}
        result = getattr(cupy, self._kind()[0])(x, axis=axis, keepdims=keepdims, **options)
        return _into(out, result)

    def accumulate(self, x: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The running reduction of `x` along an axis."""
        running = self._kind()[1]
        if running is None:
            raise NotImplementedError(f"{self.function.name}.accumulate on CUDA")
        options = {} if dtype is None else {"dtype": dtype}
        result = getattr(cupy, running)(x, axis=axis, **options)
        return _into(out, result)

    def at(self, x: Any, indices: Any, values: Any) -> None:
        """Writes into `x` at indices, one after the other where they repeat."""
        self.function.at(x, indices, values)

    def _kind(self) -> tuple[str, str | None]:
        if self.kind is None:
            raise NotImplementedError(f"{self.function.name}.reduce on CUDA")
        return self.kind

    def __repr__(self) -> str:
        return f"<ufunc {self.function.name!r} on CUDA>"


# The functions behind ufunc.reduce and ufunc.accumulate.
_REDUCTIONS: dict[str, tuple[str, str | None]] = {
    "add": ("sum", "cumsum"),
    "multiply": ("prod", "cumprod"),
    "maximum": ("max", None),
    "minimum": ("min", None),
    "logical_and": ("all", None),
    "logical_or": ("any", None),
}


class _Elementary:
    """xp.elementary: the functions of core/arrays/elementary.py, in the dtype of their operands."""

    def __getattr__(self, name: str) -> Any:
        own = getattr(cupy, name, None)
        if own is None:
            from cupyx.scipy import special

            own = getattr(special, name)
        function = Ufunc(own)
        setattr(self, name, function)
        return function

    def sigmoid(self, x: Any, out: Any = ...) -> Any:
        """1 / (1 + exp(-x))."""
        return _into(out, cupy.reciprocal(1 + cupy.exp(-x)))

    def relu(self, x: Any, out: Any = ...) -> Any:
        """The larger of `x` and 0."""
        return _into(out, cupy.maximum(cupy.zeros((), x.dtype), x))

    def rsqrt(self, x: Any, out: Any = ...) -> Any:
        """1 / sqrt(x)."""
        return _into(out, cupy.reciprocal(cupy.sqrt(x)))


def _into(out: Any, result: Any) -> Any:
    if out is None or out is Ellipsis:
        return result
    out[...] = result
    return out


elementary = _Elementary()


def strided(x: Any, shape: Any, strides: Any, offset: int = 0) -> Any:
    """The memory of the array `x` read with another shape, strides in bytes and offset in bytes."""
    memory = cupy.cuda.MemoryPointer(x.data.mem, x.data.ptr - x.data.mem.ptr + offset)
    return ndarray(tuple(shape), x.dtype, memory, strides=tuple(strides))


def empty_strided(shape: Any, strides: Any, dtype: Any) -> Any:
    """An uninitialised array with these strides, in elements."""
    size = _layout.reach_of(shape, strides)
    itemsize = _np.dtype(dtype).itemsize
    memory = cupy.empty(max(size, 1), dtype)
    steps = tuple([s * itemsize for s in strides])
    return ndarray(
        tuple(shape), dtype, memory.data, strides=steps if size else _layout.repeated(list(steps))
    )


block = cupy.empty  # memory for so many numbers of a dtype


def as_array(x: Any) -> Any:
    """`x` as an array: CuPy gives 0-d arrays where NumPy gives scalars."""
    return x if type(x) is ndarray else cupy.asarray(x)


def pointer(x: Any) -> int:
    """The address of the first element."""
    return x.data.ptr


def storage(x: Any) -> Any:
    """The whole memory that `x` lies in, as a 1-d array of its dtype.

    CuPy rounds what it asks of a device up to 512 bytes, and so does this.
    """
    memory = x.data.mem
    return ndarray((memory.size // x.itemsize,), x.dtype, cupy.cuda.MemoryPointer(memory, 0))


def to_numpy(x: Any) -> Any:
    """The array in the memory of the host: a copy."""
    return cupy.asnumpy(x)


def expand(x: Any, shape: Any) -> Any:
    """A stride-0 view of `x` as the larger `shape`."""
    lead = len(shape) - x.ndim
    strides = (0,) * lead + tuple(
        [0 if n == 1 else s for n, s in zip(x.shape, x.strides, strict=True)]
    )
    return strided(x, shape, strides)


def threshold_backward(grad: Any, x: Any, threshold: float) -> Any:
    """The gradient where x > threshold or is NaN; 0 elsewhere, even where it is infinite."""
    return zeroed(grad, x <= threshold)


def zeroed(x: Any, mask: Any) -> Any:
    """A copy of `x` with 0 where `mask` is True, whatever stood there."""
    return cupy.where(mask, cupy.zeros((), x.dtype), x)
