"""Which of several equal elements a selection finds: the algorithms that torch selects with.

NumPy finds the same values, but where elements are equal their positions depend on the algorithm.
These are the C++ library's nth_element (Musser's introselect), sort and partial_sort as GCC's
library has them, and the quickselect of Numerical Recipes, on Python lists. They are called only
for rows in which something that was selected occurs more than once.

An element is its position in `keys`; `items` is the list of positions that is rearranged.
"""

from __future__ import annotations

from collections.abc import Callable

_Less = Callable[[int, int], bool]
_SMALL = 16  # shorter runs are sorted by insertion


def smallest(keys: list[int], k: int, whole: bool) -> list[int]:
    """The positions of the k smallest keys as torch's topk finds them.

    whole: also put them in order.
    """
    items = list(range(len(keys)))
    less = keys_less(keys)
    if k * 64 <= len(keys):
        partial_sort(items, 0, k, len(items), less)
        return items[:k]
    nth_element(items, k - 1, less)
    if whole:
        sort(items, 0, k - 1, less)
    return items[:k]


def keys_less(keys: list[int]) -> _Less:
    """The comparison of elements by their keys."""
    return lambda a, b: keys[a] < keys[b]


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


def nth_element(items: list[int], n: int, less: _Less) -> None:
    """Rearranges `items` so that the element that belongs at n stands there."""
    first, last = 0, len(items)
    depth = 2 * (last.bit_length() - 1)
    while last - first > 3:
        if depth == 0:
            heap_select(items, first, n + 1, last, less)
            items[first], items[n] = items[n], items[first]
            return
        depth -= 1
        cut = partition(items, first, last, less)
        if cut <= n:
            first = cut
        else:
            last = cut
    insertion_sort(items, first, last, less)


def sort(items: list[int], first: int, last: int, less: _Less) -> None:
    """Sorts items[first:last]."""
    if last <= first:
        return
    _introsort(items, first, last, 2 * ((last - first).bit_length() - 1), less)
    if last - first > _SMALL:
        insertion_sort(items, first, first + _SMALL, less)
        for i in range(first + _SMALL, last):
            _insert(items, i, less)
    else:
        insertion_sort(items, first, last, less)


def _introsort(items: list[int], first: int, last: int, depth: int, less: _Less) -> None:
    while last - first > _SMALL:
        if depth == 0:
            partial_sort(items, first, last, last, less)
            return
        depth -= 1
        cut = partition(items, first, last, less)
        _introsort(items, cut, last, depth, less)
        last = cut


def partition(items: list[int], first: int, last: int, less: _Less) -> int:
    """Parts items[first:last] by the median of three elements; where the upper part begins."""
    _median_to_front(items, first, first + 1, first + (last - first) // 2, last - 1, less)
    pivot, low, high = items[first], first + 1, last
    while True:
        while less(items[low], pivot):
            low += 1
        high -= 1
        while less(pivot, items[high]):
            high -= 1
        if low >= high:
            return low
        items[low], items[high] = items[high], items[low]
        low += 1


def _median_to_front(items: list[int], front: int, a: int, b: int, c: int, less: _Less) -> None:
    x, y, z = items[a], items[b], items[c]
    if less(x, y):
        middle = b if less(y, z) else c if less(x, z) else a
    else:
        middle = a if less(x, z) else c if less(y, z) else b
    items[front], items[middle] = items[middle], items[front]


def insertion_sort(items: list[int], first: int, last: int, less: _Less) -> None:
    """Sorts items[first:last] by insertion."""
    for i in range(first + 1, last):
        if less(items[i], items[first]):
            items.insert(first, items.pop(i))
        else:
            _insert(items, i, less)


def _insert(items: list[int], i: int, less: _Less) -> None:
    """Moves items[i] down to its place; something before it is not larger."""
    item, at = items[i], i
    while less(item, items[at - 1]):
        at -= 1
    items.insert(at, items.pop(i))


def partial_sort(items: list[int], first: int, middle: int, last: int, less: _Less) -> None:
    """Sorts the smallest of items[first:last] into items[first:middle]."""
    heap_select(items, first, middle, last, less)
    for end in range(middle - 1, first, -1):
        _pop_heap(items, first, end, end, less)


def heap_select(items: list[int], first: int, middle: int, last: int, less: _Less) -> None:
    """Makes items[first:middle] a heap of the smallest of items[first:last]."""
    size = middle - first
    for parent in range((size - 2) // 2, -1, -1):
        _sift(items, first, parent, size, items[first + parent], less)
    for i in range(middle, last):
        if less(items[i], items[first]):
            _pop_heap(items, first, middle, i, less)


def _pop_heap(items: list[int], first: int, last: int, to: int, less: _Less) -> None:
    item = items[to]
    items[to] = items[first]
    _sift(items, first, 0, last - first, item, less)


def _sift(items: list[int], first: int, hole: int, size: int, item: int, less: _Less) -> None:
    """Puts `item` into the heap items[first:first + size] whose place `hole` is free."""
    top = child = hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if less(items[first + child], items[first + child - 1]):
            child -= 1
        items[first + hole] = items[first + child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * child + 1
        items[first + hole] = items[first + child]
        hole = child
    while hole > top and less(items[first + (hole - 1) // 2], item):
        items[first + hole] = items[first + (hole - 1) // 2]
        hole = (hole - 1) // 2
    items[first + hole] = item
