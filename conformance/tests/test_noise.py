"""Noise is told from faults by how far either library is from torch in double."""

import numpy
import pytest

from conformance.differ.noise import MULTIPLE, judge
from conformance.oracle.record import Values


class Witness:
    """Outcomes that are known."""

    draws_alike = True

    def __init__(self, exact, *neighbours):
        self._exact, self._neighbours, self.asked = exact, neighbours, 0

    def exact(self):
        return {"value": self._exact}

    def neighbours(self):
        for pair in self._neighbours:
            self.asked += 1
            yield tuple({"value": each} for each in pair)


def single(*numbers, dtype="float32"):
    return Values(dtype, numpy.array(numpy.float32(numbers)))


def judged(theirs, ours, witness):
    apart = None
    if isinstance(theirs, Values):
        apart = numpy.asarray(theirs.array != ours.array)
    return judge(theirs, ours, apart, ("value",), witness).is_noise


def test_as_large_an_error_as_torchs_own_is_noise():
    exact, theirs = single(1.0, 5.0), single(1.001, 5.0)
    for part, noise in ((0.9, True), (1.1, False)):
        ours = single(1.0 - part * 0.001 * MULTIPLE, 5.0)
        assert judged(theirs, ours, Witness(exact)) is noise


def test_errors_elsewhere_excuse_nothing():
    exact, theirs = single(1.0, 5.0), single(1.001, 5.0)
    assert not judged(theirs, single(1.001, 5.001), Witness(exact))


def test_a_lucky_number_is_looked_at_in_its_neighbours():
    exact = theirs = single(1.0)
    ours = single(1.001)
    assert not judged(theirs, ours, Witness(exact))
    neighbour = single(1.0011), single(1.0001)
    assert judged(theirs, ours, Witness(exact, neighbour))
    assert not judged(theirs, ours, Witness(exact, (single(1.0011), single(1.0011))))


def test_doubles_may_be_as_far_apart_as_those_of_neighbours():
    exact, ours = (
        Values("float64", numpy.array([1.0])),
        Values("float64", numpy.array([1.0 + 1e-8])),
    )
    moved = Values("float64", numpy.array([1.0 + 1e-8]))
    assert judged(exact, ours, Witness(exact, (moved, moved)))
    assert not judged(exact, ours, Witness(exact, (exact, exact)))


def test_neighbours_lie_apart_where_torch_draws_other_numbers():
    exact, neighbour = single(1.0), single(1.0003)
    witness = Witness(exact, (neighbour, neighbour))
    assert not judged(exact, single(1.001), witness)
    witness.draws_alike = False
    assert judged(exact, single(1.001), witness)


def test_errors_without_hope_are_soon_given_up():
    exact, theirs = single(1.0), single(1.00001)
    witness = Witness(exact, *[(theirs, exact)] * 8)
    assert not judged(theirs, single(2.0), witness)
    assert witness.asked == 2


def test_numbers_right_to_the_last_place_need_no_excuse():
    exact = single(3.0)
    right = numpy.nextafter(numpy.float32(3), numpy.float32(4))
    assert judged(single(3.001), single(right), Witness(exact))
    assert not judged(exact, single(3.00001), Witness(exact))


def test_half_types_have_a_last_place_of_their_own():
    exact = single(1.0, dtype="bfloat16")
    assert judged(
        single(1.03, dtype="bfloat16"), single(1.0078125, dtype="bfloat16"), Witness(exact)
    )


def test_numbers_that_are_not_finite_are_excused_only_where_torchs_are_in_doubt():
    inf, nan = single(numpy.inf), single(numpy.nan)
    assert judged(inf, single(-numpy.inf), Witness(nan))
    assert not judged(inf, nan, Witness(inf, (inf, inf)))
    assert not judged(single(1.0), inf, Witness(single(1.0)))
    assert judged(inf, single(1e30), Witness(single(1e30)))


@pytest.mark.parametrize(
    ("theirs", "ours", "exact"),
    [
        (Values("float32", numpy.float32(1), exact=True), single(1.1), single(1.1)),
        (Values("int64", numpy.array(1)), Values("int64", numpy.array(2)), None),
        (single(1.0), single(1.1), Values("float64", numpy.array(1.1))),
        (single(1.0), single(1.1), "another thing"),
        ("1 apple", "2 apples", "2 apples"),
        ("AddBackward0", "AddBackward1", "AddBackward1"),
        ("loss 1.5", "cost 1.5", "cost 1.5"),
        ("1 of 2", "2 of 2", "2 of 2"),
    ],
)
def test_what_is_no_measurement_is_no_noise(theirs, ours, exact):
    assert not judge(theirs, ours, None, ("value",), Witness(exact)).is_noise


def test_a_judgement_says_how_far_either_side_is_from_double():
    made = judge(single(1.5), single(2.25), numpy.array(True), ("value",), Witness(single(1.25)))
    assert str(made) == "errs by 1, torch by 0.25"
    assert made.is_noise


def test_numbers_in_texts_are_judged_where_the_words_are_the_same():
    theirs, ours, exact = "loss 1.2346 in 3", "loss 1.2345 in 3", "loss 1.2345 in 3"
    assert judged(theirs, ours, Witness(exact))
    assert not judged(ours, theirs, Witness(exact))
    assert not judged(theirs, ours + "0 steps", Witness(exact))
    assert judged([theirs], [ours], Witness([exact]))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("loss 1.5", "loss 1.50"),
        ("loss 1.5", "loss  1.5"),
        ("loss 1.5 of 2.25", "loss  1.5 of 2.26"),
        ("[1., 2.25]", "[1.0, 2.26]"),
    ],
)
def test_numbers_that_are_written_otherwise_are_no_noise(theirs, ours):
    assert not judged(theirs, ours, Witness(ours, (theirs, ours)))


def test_a_zero_may_have_either_sign_in_a_text():
    assert judged("at -0.000 1.0", "at 0.000 1.0", Witness("at 0.000 1.0"))


def test_numbers_in_texts_have_neighbours_too():
    neighbour = "loss 1.2347", "loss 1.2346"
    assert judged("loss 1.2345", "loss 1.2346", Witness("loss 1.2345", neighbour))
    assert not judged("loss 1.2345", "loss 1.2346", Witness("loss 1.2345", neighbour[:1] * 2))
