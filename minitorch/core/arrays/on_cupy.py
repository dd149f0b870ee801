"""The array language over CuPy: CuPy's own names, and the same extra names as on_numpy.py.

Imported when the first CUDA tensor is made; ImportError if CuPy is missing or finds no device.
"""

from __future__ import annotations

import weakref
from typing import Any

import cupy
import numpy as _np

from minitorch.core.arrays import elementary as _on_host
from minitorch.core.arrays import layout as _layout
from minitorch.core.arrays import on_cupy_faults, on_cupy_fused
from minitorch.core.arrays import on_cupy_structures as structures
from minitorch.core.arrays.on_cupy_bfloat16 import (  # noqa: F401 - names of the namespace
    isin,
    lexsort,
    searchsorted,
    unique,
    where,
)
from minitorch.core.arrays.on_cupy_products import matmul  # noqa: F401
from minitorch.core.arrays.on_cupy_structures import dtype_here
from minitorch.core.arrays.on_cupy_ufunc import Composed, Ufunc, into, note_owner
from minitorch.core.arrays.on_numpy import empty_strided as _on_host_strided
from minitorch.core.numbers.device import AcceleratorError

if not cupy.cuda.is_available():
    raise ImportError("CuPy is installed, but there is no CUDA device")

fused = on_cupy_fused
ndarray = cupy.ndarray
device_type, device_index = "cuda", 0


def is_plain(x: Any) -> bool:
    """Whether an array lies row by row without gaps, also along dimensions of size 1."""
    if not x._c_contiguous:  # 0.3 us less than x.flags.c_contiguous
        return False
    shape = x.shape
    # Along other sizes such strides are what they have to be: 0.2 us less.
    return (1 not in shape and 0 not in shape) or _layout.is_plain(x)


def check_index(index: int) -> None:
    """Raises for the number of a device other than the first, which holds all tensors."""
    if index >= cupy.cuda.runtime.getDeviceCount():
        raise AcceleratorError(on_cupy_faults.INVALID_DEVICE)
    raise NotImplementedError(f"tensors on cuda:{index}: there are tensors on cuda:0 alone")


def __getattr__(name: str) -> Any:
    value = getattr(cupy, name)
    if isinstance(value, cupy.ufunc):
        value = Ufunc(value)
    globals()[name] = value
    return value


class _Elementary:
    """xp.elementary: the functions of core/arrays/elementary.py, in the dtype of their operands."""

    def __getattr__(self, name: str) -> Any:
        own = getattr(cupy, name, None)
        if own is None:
            from cupyx.scipy import special

            own = getattr(special, name, None)
        function = _of_host(name) if own is None or name in _SCALED else Ufunc(own)
        if name in _BESSEL:
            function = _doubles_of_host(name, function)
        setattr(self, name, function)
        return function

    def logaddexp(self, x: Any, y: Any, out: Any = ...) -> Any:
        """log(exp(x) + exp(y)), which CuPy has of real numbers alone."""
        if x.dtype.kind == "c":
            return into(out, _on_host.complex_logaddexp(cupy, x, y))
        return into(out, cupy.logaddexp(x, y))

    sigmoid = Ufunc(Composed("sigmoid", "T(1) / (T(1) + exp(-x))"))
    relu = Ufunc(Composed("relu", "x < T(0) ? T(0) : x"))
    rsqrt = Ufunc(Composed("rsqrt", "T(1) / sqrt(x)"))


# As ATen/native/cuda/GcdLcmKernel.cu; CuPy's overflow otherwise.
_DIVISOR = """
template <typename T> __device__ T divisor(T a, T b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (a != 0) {
        T c = a;
        a = b % a;
        b = c;
    }
    return b;
}
template <typename T> __device__ T multiple(T a, T b) {
    T g = divisor(a, b);
    auto found = g == 0 ? 0 : a / g * b;
    return found < 0 ? -found : found;
}
"""
gcd = Ufunc(Composed("gcd", "divisor<T>(x, y)", "T x, T y", _DIVISOR))
lcm = Ufunc(Composed("lcm", "multiple<T>(x, y)", "T x, T y", _DIVISOR))


