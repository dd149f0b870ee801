"""Floats of 8 bits and complex32 on CUDA: structures, which CuPy moves and does not compute with.

NumPy's floats of 8 bits have a second field, without bytes. There is no such type in a kernel: here
they have one field. A cast of it to numbers does not compile, so that it is refused, too.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as _np

from minitorch.core.arrays import layout as _layout
from minitorch.core.numbers import dtype as _dtypes
from minitorch.core.numbers import float8 as _float8

# The dtype of an array of floats of 8 bits in memory of the host -> that of one on a device.
_HERE: dict[Any, Any] = {}


def dtype_here(dtype: Any) -> Any:
    """The dtype in which a device holds numbers that have this one in memory of the host."""
    if not isinstance(dtype, _np.dtype) or dtype.names is None or len(dtype.names) == 1:
        return dtype
    if _float8.is_complex_half(dtype):
        return dtype
    try:
        return _HERE[dtype]
    except KeyError:
        made = _HERE[dtype] = _np.dtype([(dtype.names[0], _np.uint8)])
        _dtypes.FROM_NUMPY[made] = _dtypes.FROM_NUMPY[dtype]
        return made


def on_host(x: Any) -> Any:
    """An array that came from a device, in the dtype which the host has for its numbers."""
    return x.view(_dtypes.of(x).numpy) if x.dtype.names else x


def from_host(x: Any) -> Any:
    """An array of the host in the dtype that a device has for its numbers."""
    return x.view(dtype_here(x.dtype)) if x.dtype.names else x


def widened(xp: Any, x: Any) -> Any:
    """An array of complex32 as complex64, one of floats of 8 bits as float32."""
    if _float8.is_complex_half(x.dtype):
        out = _laid_out_as(xp, x, _np.complex64)
        if x.size:  # CuPy has no fields of nothing
            out.real[...], out.imag[...] = x["real"], x["imag"]
        return out
    out = _laid_out_as(xp, x, _np.float32)
    name = x.dtype.names[0]
    out[...] = _numbers(xp, name)[x[name]]
    return out


def complex_halves(xp: Any, x: Any, dtype: Any, order: Any) -> Any:
    """Numbers as complex32."""
    out = _laid_out_as(xp, x, dtype, order)
    for name in ("real", "imag") if x.size else ():
        if x.dtype.kind == "c":
            out[name][...] = getattr(x, name).astype(_np.float16)
        else:
            out[name][...] = x.astype(_np.float16) if name == "real" else 0
    return out


def floats8(xp: Any, x: Any, dtype: Any, order: Any) -> Any:
    """Numbers as floats of 8 bits, rounded as the host rounds them: by where its codes change."""
    out = _laid_out_as(xp, x, dtype_here(dtype), order)
    patterns = _laid_out_as(xp, x, _np.float32, order)
    patterns[...] = x
    patterns = patterns.view(_np.int32)
    name = out.dtype.names[0]
    firsts, codes = _steps(xp, name)
    steps = xp.searchsorted(firsts, patterns & 0x7FFFFFFF, "right") - 1
    out[name][...] = codes[(patterns < 0).astype(_np.int64), steps]
    return out


def _laid_out_as(xp: Any, x: Any, dtype: Any, order: Any = "K") -> Any:
    """An uninitialised array of another dtype with the shape of `x`, in the order of its axes."""
    if order == "C":
        return xp.empty(x.shape, dtype)
    strides = _layout.preserved_strides(x.shape, _layout.strides_of(x))
    return xp.empty_strided(x.shape, strides, dtype)


@cache
def _numbers(xp: Any, name: str) -> Any:
    """The 256 numbers of a format."""
    return xp.asarray(_float8.numbers(name))


@cache
def _steps(xp: Any, name: str) -> tuple[Any, Any]:
    """The table of `float8.steps`."""
    firsts, codes = _float8.steps(name)
    return xp.asarray(firsts), xp.asarray(codes)
