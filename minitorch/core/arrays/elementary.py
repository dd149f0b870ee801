"""Elementary functions as torch rounds them, with the signature of NumPy's ufuncs.

NumPy's float32 exp, log, sin, ... differ from torch's in 10 to 40 % of the results; their double
versions rounded to float32 differ in about 1 %, by one unit in the last place. So float32 is
evaluated in double. Functions that NumPy lacks come from SciPy, imported at the first call.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy

from minitorch.core.arrays import threads
from minitorch.core.arrays.floating_point import Silence, has_nan
from minitorch.core.arrays.questions import every, some

try:
    from numpy._core._multiarray_umath import __cpu_features__ as _CPU
except ImportError:  # a NumPy that keeps them elsewhere
    _CPU = {}

_FLOAT32, _FLOAT64 = numpy.dtype("float32"), numpy.dtype("float64")

# The C library's own functions of one double, for 0-d arrays: 0.35 us instead of 0.75.
_OF_ONE = {name: getattr(math, name) for name in ("exp", "log", "log1p", "sin", "cos", "tanh")}

# Below this many elements whole arrays are cast; from here on the double copies would cost page
# faults, 4 times the loop itself. Nine elements: 0.70 us so (0.22 us a cast, 0.26 us the function),
# 0.93 us with `dtype=` in a buffered loop, 0.77 us cast into memory kept for the purpose, which
# threads would share; 0.24 us in float32, where 39 % of exp and 31 % of tanh differ from torch's.
LARGE = 1 << 15


def in_double(function: Any) -> Callable[..., Any]:
    """The ufunc `function`, of one or two arrays, evaluated in double for float32 operands."""
    if function.nin == 2:
        return _binary_in_double(function)

    scalar = _OF_ONE.get(function.__name__)
    by_tangent = function in (numpy.sin, numpy.cos) and _HAS_FAST_TANGENT

    def of_part(x: Any, out: Any) -> None:
        if by_tangent and x.size >= LARGE and x.flags.c_contiguous and out.flags.c_contiguous:
            _by_tangent(function, x.reshape(-1), out.reshape(-1))
        else:
            function(x, out, dtype=_FLOAT64, casting="same_kind")

    def evaluated(x: Any, out: Any = ...) -> Any:
        if x.dtype is not _FLOAT32:
            return (
                function(x, out=out) if x.dtype.itemsize != 2 else in_single(function, x, out=out)
            )
        if out is ...:
            if scalar is not None and not x.ndim and type(x) is numpy.ndarray:
                try:
                    return numpy.array(scalar(x), _FLOAT32)
                except (ValueError, OverflowError):
                    pass  # where Python refuses there is inf or nan
            if x.size < LARGE:
                x = x.astype(_FLOAT64)
                try:
                    function(x, x)
                except TypeError:  # NumPy had made a scalar of a 0-d array
                    x = function(x, out=...)
                return x.astype(_FLOAT32)
            out = numpy.empty_like(x)
        if x.size < threads.MANY:
            of_part(x, out)
            return out
        return threads.over_elements(of_part, out, x)

    evaluated.__name__ = evaluated.__qualname__ = function.__name__
    evaluated.in_double = function
    return evaluated


# Whether NumPy's loop of tan in double is Intel's for AVX-512; sin and cos have none such.
_HAS_FAST_TANGENT = sys.platform == "linux" and _CPU.get("AVX512_SKX", False)
_LOW_BITS, _TIE, _NEAR = [numpy.array(n, "int64") for n in ((1 << 29) - 1, 1 << 28, 1 << 16)]


def _by_tangent(function: Any, x: Any, out: Any) -> None:
    """Writes the sine or cosine of a vector of float32 by the tangent of the half angle.

    That errs in the last bits of double. Where it lies so near the middle of two float32 that these
    decide, or is small, as the cosine's difference of nearly equal numbers is, or NaN, `function`
    decides: the bits are its own. 100,000 elements: 0.6 ms, not 1.9.
    """
    for start in range(0, x.size, LARGE):
        part, into = x[start : start + LARGE], out[start : start + LARGE]
        y = part.astype(_FLOAT64)
        y *= 0.5
        numpy.tan(y, y)
        z = y * y
        if function is numpy.sin:
            y += y
        else:
            numpy.subtract(1, z, y)
        z += 1
        y /= z
        below = y.view("int64") & _LOW_BITS  # those that float32 has not
        below -= _TIE - _NEAR
        sure = below.view("uint64") >= 2 * _NEAR.view("uint64")
        sure &= numpy.abs(y, z) >= 2.0**-10
        unsure = numpy.flatnonzero(~sure)
        exact = function(part[unsure], dtype=_FLOAT64)
        into[...] = y
        into[unsure] = exact


def _binary_in_double(function: Any) -> Callable[..., Any]:
    def of_part(x: Any, y: Any, out: Any) -> None:
        function(x, y, out, dtype=_FLOAT64, casting="same_kind")

    def evaluated(x: Any, y: Any, out: Any = ...) -> Any:
        if x.dtype is not _FLOAT32 or y.dtype is not _FLOAT32:
            if x.dtype.itemsize != 2:
                return function(x, y, out=out)
            return in_single(function, x, y, out=out)
        if out is ...:
            if max(x.size, y.size) < LARGE:
                x, y = x.astype(_FLOAT64), y.astype(_FLOAT64)
                return function(x, y, out=...).astype(_FLOAT32)
            out = numpy.empty(numpy.broadcast_shapes(x.shape, y.shape), _FLOAT32)
        if out.size < threads.MANY:
            return function(x, y, out, dtype=_FLOAT64, casting="same_kind")
        return threads.over_elements(of_part, out, x, y)

    evaluated.__name__ = evaluated.__qualname__ = function.__name__
    return evaluated


def in_single(function: Any, *arrays: Any, out: Any = ...) -> Any:
    """`function` of 2-byte floats (or integers, which it promotes), evaluated in float32."""
    dtype = arrays[0].dtype
    if dtype.kind not in "fV":
        return function(*arrays, out=out)
    y = function(*[x.astype(_FLOAT32) for x in arrays], out=...).astype(dtype)
    if out is ...:
        return y
    out[...] = y
    return out


exp, exp2, expm1 = in_double(numpy.exp), in_double(numpy.exp2), in_double(numpy.expm1)
log, log2, log10 = in_double(numpy.log), in_double(numpy.log2), in_double(numpy.log10)
log1p = in_double(numpy.log1p)
sin, cos, tan = in_double(numpy.sin), in_double(numpy.cos), in_double(numpy.tan)
sinh, cosh, tanh = in_double(numpy.sinh), in_double(numpy.cosh), in_double(numpy.tanh)
arcsin, arccos, arctan = in_double(numpy.arcsin), in_double(numpy.arccos), in_double(numpy.arctan)
arcsinh, arccosh = in_double(numpy.arcsinh), in_double(numpy.arccosh)
arctanh = in_double(numpy.arctanh)
arctan2, power, hypot = in_double(numpy.arctan2), in_double(numpy.power), numpy.hypot
logaddexp2, _logaddexp = in_double(numpy.logaddexp2), in_double(numpy.logaddexp)


def logaddexp(x: Any, y: Any, out: Any = ...) -> Any:
    """log(exp(x) + exp(y))."""
    return complex_logaddexp(numpy, x, y) if x.dtype.kind == "c" else _logaddexp(x, y, out=out)


def complex_logaddexp(xp: Any, x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)), around the one with the larger real part."""
    less = xp.logical_and(x.real < y.real, ~xp.isnan(x))
    low, high = xp.where(less, x, y), xp.where(less, y, x)
    z = xp.log1p(xp.exp(low - high)) + high
    both = xp.logical_and(xp.isinf(x.real), x.real == y.real)
    z = xp.where(both, xp.where(x.real < 0, low, xp.log(xp.exp(x) + xp.exp(y))), z)
    unknown = xp.logical_or(xp.isnan(x), xp.isnan(y))
    return xp.where(unknown, x.dtype.type(complex("nan+nanj")), z)


