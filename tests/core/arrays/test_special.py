"""SciPy's functions as those of torch: results of their float32 loops, and where ours differ."""

import numpy
import pytest

from minitorch.core.arrays import elementary, on_numpy
from minitorch.core.arrays import special as ours

special = pytest.importorskip("scipy.special")


def test_digamma_rounds_as_the_one_of_doubles() -> None:
    random = numpy.random.default_rng(0)
    ends = [0.0, -0.0, -1.0, 1.0, 10.0, numpy.inf, -numpy.inf, numpy.nan]
    parts = [random.uniform(-50, 50, 20_000), 10.0 ** random.uniform(-20, 20, 20_000), ends]
    x = numpy.concatenate(parts).astype("float32")
    expected = special.digamma(x.astype("float64")).astype("float32")
    numpy.testing.assert_array_max_ulp(
        numpy.nan_to_num(ours.digamma(x)), numpy.nan_to_num(expected), 1
    )


@pytest.mark.parametrize(
    "name",
    "airy digamma entr erf erfc erfcx gammainc gammaincc gammaln i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e "
    "log_ndtr ndtri y0 y1 zeta".split(),
)
def test_loops_of_float32_round_what_those_of_doubles_give(name: str) -> None:
    random = numpy.random.default_rng(0)
    ends = [0.0, -0.0, -1.0, 1.0, 0.5, numpy.inf, -numpy.inf, numpy.nan]
    parts = [random.uniform(-20, 20, 2000), random.uniform(0, 1, 2000), ends]
    x = numpy.concatenate(parts).astype("float32")
    function = getattr(special, name)
    two = name in ("gammainc", "gammaincc", "zeta")
    arrays = (x, random.permutation(x)) if two else (x,)
    with numpy.errstate(all="ignore"):
        found = function(*arrays)
        wide = function(*[each.astype("float64") for each in arrays])
        if name == "airy":
            found, wide = found[0], wide[0]
        expected = wide.astype("float32")
    assert found.dtype == "float32"
    numpy.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1", "airy_ai"])
def test_bessel_and_airy_functions_of_float32_are_those_of_doubles_nearly(name: str) -> None:
    x = numpy.linspace(0.1, 90, 500, dtype="float32")
    function = getattr(elementary, name)
    assert function(x).dtype == "float32"
    numpy.testing.assert_allclose(function(x), function(x.astype("float64")), atol=3e-6)
    out = numpy.empty_like(x)
    function(x, out=out)
    assert (out == function(x)).all()


@pytest.mark.parametrize("name", ours.KERNELS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_polynomials_of_one_degree_are_those_of_degrees_in_an_array(name: str, dtype: str) -> None:
    x = numpy.linspace(-1.5, 1.5, 2001).astype(dtype)  # float32 by steps, and few of them by SciPy
    function = ours.KERNELS[name]
    for degree in (0, 1, 2, 5, 11):
        n = numpy.asarray(degree, dtype)
        steps = function(on_numpy, x, numpy.full(x.shape, n))
        for size in (2001, 21):
            found = function(on_numpy, x[:size], n)
            assert found.dtype == dtype
            numpy.testing.assert_allclose(found, steps[:size], rtol=2e-6, atol=1e-5)


@pytest.mark.parametrize("name", ours.KERNELS)
def test_polynomials_overflow_alike_for_few_elements_and_many(name: str) -> None:
    ends = [numpy.inf, -numpy.inf, numpy.nan, 1e30, -1e30, 1.0, -1.0, 0.0]
    few = numpy.array(ends, "float32")
    many = numpy.concatenate([few] * 200)
    for degree in (0, 1, 2, 3, 40):
        n = numpy.asarray(degree, "float32")
        found = ours.KERNELS[name](on_numpy, few, n)
        numpy.testing.assert_allclose(found, ours.KERNELS[name](on_numpy, many, n)[:8], rtol=1e-6)
