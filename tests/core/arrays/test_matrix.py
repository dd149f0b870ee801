"""Products against sums written out, for every kind of number and any strides."""

import numpy as np
import pytest

from minitorch.core.arrays import matrix
from minitorch.core.arrays import on_numpy as xp

DTYPES = ["float16", "float32", "float64", "int64", "int8", "complex64"]


def draw(dtype, *shape):
    x = np.random.default_rng(sum(shape)).integers(-3, 4, shape).astype(dtype)
    return x * (1 + 2j) if dtype == "complex64" else x


def naive(a, b):
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for i, j in np.ndindex(out.shape):
        out[i, j] = (a[i] * b[:, j]).sum(dtype=a.dtype)
    return out


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_are_sums_of_products(dtype):
    a, b = draw(dtype, 3, 4), draw(dtype, 4, 2)
    out = matrix.mm(xp, a, b)
    assert out.dtype == dtype
    assert out.flags.c_contiguous
    np.testing.assert_array_equal(out, naive(a, b))
    np.testing.assert_array_equal(matrix.mv(xp, a, b[:, 0]), naive(a, b)[:, 0])
    np.testing.assert_array_equal(matrix.bmm(xp, a[None], b[None])[0], naive(a, b))
    number = matrix.dot(xp, a[0], b[:, 1])
    assert isinstance(number, np.ndarray)
    assert number == naive(a, b)[0, 1]


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int64"])
def test_any_strides_give_the_same_products(dtype):
    a, b = draw(dtype, 3, 6, 8), draw(dtype, 3, 8, 6)
    expected = np.stack([naive(x, y) for x, y in zip(a, b)])
    sliced = np.repeat(a, 2, 2)[:, :, ::2]
    turned = np.ascontiguousarray(b.swapaxes(1, 2)).swapaxes(1, 2)
    np.testing.assert_array_equal(matrix.bmm(xp, sliced, turned), expected)
    np.testing.assert_array_equal(matrix.mm(xp, sliced[0], turned[0]), expected[0])
    row = np.broadcast_to(a[:, :1], a.shape)
    expected = np.stack([naive(x, y) for x, y in zip(row, b)])
    np.testing.assert_array_equal(matrix.bmm(xp, row, b), expected)


def test_empty_sums_are_zero():
    assert matrix.mm(xp, np.ones((2, 0)), np.ones((0, 3))).tolist() == [[0, 0, 0]] * 2
    assert matrix.bmm(xp, np.ones((0, 2, 1)), np.ones((0, 1, 2))).shape == (0, 2, 2)
    assert matrix.dot(xp, np.ones(0), np.ones(0)) == 0


def test_integers_wrap_around():
    x = np.full((2, 2), 100, np.uint8)
    assert matrix.mm(xp, x, np.full((2, 2), 3, np.uint8)).tolist() == [[88, 88]] * 2


def test_half_products_are_rounded_once():
    a = np.full((1, 2000), 1.001, np.float16)
    out = matrix.mm(xp, a, np.ones((2000, 1), np.float16))
    assert out.item() == np.float16(2000 * float(a[0, 0]))
    tiny = matrix.addmm(xp, np.ones((1, 1), np.float16), a[:, :1] * 0 + 1, a[:1, :1], 1, 2**-12)
    assert tiny.item() == np.float16(1 + float(a[0, 0]) * 2**-12)


def test_only_vdot_conjugates():
    u, v = np.array([1j, 2]), np.array([1j, 1])
    assert matrix.dot(xp, u, v) == 1
    assert matrix.vdot(xp, u, v) == 3


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64"])
def test_scaled_products_are_added(dtype):
    c, a, b = draw(dtype, 2), draw(dtype, 4, 3), draw(dtype, 3, 2)
    np.testing.assert_array_equal(matrix.addmm(xp, c, a, b), naive(a, b) + c)
    np.testing.assert_array_equal(matrix.addmm(xp, c, a, b, 2, 3), 3 * naive(a, b) + 2 * c)
    np.testing.assert_array_equal(
        matrix.addmm(xp, b[:, 0], b.T, a[:3, :3].T), naive(b.T, a[:3].T) + b[:, 0]
    )
    one = matrix.addmm(xp, c, a[None], b[None])
    np.testing.assert_array_equal(one[0], naive(a, b) + c)
    batch = matrix.addbmm(xp, c, np.stack([a, 2 * a]), np.stack([b, b]), 1, 2)
    np.testing.assert_array_equal(batch, 6 * naive(a, b) + c)
    u, v = a[:, 0], b[0]
    np.testing.assert_array_equal(matrix.addr(xp, c, u, v, 2, 3), 3 * np.outer(u, v) + 2 * c)


def test_a_factor_of_zero_hides_what_it_multiplies():
    nothing = np.full((1, 1), np.nan)
    assert matrix.addmm(xp, nothing, np.ones((1, 1)), np.ones((1, 1)), 0) == 1
    assert np.isnan(matrix.addmm(xp, nothing, np.ones((1, 1)), np.ones((1, 1)), 1))
