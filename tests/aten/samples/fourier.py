"""Samples of Fourier transforms."""

from tests.aten.samples.registry import call, sampled


@sampled("_fft_r2c")
def real(draw):
    yield call(draw(2, 5), (1,), 0, True)
    yield call(draw(2, 4), (1,), 2, True)
    yield call(draw(3, 4), (0, 1), 1, False)


@sampled("_fft_c2c")
def complex_numbers(draw):
    yield call(draw(2, 5) + 1j * draw(2, 5), (1,), 0, True)
    yield call(draw(3, 4) + 1j * draw(3, 4), (0, 1), 1, False)


@sampled("_fft_c2r")
def to_real(draw):
    x = draw(2, 3) + 1j * draw(2, 3)
    yield call(x, (1,), 0, 5)
    yield call(x, (1,), 2, 4)
    yield call(x, (0, 1), 1, 4)
