"""Two recordings side by side: their costs, and where their numbers part.

Checkpoint against none, autocast against none, one library against the other: operators are matched
by name, modules and shapes, in their order, so that lines may differ.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minitorch.study.reports.history import History
from minitorch.study.reports.memory_report import recorded_memory
from minitorch.study.reports.report_text import (
    Column,
    Report,
    Table,
    byte_text,
    count_text,
    number_text,
    shortened,
    time_text,
)
from minitorch.study.tape.recording import Recording

# Relative differences up to here are what the order of additions does to float32.
ROUNDING = 1e-5
_UNFILLED = ("empty", "new_empty")  # operators whose results are no numbers yet


@dataclass(slots=True)
class Measure:
    """Gives one figure of both recordings; `text` says how such a figure is written."""

    name: str
    first: float
    second: float
    text: Callable[[Any], str]


@dataclass(slots=True)
class ValueDifference:
    """Says where two values that belong together differ, and by how much.

    Attributes:
        name: the operator, or the leaf whose gradient it is.
        spots: where it happened in either recording.
        events: the events, in the first recording and in the second.
        relative: norm of the difference to the larger norm; that of the norms where only
            statistics were kept.
    """

    name: str
    spots: tuple[str, str]
    events: tuple[int, int]
    relative: float


@dataclass(slots=True, repr=False)
class Comparison(Report):
    """Says how two recordings differ; prints itself, in notebooks as tables.

    Attributes:
        titles: of the recordings.
        measures: events, nodes, bytes and times of both.
        dtypes: bytes of results by dtype, in either recording.
        compared, equal: how many values were compared, and how many are equal to the bit.
        first: the first values that differ at all, and `notable` the first beyond rounding.
        only: names of operators that only the first, or only the second recording has.
    """

    titles: tuple[str, str]
    measures: list[Measure]
    dtypes: tuple[dict[str, int], dict[str, int]]
    compared: int = 0
    equal: int = 0
    first: ValueDifference | None = None
    notable: ValueDifference | None = None
    only: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))

    def blocks(self) -> Iterable[str | Table]:
        """Returns the sentences and tables of the comparison."""
        columns = [
            Column(""),
            *[Column(title, True) for title in self.titles],
            Column("difference", True),
        ]
        rows = [
            (
                each.name,
                each.text(each.first),
                each.text(each.second),
                each.text(each.second - each.first) if each.second != each.first else "",
            )
            for each in self.measures
        ]
        yield Table(columns, rows)
        if set(self.dtypes[0]) != set(self.dtypes[1]):
            names = list(dict.fromkeys([*self.dtypes[0], *self.dtypes[1]]))
            yield Table(
                [Column("results of"), *columns[1:3]],
                [
                    (name, *[byte_text(dtypes.get(name, 0)) for dtypes in self.dtypes])
                    for name in names
                ],
            )
        yield self._values_text()
        for title, names in zip(self.titles, self.only):
            if names:
                yield f"Only in {title}: {shortened(names, 6)}."

    def _values_text(self) -> str:
        if not self.compared:
            return "No values could be compared."
        text = f"{self.equal:,} of {count_text(self.compared, 'value')} are equal to the bit."
        if self.first is None:
            return text
        text += f" The first that differs is {_difference_text(self.first)}."
        if self.notable is None:
            return f"{text} All are within rounding."
        if self.notable.events == self.first.events:
            return text
        return f"{text} The first beyond rounding is {_difference_text(self.notable)}."


def _difference_text(found: ValueDifference) -> str:
    first, second = found.spots
    spot = first if first == second else f"{first} and {second}"
    return f"{found.name}, {spot}, by {number_text(found.relative)} of its norm"


def compare(tape1: Recording, tape2: Recording) -> Comparison:
    """Returns how two recordings differ: events, nodes, bytes, times, and the first values.

    Args:
        tape1: the first recording.
        tape2: the second one; differences are second minus first.

    Raises:
        TypeError: for anything else.
    """
    for tape in (tape1, tape2):
        if not isinstance(tape, Recording):
            raise TypeError(f"compare takes two recordings, not {type(tape).__name__}")
    histories = History(tape1), History(tape2)
    operators = [_operators(history) for history in histories]
    found = Comparison(
        _titles(tape1, tape2),
        _measures(*histories),
        (_dtypes(histories[0]), _dtypes(histories[1])),
        only=(_missing(operators[0], operators[1]), _missing(operators[1], operators[0])),
    )
    pairs = [*_matched(*operators), *_matched(*[_gradients(history) for history in histories])]
    for first, second in pairs:
        relative = _relative_difference(histories, first, second)
        if relative is None:
            continue
        found.compared += 1
        if relative == 0:
            found.equal += 1
            continue
        difference = ValueDifference(
            first.name,
            (histories[0].spot(first.event), histories[1].spot(second.event)),
            (first.event, second.event),
            relative,
        )
        found.first = found.first or difference
        if found.notable is None and not relative <= ROUNDING:
            found.notable = difference
    return found


def _titles(tape1: Recording, tape2: Recording) -> tuple[str, str]:
    """Returns what tells two recordings apart: their titles, else their libraries, else numbers."""
    for first, second in ((tape1.title, tape2.title), (tape1.library, tape2.library)):
        if first != second:
            return first, second
    return "first", "second"


def _measures(first: History, second: History) -> list[Measure]:
    """Returns the figures of both recordings."""
    found = []
    for one, other in zip(_figures(first), _figures(second)):
        found.append(Measure(one.name, one.value, other.value, one.text))
    return found


class _Figure(NamedTuple):
    name: str
    value: float
    text: Callable[[Any], str]


def _figures(history: History) -> Iterator[_Figure]:
    memory = recorded_memory(history.recording)
    events = history.events
    operators = list(history.operators())
    inside = [event for number, event in operators if history.backward_of(number) is not None]
    yield _Figure("events", len(events), _whole)
    yield _Figure("operators", len(operators) - len(inside), _whole)
    yield _Figure("operators in backward", len(inside), _whole)
    yield _Figure("nodes", sum(node.leaf is None for node in history.nodes), _whole)
    yield _Figure("kept for backward", memory.kept, byte_text)
    yield _Figure("peak", 0 if memory.peak is None else memory.peak.bytes, byte_text)
    forward = sum(event.s for _, event in operators) - sum(event.s for event in inside)
    yield _Figure("time of operators", forward, time_text)
    walks = [walk for walk in history.backwards if history.backward_of(walk.begin) is None]
    spans = [events[min(walk.end, len(events) - 1)].t - events[walk.begin].t for walk in walks]
    yield _Figure("time of backward", sum(spans), time_text)


def _whole(count: float) -> str:
    return f"{int(count):,}"


def _dtypes(history: History) -> dict[str, int]:
    """Returns the bytes of results by dtype, those of floating point only."""
    found: Counter[str] = Counter()
    for _, event in history.operators():
        for out in event.outs:
            about = history.tensors[out.tensor]
            if "float" in about.dtype or "complex" in about.dtype:
                found[about.dtype] += about.bytes
    return dict(found)


class _Known(NamedTuple):
    """A value that may have a counterpart: its tensor, the time, and its number."""

    name: str
    event: int
    value: int | None


def _operators(history: History) -> dict[Hashable, list[_Known]]:
    """Returns the first results of operators outside of backwards, by name, modules and shape."""
    found: dict[Hashable, list[_Known]] = defaultdict(list)
    for number, event in history.operators():
        if history.backward_of(number) is not None or not event.outs:
            continue
        out = event.outs[0]
        shape = tuple(history.tensors[out.tensor].shape)
        value = None if event.name.startswith(_UNFILLED) else out.value
        key = event.name, tuple(event.module or ()), shape
        found[key].append(_Known(history.expression(number), number, value))
    return found


def _gradients(history: History) -> dict[Hashable, list[_Known]]:
    """Returns the totals of .grad after each backward, by leaf."""
    found: dict[Hashable, list[_Known]] = defaultdict(list)
    for number, event in enumerate(history.events):
        if event.kind == "accumulate":
            name = history.name(event.leaf)
            found[name].append(_Known(f"{name}.grad", number, event.total))
    return found


def _matched(
    first: dict[Hashable, list[_Known]], second: dict[Hashable, list[_Known]]
) -> list[tuple[_Known, _Known]]:
    """Returns the values that belong together, in the order of the first recording."""
    pairs = [pair for key, known in first.items() for pair in zip(known, second.get(key, ()))]
    return sorted(pairs, key=lambda pair: pair[0].event)


def _missing(
    first: dict[Hashable, list[_Known]], second: dict[Hashable, list[_Known]]
) -> list[str]:
    """Returns the expressions of the first recording that have no counterpart in the second."""
    alone = [known for key, values in first.items() for known in values[len(second.get(key, ())) :]]
    alone.sort(key=lambda known: known.event)
    return list(dict.fromkeys(known.name for known in alone))


def _relative_difference(
    histories: tuple[History, History], first: _Known, second: _Known
) -> float | None:
    """Returns how far two values differ, 0 if to no bit, None if that is not known."""
    if first.value is None or second.value is None:
        return None
    one, other = histories[0].numbers(first.value), histories[1].numbers(second.value)
    if one is None or other is None or one.shape != other.shape:
        norms = histories[0].norm(first.value), histories[1].norm(second.value)
        if norms[0] is None or norms[1] is None:
            return None
        return abs(norms[0] - norms[1]) / (max(norms[0], norms[1]) or 1.0)
    if np.array_equal(one, other, equal_nan=True):
        return 0.0
    with np.errstate(invalid="ignore"):
        apart = np.linalg.norm((one.astype(np.float64) - other).ravel())
    largest = max(float(np.linalg.norm(each.ravel())) for each in (one, other))
    return float(apart) / (largest or 1.0)
