"""Examines one unit: runs its cases with both libraries and compares the outcomes."""

import importlib
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import ModuleType
from typing import Any, NamedTuple

from conformance.cases.case import EVERY, Case, Outcome
from conformance.cases.sources import Unit, cases
from conformance.differ import noise
from conformance.differ.compare import PASSING, Difference, Grade, compare, lacking, worst
from conformance.differ.texts import texts
from conformance.limits import TimeLimit, processor_time, time_limit
from conformance.options import Options
from conformance.oracle.choices import DRAWS_OTHERWISE, holds
from conformance.oracle.device import using
from conformance.oracle.record import Failure
from conformance.surroundings import surrounded

BRIEF = 300  # characters of an example

# Where this process is: the number of the case, and whether torch has done its part. The pool
# gives memory that it can read when the process has died.
PLACE: list[int] = [0, 0]


class Shown(NamedTuple):
    """A difference that is shown: the worst of one case."""

    case: Case
    path: str
    grade: Grade
    torch: str
    other: str


class Example(NamedTuple):
    """The outcome of a property in one case, for people who want to see it."""

    case: Case
    theirs: Any
    ours: Any


@dataclass
class Found:
    """The results of one property of a unit."""

    cases: int = 0
    differing: int = 0
    # those that its cases came to, with the part that did: "stride", "values" of gradients
    grades: set[tuple[Grade, str]] = field(default_factory=set)
    differences: list[Shown] = field(default_factory=list)
    example: Example | None = None

    @property
    def grade(self) -> Grade:
        """The worst of its grades."""
        return max((grade for grade, _ in self.grades), default=Grade.SAME)

    @property
    def passes(self) -> bool:
        """Whether no difference is beyond tolerance."""
        return self.grade <= PASSING


@dataclass
class Verdict:
    """The results of a unit, for each property that applies to it."""

    unit: Unit
    found: dict[str, Found] = field(default_factory=dict)
    seconds: float = 0.0  # of processor time, the scripts' that it ran included
    trouble: str = ""  # a crash, or the time limit
    deadly: tuple[int, ...] = ()  # the cases that torch itself did not survive

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


@cache
def prepare(torch: ModuleType) -> None:
    """Gives real torch its threads, and takes from it what doubles the time of a run.

    For an accelerator which has not been started, each seeding is noted down together with the
    stack of the call; where there is no such device, nothing will read the notes. On a GPU torch
    convolves with 10 bits of each number unless it is told not to, which is an error of 1e-3.
    """
    torch._C._set_cudnn_allow_tf32(False)  # its own tests have frozen torch.backends.cudnn
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))  # by itself it asks for the cores
    for device, module in (
        (torch.cuda, torch.cuda.random),
        (torch.xpu, torch.xpu.random),
        (torch.mtia, torch.mtia),
    ):
        if not device.is_available():
            module._lazy_call = lambda call, **_: None


@contextmanager
def warned_always(torch: ModuleType) -> Iterator[None]:
    """While it lasts, all warnings are given: those given once would depend on the order."""
    ask = getattr(torch, "set_warn_always", lambda always: None)
    before = getattr(torch, "is_warn_always_enabled", lambda: False)()
    ask(True)
    try:
        yield
    finally:
        ask(before)


def examine(unit: Unit, options: Options, other: ModuleType | None = None) -> Verdict:
    """Returns the verdict on a unit; it never raises."""
    import torch

    start = processor_time()
    verdict = Verdict(unit, deadly=options.deadly)
    try:
        prepare(torch)
        other = other or library(options.impl)  # first, for it may set filters of its own
        quiet = warnings.catch_warnings(action="ignore")  # no case's: of inputs, programs
        both = warned_always(torch), warned_always(other)
        around = surrounded(options.within, torch, other)
        with time_limit(options.seconds), using(options.device), quiet, both[0], both[1], around:
            PLACE[:] = 0, 0
            for case in cases(unit, options):
                if not case.properties.isdisjoint(options.properties):
                    judge(verdict, case, torch, other, options)
                PLACE[0] += 1
            if PLACE[0] not in options.deadly:
                shrink(verdict, torch, other, options, until=start + options.seconds / 2)
    except TimeLimit as limit:
        verdict.trouble = str(limit)
    except Exception as error:
        verdict.trouble = f"the suite itself failed: {type(error).__name__}: {error}"
    for found in verdict.found.values():
        if found.example is not None:
            case, *both = found.example
            found.example = Example(case, *texts(*both, BRIEF))
    verdict.seconds = processor_time() - start
    return verdict