def _of_host(name: str) -> Any:
    """A function that neither CuPy nor its SciPy has, evaluated on the CPU."""

    def evaluated(*arrays: Any, out: Any = ...) -> Any:
        result = getattr(_on_host, name)(*[cupy.asnumpy(x) for x in arrays])
        return into(out, asarray(_np.asarray(result)))

    return evaluated


# CuPy multiplies what overflows by what vanishes: i0e(100.0) is infinite, of float32.
_SCALED = frozenset(("i0e", "i1e", "k0e", "k1e"))
# Of doubles ATen's, on CUDA as on the CPU, whose fractions lack coefficients.
_BESSEL = frozenset(("j0", "j1", "y0", "y1"))


def _doubles_of_host(name: str, of_single: Any) -> Any:
    """A function that is evaluated on the CPU for doubles."""
    of_double = _of_host(name)

    def evaluated(x: Any, out: Any = ...) -> Any:
        return (of_double if x.dtype == _np.float64 else of_single)(x, out=out)

    return evaluated


elementary = _Elementary()


def asarray(x: Any, dtype: Any = None, **options: Any) -> Any:
    """cupy.asarray; an array that NumPy has in another order of its axes keeps its strides."""
    if dtype is not None:
        dtype = dtype_here(dtype)
    if type(x) is _np.ndarray and x.dtype.names is not None:
        x = structures.from_host(x)
    if type(x) is _np.ndarray and x.ndim > 1 and not options:
        steps = _layout.strides_of(x)
        plain = steps == _layout.contiguous_strides(x.shape)
        whole = not x.size or _layout.reach_of(x.shape, steps) == x.size
        if whole and not plain and min(steps) >= 0:
            out = empty_strided(x.shape, steps, x.dtype if dtype is None else dtype)
            out[...] = cupy.asarray(x)
            return out
    return cupy.asarray(x, dtype, **options)


def empty(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
    """cupy.empty, in the dtype that a device has for numbers of this one."""
    return cupy.empty(shape, dtype_here(dtype), order)


def zeros(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
    """cupy.zeros, likewise."""
    return cupy.zeros(shape, dtype_here(dtype), order)


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    """cupy.full, likewise; a structure may have the host's dtype."""
    if isinstance(value, _np.void):
        value = structures.from_host(value)
    return cupy.full(shape, value, value.dtype if isinstance(value, _np.void) else dtype)


def concatenate(arrays: Any, axis: Any = 0, **options: Any) -> Any:
    """The arrays one after the other. ValueError for 0-d ones, where CuPy has a TypeError."""
    if axis is not None and any([not x.ndim for x in arrays]):
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    return cupy.concatenate(arrays, axis, **options)


def nonzero(x: Any) -> tuple[Any, ...]:
    """The positions of the nonzero elements, each axis in memory of its own."""
    return tuple([places.copy() for places in cupy.nonzero(x)])


def strided(x: Any, shape: Any, strides: Any, offset: int = 0) -> Any:
    """The memory of the array `x` read with another shape, strides in bytes and offset in bytes."""
    data = x.data
    memory = data.mem
    if not memory.ptr:  # an array of no bytes, which nothing lies in at any offset
        return ndarray(tuple(shape), x.dtype, data, strides=tuple(strides))
    _asked_of(memory, x)
    place = cupy.cuda.MemoryPointer(memory, data.ptr - memory.ptr + offset)
    return ndarray(tuple(shape), x.dtype, place, strides=tuple(strides))


def _asked_of(memory: Any, x: Any) -> int:
    """How many bytes were asked of CuPy for the memory in which `x` lies; CuPy rounds them up.

    They are noted when the first view is made, which does not know what it is a view of: before
    that all is in use. CuPy's own views know it.
    """
    try:
        known = memory.__dict__
    except AttributeError:  # memory that does not come from CuPy's pool
        return memory.size
    if "asked" not in known:
        note_owner(x if x.base is None else x.base)
    return known["asked"]


def over(memory: Any, x: Any, offset: int) -> Any:
    """An array like `x` over other memory, a vector of bytes, at an offset in bytes."""
    note_owner(memory)
    return ndarray(x.shape, x.dtype, memory.data + offset, strides=x.strides)


def owner_of(x: Any) -> Any:
    """The array that `x` is a view of; `x` itself if it is no view."""
    memory = x.data.mem
    known = getattr(memory, "__dict__", ())
    if "asked" not in known:
        return x if x.base is None else x.base
    owner = known["owner"]()
    if owner is None:  # only views of it are left
        shape, dtype, strides, offset = known["form"]
        owner = ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, offset), strides=strides)
        known["owner"] = weakref.ref(owner)
    return owner


