"""Reading and writing at positions given by arrays: gather, scatter, index_add and the like.

All use flat positions, since `add.at` has a fast path for vectors alone: it is 4 to 8 times as fast
as `add.at` on rows, adds in the order of the positions as torch does, and takes 0.6 to 2.8 times as
long as torch's gradient of an embedding (sorting with reduceat: 1 to 5).
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy

from minitorch.core.arrays.floating_point import cast, is_half, widened
from minitorch.core.arrays.positions import bounds_error, range_error
from minitorch.core.arrays.questions import every, largest_of, least_of

_Ints = tuple[int, ...]


def gather(xp: Any, x: Any, axis: int, index: Any) -> Any:
    """out[i][j] = x[index[i][j]][j] (for axis 0): an element of x for each of `index`.

    Args:
        index: int64, of x's number of axes, no longer than x but along `axis`.
    Raises:
        RuntimeError: an index is outside [0, x.shape[axis]).

    As ATen/native/cpu/ScatterGatherKernel.cpp.
    """
    if index.size == 0:
        return xp.empty(index.shape, x.dtype)
    line = _line(x.shape, axis, index)
    if line is not None:
        return x.take(_within(xp, line, axis, x.shape[axis]), axis)
    return xp.asarray(x.reshape(-1).take(places_in(xp, x.shape, axis, index)))


def scatter(xp: Any, x: Any, axis: int, index: Any, source: Any) -> Any:
    """A copy of x with out[index[i][j]][j] = source[i][j] (for axis 0); the last one stays.

    Args:
        index: int64, as in `gather`.
        source: an array at least as long as `index` along every axis, or a number.
    """
    out = x.copy(order="C")
    if index.size:
        places = places_in(xp, x.shape, axis, index).reshape(-1)
        out.reshape(-1)[places] = _part(source, index.shape)
    return out


def scatter_add(xp: Any, x: Any, axis: int, index: Any, source: Any) -> Any:
    """A copy of x with source[i][j] added at [index[i][j]][j] (for axis 0).

    Half types add up in float32. As ATen/native/cpu/ScatterGatherKernel.cpp.
    """
    if is_half(x.dtype):
        wide = [a.astype(xp.float32) if hasattr(a, "astype") else a for a in (x, source)]
        return scatter_add(xp, wide[0], axis, index, wide[1]).astype(x.dtype)
    out = x.copy(order="C")
    if index.size:
        places = places_in(xp, x.shape, axis, index).reshape(-1)
        xp.add.at(out.reshape(-1), places, _part(source, index.shape))
    return out


_UFUNCS = {
    "sum": "add", "mean": "add", "prod": "multiply", "amax": "maximum", "amin": "minimum"
}  # fmt: skip


def scatter_reduce(
    xp: Any,
    x: Any,
    axis: int,
    index: Any,
    source: Any,
    reduce: str,
    include_self: bool = True,
    rounded: bool = False,
) -> Any:
    """A copy of x reduced with the elements of `source` that `index` sends to each place.

    Args:
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether x's own elements take part where something is sent.
        rounded: whether half types are rounded after each step.

    As ATen/native/TensorAdvancedIndexing.cpp (scatter_reduce).
    """
    if is_half(x.dtype) and not rounded:
        wide = [a.astype(xp.float32) for a in (x, source)]
        out = scatter_reduce(xp, wide[0], axis, index, wide[1], reduce, include_self)
        return out.astype(x.dtype)
    out = x.copy(order="C")
    if index.size == 0:
        return out
    flat = out.reshape(-1)
    places = places_in(xp, x.shape, axis, index).reshape(-1)
    if not include_self:
        flat[places] = neutral(x.dtype, reduce)
    getattr(xp, _UFUNCS[reduce]).at(flat, places, _part(source, index.shape))
    zeros = reduce in ("amax", "amin") and (type(flat) is not numpy.ndarray or not every(flat))
    if include_self and zeros and x.dtype.kind == "f":
        own = x.reshape(-1)
        xp.copyto(flat, own, where=own == flat)  # of two zeros the one that was there
    if reduce == "mean":
        counts = xp.bincount(places, minlength=flat.size)
        counts += 1 if include_self else counts == 0
        counts = counts.astype(x.dtype)
        if x.dtype.kind in "iu":
            xp.floor_divide(flat, counts, out=flat)
        else:
            xp.divide(flat, counts, out=flat)
    return out


def index_add(xp: Any, x: Any, axis: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    """A copy of x with alpha * source's slices added at the slices `index` of x along `axis`.

    Args:
        index: integers, (n,) or ().
        source: x's shape with n in place of x.shape[axis].
    Raises:
        RuntimeError: an index is outside [0, x.shape[axis]); IndexError where torch adds slices.

    As ATen/native/TensorAdvancedIndexing.cpp: slices of half types add up in float32; numbers, and
    slices scaled by alpha, are rounded after each addition.
    """
    if is_half(x.dtype) and x.ndim > 1 and alpha == 1:
        wide = index_add(xp, x.astype(xp.float32), axis, index, source.astype(xp.float32))
        return wide.astype(x.dtype)
    out = x.copy(order="C")
    if source.size == 0:
        return out
    if alpha != 1:
        source = source * source.dtype.type(alpha)
    index = index.reshape(-1)
    by_slices = x.ndim < 2 or alpha != 1 or 0 < axis < x.ndim - 1
    count = x.shape[axis] if x.ndim else 1
    if by_slices:
        index, wrong = looked_at(xp, index, count)
        if wrong is not None:
            raise range_error()
    if x.ndim == 0:
        xp.add.at(out.reshape(1), index, source.reshape(-1))
        return out
    if not by_slices:
        index = _within(xp, index, axis, count)
    add_slices(xp, out, axis, index, source)
    return out


def add_slices(xp: Any, out: Any, axis: int, index: Any, source: Any) -> None:
    """Adds the slices of `source`, one after another, to those of `out` at a vector of positions.

    All slices that come first at their position are added at once, then all that come second, and
    so on: 316 x 316 floats at random positions take 80 us; one slice after another takes 170.
    """
    n, inner = out.shape[axis], prod(out.shape[axis + 1 :])
    if type(out) is numpy.ndarray and inner >= _WIDE and source.size >= _ROUND:
        most = int(largest_of(numpy.bincount(index)))
        if most * _ROUND <= source.size:
            outer = prod(out.shape[:axis])
            into, slices = out.reshape(outer, n, inner), source.reshape(outer, len(index), inner)
            if outer == 1:
                into, slices = into[0], slices[0]
            before = (slice(None),) * (outer != 1)
            for turn in _turns(index) if most > 1 else (slice(None),):
                into[(*before, index[turn])] += slices[(*before, turn)]
            return
    places = _slices(xp, out.shape, axis, index)
    xp.add.at(out.reshape(-1), places.reshape(-1), source.reshape(-1))


_WIDE = 16  # elements side by side in a slice
_ROUND = 1 << 13  # elements that are added one after another in the time of one turn


def _turns(index: Any) -> list[Any]:
    """The places in `index` where positions occur for the first time, for the second, and so on."""
    order = index.argsort(kind="stable")
    ordered, count = index[order], numpy.arange(index.size)
    fresh = numpy.ones(index.size, bool)
    numpy.not_equal(ordered[1:], ordered[:-1], fresh[1:])
    turns = count - numpy.maximum.accumulate(numpy.where(fresh, count, 0))
    by_turn = turns.argsort(kind="stable")
    ends = numpy.bincount(turns).cumsum()
    return numpy.split(order[by_turn], ends[:-1])


def masked_scatter(xp: Any, x: Any, mask: Any, source: Any) -> Any:
    """A copy of x, broadcast with `mask`, whose masked elements are source's first ones in turn.

    Raises:
        RuntimeError: source has fewer elements than the mask has ones.

    As ATen/native/cpu/IndexKernel.cpp.
    """
    if x.shape != mask.shape:
        x, mask = xp.broadcast_arrays(x, mask)
    count = int(xp.count_nonzero(mask))
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out = x.copy(order="C")
    out[mask] = source.reshape(-1)[:count]
    return out


def take(xp: Any, x: Any, index: Any) -> Any:
    """The elements of x, seen as a vector, at `index`; negative ones count from the end."""
    if type(index) is numpy.ndarray and type(x) is numpy.ndarray:
        try:
            return xp.asarray(x.reshape(-1).take(index))
        except IndexError:
            pass  # NumPy has looked at the positions
    return xp.asarray(x.reshape(-1).take(_taken(xp, index, x.size)))


def put(xp: Any, x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """A copy of x, seen as a vector, with `source` stored or added at `index`."""
    forwards = xp.fused is None and are_within(index, x.size)
    if not forwards:
        index = _taken(xp, index, x.size)
    out = x.copy(order="C")
    flat, index, source = out.reshape(-1), index.reshape(-1), source.reshape(-1)
    if accumulate:
        places = index if forwards else xp.where(index < 0, index + x.size, index)
        xp.add.at(flat, places, source)
    else:
        flat[index] = source
    return out


def embedding_backward(
    xp: Any,
    grad: Any,
    indices: Any,
    rows: int,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
) -> Any:
    """The gradient of `weight[indices]` by the (rows, width) weight.

    Args:
        grad: (*indices.shape, width).
        padding_idx: the row that gets none, or a negative number.
        scale_grad_by_freq: divide by how often each row was looked up.

    As ATen/native/Embedding.cpp.
    """
    width = grad.shape[-1]
    if xp.fused is not None and not scale_grad_by_freq and grad.dtype.char in "fd" and grad.size:
        return xp.fused.lookup_backward(grad, indices, rows, padding_idx)
    out = xp.zeros((rows, width), grad.dtype)
    index = indices.reshape(-1).astype(xp.int64, copy=False)
    grad = grad.reshape(len(index), width)
    if scale_grad_by_freq and index.size:
        counts = xp.bincount(index, minlength=rows)
        grad = grad / counts.take(index)[:, None].astype(grad.dtype)
    if padding_idx >= 0:
        kept = index != padding_idx
        if not every(kept):
            index, grad = index[kept], grad[kept]
    if grad.size:
        add_slices(xp, out, 0, index, grad)
    return out


def places_in(xp: Any, shape: _Ints, axis: int, index: Any) -> Any:
    """Flat positions, in an array of `shape`, of index[i, j] along `axis` and i, j along others."""
    if not shape:
        return index
    sizes = index.shape
    if 0 in index.strides:  # of what is repeated, as by expand, one is enough
        once = [slice(None) if n or i == axis else slice(1) for i, n in enumerate(index.strides)]
        index = index[tuple(once)]
    index = _within(xp, index, axis, shape[axis])
    few = type(index) is numpy.ndarray and index.size < _FEW
    inner, beside = _kept_beside(shape, axis, sizes) if few else _beside(xp, shape, axis, sizes)
    places = index if inner == 1 else index * inner
    for other, steps in beside:
        own = places is not index and places.shape[other] == sizes[other]
        places = xp.add(places, steps, out=places if own else None)
    return places


def _beside(xp: Any, shape: _Ints, axis: int, sizes: _Ints) -> tuple[Any, list[tuple[int, Any]]]:
    """The distance of neighbours along `axis`, in elements, and for each other axis along which
    positions differ the offsets of its elements. The distance is an array if it is kept, which
    NumPy need not convert."""
    inner = prod(shape[axis + 1 :])
    found: list[tuple[int, Any]] = []
    for other, n in enumerate(sizes):
        if other != axis and n > 1:
            stride = prod(shape[other + 1 :])
            steps = xp.arange(0, n * stride, stride).reshape(n, *[1] * (len(sizes) - 1 - other))
            found.append((other, steps))
    return (numpy.asarray(inner) if xp is numpy and inner != 1 else inner), found


_FEW = 1 << 14  # positions, of which steps are kept
_kept_beside = lru_cache(256)(partial(_beside, numpy))


def _line(shape: _Ints, axis: int, index: Any) -> Any:
    """The vector along `axis` that `index` repeats for all elements of the other axes, if it does.

    An array that is taken from by a vector is read in half the time: no positions are computed.
    """
    for i, (n, size, stride) in enumerate(zip(shape, index.shape, index.strides)):
        if i != axis and (n != size or (n > 1 and stride)):
            return None
    if index.ndim < 2 or index.size == index.shape[axis]:
        return None
    return index[tuple([slice(None) if i == axis else 0 for i in range(index.ndim)])]


def _slices(xp: Any, shape: _Ints, axis: int, index: Any) -> Any:
    """Flat positions (outer, index, inner) of the slices `index` of an array of `shape`."""
    few = type(index) is numpy.ndarray and prod(shape) < _FEW
    inner, outer = (_kept_around if few else _around)(xp, shape, axis)
    places = index[:, None]
    if inner is not None:
        places = places * inner.size + inner
    return places if outer is None else outer + places


def _around(xp: Any, shape: _Ints, axis: int) -> tuple[Any, Any]:
    """The places within a slice along `axis`, and those where rows of slices begin; None for one
    alone."""
    inner, outer = prod(shape[axis + 1 :]), prod(shape[:axis])
    return (
        None if inner == 1 else xp.arange(inner),
        None if outer == 1 else (xp.arange(outer) * (shape[axis] * inner))[:, None, None],
    )


_kept_around = lru_cache(256)(_around)


def positions(xp: Any, shape: _Ints, indices: tuple[Any, ...]) -> Any:
    """Flat positions, in an array of `shape`, of the elements that `indices` select.

    They have the shape of the result.

    Args:
        indices: within their axes; integers that broadcast together, masks, None for a whole axis.

    As ATen/native/TensorAdvancedIndexing.cpp.
    """
    arrays: list[Any] = []
    for index in indices:
        if index is not None and index.dtype.kind == "b":
            arrays.extend(index.nonzero())
        else:
            arrays.append(index)
    while arrays and arrays[-1] is None:
        arrays.pop()
    if any(index is None for index in arrays):  # seldom: positions laid out and selected from
        whole = xp.arange(prod(shape)).reshape(shape)
        return whole[tuple([slice(None) if i is None else i for i in arrays])]
    rows = _rows(xp, shape, arrays)
    rest = shape[len(arrays) :]
    inner = prod(rest)
    places = rows if inner == 1 else (rows * inner)[..., None] + xp.arange(inner)
    return places.reshape(*rows.shape, *rest)


def _rows(xp: Any, shape: _Ints, arrays: list[Any]) -> Any:
    """Flat positions among the first axes, one for each of `arrays`, which hold positions."""
    rows = None
    for n, index in zip(shape, arrays):
        if not are_within(index, n):
            index = xp.where(index < 0, index + n, index).astype(xp.int64, copy=False)
        rows = index if rows is None else rows * n + index
    return xp.zeros((), xp.int64) if rows is None else rows


def add_at(xp: Any, out: Any, indices: tuple[Any, ...], values: Any) -> None:
    """Adds `values`, one after the other, to the elements that `indices` select of a C-contiguous
    array.

    Args:
        indices: as those of `positions`.
        values: of the shape of the selected elements.
    """
    arrays = list(indices)
    while arrays and arrays[-1] is None:
        arrays.pop()
    if arrays and all([index is not None and index.dtype.kind in "iu" for index in arrays]):
        rows, inner = _rows(xp, out.shape, arrays).reshape(-1), prod(out.shape[len(arrays) :])
        whole = out.reshape(prod(out.shape[: len(arrays)]), inner)
        add_slices(xp, whole, 0, rows, values.reshape(rows.size, inner))
        return
    flat = positions(xp, out.shape, indices)
    xp.add.at(out.reshape(-1), flat.reshape(-1), values.reshape(-1))


def add_rounded(xp: Any, out: Any, places: Any, values: Any) -> None:
    """Adds `values`, one after the other, at flat places of `out`; both are structures, in which
    each sum is rounded."""
    flat = out.reshape(-1) if out.flags.c_contiguous else out.copy(order="C").reshape(-1)
    addends = widened(values)
    while places.size:  # in each round the first of those for the same place
        some, first = xp.unique(places, return_index=True)
        flat[some] = cast(widened(flat[some]) + addends[first], out.dtype)
        others = xp.ones(places.size, bool)
        others[first] = False
        places, addends = places[others], addends[others]
    if not out.flags.c_contiguous:
        out[...] = flat.reshape(out.shape)


def _part(source: Any, shape: _Ints) -> Any:
    """The leading corner of `source` of `shape`, as a vector; numbers stay what they are."""
    if not hasattr(source, "shape") or source.shape == () != shape:
        return source
    if source.shape != shape:
        source = source[tuple([slice(n) for n in shape])]
    return source.reshape(-1)


def are_within(index: Any, n: int) -> bool:
    """Whether all of a few positions in a NumPy array are in [0, n); False also for other arrays.
    It takes a third of the time of the maximum that `strangers` computes."""
    if type(index) is not numpy.ndarray or index.dtype is not _INT64 or index.size > _FEW:
        return False
    if not index.size:
        return True
    unsigned = index.view(_UINT64)  # in which negative numbers are large
    largest: int = unsigned.item(unsigned.argmax())
    return largest < n


_INT64, _UINT64 = numpy.dtype("int64"), numpy.dtype("uint64")


def strangers(xp: Any, index: Any, n: int) -> Any:
    """The positions among `index` that are outside [0, n), as a vector."""
    # Seen as unsigned, negative numbers are large: one maximum finds both kinds.
    index = index.astype(xp.int64, copy=False)
    if index.size and xp.maximum.reduce(index.view(xp.uint64), None) >= n:
        return index[(index < 0) | (index >= n)].reshape(-1)
    return index.reshape(-1)[:0]


def looked_at(xp: Any, index: Any, n: int, low: int = 0) -> tuple[Any, Any]:
    """The positions, and a vector of those outside [low, n), None if there are none.

    A device checks them itself, and the host does not wait for it: the positions are then returned
    within [0, n), and the error is raised when the host next waits.
    """
    if xp.fused is not None:
        if type(index) is numpy.ndarray:
            raise TypeError("positions on the CPU")  # of which the caller says what torch says
        if n and index.size and not xp.fused.blocking:
            return xp.fused.within(index, low, n), None
    if are_within(index, n):
        return index, None
    if low == 0:
        wrong = strangers(xp, index, n)
    elif index.size and (least_of(index) < low or largest_of(index) >= n):
        wrong = index[(index < low) | (index >= n)].reshape(-1)
    else:
        return index, None
    return index, wrong if wrong.size else None


def _within(xp: Any, index: Any, axis: int, n: int) -> Any:
    """The positions along an axis. RuntimeError with torch's text for one outside [0, n)."""
    index, wrong = looked_at(xp, index, n)
    if wrong is not None:
        raise bounds_error(wrong[0], axis, n, kind=RuntimeError)
    return index


def _taken(xp: Any, index: Any, n: int) -> Any:
    """The positions in a vector. IndexError with torch's text for one outside [-n, n)."""
    index, wrong = looked_at(xp, index, n, -n)
    if wrong is not None:
        raise IndexError(
            f"out of range: tried to access index {int(wrong[0])} on a tensor of {n} elements."
        )
    return index


def neutral(dtype: Any, reduce: str) -> Any:
    """The neutral element of a reduction: the number that changes no result."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    if dtype.kind in "fV":
        return -numpy.inf if reduce == "amax" else numpy.inf
    if dtype.kind == "b":
        return reduce == "amin"
    limits = numpy.iinfo(dtype)
    return limits.min if reduce == "amax" else limits.max
