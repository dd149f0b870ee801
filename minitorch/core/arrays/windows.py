"""Sliding windows over the last axes of an image: their number, their pixels, im2col and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy

from minitorch.core.arrays.questions import every

_Ints = tuple[int, ...]


def window_count(
    size: int, kernel: int, stride: int, padding: int, dilation: int = 1, ceil_mode: bool = False
) -> int:
    """How many windows fit along an axis of `size` pixels; may be zero or negative.

    With ceil_mode the last window may reach past the end, but has to start inside the image or
    its left padding. As ATen/native/Pool.h (pooling_output_shape).
    """
    room = size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)
    count = room // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return count


def transposed_size(
    image: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    extra: Sequence[int],
) -> tuple[int, ...]:
    """The spatial size of the result of a transposed convolution; it may be zero or negative.

    extra: the output padding.
    """
    return tuple([
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, k, s, p, d, e in zip(image, kernel, stride, padding, dilation, extra, strict=True)
    ])  # fmt: skip


def overlap(
    start: int, stride: int, padding: int, size: int, count: int
) -> tuple[slice, slice] | None:
    """Slices (there, here) of positions t < count that see pixel t * stride + start - padding.

    `there` are the positions that see the image, `here` the pixels they see; None where every
    position falls on padding.
    """
    offset = start - padding
    first = max(0, -(offset // stride))
    last = min(count, (size - 1 - offset) // stride + 1)
    if first >= last:
        return None
    begin = first * stride + offset
    return slice(first, last), slice(begin, begin + (last - first - 1) * stride + 1, stride)


_Tap = tuple[int, _Ints, tuple[slice, ...], tuple[slice, ...]]
_FEW = 256  # taps of a window whose list is kept: to make one takes 6 us a tap


def taps(
    image: _Ints, kernel: _Ints, out: _Ints, stride: _Ints, padding: _Ints, dilation: _Ints
) -> Iterable[_Tap]:
    """For each tap of the window in row-major order: (number, position, windows, pixels).

    `windows` and `pixels` are slices for the last axes: the windows whose tap lies on the image,
    and the pixels it lies on. Taps that lie on padding everywhere are left out.
    """
    found = _known_taps if prod(kernel) <= _FEW else _taps
    return found(image, kernel, out, stride, padding, dilation)


@lru_cache(maxsize=256)
def _known_taps(*geometry: _Ints) -> tuple[_Tap, ...]:
    return tuple(_taps(*geometry))


def _taps(
    image: _Ints, kernel: _Ints, out: _Ints, stride: _Ints, padding: _Ints, dilation: _Ints
) -> Iterator[_Tap]:
    for number, position in enumerate(product(*[range(k) for k in kernel])):
        pairs = [
            overlap(i * d, s, p, n, o)
            for i, d, s, p, n, o in zip(position, dilation, stride, padding, image, out)
        ]
        if all(pairs):
            there, here = zip(*pairs)
            yield number, position, there, here


@lru_cache(maxsize=256)
def places(
    image: _Ints, kernel: _Ints, out: _Ints, stride: _Ints, padding: _Ints, dilation: _Ints
) -> tuple[Any, bool]:
    """The flat places of the pixels that windows see, (windows, taps); whether any sees padding.

    A window's pixels come in row-major order; after them comes its padding, at the place behind the
    last pixel.
    """
    starts = [numpy.arange(o) * s - p for o, s, p in zip(out, stride, padding)]
    return _flat_places(
        [start[:, None] + numpy.arange(k) * d for start, k, d in zip(starts, kernel, dilation)],
        image,
    )


@lru_cache(maxsize=256)
def adaptive_places(image: _Ints, size: _Ints) -> tuple[Any, bool]:
    """As `places`, for windows of nearly equal size; the missing pixels of a smaller one count as
    padding."""
    axes = []
    for n, count in zip(image, size):
        windows = adaptive_windows(n, count)
        longest = max([each.stop - each.start for each in windows], default=0)
        axis = numpy.array([each.start for each in windows], int)[:, None] + numpy.arange(longest)
        ends = numpy.array([each.stop for each in windows], int)[:, None]
        axes.append(numpy.where(axis < ends, axis, -1))
    return _flat_places(axes, image)


@lru_cache(maxsize=256)
def adaptive_sides(image: _Ints, size: _Ints) -> tuple[_Ints, ...]:
    """How long the windows of an adaptive pooling are, along each axis."""
    return tuple([
        tuple([each.stop - each.start for each in adaptive_windows(n, count)])
        for n, count in zip(image, size)
    ])  # fmt: skip


def adaptive_windows(size: int, count: int) -> list[slice]:
    """`count` windows of nearly equal size along an axis; neighbours may share a pixel."""
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _flat_places(axes: list[Any], image: _Ints) -> tuple[Any, bool]:
    """Places along each axis, (windows, taps), all with all, as flat places in the image."""
    flat, inside = numpy.zeros((1, 1), numpy.intp), numpy.ones((1, 1), bool)
    for axis, size in zip(axes, image):
        seen = (axis >= 0) & (axis < size)
        shape = (len(flat) * len(axis), flat.shape[1] * axis.shape[1])
        flat = (flat[:, None, :, None] * size + axis[:, None]).reshape(shape)
        inside = (inside[:, None, :, None] & seen[:, None]).reshape(shape)
    flat = numpy.where(inside, flat, prod(image))
    flat = numpy.take_along_axis(flat, numpy.argsort(~inside, 1, kind="stable"), 1)
    flat.flags.writeable = False
    return flat, not bool(every(inside))


def im2col(
    xp: Any, input: Any, kernel: _Ints, dilation: _Ints, padding: _Ints, stride: _Ints
) -> Any:
    """(N, C, *image) -> (N, C * taps, windows): every window as a column.

    As ATen/native/Im2Col.cpp.
    """
    n, c, *image = input.shape
    out = tuple(map(window_count, image, kernel, stride, padding, dilation))
    count = prod(kernel)
    columns = xp.zeros((n, c, count, *out), input.dtype)
    for tap, _, there, here in taps(tuple(image), kernel, out, stride, padding, dilation):
        columns[(slice(None), slice(None), tap, *there)] = input[(..., *here)]
    return columns.reshape(n, c * count, prod(out))


def col2im(
    xp: Any, columns: Any, image: _Ints, kernel: _Ints, dilation: _Ints, padding: _Ints,
    stride: _Ints, backwards: bool = False, out: _Ints | None = None,
) -> Any:  # fmt: skip
    """(N, C * taps, windows) -> (N, C, *image): the transpose of `im2col`, overlaps added.

    backwards: add from the last tap to the first, as ATen does where channels lie last.
    out: how many windows there are along each axis; as many as fit if None.

    As ATen/native/Col2Im.cpp.
    """
    image = tuple(image)
    out = out or tuple(map(window_count, image, kernel, stride, padding, dilation))
    count = prod(kernel)
    n, c = columns.shape[0], columns.shape[1] // count
    columns = columns.reshape(n, c, count, *out)
    total = xp.zeros((n, c, *image), columns.dtype)
    steps = list(taps(image, kernel, out, stride, padding, dilation))
    for tap, _, there, here in reversed(steps) if backwards else steps:
        total[(..., *here)] += columns[(slice(None), slice(None), tap, *there)]
    return total
