"""The position that a selection finds among equal elements: the algorithms with which torch
selects.

NumPy finds the same values, but the positions of equal elements depend on the algorithm. These are
nth_element (Musser's introselect), sort and partial_sort of GCC's C++ library, and the quickselect
of Numerical Recipes, on Python lists; selection_of_many.py has them for many elements. They are
called only for rows in which a selected value occurs more than once.

An element is its position in `keys`; `items` is the list of positions that is rearranged.
"""

from __future__ import annotations

from typing import Any

Keys = Any  # of integers, by position
_SMALL = 16  # shorter runs are sorted by insertion


def smallest(keys: list[int], k: int, whole: bool) -> list[int]:
    """The positions of the k smallest keys as torch's topk finds them.

    whole: whether they are sorted as well.
    """
    items = list(range(len(keys)))
    if k * 64 <= len(keys):
        partial_sort(items, 0, k, len(items), keys)
        return items[:k]
    nth_element(items, k - 1, keys)
    if whole:
        sort(items, k - 1, keys)
    return items[:k]


def first_of_equals(count: int) -> int:
    """The position that `nth_element` moves to the front of elements that are all equal."""
    items = list(range(count))
    nth_element(items, 0, [0] * count)
    return items[0]


def quickselect(keys: list[int], n: int) -> int:
    """The position of the element that is number n in order, as torch's kthvalue finds it."""
    items = list(range(len(keys)))
    low, high = 0, len(items) - 1

    def order(a: int, b: int) -> None:
        if keys[items[a]] > keys[items[b]]:
            items[a], items[b] = items[b], items[a]

    while high > low + 1:
        middle = low + (high - low) // 2
        items[middle], items[low + 1] = items[low + 1], items[middle]
        order(low + 1, high)
        order(low, high)
        order(low + 1, low)
        i, j, pivot = low + 1, high, keys[items[low]]
        while True:
            i += 1
            while keys[items[i]] < pivot:
                i += 1
            j -= 1
            while keys[items[j]] > pivot:
                j -= 1
            if j < i:
                break
            items[i], items[j] = items[j], items[i]
        items[low], items[j] = items[j], items[low]
        if j <= n:
            low = i
        if j >= n:
            high = j - 1
    if high == low + 1:
        order(low, high)
    return items[n]


def nth_element(items: list[int], n: int, keys: Keys) -> None:
    """Rearranges `items` so that the element that belongs at n stands there."""
    first, last = 0, len(items)
    depth = 2 * (last.bit_length() - 1)
    while last - first > 3:
        if depth == 0:
            heap_select(items, first, n + 1, last, keys)
            items[first], items[n] = items[n], items[first]
            return
        depth -= 1
        cut = partition(items, first, last, keys)
        if cut <= n:
            first = cut
        else:
            last = cut
    insertion_sort(items, first, last, keys)


def sort(items: list[int], count: int, keys: Keys) -> None:
    """Sorts items[:count]; a stable sort gives the same result as the final insertion sort."""
    _introsort(items, 0, count, 2 * (count.bit_length() - 1), keys)
    items[:count] = sorted(items[:count], key=keys.__getitem__)


def _introsort(items: list[int], first: int, last: int, depth: int, keys: Keys) -> None:
    while last - first > _SMALL:
        if depth == 0:
            partial_sort(items, first, last, last, keys)
            return
        depth -= 1
        cut = partition(items, first, last, keys)
        _introsort(items, cut, last, depth, keys)
        last = cut


def partition(items: list[int], first: int, last: int, keys: Keys) -> int:
    """Splits items[first:last] by the median of three elements; returns where the upper part
    begins."""
    places = (first + 1, first + (last - first) // 2, last - 1)
    at = places[_median(*[keys[items[i]] for i in places])]
    items[first], items[at] = items[at], items[first]
    pivot, low, high = keys[items[first]], first + 1, last
    while True:
        while keys[items[low]] < pivot:
            low += 1
        high -= 1
        while pivot < keys[items[high]]:
            high -= 1
        if low >= high:
            return low
        items[low], items[high] = items[high], items[low]
        low += 1


def _median(x: int, y: int, z: int) -> int:
    """Which of three numbers, 0, 1 or 2, is neither the smallest nor the largest."""
    if x < y:
        return 1 if y < z else 2 if x < z else 0
    return 0 if x < z else 2 if y < z else 1


def insertion_sort(items: list[int], first: int, last: int, keys: Keys) -> None:
    """Sorts items[first:last] by insertion."""
    for i in range(first + 1, last):
        if keys[items[i]] < keys[items[first]]:
            items.insert(first, items.pop(i))
        else:
            _insert(items, i, keys)


def _insert(items: list[int], i: int, keys: Keys) -> None:
    """Moves items[i] down to its place; an element before it is not larger."""
    key, at = keys[items[i]], i
    while key < keys[items[at - 1]]:
        at -= 1
    items.insert(at, items.pop(i))


def partial_sort(items: list[int], first: int, middle: int, last: int, keys: Keys) -> None:
    """Sorts the smallest of items[first:last] into items[first:middle]."""
    heap_select(items, first, middle, last, keys)
    for end in range(middle - 1, first, -1):
        _pop_heap(items, first, end, end, keys)


def heap_select(items: list[int], first: int, middle: int, last: int, keys: Keys) -> None:
    """Makes items[first:middle] a heap of the smallest of items[first:last]."""
    size = middle - first
    for parent in range((size - 2) // 2, -1, -1):
        _sift(items, first, parent, size, items[first + parent], keys)
    for i in range(middle, last):
        if keys[items[i]] < keys[items[first]]:
            _pop_heap(items, first, middle, i, keys)


def _pop_heap(items: list[int], first: int, last: int, to: int, keys: Keys) -> None:
    item = items[to]
    items[to] = items[first]
    _sift(items, first, 0, last - first, item, keys)


def _sift(items: list[int], first: int, hole: int, size: int, item: int, keys: Keys) -> None:
    """Puts `item` into the heap items[first:first + size] whose place `hole` is free."""
    top = child = hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if keys[items[first + child]] < keys[items[first + child - 1]]:
            child -= 1
        items[first + hole] = items[first + child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * child + 1
        items[first + hole] = items[first + child]
        hole = child
    while hole > top and keys[items[first + (hole - 1) // 2]] < keys[item]:
        items[first + hole] = items[first + (hole - 1) // 2]
        hole = (hole - 1) // 2
    items[first + hole] = item
