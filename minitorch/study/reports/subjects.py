"""The subjects of a question about reasons: a tensor or a node of a recording, and its fate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from minitorch.study.reports.history import Backward, History, Setting
from minitorch.study.tape.recording import Operator, Place, SavedInfo

# What comes back from these is no tensor, but a number, a list or an array.
TO_PYTHON = frozenset(
    "item tolist numpy __array__ __float__ __int__ __bool__ __index__ __complex__".split()
)
# These copy the numbers of a tensor into one without history.
COPIES = frozenset("tensor as_tensor asarray from_numpy".split())
DETACHES = frozenset(["detach", "detach_", "detach_copy"])
_INTEGERS = ("int", "uint", "long", "short")


class At:
    """An event as a sentence names it: `str` is its line, its attributes are the source there."""

    __slots__ = ("event", "history")

    def __init__(self, history: History, event: int) -> None:
        self.history = history
        self.event = event

    def __str__(self) -> str:
        return self.history.spot(self.event)

    @property
    def expression(self) -> str:
        """The expression that was evaluated, as the reader wrote it."""
        return self.history.expression(self.event)

    @property
    def statement(self) -> str:
        """The line of source."""
        return self.history.statement(self.event)

    @property
    def place(self) -> Place | None:
        """The place in the reader's code, if one is known."""
        return self.history.place(self.event)


class Line(NamedTuple):
    """A line of source that no event is known for, as a sentence names it."""

    spot: str
    statement: str

    @property
    def expression(self) -> str:
        """The statement: which part of it was evaluated is not known."""
        return self.statement

    @property
    def place(self) -> None:
        """No place of the recording."""
        return None

    def __str__(self) -> str:
        return self.spot


class Cut(NamedTuple):
    """An operator that took a tensor with a history and gave something without."""

    event: int
    source: int
    out: int | None


class Flow(NamedTuple):
    """The fate of a leaf: tensors with a history that depend on it, their ends, and cuts.

    ends: the tensors among them that no operator used.
    """

    tensors: set[int]
    ends: list[int]
    cuts: list[Cut]


class Conflict(NamedTuple):
    """A node that kept a tensor, and an event that wrote into it before the node let go of it."""

    node: int
    saved: SavedInfo
    write: int