def _of_scipy(name: str, single: bool = True) -> Callable[..., Any]:
    """A ufunc of scipy.special, evaluated in double.

    single: whether its loop of float32 gives the rounded results of its loop of double, as for
        functions without code of their own for float32. tests/core/arrays/test_special.py compares.
    """
    kernel: Any = None

    def evaluated(*arrays: Any, out: Any = ...) -> Any:
        nonlocal kernel
        if kernel is None:
            import scipy.special  # start-up: 150 ms

            kernel = getattr(scipy.special, name)
            if not single:
                kernel = in_double(kernel)
        x = arrays[0]
        if x.dtype.itemsize == 2:
            return in_single(kernel, *arrays, out=out)
        if x.size < threads.MANY or not single:
            return kernel(*arrays, out=out)
        if out is ...:
            shape = numpy.broadcast_shapes(*[each.shape for each in arrays])
            out = numpy.empty(shape, "float64" if x.dtype.char == "d" else "float32")
        return threads.over_elements(kernel, out, *arrays)

    evaluated.__name__ = evaluated.__qualname__ = name
    return evaluated


erf, erfc, _erfinv = _of_scipy("erf"), _of_scipy("erfc"), _of_scipy("erfinv", single=False)


def erfinv(x: Any, out: Any = ...) -> Any:
    """The inverse of erf; SciPy's loses the sign of -0."""
    found = _erfinv(x, out=out)
    if type(found) is numpy.ndarray and every(found):
        return found
    return numpy.copysign(found, x, out=found if isinstance(found, numpy.ndarray) else None)