def judge(
    verdict: Verdict, case: Case, torch: ModuleType, other: ModuleType, options: Options
) -> None:
    """Runs one case with both libraries and enters its differences into the verdict."""
    outcomes = []
    for PLACE[1], module in enumerate((torch, other)):
        outcomes.append(case.perform(module))  # on one line, which stands in tracebacks
    PLACE[1] = 0
    theirs, ours = outcomes
    for each in theirs.values():
        if isinstance(each, Failure) and each.kind == "Missing":  # nothing would be compared
            raise LookupError(f"torch cannot be asked for {case.title}: {each.text}")
    if EVERY in theirs:  # torch refuses the whole: so must the implementation, in the same words
        theirs = {case.main: theirs[EVERY]}
    if _lacks(case, theirs, ours):  # and what else came out says nothing
        ours = {EVERY: ours[case.main]}
    witness = Witness(case, torch)
    for name in options.properties:
        if name not in theirs:
            continue
        found = verdict.found.setdefault(name, Found())
        found.cases += 1
        given = ours.get(name, ours.get(EVERY, Failure("Missing", "not recorded")))
        differences = differences_of(name, theirs, given, witness)
        if name == "warnings" and differences and (failure := lacking(ours)):
            differences = [Difference("", Grade.MISSING, theirs[name], failure)]
        if options.brief and found.example is None:
            found.example = Example(case, theirs[name], given)
        _enter(found, case, differences, options.keep)


class Witness:
    """Torch's results for a case in double, and at its neighbours, each computed on demand."""

    def __init__(self, case: Case, torch: ModuleType) -> None:
        self.case, self.torch = case, torch
        self.draws_alike = not holds(DRAWS_OTHERWISE)
        self._pairs: list[tuple[Outcome, Outcome]] = []

    @cached_property
    def _exact(self) -> Outcome:
        return self.case.computed(self.torch, double=True)

    def exact(self) -> Outcome:
        """Returns the outcome in double."""
        return self._exact

    def neighbours(self) -> Iterator[tuple[Outcome, Outcome]]:
        """Yields the outcomes at neighbours, each as torch computes it and in double."""
        for seed in range(self.case.neighbours):
            if seed == len(self._pairs):
                ways = (False, True)
                self._pairs.append(
                    tuple(self.case.computed(self.torch, double, seed) for double in ways)
                )
            yield self._pairs[seed]


def differences_of(name: str, theirs: Outcome, given: Any, witness: Witness) -> list[Difference]:
    """Returns the differences of one property, each with its grade: noise is known as such."""
    case = witness.case
    found = compare(theirs[name], given, case.pattern, steps=(name,))
    for each in found:
        if each.grade is Grade.WRONG and each.question is not None:
            judgement = noise.judge(*each.question, each.steps, witness)
            each.note += f" ({judgement})" if judgement.error else ""
            if judgement.is_noise:
                each.grade = Grade.NOISE
    return found


def shrink(
    verdict: Verdict, torch: ModuleType, other: ModuleType, options: Options, until: float
) -> None:
    """Replaces differing cases by smaller ones which differ in the same property."""
    shown: dict[int, tuple[str, Case]] = {}  # a case stands under every property where it differs
    for name, found in verdict.found.items():
        for entry in found.differences:
            if entry.grade > PASSING:
                shown.setdefault(id(entry.case), (name, entry.case))
    for first, case in shown.values():
        if processor_time() > until:
            break

        def differs(smaller: Case, name: str = first) -> bool:
            return name in _failing(smaller, verdict.unit, torch, other, options)

        smaller = case.shrunk(differs)
        if smaller is not case:
            failing = _failing(smaller, verdict.unit, torch, other, options)
            for name, found in verdict.found.items():
                found.differences = [e for e in found.differences if e.case is not case]
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


def _lacks(case: Case, theirs: Outcome, ours: Outcome) -> bool:
    """Returns whether the implementation lacks what the case is about."""
    if case.main not in theirs or not isinstance(ours.get(case.main), Failure):
        return False
    return worst(compare(theirs[case.main], ours[case.main])) is Grade.MISSING


def _enter(found: Found, case: Case, differences: list[Difference], keep: int) -> None:
    grade = worst(differences)
    found.differing += grade > PASSING
    for each in differences:
        found.grades.add((each.grade, each.path.rpartition(".")[2]))
    if grade is Grade.SAME:
        return
    last = found.differences[-1] if len(found.differences) == keep else None
    if last is not None and (-last.grade, last.case.size) <= (-grade, case.size):
        return
    shown = max(differences, key=lambda difference: difference.grade)
    found.differences.append(Shown(case, shown.path, grade, *shown.texts))
    found.differences.sort(key=lambda entry: (-entry.grade, entry.case.size))
    del found.differences[keep:]
