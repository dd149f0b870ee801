"""The fused arithmetic of optimizer steps, in place on arrays, rounded as torch's kernels round it.

torch adds a scaled tensor with one rounding (a fused multiply-add). NumPy has no such function, but
BLAS's axpy is one: 0.17 us for 16 elements and 0.09 ns for each of many, where the detour over
float64 costs 3 us and 1.3 ns, and the two separate operations, wrong in the last bit of up to a
fifth of the elements, 0.7 us and 0.2 ns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import blas

# Elements per block of an update with several passes. 256 KiB of float32: a step of Adam over 1e6
# parameters takes 2.5 ms, 2.8 in blocks of half the size and 3.3 of a quarter, 3.7 of an eighth.
BLOCK = 65536

# Up to so many elements gathering an array and writing it back costs less than its own passes.
SMALL = 4096

_float32, _float64 = numpy.dtype("float32"), numpy.dtype("float64")


def add_scaled(out: Any, x: Any, factor: float) -> None:
    """out += factor * x, rounded once, for flat arrays of one dtype."""
    axpy = blas.axpy_of(out.dtype) if type(out) is numpy.ndarray else None
    if axpy is not None:
        if n := out.size:
            axpy(x, out, n, factor)
    else:
        _add_product(out, x, float(out.dtype.type(factor)))


def add_product(out: Any, x: Any, y: Any, factor: Any) -> None:
    """out += (factor * x) * y, the sum rounded once; doubles are rounded twice."""
    if out.dtype == _float64:
        scaled = x * factor
        scaled *= y
        out += scaled
    else:
        _add_product(out, widened(x) * factor, y)


def add_quotient(out: Any, x: Any, y: Any, factor: Any) -> None:
    """out += (factor * x) / y, the sum rounded by itself."""
    scaled = widened(x) * factor
    scaled /= y
    if out.dtype.itemsize < 4:
        scaled += out
        out[...] = scaled
    else:
        out += scaled


def _add_product(out: Any, x: Any, y: Any) -> None:
    wide = x.astype(_float64)
    wide *= y
    wide += out
    if out.dtype.itemsize < 4:
        wide = wide.astype(_float32)  # half types are computed in float32 and rounded at the end
    out[...] = wide


def lerp(start: Any, end: Any, weight: float) -> None:
    """start += weight * (end - start), in the form that is exact at the nearer end. In place."""
    a, b = widened(start), widened(end)
    difference = b - a
    if weight < 0.5:
        add_scaled(a, difference, weight)
    else:
        rest = rounded(1, a.dtype) - rounded(weight, a.dtype)
        a[...] = b
        add_scaled(a, difference, -float(rest))
    if a is not start:
        start[...] = a


def widened(x: Any) -> Any:
    """A float32 copy of an array of a half type; other arrays as they are."""
    return x if x.dtype.itemsize >= 4 else x.astype(_float32)


def rounded(number: Any, dtype: Any) -> Any:
    """A number as torch hands it to a kernel of that dtype: a scalar, which CuPy's arrays take too.

    Kernels of half types compute with float32 numbers.
    """
    return (dtype if dtype.itemsize >= 4 else _float32).type(number)


def flat(arrays: list[Any]) -> tuple[list[Any], bool]:
    """The arrays as vectors in one order of elements, and whether they are all views.

    Complex numbers become pairs of real ones.
    """
    if arrays[0].dtype.kind == "c":
        real = numpy.empty(0, arrays[0].dtype).real.dtype
        arrays = [x[..., None].view(real) for x in arrays]
    if all(x.flags.c_contiguous for x in arrays):
        return [x.reshape(-1) for x in arrays], True
    strides = arrays[0].strides
    order = sorted(range(len(strides)), key=lambda dim: -strides[dim])
    if all(x.strides == strides for x in arrays):
        permuted = [x.transpose(order) for x in arrays]
        if permuted[0].flags.c_contiguous:
            return [x.reshape(-1) for x in permuted], True
    return [x.reshape(-1).copy() for x in arrays], False


def update(kernel: Callable[..., None], written: list[Any], read: list[Any]) -> None:
    """Calls kernel(*vectors) with the elements of the arrays, in blocks where there are many.

    written: the arrays that the kernel writes, which come first.
    """
    vectors, views = flat([*written, *read])
    size = vectors[0].size
    if size <= BLOCK or type(vectors[0]) is not numpy.ndarray:
        kernel(*vectors)
    else:
        for start in range(0, size, BLOCK):
            kernel(*[x[start : start + BLOCK] for x in vectors])
    if not views:
        for x, vector in zip(written, vectors):
            x[...] = vector.view(x.dtype).reshape(x.shape)


def update_all(
    kernel: Callable[..., None], calls: list[tuple[list[Any], list[Any]]], xp: Any
) -> None:
    """update(kernel, written, read) for each pair in `calls`, the small ones in one go.

    A dozen passes over each of six small parameters take 90 us, over one vector of all 25 us.
    """
    small = []
    for written, read in calls:
        if written[0].size <= SMALL and len(calls) > 1:
            small.append((written, read))
        else:
            update(kernel, written, read)
    if not small:
        return
    columns = list(zip(*[written for written, _ in small]))
    together = [xp.concatenate(column, axis=None) for column in columns]
    rest = [xp.concatenate(column, axis=None) for column in zip(*[read for _, read in small])]
    update(kernel, together, rest)
    places, start = [], 0
    for x in columns[0]:
        places.append((slice(start, start + x.size), x.shape))
        start += x.size
    for column, vector in zip(columns, together):
        for x, (place, shape) in zip(column, places):
            part = vector[place]
            x[...] = part if len(shape) == 1 else part.reshape(shape)
