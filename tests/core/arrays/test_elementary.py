"""Elementary functions of many float32: the bits of those in double, rounded once."""

import numpy
import pytest

from minitorch.core.arrays import elementary


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("fast", [False, True])
def test_sines_and_cosines_of_many_have_the_bits_of_those_in_double(
    name: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elementary, "_HAS_FAST_TANGENT", fast)
    function = getattr(numpy, name)
    evaluated = elementary.in_double(function)
    random = numpy.random.default_rng(0)
    turns = numpy.arange(20_000) * (numpy.pi / 2)  # where one of the two is 0
    ends = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e-45, 3e38]
    x = numpy.concatenate(
        [random.uniform(-50, 50, 90_000), 10.0 ** random.uniform(-40, 38, 90_000), turns, ends]
    ).astype("float32")
    with numpy.errstate(all="ignore"):
        expected = function(x.astype("float64")).astype("float32")
        found = evaluated(x)
        itself = x.copy()
        evaluated(itself, out=itself)
        columns = evaluated(x[:120_000].reshape(300, 400).T)
    numpy.testing.assert_array_equal(found.view("int32"), expected.view("int32"))
    numpy.testing.assert_array_equal(itself.view("int32"), expected.view("int32"))
    assert columns.tobytes() == expected[:120_000].reshape(300, 400).T.tobytes()
