"""The array language over NumPy: its names, those that ATen needs, and faster spellings.

`__getattr__` looks NumPy's names up at their first use: `from numpy import *` would load all of its
sub-packages, which takes 0.14 s.
"""

from __future__ import annotations

from functools import lru_cache as _lru_cache
from typing import Any

import numpy as _np

from minitorch.core.arrays import elementary  # noqa: F401  (xp.elementary.exp)
from minitorch.core.arrays import layout as _layout
from minitorch.core.arrays import too_large as _too_large
from minitorch.core.arrays.blocks import chosen as _chosen

ndarray, _empty, _zeros = _np.ndarray, _np.empty, _np.zeros
_copyto = getattr(_np.copyto, "_implementation", _np.copyto)
_FEW = 1 << 14  # elements, of which positions are kept

try:  # what numpy.einsum calls in the end, 0.5 us sooner
    from numpy._core.multiarray import c_einsum as _einsum
except ImportError:  # a NumPy that keeps it elsewhere
    _einsum = _np.einsum


def einsum(*given: Any, optimize: bool = False) -> Any:
    """As numpy.einsum; only with `optimize` does it look for matrix products."""
    return _np.einsum(*given, optimize=True) if optimize else _einsum(*given)


class Block(ndarray):
    """Memory that was made for one strided array; that array counts as its owner."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(ndarray).__reduce_ex__(protocol)


class Beyond:
    """The place behind the end of an array's memory where an empty view of it begins."""

    def __init__(self, x: Any, shape: Any, dtype: Any, strides: Any, offset: int) -> None:
        self.base = x
        self.__array_interface__ = {
            "data": (pointer(x) + offset, False), "shape": tuple(shape), "strides": tuple(strides),
            "typestr": dtype.str, "version": 3,
        }  # fmt: skip


_ARRAYS = (ndarray, Block, Beyond)
device_type, device_index = "cpu", None
fused = None  # NumPy has no launches to save; see on_cupy_fused.py
_float32, _float64 = _np.dtype("float32"), _np.dtype("float64")
# NumPy casts to a dtype 50 ns sooner than to the type of its scalars.
float32, float64, int64 = _float32, _float64, _np.dtype("int64")
complex64, complex128 = _np.dtype("complex64"), _np.dtype("complex128")


def __getattr__(name: str) -> Any:
    # The functions behind NumPy's dispatchers take 0.1 us less, but compute with arrays of another
    # device that hold no numbers, which these refuse.
    value = globals()[name] = getattr(_np, name)
    return value


def strided(x: Any, shape: Any, strides: Any, offset: int = 0) -> Any:
    """The memory of the array `x` read with another shape, strides in bytes and offset in bytes.

    offset: from the first element of `x`; it may point to any byte of the memory that `x` views.
    Such a view takes a tenth of the time of numpy.broadcast_to or as_strided.
    """
    try:
        return ndarray(shape, x.dtype, x, offset, strides)
    except (ValueError, TypeError):
        pass  # x is not contiguous, or the result reaches beyond x
    owner = storage(x)
    offset += pointer(x) - pointer(owner)
    if 0 in shape and offset > owner.nbytes:
        return _np.asarray(Beyond(owner, shape, x.dtype, strides, offset)).view(x.dtype)
    try:
        return ndarray(shape, x.dtype, _layout.memory_of(owner), offset, strides)
    except ValueError as error:
        raise _too_large.view_error(error, shape) from None


block = Block  # memory for so many numbers of a dtype


def over(memory: Any, x: Any, offset: int) -> Any:
    """An array like `x` over other memory, a vector of bytes, at an offset in bytes."""
    return ndarray(x.shape, x.dtype, memory, offset, x.strides)


def empty_strided(shape: Any, strides: Any, dtype: Any) -> Any:
    """An uninitialised array with these strides, in elements."""
    size, fresh = _layout.MEMORY[tuple(shape), tuple(strides)]
    try:
        if fresh:
            return _np.empty(shape, dtype)  # no view
        memory = block(size, dtype)
        itemsize = memory.itemsize
        steps = [s * itemsize for s in strides]
        return ndarray(shape, dtype, memory, 0, steps if size else _layout.repeated(steps))
    except (ValueError, MemoryError) as error:
        raise _too_large.strided_error(error, shape, strides, dtype) from None


def where(condition: Any, *choices: Any) -> Any:
    """As numpy.where, which takes six times as long for many elements by a random mask."""
    return _chosen(condition, *choices) if choices else _np.where(condition)


def as_array(x: Any) -> Any:
    """An array for a NumPy scalar, which NumPy makes of every 0-d result; arrays are unchanged."""
    return x if type(x) is ndarray else _np.asarray(x)


def pointer(x: Any) -> int:
    """The address of the first element."""
    return x.__array_interface__["data"][0]


def storage(x: Any) -> Any:
    """The array that owns the memory of `x`."""
    while type(x.base) in _ARRAYS:
        x = x.base
    return x


def offset_of(x: Any) -> int:
    """How many bytes the first element lies behind the start of the memory."""
    if x.base is None:
        return 0  # to ask for an address takes 0.8 us
    owner = storage(x)
    if x.size and x.nbytes == owner.nbytes and x.flags.c_contiguous:
        return 0  # it is all of it
    return pointer(x) - pointer(owner)


