"""Tensors as C++ writes them into a stream."""

import numpy
import pytest

from minitorch.core.tensor.cpp_printing import streamed

_SHOWN = [
    ([[1.0, 2.0], [3.0, -50.0]], "  1   2\n  3 -50\n[ T{2,2} ]"),
    ([[0.5, 2.0]], " 0.5000  2.0000\n[ T{1,2} ]"),
    ([[1.5e6, 2e6], [3e6, 4e6 + 0.5]], "1000000 *\n 1.5000  2.0000\n  3.0000  4.0000\n[ T{2,2} ]"),
    ([[1e-6, 1.0]], " 1.0000e-06  1.0000e+00\n[ T{1,2} ]"),
    ([[float("nan"), 1.5]], "    nan  1.5000\n[ T{1,2} ]"),
    ([[[1.0, 2.0]], [[3.0, 4.0]]], "(1,.,.) = \n 1  2\n\n(2,.,.) = \n 3  4\n[ T{2,1,2} ]"),
    ([1.0, 20.0], "  1\n 20\n[ T{2} ]"),
    (0.25, "0.25\n[ T{} ]"),
    (numpy.empty((0, 3)), "[ T{0,3} ]"),
]


@pytest.mark.parametrize(("numbers", "text"), _SHOWN)
def test_numbers_are_as_wide_as_the_longest(numbers, text):
    assert streamed(numpy.array(numbers), "T") == text


def test_long_rows_are_cut_into_columns():
    text = streamed(numpy.full((2, 30), 0.5), "T")
    assert text.startswith("Columns 1 to 10 0.5000")
    assert "\nColumns 11 to 20 0.5000" in text
