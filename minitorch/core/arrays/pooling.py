"""Max and average pooling over the last two axes, with their gradients.

A window is walked through tap by tap, each tap one strided slice of the whole image, so that ties,
not-a-numbers and rounding come out as in a loop over the window. Sizes are not checked here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from minitorch.core.arrays.windows import taps, window_count

_Pair = tuple[int, int]


def max_pool2d(
    xp: Any,
    input: Any,
    kernel: _Pair,
    stride: _Pair,
    padding: _Pair = (0, 0),
    dilation: _Pair = (1, 1),
    ceil_mode: bool = False,
) -> tuple[Any, Any]:
    """The largest pixel of each window and its flat position in the plane.

    Args:
        input: (..., H, W); real, padding counts as smaller than everything.
    Returns:
        (values, indices) of shape (..., OH, OW), C-contiguous, indices int64. The first of equal
        pixels wins, and the last not-a-number wins over all.

    As ATen/native/cpu/MaxPoolKernel.cpp.
    """
    image = input.shape[-2:]
    out = tuple([
        window_count(*axis, ceil_mode) for axis in zip(image, kernel, stride, padding, dilation)
    ])  # fmt: skip
    dtype = input.dtype
    if dtype.kind == "V":  # bfloat16: comparisons in float32 are exact, and faster
        values, indices = max_pool2d(
            xp, input.astype(xp.float32), kernel, stride, padding, dilation, ceil_mode
        )
        return values.astype(dtype), indices
    bases, steps, first = _positions(image, kernel, out, stride, padding, dilation)
    lead = input.shape[:-2]
    if kernel == (2, 2) and _inside(image, kernel, out, stride, padding, dilation):
        values, codes = _largest_of_four(xp, input, out, stride, dilation)
    else:
        values = codes = None
    if values is None:
        codes = xp.empty((*lead, *out), xp.uint8 if steps.size < 256 else xp.int32)
        codes[...] = xp.asarray(first)
        floating = dtype.kind == "f"
        values = xp.full((*lead, *out), -xp.inf if floating else xp.iinfo(dtype).min, dtype)
        may_be_nan = floating and input.size and xp.isnan(input.max())
        for tap, _, there, here in taps(image, kernel, out, stride, padding, dilation):
            best, pixels = values[(..., *there)], input[(..., *here)]
            better = pixels > best
            if may_be_nan:
                better |= pixels != pixels
            # Taps ascend: the better one is the larger number. Masked copies cost 4 times as much.
            code = codes[(..., *there)]
            xp.maximum(code, better * codes.dtype.type(tap), out=code)
            xp.maximum(best, pixels, out=best)
    indices = xp.asarray(steps).take(codes)
    indices += xp.asarray(bases)
    return values, indices


def _largest_of_four(xp: Any, x: Any, out: _Pair, stride: _Pair, dilation: _Pair) -> Any:
    """The values and taps of unpadded 2 x 2 windows as a knock-out; None where NaN is met."""
    rows, columns = [
        [slice(i * d, i * d + (n - 1) * s + 1, s) for i in (0, 1)]
        for n, s, d in zip(out, stride, dilation)
    ]
    a, b = x[..., rows[0], columns[0]], x[..., rows[0], columns[1]]
    c, d = x[..., rows[1], columns[0]], x[..., rows[1], columns[1]]
    upper, lower = xp.maximum(a, b), xp.maximum(c, d)
    codes = xp.greater(b, a).view(xp.uint8)
    below = xp.greater(d, c).view(xp.uint8)
    below += 2
    # Selecting between bytes is quicker done by arithmetic than by a mask.
    down = xp.greater(lower, upper).view(xp.uint8)
    below -= codes
    below *= down
    codes += below
    xp.maximum(upper, lower, out=upper)
    if x.dtype.kind == "f" and upper.size and xp.isnan(upper.max()):
        return None, None
    return upper, codes


def _inside(image, kernel, out, stride, padding, dilation) -> bool:
    """Whether no window touches padding."""
    return not any(padding) and all(
        (o - 1) * s + d * (k - 1) < n for n, k, o, s, d in zip(image, kernel, out, stride, dilation)
    )


@lru_cache(maxsize=256)
def _positions(image, kernel, out, stride, padding, dilation) -> Any:
    """(base of each window, step of each tap, first tap on the image of each window).

    Flat positions in the plane: a pixel stands at the sum of its window's base and its tap's step.
    """
    starts = [numpy.arange(o) * s - p for o, s, p in zip(out, stride, padding)]
    bases = starts[0][:, None] * image[1] + starts[1]
    shifts = [numpy.arange(k) * d for k, d in zip(kernel, dilation)]
    steps = (shifts[0][:, None] * image[1] + shifts[1]).ravel()
    first = [numpy.maximum(0, -(start // d)) for start, d in zip(starts, dilation)]
    return bases, steps, first[0][:, None] * kernel[1] + first[1]


def max_pool2d_backward(
    xp: Any, grad: Any, indices: Any, image: _Pair, disjoint: bool = False
) -> Any:
    """(..., OH, OW) gradients added up at `indices` of a zero plane of size `image`.

    Args:
        disjoint: no pixel belongs to two windows (stride >= dilation * (kernel - 1) + 1), which
            lets gradients be stored instead of added.

    As ATen/native/cpu/MaxPoolKernel.cpp.
    """
    if grad.dtype.kind == "V":
        wide = grad.astype(xp.float32)
        return max_pool2d_backward(xp, wide, indices, image, disjoint).astype(grad.dtype)
    lead = grad.shape[:-2]
    size = image[0] * image[1]
    total = xp.zeros((*lead, *image), grad.dtype)
    if not grad.size:
        return total
    places = indices.reshape(-1, indices.shape[-2] * indices.shape[-1])
    places = places + (xp.arange(places.shape[0]) * size)[:, None]
    flat = total.reshape(-1)
    if disjoint:
        flat[places.reshape(-1)] = grad.reshape(-1)
    else:
        xp.add.at(flat, places.reshape(-1), grad.reshape(-1))
    return total


def avg_pool2d(
    xp: Any,
    input: Any,
    kernel: _Pair,
    stride: _Pair,
    padding: _Pair = (0, 0),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The mean of each window of (..., H, W), as (..., OH, OW), C-contiguous.

    As ATen/native/cpu/AvgPoolKernel.cpp: pixels are added in row-major order, half types in
    float32. Integers divide towards zero.
    """
    dtype = input.dtype
    if _is_half(dtype):
        return avg_pool2d(
            xp, input.astype(xp.float32), kernel, stride, padding, ceil_mode, count_include_pad,
            divisor_override,
        ).astype(dtype)  # fmt: skip
    image = input.shape[-2:]
    out = tuple([
        window_count(*axis, 1, ceil_mode) for axis in zip(image, kernel, stride, padding)
    ])  # fmt: skip
    total = xp.zeros((*input.shape[:-2], *out), dtype)
    for _, _, there, here in taps(image, kernel, out, stride, padding, (1, 1)):
        part = total[(..., *there)]
        xp.add(part, input[(..., *here)], out=part)
    divisor = divisor_override or _divisors(image, kernel, out, stride, padding, count_include_pad)
    if dtype.kind == "f":
        total /= divisor if type(divisor) is int else xp.asarray(divisor)
    else:
        total = xp.trunc(total / xp.asarray(divisor)).astype(dtype)
    return total


