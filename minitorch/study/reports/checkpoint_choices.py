"""The memory that checkpoints would save, for each part of a program that can be run again.

A part is one call of a module, one run of a line or one round of a loop, as a recording shows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from minitorch.study.reports.history import OTHER, History, module_text
from minitorch.study.tape.recording import Operator, Visit

MODULE, LINE, ROUND = "module", "line", "round"


@dataclass(slots=True)
class Choice:
    """The memory that a checkpoint of a part would save, and its cost.

    Attributes:
        kind: "module", "line" or "round".
        name: the part, as "2 Linear", "line 12: model(x)" or "a round of for t in range(T)".
        calls: how many parts were weighed together: 1, or all of one name in one graph.
        bytes: how much less is kept for the backward; what a checkpoint keeps itself is taken off.
        microseconds: the time of the operators that would run again.
        events: the operators of the part.
    """

    kind: str
    name: str
    calls: int
    bytes: int
    microseconds: float
    events: list[int]


class Part(NamedTuple):
    """Operators that belong together; parts of one `family` are weighed together, too.

    family: None for parts that overlap.  parent: the call around a call, None if there is none.
    """

    kind: str
    name: str
    family: Hashable
    family_name: str
    events: list[int]
    parent: Hashable = None


def choices(history: History) -> list[Choice]:
    """Returns what each part of a program would save, those with the most bytes first.

    Left out are parts that would save nothing, and parts with the operators of a part before
    them: a line that only calls a module is shown as the module.
    """
    scale = _Scale(history)
    calls = list(module_calls(history))
    parts = [*calls, *_neighbours(calls, scale), *_runs_of_lines(history), *_rounds(history)]
    found, families, seen = [], defaultdict(list), set()
    for part in parts:
        operators = tuple(part.events)
        if operators in seen:
            continue
        seen.add(operators)
        choice = scale.choice(part)
        if choice is None:
            continue
        if part.family is not None:
            families[part.family, scale.walk(part.events)].append((part, choice))
        if choice.bytes > 0:
            found.append(choice)
    found.extend(_together(families))
    return sorted(found, key=lambda choice: -choice.bytes)


def first_of_each_name(choices: list[Choice]) -> list[Choice]:
    """Returns the choices that come first among those of their name: runs of a line are alike."""
    return list({each.name: each for each in reversed(choices)}.values())[::-1]


def _together(families: dict[Any, list[tuple[Part, Choice]]]) -> Iterator[Choice]:
    """Returns a choice for all parts of one family, the graph in which they save the most."""
    best: dict[Hashable, Choice] = {}
    for (family, _), members in families.items():
        if len(members) < 2:
            continue
        whole = Choice(
            members[0][0].kind,
            f"each {members[0][0].family_name}",
            len(members),
            sum(choice.bytes for _, choice in members),
            sum(choice.microseconds for _, choice in members),
            [event for part, _ in members for event in part.events],
        )
        if whole.bytes > 0 and (family not in best or best[family].bytes < whole.bytes):
            best[family] = whole
    yield from best.values()


class _Scale:
    """Weighs parts: which storages only they keep, and which a checkpoint of them would keep."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.made = _storages_made(history)

    def choice(self, part: Part) -> Choice | None:
        """Returns what a part would save, or None if it makes no nodes."""
        history = self.history
        nodes = self.nodes(part.events)
        if not nodes:
            return None
        inside, released = set(nodes), self.release(nodes)
        events = set(part.events)
        inputs = {
            storage
            for event in part.events
            for tensor in history.events[event].ins
            if self.made.get(storage := history.tensors[tensor].storage) not in events
        }
        freed = {
            storage
            for node in nodes
            for saved in history.nodes[node].saved
            if (storage := saved.storage) is not None
            and storage not in inputs
            and not history.is_number(saved)  # of those a checkpoint keeps as many
            and history.storage_kinds[storage] == OTHER
            and inside.issuperset(history.holders[storage])
            and self.is_held(storage)
            and (part.kind == ROUND or not self.outlives(storage, released))
            and not (part.kind == ROUND and self.is_used_after(storage, events))
        }
        newly_kept = {
            storage
            for storage in inputs
            if history.storage_kinds[storage] == OTHER
            and storage not in history.holders
            and not self.outlives(storage, released)
        }
        size = history.storages
        return Choice(
            part.kind,
            part.name,
            1,
            sum(size[each].bytes for each in freed) - sum(size[each].bytes for each in newly_kept),
            sum(history.events[event].s for event in part.events),
            part.events,
        )

    def nodes(self, events: Iterable[int]) -> list[int]:
        """Returns the nodes that some operators made."""
        return [node for event in events for node in self.history.nodes_made.get(event, ())]

    def release(self, nodes: list[int]) -> int | None:
        """Returns the event at which the last of some nodes released its saved values."""
        return max((self.history.releases.get(node, -1) for node in nodes), default=None)

    def walk(self, events: list[int]) -> int:
        """Returns the event at which the backward of a part's nodes began, or -1."""
        for node in self.nodes(events):
            if node in self.history.releases:
                walk = self.history.backward_of(self.history.releases[node])
                return -1 if walk is None else walk.begin
        return -1

    def is_held(self, storage: int) -> bool:
        """Returns whether a storage lives as long as the nodes that keep a tensor in it.

        A number that a node keeps is a tensor only where something looks at it.
        """
        died = self.history.storages[storage].died
        released = self.release(self.history.holders[storage])
        return died is None or released is None or died > released

    def outlives(self, storage: int, released: int | None) -> bool:
        """Returns whether something else than the graph held a storage: it lived on."""
        died = self.history.storages[storage].died
        return died is None or released is None or died > released + 1

    def is_used_after(self, storage: int, events: set[int]) -> bool:
        """Returns whether an operator outside of a part took a storage."""
        return any(
            use not in events
            for tensor in self.history.on_storage[storage]
            for use in self.history.uses.get(tensor, ())
        )


