"""Sums in torch's order, against a scalar-by-scalar account of that order and recorded bits."""

import numpy as np
import pytest

from minitorch.core.arrays import on_numpy as xp
from minitorch.core.arrays import summation


def cascade(values, size):
    """Four levels of running sums of `values`, each a numpy scalar of one dtype."""
    zero = values[0] * 0
    step = 1 << max(4, (size - 1).bit_length() // 4 if size > 1 else 4)
    levels, counts = [zero] * 4, [0] * 4
    for value in values:
        levels[0] = levels[0] + value
        for level in range(3):
            counts[level] += 1
            if counts[level] < step:
                break
            levels[level + 1] = levels[level + 1] + levels[level]
            levels[level], counts[level] = zero, 0
    return ((levels[0] + levels[1]) + levels[2]) + levels[3]


def streams(values):
    if not values:
        return 0
    zero, groups = values[0] * 0, len(values) // 4
    sums = [cascade(values[i : 4 * groups : 4], groups) if groups else zero for i in range(4)]
    for value in values[4 * groups :]:
        sums[0] = sums[0] + value
    return ((sums[0] + sums[1]) + sums[2]) + sums[3]


def row_sum(values, lanes):
    values = list(values)
    if len(values) < lanes:
        return streams(values)
    whole = len(values) // lanes * lanes
    total = values[0] * 0
    for value in values[whole:]:
        total = total + value
    for lane in range(lanes):
        total = total + streams(values[lane:whole:lanes])
    return total


def column_sums(x, lanes):
    n = x.shape[1]
    group = 4 * lanes if n >= lanes else 4
    whole = n - n % group
    columns = [list(x[:, i]) for i in range(n)]
    return [cascade(c, len(c)) if i < whole else streams(c) for i, c in enumerate(columns)]


LANES = {"float32": 8, "float64": 4, "complex64": 4, "complex128": 2}


def draw(dtype, *shape):
    rng = np.random.default_rng(sum(shape))
    x = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", LANES)
@pytest.mark.parametrize("n", [*range(1, 40), 63, 64, 65, 100, 511, 545, 700, 2100, 40_001])
def test_full_sum_has_the_bits_of_four_cascading_streams(dtype, n):
    x = draw(dtype, n)
    out = summation.sum(xp, x)
    assert out.shape == ()
    assert out.dtype == dtype
    assert out.tobytes() == x.dtype.type(row_sum(x, LANES[dtype])).tobytes()


@pytest.mark.parametrize("dtype", LANES)
@pytest.mark.parametrize("shape", [(5, 3), (3, 9), (7, 40), (33, 10), (64, 70), (300, 5), (2, 700)])
def test_sums_along_one_axis_have_torchs_bits(dtype, shape):
    x = draw(dtype, *shape)
    rows = np.array([row_sum(r, LANES[dtype]) for r in x], dtype)
    columns = np.array(column_sums(x, LANES[dtype]), dtype)
    assert summation.sum(xp, x, (1,)).tobytes() == rows.tobytes()
    assert summation.sum(xp, x, (0,)).tobytes() == columns.tobytes()
    transposed = np.asfortranarray(x)  # the rows of x, now columns in memory
    rows = np.array(column_sums(x.T, LANES[dtype]), dtype)
    assert summation.sum(xp, transposed, (1,)).tobytes() == rows.tobytes()
    assert summation.sum(xp, transposed, (1,), True).shape == (shape[0], 1)


def test_channel_sums_add_the_images_one_after_another():
    x = draw("float32", 6, 3, 5, 7)
    expected = np.zeros(3, "float32")
    for image in x:
        for channel in range(3):
            expected[channel] += row_sum(image[channel].ravel(), 8)
    out = summation.sum(xp, x, (0, 2, 3))
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("strides", [(24, 4, 8), (4, 8, 16), (12, 24, 4)])
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
def test_sums_are_c_contiguous_whatever_is_summed(strides, axes):
    x = np.lib.stride_tricks.as_strided(draw("float32", 12), (2, 2, 3), strides)
    assert summation.sum(xp, x, axes, True).flags.c_contiguous
    assert summation.sum(xp, x, axes).flags.c_contiguous


def test_recorded_bits_of_a_long_sum():
    x = (np.arange(100_000, dtype="float32") * np.float32(0.001)) ** 2
    assert summation.sum(xp, x).tobytes().hex() == "80f19e4d"
    assert summation.mean(xp, x).tobytes().hex() == "8b545045"


def test_integers_and_bools_sum_in_int64():
    assert summation.sum(xp, np.array([True, True])).dtype == np.int64
    out = summation.sum(xp, np.full((2, 3), 200, np.uint8), (0,))
    assert out.dtype == np.int64
    assert out.tolist() == [400, 400, 400]


def test_half_sums_are_rounded_once():
    x = np.full(4096, 1.001, np.float16)
    assert summation.sum(xp, x) == np.float16(4096 * np.float32(x[0]))
    assert summation.mean(xp, x).dtype == np.float16


def test_empty_sums_are_zero_and_empty_means_are_nan():
    assert summation.sum(xp, np.empty((0, 3), "float32"), (0,)).tolist() == [0, 0, 0]
    assert summation.sum(xp, np.empty((0, 3), "float32")) == 0
    assert np.isnan(summation.mean(xp, np.empty((0, 3), "float32"), (0,))).all()


def test_running_sums_are_taken_in_double():
    x = np.array([1, 1e-8, 1e-8, 1e-8, 1e-8, 1e-8, 1e-8], "float32")
    assert summation.cumsum(xp, x, 0)[-1] == np.float32(1 + 6e-8)
    assert summation.cumsum(xp, np.array([True, True]), 0).tolist() == [1, 2]


def test_variance_divides_by_the_corrected_count():
    x = np.array([[1.0, 2, 4], [5, 5, 5]], "float32")
    np.testing.assert_allclose(summation.var(xp, x, (1,)), [7 / 3, 0], rtol=1e-7)
    np.testing.assert_allclose(summation.var(xp, x, (1,), 0), [14 / 9, 0], rtol=1e-7)
    np.testing.assert_allclose(summation.std(xp, x), np.std(x, ddof=1), rtol=1e-6)
    out = summation.var(xp, x, (1,), 3)
    assert np.isinf(out[0])
    assert np.isnan(out[1])
    assert summation.var(xp, np.array([1, 1j], "complex64")) == 1


def test_logsumexp_neither_overflows_nor_loses_infinities():
    x = np.array([[1000, 1000], [-np.inf, -np.inf], [0, np.inf]], "float32")
    with np.errstate(divide="ignore"):
        out = summation.logsumexp(xp, x, (1,))
    np.testing.assert_allclose(out, [1000 + np.log(2), -np.inf, np.inf], rtol=1e-6)


@pytest.mark.parametrize("shape", [(1,), (3,), (9,), (40,), (700,), (1, 9), (9, 1), (3, 2, 5)])
def test_the_memory_of_a_sum_holds_the_sum_alone(shape):
    x = draw("float32", *shape)
    for axes in (None, *[(axis,) for axis in range(x.ndim)]):
        out = summation.sum(xp, x, axes)
        assert not np.shares_memory(out, x)
        assert out.base is None or out.base.size == out.size


@pytest.mark.parametrize("shape", [(), (1,), (3,), (8,), (9,), (100,), (2, 1), (1, 9), (5, 8)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_nothing_adds_up_to_minus_zero(shape, dtype):
    x = np.full(shape, -0.0, dtype)
    for axes in (None, *((i,) for i in range(x.ndim))):
        assert not np.signbit(summation.sum(xp, x, axes).real).any()
    assert not np.signbit(summation.total(x).real)


def test_a_sum_over_axes_of_one_element_is_laid_out_row_by_row():
    x = np.ones((1, 2, 3)).transpose(0, 2, 1)
    assert summation.sum(xp, x, (0,)).flags.c_contiguous


@pytest.mark.parametrize(("dtype", "lanes"), [("float32", 8), ("float64", 4)])
def test_products_are_taken_in_four_streams_of_vectors(dtype: str, lanes: int) -> None:
    rows = np.random.default_rng(0).uniform(0.9, 1.1, (3, 133)).astype(dtype)
    whole = 133 - 133 % (4 * lanes)
    expected = []
    for row in rows:
        streams = row[: 4 * lanes]
        for start in range(4 * lanes, whole, 4 * lanes):
            streams = streams * row[start : start + 4 * lanes]
        first, second, third, fourth = streams.reshape(4, lanes)
        total = None
        for each in [*(first * second) * (third * fourth), *row[whole:]]:
            total = each if total is None else total * each
        expected.append(total)
    assert summation.product(rows).tolist() == expected
