"""Where the samples of a grid lie: the pixels around a place along one axis, and their weights."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from minitorch.core.arrays import on_numpy
from minitorch.core.base.formulas import RAW
from minitorch.core.numbers import dtype as dtypes

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def padded(F: Any, x: Any, size: int, padding: int, corners: bool, sloped: bool) -> tuple[Any, Any]:
    """Places held to the image, and the slope of that, if it is wanted.

    As ATen/native/GridSampler.h.
    """
    if padding == ZEROS:
        return x, None
    slope = None
    if padding == REFLECTION:
        if corners and size == 1:
            return x * 0, F.zeros_like(x)
        low, span = (0, size - 1) if corners else (-0.5, size)
        x = x if corners else (2 * x + 1) / 2  # numbers of half types stay such
        distance = F.abs(x)
        extra = distance - F.trunc(distance / (2 * span)) * (2 * span)
        beyond = extra > span
        if sloped:
            slope = F.where(beyond != (x < 0), -F.ones_like(x), F.ones_like(x))
        x = F.where(beyond, 2 * span - extra, extra)
        x = x if low == 0 else (2 * x - 1) / 2
    if not sloped:
        return F.clamp(x, 0, size - 1), None
    inside = (x > 0) & (x < size - 1)
    slope = F.masked_fill(F.ones_like(x) if slope is None else slope, inside == 0, 0)
    return F.clamp(x, 0, size - 1), slope


def cubic(t: Any, number: Any) -> list[tuple[Any, Any, Any]]:
    """(weight, slope, bend) of the four pixels around a place, `t` past the second of them."""
    a = number(-0.75)

    def outer(x: Any) -> tuple[Any, Any, Any]:
        weight = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return weight, (3 * a * x - 10 * a) * x + 8 * a, 6 * a * x - 10 * a

    def inner(x: Any) -> tuple[Any, Any, Any]:
        weight = ((a + 2) * x - (a + 3)) * x * x + 1
        return weight, (3 * (a + 2) * x - 2 * (a + 3)) * x, 6 * (a + 2) * x - 2 * (a + 3)

    behind = [(weight, -slope, bend) for weight, slope, bend in (inner(1 - t), outer(1 - t + 1))]
    return [outer(t + 1), inner(t), *behind]


def taps(
    F: Any,
    x: Any,
    size: int,
    mode: int,
    padding: int,
    corners: bool,
    fused: bool,
    sloped: bool = True,
) -> tuple[list[tuple[Any, Any, Any, Any]], Any]:
    """The pixels around places `x` of an axis, [(pixel, weight, slope, bend)]; pixels per place.

    Pixels are whole floating-point numbers, also outside the image.
    fused: a product and a difference are rounded once.
    sloped: whether slopes and bends are wanted; they are None if not.
    """
    x = x + 1
    if corners:
        x = x / 2 * (size - 1)
    elif fused and (x.dtype is dtypes.float32 or x.dtype is dtypes.float32.numpy):
        x = F.type_as(F.to(x, dtypes.float64) * size - 1, x) / 2
    else:
        x = (x * size - 1) / 2
    scale: Any = (size - 1 if corners else size) / 2
    if mode == BICUBIC:
        first = F.floor(x)
        weights = cubic(x - first, getattr(x.dtype, "type", float))
        pixels = [padded(F, first + i, size, padding, corners, False)[0] for i in range(-1, 3)]
    else:
        x, held = padded(F, x, size, padding, corners, sloped)
        scale = scale if held is None else held * scale
        one, none = (F.ones_like(x), F.zeros_like(x)) if sloped else (None, None)
        if mode == NEAREST:
            return [(F.round(x), F.ones_like(x), none, none)], scale
        first = F.floor(x)
        weights = [(first + 1 - x, -one if sloped else None, none), (x - first, one, none)]
        pixels = [first, first + 1]
    return [(pixel, *weight) for pixel, weight in zip(pixels, weights)], scale


class _OnNumpy:
    """The functions of formulas that taps of NumPy's floats call, of arguments that are known to
    fit: most of the time of a few places is that of looking at arguments. Others are RAW's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(RAW, name)

    def reshape(self, x: Any, shape: Any) -> Any:
        return x.reshape(shape)

    def select(self, x: Any, dim: int, index: int) -> Any:
        return x[..., index]  # of the last dimension, the only one that is asked for

    def to(self, x: Any, dtype: Any) -> Any:
        return x.astype(dtype.numpy)

    def type_as(self, x: Any, other: Any) -> Any:
        return x.astype(other.dtype)

    def clamp(self, x: Any, low: Any, high: Any) -> Any:
        return numpy.minimum(numpy.maximum(x, low), high)

    def masked_fill(self, x: Any, mask: Any, value: Any) -> Any:
        x = x.copy()
        x[mask] = value
        return x

    def constant_pad_nd(self, x: Any, pad: Any) -> Any:
        out = numpy.zeros((*x.shape[:-1], x.shape[-1] + pad[1]), x.dtype)
        out[..., : x.shape[-1]] = x
        return out

    def expand(self, x: Any, shape: Any) -> Any:
        return on_numpy.expand(x, shape)

    def gather(self, x: Any, dim: int, index: Any) -> Any:
        n, c, count = x.shape
        return x.reshape(-1).take(index + starts_of(n, c, count))

    def scatter_add(self, x: Any, dim: int, index: Any, source: Any) -> Any:
        places = index + starts_of(*x.shape)
        numpy.add.at(x.reshape(-1), places.reshape(-1), source.reshape(-1))
        return x


ON_NUMPY = _OnNumpy()


@lru_cache(256)
def starts_of(n: int, c: int, count: int) -> Any:
    """Where each of n * c rows of `count` elements begins, (n, c, 1)."""
    return numpy.arange(0, n * c * count, count).reshape(n, c, 1)
