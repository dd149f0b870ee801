"""Reports as text and as HTML."""

import pytest

from minitorch.study.reports.report_text import (
    Column,
    Table,
    byte_text,
    count_text,
    number_text,
    series_text,
    shortened,
    time_text,
)

TABLE = Table([Column("name"), Column("bytes", True)], [("<a>", "1 B"), ("long", "1,000 B")])


def test_a_table_of_text_aligns_its_columns() -> None:
    assert TABLE.text() == "name    bytes\n<a>       1 B\nlong  1,000 B"


def test_a_table_of_html_escapes_its_texts() -> None:
    assert '<td>&lt;a&gt;</td><td class="number">1 B</td>' in TABLE.html()


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (99_999, "99,999 B"), (-100_000, "-100.0 kB"), (2.5e6, "2.5 MB"), (3e9, "3.0 GB")],
)
def test_bytes_are_exact_up_to_99_999(count: int, text: str) -> None:
    assert byte_text(count) == text


def test_numbers_times_and_counts_are_written_for_readers() -> None:
    assert [number_text(each) for each in (None, 0.123456, float("nan"))] == ["-", "0.123", "nan"]
    assert [time_text(each) for each in (40, 2.5e6)] == ["0.04 ms", "2.50 s"]
    assert [count_text(each, "step") for each in (1, 2000)] == ["1 step", "2,000 steps"]


def test_names_are_joined_and_many_of_them_shortened() -> None:
    assert series_text(["a", "b", "c"]) == "a, b and c"
    assert shortened(list("abcdef")) == "a, b, c and 3 more"
