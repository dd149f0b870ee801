"""The use of a program's memory: by line, by node, its peak, and what checkpoints would save."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minitorch.study.graphs.graph import graph_of, roots_of, storage_of, storages_of
from minitorch.study.graphs.line_notes import line_of
from minitorch.study.graphs.live_names import Names, variables_of
from minitorch.study.libraries.kinds import is_tensor
from minitorch.study.libraries.saved import saved_tensors, saved_values
from minitorch.study.reports.checkpoint_choices import Choice, choices, first_of_each_name
from minitorch.study.reports.history import OTHER, PARAMETERS, History, module_text
from minitorch.study.reports.report_text import (
    Column,
    Report,
    Table,
    byte_text,
    count_text,
    first_rows,
    series_text,
    time_text,
)
from minitorch.study.tape.recording import Recording, SavedInfo

KEPT = "kept for backward"
NOT_NOTED = "not noted"  # the line of a node that was made while study.lines() was not open


@dataclass(slots=True)
class LineMemory:
    """The memory that a line made the graph keep: the most bytes at one time, and their tensors.

    Bytes of parameters and of data are left out; a storage counts for the line that kept it first.
    """

    spot: str
    bytes: int
    what: list[str]


@dataclass(slots=True)
class NodeMemory:
    """Says what a node keeps, parameters aside: bytes in all, and bytes that no other node keeps.

    Data that the program brought along count as `bytes`, not as `own`.
    """

    name: str
    spot: str
    bytes: int
    own: int
    what: list[str]


@dataclass(slots=True)
class Peak:
    """The moment at which the living storages had the most bytes, and their kinds."""

    bytes: int
    event: int
    spot: str
    parts: dict[str, int]


@dataclass(slots=True, repr=False)
class MemoryReport(Report):
    """Says where a program's memory goes; prints itself, in notebooks as tables.

    Attributes:
        kept: the most bytes that graphs kept at one time, parameters and data aside.
        storages: how many storages these are.
        lines, nodes: by line and by node, those with the most bytes first.
        peak: None for a graph that was not recorded.
        checkpoints: what would be saved by checkpoints, the best first; empty without a recording.
    """

    kept: int
    storages: int
    lines: list[LineMemory]
    nodes: list[NodeMemory]
    peak: Peak | None = None
    checkpoints: list[Choice] = field(default_factory=list)

    def blocks(self) -> Iterable[str | Table]:
        """Returns the sentences and tables of the report."""
        if self.peak is not None:
            parts = [f"{name} {byte_text(size)}" for name, size in self.peak.parts.items() if size]
            yield (
                f"Peak: {byte_text(self.peak.bytes)} at event {self.peak.event}, {self.peak.spot}: "
                f"{series_text(parts)}."
            )
        aside = "parameters" if self.peak is None else "parameters and data"
        yield (
            f"Kept for backward: {byte_text(self.kept)} in {count_text(self.storages, 'storage')}"
            f"{'' if self.peak is None else ' at most'}, without {aside}."
        )
        if self.lines:
            yield first_rows(
                [Column("line"), Column("kept", True), Column("what")],
                [
                    (_bare(each.spot), byte_text(each.bytes), ", ".join(each.what))
                    for each in self.lines
                ],
            )
        if self.nodes:
            yield first_rows(_NODE_COLUMNS, _node_rows(self.nodes))
        if self.checkpoints:
            rows = [
                (each.name, str(each.calls), byte_text(each.bytes), time_text(each.microseconds))
                for each in first_of_each_name(self.checkpoints)
            ]
            yield first_rows(_CHECKPOINT_COLUMNS, rows)


_NODE_COLUMNS = [
    Column("node"),
    Column("line"),
    Column("nodes", True),
    Column("keeps", True),
    Column("alone", True),
    Column("what"),
]
_CHECKPOINT_COLUMNS = [
    Column("checkpoint"),
    Column("calls", True),
    Column("less kept", True),
    Column("more time", True),
]


def _bare(spot: str) -> str:
    return spot.removeprefix("line ")


def _node_rows(nodes: list[NodeMemory]) -> list[tuple[str, ...]]:
    """Returns the rows of nodes, like ones as one row with their number."""
    counts = Counter(
        (each.name, each.spot, each.bytes, each.own, ", ".join(each.what)) for each in nodes
    )
    return [
        (name, _bare(spot), str(count), byte_text(size), byte_text(own), what)
        for (name, spot, size, own, what), count in counts.items()
    ]


class _Interval(NamedTuple):
    """Says from which event up to, but not at, which other something holds."""

    begin: int
    end: int


def memory(recording_or_loss: Any) -> MemoryReport:
    """Returns where memory goes: by line, by node, its peak, and what checkpoints would save.

    Args:
        recording_or_loss: a Recording, or a tensor with a history. Of a tensor it is known what its
            graph keeps now, and the lines of the nodes that were made under study.lines() or in
            anomaly mode; the peak and checkpoints need a recording. Names come from the variables
            of the caller.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(recording_or_loss, Recording):
        return recorded_memory(recording_or_loss)
    return graph_memory(recording_or_loss, variables_of(sys._getframe(1)))