def empty(shape: Any, dtype: Any = None, order: Any = "C") -> Any:
    """As numpy.empty, with torch's errors for what is too large, for 50 ns."""
    try:
        return _empty(shape, dtype, order)
    except (ValueError, MemoryError) as error:
        raise _too_large.fresh_error(error, shape, dtype) from None


def zeros(shape: Any, dtype: Any = None, order: Any = "C") -> Any:
    """As numpy.zeros, with torch's errors for what is too large, for 50 ns."""
    try:
        return _zeros(shape, dtype, order)
    except (ValueError, MemoryError) as error:
        raise _too_large.fresh_error(error, shape, dtype) from None


def ones(shape: Any, dtype: Any = None) -> Any:
    """An array of ones, 0.5 us sooner than numpy.ones."""
    out = empty(shape, dtype)
    out.fill(1)
    return out


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    """An array that holds `value` everywhere, 0.5 us sooner than numpy.full."""
    if dtype is None:
        return _np.full(shape, value)
    out = empty(shape, dtype)
    _copyto(out, value, "unsafe")
    return out


def broadcast_to(x: Any, shape: Any) -> Any:
    """`x` repeated to a shape, not to be written; `x` itself if it has this shape."""
    own = x.shape
    if own == shape:
        return x
    lead = len(shape) - len(own)
    if type(x) is not ndarray or lead < 0 or not _fits(own, shape[lead:]):
        return _np.broadcast_to(x, shape)  # which says what is wrong
    return expand(x, shape)


def _fits(shape: Any, to: Any) -> bool:
    """Whether a shape can be repeated to another of as many dimensions."""
    return all([n == m or n == 1 for n, m in zip(shape, to)])


def moveaxis(x: Any, source: int, destination: int) -> Any:
    """A view with one axis elsewhere: as numpy.moveaxis, which takes 3 us more."""
    axes = [*range(x.ndim)]
    axis = axes.pop(source)
    axes.insert(destination if destination >= 0 else x.ndim + destination, axis)
    return x.transpose(axes)


def take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    """The elements at `indices` along one axis: as numpy.take_along_axis, 3 us sooner."""
    grid = _open_grid if x.size < _FEW else _open_grid.__wrapped__
    places = list(grid(x.shape))
    places[axis] = indices
    return x[tuple(places)]


@_lru_cache(256)
def _open_grid(shape: Any) -> Any:
    """For each axis its positions, of a shape that broadcasts with those of the others."""
    rank = len(shape)
    forms = [(1,) * i + (n,) + (1,) * (rank - 1 - i) for i, n in enumerate(shape)]
    return [_np.arange(n).reshape(form) for n, form in zip(shape, forms, strict=True)]


def own(x: Any) -> Any:
    """`x`, the only user of its memory, as an array that is no view of another."""
    base = x.base
    if type(base) is not ndarray:
        return x
    plain = x.flags.c_contiguous and _layout.is_plain(x)
    if plain and base.flags.c_contiguous and x.size == base.size:
        base.resize(x.shape, refcheck=False)
        return base
    out = empty_strided(x.shape, _layout.strides_of(x), x.dtype)
    out[...] = x
    return out


def to_numpy(x: Any) -> Any:
    """The array in the memory of the host: itself."""
    return x


def expand(x: Any, shape: Any) -> Any:
    """A stride-0 view of `x` as the larger `shape`."""
    lead = len(shape) - x.ndim
    strides = (0,) * lead + tuple(
        [0 if n == 1 else s for n, s in zip(x.shape, x.strides, strict=True)]
    )
    return strided(x, shape, strides)


def zeroed(x: Any, mask: Any) -> Any:
    """A copy of the floats `x` with 0 where `mask` is True, also in place of NaN.

    Large arrays are combined as bits: a tenth of the time of numpy.where, which mispredicts
    branches.
    """
    if not (x.flags.c_contiguous and mask.flags.c_contiguous):
        out = _np.empty_like(mask, x.dtype) if x.shape == mask.shape else x * mask  # its strides
        _np.copyto(out, x)
        _np.copyto(out, 0, where=mask)
        return out
    if x.shape != mask.shape:
        return as_array(_np.where(mask, _np.zeros((), x.dtype), x))
    integers = _BITS.get(x.dtype)
    if x.size < 1024 or integers is None:  # 0.4 us less than numpy.where for a few elements
        out = x.copy()
        _np.putmask(out, mask, 0 if integers is None else _ZEROS[x.dtype])
        return out
    keep = mask.view(_np.int8).astype(integers)
    keep -= 1
    return _np.bitwise_and(x.view(integers), keep, keep).view(x.dtype)


def threshold_backward(grad: Any, x: Any, threshold: float) -> Any:
    """The gradient where x > threshold or is NaN; 0 elsewhere, even where it is infinite."""
    return zeroed(grad, _np.less_equal(x, threshold, out=...))


_ZEROS = {kind: _np.zeros((), kind) for kind in (_float32, _float64)}
_BITS = {_float32: _np.dtype("int32"), _float64: _np.dtype("int64")}
