"""Max and average pooling over the last axes, as many as a window has, with their gradients.

A window is walked through tap by tap, each tap one strided slice of the whole image, so that ties,
not-a-numbers and rounding come out as in a loop over the window. Sizes are not checked here.
"""

from __future__ import annotations

from functools import lru_cache, partial, reduce
from itertools import product
from math import prod
from typing import Any

import numpy

from minitorch.core.arrays.floating_point import is_half
from minitorch.core.arrays.missing import is_true
from minitorch.core.arrays.questions import largest_of, least_of
from minitorch.core.arrays.scalars import number
from minitorch.core.arrays.windows import (
    adaptive_places,
    adaptive_sides,
    adaptive_windows,
    places,
    taps,
    window_count,
)

_Ints = tuple[int, ...]
# Pixels in all windows together up to which they are gathered at once: 28 us in place of 130 for a
# few, and as long at the end.
FEW = 8192


def max_pool(
    xp: Any,
    input: Any,
    kernel: _Ints,
    stride: _Ints,
    padding: _Ints,
    dilation: _Ints,
    ceil_mode: bool = False,
) -> tuple[Any, Any]:
    """The largest pixel of each window and its flat position in the image.

    Args:
        input: (..., *image); real, padding counts as smaller than everything.
    Returns:
        (values, indices) of shape (..., *windows), C-contiguous, indices int64. The first of equal
        pixels wins, and the last not-a-number wins over all.

    As ATen/native/cpu/MaxPoolKernel.cpp.
    """
    lead, image = input.shape[: -len(kernel)], input.shape[-len(kernel) :]
    geometry, pixels = _geometry(image, kernel, stride, padding, dilation, ceil_mode)
    out, dtype = geometry[2], input.dtype
    if xp.fused is not None and xp.fused.takes_windows(input):
        return xp.fused.max_pool(input, geometry)
    if dtype.kind == "V":  # bfloat16: comparisons in float32 are exact, and faster
        values, indices = max_pool(
            xp, input.astype(xp.float32), kernel, stride, padding, dilation, ceil_mode
        )
        return values.astype(dtype), indices
    if type(input) is numpy.ndarray and 0 < prod(lead) * pixels <= FEW:
        found = _largest_of_few(input, lead, out, image, *places(*geometry))
        if found is not None:
            return found
    bases, steps, first = _positions(*geometry)
    if kernel == (2, 2) and _inside(*geometry):
        values, codes = _largest_of_four(xp, input, out, stride, dilation)
    else:
        values = codes = None
    if values is None:
        input, empty = _for_loops(xp, input, lead, out)
        codes = empty((*lead, *out), xp.uint8 if steps.size < 256 else xp.int32)
        codes[...] = xp.asarray(first)
        floating = dtype.kind == "f"
        values = empty((*lead, *out), dtype)
        values.fill(-xp.inf if floating else xp.iinfo(dtype).min)
        may_be_nan = floating and input.size and is_true(xp.isnan(largest_of(input)), False)
        for tap, _, there, here in taps(*geometry):
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
    return xp.ascontiguousarray(values), indices


def _for_loops(xp: Any, x: Any, lead: _Ints, out: _Ints) -> tuple[Any, Any]:
    """Images, or windows, and a function that makes an empty array beside them.

    If there are many images with so few windows that loops along them are too short, an element
    lies beside the same element of the next image, and NumPy's loops go along these: 5,556 of 3 x 6
    are pooled in 0.3 ms, not 0.9.
    """
    if type(x) is not numpy.ndarray or out[-1] >= 16 or prod(lead) <= 64:
        return x, xp.empty
    count, axes = len(out), [*range(x.ndim)]
    moved = x.transpose(axes[-count:] + axes[:-count]).copy()
    return moved.transpose(axes[count:] + axes[:count]), partial(_empty_batch_last, count)


def _empty_batch_last(count: int, shape: _Ints, dtype: Any) -> Any:
    axes = [*range(len(shape))]
    return numpy.empty(shape[-count:] + shape[:-count], dtype).transpose(
        axes[count:] + axes[:count]
    )


@lru_cache(maxsize=256)
def _geometry(
    image: _Ints, kernel: _Ints, stride: _Ints, padding: _Ints, dilation: _Ints, ceil_mode: bool
) -> tuple[tuple[_Ints, ...], int]:
    """(image, kernel, windows, stride, padding, dilation), and how many pixels all windows have."""
    axes = zip(image, kernel, stride, padding, dilation)
    out = tuple([window_count(*axis, ceil_mode) for axis in axes])
    return (image, kernel, out, stride, padding, dilation), prod(out) * prod(kernel)


