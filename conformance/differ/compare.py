"""Grades the differences between two outcomes."""

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy

from conformance.differ.texts import texts
from conformance.differ.tolerances import ULPS, spacing, tolerance
from conformance.oracle.record import Failure, Values


class Grade(IntEnum):
    """The grades of likeness of two things, best first."""

    SAME = 0  # the same bits (any NaN equals any NaN)
    ULPS = 1
    TOLERANCE = 2
    NOISE = 3  # beyond it, but as near to the numbers in double as torch's own (see noise.py)
    PATTERN = 4  # an error's text is another, but satisfies torch's own regular expression
    MISSING = 5  # the implementation does not have it yet
    WRONG = 6
    KIND = 7  # another type, structure, dtype or exception
    RAISES = 8  # an exception where torch has none


PASSING = Grade.NOISE
# A part of a property that an entry of gaps.toml may name:
IDLE = "idle stride"  # along a dimension of size 1, or of a tensor without elements
LACKING = ("NotImplementedError", "Missing")
ABSENT = ("has no attribute", "cannot import name", "No module named", "is not implemented")


class Question(NamedTuple):
    """Numbers or texts that differ beyond tolerance: torch's, the implementation's, and where."""

    theirs: Any
    ours: Any
    apart: numpy.ndarray | None = None


@dataclass
class Difference:
    """One place where two outcomes differ: torch's side, and the implementation's."""

    path: str
    grade: Grade
    theirs: Any
    ours: Any
    note: str = ""
    steps: tuple = ()  # the keys and indices that lead to it
    question: Question | None = None

    @property
    def texts(self) -> tuple[str, str]:
        """Both sides for people; made when asked for, since few differences are shown."""
        theirs, ours = texts(self.theirs, self.ours)
        return theirs + self.note, ours


def compare(
    theirs: Any, ours: Any, pattern: str = "", path: str = "", steps: tuple = ()
) -> list[Difference]:
    """Returns the differences between plain data of torch (`theirs`) and the implementation."""

    def differ(
        grade: Grade,
        left: Any = theirs,
        right: Any = ours,
        note: str = "",
        part: str = "",
        question: Question | None = None,
    ) -> list[Difference]:
        place = f"{path}.{part}" if part else path
        return [Difference(place, grade, left, right, note, steps, question)]

    if isinstance(ours, Failure):
        return _compare_failures(theirs, ours, pattern, differ)
    if isinstance(theirs, Values) and isinstance(ours, Values):
        return _compare_values(theirs, ours, differ)
    if type(theirs) is not type(ours):
        return differ(Grade.KIND)
    if isinstance(theirs, dict):
        if theirs.keys() != ours.keys():
            return differ(Grade.KIND, sorted(theirs, key=str), sorted(ours, key=str))
        names = dict.fromkeys(theirs) | ({"stride": IDLE} if _idle(theirs, ours) else {})
        pairs = [
            (f"{path}.{names[name] or name}", name, theirs[name], ours[name]) for name in theirs
        ]
    elif isinstance(theirs, (list, tuple)):
        if len(theirs) != len(ours):
            return differ(Grade.WRONG)
        if all(isinstance(item, (int, str)) for item in theirs):  # a shape, strides, names
            return [] if theirs == ours else differ(Grade.WRONG, question=Question(theirs, ours))
        both = enumerate(zip(theirs, ours, strict=True))
        pairs = [(f"{path}[{n}]", n, *items) for n, items in both]
    else:
        return [] if theirs == ours else differ(Grade.WRONG, question=Question(theirs, ours))
    return [
        difference
        for place, step, left, right in pairs
        for difference in compare(left, right, pattern, place, (*steps, step))
    ]


def _idle(theirs: dict, ours: dict) -> bool:
    """Returns whether the strides of a tensor differ, but only where no address depends on it."""
    shape, strides = theirs.get("shape"), [theirs.get("stride"), ours.get("stride")]
    if not isinstance(shape, tuple) or not all(isinstance(each, tuple) for each in strides):
        return False
    apart = [size for size, left, right in zip(shape, *strides, strict=False) if left != right]
    return bool(apart) and (0 in shape or set(apart) == {1})


def _compare_failures(theirs: Any, ours: Failure, pattern: str, differ) -> list[Difference]:
    same_kind = isinstance(theirs, Failure) and theirs.kind == ours.kind
    if same_kind and theirs.text == ours.text:
        return []
    if not isinstance(theirs, Failure):
        return differ(Grade.MISSING if lacks(ours) else Grade.RAISES)
    unknown = same_kind and "' has no attribute '" in theirs.text  # to torch as well
    if lacks(ours) and _is_absence(ours) and not unknown:
        return differ(Grade.MISSING)
    if same_kind and pattern and re.search(pattern, ours.text):
        return differ(Grade.PATTERN)
    return differ(Grade.WRONG if same_kind else Grade.KIND)


