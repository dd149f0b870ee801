"""Plants one fault at a time and runs the cases that could notice it."""

import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy

from conformance.mutants import in_rows, in_source, known
from conformance.mutants.fault import Fault
from conformance.mutants.processes import Lost, each_in_a_process
from conformance.mutants.watch import Watched, mark

SECONDS = 30.0  # of processor time, for one fault
LONGEST = 64.0  # after which its process is ended: the fault made an endless loop
SIDES = ("left", "right")
NOT_PLANTED = "not planted"


def _late(source: str) -> int:
    """Returns how late the cases of a source come: behaviour before declarations."""
    return ("opinfo", "rows").index(source) + 1 if source in ("opinfo", "rows") else 0


@dataclass
class Fate:
    """The fate of a fault: which case noticed it, if any."""

    fault: Fault
    killer: str = ""  # the case and property, or how the process ended
    cases: int = 0  # that could notice it
    run: int = 0  # of these, until one noticed it
    seconds: float = 0.0

    @property
    def killed(self) -> bool:
        """Whether a case noticed it."""
        return bool(self.killer)


def all_faults() -> dict[str, list[Fault]]:
    """Returns every fault that can be made, by kind."""
    found: dict[str, list[Fault]] = defaultdict(list)
    for module in (known, in_rows, in_source):
        for fault in module.faults():
            found[fault.kind].append(fault)
    return dict(found)


class Sample:
    """Faults in random order: as many of each kind, as far as there are so many, `count` in all."""

    def __init__(self, found: dict[str, list[Fault]], count: int, seed: int) -> None:
        self.missing: Counter[str] = Counter()  # by kind, so many are still to be planted
        self._order: dict[str, Iterator[Fault]] = {}
        for number, kind in enumerate(sorted(found, key=lambda kind: len(found[kind]))):
            share = (count - self.missing.total()) // (len(found) - number)
            self.missing[kind] = min(share, len(found[kind]))
            shuffled = random.Random(f"{seed} {kind}").sample(found[kind], len(found[kind]))
            self._order[kind] = iter(shuffled)

    def draw(self) -> list[Fault]:
        """Returns as many more faults as are missing."""
        return [each for kind, n in self.missing.items() for each in islice(self._order[kind], n)]


class Hunt:
    """All cases, and which of them run what."""

    def __init__(self, watched: list[Watched]) -> None:
        self.watched = watched
        marks = numpy.concatenate([case.runs for case in watched])
        numbers = numpy.repeat(numpy.arange(len(watched)), [len(case.runs) for case in watched])
        order = numpy.argsort(marks, kind="stable")
        self.marks, self.numbers = marks[order], numbers[order]  # who runs what
        self.unsteady: list[str] = []  # what differed with no fault planted

    def running(self, what: Any) -> list[int]:
        """Returns the numbers of the cases that run a line, or a row's code."""
        first, last = (numpy.searchsorted(self.marks, mark(what), side) for side in SIDES)
        return self.numbers[first:last].tolist()

    def able(self, fault: Fault) -> list[Watched]:
        """Returns the cases that could notice a fault: units in turn, quick ones first."""
        numbers = {number for what in fault.covers for number in self.running(what)}
        by_unit: dict[Any, list[Watched]] = defaultdict(list)
        for number in sorted(numbers, key=lambda number: self.watched[number].seconds):
            case = self.watched[number]
            by_unit[case.unit].append(case)
        pools = sorted(by_unit.values(), key=lambda pool: _late(pool[0].unit.source))
        ordered = []
        while pools:
            ordered += [pool.pop(0) for pool in pools]
            pools = [pool for pool in pools if pool]
        return ordered

    def fate(self, fault: Fault) -> Fate:
        """Plants a fault in this process, for good, and returns what becomes of it."""
        start = time.process_time()  # of this process: whatever else the machine is busy with
        able = self.able(fault)
        fate = Fate(fault, cases=len(able))
        if not fault.plant():
            fate.killer = NOT_PLANTED
            return fate
        for case in able:
            fate.run += 1
            if name := case.differs():
                fate.killer = f"{case.unit.name}, {case.title}: {name}"
                break
            if time.process_time() - start > SECONDS:
                break
        if not fate.killed and fault.idle():
            fate.killer = NOT_PLANTED
        fate.seconds = time.process_time() - start
        return fate

    def sampled(self, sample: Sample, jobs: int) -> Iterator[Fate]:
        """Yields the fates of a sample; a fault that cannot be planted is replaced by another."""
        while faults := sample.draw():
            for fate in self.fates(faults, jobs):
                sample.missing[fate.fault.kind] -= 1
                yield fate

    def fates(self, faults: list[Fault], jobs: int) -> Iterator[Fate]:
        """Yields what becomes of each fault, each in a process of its own.

        What differs in the same way where nothing is planted has noticed nothing: the property is
        taken out of the case, and the fault is planted again. Nor has a process that is lost where
        nothing is planted as well.
        """
        while faults:
            noticed = []
            for fate in self._planted(faults, jobs):
                if fate.killed:
                    noticed.append(fate)
                else:
                    yield fate
            faults = []
            for fate, name in each_in_a_process(self.control, noticed, jobs, seconds=LONGEST):
                if isinstance(name, Lost):
                    self.unsteady.append(f"{fate.fault.name}: {name}")
                    fate.killer = ""
                if not name or isinstance(name, Lost):
                    yield fate
                    continue
                case = self.able(fate.fault)[fate.run - 1]
                case.clean = tuple(each for each in case.clean if each != name)
                self.unsteady.append(f"{case.unit.name}, {case.title}: {name}")
                faults.append(fate.fault)

    def control(self, fate: Fate) -> str:
        """Returns in what the last of the cases that a fault was shown differs without it.

        Nothing where the process was lost: that it is not lost now is all there is to see.
        """
        start = time.process_time()
        name = ""
        for case in self.able(fate.fault)[: fate.run or None]:
            name = case.differs()
            if not fate.run and time.process_time() - start > SECONDS:
                break
        return name if fate.run else ""

    def _planted(self, faults: list[Fault], jobs: int) -> Iterator[Fate]:
        def hunted(number: int) -> tuple[str, int, int, float]:
            fate = self.fate(faults[number])
            return fate.killer, fate.cases, fate.run, fate.seconds

        made = each_in_a_process(hunted, range(len(faults)), jobs, seconds=LONGEST)
        for number, result in made:
            if isinstance(result, Lost):
                yield Fate(faults[number], killer=str(result), seconds=LONGEST)
            elif result[0] != NOT_PLANTED:
                yield Fate(faults[number], *result)