def graph_memory(loss: Any, names: Mapping[str, Any]) -> MemoryReport:
    """Returns what the graph behind a tensor keeps; nothing is unpacked or computed for it.

    Args:
        loss: a tensor with a history, a node, or a nest of them.
        names: variables by name: tensors, modules, lists and dictionaries of tensors.
    """
    graph = graph_of(roots_of(loss, "memory"))
    known = Names(names)
    parameters = {storage_of(leaf.tensor).key for leaf in graph.leaves}
    spot_of = _spots_of([step.node for step in graph.operations])
    sizes: dict[int, int] = {}
    holders: dict[int, set[int]] = defaultdict(set)
    whose: dict[int, tuple[str, str]] = {}  # of each storage, the line that kept it first, and what
    owners = []  # a key is told from later ones only while its storage lives
    parts = []
    for step in sorted(graph.operations, key=lambda step: step.node._sequence_nr()):
        mine, what = {}, []
        for saved in saved_tensors(saved_values(step.node)):
            if not is_tensor(saved.value):
                what.append(f"{saved.name} {saved.state}")
                continue
            storages = [each for each in storages_of(saved.value) if each.key not in parameters]
            if not storages:
                continue
            name = known.of(saved.value) or known.of_memory(saved.value, storages[0].key)
            what.append(f"{saved.name} = {name}" if name not in ("", saved.name) else saved.name)
            maker = spot_of.get(saved.value.grad_fn, "")
            made = f" (made in {maker})" if maker not in ("", spot_of[step.node]) else ""
            for storage in storages:
                owners.append(storage.owner)
                mine[storage.key] = storage.bytes
                holders[storage.key].add(step.number)
                text = f"{name or f'{saved.name} of {step.name}'}{made}"
                whose.setdefault(storage.key, (spot_of[step.node], text))
        sizes.update(mine)
        parts.append((step, mine, what))
    nodes = [
        NodeMemory(
            step.name,
            spot_of[step.node],
            sum(mine.values()),
            sum(size for key, size in mine.items() if len(holders[key]) == 1),
            what,
        )
        for step, mine, what in sorted(parts, key=lambda part: part[0].number)
        if what
    ]
    nodes.sort(key=lambda each: -each.bytes)
    lines = _lines_of(whose, sizes) if any(spot_of.values()) else []
    return MemoryReport(sum(sizes.values()), len(sizes), lines, nodes)


def _lines_of(whose: dict[int, tuple[str, str]], sizes: dict[int, int]) -> list[LineMemory]:
    """Returns what each line made a graph keep, the most bytes first.

    Args:
        whose: of each storage, where it was kept first, and what it is.
        sizes: of each storage, its bytes.
    """
    found: dict[str, LineMemory] = {}
    for key, (spot, text) in whose.items():
        line = found.setdefault(spot, LineMemory(spot or NOT_NOTED, 0, []))
        line.bytes += sizes[key]
        if text not in line.what:
            line.what.append(text)
    return sorted(found.values(), key=lambda each: -each.bytes)


def _spots_of(nodes: Iterable[Any]) -> dict[Any, str]:
    """Returns where nodes were made: "line 5", "train.py:5" of several files, "" if not known."""
    lines = {node: line_of(node) for node in nodes}
    files = {line.file for line in lines.values() if line is not None}
    found = dict.fromkeys(lines, "")
    for node, line in lines.items():
        if line is not None:
            is_plain = len(files) == 1
            found[node] = f"line {line.number}" if is_plain else f"{line.file}:{line.number}"
    return found


def recorded_memory(recording: Recording) -> MemoryReport:
    """Returns the memory report of a recording.

    Args:
        recording: a Recording.
    """
    history = History(recording)
    kept = _kept_intervals(history)
    total, _ = _most(
        [(interval, history.storages[storage].bytes) for storage, interval in kept.items()]
    )
    count, _ = _most([(interval, 1) for interval in kept.values()])
    return MemoryReport(
        total,
        count,
        _by_line(history, kept),
        _by_node(history),
        _peak(history, kept),
        choices(history),
    )


