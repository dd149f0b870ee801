"""Bilinear and nearest samples of NumPy's floats, all axes and taps in one array.

The taps of grid_taps.py serve all kinds: bicubic ones, half types, devices and formulas on Tensors.
These take the same steps, to the same bits (tests/aten/layers/test_linear_samples.py), in a fifth
of NumPy's calls: 0.23 of the time forward and 0.25 backward for an image of 4 x 4, 0.62 and 0.80
for 32 x 16 of 28 x 28.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy

from minitorch.aten.layers.grid_taps import NEAREST, ON_NUMPY, ZEROS, padded
from minitorch.core.arrays.floating_point import Silence

_IN_CACHE = 1 << 17  # pixels that are gathered at a time


class Taps(NamedTuple):
    """The pixels around the places of a grid; n images, p places each, k = 2 pixels along an axis.

    index: (k ** axes, n, p), flat pixels of an image with a frame of zeros, the last axis running
        fastest.
    weights: (k, axes, n, p); None if k is 1.
    scales: pixels per place, (axes, 1, 1), or (axes, n, p) if places are held; None if not wanted.
    """

    index: Any
    weights: Any
    scales: Any


class _Numbers(NamedTuple):
    """Constants from which the taps of images of one size are computed.

    sizes: of the axes, (axes, n, p).
    tops: the sizes less 1.
    one, half, outside: 1, 1/2 and -1 as 0-d arrays, which cost less than numbers.
    beyond, steps: for both taps, (2, axes, n, p): the sizes, and the distance, in flat pixels, from
        a pixel to the next one along an axis.
    """

    sizes: Any
    tops: Any
    one: Any
    half: Any
    outside: Any
    beyond: Any
    steps: Any


@lru_cache(256)
def _numbers(image: tuple[int, ...], n: int, p: int, char: str) -> _Numbers:
    """For n images of p places each: few have arrays of their own, for a loop over two arrays of
    one shape takes 0.3 us, one over others 1 us."""
    one, half, outside = [numpy.asarray(number, char) for number in (1, 0.5, -1)]
    count, (n, p) = len(image), ((n, p) if n * p <= _FEW else (1, 1))

    def filled(numbers: Any, char: str) -> Any:
        return numpy.repeat(numpy.array(numbers, char), n * p).reshape(count, n, p)

    sizes = filled(image, char)
    steps = filled([prod([size + 2 for size in image[i + 1 :]]) for i in range(count)], "p")
    both = numpy.stack([sizes, sizes]), numpy.stack([steps, steps])
    return _Numbers(sizes, sizes - one, one, half, outside, *both)


_FEW = 1024


def taps_around(
    grid: Any, image: tuple[int, ...], mode: int, padding: int, corners: bool, sloped: bool
) -> Taps:
    """The taps around the places of a grid, (n, *places, axes).

    sloped: whether the gradient of the grid is wanted.
    """
    count, char = len(image), grid.dtype.char
    flat = grid.reshape(len(grid), -1, count)[..., ::-1].transpose(2, 0, 1)
    _, n, p = flat.shape
    sizes, tops, one, half, outside, beyond, steps = _numbers(image, n, p, char)
    x = numpy.add(flat, one, order="C")
    if corners:
        x *= half
        x *= tops
    else:
        if count == 2 and char == "f":  # a product and a difference, rounded once
            wide, exact = x.astype(numpy.float64), _numbers(image, n, p, "d")
            wide *= exact.sizes
            wide -= exact.one
            x = wide.astype(x.dtype)
        else:
            x *= sizes
            x -= one
        x *= half
    scales = (tops if corners else sizes) * half if sloped else None
    if padding != ZEROS:
        held = [
            padded(ON_NUMPY, x[i], size, padding, corners, sloped) for i, size in enumerate(image)
        ]
        x = numpy.stack([places for places, _ in held])
        scales = scales * numpy.stack([slope for _, slope in held]) if sloped else None
    if mode == NEAREST:
        pixels, weights = numpy.rint(x)[None], None
    else:
        pixels, weights = numpy.empty((2, count, n, p), char), numpy.empty((2, count, n, p), char)
        first = numpy.floor(x, pixels[0])
        second = numpy.add(first, one, pixels[1])
        numpy.subtract(second, x, weights[0])
        numpy.subtract(x, first, weights[1])
    numpy.fmax(pixels, outside, pixels)  # NaN as well lies in the frame
    numpy.fmin(pixels, beyond[: len(pixels)], pixels)
    whole = pixels.astype(numpy.intp)
    whole *= steps[: len(pixels)]
    index = whole[:, 0]
    for axis in range(1, count):
        index = (index[:, None] + whole[:, axis]).reshape(-1, n, p)
    return Taps(index, weights, scales)


def products(weights: Any) -> Any:
    """The weight of each combination of taps, (taps, n, p): that of the last axis is the first."""
    total = weights[:, -1]
    for axis in range(weights.shape[1] - 2, -1, -1):
        total = (weights[:, axis][:, None] * total).reshape(-1, *total.shape[1:])
    return total


@lru_cache(256)
def _framed(shape: tuple[int, ...]) -> tuple[tuple[int, ...], Any, Any]:
    """Of images (n, channels, *image) with a frame: their shape, where the pixels within are, and
    the flat place of the first of these in each channel, (n, channels, 1)."""
    n, c, *image = shape
    wide = [size + 2 for size in image]
    starts = numpy.arange(n * c).reshape(n, c, 1) * prod(wide)
    first = numpy.ravel_multi_index([1] * len(wide), wide)
    return (n, c, *wide), (..., *[slice(1, -1)] * len(wide)), starts + first


def gathered(input: Any, index: Any) -> tuple[Any, Any]:
    """The pixels at `index` of each channel, and where they lie, (taps, n, channels, p)."""
    shape, within, starts = _framed(input.shape)
    framed = numpy.zeros(shape, input.dtype)
    framed[within] = input
    places = index[:, :, None] + starts
    return framed.reshape(-1).take(places), places


def some_images(input: Any, grid: Any) -> int:
    """How many images of a batch fit the cache with their taps."""
    return max(1, _IN_CACHE // (input.shape[1] * prod(grid.shape[1:-1]) << (input.ndim - 2)))


def linear_samples(input: Any, grid: Any, mode: int, padding: int, corners: bool) -> Any:
    """The images at the places of the grid, (n, channels, *places)."""
    n, step = len(grid), some_images(input, grid)
    settings = (mode, padding, corners)
    shape = (n, input.shape[1], *grid.shape[1:-1])
    with Silence():
        if _are_better_by_rows(input, grid):
            return _samples_by_rows(input, grid, *settings).reshape(shape)
        if n <= step:
            return _samples(input, grid, *settings).reshape(shape)
        out = numpy.empty(shape, input.dtype)
        for start in range(0, n, step):
            part = slice(start, start + step)
            out[part].reshape(-1)[:] = _samples(input[part], grid[part], *settings).reshape(-1)
    return out


def _samples(input: Any, grid: Any, mode: int, padding: int, corners: bool) -> Any:
    index, weights, _ = taps_around(grid, input.shape[2:], mode, padding, corners, False)
    around, _ = gathered(input, index)
    if weights is None:
        return around[0]
    around *= products(weights)[:, :, None]
    if around[0].size > 1:  # else NumPy adds in another order
        return numpy.add.reduce(around, 0)
    total = around[0].copy()  # not in the memory of all of them
    for each in around[1:]:
        total += each
    return total


def _are_better_by_rows(input: Any, grid: Any) -> bool:
    """Whether the pixels are read as rows of channels: there are many channels, and more taps than
    pixels, which have to be turned around.

    2 x 384 channels of 5 x 20: 438 us, not 1131; 2 x 16 of 32 x 32: 246, not 386.
    """
    channels, pixels = input.shape[1], prod(input.shape[2:])
    return channels >= 8 and prod(grid.shape[1:-1]) << (input.ndim - 2) >= pixels > 32


def _samples_by_rows(input: Any, grid: Any, mode: int, padding: int, corners: bool) -> Any:
    """`_samples`, (n, channels, p), image by image: take copies the channels of a pixel at once."""
    index, weights, _ = taps_around(grid, input.shape[2:], mode, padding, corners, False)
    shape, within, starts = _framed(input.shape)
    index += starts[0, 0]
    shares = None if weights is None else products(weights)
    n, c = shape[:2]
    framed = numpy.zeros((*shape[2:], c), input.dtype)
    out = numpy.empty((n, c, index.shape[-1]), input.dtype)
    for i in range(n):
        framed[within[1:]] = numpy.moveaxis(input[i], 0, -1)
        around = framed.reshape(-1, c).take(index[:, i], 0)
        if shares is None:
            out[i] = around[0].T
            continue
        around *= shares[:, i, :, None]
        out[i] = numpy.add.reduce(around, 0).T
    return out


def linear_backward(
    grad: Any, input: Any, grid: Any, padding: int, corners: bool, wants_input: bool
) -> tuple[Any, Any]:
    """The gradients of the images, None unless it is wanted, and of the grid."""
    n, step = len(grid), some_images(input, grid)
    to_input = numpy.empty(input.shape, input.dtype) if wants_input else None
    to_grid = numpy.empty(grid.shape, grid.dtype)
    with Silence():
        for start in range(0, n, step):
            part = slice(start, start + step)
            into = None if to_input is None else to_input[part]
            _slopes(grad[part], input[part], grid[part], padding, corners, into, to_grid[part])
    return to_input, to_grid


def _slopes(
    grad: Any, input: Any, grid: Any, padding: int, corners: bool, to_input: Any, to_grid: Any
) -> None:
    """Writes the gradients of some images and of their grids."""
    n, c, image = *input.shape[:2], input.shape[2:]
    count = len(image)
    index, weights, scales = taps_around(grid, image, 0, padding, corners, True)
    around, places = gathered(input, index)
    flat = grad.reshape(n, c, -1)
    if to_input is not None:
        shares = products(weights)[:, :, None] * flat
        shape, within, _ = _framed(input.shape)
        total = numpy.zeros(shape, input.dtype)
        order = (1, 2, 3, 0)  # place by place, as torch adds them
        shares = shares.transpose(order).ravel()
        numpy.add.at(total.reshape(-1), places.transpose(order).ravel(), shares)
        to_input[...] = total[within]
    by_taps = around.reshape(*[2] * count, n, c, -1)
    terms = numpy.empty((n, c, *[2] * count, flat.shape[-1]), input.dtype)
    ahead = (*range(2, count + 2), 0, 1, count + 2)
    for axis in range(count):
        term = by_taps
        for other in range(count - 1, -1, -1):
            if other != axis:
                shape = [1] * count
                shape[other] = 2
                term = term * weights[:, other].reshape(*shape, n, 1, -1)
        numpy.multiply(term, flat, terms.transpose(ahead))
        below = terms[(slice(None),) * (axis + 2) + (0,)]
        numpy.negative(below, below)
        slope = sum_in_turn(terms.reshape(n, -1, flat.shape[-1]))
        slope *= scales[axis]
        to_grid[..., count - 1 - axis] = slope.reshape(to_grid.shape[:-1])


def sum_in_turn(terms: Any) -> Any:
    """The sum over the second axis, (n, k, p), of terms added strictly one after another."""
    if terms.shape[-1] > 1:  # else NumPy adds pairwise
        return numpy.add.reduce(terms, 1, initial=0)
    total = numpy.zeros((terms.shape[0], terms.shape[2]), terms.dtype)
    for i in range(terms.shape[1]):
        total += terms[:, i]
    return total
