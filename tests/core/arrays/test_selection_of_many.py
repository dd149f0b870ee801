"""Selection of many rows at once, against the lists of one row."""

import numpy
import pytest

from minitorch.core.arrays import selection, selection_of_many

SIZES = (1, 2, 3, 5, 16, 17, 33, 150, 700)
DISTINCT = (1, 2, 9, 10**6)


def rows_of(n: int, distinct: int) -> numpy.ndarray:
    rows = numpy.random.default_rng(n).integers(0, distinct, (4, n))
    rows[0] = numpy.sort(rows[0])
    return rows


@pytest.mark.parametrize("distinct", DISTINCT)
@pytest.mark.parametrize("n", SIZES)
def test_many_rows_are_sorted_as_each_of_them(n: int, distinct: int) -> None:
    rows = rows_of(n, distinct)
    found = rows.argsort(axis=1)
    values = numpy.take_along_axis(rows, found, 1)
    orders = selection_of_many.sorting_orders(found, values[:, 1:] == values[:, :-1])
    for row, order in zip(rows.tolist(), orders.tolist(), strict=True):
        items = list(range(n))
        selection.sort(items, n, row)
        assert order == items


@pytest.mark.parametrize("distinct", DISTINCT)
@pytest.mark.parametrize("n", SIZES)
def test_the_smallest_of_many_rows_are_those_of_each(n: int, distinct: int) -> None:
    rows = rows_of(n, distinct)
    for k in {1, (n + 1) // 2, n}:
        for whole in (True, False):
            found = selection_of_many.smallest(rows, k, whole)
            each = [selection.smallest(row, k, whole) for row in rows.tolist()]
            assert found.tolist() == each


@pytest.mark.parametrize("distinct", DISTINCT)
@pytest.mark.parametrize("n", SIZES)
def test_quickselect_of_many_rows_finds_what_it_finds_in_each(n: int, distinct: int) -> None:
    rows = rows_of(n, distinct)
    for k in {0, n // 2, n - 1}:
        each = [selection.quickselect(row, k) for row in rows.tolist()]
        assert selection_of_many.quickselect(rows, k).tolist() == each


def test_runs_that_part_badly_are_sorted_by_a_heap() -> None:
    n = 2000  # each median of three is among the smallest
    half = n // 2
    row = numpy.zeros(n, int)
    row[0:half:2], row[1:half:2] = numpy.arange(1, half, 2), half + numpy.arange(1, half, 2)
    row[half:] = 2 * numpy.arange(1, half + 1)
    items = list(range(n))
    selection.sort(items, n, row.tolist())
    found = row.argsort()
    tied = numpy.diff(row[found]) == 0
    assert selection_of_many.sorting_orders(found[None], tied[None])[0].tolist() == items
    whole = selection.smallest(row.tolist(), half, True)
    assert selection_of_many.smallest(row[None], half, True)[0].tolist() == whole


def test_rows_are_taken_in_groups() -> None:
    rows = numpy.random.default_rng(0).integers(0, 5, (3000, 40))
    found = selection_of_many.quickselect(rows, 7)
    assert found[::1000].tolist() == [selection.quickselect(r, 7) for r in rows[::1000].tolist()]