def _largest_of_few(
    x: Any, lead: _Ints, out: _Ints, image: _Ints, table: Any, pads: bool
) -> tuple[Any, Any] | None:
    """As `max_pool`, for all windows at once; None if there is a NaN.

    table: flat positions in the image, (windows, taps).
    """
    lowest = -numpy.inf if x.dtype.kind == "f" else numpy.iinfo(x.dtype).min
    flat, windows = _seen(x, image, table, pads, lowest)
    tap = windows.argmax(-1)
    tap += _multiples(len(table), table.shape[1])
    indices = table.reshape(-1).take(tap)
    values = flat.reshape(-1).take(indices + _multiples(*flat.shape)[:, None])
    if x.dtype.kind == "f":
        largest = values.reshape(-1)[values.argmax()]
        if largest != largest:
            return None
    return values.reshape(*lead, *out), indices.reshape(*lead, *out)


@lru_cache(maxsize=256)
def _multiples(count: int, step: int) -> Any:
    """0, step, 2 * step and so on: where each of `count` rows begins."""
    return numpy.arange(count) * step


def _seen(x: Any, image: _Ints, table: Any, pads: bool, padding: Any) -> tuple[Any, Any]:
    """The flat images, followed by a number for padding where there is some, and the pixels of all
    windows, (images, windows, taps)."""
    count = prod(image)
    flat = x.reshape(-1, count)
    if pads:
        wide = numpy.empty((len(flat), count + 1), x.dtype)
        wide[:, :count] = flat
        wide[:, count] = padding
        flat = wide
    return flat, flat.take(table, axis=1)


def _sums(x: Any, image: _Ints, table: Any, pads: bool) -> Any:
    """The sums over windows, (images, windows), of pixels that are added one after the other."""
    if len(table) == 1:  # a plain sum of one row would add pairs
        _, windows = _seen(x, image, table, pads, 0)
        return numpy.add.accumulate(windows, -1, dtype=x.dtype)[..., -1] + x.dtype.type(0)
    _, windows = _seen(x, image, table.T, pads, 0)
    return numpy.add.reduce(windows, 1, dtype=x.dtype, initial=0)


def _largest_of_four(xp: Any, x: Any, out: _Ints, stride: _Ints, dilation: _Ints) -> Any:
    """The values and taps of unpadded 2 x 2 windows, by pairs of taps; None if there is a NaN."""
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
    if x.dtype.kind == "f" and upper.size and xp.isnan(largest_of(upper)):
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

    Flat positions in the image: a pixel stands at the sum of its window's base and its tap's step.
    """
    starts = [numpy.arange(o) * s - p for o, s, p in zip(out, stride, padding)]
    shifts = [numpy.arange(k) * d for k, d in zip(kernel, dilation)]
    first = [numpy.maximum(0, -(start // d)) for start, d in zip(starts, dilation)]
    return _flat(starts, image), _flat(shifts, image).ravel(), _flat(first, kernel)


def _flat(places: list[Any], sizes: _Ints) -> Any:
    """Places along each axis of a box of `sizes`, all with all, as places in its elements."""
    flat = places[0]
    for place, size in zip(places[1:], sizes[1:]):
        flat = flat[..., None] * size + place
    return flat


def max_pool_backward(
    xp: Any, grad: Any, indices: Any, image: _Ints, disjoint: bool = False
) -> Any:
    """(..., *windows) gradients added up at `indices` of zero images of size `image`.

    Args:
        disjoint: whether no pixel belongs to two windows (stride >= dilation * (kernel - 1) + 1);
            gradients are then stored, not added.

    As ATen/native/cpu/MaxPoolKernel.cpp.
    """
    if xp.fused is not None and grad.dtype.char in "fd":
        return xp.fused.max_pool_backward(grad, indices, tuple(image))
    if grad.dtype.kind == "V":
        wide = grad.astype(xp.float32)
        return max_pool_backward(xp, wide, indices, image, disjoint).astype(grad.dtype)
    count = len(image)
    total = xp.zeros((*grad.shape[:-count], *image), grad.dtype)
    if not grad.size:
        return total
    places = indices.reshape(-1, prod(indices.shape[-count:]))
    places = places + (xp.arange(places.shape[0]) * prod(image))[:, None]
    flat = total.reshape(-1)
    if disjoint:
        flat[places.reshape(-1)] = grad.reshape(-1)
    else:
        xp.add.at(flat, places.reshape(-1), grad.reshape(-1))
    return total


def avg_pool(
    xp: Any,
    input: Any,
    kernel: _Ints,
    stride: _Ints,
    padding: _Ints,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The mean of each window of (..., *image), as (..., *windows), C-contiguous.

    As ATen/native/cpu/AvgPoolKernel.cpp: pixels are added in row-major order, half types in
    float32. Integers divide towards zero.
    """
    dtype = input.dtype
    if is_half(dtype):
        return avg_pool(
            xp, input.astype(xp.float32), kernel, stride, padding, ceil_mode, count_include_pad,
            divisor_override,
        ).astype(dtype)  # fmt: skip
    count = len(kernel)
    lead, image = input.shape[:-count], input.shape[-count:]
    geometry, pixels = _geometry(image, kernel, stride, padding, (1,) * count, ceil_mode)
    out = geometry[2]
    if type(input) is numpy.ndarray and 0 < prod(lead) * pixels <= FEW:
        total = _sums(input, image, *places(*geometry)).reshape(*lead, *out)
    else:
        input, empty = _for_loops(xp, input, lead, out)
        total = empty((*lead, *out), dtype)
        total.fill(0)
        for _, _, there, here in taps(*geometry):
            part = total[(..., *there)]
            xp.add(part, input[(..., *here)], out=part)
    divisor = divisor_override or _divisors(image, kernel, out, stride, padding, count_include_pad)
    if dtype.kind == "f":
        xp.divide(
            total, number(total, divisor) if type(divisor) is int else xp.asarray(divisor), total
        )
    else:
        total = xp.trunc(total / xp.asarray(divisor)).astype(dtype)
    return xp.ascontiguousarray(total)


