"""Examines one operator: runs its trials with both libraries and compares the outcomes."""

import importlib
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType

from conformance.cases.experiments import EVERY, PROPERTIES, Trial, perform
from conformance.differ.compare import PASSING, Difference, Grade, compare, worst
from conformance.oracle.record import Failure


@dataclass
class Options:
    """What to run: filled in from the command line."""

    impl: str = "minitorch"
    profile: str = "quick"
    seed: int = 0
    dtypes: tuple[str, ...] = ()
    properties: tuple[str, ...] = PROPERTIES
    limit: int | None = None
    keep: int = 3  # differences shown of a property
    seconds: int = 120  # an operator's time


@dataclass
class Found:
    """What one property of an operator came to."""

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
    """What an operator came to: by property, for those which apply to it."""

    key: str
    found: dict[str, Found] = field(default_factory=dict)
    seconds: float = 0.0
    trouble: str = ""  # a crash, or the time limit

    @property
    def passes(self) -> bool:
        """Whether everything passed."""
        return not self.trouble and all(found.passes for found in self.found.values())


def library(name: str) -> ModuleType:
    """Returns the implementation: a module by its name, or `module:attribute`."""
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def examine(key: str, options: Options, other: ModuleType | None = None) -> Verdict:
    """Returns the verdict on an operator; it never raises."""
    import torch

    from conformance.cases import opinfo

    start = time.perf_counter()
    verdict = Verdict(key)
    try:
        torch.set_num_threads(1)
        with _time_limit(options.seconds):
            other = other or library(options.impl)
            profile = opinfo.PROFILES[options.profile]
            dtypes = options.dtypes or opinfo.DTYPES
            for trial in opinfo.trials(key, profile, options.seed, dtypes, options.limit):
                if _wanted(trial, options.properties):
                    judge(verdict, trial, torch, other, options)
    except TimeLimit:
        verdict.trouble = f"stopped after {options.seconds} s"
    except Exception as error:
        verdict.trouble = f"the suite itself failed: {type(error).__name__}: {error}"
    verdict.seconds = time.perf_counter() - start
    return verdict


FROM_FORWARD = frozenset(PROPERTIES[: PROPERTIES.index("grad")]) | {"effects"}
BY_EXPERIMENT = {
    "forward": FROM_FORWARD,
    "gradient": {"grad"},
    "second gradient": {"gradgrad"},
    "in-place": {"in-place"},
    "out": {"out"},
    "variant": {"variants"},
    "error": {"error"},
}


def _wanted(trial: Trial, properties: tuple[str, ...]) -> bool:
    return not BY_EXPERIMENT[trial.experiment].isdisjoint(properties)


def judge(
    verdict: Verdict, trial: Trial, torch: ModuleType, other: ModuleType, options: Options
) -> None:
    """Runs one trial with both libraries and enters its differences into the verdict."""
    theirs, ours = perform(torch, trial), perform(other, trial)
    (own,) = names if len(names := BY_EXPERIMENT[trial.experiment]) == 1 else ("value",)
    if EVERY in theirs:  # torch refuses the whole: so must the implementation, in the same words
        theirs = {own: theirs[EVERY]}
    for name in options.properties:
        if name not in theirs:
            continue
        found = verdict.found.setdefault(name, Found())
        found.cases += 1
        given = ours.get(name, ours.get(EVERY, Failure("Missing", "not recorded")))
        differences = compare(theirs[name], given, verdict.key, trial.pattern)
        _enter(found, trial, differences, options.keep)


def _enter(found: Found, trial: Trial, differences: list[Difference], keep: int) -> None:
    grade = worst(differences)
    found.differing += grade > PASSING
    found.grade = max(found.grade, grade)
    if grade is Grade.SAME:
        return
    shown = max(differences, key=lambda difference: difference.grade)
    found.differences.append(
        {
            "trial": f"{trial.experiment}, {trial.label}",
            "expression": trial.expression,
            "path": shown.path,
            "grade": shown.grade.name,
            "torch": shown.torch,
            "other": shown.other,
            "case": trial,
        }
    )
    found.differences.sort(key=lambda entry: (-Grade[entry["grade"]], _size(entry["case"])))
    del found.differences[keep:]


def _size(trial: Trial) -> int:
    """Returns a trial's size for ordering: small inputs are the better examples, empty ones not."""
    empty = any(0 in spec.size for spec in trial.call.tensors)
    return sum(content.size for content in trial.call.storages.values()) + (1 << 40) * empty


class TimeLimit(BaseException):
    """An operator has used up its time; no handler inside a trial may catch it."""


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