@dataclass
class TensorSubject:
    """A tensor of a recording, by its number, with what the cases ask about it."""

    history: History
    tensor: int
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or self.history.name(self.tensor)
        self.about = self.history.tensors[self.tensor]

    def at(self, event: int) -> At:
        """Returns an event as a sentence names it."""
        return At(self.history, event)

    def operator(self, event: int) -> Operator:
        """Returns an event that is known to be an operator."""
        found = self.history.events[event]
        assert isinstance(found, Operator)
        return found

    @cached_property
    def maker(self) -> int | None:
        """The operator that gave the tensor; of a parameter that which gave its memory."""
        made = self.history.makers.get(self.tensor)
        if made is None and self.about.param:
            memory = self.history.on_storage[self.about.storage]
            made = next((self.history.makers.get(tensor) for tensor in memory), None)
        return made

    def settings(self, name: str) -> list[Setting]:
        """Returns the statements that ask the tensor to require grad, or to keep its .grad.

        Args:
            name: "requires_grad" or "retain_grad".
        """
        asked = [each for each in self.history.settings if each.name == name]
        return [each for each in asked if each.target == self.name]

    def statement(self, setting: Setting) -> Line:
        """Returns a statement as a sentence names it."""
        source = self.history.source(setting.file, setting.line)
        return Line(self.history.line_text(setting.file, setting.line), source)

    @property
    def requires_grad(self) -> bool:
        """Whether the tensor requires grad at the end of the recording."""
        settings = self.settings("requires_grad")
        return settings[-1].value if settings else self.history.requires_grad(self.tensor)

    @property
    def nodes(self) -> list[int]:
        """The nodes that gave the tensor: several if it was written in place."""
        return [
            edge.node
            for _, event in self.history.operators()
            for out, edge in zip(event.outs, event.fn)
            if out.tensor == self.tensor and edge is not None and edge.node is not None
        ]

    @cached_property
    def sources(self) -> list[int]:
        """The tensors that it was made of: those with names, and what no operator gave."""
        history, found = self.history, []
        waiting, seen = [self.tensor], {self.tensor}
        while waiting:
            tensor = waiting.pop()
            is_named = tensor != self.tensor and history.tensors[tensor].name
            maker = self.maker if tensor == self.tensor else history.makers.get(tensor)
            taken = [] if maker is None or is_named else self.operator(maker).ins
            if not taken and tensor != self.tensor:
                found.append(tensor)
            waiting += [each for each in reversed(taken) if each not in seen]
            seen.update(taken)
        return found

    @cached_property
    def cut_before(self) -> int | None:
        """The last operator before that took something with a history and gave it on without."""
        history = self.history
        waiting, seen, found = [self.tensor], {self.tensor}, []
        while waiting:
            tensor = waiting.pop()
            maker = self.maker if tensor == self.tensor else history.makers.get(tensor)
            if maker is None:
                continue
            operator = self.operator(maker)
            outs = [out.tensor for out in operator.outs]
            if any(history.tensors[each].grad for each in operator.ins if each not in outs):
                found.append(maker)
                continue
            waiting += [each for each in operator.ins if each not in seen]
            seen.update(operator.ins)
        return max(found, default=None)

    @property
    def uses(self) -> list[int]:
        """The operators that took the tensor."""
        return self.history.uses.get(self.tensor, [])

    @property
    def accumulations(self) -> list[int]:
        """The events at which its .grad received something."""
        return self.history.accumulations.get(self.tensor, [])

    @property
    def cleared(self) -> list[int]:
        """The events at which its .grad was cleared."""
        return self.history.cleared.get(self.tensor, [])

    @property
    def has_grad(self) -> bool:
        """Whether .grad holds something at the end of the recording."""
        if not self.accumulations:
            return False
        return self.clearing is None or not self.is_set_to_none(self.clearing)

    @property
    def clearing(self) -> int | None:
        """The event that cleared .grad after the last backward had filled it, if one did."""
        is_later = self.cleared and self.cleared[-1] > self.accumulations[-1]
        return self.cleared[-1] if is_later else None

    def is_set_to_none(self, clearing: int) -> bool:
        """Returns whether an event that cleared .grad left None, not zeros."""
        event = self.history.events[clearing]
        return bool(event.kind == "zero" and event.to == "none")

    @cached_property
    def flow(self) -> Flow:
        """The fate of the tensor, operator by operator."""
        seen, waiting = {self.tensor}, [self.tensor]
        ends: list[int] = []
        cuts: list[Cut] = []
        while waiting:
            source = waiting.pop()
            goes_on = False
            for event in self._uses_with_history(source):
                operator = self.operator(event)
                if operator.name in TO_PYTHON and not _is_printed(self.history.statement(event)):
                    cuts.append(Cut(event, source, None))
                for out, requires_grad in zip(operator.outs, operator.requires_grad):
                    is_written = out.tensor in (operator.writes or ())
                    if is_written and out.tensor == source:
                        continue
                    is_unfollowed = is_written and not operator.grad_mode
                    if not requires_grad or is_unfollowed or operator.name in COPIES:
                        cuts.append(Cut(event, source, out.tensor))
                        continue
                    goes_on = goes_on or out.tensor != source
                    if out.tensor not in seen:
                        seen.add(out.tensor)
                        waiting.append(out.tensor)
            if not goes_on:
                ends.append(source)
        return Flow(seen, ends, sorted(cuts))

    def _uses_with_history(self, tensor: int) -> list[int]:
        """Returns the operators that took a tensor, up to a detach_() of it."""
        uses = self.history.uses.get(tensor, [])
        ends = [number for number, event in enumerate(uses) if self.is_detaching(event)]
        return uses[: ends[0] + 1] if ends else uses

    def is_detaching(self, event: int) -> bool:
        """Returns whether an operator is a detach_(), which takes the history from its operand."""
        return self.operator(event).name == "detach_"

    @cached_property
    def cut(self) -> Cut | None:
        """The first cut, if everything that came of the tensor ends in one.

        A result that nothing used does not count where its operator gave another one that is cut
        off: of values and indices only the indices may have been used.
        """
        cut_off = {cut.source for cut in self.flow.cuts}
        cutting = {cut.event for cut in self.flow.cuts}
        whole = [
            end
            for end in self.flow.ends
            if end not in cut_off
            and (self.history.uses.get(end) or self.history.makers.get(end) not in cutting)
        ]
        if whole:
            return None
        used = [cut for cut in self.flow.cuts if self.leads_to_backward(cut)]
        return next(iter([*used, *self.flow.cuts]), None)

    def leads_to_backward(self, cut: Cut) -> bool:
        """Returns whether a backward came to something that was made of the result of a cut."""
        history = self.history
        waiting = [] if cut.out is None else [cut.out]
        seen = set(waiting)
        while waiting:
            tensor = waiting.pop()
            if tensor in history.reached_tensors:
                return True
            for event in history.uses.get(tensor, ()):
                for out in self.operator(event).outs:
                    if out.tensor not in seen:
                        seen.add(out.tensor)
                        waiting.append(out.tensor)
        return False

    @cached_property
    def walks_after_use(self) -> list[int]:
        """The backwards that began after the tensor was first used."""
        first = min(self.uses, default=0)
        return [walk.begin for walk in self.history.backwards if walk.begin > first]

    @cached_property
    def walks_that_lead_here(self) -> list[int]:
        """The backwards whose graph holds the tensor."""
        mine = set(self.history.accumulators.get(self.tensor, ()))
        return [
            walk.begin
            for walk in self.history.backwards
            if not mine.isdisjoint(self.history.reached(walk))
        ]

    @property
    def is_only_written(self) -> bool:
        """Whether operators wrote into the tensor, and made nothing of it."""
        written = [self.operator(event).writes or () for event in self.uses]
        return bool(written) and all(self.tensor in each for each in written)

    @property
    def writes(self) -> list[int]:
        """The events that wrote into the tensor's storage, but for the call that made it."""
        found = self.history.writes.get(self.about.storage, [])
        made = None if self.maker is None else self.history.place(self.maker)
        return [each for each in found if made is None or self.history.place(each) != made]

    @property
    def conflicts(self) -> list[Conflict]:
        """The nodes that kept a tensor of this storage when something wrote into it."""
        return list(conflicts_of(self.history, self.about.storage))


