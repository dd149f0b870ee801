"""The numbers that a recording keeps."""

import numpy
import pytest

from minitorch.study.tape.recording import Value
from minitorch.study.tape.values import BUDGET, SAMPLE, Values, as_float32, short, summary


def test_a_small_array_is_kept_whole_and_equal_ones_once() -> None:
    values: list[Value] = []
    table = Values(values, "all")
    x = numpy.arange(6.0).reshape(2, 3)
    assert table.add(x) == table.add(x.copy()) == 0
    assert table.add(x.reshape(6)) == 1
    numpy.testing.assert_array_equal(values[0].array, x)


def test_a_large_array_gets_statistics_and_a_picture() -> None:
    x = numpy.arange(10_000.0).reshape(100, 100)
    value = summary(x)
    assert value.statistics is not None
    assert (value.statistics["min"], value.statistics["max"]) == (0, 9999)
    assert (value.statistics["n"], value.statistics["of"], value.statistics["bad"]) == (
        *(10_000, 10_000),
        0,
    )
    assert value.statistics["norm"] == pytest.approx(numpy.linalg.norm(x), rel=1e-4)
    assert (value.rows, value.columns) == (20, 20)
    assert sum(value.statistics["hist"]) == 5000


def test_of_a_very_large_array_a_part_is_looked_at() -> None:
    x = numpy.ones(3 * SAMPLE)
    statistics = summary(x).statistics
    assert statistics is not None
    assert statistics["of"] == SAMPLE
    assert statistics["norm"] == pytest.approx((3 * SAMPLE) ** 0.5, rel=1e-4)


def test_what_is_not_finite_is_counted_apart() -> None:
    x = numpy.ones(1000)
    x[:3] = numpy.nan, numpy.inf, -numpy.inf
    statistics = summary(x).statistics
    assert statistics is not None
    assert (statistics["bad"], statistics["max"]) == (3, 1)


def test_nothing_finite_leaves_no_statistics_but_the_count() -> None:
    assert summary(numpy.full(300, numpy.nan)).statistics == {"n": 300, "of": 300, "bad": 300}


def test_complex_numbers_count_as_absolute_values() -> None:
    numpy.testing.assert_array_equal(as_float32(numpy.array([3 + 4j, -1])), [5, 1])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float16", "float64"])
def test_numbers_of_each_dtype_become_float32(dtype: str) -> None:
    assert as_float32(numpy.ones(3, dtype)).dtype == numpy.float32


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 1, 3)])
def test_arrays_of_any_shape_are_kept(shape: tuple[int, ...]) -> None:
    values: list[Value] = []
    Values(values, "all").add(numpy.zeros(shape))
    assert values[0].array.shape == shape


def test_after_the_budget_only_tiny_arrays_are_kept_whole() -> None:
    values: list[Value] = []
    table = Values(values, "all")
    table._elements = BUDGET
    table.add(numpy.zeros(16))
    table.add(numpy.zeros(17))
    assert values[0].is_whole
    assert not values[1].is_whole
    assert values[1].numbers.size == 0


def test_small_keeps_no_statistics_and_none_keeps_nothing() -> None:
    assert Values([], "small").add(numpy.zeros(1000)) is None
    assert Values([], "small").add(numpy.zeros(10)) == 0
    assert Values([], "none").add(numpy.zeros(10)) is None


def test_short_numbers_are_what_json_can_hold() -> None:
    numbers = [1.0, 1.234567, float("nan"), float("inf"), -float("inf"), 1e300]
    assert [short(each) for each in numbers] == [1, 1.2346, "nan", "inf", "-inf", 1e300]
