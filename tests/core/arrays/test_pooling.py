"""Pooling against a loop over every window."""

from itertools import product

import numpy as np
import pytest

from minitorch.core.arrays import on_numpy as xp
from minitorch.core.arrays import pooling

GEOMETRIES = [  # image, kernel, stride, padding, ceil_mode
    ((4, 6), (2, 2), (2, 2), (0, 0), False),
    ((5, 5), (2, 2), (2, 2), (0, 0), False),
    ((5, 5), (2, 2), (2, 2), (0, 0), True),
    ((5, 7), (3, 2), (1, 2), (1, 1), False),
    ((7, 4), (3, 3), (2, 2), (1, 1), True),
    ((1, 9), (1, 4), (1, 3), (0, 2), True),
]


@pytest.fixture(params=[0, 1 << 20], autouse=True)
def few(request, monkeypatch):
    """Takes windows tap by tap, and all at once."""
    monkeypatch.setattr(pooling, "FEW", request.param)


def windows(out, image, kernel, stride, padding):
    """(window, its pixels inside the image in row-major order) for every window."""
    for at in product(*map(range, out)):
        pixels = []
        for tap in product(*map(range, kernel)):
            y, x = [at[i] * stride[i] - padding[i] + tap[i] for i in (0, 1)]
            if 0 <= y < image[0] and 0 <= x < image[1]:
                pixels.append((y, x))
        yield at, pixels


@pytest.mark.parametrize("kind", ["ties", "nan", "infinite", "integers"])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_first_largest_pixel_wins_and_the_last_nan_beats_it(geometry, kind):
    image, kernel, stride, padding, ceil_mode = geometry
    rng = np.random.default_rng(0)
    x = rng.integers(-2, 2, (2, 1, *image)).astype("int64" if kind == "integers" else "float32")
    if kind == "nan":
        x[rng.random(x.shape) < 0.3] = np.nan
    if kind == "infinite":
        x[...] = -np.inf
    values, indices = pooling.max_pool(xp, x, kernel, stride, padding, (1, 1), ceil_mode)
    assert values.dtype == x.dtype
    assert indices.dtype == np.int64
    for n in range(2):
        for at, pixels in windows(values.shape[2:], image, kernel, stride, padding):
            best = pixels[0]
            for pixel in pixels:
                new, old = x[(n, 0, *pixel)], x[(n, 0, *best)]
                if new > old or new != new:
                    best = pixel
            assert indices[(n, 0, *at)] == best[0] * image[1] + best[1]
            np.testing.assert_equal(values[(n, 0, *at)], x[(n, 0, *best)])


def test_dilated_windows_skip_pixels():
    x = np.arange(25.0).reshape(1, 5, 5)
    values, indices = pooling.max_pool(xp, -x, (2, 2), (1, 1), (0, 0), (3, 2))
    assert values.tolist() == [[[0, -1, -2], [-5, -6, -7]]]
    assert indices.tolist() == [[[0, 1, 2], [5, 6, 7]]]


@pytest.mark.parametrize("disjoint", [False, True])
def test_gradients_of_maxima_go_to_the_pixels_that_won(disjoint):
    indices = np.array([[[0, 5]], [[3, 4]]])
    grad = np.array([[[1.0, 2]], [[3, 4]]], "float32")
    out = pooling.max_pool_backward(xp, grad, indices, (2, 3), disjoint)
    assert out.tolist() == [[[1, 0, 0], [0, 0, 2]], [[0, 0, 0], [3, 4, 0]]]


def test_gradients_of_a_pixel_that_won_twice_add_up():
    indices = np.array([[[1, 1]]])
    out = pooling.max_pool_backward(xp, np.array([[[1.0, 2]]]), indices, (1, 3))
    assert out.tolist() == [[[0, 3, 0]]]