gammaln, _digamma = _of_scipy("gammaln"), _of_scipy("digamma")
i0, i0e, i1, i1e = _of_scipy("i0"), _of_scipy("i0e"), _of_scipy("i1"), _of_scipy("i1e")
ndtri, log_ndtr = _of_scipy("ndtri"), _of_scipy("log_ndtr")
erfcx, entr = _of_scipy("erfcx"), _of_scipy("entr")

_gammainc, _gammaincc = _of_scipy("gammainc"), _of_scipy("gammaincc")
k0, k0e, k1, k1e = _of_scipy("k0"), _of_scipy("k0e"), _of_scipy("k1"), _of_scipy("k1e")


def gammainc(a: Any, x: Any, out: Any = ...) -> Any:
    """The lower incomplete gamma function, regularized."""
    return _with_limits(_gammainc(a, x, out=out), a, x, 0, 1)


def gammaincc(a: Any, x: Any, out: Any = ...) -> Any:
    """The upper incomplete gamma function, regularized."""
    return _with_limits(_gammaincc(a, x, out=out), a, x, 1, 0)


def _with_limits(y: Any, a: Any, x: Any, least: int, most: int) -> Any:
    """`y` where SciPy says NaN and one argument alone decides. As calc_igamma of ATen's Math.h."""
    if has_nan(numpy, y) and not (every(x) and _are_finite(x) and _are_finite(a)):
        lost = numpy.isnan(y)
        lost &= ~((a <= 0) | (x < 0))
        y[lost & ((x == 0) | (numpy.isinf(a) & ~numpy.isinf(x)))] = least
        y[lost & numpy.isinf(x) & ~numpy.isinf(a)] = most
    return y


def _are_finite(x: Any) -> bool:
    return bool(every(numpy.isfinite(x)))


def digamma(x: Any, out: Any = ...) -> Any:
    """The derivative of gammaln."""
    if x.dtype is not _FLOAT32 or x.size < _LOOPS or not x.flags.c_contiguous:
        return _digamma(x, out=out)
    y = _of_special("digamma")(x)
    if out is ...:
        return y
    out[...] = y
    return out


def _of_special(name: str) -> Callable[..., Any]:
    from minitorch.core.arrays import special  # start-up: 0.2 ms

    return getattr(special, name)


_LOOPS = 1024  # elements, from which on a loop over them costs more than many calls of NumPy's


