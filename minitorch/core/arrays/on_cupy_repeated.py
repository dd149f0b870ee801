"""Writing at places that repeat, `ufunc.at`, in every dtype: CuPy adds in seven of them.

CuPy's own additions are used where there are some. Its maximum.at and minimum.at are not used for
floats: they compare doubles rounded to float32, and drop NaN, which NumPy and torch keep.
"""

from __future__ import annotations

import functools
from typing import Any

import cupy
import numpy as _np

_ADDED_BY_CUPY = "ilqILQefd"
_COMPARED_BY_CUPY = "ilqILQ"

# The new number at a place, of `now`, which stands there, and `value`. NaN wins a comparison.
_STEPS = {
    "multiply": "now * value",
    "maximum": "now != now || now >= value ? now : value",
    "minimum": "now != now || now <= value ? now : value",
}

# One word is read, and written unless another thread was quicker, in which case all starts again.
_PREAMBLE = """
template <int size> struct minitorch_word { typedef unsigned int type; };
template <> struct minitorch_word<8> { typedef unsigned long long type; };
"""
_LOOP = """
    typedef typename minitorch_word<sizeof(T)>::type Word;
    Word* word = (Word*)&x[place < 0 ? place + x.size() : place];
    Word seen = *word, before;
    do {
        before = seen;
        T now, next;
        memcpy(&now, &before, sizeof(T));
        next = STEP;
        Word after;
        memcpy(&after, &next, sizeof(T));
        seen = atomicCAS(word, before, after);
    } while (seen != before);
"""


def write_at(name: str, x: Any, places: Any, values: Any) -> None:
    """`getattr(numpy, name).at(x, places, values)` for vectors `x`.

    Args:
        name: "add", "subtract", "multiply", "maximum" or "minimum".
        places: integers; negative ones count from the end.
        values: an array that broadcasts with `places`, or a number.
    """
    if hasattr(values, "dtype"):
        values = values.astype(x.dtype, copy=False)
    else:
        values = cupy.asarray(values, x.dtype)
    if name == "subtract":
        name, values = "add", cupy.negative(values)
    wide = _wide(name, x.dtype)
    if wide != x.dtype:  # what is left over is cut off, or rounded, once at the end
        total = x.astype(wide)
        write_at(name, total, places, values.astype(wide))
        x[...] = total != 0 if x.dtype.kind == "b" else total.astype(x.dtype)
    elif name == "add":
        _add(x, places, values)
    elif x.dtype.char in _COMPARED_BY_CUPY and name != "multiply":
        getattr(cupy, name).at(x, places, values)
    elif x.itemsize == 16:  # a complex number of two doubles is more than one word
        host = cupy.asnumpy(x)
        getattr(_np, name).at(host, cupy.asnumpy(places), cupy.asnumpy(values))
        x[...] = cupy.asarray(host)
    else:
        _kernel(name)(values, places, x)


def _add(x: Any, places: Any, values: Any) -> None:
    if x.dtype.kind == "c":
        cupy.add.at(x.real, places, values.real)
        cupy.add.at(x.imag, places, values.imag)
    else:
        cupy.add.at(x, places, values)


def _wide(name: str, dtype: Any) -> Any:
    """The dtype that is computed in: that of the numbers unless no kernel is that narrow."""
    if name == "add" and dtype.char in _ADDED_BY_CUPY:
        return dtype
    if dtype.kind in "fV":
        return _np.dtype(_np.float32) if dtype.itemsize == 2 else dtype
    if dtype.kind in "iub" and dtype.itemsize < 4:
        return _np.dtype(_np.int64)
    return dtype


@functools.cache
def _kernel(name: str) -> Any:
    return cupy.ElementwiseKernel(
        "T value, int64 place",
        "raw T x",
        _LOOP.replace("STEP", _STEPS[name]),
        f"minitorch_{name}_at",
        preamble=_PREAMBLE,
    )
