"""Bilinear and nearest samples with all taps in one array, against those tap by tap."""

from itertools import product

import numpy
import pytest

from minitorch.aten.layers import grid_sampling
from minitorch.core.arrays import on_numpy


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("padding", [0, 1, 2])
def test_grid_samples_of_all_taps_at_once_have_the_bits_of_each(
    count: int, dtype: str, padding: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = numpy.random.default_rng(0)
    for mode, corners, (n, c), size in product(
        (0, 1), (False, True), ((1, 1), (3, 2), (2, 9)), (1, 4, 6)
    ):
        x = random.standard_normal((n, c, *[size + i for i in range(count)])).astype(dtype)
        grid = random.uniform(-1.6, 1.6, (n, *[size] * count, count)).astype(dtype)
        grid.flat[0] = 1
        if size > 1:
            grid.flat[1:6] = numpy.nan, numpy.inf, -numpy.inf, 1e30, -1
        settings = (mode, padding, corners)
        grad = random.standard_normal((n, c, *[size] * count)).astype(dtype)

        def computed(settings=settings, x=x, grid=grid, grad=grad):
            arrays = (grad, x, grid)
            slopes = grid_sampling.sample_backward(on_numpy, count, *arrays, settings, (True, True))
            return grid_sampling.sample_images(on_numpy, count, x, grid, settings), *slopes

        found = computed()
        with monkeypatch.context() as patched:
            patched.setattr(grid_sampling, "_are_plain", lambda *arrays: False)
            expected = computed()
        for each, wanted in zip(found, expected, strict=True):
            assert each.dtype == wanted.dtype
            numpy.testing.assert_array_equal(each, wanted)
