"""Products of large matrices: the same numbers, whatever way they are computed."""

import numpy
import pytest

from minitorch.core.arrays import blas
from minitorch.core.arrays import on_numpy as xp

SHAPES = [(64, 784, 256), (50, 900, 400), (128, 300, 64), (7, 1000, 640), (64, 784, 250), (3, 5, 2)]


@pytest.fixture
def few_threads(request):
    before = blas.threads()
    blas.use_threads(request.param)
    yield
    blas.use_threads(before)


@pytest.mark.parametrize("few_threads", [1, 2], indirect=True)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_is_that_of_dot_and_lies_row_by_row(few_threads, shape, dtype):
    m, k, n = shape
    generator = numpy.random.default_rng(0)
    x, w, g = (generator.standard_normal(each).astype(dtype) for each in ((m, k), (n, k), (m, n)))
    for a, b in ((x, w.T), (g.T, x), (g, w), (x, w.T.copy())):
        out = blas.product(a, b)
        assert out.dtype == a.dtype
        assert out.flags.c_contiguous
        numpy.testing.assert_allclose(out, a.astype(float).dot(b.astype(float)), atol=2e-4)


def test_matrices_that_do_not_chain_are_refused():
    x = numpy.ones((64, 784), "float32")
    with pytest.raises(ValueError, match=r"shapes|mismatch|reshape"):
        blas.product(x, numpy.ones((256, 700), "float32").T)


@pytest.mark.parametrize("few_threads", [1, 2], indirect=True)
@pytest.mark.parametrize("shape", [(32, 128, 512), (32, 512, 128), (3, 4, 5), (32, 99, 500)])
def test_a_multiplier_writes_products(few_threads, shape):
    m, k, n = shape
    generator = numpy.random.default_rng(0)
    b = generator.standard_normal((n, k)).astype("float32").T
    multiply = blas.multiplier(xp, b, m)
    out = numpy.empty((m, n), "float32")
    for _ in range(2):
        a = generator.standard_normal((m, k)).astype("float32")
        assert multiply(a, out) is out
        numpy.testing.assert_allclose(out, a.astype(float) @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_plus_scaled_rounds_once_or_gives_none(dtype):
    small = numpy.finfo(dtype).eps
    for shape in ((), (3,), (5, 67), (0, 2)):
        y = numpy.full(shape, 1 + small, dtype)
        x = numpy.full(shape, -(1 + 2 * small), dtype)
        out = blas.plus_scaled(x, y, 1 + small)
        assert out.shape == shape
        assert out.dtype == dtype
        assert (out == small * small).all()  # lost where the product is rounded
        assert (x == -(1 + 2 * small)).all()
    x = numpy.full((3, 3), -(1 + 2 * small), dtype)
    y = numpy.full((3, 3), 1 + small, dtype)
    for first, second in ((x, y.T), (x.T, y[:1]), (x[:1], y)):
        out = blas.plus_scaled(first, second, 1 + small)
        if dtype == "float64":
            assert out.flags.c_contiguous
            assert out.shape == (3, 3)
            assert (out == small * small).all()
        else:  # which is rounded once by way of double
            assert out is None
    assert blas.plus_scaled(x, x.astype("float16"), 2.0) is None
    assert blas.plus_scaled(x, numpy.full((2, 3), numpy.inf, dtype), 0.0) is None


def test_add_scaled_leaves_what_it_may_not_write():
    x, y = numpy.ones(4), numpy.ones(4)
    assert blas.add_scaled(x, y, 0.5)
    assert x.tolist() == [1.5] * 4
    x.flags.writeable = False
    assert not blas.add_scaled(x, y, 0.5)
    assert not blas.add_scaled(numpy.ones(8)[::2], y, 0.5)
    assert not blas.add_scaled(numpy.ones(4), y, 0.0)