@dataclass
class NodeSubject:
    """A node of a recording, by its number."""

    history: History
    node: int

    def at(self, event: int) -> At:
        """Returns an event as a sentence names it."""
        return At(self.history, event)


@dataclass
class ErrorSubject:
    """An exception: its text, and the recording of the program that raised it.

    line: where the traceback ends in the reader's code, if there is a traceback.
    reason_for: gives the reason why a tensor of a name requires no grad, or "".
    """

    history: History
    text: str
    line: Line | None
    reason_for: Callable[[str], str]

    def at(self, event: int) -> At:
        """Returns an event as a sentence names it."""
        return At(self.history, event)

    @cached_property
    def event(self) -> int | None:
        """The event of the error; None if the program caught it."""
        for number, event in enumerate(self.history.events):
            if event.kind == "error" and self.text in event.text:
                return number
        return None

    @property
    def where(self) -> At | Line | None:
        """The place where the error was raised, if it is known."""
        if self.event is not None and self.history.place(self.event) is not None:
            return self.at(self.event)
        return self.line

    @cached_property
    def failed_walk(self) -> Backward | None:
        """The last backward before the error, which is the one that failed if one did."""
        end = len(self.history.events) if self.event is None else self.event
        return next((walk for walk in self.history.backwards[::-1] if walk.begin < end), None)

    @cached_property
    def releasing_walk(self) -> Backward | None:
        """The backward that let go of what the failed one needed, if the error is about that."""
        walk, history = self.failed_walk, self.history
        if walk is None or "second time" not in self.text:
            return None
        released = [
            history.releases[node]
            for node in history.reached(walk)
            if history.nodes[node].leaf is None
            and history.releases.get(node, walk.begin) < walk.begin
        ]
        return history.backward_of(min(released)) if released else None


def conflicts_of(history: History, storage: int) -> Iterator[Conflict]:
    """Returns the nodes that kept a storage, each with the first write before it let go of it."""
    for node in history.holders.get(storage, ()):
        about = history.nodes[node]
        kept = -1 if about.event is None else about.event
        let_go = history.releases.get(node, len(history.events))
        for write in history.writes.get(storage, ()):
            if kept < write < let_go:
                saved = next(each for each in about.saved if each.storage == storage)
                yield Conflict(node, saved, write)
                break


