"""The gradient of relu and its kin: the one formula of a few elements that NumPy takes long for."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays import namespace
from minitorch.core.arrays.scalars import NUMBERS

# NumPy's own module is slow to ask (40 ns a name), because it has a __getattr__; and to look for
# other kinds of arrays first takes putmask 100 ns of 260.
_ndarray, _less_equal = numpy.ndarray, numpy.less_equal
_putmask = getattr(numpy.putmask, "_implementation", numpy.putmask)
_single, _double = numpy.dtype("float32"), numpy.dtype("float64")
_single_zero, _double_zero = numpy.zeros((), "float32"), numpy.zeros((), "float64")


def threshold_backward(grad: Any, x: Any, threshold: float) -> Any:
    """The gradient where x > threshold or is NaN; 0 elsewhere, even where it is infinite.

    A copy and putmask take 0.58 us for a few elements, numpy.where 1.2, a product with a mask 1.25.
    """
    if type(grad) is _ndarray and x.size < 1024 and x.flags.c_contiguous:
        kind = x.dtype
        zero = _single_zero if kind is _single else _double_zero if kind is _double else None
        if zero is not None:
            out = grad.copy()  # row by row, as x lies
            bound = zero if threshold == 0 else NUMBERS[type(threshold)][kind, threshold]
            _putmask(out, _less_equal(x, bound), zero)
            return out
    return namespace(grad).threshold_backward(grad, x, threshold)