@pytest.mark.parametrize("count_include_pad", [False, True])
@pytest.mark.parametrize("divisor", [None, 5])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_averages_and_their_gradients_count_the_right_pixels(geometry, divisor, count_include_pad):
    image, kernel, stride, padding, ceil_mode = geometry
    x = np.random.default_rng(0).standard_normal((2, 1, *image)).astype("float32")
    rest = (count_include_pad, divisor)
    out = pooling.avg_pool(xp, x, kernel, stride, padding, ceil_mode, *rest)
    grad = np.random.default_rng(1).standard_normal(out.shape).astype("float32")
    back = pooling.avg_pool_backward(xp, grad, image, kernel, stride, padding, *rest)
    expected = np.zeros_like(x)
    for n in range(2):
        for at, pixels in windows(out.shape[2:], image, kernel, stride, padding):
            count = 1
            for i in (0, 1):  # the padded window ends where the right padding does
                start = at[i] * stride[i] - padding[i]
                count *= min(start + kernel[i], image[i] + padding[i]) - start
            count = np.float32(divisor or (count if count_include_pad else len(pixels)))
            total = np.float32(0)
            for pixel in pixels:
                total += x[(n, 0, *pixel)]
                expected[(n, 0, *pixel)] += grad[(n, 0, *at)] / count
            assert out[(n, 0, *at)] == total / count
    np.testing.assert_array_equal(back, expected)


def test_half_averages_are_rounded_once_and_integers_truncated():
    x = np.array([[[1.001, 2, 3]]], np.float16)
    out = pooling.avg_pool(xp, x, (1, 3), (1, 1), (0, 0))
    assert out.dtype == np.float16
    assert out.item() == np.float16((np.float32(x[0, 0, 0]) + 5) / 3)
    assert pooling.avg_pool(xp, np.array([[[-1, -2]]]), (1, 2), (1, 1), (0, 0)).tolist() == [[[-1]]]


def test_batches_without_images_have_no_windows():
    x = np.zeros((0, 2, 4, 4), "float32")
    values, indices = pooling.max_pool(xp, x, (2, 2), (2, 2), (0, 0), (1, 1))
    assert values.shape == indices.shape == (0, 2, 2, 2)
    assert pooling.avg_pool(xp, x, (2, 2), (2, 2), (0, 0)).shape == (0, 2, 2, 2)
    assert pooling.adaptive_avg_pool(xp, x, (2, 2)).shape == (0, 2, 2, 2)


def test_many_small_images_are_pooled_as_few_are():
    x = np.random.default_rng(0).standard_normal((40, 3, 3, 6), np.float32)
    x[5, 1, 2, 2] = np.nan
    geometry = ((3, 3), (2, 2), (1, 1))
    whole = pooling.max_pool(xp, x, *geometry, (1, 1))
    mean = pooling.avg_pool(xp, x, *geometry)
    back = pooling.avg_pool_backward(xp, mean, x.shape[2:], *geometry)
    for i in range(40):
        each = pooling.max_pool(xp, x[i], *geometry, (1, 1))
        assert [out[i].tobytes() for out in whole] == [out.tobytes() for out in each]
        assert mean[i].tobytes() == pooling.avg_pool(xp, x[i], *geometry).tobytes()
        part = pooling.avg_pool_backward(xp, mean[i], x.shape[2:], *geometry)
        assert back[i].tobytes() == part.tobytes()
    assert all(out.flags.c_contiguous for out in (*whole, mean, back))


@pytest.mark.parametrize("unknown", [False, True])
def test_the_largest_pixels_of_few_long_windows_are_found(unknown):
    x = np.random.default_rng(0).integers(-9, 9, (2, 11, 30)).astype(np.float32)
    if unknown:
        x[1, 3, 4] = x[1, 3, 6] = np.nan
    values, indices = pooling.adaptive_max_pool(xp, x, (2, 3))
    places = pooling._adaptive_places((11, 30), (2, 3))
    expected = pooling.largest(xp, x, (11, 30), (2, 3), places)
    assert values.tobytes() == expected[0].tobytes()
    assert indices.tolist() == expected[1].tolist()
