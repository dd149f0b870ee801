"""Fourier transforms of NumPy arrays along one axis, of float64 and complex128 numbers.

They call the functions below numpy.fft, whose own functions check their arguments for 3 us.
"""

from __future__ import annotations

from typing import Any

import numpy

try:
    from numpy.fft import _pocketfft_umath as _kernels
except ImportError:  # it is not public
    _kernels = None  # type: ignore[assignment]

NONE, BY_ROOT, BY_N = 0, 1, 2  # what a result is divided by
_FORWARD = {NONE: "backward", BY_ROOT: "ortho", BY_N: "forward"}  # numpy.fft's names, by direction
_INVERSE = {NONE: "forward", BY_ROOT: "ortho", BY_N: "backward"}


def transform(name: str, x: Any, axis: int, divisor: int, points: int | None = None) -> Any:
    """The transform of `x` by numpy.fft's function of this name: fft, ifft, rfft or irfft.

    axis: counted from the front. divisor: NONE, BY_ROOT or BY_N, in either direction.
    points: of the result of irfft.
    """
    shape = x.shape
    count = shape[axis] if points is None else points
    if _kernels is None or type(x) is not numpy.ndarray or x.dtype.char not in "dD" or count < 1:
        norm = (_INVERSE if name[0] == "i" else _FORWARD)[divisor]
        return getattr(numpy.fft, name)(x, points, axis, norm)
    kernel, kept, dtype = name, count, _COMPLEX
    if name == "rfft":
        kernel, kept = ("rfft_n_odd" if count % 2 else "rfft_n_even"), count // 2 + 1
    elif name == "irfft":
        dtype = _REAL
    if kept != shape[axis]:
        shape = (*shape[:axis], kept, *shape[axis + 1 :])
    if x.flags.c_contiguous:
        out = numpy.empty(shape, dtype)
    else:
        out = numpy.empty_like(x, dtype, shape=shape)
    factor = 1.0
    if divisor:
        factor = numpy.reciprocal(numpy.sqrt(count, dtype=_REAL) if divisor == BY_ROOT else count,
                                  dtype=_REAL)  # fmt: skip
    if axis == len(shape) - 1:
        return getattr(_kernels, kernel)(x, factor, out)
    return getattr(_kernels, kernel)(x, factor, out, axes=[(axis,), (), (axis,)])


_REAL, _COMPLEX = numpy.dtype("d"), numpy.dtype("D")
