"""Transforms along one axis have the bits and the strides of numpy.fft's functions."""

import numpy
import pytest

from minitorch.core.arrays import fourier


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
@pytest.mark.parametrize("divisor", [fourier.NONE, fourier.BY_ROOT, fourier.BY_N])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_transform_has_the_bits_of_numpys(name, divisor, order):
    numbers = numpy.random.default_rng(0)
    norm = (fourier._INVERSE if name[0] == "i" else fourier._FORWARD)[divisor]
    for shape in ((31,), (8,), (5, 6), (2, 1, 3)):
        x = numpy.asarray(numbers.normal(size=shape), order=order)
        if name != "rfft":
            x = x + 1j * numbers.normal(size=shape)
        for axis in range(len(shape)):
            points = 7 if name == "irfft" else None
            found = fourier.transform(name, x, axis, divisor, points)
            wanted = getattr(numpy.fft, name)(x, points, axis, norm)
            assert found.tobytes() == wanted.tobytes()
            assert (found.dtype, found.strides) == (wanted.dtype, wanted.strides)


def test_without_the_kernels_numpys_functions_are_called(monkeypatch):
    x = numpy.arange(5.0)
    before = fourier.transform("fft", x, 0, fourier.BY_N)
    monkeypatch.setattr(fourier, "_kernels", None)
    assert (fourier.transform("fft", x, 0, fourier.BY_N) == before).all()