def _kept_intervals(history: History) -> dict[int, _Interval]:
    """Returns for each storage that a graph keeps, parameters and data aside, from when to when."""
    found = {}
    for storage, nodes in history.holders.items():
        about = history.storages[storage]
        if history.storage_kinds[storage] != OTHER:
            continue
        end = about.died if about.died is not None else len(history.events)
        releases = [history.releases.get(node, end) for node in nodes]
        end = min(end, max(releases))
        begin = min((history.nodes[node].event or 0) for node in nodes)
        found[storage] = _Interval(begin, end)
    return found


def _most(parts: list[tuple[_Interval, int]]) -> tuple[int, int]:
    """Returns the largest sum of sizes that hold at one event, and the first such event."""
    changes: dict[int, int] = defaultdict(int)
    for interval, size in parts:
        if interval.begin < interval.end:
            changes[interval.begin] += size
            changes[interval.end] -= size
    now = most = at = 0
    for event in sorted(changes):
        now += changes[event]
        if now > most:
            most, at = now, event
    return most, at


def _by_line(history: History, kept: dict[int, _Interval]) -> list[LineMemory]:
    """Returns what each line made the graph keep, the most bytes first."""
    groups: dict[str, list[int]] = defaultdict(list)
    for storage in kept:
        first = min(
            history.holders[storage], key=lambda node: (history.nodes[node].event or 0, node)
        )
        groups[history.spot(history.nodes[first].event)].append(storage)
    found = []
    for spot, storages in groups.items():
        most, _ = _most([(kept[each], history.storages[each].bytes) for each in storages])
        names = dict.fromkeys(_storage_name(history, storage) for storage in storages)
        if most:
            found.append(LineMemory(spot, most, list(names)))
    return sorted(found, key=lambda each: -each.bytes)


def _storage_name(history: History, storage: int) -> str:
    """Returns the name of a storage's tensor: the reader's, else the place where it comes from."""
    tensors = history.on_storage[storage]
    for each in tensors:
        name = history.tensors[each].name
        if name:
            return name
    for each in tensors:
        if each in history.makers:
            event = history.events[history.makers[each]]
            module = [f" of {module_text(entry)}" for entry in (event.module or ())[-1:]]
            return f"{event.name}(…){''.join(module)}"
    for node in history.holders[storage]:
        for saved in history.nodes[node].saved:
            if saved.storage == storage:
                return f"{saved.name} of {history.nodes[node].name}"
    return "a tensor"


def _by_node(history: History) -> list[NodeMemory]:
    """Returns what each node keeps, the most bytes first."""
    found = []
    kinds = history.storage_kinds
    for number, node in enumerate(history.nodes):
        kept = [
            saved
            for saved in node.saved
            if saved.packed or (saved.storage is not None and kinds[saved.storage] != PARAMETERS)
        ]
        if not kept:
            continue
        sizes = {
            saved.storage: history.storages[saved.storage].bytes
            for saved in kept
            if saved.storage is not None
        }
        own = sum(
            size
            for storage, size in sizes.items()
            if kinds[storage] == OTHER and history.holders[storage] == [number]
        )
        spot = history.spot(node.event)
        what = [_saved_text(history, saved) for saved in kept]
        found.append(NodeMemory(node.name, spot, sum(sizes.values()), own, what))
    return sorted(found, key=lambda each: -each.bytes)


def _saved_text(history: History, saved: SavedInfo) -> str:
    """Returns "mat1 = h", or the name in the node alone where no other is known."""
    if saved.packed:
        return f"{saved.name} {saved.packed}"
    known = None if saved.tensor is None else history.known_name(saved.tensor)
    return saved.name if known is None else f"{saved.name} = {known}"


def _peak(history: History, kept: dict[int, _Interval]) -> Peak:
    """Returns when the most bytes were alive together, and which kinds they were of."""
    count = len(history.events)
    lives = [
        _Interval(storage.born, count if storage.died is None else storage.died)
        for storage in history.storages
    ]
    most, at = _most([(life, each.bytes) for life, each in zip(lives, history.storages)])
    at = min(at, max(count - 1, 0))
    parts: dict[str, int] = defaultdict(int)
    for number, life in enumerate(lives):
        if life.begin <= at < life.end:
            kind = history.storage_kinds[number]
            if number in kept and kept[number].begin <= at < kept[number].end:
                kind = KEPT
            parts[kind] += history.storages[number].bytes
    order = sorted(parts, key=lambda kind: -parts[kind])
    return Peak(most, at, history.spot(at) if count else "", {kind: parts[kind] for kind in order})
