"""Questions about all elements are answered as NumPy's methods answer them."""

import numpy
import pytest

from minitorch.core.arrays.questions import every, largest_of, least_of, some

ARRAYS = [
    numpy.array([0.0, -1.0, 2.0]),
    numpy.array([1.0, numpy.nan, -numpy.inf], "float32"),
    numpy.array([[True, False], [True, True]]),
    numpy.array([[3, -7], [2, 2]]).T,
    numpy.zeros((2, 3)),
    numpy.array(5, "uint8"),
    numpy.arange(20_000)[::2] - 7,
    numpy.ones(40_000, bool),
]


@pytest.mark.parametrize("x", ARRAYS, ids=str)
def test_some_every_and_extremes_are_those_of_numpy(x):
    assert bool(some(x)) == x.any()
    assert bool(every(x)) == x.all()
    numpy.testing.assert_equal(least_of(x), x.min())
    numpy.testing.assert_equal(largest_of(x), x.max())


def test_none_of_no_elements_is_zero():
    assert every(numpy.empty(0))
    assert not some(numpy.empty(0))


def test_other_arrays_are_asked_by_their_methods():
    class Array:
        def any(self):
            return "any"

        def max(self):
            return "max"

    assert some(Array()) == "any"
    assert largest_of(Array()) == "max"
