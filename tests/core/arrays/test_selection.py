"""The selection algorithms, against sorting."""

from hypothesis import given
from hypothesis import strategies as st

from minitorch.core.arrays import selection

keys = st.lists(st.integers(0, 9), min_size=1, max_size=300)


@given(keys, st.data())
def test_the_smallest_are_what_sorting_finds(ranks: list[int], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(ranks)))
    found = selection.smallest(ranks, k, True)
    assert [ranks[i] for i in found] == sorted(ranks)[:k]
    assert len(set(found)) == k


@given(keys, st.data())
def test_unsorted_the_last_of_the_smallest_is_the_largest(
    ranks: list[int], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(ranks)))
    found = selection.smallest(ranks, k, False)
    assert sorted(ranks[i] for i in found) == sorted(ranks)[:k]


@given(keys, st.data())
def test_quickselect_finds_the_nth(ranks: list[int], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, len(ranks) - 1))
    assert ranks[selection.quickselect(ranks, n)] == sorted(ranks)[n]


@given(keys)
def test_sort_sorts(ranks: list[int]) -> None:
    items = list(range(len(ranks)))
    selection.sort(items, len(items), ranks)
    assert [ranks[i] for i in items] == sorted(ranks)


def test_equal_elements_stand_where_the_cpp_library_leaves_them() -> None:
    assert selection.smallest([0] * 20, 3, True) == [12, 14, 13]
    assert selection.smallest([0, 0, 0, 1, 1], 3, True) == [1, 2, 0]
    assert selection.quickselect([0, 0, 1, 1, 1], 3) == 3
