"""Sliding windows over the last axes of an image: their number, their pixels, im2col and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

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


def taps(
    image: _Ints, kernel: _Ints, out: _Ints, stride: _Ints, padding: _Ints, dilation: _Ints
) -> Iterator[tuple[int, _Ints, tuple[slice, ...], tuple[slice, ...]]]:
    """For each tap of the window in row-major order: (number, position, windows, pixels).

    `windows` and `pixels` are slices for the last axes: the windows whose tap lies on the image,
    and the pixels it lies on. Taps that lie on padding everywhere are left out.
    """
    for number, position in enumerate(product(*[range(k) for k in kernel])):
        pairs = [
            overlap(i * d, s, p, n, o)
            for i, d, s, p, n, o in zip(position, dilation, stride, padding, image, out)
        ]
        if all(pairs):
            there, here = zip(*pairs)
            yield number, position, there, here


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
