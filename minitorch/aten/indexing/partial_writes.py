"""Partial writes of in-place operators that come to an index that is out of range.

torch's kernels check an index when they are about to write there; the numbers before it have been
written by then, and the version is as before.
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
    """Writes into `self` the elements before the index that `refusal` names."""
    if not _is_known(name, self._array, args, str(refusal)):
        return
    x = self._array
    if name == "put_":
        (index, value, *rest), shape, axis = args, (x.size,), 0
    else:
        (dim, index, value, *rest), shape = args, x.shape or (1,)
        axis = dim % len(shape)
    words = [*rest, *kwargs.values()]
    named = [each for each in words if type(each) is str]
    whole, alpha = kwargs.get("include_self", True), kwargs.get("alpha", 1)
    buffered = x.itemsize == 2 and x.dtype.kind in "fV"  # which such kernels copy back at the end
    if buffered and (name[:2] == "sc" or (name == "index_add_" and x.ndim > 1 and alpha == 1)):
        return
    value = getattr(value, "_array", value)
    at = _spread(name, index._array, value, shape, axis)
    inner = name == "index_add_" and 0 < axis < x.ndim - 1
    by_slice = (name == "index_reduce_" and whole) or alpha != 1 or inner
    before = _before_the_first_fault(name, at, shape[axis], axis if by_slice else None)
    places = places_in(on_numpy, shape, axis, at % shape[axis])[before]
    if getattr(value, "shape", ()):
        value = value.reshape(at.shape) if name == "put_" else value
        value = value[tuple([slice(n) for n in at.shape])][before]
    flat = numpy.array(x.reshape(-1))
    reduce = named[0] if named else "sum"
    adds = any(words) if name == "put_" else "add_" in name
    if not whole:
        flat[places] = neutral(x.dtype, reduce)
    elif adds or named:
        _UFUNCS[reduce].at(flat, places, value if alpha == 1 else value * alpha)
    else:
        flat[places] = value
    x[...] = flat.reshape(x.shape)


def _is_known(name: str, x: Any, args: Any, text: str) -> bool:
    """Whether the order in which torch's kernel writes is known for this call."""
    if name not in _NAMES or not text.startswith(_TEXTS) or len(args) < 3 - (name == "put_"):
        return False
    if type(x) is not numpy.ndarray or not x.size:
        return False
    return x.ndim <= 2 or x.flags.c_contiguous or name == "put_"


def _spread(name: str, at: Any, value: Any, shape: tuple[int, ...], axis: int) -> Any:
    """The index of each number that is written, in the shape of these numbers."""
    if name.startswith("index_"):
        span = getattr(value, "shape", ()) or (*shape[:axis], at.size, *shape[axis + 1 :])
        at = at.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        return numpy.broadcast_to(at, span)
    return at.reshape(-1) if not at.ndim or name == "put_" else at


def _before_the_first_fault(name: str, at: Any, size: int, axis: int | None) -> Any:
    """A mask of the indices that come before one that is out of range.

    axis: the kernel goes along it for each slice on its own; None where it goes over all in order.
    """
    first = -size if name in ("put_", "index_fill_") else 0
    wrong = (at < first) | (at >= size)
    if axis is not None:
        return ~numpy.logical_or.accumulate(wrong, axis)
    return ~numpy.logical_or.accumulate(wrong.reshape(-1)).reshape(at.shape)
