"""What in-place operators write before they come to an index that is out of range.

torch's kernels look at an index when they are about to write there; the numbers before it have been
written by then, and the version is what it was.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays import on_numpy
from minitorch.core.arrays.scatter import neutral, places_in

_NAMES = frozenset(
    "scatter_ scatter_add_ scatter_reduce_ index_add_ index_copy_ index_fill_ index_reduce_ "
    "put_".split()
)
_TEXTS = ("index ", "index_copy_(): index ", "out of range: ")
_UFUNCS = {
    "add": numpy.add,
    "sum": numpy.add,
    "mean": numpy.add,  # which is divided at the end
    "multiply": numpy.multiply,
    "prod": numpy.multiply,
    "amax": numpy.maximum,
    "amin": numpy.minimum,
}


def write_reached(name: str, self: Any, args: Any, kwargs: Any, refusal: Exception) -> None:
    """Writes into `self` what comes before the index that `refusal` speaks of."""
    text, x = str(refusal), self._array
    known = name in _NAMES and text.startswith(_TEXTS)
    known = known and type(x) is numpy.ndarray and x.size > 0
    if not known or len(args) < 3 - (name == "put_"):
        return
    if x.ndim > 2 and not x.flags.c_contiguous and name != "put_":  # in an order of its own
        return
    flat = numpy.array(x.reshape(-1))
    if name == "put_":
        (index, value, *rest), shape, axis = args, flat.shape, 0
    else:
        (dim, index, value, *rest), shape = args, x.shape or (1,)
        axis = dim % len(shape)
    at, size = index._array, shape[axis]
    whole, alpha = kwargs.get("include_self", True), kwargs.get("alpha", 1)
    buffered = x.itemsize == 2 and x.dtype.kind in "fV"  # which such kernels copy back at the end
    if buffered and (name[:2] == "sc" or (name == "index_add_" and x.ndim > 1 and alpha == 1)):
        return
    value = getattr(value, "_array", value)
    if name.startswith("index_"):
        span = getattr(value, "shape", ()) or (*shape[:axis], at.size, *shape[axis + 1 :])
        at = at.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        at = numpy.broadcast_to(at, span)
    elif not at.ndim or name == "put_":
        at = at.reshape(-1)
    first = -size if name in ("put_", "index_fill_") else 0
    wrong = (at < first) | (at >= size)
    inner = name == "index_add_" and 0 < axis < x.ndim - 1
    if (name == "index_reduce_" and whole) or alpha != 1 or inner:  # slice for slice
        before = ~numpy.logical_or.accumulate(wrong, axis)
    else:
        before = ~numpy.logical_or.accumulate(wrong.reshape(-1)).reshape(at.shape)
    places = places_in(on_numpy, shape, axis, numpy.where(wrong, 0, at % size))[before]
    if getattr(value, "shape", ()):
        value = value.reshape(at.shape) if name == "put_" else value
        value = value[tuple([slice(n) for n in at.shape])][before]
    named = [each for each in (*kwargs.values(), *rest) if type(each) is str]
    reduce = named[0] if named else "sum"
    adds = any([*rest, *kwargs.values()]) if name == "put_" else "add_" in name
    if not whole:
        flat[places] = neutral(x.dtype, reduce)
    elif adds or named:
        _UFUNCS[reduce].at(flat, places, value if alpha == 1 else value * alpha)
    else:
        flat[places] = value
    x[...] = flat.reshape(x.shape)