def empty_strided(shape: Any, strides: Any, dtype: Any) -> Any:
    """An uninitialised array with these strides, in elements."""
    size = _layout.reach_of(shape, strides)
    itemsize = _np.dtype(dtype).itemsize
    dtype = dtype_here(dtype)
    memory = cupy.empty(size, dtype)
    steps = tuple([s * itemsize for s in strides])
    out = ndarray(
        tuple(shape), dtype, memory.data, strides=steps if size else _layout.repeated(list(steps))
    )
    if size:
        note_owner(out, memory.nbytes)
    return out


block = empty  # memory for so many numbers of a dtype


def as_array(x: Any) -> Any:
    """`x` as an array: CuPy gives 0-d arrays where NumPy gives scalars."""
    return x if type(x) is ndarray else cupy.asarray(x)


def pointer(x: Any) -> int:
    """The address of the first element."""
    return x.data.ptr


def storage(x: Any) -> Any:
    """The whole memory in which `x` lies, as a 1-d array of its dtype, or of bytes."""
    memory = x.data.mem
    size = _asked_of(memory, x)
    count, rest = divmod(size, x.itemsize)
    dtype, count = (_np.dtype(_np.uint8), size) if rest else (x.dtype, count)
    return ndarray((count,), dtype, cupy.cuda.MemoryPointer(memory, 0))


def to_numpy(x: Any) -> Any:
    """The array in the memory of the host: a copy, with its strides if they leave no gaps."""
    if is_plain(x) or not _layout.is_dense(x.shape, strides := _layout.strides_of(x)):
        held = cupy.asnumpy(x)
    else:
        held = _on_host_strided(x.shape, strides, x.dtype)
        if x.size:
            memory = held.reshape(-1) if held.base is None else held.base
            ndarray((x.size,), x.dtype, x.data).get(out=memory)
    on_cupy_faults.check()
    return held if held.dtype.names is None else structures.on_host(held)


def overwrite(x: Any, held: Any) -> None:
    """Copies an array of the host into `x`; returns as soon as it is there, for any stream.

    On a stream of its own: the caller may be a thread that knows nothing of the current one, and
    waits for no kernels but this copy.
    """
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x[...] = asarray(held)
        stream.synchronize()


def pinned(x: Any) -> Any:
    """A copy of an array of NumPy's, with its strides, in memory from which a device reads by
    itself."""
    size = _layout.reach_of(x.shape, _layout.strides_of(x))
    held = cupy.cuda.alloc_pinned_memory(max(size * x.itemsize, 1))
    out = _np.ndarray(x.shape, x.dtype, _np.frombuffer(held, _np.uint8), 0, x.strides)
    out[...] = x
    return out


def is_pinned(x: Any) -> bool:
    """Whether a NumPy array lies in memory that `pinned` allocated."""
    while isinstance(x, _np.ndarray):
        x = x.base
    return isinstance(getattr(x, "obj", x), cupy.cuda.PinnedMemoryPointer)


def expand(x: Any, shape: Any) -> Any:
    """A stride-0 view of `x` as the larger `shape`."""
    lead = len(shape) - x.ndim
    strides = (0,) * lead + tuple(
        [0 if n == 1 else s for n, s in zip(x.shape, x.strides, strict=True)]
    )
    return strided(x, shape, strides)


def threshold_backward(grad: Any, x: Any, threshold: float) -> Any:
    """The gradient where x > threshold or is NaN; 0 elsewhere, even where it is infinite."""
    if threshold == 0 and fused is not None and fused.is_plain(grad, x):
        return fused.threshold_backward(grad, x)
    return zeroed(grad, x <= threshold)


def zeroed(x: Any, mask: Any) -> Any:
    """A copy of `x` with 0 where `mask` is True, also in place of NaN."""
    return where(mask, cupy.zeros((), x.dtype), x)