def avg_pool2d_backward(
    xp: Any,
    grad: Any,
    image: _Pair,
    kernel: _Pair,
    stride: _Pair,
    padding: _Pair = (0, 0),
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """(..., OH, OW) gradients spread evenly over their windows of a plane of size `image`.

    As ATen/native/cpu/AvgPoolKernel.cpp.
    """
    if _is_half(grad.dtype):
        return avg_pool2d_backward(
            xp, grad.astype(xp.float32), image, kernel, stride, padding, count_include_pad,
            divisor_override,
        ).astype(grad.dtype)  # fmt: skip
    image = tuple(image)
    out = grad.shape[-2:]
    divisor = divisor_override or _divisors(image, kernel, out, stride, padding, count_include_pad)
    share = grad / (divisor if type(divisor) is int else xp.asarray(divisor))
    share = share.astype(grad.dtype, copy=False)
    total = xp.zeros((*grad.shape[:-2], *image), grad.dtype)
    # Backwards through the taps, a pixel meets its windows in their order.
    for _, _, there, here in reversed(list(taps(image, kernel, out, stride, padding, (1, 1)))):
        part = total[(..., *here)]
        xp.add(part, share[(..., *there)], out=part)
    return total


@lru_cache(maxsize=256)
def _divisors(image, kernel, out, stride, padding, count_include_pad) -> Any:
    """How many pixels each window counts: an integer where all agree, else an (OH, OW) array."""
    sides = []
    for n, k, o, s, p in zip(image, kernel, out, stride, padding):
        start = numpy.arange(o) * s - p
        end = numpy.minimum(start + k, n + p)
        if not count_include_pad:
            start, end = numpy.maximum(start, 0), numpy.minimum(end, n)
        sides.append(end - start)
    counts = (sides[0][:, None] * sides[1]).astype(numpy.float32)
    if counts.size and counts.min() == counts.max():
        return int(counts[0, 0])
    return counts


def _is_half(dtype: Any) -> bool:
    return dtype.itemsize == 2 and dtype.kind in "fV"


def _adaptive_windows(size: int, count: int) -> list[slice]:
    """`count` windows of nearly equal size along an axis; neighbours may share a pixel."""
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def adaptive_avg_pool2d(xp: Any, input: Any, size: _Pair) -> Any:
    """The means of size[0] * size[1] windows of (..., H, W), C-contiguous.

    As ATen/native/cpu/AdaptiveAvgPoolKernel.cpp; half types are added up in float32.
    """
    if _is_half(input.dtype):
        return adaptive_avg_pool2d(xp, input.astype(xp.float32), size).astype(input.dtype)
    out = xp.empty((*input.shape[:-2], *size), input.dtype)
    rows, columns = map(_adaptive_windows, input.shape[-2:], size)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            window = input[..., row, column]
            total = xp.add.reduce(window, (-2, -1))
            out[..., i, j] = total / (window.shape[-1] * window.shape[-2])
    return out


def adaptive_avg_pool2d_backward(xp: Any, grad: Any, image: _Pair) -> Any:
    """(..., OH, OW) gradients spread evenly over their windows of a plane of size `image`."""
    if _is_half(grad.dtype):
        wide = grad.astype(xp.float32)
        return adaptive_avg_pool2d_backward(xp, wide, image).astype(grad.dtype)
    total = xp.zeros((*grad.shape[:-2], *image), grad.dtype)
    rows, columns = map(_adaptive_windows, image, grad.shape[-2:])
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            count = (row.stop - row.start) * (column.stop - column.start)
            total[..., row, column] += grad[..., i : i + 1, j : j + 1] / count
    return total