def _storages_made(history: History) -> dict[int, int]:
    """Returns, for each storage that an operator allocated for its result, the operator."""
    found: dict[int, int] = {}
    known: set[int] = set()
    for number, event in history.operators():
        known.update(history.tensors[tensor].storage for tensor in event.ins)
        for out in event.outs:
            storage = history.tensors[out.tensor].storage
            if storage not in known:
                known.add(storage)
                found[storage] = number
    return found


def module_calls(history: History) -> Iterator[Part]:
    """Returns the calls of modules, each with its operators."""
    written_here = _own_classes(history)
    calls: list[Part] = []
    open_calls: list[tuple[Hashable, int]] = []  # each with its index in `calls`
    for number, event in history.operators():
        stack = list(event.module or ())
        if history.backward_of(number) is not None:
            continue
        keys = [
            _call_key(history, event, stack[: depth + 1], written_here)
            for depth in range(len(stack))
        ]
        same = 0
        while same < min(len(keys), len(open_calls)) and keys[same] == open_calls[same][0]:
            same += 1
        del open_calls[same:]
        for depth in range(same, len(stack)):
            kind = stack[depth].rpartition(":")[2]
            parent = open_calls[depth - 1][1] if depth else None
            family = (MODULE, depth, kind)
            open_calls.append((keys[depth], len(calls)))
            calls.append(Part(MODULE, module_text(stack[depth]), family, kind, [], parent))
        for _, call in open_calls:
            calls[call].events.append(number)
    yield from calls


def _own_classes(history: History) -> set[str]:
    """Returns the names of the classes that the recorded files define."""
    return {
        line.split()[1].partition("(")[0].rstrip(":")
        for file in history.recording.files
        for line in (file.text or "").splitlines()
        if line.lstrip().startswith("class ") and len(line.split()) > 1
    }


def _call_key(
    history: History, event: Operator, stack: list[str], written_here: set[str]
) -> Hashable:
    """Returns a key that two operators share if they belong to one call of a module.

    Both modules on the way and the frames that led to the call have to agree. The frames inside
    the call do not count: they begin with the `forward` that the reader wrote for the module, or
    for the first such module within it.
    """
    outer = sum(entry.rpartition(":")[2] in written_here for entry in stack[:-1])
    frames = []
    for visit in event.at or ():
        if history.recording.places[visit.place].function == "forward":
            if outer == 0:
                break
            outer -= 1
        frames.append(visit)
    return tuple(stack), tuple(frames)


def _neighbours(calls: list[Part], scale: _Scale) -> Iterator[Part]:
    """Returns pairs of calls in a row that share kept tensors, as an activation and its layer."""
    siblings = defaultdict(list)
    for call in calls:
        if call.parent is not None:
            siblings[call.parent].append(call)
    for row in siblings.values():
        for first, second in pairwise(row):
            kept = [
                {
                    saved.storage
                    for node in scale.nodes(call.events)
                    for saved in scale.history.nodes[node].saved
                    if saved.storage is not None
                    and scale.history.storage_kinds[saved.storage] == OTHER
                }
                for call in (first, second)
            ]
            if kept[0] & kept[1]:
                name = f"{first.name} + {second.name}"
                yield Part(MODULE, name, None, name, first.events + second.events)


def _runs_of_lines(history: History) -> Iterator[Part]:
    """Returns the runs of lines that have operators and no backward of their own."""

    def keys(visit: Visit, file: int, line: int) -> Iterator[Hashable]:
        yield file, line, visit.rounds

    for group in _grouped(history, keys):
        file, line, _ = group.key
        name = f"{history.line_text(file, line)}: {_short(history.source(file, line))}"
        name = name.removesuffix(": ")
        family = (LINE, len(group.outer), file, line)
        yield Part(LINE, name, family, f"run of {name}", group.events)


def _rounds(history: History) -> Iterator[Part]:
    """Returns the rounds of loops that have operators and no backward of their own."""

    def keys(visit: Visit, file: int, line: int) -> Iterator[Hashable]:
        for inner in range(len(visit.rounds)):
            yield file, visit.rounds[: inner + 1]

    for group in _grouped(history, keys):
        file, rounds = group.key
        head = history.recording.files[file].loops[rounds[-1].loop].text
        family = (ROUND, len(group.outer), file, rounds[-1].loop)
        name = f"round {rounds[-1].number} of {head}"
        yield Part(ROUND, name, family, f"round of {head}", group.events)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


class _Group(NamedTuple):
    """Operators that agree in their outer frames and in a key of the next one."""

    outer: tuple[Visit, ...]
    key: Any
    events: list[int]


def _grouped(history: History, keys: Callable[[Visit, int, int], Iterable[Any]]) -> list[_Group]:
    """Returns operators by frame and key; groups in which a backward was called are left out."""
    groups: dict[tuple[tuple[Visit, ...], Any], list[int]] = defaultdict(list)
    with_backward = set()
    for number, event in enumerate(history.events):
        if event.kind not in ("op", "backward") or history.backward_of(number) is not None:
            continue
        frames = tuple(event.at or ())
        for depth, visit in enumerate(frames):
            place = history.recording.places[visit.place]
            for key in keys(visit, place.file, place.line):
                if event.kind == "op":
                    groups[frames[:depth], key].append(number)
                else:
                    with_backward.add((frames[:depth], key))
    return [
        _Group(outer, key, events)
        for (outer, key), events in groups.items()
        if (outer, key) not in with_backward
    ]
