"""Examines one unit: runs its cases with both libraries and compares the outcomes."""

import importlib
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType

from conformance.cases.case import EVERY, Case
from conformance.cases.sources import Unit, cases
from conformance.differ.compare import PASSING, Difference, Grade, compare, worst
from conformance.options import Options
from conformance.oracle.device import using
from conformance.oracle.record import Failure


@dataclass
class Found:
    """What one property of a unit came to."""

    cases: int = 0
    differing: int = 0
    grade: Grade = Grade.SAME
    differences: list[dict] = field(default_factory=list)

    @property
    def passes(self) -> bool:
        """Whether no difference is beyond tolerance."""
        return self.grade <= PASSING


@dataclass
class Verdict:
    """What a unit came to: by property, for those which apply to it."""

    unit: Unit
    found: dict[str, Found] = field(default_factory=dict)
    seconds: float = 0.0
    trouble: str = ""  # a crash, or the time limit

    @property
    def name(self) -> str:
        """The unit's name."""
        return self.unit.name

    @property
    def passes(self) -> bool:
        """Whether everything passed."""
        return not self.trouble and all(found.passes for found in self.found.values())


def library(name: str) -> ModuleType:
    """Returns the implementation: a module by its name, or `module:attribute`."""
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def examine(unit: Unit, options: Options, other: ModuleType | None = None) -> Verdict:
    """Returns the verdict on a unit; it never raises."""
    import torch

    start = time.perf_counter()
    verdict = Verdict(unit)
    try:
        torch.set_num_threads(1)
        with _time_limit(options.seconds), using(options.device):
            other = other or library(options.impl)
            for case in cases(unit, options):
                if not case.properties.isdisjoint(options.properties):
                    judge(verdict, case, torch, other, options)
            shrink(verdict, torch, other, options, until=start + options.seconds / 2)
    except TimeLimit:
        verdict.trouble = f"stopped after {options.seconds} s"
    except Exception as error:
        verdict.trouble = f"the suite itself failed: {type(error).__name__}: {error}"
    verdict.seconds = time.perf_counter() - start
    return verdict


def judge(
    verdict: Verdict, case: Case, torch: ModuleType, other: ModuleType, options: Options
) -> None:
    """Runs one case with both libraries and enters its differences into the verdict."""
    theirs, ours = case.perform(torch), case.perform(other)
    if EVERY in theirs:  # torch refuses the whole: so must the implementation, in the same words
        theirs = {case.main: theirs[EVERY]}
    for name in options.properties:
        if name not in theirs:
            continue
        found = verdict.found.setdefault(name, Found())
        found.cases += 1
        given = ours.get(name, ours.get(EVERY, Failure("Missing", "not recorded")))
        differences = compare(theirs[name], given, verdict.unit.key, case.pattern)
        _enter(found, case, differences, options.keep)


def shrink(
    verdict: Verdict, torch: ModuleType, other: ModuleType, options: Options, until: float
) -> None:
    """Replaces differing cases by smaller ones which differ in the same property."""
    shown: dict[int, list[dict]] = {}  # a case stands under every property in which it differs
    for name, found in verdict.found.items():
        for entry in found.differences:
            if Grade[entry["grade"]] > PASSING:
                shown.setdefault(id(entry["case"]), []).append(entry | {"property": name})
    for entries in shown.values():
        if time.perf_counter() > until:
            break
        case, first = entries[0]["case"], entries[0]

        def differs(smaller: Case, first: dict = first) -> bool:
            return first["property"] in _failing(smaller, verdict.unit, torch, other, options)

        smaller = case.shrunk(differs)
        if smaller is not case:
            failing = _failing(smaller, verdict.unit, torch, other, options)
            for name, found in verdict.found.items():
                found.differences = [e for e in found.differences if e["case"] is not case]
                if name in failing:
                    found.differences[:0] = failing[name].differences
                    del found.differences[options.keep :]


def _failing(
    case: Case, unit: Unit, torch: ModuleType, other: ModuleType, options: Options
) -> dict[str, Found]:
    """Returns the properties in which a case differs beyond tolerance."""
    trial = Verdict(unit)
    judge(trial, case, torch, other, options)
    return {name: found for name, found in trial.found.items() if not found.passes}


def _enter(found: Found, case: Case, differences: list[Difference], keep: int) -> None:
    grade = worst(differences)
    found.differing += grade > PASSING
    found.grade = max(found.grade, grade)
    if grade is Grade.SAME:
        return
    shown = max(differences, key=lambda difference: difference.grade)
    found.differences.append(
        {
            "trial": case.title,
            "path": shown.path,
            "grade": shown.grade.name,
            "torch": shown.torch,
            "other": shown.other,
            "case": case,
        }
    )
    found.differences.sort(key=lambda entry: (-Grade[entry["grade"]], entry["case"].size))
    del found.differences[keep:]


class TimeLimit(BaseException):
    """A unit has used up its time; no handler inside a case may catch it."""


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    def stop(*_):
        raise TimeLimit

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
