"""Stable orders: every way finds what one sort by comparisons finds."""

import numpy
import pytest

from minitorch.core.arrays.ordering import (
    by_comparisons,
    first_of_long,
    order,
    order_with_ties,
    ordered_keys,
)

DTYPES = ("float32", "float64", "int64", "int32", "int16", "uint8", "bool")
SHAPES = ((5000,), (3, 2100), (40, 60), (20, 30, 10), (2, 3))


def numbers(dtype: str, shape: tuple[int, ...]) -> numpy.ndarray:
    x = numpy.random.default_rng(0).integers(-100, 100, shape)
    if dtype in ("uint8", "bool"):
        x = abs(x)
    x = x.astype(dtype)
    if x.dtype.kind == "f":
        flat = x.reshape(-1)
        flat[:6] = [numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, -0.0, 1e-40]
        flat[::7] *= -1
    return x


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_orders_are_stable_whatever_the_length(
    dtype: str, shape: tuple[int, ...], descending: bool
) -> None:
    x = numbers(dtype, shape)
    for axis in range(x.ndim):
        expected = by_comparisons(x, axis, descending)
        assert numpy.array_equal(order(x, axis, descending), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ties_are_those_of_the_numbers(dtype: str) -> None:
    x = numbers(dtype, (3, 2100))
    found, tied = order_with_ties(ordered_keys(x))
    values = numpy.take_along_axis(x, found, 1)
    equal = values[:, 1:] == values[:, :-1]
    if x.dtype.kind == "f":
        equal |= numpy.isnan(values[:, 1:]) & numpy.isnan(values[:, :-1])
    assert numpy.array_equal(tied, equal)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("axis", "shape"), [(0, (5000,)), (1, (2, 4500)), (0, (4200, 2))])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_the_first_of_long_rows_are_those_of_the_order(dtype, axis, shape, descending) -> None:
    made = numpy.random.default_rng(0)
    for x in (1000 * made.standard_normal(shape), made.integers(-5, 5, shape)):
        for rows in (x, numpy.sort(x, axis)):
            rows = rows.astype(dtype)
            for k in (1, 3, 60):
                found = first_of_long(rows, axis, k, descending)
                expected = order(rows, axis, descending).take(numpy.arange(k), axis)
                assert found.tolist() == expected.tolist()


def test_the_first_of_long_rows_with_unknown_numbers_are_left_to_the_order() -> None:
    x = numpy.zeros(5000)
    assert first_of_long(x, 0, 100) is None
    assert first_of_long(x[:100], 0, 1) is None
    x[7] = numpy.nan
    assert first_of_long(x, 0, 1) is None
    assert first_of_long(x, 0, 1, True) is None
