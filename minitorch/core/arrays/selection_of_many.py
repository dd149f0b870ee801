"""The algorithms of selection.py on many rows at once: all runs take each step together.

A run is items[first:last] of one row; `keys` and `items` are flat, row after row, and are moved
together. `first` and `last` are vectors, one element a run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from minitorch.core.arrays import selection
from minitorch.core.arrays.ordering import order

_SMALL = 16  # shorter runs are sorted by insertion
_GROUP = 1 << 16  # elements of rows that are taken at once, so that what is noted stays in cache


def in_groups(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of matrices, called on some rows at a time."""

    @functools.wraps(function)
    def grouped(rows: Any, *more: Any) -> Any:
        step = max(1, _GROUP // max(1, rows.shape[1]))
        if len(rows) <= step:
            return function(rows, *more)
        parts = []
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            parts.append(function(rows[part], *[x[part] if is_matrix(x) else x for x in more]))
        return numpy.concatenate(parts)

    return grouped


def is_matrix(x: Any) -> bool:
    return isinstance(x, numpy.ndarray)


@in_groups
def sorting_orders(found: Any, tied: Any) -> Any:
    """The positions that sort each row; equal elements are in the order of torch's sort.

    found: (rows, n) positions that sort the rows, with equal elements in any order. tied: (rows, n
    - 1), whether an element of the sorted rows equals the one before it.
    """
    rows, n = found.shape
    width = numpy.int32 if n < 1 << 30 else numpy.int64
    flags = numpy.zeros((rows, n), width)  # the last bit: whether there is an equal
    flags[:, 1:] = ~tied
    ranks = flags.cumsum(1, dtype=width) << 1
    flags[:, 1:] = tied
    flags[:, :-1] |= tied
    flags[:, 0] &= 1
    ranks |= flags
    keys = numpy.empty_like(ranks)
    numpy.put_along_axis(keys, found, ranks, 1)
    keys, items = keys.reshape(-1), numpy.tile(numpy.arange(n), rows)
    first = numpy.arange(0, rows * n, n)
    _introsort(keys, items, first, first + n, True)
    keys, items = keys.reshape(rows, n), items.reshape(rows, n)
    return numpy.take_along_axis(items, order(keys, 1), 1)


@in_groups
def smallest(keys: Any, k: int, whole: bool) -> Any:
    """(rows, k): the positions of the k smallest keys of each row as torch's topk finds them.

    whole: also put them in order.
    """
    rows, n = keys.shape
    if k * 64 <= n:
        return numpy.array([_by_heap(row, k) for row in keys])
    keys, items = keys.reshape(-1).copy(), numpy.tile(numpy.arange(n), rows)
    starts = numpy.arange(0, rows * n, n)
    _nth_element(keys, items, starts, starts + n, starts + k - 1)
    if whole and k > 1:
        _introsort(keys, items, starts, starts + k - 1, False)
        shown = keys.reshape(rows, n)[:, : k - 1]
        within = order(shown, 1)
        items = items.reshape(rows, n)
        items[:, : k - 1] = numpy.take_along_axis(items[:, : k - 1], within, 1)
    return items.reshape(rows, n)[:, :k].copy()


def _by_heap(row: Any, k: int) -> list[int]:
    """`selection.smallest` of a row that is long in comparison with `k`.

    An element enters the heap if it is smaller than the k smallest so far: most other elements are
    excluded before.
    """
    best, kept, start, step = row[:k], [numpy.arange(k)], k, 1024
    while start < len(row):
        part = row[start : start + step]
        places = (part < best.max()).nonzero()[0]
        kept.append(places + start)
        best = numpy.partition(numpy.concatenate((best, part[places])), k - 1)[:k]
        start, step = start + step, 2 * step
    places = numpy.concatenate(kept)
    items = places.tolist()
    selection.partial_sort(items, 0, k, len(items), dict(zip(items, row[places].tolist())))
    return items[:k]


@in_groups
def quickselect(keys: Any, n: int) -> Any:
    """(rows,): where the element that is number n in order stands in each row of `keys`, as
    torch's kthvalue finds it."""
    rows, count = keys.shape
    keys, items = keys.reshape(-1).copy(), numpy.tile(numpy.arange(count), rows)
    starts = numpy.arange(0, rows * count, count)
    wanted = starts + n
    low, high = starts.copy(), starts + count - 1
    active = numpy.arange(rows)
    while (active := active[high[active] > low[active] + 1]).size:
        first, last = low[active], high[active]
        _swap(keys, items, first + (last - first) // 2, first + 1)
        _put_in_order(keys, items, first + 1, last)
        _put_in_order(keys, items, first, last)
        _put_in_order(keys, items, first + 1, first)
        ends = _exchange(keys, items, first + 2, last, keys[first], True)
        _swap(keys, items, first, ends.below)
        at = wanted[active]
        low[active] = numpy.where(ends.below <= at, ends.above, first)
        high[active] = numpy.where(ends.below >= at, ends.below - 1, last)
    pair = high == low + 1
    _put_in_order(keys, items, low[pair], high[pair])
    return items[wanted]


def _introsort(keys: Any, items: Any, first: Any, last: Any, flagged: bool) -> None:
    """Splits the runs until none has more than 16 elements.

    flagged: whether the last bit of a key tells that an equal key exists; runs without two of those
        are left unsorted.
    """
    depth = 2 * (int((last - first).max(initial=1)).bit_length() - 1)
    while True:
        wanted = last - first > _SMALL
        if flagged:
            before = numpy.concatenate(([0], (keys & 1).cumsum()))
            wanted &= before[last] - before[first] > 1
            wanted &= ~_arranged(keys, items, first, last, depth)
        first, last = first[wanted], last[wanted]
        if not first.size:
            return
        if depth == 0:
            for start, end in zip(first.tolist(), last.tolist(), strict=True):
                run = list(range(start, end))
                listed = dict(zip(run, keys[start:end].tolist(), strict=True))
                selection.partial_sort(run, 0, end - start, end - start, listed)
                keys[start:end], items[start:end] = keys[run], items[run]
            return
        depth -= 1
        cut = _part(keys, items, first, last)
        first = numpy.stack((first, cut), 1).reshape(-1)
        last = numpy.stack((cut, last), 1).reshape(-1)


_EQUALS = 64  # longer runs are asked whether all are equal


def _arranged(keys: Any, items: Any, first: Any, last: Any, depth: int) -> Any:
    """For each run, whether it is long and all its elements are equal; such runs are arranged."""
    done = (last - first > _EQUALS) & (keys[first] == keys[last - 1])
    for i in done.nonzero()[0].tolist():
        start, end = int(first[i]), int(last[i])
        run = keys[start:end]
        if depth >= (end - start).bit_length() and (run == run[0]).all():
            items[start:end] = items[start:end][_of_equals(end - start)]
        else:
            done[i] = False
    return done


@functools.lru_cache(1024)
def _of_equals(n: int) -> Any:
    """The order in which `_introsort` leaves n elements that are all equal."""
    items = numpy.arange(n)
    if n <= _SMALL:
        return items
    items[0], items[n // 2] = n // 2, 0
    items[1:] = items[:0:-1].copy()
    cut = 1 + (n - 1) // 2
    return numpy.concatenate((items[:cut][_of_equals(cut)], items[cut:][_of_equals(n - cut)]))


def _nth_element(keys: Any, items: Any, first: Any, last: Any, wanted: Any) -> None:
    """Rearranges runs of one length so that the element that belongs at `wanted` stands there."""
    depth = 2 * (int(last[0] - first[0]).bit_length() - 1)
    short = []
    while True:
        small = last - first <= 3
        short.append((first[small], last[small]))
        first, last, wanted = first[~small], last[~small], wanted[~small]
        if not first.size:
            break
        if depth == 0:
            for start, end, at in zip(first.tolist(), last.tolist(), wanted.tolist(), strict=True):
                run, listed = list(range(end - start)), keys[start:end].tolist()
                selection.heap_select(run, 0, at + 1 - start, end - start, listed)
                run[0], run[at - start] = run[at - start], run[0]
                moved = numpy.array(run) + start
                keys[start:end], items[start:end] = keys[moved], items[moved]
            break
        depth -= 1
        cut = _part(keys, items, first, last)
        above = cut <= wanted
        first, last = numpy.where(above, cut, first), numpy.where(above, last, cut)
    first, last = [numpy.concatenate(each) for each in zip(*short, strict=True)]
    for a, b in ((0, 1), (1, 2), (0, 1)):  # a stable sort of up to three
        there = last - first > b
        _put_in_order(keys, items, first[there] + a, first[there] + b)


def _part(keys: Any, items: Any, first: Any, last: Any) -> Any:
    """`selection.partition` of the runs; returns where their upper parts begin."""
    middle = first + (last - first) // 2
    x, y, z = keys[first + 1], keys[middle], keys[last - 1]
    rising = numpy.where(y < z, middle, numpy.where(x < z, last - 1, first + 1))
    falling = numpy.where(x < z, first + 1, numpy.where(y < z, last - 1, middle))
    _swap(keys, items, first, numpy.where(x < y, rising, falling))
    return _exchange(keys, items, first + 1, last, keys[first], False).above


class Ends(NamedTuple):
    """Where the scans of runs from both sides end."""

    above: Any  # the first place from below whose key is not less than the pivot
    below: Any  # the first one from above whose key is not greater


def _exchange(keys: Any, items: Any, first: Any, last: Any, pivot: Any, meets: bool) -> Ends:
    """Exchanges elements from both sides of the runs until all up to the pivot are below.

    meets: whether the scans go on from the place where both of them stop.
    """
    lengths = last - first
    ends = lengths.cumsum()
    starts = ends - lengths
    places = numpy.arange(ends[-1]) + numpy.repeat(first - starts, lengths)
    found, beside = keys[places], numpy.repeat(pivot, lengths)
    ups, downs = (found >= beside).nonzero()[0], (found <= beside).nonzero()[0]
    up_start, up_end = _bounds(ups, starts)
    down_start, down_end = _bounds(downs, starts)
    pairs = numpy.minimum(up_end - up_start, down_end - down_start)
    before = pairs.cumsum() - pairs
    number = numpy.arange(int(pairs.sum()))
    up = ups[number + numpy.repeat(up_start - before, pairs)]
    down = downs[numpy.repeat(down_end - 1 + before, pairs) - number]
    apart = up < down
    passed = numpy.concatenate(([0], apart.cumsum()))
    swaps = passed[before + pairs] - passed[before]
    _swap(keys, items, places[up[apart]], places[down[apart]])

    def of_up(n: Any, missing: Any) -> Any:
        return _places(places, ups, up_start + n, (n >= 0) & (up_start + n < up_end), missing)

    def of_down(n: Any, missing: Any) -> Any:
        at = down_end - 1 - n
        return _places(places, downs, at, (n >= 0) & (at >= down_start), missing)

    more = swaps + (of_up(swaps, -1) == of_down(swaps, -2)) if meets else swaps
    return Ends(
        numpy.minimum(of_up(more, last), of_down(swaps - 1, last)),
        numpy.maximum(of_down(more, first - 1), of_up(swaps - 1, first - 1)),
    )


def _bounds(chosen: Any, starts: Any) -> tuple[Any, Any]:
    """Where in `chosen`, ascending, the places of each run begin and end."""
    bounds = numpy.append(chosen.searchsorted(starts), len(chosen))
    return bounds[:-1], bounds[1:]


def _places(places: Any, chosen: Any, at: Any, there: Any, missing: Any) -> Any:
    """places[chosen[at]] where it is `there`, else `missing`."""
    if not chosen.size:
        return numpy.broadcast_to(missing, at.shape)
    return numpy.where(there, places[chosen[numpy.where(there, at, 0)]], missing)


def _swap(keys: Any, items: Any, a: Any, b: Any) -> None:
    for x in (keys, items):
        x[a], x[b] = x[b], x[a]


def _put_in_order(keys: Any, items: Any, a: Any, b: Any) -> None:
    """Exchanges the elements at `a` and `b` where the one at `a` is greater."""
    apart = keys[a] > keys[b]
    _swap(keys, items, a[apart], b[apart])
