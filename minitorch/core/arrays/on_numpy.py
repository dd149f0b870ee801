"""The array language over NumPy: NumPy's own names, the names ATen needs, and the fast spellings.

NumPy's names are handed through by `__getattr__` when they are first asked for: `from numpy import
*` would load all of its sub-packages, 0.14 s of them.
"""

from __future__ import annotations

from typing import Any

import numpy as _np

from minitorch.core.arrays import elementary  # noqa: F401  (xp.elementary.exp)
from minitorch.core.arrays import layout as _layout

ndarray = _np.ndarray


class Block(ndarray):
    """Memory that was made for one strided array, which is its owner in all but name."""

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


def __getattr__(name: str) -> Any:
    value = getattr(_np, name)
    # The function itself, without the question whether an operand's class overrides it: 0.1 us.
    value = globals()[name] = getattr(value, "_implementation", value)
    return value


def strided(x: Any, shape: Any, strides: Any, offset: int = 0) -> Any:
    """The memory of the array `x` read with another shape, strides in bytes and offset in bytes.

    offset: from the first element of `x`; it may lead anywhere inside the memory that `x` views.
    A view made so is 10 times faster than numpy.broadcast_to or as_strided.
    """
    try:
        return ndarray(shape, x.dtype, x, offset, strides)
    except (ValueError, TypeError):
        pass  # x is not contiguous, or the result reaches beyond x
    owner = storage(x)
    offset += pointer(x) - pointer(owner)
    if 0 in shape and offset > owner.nbytes:
        return _np.asarray(Beyond(owner, shape, x.dtype, strides, offset)).view(x.dtype)
    return ndarray(shape, x.dtype, _layout.memory_of(owner), offset, strides)


block = Block  # memory for so many numbers of a dtype


def empty_strided(shape: Any, strides: Any, dtype: Any) -> Any:
    """An uninitialised array with these strides, in elements."""
    size, fresh = _layout.MEMORY[tuple(shape), tuple(strides)]
    if fresh:
        return _np.empty(shape, dtype)  # nobody's view
    memory = block(size, dtype)
    itemsize = memory.itemsize
    steps = [s * itemsize for s in strides]
    return ndarray(shape, dtype, memory, 0, steps if size else _layout.repeated(steps))


def as_array(x: Any) -> Any:
    """A NumPy scalar, as NumPy makes of every 0-d result, as the 0-d array it should have been."""
    return x if type(x) is ndarray else _np.asarray(x)


def pointer(x: Any) -> int:
    """The address of the first element."""
    return x.__array_interface__["data"][0]


def storage(x: Any) -> Any:
    """The array that owns the memory of `x`."""
    while type(x.base) in _ARRAYS:
        x = x.base
    return x


def own(x: Any) -> Any:
    """`x`, whose memory nobody else holds, as an array that is nobody's view."""
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
    """A copy of the floats `x` with 0 where `mask` is True, whatever stood there.

    Large arrays by their bits: a tenth of the time of numpy.where, whose branches miss.
    """
    if not (x.flags.c_contiguous and mask.flags.c_contiguous):
        out = _np.empty_like(mask, x.dtype) if x.shape == mask.shape else x * mask  # its strides
        _np.copyto(out, x)
        out[mask] = 0
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
