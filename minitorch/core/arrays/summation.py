"""Sums, means, variances and running sums whose float rounding is that of torch on a CPU.

Floating addition is not associative, so the last bits of a sum tell in which order it was
taken. NumPy adds pairwise; torch adds in vectors of 32 bytes, four streams of them, each
stream in up to four cascaded levels. The functions here add in torch's order, with one NumPy
call for each level. A sum begins with 0, as torch's does: nothing adds up to -0. Arrays of other
libraries are handed to their own `sum`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from minitorch.core.arrays import namespace
from minitorch.core.arrays.missing import is_true
from minitorch.core.arrays.on_numpy import einsum as _einsum
from minitorch.core.arrays.on_numpy import own
from minitorch.core.arrays.questions import some
from minitorch.core.arrays.scalars import NUMBERS

_LANES = {"f": 8, "d": 4, "F": 4, "D": 2}  # elements of a 32-byte vector, by dtype.char
_array = numpy.array
_reduce = numpy.add.reduce
_accumulate = numpy.add.accumulate
_ZERO = numpy.float32(0)  # added to a scalar of any kind 20 ns sooner than the number

_Axes = tuple[int, ...] | None


def _order(n: int, lanes: int) -> list[int]:
    """The order in which torch adds `n < 2 * lanes` elements, one after another."""
    if n >= lanes:  # the tail, then the one vector
        return [*range(lanes, n), *range(lanes)]
    if n > 4:  # four streams of one element each; the leftover ones join the first stream
        return [0, *range(4, n), 1, 2, 3]
    return list(range(n))


# (how many, dtype.char) -> the order of so few elements
_ORDERS = {
    (n, char): numpy.array(_order(n, lanes))
    for char, lanes in _LANES.items()
    for n in range(1, 2 * lanes)
}


def sum(xp: Any, x: Any, axes: _Axes = None, keepdims: bool = False) -> Any:
    """The sum over `axes` (all of them for None or an empty tuple), in torch's order of additions.

    Args:
        x: any shape; bool, integer, half, float or complex.
        axes: non-negative axes, each at most once.
    Returns:
        A fresh C-contiguous array: int64 for bools and integers, else of x's dtype.

    As ATen/native/cpu/SumKernel.cpp with one thread.
    """
    char = x.dtype.char
    if type(x) is not numpy.ndarray:
        if xp.device_type == "cpu":
            return sum(xp, xp.asarray(x), axes, keepdims)
        kind = xp.int64 if x.dtype.kind in "biu" else None
        out = x.sum(axis=axes or None, dtype=kind, keepdims=keepdims)
        return out if out.flags.c_contiguous else out.copy(order="C")
    lanes = _LANES.get(char)
    if lanes is None:
        if x.dtype.kind in "biu":
            return _reduce(x, axes or None, numpy.int64, keepdims=keepdims, out=...)
        return sum(xp, x.astype(numpy.float32), axes, keepdims).astype(x.dtype)
    if not axes or len(axes) == x.ndim:
        out = _sum_all(x, lanes)
        return own(out.reshape((1,) * x.ndim)) if keepdims else out
    if x.ndim == 2 and x.flags.c_contiguous and min(x.shape) > 1:
        # The gradient of every bias comes this way: what _sum_axes finds out, 3 us earlier.
        if axes == (1,):
            out = _sum_rows(x, lanes)
        else:
            out = _sum_columns(x[None], 4 * lanes if x.shape[1] >= lanes else 4)[0]
    else:
        out = _sum_axes(x, axes, lanes)
    if keepdims:
        out = out.reshape([1 if i in axes else n for i, n in enumerate(x.shape)])
    return out if out.base is None else own(out)


def total(x: Any) -> Any:
    """The sum of every element, 0-d: as `sum`, 0.5 us faster for few elements."""
    order = _ORDERS.get((x.size, x.dtype.char))
    if order is not None and type(x) is numpy.ndarray and x.flags.c_contiguous:
        # An array made of the scalar is 0.2 us sooner there than a copy of the last place.
        return _array(_accumulate(x.ravel()[order])[-1] + _ZERO)
    return sum(namespace(x), x)


def known(xp: Any, x: Any) -> Any:
    """`x` with 0 for each NaN; `x` itself if there is none."""
    unknown = xp.isnan(x)
    return xp.where(unknown, xp.zeros((), x.dtype), x) if is_true(some(unknown), True) else x


def mean(xp: Any, x: Any, axes: _Axes = None, keepdims: bool = False) -> Any:
    """The sum divided by the number of elements; half types are rounded once, at the end.

    As ATen/native/ReduceOps.cpp.
    """
    count = prod(x.shape[i] for i in axes) if axes else x.size
    if x.dtype.char not in _LANES:
        return mean(xp, x.astype(xp.float32), axes, keepdims).astype(x.dtype)
    out = sum(xp, x, axes, keepdims)
    if count == 0:
        out.fill(complex(xp.nan, xp.nan) if out.dtype.kind == "c" else xp.nan)
        return out
    divisor = NUMBERS[int][out.dtype, count] if type(out) is numpy.ndarray else count
    return xp.true_divide(out, divisor, out=out)


def product(x: Any) -> Any:
    """(m, n) -> (m,): the products along a contiguous last axis, of floats, in torch's order.

    Four vectors are multiplied in streams and with each other, then their elements, then the rest.
    As vectorized_inner_reduction of ATen/native/cpu/Reduce.h.
    """
    m, n = x.shape
    lanes = _LANES[x.dtype.char]
    groups = n // (4 * lanes)
    if not groups:
        return numpy.multiply.reduce(x, 1)
    whole = groups * 4 * lanes
    streams = numpy.multiply.reduce(x[:, :whole].reshape(m, groups, 4 * lanes), 1)
    first, second, third, fourth = streams.reshape(m, 4, lanes).transpose(1, 2, 0)
    terms = numpy.empty((lanes + n - whole, m), x.dtype)
    numpy.multiply(first * second, third * fourth, terms[:lanes])
    terms[lanes:] = x[:, whole:].T
    return numpy.multiply.reduce(terms, 0)


def cumsum(xp: Any, x: Any, axis: int) -> Any:
    """Running sums along `axis`: taken in double and rounded, in float32 for half types.

    Bools and integers give int64. As ATen/native/cpu/ReduceOpsKernel.cpp.
    """
    if x.ndim == 0:
        return x.astype(xp.int64) if x.dtype.kind in "biu" else x.copy()
    if x.dtype.kind in "biu":
        return xp.add.accumulate(x, axis, xp.int64)
    wide = {"f": xp.float64, "F": xp.complex128, "d": xp.float64, "D": xp.complex128}
    sums = accumulated(xp.add, x, axis, wide.get(x.dtype.char, xp.float32))
    sums += 0  # torch begins with 0, which makes 0 of -0
    return sums.astype(x.dtype, copy=False)


_SIDE_BY_SIDE = 192  # running sums, from which on one addition of all of them is faster


def accumulated(ufunc: Any, x: Any, axis: int, dtype: Any) -> Any:
    """As ufunc.accumulate in a dtype: many rows are taken one after another, each as a whole.

    NumPy takes 3.4 ns an element along any axis. 45 x 45 x 45 along the middle axis: 176 us, not
    375.
    """
    n = x.shape[axis]
    if type(x) is not numpy.ndarray or x.size < _SIDE_BY_SIDE * max(n, 1):
        return ufunc.accumulate(x, axis, dtype)
    sums = numpy.array(numpy.moveaxis(x, axis, 0), dtype, order="C")
    before = sums[0]
    for row in sums[1:]:
        before = ufunc(before, row, out=row)
    return numpy.moveaxis(sums, 0, axis)


def var(xp: Any, x: Any, axes: _Axes = None, correction: float = 1, keepdims: bool = False) -> Any:
    """Squared deviations from the mean, summed and divided by max(0, n - correction), in double.

    Complex x: the sum of both parts' variances, real. As ATen/native/ReduceOps.cpp (std_var).
    """
    real = x.dtype if x.dtype.kind != "c" else x.real.dtype
    return _double_var(xp, x, axes, correction, keepdims).astype(real, copy=False)


def std(xp: Any, x: Any, axes: _Axes = None, correction: float = 1, keepdims: bool = False) -> Any:
    """The square root of `var`, rounded once. As ATen/native/ReduceOps.cpp (std_var)."""
    real = x.dtype if x.dtype.kind != "c" else x.real.dtype
    out = _double_var(xp, x, axes, correction, keepdims)
    return xp.sqrt(out, out=out).astype(real, copy=False)


def _double_var(xp: Any, x: Any, axes: _Axes, correction: float, keepdims: bool) -> Any:
    everything = not axes or len(axes) == x.ndim
    if everything and type(x) is numpy.ndarray and x.dtype.kind == "f" and x.size:
        wide = x.astype(numpy.float64, "C")
        numpy.subtract(wide, _reduce(wide, None) / wide.size, wide)
        numpy.multiply(wide, wide, wide)
        divisor = max(0, wide.size - correction)
        if divisor:
            out = numpy.array(_reduce(wide, None) / divisor)
            return out.reshape((1,) * x.ndim) if keepdims else out
    axes = tuple(axes) if axes else tuple(range(x.ndim))
    count = prod(x.shape[i] for i in axes)
    wide = x.astype(xp.complex128 if x.dtype.kind == "c" else xp.float64, "C")
    total = xp.add.reduce(wide, axes, keepdims=True)
    if count == 0:
        out = xp.full(total.shape, xp.nan)
    else:
        total /= count
        wide -= total
        if wide.dtype.kind == "c":
            wide = wide.view(xp.float64) if wide.ndim else wide.reshape(1).view(xp.float64)
            wide = wide.reshape(*x.shape, 2)
            wide *= wide
            out = xp.asarray(wide.sum(axis=(*axes, x.ndim))).reshape(total.shape)
        else:
            wide *= wide
            out = xp.asarray(xp.add.reduce(wide, axes, keepdims=True))
        divisor = max(0, count - correction)
        if divisor:
            out /= divisor
        else:  # 0/0 or a positive number over zero, said without a warning
            out = xp.where(out > 0, xp.inf, xp.nan)
    return out if keepdims else out.reshape([n for i, n in enumerate(x.shape) if i not in axes])


def logsumexp(xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """log(sum(exp(x))) over `axes`, without overflow. As ATen/native/ReduceOps.cpp.

    Each step is rounded to the dtype as in torch; the exponential and the logarithm in between are
    taken in double. x is floating; no axes mean all.
    """
    axes = tuple(axes) if axes else tuple(range(x.ndim))
    dtype = x.dtype
    if x.size == 0:
        out = sum(xp, x, axes, keepdims)
        return xp.full_like(out, -xp.inf)
    highest = (x.real if dtype.kind == "c" else x).max(axis=axes, keepdims=True)
    highest = xp.asarray(highest)
    highest[abs(highest) == xp.inf] = 0
    wide = xp.complex128 if dtype.kind == "c" else xp.float64
    out = xp.exp(x - highest, dtype=wide).astype(dtype)
    out = sum(xp, out, axes, keepdims)
    out = xp.asarray(xp.log(out, dtype=wide)).astype(dtype)
    out += highest if keepdims else highest.reshape(out.shape)
    return out


def _sum_all(x: Any, lanes: int) -> Any:
    """The sum of every element as a 0-d array."""
    n = x.size
    if n <= 4 and (n < lanes or x.dtype.kind == "f"):
        # NumPy adds fewer than eight real numbers one after another, too.
        return _reduce(x, None, out=..., initial=0)
    if not x.flags.c_contiguous:
        return _sum_axes(x, tuple(range(x.ndim)), lanes).copy()
    if n < 2 * lanes:
        return _array(_accumulate(x.ravel()[_ORDERS[n, x.dtype.char]])[-1] + 0)
    # What _sum_rows does for many rows, in half its time for one (64 numbers: 4 us).
    flat = x.reshape(n)
    if n % (4 * lanes) == 0:  # whole groups, no tail (up to 16 groups 2.5 us)
        streams = flat
        if n > 4 * lanes:
            rows = flat.reshape(n // (4 * lanes), 4 * lanes)
            streams = _reduce(rows, 0) if n <= 64 * lanes else _cascade(rows[None])
        return numpy.array(_accumulate(_reduce(streams.reshape(4, lanes), 0))[-1])
    vectors = n // lanes
    tail = n - vectors * lanes
    terms = numpy.empty(tail + lanes, x.dtype)
    terms[:tail] = flat[n - tail :]
    groups = vectors // 4
    if groups > 16:
        streams = _cascade(flat[: 4 * groups * lanes].reshape(1, groups, 4 * lanes))
    elif groups > 1:
        streams = _reduce(flat[: 4 * groups * lanes].reshape(groups, 4 * lanes), 0)
    else:
        streams = flat[: 4 * groups * lanes]
    streams = streams.reshape(4 * (groups > 0), lanes)
    if vectors % 4:
        left = flat[4 * groups * lanes : n - tail].reshape(vectors % 4, lanes)
        if groups:
            left = _reduce(numpy.concatenate((streams[:1], left)), 0)
            streams = numpy.concatenate((left[None], streams[1:]))
        else:
            streams = left
    _reduce(streams, 0, None, terms[tail:])
    return numpy.array(_accumulate(terms)[-1])  # a tensor's storage is to hold it alone


def _running_sum(rows: Any) -> Any:
    """(a, k, c) -> (a, c), the k rows added strictly one after another."""
    a, k, c = rows.shape
    if k == 1:
        return rows[:, 0]
    if c == 1:  # NumPy would add pairwise along a single column
        if a == 1 or k > 64:
            return _accumulate(rows[:, :, 0], 1)[:, -1:] + 0
        return _reduce(numpy.array(rows[:, :, 0].T, order="C"), 0, initial=0)[:, None]
    if a == 1:
        return _reduce(rows[0], 0)[None]
    if c <= 64 and a * k > 64:
        # The inner loops are short: einsum starts them in a third of the time of reduce.
        return _einsum("akc->ac", rows)
    return _reduce(rows, 1)


def _cascade(rows: Any) -> Any:
    """(a, k, c) -> (a, c): the k rows in four levels of running sums."""
    a, k, c = rows.shape
    step = 1 << max(4, (k - 1).bit_length() // 4)
    if k <= step:
        return _running_sum(rows)
    if a == 1 and k < 2 * step and c > 1:  # one sum on the second level: 2 us, not 5
        return (_reduce(rows[0, step:], 0) + _reduce(rows[0, :step], 0))[None]
    total = None
    for _level in range(3):
        groups = k // step
        whole = groups * step
        if whole < k:
            left = _running_sum(rows[:, whole:])
            total = left if total is None else total + left
        if groups == 0:
            return total
        rows = rows[:, :whole].reshape(a * groups, step, c)
        rows, k = _running_sum(rows).reshape(a, groups, c), groups
    left = _running_sum(rows)
    return left if total is None else total + left


def running_levels(x: Any) -> Any:
    """The sum of a NumPy vector in four levels of running sums, without streams, as a 0-d array."""
    return _cascade(x.reshape(1, -1, 1))[0, 0, ...]


def _four_streams(rows: Any) -> Any:
    """(a, k, c) -> (a, c): rows 0, 4, 8, ... cascade in one stream, 1, 5, 9, ... in the next."""
    a, k, c = rows.shape
    whole = k - k % 4
    if whole == 0:
        return _running_sum(rows) if k else numpy.zeros((a, c), rows.dtype)
    streams = _cascade(rows[:, :whole].reshape(a, whole // 4, 4 * c)).reshape(a, 4, c)
    if whole < k:  # leftover rows belong to the first stream
        first = _running_sum(numpy.concatenate((streams[:, :1], rows[:, whole:]), 1))
        streams = numpy.concatenate((first[:, None], streams[:, 1:]), 1)
    return _running_sum(streams)


def _sum_rows(x: Any, lanes: int) -> Any:
    """(m, n) -> (m,): sums along a contiguous last axis."""
    m, n = x.shape
    if n <= 4 and x.dtype.kind == "f":
        return _reduce(
            x, 1, initial=0
        )  # NumPy adds fewer than eight real numbers one after another, too
    if n < 2 * lanes:
        terms = x.T.take(_ORDERS[n, x.dtype.char], 0)  # all rows add side by side
        return _reduce(terms, 0, initial=0) if m > 1 else _accumulate(terms[:, 0])[-1:] + 0
    vectors = n // lanes
    tail = n - vectors * lanes
    terms = numpy.empty((tail + lanes, m), x.dtype)
    terms[:tail] = x[:, n - tail :].T
    terms[tail:] = _four_streams(x[:, : n - tail].reshape(m, vectors, lanes)).T
    return _accumulate(terms[:, 0])[-1:] if m == 1 else _reduce(terms, 0, initial=0)


def _sum_columns(x: Any, whole: int) -> Any:
    """(a, m, n) -> (a, n): columns in groups of `whole` cascade, the last ones in four streams."""
    split = x.shape[2] - x.shape[2] % whole
    if split == x.shape[2]:
        return _cascade(x)
    if split == 0:
        return _four_streams(x)
    return numpy.concatenate((_cascade(x[:, :, :split]), _four_streams(x[:, :, split:])), 1)


def _merged(x: Any, axes: list[int]) -> list[tuple[int, int]]:
    """The (length, stride) of `axes`, longest stride first, neighbours merged where they can be."""
    merged: list[tuple[int, int]] = []
    for axis in axes:
        length, stride = x.shape[axis], x.strides[axis]
        if length == 1:
            continue
        if merged and merged[-1][1] == length * stride:
            merged[-1] = (merged[-1][0] * length, stride)
        else:
            merged.append((length, stride))
    return merged


def _sum_axes(x: Any, axes: tuple[int, ...], lanes: int) -> Any:
    """The sum over `axes` of an array of any strides, C-contiguous without those axes."""
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = tuple([x.shape[i] for i in kept])
    if x.size == 0:
        return numpy.zeros(shape, x.dtype)
    reduced = sorted(axes, key=lambda i: -x.strides[i])
    inner = _merged(x, reduced)
    outer = _merged(x, kept)
    if not inner:
        return numpy.add(x.reshape(shape), 0, order="C")
    length, stride = inner[-1]
    count = prod(shape)
    y = x.transpose(kept + reduced)
    if len(inner) == 1 and outer and outer[-1][1] < stride:
        columns, column_stride = outer[-1]
        vectors = column_stride == x.itemsize and columns >= lanes
        y = y.reshape(count // columns, columns, length).transpose(0, 2, 1)
        if y.strides[1] < y.strides[2]:
            y = y.copy()  # NumPy would take the nearer axis for the inner loop and add pairwise
        sums = _sum_columns(y, 4 * lanes if vectors else 4)  # laid out as y is
        return numpy.ascontiguousarray(sums).reshape(shape)
    rest = prod([n for n, _ in inner[:-1]])
    y = y.reshape(count * rest, length)
    if stride == x.itemsize and length >= lanes:
        sums = _sum_rows(y, lanes)
    else:
        sums = _four_streams(y.T.copy()[None])[0]
    if rest > 1:
        sums = _running_sum(sums.reshape(count, rest, 1))[:, 0]
    return sums.reshape(shape)


def sum_to(xp: Any, x: Any, shape: tuple[int, ...]) -> Any:
    """`x` summed over the dimensions along which an array of `shape` was broadcast to it."""
    if not shape:
        return sum(xp, x)
    lead = x.ndim - len(shape)
    if lead == 1 and x.ndim == 2 and x.shape[1] == shape[0] and type(x) is numpy.ndarray:
        return sum_rows_up(xp, x)[:]
    repeated = [lead + i for i, n in enumerate(shape) if n == 1 and x.shape[lead + i] != 1]
    axes = (*range(lead), *repeated)
    if not axes:
        return x
    out = sum(xp, x, axes, keepdims=True)
    return out.reshape(shape) if lead else out


def sum_rows_up(xp: Any, x: Any) -> Any:
    """The sum over axis 0 of a matrix: the gradient of every bias.

    For the batches of up to 256 rows that are whole in torch's order of additions, two calls of
    NumPy (2 us); else `sum`.
    """
    m, n = x.shape
    lanes = _LANES.get(x.dtype.char)
    if lanes is not None and x.flags.c_contiguous:
        whole = 4 * lanes if n >= lanes else 4
        if n % whole == 0 and n:
            # einsum adds row after row as well, and starts short loops 0.1 to 3 us sooner.
            if m <= 16:
                return _einsum("kc->c", x) if n <= 64 else _reduce(x, 0, initial=0)
            if m <= 256 and m % 16 == 0:
                groups = x.reshape(m // 16, 16, n)
                if n <= 64:
                    sums = _einsum("akc->ac", groups)
                    return sums[0] + sums[1] if m == 32 else _einsum("kc->c", sums)
                return _reduce(_reduce(groups, 1), 0, initial=0)
        elif 1 < n < whole and m % 4 == 0 and 4 < m <= 64:
            streams = _einsum("kc->c", x.reshape(m // 4, 4 * n))
            return _einsum("kc->c", streams.reshape(4, n))
        elif n == 1:
            return _sum_all(x, lanes).reshape(1)
    return sum(xp, x, (0,))
