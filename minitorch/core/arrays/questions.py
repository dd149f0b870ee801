"""Questions about all elements of an array, in the fewest calls.

NumPy's methods any, all, min and max are functions of Python around a ufunc's reduction: 0.9 us for
few elements, where to count those that are not zero takes 0.2, and to find the place of the least
one 0.2. Many elements, and arrays of other namespaces, are asked by these methods.
"""

from __future__ import annotations

from typing import Any

import numpy

_FEW = 16384  # of a million, any and all take half as long as the count


def _are_few(x: Any) -> bool:
    return type(x) is numpy.ndarray and x.size < _FEW


def some(x: Any) -> Any:
    """Whether one of the elements is not zero: x.any()."""
    return bool(numpy.count_nonzero(x)) if _are_few(x) else x.any()


def every(x: Any) -> Any:
    """Whether none of the elements is zero: x.all()."""
    return numpy.count_nonzero(x) == x.size if _are_few(x) else x.all()


def least_of(x: Any) -> Any:
    """The least of the elements as a number, a NaN if there is one: x.min()."""
    return x.item(x.argmin()) if _are_few(x) else x.min()


def largest_of(x: Any) -> Any:
    """The largest of the elements as a number, a NaN if there is one: x.max()."""
    return x.item(x.argmax()) if _are_few(x) else x.max()
