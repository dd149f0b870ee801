"""Images at another size: along each axis, every pixel is a sum of a few pixels with weights.

A table says which pixels and which weights, one pair of vectors for each tap; all kinds of
interpolation differ in their tables alone. The last axis goes first, as in ATen.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from minitorch.core.arrays.questions import largest_of

# (pixels, weights) of each tap; no weights where all are one. A place that the tap does not reach
# has the pixel -1: what is there must not spread, be it not-a-number.
_Taps = tuple[tuple[Any, Any], ...]
# Third, the places that a tap does not reach, or None.
_Table = tuple[tuple[Any, Any, Any], ...]


def resample(xp: Any, x: Any, tables: list[_Table | None]) -> Any:
    """`x` with its last axes taken through `tables`, of which None leaves an axis as it is. Half
    types are summed up in float32.

    As ATen/native/cpu/UpSampleKernel.cpp.
    """
    given, dtype = x, x.dtype
    for axis in range(-1, -len(tables) - 1, -1):
        table = tables[axis]
        if table is None:
            continue
        if table[0][1] is None:
            x = x.take(xp.asarray(table[0][0]), axis)
        elif dtype.kind == "u":
            x = _round(xp, _weighted(xp, x.astype(xp.float64), axis, table))
        else:
            x = _weighted(xp, x if dtype.itemsize > 2 else x.astype(xp.float32), axis, table)
    return x.astype(dtype, copy=x is given)


def _weighted(xp: Any, x: Any, axis: int, table: _Table) -> Any:
    total = None
    inner = [slice(None)] * (-1 - axis)
    for pixels, weights, missed in table:
        weights = xp.asarray(weights.astype(x.dtype)).reshape(-1, *[1] * (-1 - axis))
        term = x.take(xp.asarray(pixels), axis) * weights
        if missed is not None:
            term[(..., xp.asarray(missed), *inner)] = -0.0  # to which sums are blind
        total = term if total is None else xp.add(total, term, out=total)
    return total


def _round(xp: Any, sums: Any) -> Any:
    """Sums of bytes with weights of fixed point, exact in double, as bytes: halves go up."""
    return xp.clip(xp.floor(sums + 0.5), 0, 255)


def resample_backward(xp: Any, grad: Any, tables: list[_Table], image: tuple[int, ...]) -> Any:
    """The transpose of `resample`: gradients of pixels of `image`, from the first axis on."""
    dtype = grad.dtype
    if dtype.itemsize == 2:
        grad = grad.astype(xp.float32)
    for i, table in enumerate(tables):
        axis = grad.ndim - len(tables) + i
        total = xp.zeros((*grad.shape[:axis], image[i], *grad.shape[axis + 1 :]), grad.dtype)
        rows, shares = xp.moveaxis(total, axis, 0), xp.moveaxis(grad, axis, 0)
        for pixels, weights, _ in table:
            share = shares
            if weights is not None:
                weights = xp.asarray(weights.astype(grad.dtype))
                share = shares * weights.reshape(-1, *[1] * (grad.ndim - 1))
            for here, there in _layers(pixels.astype(numpy.int64, copy=False).tobytes()):
                rows[xp.asarray(here)] += share[xp.asarray(there)]
        grad = total
    return grad.astype(dtype, copy=False)


@lru_cache(maxsize=512)
def _layers(memory: bytes) -> list[tuple[Any, Any]]:
    """(pixels, positions) in which no pixel is met twice, the first meetings first.

    memory: that of the pixels, int64. To find this out takes 12 us, which backward need once.
    """
    pixels = numpy.frombuffer(memory, numpy.int64)
    order = numpy.argsort(pixels, kind="stable")
    order = order[pixels[order] >= 0]
    ordered = pixels[order]
    rank = numpy.arange(ordered.size) - numpy.searchsorted(ordered, ordered)
    count = int(largest_of(rank)) + 1 if rank.size else 0
    return [(ordered[rank == i], order[rank == i]) for i in range(count)]


# ---- tables


@lru_cache(maxsize=256)
def table(
    kind: str,
    size: int,
    out: int,
    align_corners: bool,
    scale: float | None,
    dtype: Any,
) -> _Table:
    """The table of an axis of `size` pixels that is to have `out`.

    Args:
        kind: 'nearest', 'nearest-exact', 'linear', 'cubic', or 'linear_aa', 'cubic_aa' and
            'lanczos_aa', which take the mean of all pixels that lie in a new one.
        align_corners: the first and last pixels stay where they are.
        scale: out / size as it was asked for; None for their quotient.
        dtype: of the weights. For bytes they are in fixed point.

    As ATen/native/UpSample.h and ATen/native/cpu/UpSampleKernel.cpp.
    """
    number = dtype if dtype.kind == "f" and dtype.itemsize > 2 else numpy.dtype("float32")
    if kind.startswith("nearest"):
        return ((_nearest(size, out, scale, kind.endswith("exact")), None, None),)
    if dtype.kind == "u":
        number = numpy.dtype("float64")
    ratio = _ratio(size, out, align_corners, scale, number)
    if kind.endswith("_aa"):
        made = _filtered(kind, size, out, ratio)
    else:
        made = _between(
            kind, size, out, ratio, align_corners, number if dtype.kind == "u" else dtype
        )
    taps = _in_fixed_point(made) if dtype.kind == "u" else made
    missed = [numpy.flatnonzero(pixels < 0) for pixels, _ in taps]
    return tuple([(*tap, each if each.size else None) for tap, each in zip(taps, missed)])


def _between(kind: str, size: int, out: int, ratio: Any, align_corners: bool, dtype: Any) -> _Taps:
    """A table of the two or four pixels around each place."""
    number = ratio.dtype
    if kind == "linear" and size == out:
        places = numpy.arange(out)
        return ((places, numpy.ones(out, dtype)), (places, numpy.zeros(out, dtype)))
    source = _sources(out, ratio, align_corners)
    if kind == "linear":
        source = numpy.maximum(source, number.type(0))
    first = numpy.minimum(numpy.floor(source).astype(numpy.int64), size - 1)
    past = numpy.clip(source - first.astype(number), 0, 1).astype(number)
    if kind == "linear":
        past = past.astype(dtype)
        return ((first, dtype.type(1) - past), (first + (first < size - 1), past))
    weights = (_outer(past + 1, -0.75), _inner(past, -0.75))
    weights += (_inner(1 - past, -0.75), _outer(2 - past, -0.75))
    pixels = [numpy.clip(first + i - 1, 0, size - 1) for i in range(4)]
    return tuple([(p, w.astype(dtype)) for p, w in zip(pixels, weights)])


def _ratio(size: int, out: int, align_corners: bool, scale: float | None, number: Any) -> Any:
    """Old pixels in a new one."""
    if align_corners:
        return number.type(size - 1) / number.type(out - 1) if out > 1 else number.type(0)
    if scale is not None and scale > 0:
        return number.type(1.0 / scale)
    return number.type(size) / number.type(out)


def _sources(out: int, ratio: Any, align_corners: bool) -> Any:
    """Where new pixels lie among the old ones; a product and a difference are rounded once."""
    places = numpy.arange(out, dtype=numpy.float64)
    if not align_corners:
        places = (places + 0.5) * numpy.float64(ratio) - 0.5
    else:
        places = places * numpy.float64(ratio)
    return places.astype(ratio.dtype)


def _nearest(size: int, out: int, scale: float | None, exact: bool) -> Any:
    places = numpy.arange(out)
    if not exact and out == size:
        return places
    if not exact and out == 2 * size:
        return places >> 1
    ratio = _ratio(size, out, False, scale, numpy.dtype("float32"))
    if exact:
        source = ((places + 0.5) * numpy.float64(ratio)).astype(numpy.float32)
    else:
        source = places.astype(numpy.float32) * ratio
    return numpy.minimum(numpy.floor(source).astype(numpy.int64), size - 1)


def _inner(x: Any, a: float) -> Any:
    """Cubic convolution for |x| <= 1."""
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _outer(x: Any, a: float) -> Any:
    """Cubic convolution for 1 <= |x| <= 2."""
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _triangle(x: Any) -> Any:
    return numpy.maximum(1 - x, 0)


def _cubic(x: Any) -> Any:
    return numpy.where(x < 1, _inner(x, -0.5), numpy.where(x < 2, _outer(x, -0.5), 0))


def _lanczos(x: Any) -> Any:
    return numpy.where(x < 3, numpy.sinc(x) * numpy.sinc(x / 3), 0)


_FILTERS = {
    "linear_aa": (2, _triangle),
    "cubic_aa": (4, _cubic),
    "lanczos_aa": (6, _lanczos),
}


def _filtered(kind: str, size: int, out: int, ratio: Any) -> _Taps:
    """A table of weights by a filter around new pixels, which is as wide as they are."""
    width, function = _FILTERS[kind]
    number = ratio.dtype
    support, shrunk = number.type(width * 0.5), number.type(1)
    if ratio >= 1:
        support, shrunk = support * ratio, number.type(1) / ratio
    count = int(numpy.ceil(support)) * 2 + 1
    center = ((numpy.arange(out) + 0.5) * numpy.float64(ratio)).astype(number)
    first = numpy.maximum((center - support + 0.5).astype(numpy.int64), 0)
    last = numpy.minimum((center + support + 0.5).astype(numpy.int64), size)
    length = numpy.clip(last - first, 0, count)
    weights = []
    for i in range(count):
        distance = ((first + i).astype(number) - center + 0.5) * shrunk
        weight = function(numpy.abs(distance).astype(number)).astype(number)
        weights.append(numpy.where(i < length, weight, number.type(0)))
    total = sum(weights[1:], weights[0])
    total = numpy.where(total == 0, number.type(1), total)
    pixels = [numpy.where(i < length, first + i, -1) for i in range(count)]
    return tuple([(p, weight / total) for p, weight in zip(pixels, weights)])


def _in_fixed_point(table: _Taps) -> _Taps:
    """Weights of 16 bits, as many of them behind the point as there is room for."""
    pixels, weights = [p for p, _ in table], [weight.copy() for _, weight in table]
    for i in range(len(table) - 1):  # at the edges, what one pixel gets several times together
        same = pixels[i] == pixels[i + 1]
        weights[i + 1][same] += weights[i][same]
        weights[i][same] = 0
    largest, precision = max(float(largest_of(weight)) for weight in weights), 0
    while precision < 22 and int(0.5 + largest * (1 << (precision + 1))) < 1 << 15:
        precision += 1
    one = 1 << precision
    rounded = [numpy.trunc(w * one + numpy.where(w < 0, -0.5, 0.5)) / one for w in weights]
    return tuple(zip(pixels, rounded))
