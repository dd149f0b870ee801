"""Judges numbers beyond tolerance by how far either library is from torch's computation in double.

Two libraries that add up in another order differ, and by how much depends on the processor that
they run on. So numbers that lie further apart than `tolerances` allow are held against a third
computation of the same case: torch's own in float64 (`oracle/double.py`). Where torch errs by E,
the library may err by MULTIPLE * E, and no more. E is the largest of torch's errors in the elements
in question, in the case itself and in its neighbours, whose inputs lie one unit in the last place
away: a single number may be right by luck. A number that is right to the last place is right.

Where torch itself draws other last bits (ATen without vector code), the library's case is a
neighbour of torch's: how far the doubles of neighbours lie from that of the case counts as well.
So it does for numbers in double precision, of which torch's double is no better computation.

Numbers in printed texts are judged alike, where everything else in the texts is the same.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy

from conformance.differ.tolerances import spacing
from conformance.oracle.record import Values

MULTIPLE = 8.0  # twice the worst that was met, 4.2: one number of LBFGS at its minimum
# An error that is so many times too large after so many of torch's computations will remain so.
CERTAIN, HOPELESS = 3, 30.0
PATIENT = 100  # where neighbours count: some move nothing in the elements in question

# Whole numbers are no measurements: they have to be the same.
NUMBER = re.compile(
    r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE][-+]?\d))(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf)\b"
)


class Witness(Protocol):
    """Torch's results for a case in double, and at its neighbours.

    draws_alike: whether torch draws the library's random numbers, to the last bit.
    """

    draws_alike: bool

    def exact(self) -> Any:
        """Returns the outcome in double."""

    def neighbours(self) -> Iterator[tuple[Any, Any]]:
        """Yields the outcomes at neighbours, each as torch computes it and in double."""


class Numbers(NamedTuple):
    """The numbers of one part of an outcome; those of the same form can be compared."""

    form: Any
    array: numpy.ndarray
    spacing: Any  # from each number to the next of its dtype; 0 in a text


class Judgement(NamedTuple):
    """Whether the library errs by no more than torch does, and by how much either does."""

    is_noise: bool
    error: float = 0.0
    torchs: float = 0.0

    def __str__(self) -> str:
        return f"errs by {self.error:.2g}, torch by {self.torchs:.2g}" if self.error else ""


def judge(
    theirs: Any, ours: Any, apart: numpy.ndarray | None, steps: tuple, witness: Witness
) -> Judgement:
    """Returns whether numbers that differ are noise.

    Args:
        theirs, ours: what either library came to: Values, or texts.
        apart: which elements are in question; None for all that differ.
        steps: the keys and indices that lead to them in an outcome.
        witness: torch's other computations of the case.
    """
    torchs, own = _numbers(theirs), _numbers(ours)
    if torchs is None or own is None or torchs.form != own.form:
        return Judgement(False)
    if not isinstance(theirs, Values) and not _differ_in_numbers(_text(theirs), _text(ours)):
        return Judgement(False)
    true = _numbers(_at(witness.exact(), steps))
    if true is None or true.form != own.form:
        return Judgement(False)
    question = torchs.array != own.array if apart is None else numpy.asarray(apart)
    error = _errors(own.array, true.array)
    question = question & ~(error <= true.spacing)
    error = error[question]
    computations = _computations((torchs, true), steps, witness, torchs.form)
    errors = (_errors(*both)[question] for both in computations)
    certain = PATIENT if _neighbours_count(witness, torchs.form) else CERTAIN
    return _compared(error, errors, certain)


def _compared(error: numpy.ndarray, torchs: Iterator[numpy.ndarray], certain: int) -> Judgement:
    """Returns whether errors are no larger than those of torch's computations allow.

    Where torch itself is infinitely far from its double, any number that is not finite will do.
    """
    if not error.size:
        return Judgement(True)
    finite = numpy.isfinite(error)
    largest = error[finite].max(initial=0)
    most = 0.0
    unsettled = numpy.zeros(error.shape, bool)
    for number, given in enumerate(torchs, 1):
        known = numpy.isfinite(given)
        unsettled |= ~known
        most = max(most, float(given[known].max(initial=0)))
        if largest <= MULTIPLE * most and (finite | unsettled).all():
            return Judgement(True, float(largest), most)
        if number >= certain and largest > HOPELESS * MULTIPLE * most:
            break
    return Judgement(False, float(error.max()), most)


def _computations(
    first: tuple[Numbers, Numbers], steps: tuple, witness: Witness, form: Any
) -> Iterator[tuple[numpy.ndarray, numpy.ndarray]]:
    """Yields torch's numbers and those in double, of the case and of its neighbours."""
    yield first[0].array, first[1].array
    for pair in witness.neighbours():
        single, double = (_numbers(_at(outcome, steps)) for outcome in pair)
        if single is not None and double is not None and single.form == double.form == form:
            yield single.array, double.array
            if _neighbours_count(witness, form):
                yield double.array, first[1].array


def _neighbours_count(witness: Witness, form: Any) -> bool:
    """Returns whether the doubles of neighbours say how far a result may lie from that of the case.

    They do where torch draws other last bits, and for results in double precision.
    """
    return not witness.draws_alike or form[0] in ("float64", "complex128")


def _differ_in_numbers(theirs: str, ours: str) -> bool:
    """Returns whether texts differ because numbers do, and not in how these are written."""
    both = NUMBER.findall(theirs), NUMBER.findall(ours)
    pairs = [(a, b) for a, b in zip(*both, strict=True) if a != b]
    if any(float(a) == float(b) != 0 for a, b in pairs):  # 1.5 and 1.50; zeros may have a sign
        return False
    if any(len(a) != len(b) for a, b in pairs):  # wider numbers move their neighbours
        return True
    return bool(pairs) and NUMBER.sub("#", theirs) == NUMBER.sub("#", ours)


def _text(value: Any) -> Any:
    """Returns a list of lines as one text, and everything else as it is."""
    is_lines = isinstance(value, list) and value and all(isinstance(each, str) for each in value)
    return "\n".join(value) if is_lines else value


def _at(outcome: Any, steps: tuple) -> Any:
    """Returns the part of an outcome that steps lead to; None where there is no such part."""
    for step in steps:
        try:
            outcome = outcome[step]
        except (KeyError, IndexError, TypeError):
            return None
    return outcome


def _numbers(value: Any) -> Numbers | None:
    """Returns the numbers of Values or of a text; None where they are no measurements."""
    if isinstance(value, Values):
        if value.has_to_be_same or value.array.dtype.kind not in "fc":
            return None
        wide = numpy.complex128 if value.array.dtype.kind == "c" else numpy.float64
        array = value.array.astype(wide)
        with numpy.errstate(all="ignore"):
            unit = spacing(numpy.abs(value.array), value.dtype).astype(float)
        return Numbers((value.dtype, array.shape), array, unit)
    value = _text(value)
    if not isinstance(value, str):
        return None
    found = [float(text) for text in NUMBER.findall(value)]
    words = NUMBER.sub("#", " ".join(value.split()))
    return Numbers(words, numpy.array(found), 0.0)


def _errors(given: numpy.ndarray, true: numpy.ndarray) -> numpy.ndarray:
    """Returns how far numbers are from the true ones; infinitely, where only one is finite."""
    with numpy.errstate(all="ignore"):
        alike = (given == true) | (numpy.isnan(given) & numpy.isnan(true))
        gap = numpy.where(alike, 0.0, numpy.abs(given - true))
    return numpy.where(numpy.isnan(gap), numpy.inf, gap)
