"""Questions about all elements of an array, in the fewest calls.

NumPy's methods any, all, min and max are functions of Python around a ufunc's reduction: 0.9 us for
few elements, where to count those that are not zero takes 0.2, and to find the place of the least
one 0.2. Many elements, and arrays of other namespaces, are asked by these methods.
"""

from __future__ import annotations

from typing import Any

import numpy

try:  # what numpy.count_nonzero calls, 0.2 us sooner
    from numpy._core.multiarray import count_nonzero as _count
except ImportError:  # a NumPy that keeps it elsewhere
    _count = numpy.count_nonzero

_ndarray = numpy.ndarray
_FEW = 16384  # of a million, any and all take half as long as the count


def some(x: Any) -> Any:
    """Whether one of the elements is not zero: x.any()."""
    return bool(_count(x)) if type(x) is _ndarray and x.size < _FEW else x.any()


def every(x: Any) -> Any:
    """Whether none of the elements is zero: x.all()."""
    return _count(x) == x.size if type(x) is _ndarray and x.size < _FEW else x.all()


def least_of(x: Any) -> Any:
    """The least of the elements as a number, a NaN if there is one: x.min()."""
    return x.item(x.argmin()) if type(x) is _ndarray and x.size < _FEW else x.min()


def largest_of(x: Any) -> Any:
    """The largest of the elements as a number, a NaN if there is one: x.max()."""
    return x.item(x.argmax()) if type(x) is _ndarray and x.size < _FEW else x.max()
