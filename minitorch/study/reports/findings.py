"""Findings: what in a recording deserves a look, from numbers that are not finite to dead units."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from minitorch.study.reports.case_table import (
    CONFLICT,
    CONFLICT_UPDATE,
    CONFLICT_VIEW,
    conflict_words,
    is_through_view,
    is_update,
)
from minitorch.study.reports.gradient_report import (
    dead_units,
    reasons_for_none,
    recorded_gradients,
)
from minitorch.study.reports.history import OTHER, Backward, History
from minitorch.study.reports.reasons import recorded_error_reason
from minitorch.study.reports.report_text import byte_text, count_text, number_text, shortened
from minitorch.study.reports.subjects import (
    At,
    Conflict,
    conflicts_of,
    is_seen_by_autograd,
    is_zero,
)
from minitorch.study.tape.recording import Operator, Place, Recording, Update, Value

# The kinds of findings, in the order in which they are shown.
ERROR, NOT_FINITE, WRITTEN, ADDED_UP = "error", "not finite", "written after saving", "added up"
NO_GRADIENT, DEAD, TREND = "no gradient", "dead units", "trend"
NO_BACKWARD, NO_EFFECT, STOPPED = "no backward", "no effect", "recording stopped"

NUMBER = 8  # bytes of a single number at most, but for complex128


@dataclass(slots=True)
class Finding:
    """A problem in a recording, and where to look.

    Attributes:
        kind: one of the names above, as "not finite".
        event: the event to look at.
        text: one or two sentences.
        places: the places in the reader's code that the text names.
    """

    kind: str
    event: int
    text: str
    places: list[Place] = field(default_factory=list)


def findings(recording: Recording) -> list[Finding]:
    """Returns what in a recording deserves a look, the gravest first.

    Args:
        recording: of a program.
    """
    history = History(recording)
    failed = list(_failures(history))
    told = {each.text for each in failed}
    return [
        *failed,
        *_not_finite(history),
        *[each for each in _written_after_saving(history) if each.text not in told],
        *_added_up(history),
        *_without_gradient(history),
        *_dead(history),
        *_trends(history),
        *_without_backward(history),
        *_without_effect(history),
        *_stopped(history),
    ]


def _finding(history: History, kind: str, text: str, *events: int) -> Finding:
    """Returns a finding with the places of its events; the first is the one to look at."""
    places = [history.place(event) for event in events]
    return Finding(kind, events[0], text, [place for place in places if place is not None])


def _failures(history: History) -> Iterator[Finding]:
    """Returns the error that ended the program, with its reason."""
    for number, event in enumerate(history.events):
        if event.kind == "error":
            reason = recorded_error_reason(history, event.text.partition(": ")[2] or event.text)
            yield Finding(ERROR, number, reason.sentences, reason.places)


def _not_finite(history: History) -> Iterator[Finding]:
    """Returns the first result and the first gradient that is not finite though its origin is."""
    tainted: set[int] = set()  # storages
    for number, event in history.operators():
        came = any(history.tensors[each].storage in tainted for each in event.ins)
        bad = next((out for out in event.outs if history.bad_count(out.value)), None)
        if bad is None:
            continue
        tainted.add(history.tensors[bad.tensor].storage)
        # Memory that was not filled yet, and infinities that were asked for, as in masks.
        if came or event.name.startswith(("empty", "new_empty")) or _wants_infinity(event):
            continue
        size = history.recording.values[bad.value or 0].shape
        at = At(history, number)
        count = history.bad_count(bad.value)
        text = (
            f"{at.expression} in {at} gave the first number that is not finite: {count} in a "
            f"result of shape {tuple(size)}."
        )
        yield _finding(history, NOT_FINITE, text, number)
        break
    for number, event in enumerate(history.events):
        if event.kind != "node":
            continue
        came = any(history.bad_count(value) for value in event.into)
        if came or not any(history.bad_count(value) for value in event.out_of):
            continue
        node = history.nodes[event.node]
        if node.event is None:
            continue
        at = At(history, node.event)
        text = (
            f"{node.name}, made by {at.expression} in {at}, gave the first gradient that is not "
            "finite."
        )
        yield _finding(history, NOT_FINITE, text, number, node.event)
        return


def _wants_infinity(event: Operator) -> bool:
    return any(word in (event.scalars or "") for word in ("inf", "nan"))


def _written_after_saving(history: History) -> Iterator[Finding]:
    """Returns writes into what a node kept, where a backward came to the node after the write."""
    reached = [(walk, history.reached(walk)) for walk in history.backwards]
    seen = set()
    for storage in sorted(set(history.holders) & set(history.writes)):
        for found in conflicts_of(history, storage):
            comes = any(walk.begin > found.write and found.node in to for walk, to in reached)
            if not comes or found.write in seen or history.nodes[found.node].event is None:
                continue
            seen.add(found.write)
            words = conflict_words(history, found)
            text = _conflict_text(history, found).format(**words)
            if not is_seen_by_autograd(history, found.write):
                text += " Autograd does not notice writes through .data: the gradient is wrong."
            made = history.nodes[found.node].event or 0
            yield _finding(history, WRITTEN, text, found.write, made)


def _conflict_text(history: History, found: Conflict) -> str:
    if is_update(history, found.write):
        return CONFLICT_UPDATE
    return CONFLICT_VIEW if is_through_view(history, found) else CONFLICT


def _added_up(history: History) -> Iterator[Finding]:
    """Returns backwards that added to gradients which an update had used, and which one used again.

    Without an update, a write into the leaf, in between, adding up is what one may have wanted. An
    update has to follow as well: the generator's backward of two adversaries comes to the
    discriminator, too, whose gradients are cleared before they are used.
    """
    leaves: dict[int, list[int]] = {}
    first_walk: dict[int, Backward] = {}
    for leaf, events in history.accumulations.items():
        clearings = history.cleared.get(leaf, [])
        writes = history.writes.get(history.tensors[leaf].storage, [])
        for before, after in pairwise(events):
            was_cleared = _has_between(clearings, before, after)
            was_used = _has_between(writes, before, after)
            until = next((each for each in clearings if each > after), len(history.events))
            walk = history.backward_of(after)
            is_used_again = _has_between(writes, after, until)
            if was_cleared or not was_used or not is_used_again or walk is None:
                continue
            earlier = history.backward_of(before)
            if earlier is None or earlier.begin == walk.begin:
                continue
            leaves.setdefault(walk.begin, []).append(leaf)
            first_walk[walk.begin] = earlier
            break
    for begin, of in leaves.items():
        at, first = At(history, begin), At(history, first_walk[begin].begin)
        names = shortened([history.name(leaf) for leaf in of])
        giver = "its run before" if at.place == first.place else f"the one in {first}"
        text = (
            f"The backward in {at} added to gradients of {names} that {giver} had left and an "
            "update had used. Call zero_grad() before each backward."
        )
        yield _finding(history, ADDED_UP, text, begin)


def _has_between(events: list[int], before: int, after: int) -> bool:
    """Returns whether one of some events, which are in order, lies between two others."""
    place = bisect_right(events, before)
    return place < len(events) and events[place] < after


def _without_gradient(history: History) -> Iterator[Finding]:
    """Returns leaves without .grad, those for one reason together."""
    for text, _, leaves in reasons_for_none(history):
        uses = [use for leaf in leaves for use in history.uses.get(leaf, ())]
        makers = [history.makers[leaf] for leaf in leaves if leaf in history.makers]
        yield _finding(history, NO_GRADIENT, text, min(uses or makers or [0]))


def _dead(history: History) -> Iterator[Finding]:
    for found in dead_units(history):
        each = "all" if found.dead == found.units else str(found.dead)
        text = (
            f"{each} of {count_text(found.units, 'unit')} of {found.name}, {found.spot}, gave 0 "
            "for every example of the last step: no gradient passes them."
        )
        yield _finding(history, DEAD, text, found.event)


def _trends(history: History) -> Iterator[Finding]:
    report = recorded_gradients(history)
    if report.trend:
        first = report.layers[0]
        change = first.norm / report.layers[-1].norm
        text = f"{report.trend_text} That is a factor of {number_text(change)}."
        yield _finding(history, TREND, text, first.event)


def _without_backward(history: History) -> Iterator[Finding]:
    """Returns the graphs that no backward came to, all together: they keep tensors for nothing.

    Graphs that keep only single numbers, as of a norm that is printed, are left out.
    """
    reached = {node for walk in history.backwards for node in history.reached(walk)}
    idle = []
    for graph in _graphs(history):
        storages = {
            saved.storage
            for node in graph
            for saved in history.nodes[node].saved
            if saved.storage is not None
            and history.storage_kinds[saved.storage] == OTHER
            and history.storages[saved.storage].bytes > NUMBER
        }
        if storages and reached.isdisjoint(graph):
            idle.append((graph, sum(history.storages[each].bytes for each in storages)))
    if idle:
        graph, size = idle[0]
        begin = history.nodes[graph[0]].event or 0
        text = (
            f"No backward came to {count_text(len(idle), 'graph')}. The one that begins in "
            f"{At(history, begin)} kept {byte_text(size)}. Under torch.no_grad() no graph is made."
        )
        yield _finding(history, NO_BACKWARD, text, begin)


def _graphs(history: History) -> list[list[int]]:
    """Returns the nodes that operators made, those that edges join together, in order."""
    origin = list(range(len(history.nodes)))

    def first(node: int) -> int:
        while origin[node] != node:
            origin[node] = node = origin[origin[node]]
        return node

    found: dict[int, list[int]] = {}
    made = [number for number, node in enumerate(history.nodes) if node.event is not None]
    for number in made:
        for edge in history.nodes[number].edges:
            if edge.node is not None and history.nodes[edge.node].event is not None:
                one, other = sorted((first(number), first(edge.node)))
                origin[other] = one
    for number in made:
        found.setdefault(first(number), []).append(number)
    graphs = [
        sorted(graph, key=lambda node: history.nodes[node].event or 0) for graph in found.values()
    ]
    return sorted(graphs, key=lambda graph: history.nodes[graph[0]].event or 0)


def _without_effect(history: History) -> Iterator[Finding]:
    """Returns the first step of an optimizer that left all parameters as they were, and need not.

    Steps with gradients of 0 are left out, and those that were to move nothing, as the first one of
    a learning rate that warms up: some step of the optimizer has to have an effect then.
    """
    has_effect = {
        frozenset(change.tensor for change in event.params)
        for event in history.events
        if event.kind == "update" and not _is_idle(history, event)
    }
    for number, event in enumerate(history.events):
        if event.kind != "update" or not event.params or not _is_idle(history, event):
            continue
        changed = frozenset(change.tensor for change in event.params)
        told = f"The step of {event.name} in {At(history, number)} moved no parameter"
        states = [_gradient_before(history, tensor, number) for tensor in changed]
        clearings = [each.cleared for each in states if each.cleared is not None]
        if not any(each.is_there for each in states):
            if clearings:
                last = max(clearings)
                clear = At(history, last)
                text = (
                    f"{told}: {clear.statement} in {clear} had cleared the gradients. Clear them "
                    "before the backward, or after the step."
                )
                yield _finding(history, NO_EFFECT, text, number, last)
            else:
                text = f"{told}: no backward had given one of them a gradient."
                yield _finding(history, NO_EFFECT, text, number)
            return
        if any(each.is_nonzero for each in states) and changed not in has_effect:
            text = (
                f"{told}, and no other step did, although there were gradients: the learning rate "
                "is 0, or too small for their dtype."
            )
            yield _finding(history, NO_EFFECT, text, number)
            return


class _Gradient(NamedTuple):
    """Says how a .grad stood at some event.

    is_there: whether it held what a backward had put there.  is_nonzero: whether that was not 0.
    cleared: the event that cleared it after a backward had filled it.
    """

    is_there: bool
    is_nonzero: bool
    cleared: int | None


def _gradient_before(history: History, leaf: int, event: int) -> _Gradient:
    """Returns how the .grad of a leaf stood just before an event."""
    fills = history.accumulations.get(leaf, [])
    clearings = history.cleared.get(leaf, [])
    filled = fills[: bisect_right(fills, event)][-1:]
    cleared = clearings[: bisect_right(clearings, event)][-1:]
    if not filled:
        return _Gradient(False, False, None)
    if cleared > filled:
        return _Gradient(False, False, cleared[0])
    return _Gradient(True, not is_zero(history, history.events[filled[0]].total), None)


def _is_idle(history: History, event: Update) -> bool:
    """Returns whether a step is known to have left all parameters as they were."""
    return all(
        each.before is not None
        and each.after is not None
        and _is_equal(history.recording.values[each.before], history.recording.values[each.after])
        for each in event.params
    )


def _is_equal(one: Value, other: Value) -> bool:
    """Returns whether two values are equal, as far as they were looked at."""
    return one is other or (
        one.shape == other.shape
        and one.statistics == other.statistics
        and np.array_equal(one.numbers, other.numbers, equal_nan=True)
    )


def _stopped(history: History) -> Iterator[Finding]:
    """Returns the end of a recording that does not hold all of the program."""
    for number, event in enumerate(history.events):
        if event.kind == "stopped":
            yield _finding(history, STOPPED, f"The recording stops early: {event.text}", number)
