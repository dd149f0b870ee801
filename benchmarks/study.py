"""What recordings of minitorch.study cost: while one is open, and after it."""

import statistics
from collections.abc import Iterator
from typing import Any

from minitorch.study import record

from . import training
from .measure import Sampler, Timing

STEPS = 50  # of a sample
WARM = 20


def _library_name(torch: Any) -> str:
    return "torch" if torch.__name__ == "torch" else "minitorch"


def _step(sampler: Sampler, samples: int) -> Timing:
    """The time of a step."""
    sampler(WARM)
    found = [sampler(STEPS) / STEPS for _ in range(samples)]
    return Timing(min(found), statistics.median(found))


def afterwards(torch: Any, samples: int) -> Timing:
    """How much longer a step takes once a recording was open: the ratio of the times."""
    sampler = training.tiny_mlp(torch, "SGD")
    before = _step(sampler, samples)
    with record(_library_name(torch)):
        sampler(3)
    after = _step(sampler, samples)
    return Timing(after.best / before.best, after.median / before.median)


def event(torch: Any, samples: int, values: str) -> Timing:
    """The time that a recording takes for an event of a training step."""
    sampler = training.tiny_mlp(torch, "SGD")
    plain = _step(sampler, samples)
    found = []
    for _ in range(max(samples // 8, 3)):
        with record(_library_name(torch), values=values) as tape:
            sampler(3)
            events, seconds = len(tape.events), sampler(STEPS)
        found.append((seconds - STEPS * plain.best) / (len(tape.events) - 1 - events))
    return Timing(min(found), statistics.median(found))


def rows(libraries: list[Any], samples: int) -> Iterator[tuple[str, list[Timing], str]]:
    """Yields the name, the timings of the libraries and the unit of each row."""
    off = [afterwards(each, samples) for each in libraries]
    yield "study: a step after a recording, against before", off, "x"
    for name, values in (("without values", "none"), ("with values", "all")):
        found = [event(each, samples, values) for each in libraries]
        yield f"study: an event, {name}", found, "s"