def is_seen_by_autograd(history: History, write: int) -> bool:
    """Returns whether a write counts as one: through `.data` a tensor is written unseen."""
    event = history.events[write]
    if event.kind != "op":
        return True
    for tensor in event.writes or ():
        maker = history.makers.get(tensor)
        if maker is not None and history.events[maker].name == "data":
            return False
    return True


def is_whole_number(dtype: str) -> bool:
    """Returns whether a dtype, as "int64", holds integers."""
    return dtype.startswith(_INTEGERS)


def is_differentiable(dtype: str) -> bool:
    """Returns whether tensors of a dtype can require grad."""
    return dtype.startswith(("float", "bfloat", "double", "half", "complex"))


class Loss(NamedTuple):
    """Says where a gradient became 0: at the run of a node, in it or after it.

    node: the node to which the gradient went on from there.
    ways: how many gradients other than 0 left nodes for there; 0 if it became 0 in the node.
    """

    event: int
    node: int
    ways: int


def zero_gradient(subject: TensorSubject) -> Loss | None:
    """Returns where a gradient became 0 on its way to a leaf, nearest to the leaf.

    It is the run of a node into which something other than 0 came; None if all that came was 0
    from the start.
    """
    history = subject.history
    last = subject.accumulations[-1]
    runs = runs_before(history, last)
    into: dict[int, list[tuple[int, int]]] = {}
    for node in runs:
        for place, edge in enumerate(history.nodes[node].edges):
            if edge.node is not None:
                into.setdefault(edge.node, []).append((node, place))
    waiting, seen = [history.events[last].node], set()
    for target in waiting:
        for node, _ in into.get(target, ()):
            if node in seen:
                continue
            seen.add(node)
            run = history.events[runs[node]]
            if any(_is_nonzero(history, value) for value in run.into):
                gone = [
                    history.events[runs[each]].out_of[place]
                    for each, place in into[target]
                    if place < len(history.events[runs[each]].out_of)
                ]
                ways = sum(_is_nonzero(history, value) for value in gone)
                return Loss(runs[node], target, ways)
            waiting.append(node)
    return None


def runs_before(history: History, event: int) -> dict[int, int]:
    """Returns the nodes that ran in a backward before an event of it, each with its run."""
    walk = history.backward_of(event)
    found = {}
    for number in range(walk.begin if walk is not None else 0, event):
        run = history.events[number]
        if run.kind == "node":
            found[run.node] = number
    return found


def node_without_gradient(subject: TensorSubject) -> int | None:
    """Returns the node that ran and gave no gradient for an input that leads to a leaf, if any."""
    history = subject.history
    mine = set(history.accumulators.get(subject.tensor, ()))
    for number, event in enumerate(history.events):
        if event.kind != "node" or all(value is None for value in event.into):
            continue
        walk = history.backward_of(number)
        if walk is None or walk.name != "backward" or "inputs" in history.expression(walk.begin):
            continue
        for edge, value in zip(history.nodes[event.node].edges, event.out_of):
            is_silent = edge.node is not None and value is None and edge.node not in history.runs
            if is_silent and not mine.isdisjoint(history.nodes_behind([edge.node])):
                return int(event.node)
    return None


def is_zero(history: History, value: int | None) -> bool:
    """Returns whether a value is known and all of it is 0."""
    return value is not None and history.zero_share(value) == 1.0


def _is_nonzero(history: History, value: int | None) -> bool:
    return value is not None and history.zero_share(value) != 1.0


def value_range(history: History, value: int | None) -> tuple[float, float] | None:
    """Returns the least and the largest number of a value, or None if they are not known."""
    if value is None:
        return None
    numbers = history.numbers(value)
    if numbers is not None:
        return (float(np.min(numbers)), float(np.max(numbers))) if numbers.size else None
    statistics = history.recording.values[value].statistics or {}
    if "min" not in statistics:
        return None
    return float(statistics["min"]), float(statistics["max"])


def _is_printed(statement: str) -> bool:
    """Returns whether a number was only taken to be printed."""
    return statement.startswith("print(")
