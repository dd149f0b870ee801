"""The array language: which namespace (`xp`) computes on a given kind of array.

A namespace is NumPy or CuPy, plus the names that ATen needs and faster spellings. CuPy's namespace
is added when the first CUDA tensor is made, that of arrays without numbers with the first meta
tensor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

from minitorch.core.arrays import lazy, on_numpy
from minitorch.core.arrays.freed_memory import keep_freed_memory
from minitorch.core.arrays.missing import NUMBERLESS
from minitorch.core.arrays.namespaces import NAMESPACES as NAMESPACES

keep_freed_memory()

NAMESPACES |= {numpy.ndarray: on_numpy, on_numpy.Block: on_numpy, lazy.Lazy: lazy}


def namespace(x: Any) -> Any:
    """The namespace whose functions take the array `x`."""
    try:
        return NAMESPACES[type(x)]
    except KeyError:
        if isinstance(x, numpy.generic):  # NumPy makes scalars of 0-d results
            return on_numpy
        raise


def offset_of(x: Any) -> int:
    """How many bytes the first element of an array lies behind the start of its memory."""
    if type(x) is numpy.ndarray:
        return on_numpy.offset_of(x)
    xp = namespace(x)
    return int(xp.pointer(x) - xp.pointer(xp.storage(x)))


def retyped(x: Any, dtype: Any) -> Any:
    """The memory of an array read as numbers of another of NumPy's dtypes."""
    xp = namespace(x)
    return x.view(xp.dtype_here(dtype) if xp.device_type == "cuda" else dtype)


# The type of arrays of CuPy's, once it is there -> whether one lies row by row without gaps.
DEVICE_ARRAYS: dict[type, Callable[[Any], bool]] = {}
_absent: set[str] = set()  # packages that were looked for and were not there


def meta() -> ModuleType:
    """The namespace of arrays without numbers."""
    from minitorch.core.arrays import on_meta  # start-up: 0.9 ms

    if not NUMBERLESS:
        NUMBERLESS.append(on_meta.ndarray)
        NAMESPACES[on_meta.ndarray] = on_meta
    return on_meta


def on_device(type: str, index: int | None = None) -> ModuleType:
    """The namespace of arrays on a device, of type "cpu", "cuda" or "meta"."""
    if type == "cpu":
        return on_numpy
    if type == "meta":
        return meta()
    xp = cuda()
    if index:
        xp.check_index(index)
    return xp


def lies_pinned(x: Any) -> bool:
    """Whether a NumPy array lies in memory that is locked for copies to a device."""
    return bool(DEVICE_ARRAYS) and cuda().is_pinned(x)


def cuda() -> ModuleType:
    """The CuPy namespace. AssertionError with torch's text if CuPy or a device is missing."""
    try:
        # An import that fails takes 5 ms, each time.
        if "cupy" in _absent and "cupy" not in sys.modules:
            raise ImportError
        from minitorch.core.arrays import on_cupy  # start-up: it needs CuPy
    except ImportError:
        _absent.add("cupy")
        raise AssertionError("Torch not compiled with CUDA enabled") from None
    NAMESPACES.setdefault(on_cupy.ndarray, on_cupy)
    DEVICE_ARRAYS[on_cupy.ndarray] = on_cupy.is_plain
    return on_cupy
