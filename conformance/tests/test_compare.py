"""Grades of differences."""

import numpy
import pytest

from conformance.differ.compare import IDLE, Grade, compare, worst
from conformance.oracle.record import Failure, Values


def values(*numbers, dtype="float32"):
    stored = "float32" if dtype == "bfloat16" else dtype
    return Values(dtype, numpy.array(numbers, stored))


@pytest.mark.parametrize(
    ("theirs", "ours", "grade"),
    [
        (values(1.0, numpy.nan), values(1.0, numpy.nan), Grade.SAME),
        (values(0.0), values(-0.0), Grade.ULPS),
        (values(1.0), values(numpy.nextafter(numpy.float32(1), numpy.float32(2))), Grade.ULPS),
        (values(1.0), values(1.00001), Grade.TOLERANCE),
        (  # single precision, cast into an out= of double
            values(1.0, dtype="float64"),
            values(float(numpy.nextafter(numpy.float32(1), numpy.float32(2))), dtype="float64"),
            Grade.ULPS,
        ),
        (values(1.0, dtype="float64"), values(1.000001, dtype="float64"), Grade.WRONG),
        (values(1.0), values(1.001), Grade.WRONG),
        (values(1.0), values(numpy.nan), Grade.WRONG),
        (values(numpy.inf), values(-numpy.inf), Grade.WRONG),
        (values(1.0, dtype="float64"), values(1.0), Grade.KIND),
        (values(1.0), values(1.0, 2.0), Grade.KIND),
        (values(1, dtype="int64"), values(2, dtype="int64"), Grade.WRONG),
        (values(1.0, dtype="bfloat16"), values(1.0078125, dtype="bfloat16"), Grade.ULPS),
        (values(1 + 1j, dtype="complex128"), values(1 + 2j, dtype="complex128"), Grade.WRONG),
        ((2, 3), (3, 2), Grade.WRONG),
        ("AddBackward0", "AddBackward1", Grade.WRONG),
        (None, (1,), Grade.KIND),
        ({"a": 1}, {"b": 1}, Grade.KIND),
        ([1, [2, "x"]], [1, [2, "x"]], Grade.SAME),
        (True, 1, Grade.KIND),
        (Failure("RuntimeError", "a"), Failure("RuntimeError", "a", "elsewhere"), Grade.SAME),
        (Failure("RuntimeError", "a"), Failure("RuntimeError", "b"), Grade.WRONG),
        (Failure("RuntimeError", "a"), Failure("TypeError", "a"), Grade.KIND),
        (Failure("RuntimeError", "a"), values(1.0), Grade.KIND),
        (values(1.0), Failure("RuntimeError", "a"), Grade.RAISES),
        (values(1.0), Failure("NotImplementedError", "torch.mul"), Grade.MISSING),
        (
            Failure("AttributeError", "module 'torch' has no attribute 'x'"),
            Failure("AttributeError", "torch.x is not implemented by minitorch"),
            Grade.WRONG,
        ),
        (
            Failure("RuntimeError", "of no use"),
            Failure("AttributeError", "torch.x is not implemented by minitorch"),
            Grade.MISSING,
        ),
        (values(1.0), Failure("AttributeError", "no module has no attribute x"), Grade.MISSING),
    ],
)
def test_a_difference_has_its_grade(theirs, ours, grade):
    assert worst(compare(theirs, ours)) is grade


def test_an_error_text_may_satisfy_torchs_own_pattern():
    theirs, ours = Failure("ValueError", "bad size 3"), Failure("ValueError", "bad size: 3")
    assert worst(compare(theirs, ours, pattern=r"bad size.*\d")) is Grade.PATTERN
    assert worst(compare(theirs, ours, pattern="good")) is Grade.WRONG


def test_the_path_leads_to_the_difference():
    (found,) = compare({"a": [1, {"b": (1, 2)}]}, {"a": [1, {"b": (1, 3)}]})
    assert found.path == ".a[1].b"
    assert found.texts == ("(1, 2)", "(1, 3)")


def test_numbers_beyond_tolerance_are_counted_and_placed():
    (found,) = compare(values(*range(10)), values(*range(8), 9.0, 9.0))
    assert found.texts == (
        "np.float32(8.0) (1 of 10 differ, first at [8])",
        "np.float32(9.0)",
    )


@pytest.mark.parametrize(
    ("shape", "theirs", "ours", "part"),
    [
        ((2, 1), (1, 1), (1, 2), IDLE),
        ((0, 4), (4, 1), (1, 1), IDLE),
        ((2, 2), (2, 1), (1, 2), "stride"),
        ((2, 1), (1, 1), (2, 2), "stride"),
    ],
)
def test_strides_that_no_address_depends_on_are_told_apart(shape, theirs, ours, part):
    both = [{"shape": shape, "stride": strides} for strides in (theirs, ours)]
    assert [found.path for found in compare(*both)] == [f".{part}"]