def _is_absence(failure: Failure) -> bool:
    """Returns whether a failure says it so plainly that it cannot be torch's own refusal."""
    return failure.kind in (*LACKING, "ImportError") or "is not implemented by" in failure.text


def _compare_values(theirs: Values, ours: Values, differ) -> list[Difference]:
    a, b = theirs.array, ours.array
    if theirs.dtype != ours.dtype or a.shape != b.shape:
        return differ(Grade.KIND)
    grade, apart = _grade(a, b, theirs.dtype)
    if grade is Grade.SAME:
        return []
    if theirs.has_to_be_same:
        grade = Grade.WRONG
    count = int(apart.sum())
    place = tuple(int(n) for n in numpy.unravel_index(int(apart.argmax()), a.shape))
    where = f" ({count} of {a.size} differ, first at {list(place)})" if a.ndim else ""
    both = (theirs, ours) if a.size <= 8 else (a[place], b[place])
    question = Question(theirs, ours, apart) if grade > Grade.TOLERANCE else None
    return differ(grade, *both, where, question=question)


def _grade(a: numpy.ndarray, b: numpy.ndarray, dtype: str) -> tuple[Grade, Any]:
    """Returns the grade, and where the numbers are not of this grade's better."""
    if a.dtype.kind not in "fc":
        apart = a != b
        return (Grade.WRONG if apart.any() else Grade.SAME), apart
    both = _as_reals(a), _as_reals(b)
    nan = numpy.isnan(both[0]) & numpy.isnan(both[1])
    bits = (both[0] == both[1]) & (numpy.signbit(both[0]) == numpy.signbit(both[1])) | nan
    if bits.all():
        return Grade.SAME, None
    if dtype in WIDE and _is_single(both[0]) and _is_single(both[1]):
        a, b = a.astype(WIDE[dtype]), b.astype(WIDE[dtype])
        return _grade(a, b, WIDE[dtype])
    with numpy.errstate(all="ignore"):
        gap = numpy.abs(both[0] - both[1])
        unit = spacing(numpy.maximum(numpy.abs(both[0]), numpy.abs(both[1])), dtype)
        near = bits | (both[0] == both[1]) | (gap <= ULPS * unit)
        if near.all():
            return Grade.ULPS, _whole(~bits, a)
        relative, absolute = tolerance(dtype)
        close = numpy.isclose(b, a, rtol=relative, atol=absolute, equal_nan=True)
    if a.dtype.kind == "c":  # NaN and infinity in either part
        with numpy.errstate(all="ignore"):
            parts = numpy.isclose(both[1], both[0], relative, absolute, equal_nan=True)
        close = close | parts.reshape(*a.shape, 2).all(-1)
    if numpy.all(close):
        return Grade.TOLERANCE, _whole(~near, a)
    return Grade.WRONG, ~numpy.asarray(close)


# Results of single precision that were cast into an out= of double are graded as single.
WIDE = {"float64": "float32", "complex128": "complex64"}


def _is_single(x: numpy.ndarray) -> bool:
    """Whether float32 holds all these numbers."""
    with numpy.errstate(all="ignore"):
        return bool(numpy.array_equal(x, x.astype(numpy.float32), equal_nan=True))


def _as_reals(x: numpy.ndarray) -> numpy.ndarray:
    if x.dtype.kind != "c":
        return x
    return numpy.stack([x.real, x.imag], -1)


def _whole(apart: numpy.ndarray, like: numpy.ndarray) -> numpy.ndarray:
    return apart.any(-1) if like.dtype.kind == "c" else apart


def lacks(failure: Failure) -> bool:
    """Returns whether a failure says that the implementation does not have something."""
    return failure.kind in LACKING or any(text in failure.text for text in ABSENT)


def lacking(outcome: Any) -> Failure | None:
    """Returns the first failure in plain data for want of something, if there is one."""
    if isinstance(outcome, Failure):
        return outcome if lacks(outcome) else None
    if isinstance(outcome, dict):
        outcome = outcome.values()
    elif not isinstance(outcome, (list, tuple)):
        return None
    return next((found for item in outcome if (found := lacking(item))), None)


def worst(differences: list[Difference]) -> Grade:
    """Returns the worst grade; SAME when there is no difference."""
    return max((difference.grade for difference in differences), default=Grade.SAME)
