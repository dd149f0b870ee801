"""digamma against SciPy's, which looks for each root."""

import numpy
import pytest

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
