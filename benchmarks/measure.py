"""Timing in this process: samples of several contestants, taken in turn."""

import gc
import importlib
import statistics
import time
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_threads = 1


def use_threads(count: int) -> None:
    """Lets both libraries use so many threads in measurements from now on."""
    global _threads
    _threads = count


def clock() -> float:
    """CPU time of the whole process: with one thread it is the wall time of a quiet machine, and it
    stays so on a busy one. With more threads it would count them all, so then it is the wall time,
    which only a quiet machine gives well."""
    return time.process_time() if _threads == 1 else time.perf_counter()


Sampler = Callable[[int], float]
"""Seconds that so many repetitions took."""


@dataclass(frozen=True)
class Timing:
    best: float
    median: float


@dataclass(frozen=True)
class Case:
    """One thing to time: `build(torch)` gives its sampler for a library, `floor()` for NumPy."""

    name: str
    build: Callable[[Any], Sampler]
    per: int = 1  # operators or nodes in one repetition
    floor: Callable[[], Sampler] | None = None
    sample: float = 2e-4  # how many seconds a sample takes, about


@dataclass(frozen=True)
class Effort:
    """The end of a measurement: at `count` samples, or after `limit` seconds."""

    count: int = 400
    limit: float = 4.0


QUICK = Effort(count=40, limit=0.5)


def library(name: str) -> Any:
    """The library of that name, with the parts that the cases use, on as many threads as said."""
    module = importlib.import_module(name)
    for part in ("nn.functional", "optim"):
        importlib.import_module(f"{name}.{part}")
    if name == "torch" or _threads > 1:
        module.set_num_threads(_threads)
    return module


def statement(source: str, **names: Any) -> Sampler:
    """Times a statement in a bare loop, with the garbage collector at work as in real programs."""
    return timeit.Timer(source, "gc.enable()", timer=clock, globals={"gc": gc, **names}).timeit


def using(build: Callable[[], Any], use: Callable[[Any], Any]) -> Sampler:
    """Times `use(build())`, and dropping the built object, but not the building."""

    def sample(repetitions: int) -> float:
        items = [build() for _ in range(repetitions)]
        start = clock()
        while items:
            use(items.pop())
        return clock() - start

    return sample


def repetitions_for(sampler: Sampler, seconds: float) -> int:
    """The number of repetitions that make a sample of about that length."""
    sampler(1)
    repetitions = 1
    while (spent := sampler(repetitions)) < seconds:
        repetitions = max(2 * repetitions, int(repetitions * seconds / max(spent, 1e-6)))
    return repetitions


def race(samplers: Sequence[Sampler], sample: float, effort: Effort) -> list[Timing]:
    """Times each sampler per repetition, all of them in turn, each sample after a warm-up."""
    repetitions = [repetitions_for(sampler, sample) for sampler in samplers]
    times: list[list[float]] = [[] for _ in samplers]
    end = time.perf_counter() + effort.limit
    while len(times[0]) < effort.count and (time.perf_counter() < end or len(times[0]) < 5):
        for sampler, n, own in zip(samplers, repetitions, times):
            sampler(1)  # the others have just filled the caches with their own
            own.append(sampler(n) / n)
    return [Timing(min(own), statistics.median(own)) for own in times]