def _of_doubles(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of arrays of doubles as one with the signature of a ufunc."""

    def evaluated(*arrays: Any, out: Any = ...) -> Any:
        y = function(*[x.astype(_FLOAT64) for x in arrays])
        if out is ...:
            return numpy.asarray(y, arrays[0].dtype)
        out[...] = y
        return out

    evaluated.__name__ = evaluated.__qualname__ = function.__name__
    return evaluated


@_of_doubles
def airy_ai(x: Any) -> Any:
    """Airy's function Ai by ATen's fractions, whose values are off by up to 1.2e-6."""
    from minitorch.core.arrays.airy import airy_ai  # start-up: few programs ask for it

    return airy_ai(x)


def zeta(x: Any, q: Any, out: Any = ...) -> Any:
    """Hurwitz's zeta function; NaN for an infinite q: torch adds terms of 0 times infinity."""
    y = numpy.asarray(zeta_of_finite()(x, q))
    if some(unknown := (q == numpy.inf) & (x > 1)):
        numpy.copyto(y, numpy.nan, where=unknown)
    if out is ...:
        return y
    out[...] = y
    return out


@cache
def zeta_of_finite() -> Callable[..., Any]:
    """SciPy's function of two arrays, cached: an import in each call would take 0.6 us."""
    from scipy import special  # start-up: 150 ms

    try:  # the ufunc that zeta calls, 0.5 us sooner
        found: Callable[..., Any] = special._ufuncs._zeta
    except AttributeError:  # a SciPy that keeps it elsewhere
        found = special.zeta
    return found


@_of_doubles
def spherical_j0(x: Any) -> Any:
    """sin(x) / x; 0 at infinity."""
    with Silence():
        y = numpy.sin(x, out=...)
        numpy.divide(y, x, y)
        if not numpy.vdot(y, y) >= 0:  # NaN at 0, at infinity and at NaN
            numpy.copyto(y, x == 0, where=(y != y) & (x == x))
    return y


def _bessel(name: str, kind: str, order: int) -> Callable[..., Any]:
    """SciPy's function for float32; for doubles ATen's, whose fractions lack coefficients."""
    of_single = _of_scipy(name)

    @_of_doubles
    def of_double(x: Any) -> Any:
        return _of_special(kind)(order, x)

    def evaluated(x: Any, out: Any = ...) -> Any:
        return (of_single if x.dtype is _FLOAT32 else of_double)(x, out=out)

    evaluated.__name__ = evaluated.__qualname__ = name
    return evaluated


j0, j1 = _bessel("j0", "first_kind", 0), _bessel("j1", "first_kind", 1)
y0, y1 = _bessel("y0", "second_kind", 0), _bessel("y1", "second_kind", 1)

_ONE = {d: numpy.ones((), d) for d in (_FLOAT32, _FLOAT64)}
_ZERO = {d: numpy.zeros((), d) for d in (_FLOAT32, _FLOAT64)}
_ONE32 = _ONE[_FLOAT32]
_add, _divide, _exp, _negative = numpy.add, numpy.divide, numpy.exp, numpy.negative


def _constant(kept: dict[Any, Any], x: Any, value: int) -> Any:
    found = kept.get(x.dtype)
    return numpy.asarray(value, x.dtype) if found is None else found


def sigmoid(x: Any, out: Any = ...) -> Any:
    """1 / (1 + exp(-x)) in the steps of torch: each rounded to the dtype, only exp in double.

    SciPy's expit takes 0.3 us for nine elements instead of 1.4 us, but 2.5 times as long for a
    million, and importing it 150 ms.
    """
    if x.dtype is _FLOAT32 and x.size < LARGE:
        y = x.astype(_FLOAT64)
        _exp(_negative(y, y), y)
        y = y.astype(_FLOAT32)
        return _divide(_ONE32, _add(y, _ONE32, y), y if out is ... else out)
    if x.dtype.itemsize == 2:
        return in_single(sigmoid, x, out=out)
    y = numpy.negative(x, out=...)
    exp(y, out=y)
    one = _constant(_ONE, x, 1)
    return numpy.divide(one, numpy.add(y, one, y), y if out is ... else out)


def relu(x: Any, out: Any = ...) -> Any:
    """max(0, x), which is -0 for -0. Six times as fast as numpy.where."""
    if x.size >= 4096 and out is ... and x.flags.c_contiguous:
        zeros = _ZEROS.get(x.dtype)
        if zeros is not None:
            return _relu_of_many(x, zeros)
    try:
        return numpy.maximum(_ZERO[x.dtype], x, out=out)
    except KeyError:
        return numpy.maximum(numpy.zeros((), x.dtype), x, out=out)


def _relu_of_many(x: Any, zeros: Any) -> Any:
    """relu in blocks: 2.2 us for 16,384 numbers beside as many zeros, 6.4 beside a single zero."""
    out = numpy.empty_like(x)
    flat, into = x.reshape(-1), out.reshape(-1)
    whole = x.size - x.size % zeros.size
    if whole:
        rows = (-1, zeros.size)
        numpy.maximum(zeros, flat[:whole].reshape(rows), out=into[:whole].reshape(rows))
    if whole < x.size:
        numpy.maximum(zeros[: x.size - whole], flat[whole:], out=into[whole:])
    return out


_ZEROS = {numpy.dtype(name): numpy.zeros(16384, name) for name in ("float32", "float64")}


def absolute(x: Any, out: Any = ...) -> Any:
    """|x|, of complex64 in double and rounded once."""
    if x.dtype.char != "F":
        return numpy.absolute(x, out=out)
    y = numpy.absolute(x.astype("complex128"), out=...).astype(_FLOAT32)
    if out is ...:
        return y
    out[...] = y
    return out


absolute.of_reals = numpy.absolute  # without the question


def rint(x: Any, out: Any = ...) -> Any:
    """x rounded to integers, halves to even; integers stay integers, unlike in NumPy."""
    return numpy.rint(x, out=out) if x.dtype.kind in "fcV" else numpy.positive(x, out=out)


def rsqrt(x: Any, out: Any = ...) -> Any:
    """1 / sqrt(x), each rounded."""
    if x.dtype.itemsize == 2:
        return in_single(rsqrt, x, out=out)
    return numpy.divide(_constant(_ONE, x, 1), numpy.sqrt(x, out=...), out=out)


def reciprocal(x: Any, out: Any = ...) -> Any:
    """1 / x."""
    return numpy.divide(_constant(_ONE, x, 1), x, out=out)
