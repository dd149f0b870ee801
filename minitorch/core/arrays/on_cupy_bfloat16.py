"""Functions for which CuPy has no kernel of bfloat16: selections move bits, sorts use float32.

Selections move the bits of structures, too: of complex32 and of floats of 8 bits.

float32 holds every number of bfloat16, in the same order.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as _np

from minitorch.core.arrays.on_cupy_ufunc import Ufunc


def where(mask: Any, *values: Any) -> Any:
    """cupy.where, which makes float32 of bfloat16, and refuses structures."""
    kinds = {x.dtype for x in values if hasattr(x, "dtype")}
    if len(kinds) != 1 or (kind := kinds.pop()).kind != "V":
        return _where(mask, *values) if values else cupy.where(mask)
    bits = [cupy.asarray(x, kind).view(f"u{kind.itemsize}") for x in values]
    return _where(mask, *bits).view(kind)


_where = Ufunc(cupy.where)  # laid out as its operands are


def unique(x: Any, **options: Any) -> Any:
    """The different elements in their order, and what else was asked for."""
    found = cupy.unique(_as_key(x), **options)
    if type(found) is not tuple:
        return found.astype(x.dtype, copy=False)
    return (found[0].astype(x.dtype, copy=False), *found[1:])


def lexsort(keys: Any) -> Any:
    """The places in the order of the last key; where it is equal, of the key before, and so on."""
    return cupy.lexsort(_as_key(keys))


def isin(x: Any, among: Any, **options: Any) -> Any:
    """For each element, whether it is one of `among`."""
    return cupy.isin(_as_key(x), _as_key(among), **options)


def searchsorted(x: Any, values: Any, side: str = "left", sorter: Any = None) -> Any:
    """The places among the sorted `x` where values would stand."""
    return cupy.searchsorted(_as_key(x), _as_key(values), side, sorter)


def _is_bfloat16(dtype: Any) -> bool:
    return dtype.kind == "V" and dtype.name == "bfloat16"


def _as_key(x: Any) -> Any:
    return x.astype(_np.float32) if _is_bfloat16(x.dtype) else x