def avg_pool_backward(
    xp: Any,
    grad: Any,
    image: _Ints,
    kernel: _Ints,
    stride: _Ints,
    padding: _Ints,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """(..., *windows) gradients spread evenly over their windows of an image.

    As ATen/native/cpu/AvgPoolKernel.cpp.
    """
    if is_half(grad.dtype):
        return avg_pool_backward(
            xp, grad.astype(xp.float32), image, kernel, stride, padding, count_include_pad,
            divisor_override,
        ).astype(grad.dtype)  # fmt: skip
    image, lead, out = tuple(image), grad.shape[: -len(image)], grad.shape[-len(image) :]
    divisor = divisor_override or _divisors(image, kernel, out, stride, padding, count_include_pad)
    share = grad / (divisor if type(divisor) is int else xp.asarray(divisor))
    share = share.astype(grad.dtype, copy=False)
    share, empty = _for_loops(xp, share, lead, out)
    total = empty((*lead, *image), grad.dtype)
    total.fill(0)
    # Backwards through the taps, a pixel meets its windows in their order.
    steps = list(taps(image, kernel, out, stride, padding, (1,) * len(kernel)))
    for _, _, there, here in reversed(steps):
        part = total[(..., *here)]
        xp.add(part, share[(..., *there)], out=part)
    return xp.ascontiguousarray(total)


@lru_cache(maxsize=256)
def _divisors(image, kernel, out, stride, padding, count_include_pad) -> Any:
    """How many pixels each window counts: an integer if all are equal, else an array."""
    sides = []
    for n, k, o, s, p in zip(image, kernel, out, stride, padding):
        start = numpy.arange(o) * s - p
        end = numpy.minimum(start + k, n + p)
        if not count_include_pad:
            start, end = numpy.maximum(start, 0), numpy.minimum(end, n)
        sides.append(end - start)
    counts = reduce(numpy.multiply.outer, sides).astype(numpy.float32)
    if counts.size and least_of(counts) == largest_of(counts):
        return int(counts.flat[0])
    return counts


def _cells(image: _Ints, size: _Ints) -> Any:
    """(position, window) of each of `size` windows, as indices of the last axes."""
    axes = [enumerate(adaptive_windows(n, count)) for n, count in zip(image, size)]
    for cell in product(*axes):
        place, window = zip(*cell)
        yield (..., *place), (..., *window)


def adaptive_avg_pool(xp: Any, input: Any, size: _Ints) -> Any:
    """The means of prod(size) windows of (..., *image), C-contiguous.

    As ATen/native/cpu/AdaptiveAvgPoolKernel.cpp, where half types are added up in float32; volumes
    are rounded after each addition, as in ATen/native/AdaptiveAveragePooling3d.cpp.
    """
    stepwise = len(size) == 3
    if is_half(input.dtype) and not stepwise:
        return adaptive_avg_pool(xp, input.astype(xp.float32), size).astype(input.dtype)
    axes = tuple(range(-len(size), 0))
    lead, image = input.shape[: -len(size)], input.shape[-len(size) :]
    sides = adaptive_sides(image, size)
    seen = prod(lead) * prod([len(side) * max(side, default=0) for side in sides])
    if type(input) is numpy.ndarray and input.dtype.itemsize > 2 and 0 < seen <= FEW:
        total = _sums(input, image, *adaptive_places(image, size)).reshape(*lead, *size)
        for each in _counts_of_pixels(image, tuple(size), stepwise, input.dtype.char):
            total = total / each
        return total
    out = xp.empty((*lead, *size), input.dtype)
    for place, cell in _cells(image, size):
        window = input[cell]
        sizes = window.shape[-len(size) :]
        if stepwise:
            total = xp.add.accumulate(window.reshape(*lead, prod(sizes)), -1)[..., -1]
            for n in sizes:
                total = total / input.dtype.type(n)
            out[place] = total
        else:
            out[place] = xp.add.reduce(window, axes) / prod(sizes)
    return out


@lru_cache(1024)
def _counts_of_pixels(image: _Ints, size: _Ints, stepwise: bool, char: str) -> list[Any]:
    """How many pixels each window has, as arrays beside the windows: along each axis, or in all."""
    sides = adaptive_sides(image, size)
    counts = numpy.ix_(*sides) if stepwise else [reduce(numpy.multiply.outer, sides)]
    return [numpy.asarray(each, char) for each in counts]


def adaptive_avg_pool_backward(xp: Any, grad: Any, image: _Ints) -> Any:
    """(..., *windows) gradients spread evenly over their windows of an image."""
    count = len(image)
    if is_half(grad.dtype) and count == 2:
        wide = grad.astype(xp.float32)
        return adaptive_avg_pool_backward(xp, wide, image).astype(grad.dtype)
    total = xp.zeros((*grad.shape[:-count], *image), grad.dtype)
    for place, cell in _cells(image, grad.shape[-count:]):
        window = total[cell]
        sizes = window.shape[-count:]
        share = grad[place]
        for size in sizes if count == 3 else [prod(sizes)]:
            share = share / grad.dtype.type(size)
        window += share[(..., *[None] * count)]
    return total


def adaptive_max_pool(xp: Any, input: Any, size: _Ints) -> tuple[Any, Any]:
    """(values, indices) of the largest pixels of prod(size) windows of (..., *image).

    As ATen/native/cpu/AdaptiveMaxPoolKernel.cpp.
    """
    lead, image, size = input.shape[: -len(size)], input.shape[-len(size) :], tuple(size)
    if (
        type(input) is numpy.ndarray
        and input.dtype.kind != "V"
        and 0 < input.size <= FEW
        and all(size)
    ):
        found = _largest_of_few(input, lead, size, image, _adaptive_table(image, size), False)
        if found is not None:
            return found
    plain = type(input) is numpy.ndarray and input.size and input.dtype.kind != "V"
    if plain and 0 < prod(size) ** 2 < prod(image):
        found = _largest_of_long(input, size)
        if found is not None:
            return found
    return largest(xp, input, image, size, _adaptive_places(image, size))


def _largest_of_long(x: Any, size: _Ints) -> tuple[Any, Any] | None:
    """As `adaptive_max_pool`, window after window, each of which has many pixels; None where NaN
    is met."""
    lead, image = x.shape[: -len(size)], x.shape[-len(size) :]
    images, places = x.reshape(-1, *image), numpy.arange(prod(image)).reshape(image)
    indices = numpy.empty((len(images), prod(size)), numpy.int64)
    sides = [adaptive_windows(n, count) for n, count in zip(image, size)]
    for i, window in enumerate(product(*sides)):
        pixels = images[(slice(None), *window)].reshape(len(images), -1)
        indices[:, i] = places[window].reshape(-1).take(pixels.argmax(1))
    values = numpy.take_along_axis(images.reshape(len(images), -1), indices, 1)
    if x.dtype.kind == "f" and numpy.isnan(largest_of(values)):
        return None
    return values.reshape(*lead, *size), indices.reshape(*lead, *size)


@lru_cache(maxsize=256)
def _adaptive_table(image: _Ints, size: _Ints) -> Any:
    """As `_adaptive_places`, (windows, taps)."""
    found = [numpy.broadcast_to(each, size).reshape(-1) for each in _adaptive_places(image, size)]
    return numpy.stack(found, -1) if found else numpy.empty((prod(size), 0), int)


@lru_cache(maxsize=256)
def _adaptive_places(image: _Ints, size: _Ints) -> list[Any]:
    """Flat positions of the pixels of all windows, one array for each tap."""
    windows = [adaptive_windows(n, count) for n, count in zip(image, size)]
    starts = [numpy.array([w.start for w in axis], int) for axis in windows]
    ends = [numpy.array([w.stop for w in axis], int) for axis in windows]
    longest = [int(max(b - a, default=0)) for a, b in zip(starts, ends)]
    # Windows that are shorter than others meet their last pixel again, which changes nothing.
    return [
        _flat([numpy.minimum(a + i, b - 1) for a, i, b in zip(starts, tap, ends)], image)
        for tap in product(*map(range, longest))
    ]


def fractional_max_pool(
    xp: Any, input: Any, kernel: _Ints, size: _Ints, samples: Any
) -> tuple[Any, Any]:
    """(values, indices) of the largest pixels of windows that start where `samples` says.

    Args:
        input: (N, C, *image).
        samples: (N, C, axes) in [0, 1): where the windows of each channel start.

    As ATen/native/FractionalMaxPooling.h and ATen/native/FractionalMaxPool2d.cpp.
    """
    image = input.shape[2:]
    images = input.shape[0] * input.shape[1]
    corners: Any = 0
    for i, (n, k, count) in enumerate(zip(image, kernel, size)):
        start = _fractional_starts(xp, samples[: input.shape[0], :, i].reshape(-1, 1), n, k, count)
        shape = (images, *[1] * i, count, *[1] * (len(size) - 1 - i))
        corners = corners * n + start.reshape(shape)
    taps = _window(image, tuple(kernel))
    if type(input) is numpy.ndarray and 0 < images * prod(size) * len(taps) <= FEW:
        found = _largest_from_corners(input, images, image, taps, corners.reshape(images, -1, 1))
        if found is not None:
            return [x.reshape(*input.shape[:2], *size) for x in found]
    return largest(xp, input, image, size, [corners + tap for tap in taps.tolist()])


def _fractional_starts(xp: Any, sample: Any, n: int, k: int, count: int) -> Any:
    """Where `count` windows of `k` of `n` pixels start, (images, count), by samples (images, 1)."""
    if count < 2:
        return xp.full((len(sample), count), n - k, xp.int64)
    number = sample.dtype.type
    alpha = number(n - k) / number(count - 1)
    start = ((xp.arange(count).astype(sample.dtype) + sample) * alpha).astype(xp.int64)
    start -= start[:, :1].copy()
    start[:, -1] = n - k
    return start


@lru_cache(maxsize=256)
def _window(image: _Ints, kernel: _Ints) -> Any:
    """How far each pixel of a window lies behind its first, flat."""
    return _flat([numpy.arange(k) for k in kernel], image).reshape(-1)


def _largest_from_corners(
    x: Any, images: int, image: _Ints, taps: Any, corners: Any
) -> tuple[Any, Any] | None:
    """As `largest`, of all windows of few images at once, (images, windows): each begins at a
    corner, (images, windows, 1). None where NaN is met, or the dtype has no largest number."""
    if x.dtype.kind != "f":
        return None
    flat, base = x.reshape(-1), _multiples(images, prod(image))[:, None, None]
    tap = flat.take(corners + taps + base).argmax(-1)
    indices = corners[..., 0] + taps.take(tap)
    values = flat.take(indices + base[..., 0])
    largest = values.reshape(-1)[values.argmax()]
    return (values, indices) if largest == largest else None


def largest(xp: Any, input: Any, image: _Ints, out: _Ints, places: Any) -> tuple[Any, Any]:
    """The largest of the pixels of (..., *image) at `places`, and where it is.

    Args:
        places: flat positions in the image, one array for each tap; of shape `out` for all images,
            or with one axis more for each image.

    The first of equal pixels wins, and the last not-a-number wins over all.
    """
    shape = (*input.shape[: -len(out)], *out)
    count = prod(shape[: -len(out)])
    flat, corners = input.reshape(-1), (xp.arange(count) * prod(image)).reshape(-1, *[1] * len(out))
    values = indices = None
    for place in places:
        place = xp.broadcast_to(xp.asarray(place), (count, *out))
        pixels = flat.take(place + corners)
        if values is None:
            values, indices = pixels, place.astype(xp.int64)
            continue
        better = (pixels > values) | (pixels != pixels)
        values, indices = xp.where(better, pixels, values), xp.where(better, place, indices)
    if values is None:
        values, indices = xp.empty(shape, input.dtype), xp.empty(shape, xp.int64)
    return [xp.ascontiguousarray(x).reshape(shape) for x in (values, indices)]
