"""Rests and rounded quotients in double: NumPy's, bit for bit."""

import numpy
import pytest

from minitorch.core.arrays import division


@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e4, 1e9])
@pytest.mark.parametrize("scale", [1e-30, 0.1, 1e20])
def test_rests_and_quotients_have_numpys_bits(scale: float, spread: float) -> None:
    random = numpy.random.default_rng(0)
    x, y = [random.integers(-40, 41, 3000).astype("float32") for _ in range(2)]
    x, y = x * numpy.float32(scale * spread), (y + (y == 0)) * numpy.float32(scale)
    x[:2] = 0.0, -0.0
    for divisor in (y, y[:1].reshape(())):
        for ours, theirs in (
            (division.fmod, numpy.fmod),
            (division.floor_divide, numpy.floor_divide),
        ):
            found, expected = ours(x, divisor), theirs(x, divisor)
            assert found.view("int32").tolist() == expected.view("int32").tolist()


def test_zeros_infinities_and_nans_divide_as_numpys() -> None:
    ends = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, -3.0], "float32")
    x, y = [numpy.repeat(each, 50).astype("float32") for each in numpy.meshgrid(ends, ends)]
    with numpy.errstate(all="ignore"):
        for ours, theirs in (
            (division.fmod, numpy.fmod),
            (division.floor_divide, numpy.floor_divide),
        ):
            for divisor in (y, numpy.asarray(numpy.inf, "float32")):
                found, expected = ours(x, divisor), theirs(x, divisor)
                assert numpy.array_equal(found, expected, equal_nan=True)
                assert numpy.array_equal(numpy.signbit(found), numpy.signbit(expected))
