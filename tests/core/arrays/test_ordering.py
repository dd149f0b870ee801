"""Stable orders: every way finds what one sort by comparisons finds."""

import numpy
import pytest

from minitorch.core.arrays.ordering import by_comparisons, order, order_with_ties, ordered_keys

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
