"""Recording: what a program did with tensors, as data.

The fields are called as in docs/study/recording.md, which says what each of them means. Everything
is meant by its number: `recording.tensors[3]`, `recording.nodes[0]`, and the number of an event is
the time at which it happened.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import weakref
import zlib
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy

from minitorch.core.base.above import from_above

FORMAT = 1


class Loop(NamedTuple):
    """A loop of a source file: its first and last line, and its head, "for x in data"."""

    first: int
    last: int
    text: str


@dataclass(slots=True)
class File:
    """A source file of the reader's: its name, its text, and its loops by their first line."""

    name: str
    text: str
    loops: list[Loop]


class Place(NamedTuple):
    """An expression of a file: lines count from 1, columns from 0 in characters."""

    file: int
    line: int
    column: int
    end_line: int
    end_column: int
    function: str
    expression: str


class Round(NamedTuple):
    """A round, from 0, of a loop of the place's file."""

    loop: int
    number: int


class Visit(NamedTuple):
    """A frame of the reader's at some time: where it was, and in which rounds of its loops."""

    place: int
    rounds: tuple[Round, ...]


class Output(NamedTuple):
    """A tensor that an operator gave or wrote, and its value then."""

    tensor: int
    value: int | None


class Edge(NamedTuple):
    """An output of a node; `node` is None where no gradient goes."""

    node: int | None
    output: int


class Change(NamedTuple):
    """A parameter, and its value before and after an update."""

    tensor: int
    before: int | None
    after: int | None


@dataclass(slots=True, kw_only=True)
class Event:
    """Something that happened: `t` microseconds after the start.

    at: the reader's own frames, outermost first.  module: the modules being called.
    out: what was printed since the event before.  thread: from 1, for threads but the first.
    """

    kind: ClassVar[str] = ""
    t: int
    at: list[Visit] | None = None
    module: list[str] | None = None
    out: str | None = None
    thread: int | None = None


@dataclass(slots=True, kw_only=True)
class Operator(Event):
    """A call of an operator, which took `s` microseconds."""

    kind: ClassVar[str] = "op"
    name: str
    ins: list[int]
    outs: list[Output]
    fn: list[Edge | None]
    requires_grad: list[bool]
    grad_mode: bool
    s: float
    scalars: str | None = None
    writes: list[int] | None = None


@dataclass(slots=True, kw_only=True)
class Backward(Event):
    """The start of a backward() or autograd.grad()."""

    kind: ClassVar[str] = "backward"
    name: str
    roots: list[int | None]
    keep: bool
    create: bool


@dataclass(slots=True, kw_only=True)
class NodeRun(Event):
    """A node that computed the gradients of its inputs."""

    kind: ClassVar[str] = "node"
    node: int
    into: list[int | None]
    out_of: list[int | None]


@dataclass(slots=True, kw_only=True)
class Accumulation(Event):
    """A gradient that was added to the .grad of a leaf."""

    kind: ClassVar[str] = "accumulate"
    node: int
    leaf: int
    into: list[int | None]
    total: int | None
    gs: int | None = None


@dataclass(slots=True, kw_only=True)
class BackwardEnd(Event):
    """The end of a backward. `outs`: the gradients that an autograd.grad returned, None for those
    that are None; `fn`: their nodes, under create_graph."""

    kind: ClassVar[str] = "backward_end"
    outs: list[Output | None] | None = None
    fn: list[Edge | None] | None = None


@dataclass(slots=True, kw_only=True)
class Update(Event):
    """A step of an optimizer."""

    kind: ClassVar[str] = "update"
    name: str
    params: list[Change]


@dataclass(slots=True, kw_only=True)
class Zero(Event):
    """A zero_grad(): `to` is "none" or "zeros"."""

    kind: ClassVar[str] = "zero"
    tensors: list[int]
    to: str


@dataclass(slots=True, kw_only=True)
class Failure(Event):
    """The exception that ended the recorded block."""

    kind: ClassVar[str] = "error"
    text: str


@dataclass(slots=True, kw_only=True)
class Stopped(Event):
    """The end of a recording whose program went on."""

    kind: ClassVar[str] = "stopped"
    text: str


@dataclass(slots=True, kw_only=True)
class End(Event):
    """The end of the recorded block."""

    kind: ClassVar[str] = "end"


EVENTS: dict[str, type[Event]] = {
    kind.kind: kind
    for kind in (
        *(Operator, Backward, NodeRun, Accumulation, BackwardEnd),
        *(Update, Zero, Failure, Stopped, End),
    )
}


@dataclass(slots=True)
class TensorInfo:
    """A tensor. `grad` says whether it required grad when it was last seen, `base` is the tensor
    that it is a view of."""

    shape: list[int]
    dtype: str
    bytes: int
    storage: int
    leaf: bool
    grad: bool
    param: bool
    name: str | None = None
    device: str | None = None
    base: int | None = None


@dataclass(slots=True)
class SavedInfo:
    """Something that a node keeps for its backward: a tensor, or the text of any other value.

    packed: "recomputed" or "packed by a hook", for values that only code could show;
        "changed since" or "freed", if a write or a backward came before.
    """

    name: str
    tensor: int | None = None
    storage: int | None = None
    shape: list[int] | None = None
    text: str | None = None
    packed: str | None = None


@dataclass(slots=True)
class NodeInfo:
    """A node: `event` is the operator that made it, `leaf` the tensor of an AccumulateGrad."""

    name: str
    seq: int
    edges: list[Edge]
    saved: list[SavedInfo]
    event: int | None = None
    leaf: int | None = None


@dataclass(slots=True)
class StorageInfo:
    """A piece of memory: its bytes, and the times of its birth and death (None: never)."""

    bytes: int
    born: int
    died: int | None


@dataclass(slots=True)
class Value:
    """The numbers of a tensor at some time, as float32: all of them, or a picture and statistics.

    numbers: flat; of a picture `rows * columns`.
    """

    shape: list[int]
    numbers: Any
    rows: int | None = None
    columns: int | None = None
    statistics: dict[str, Any] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all numbers of the tensor are there."""
        return self.statistics is None

    @property
    def array(self) -> Any:
        """The numbers in the shape of the tensor, or of the picture."""
        shape = self.shape if self.is_whole else (self.rows, self.columns)
        return self.numbers.reshape(shape)


class LiveTensors(dict[int, tuple["weakref.ref[Any]", int]]):
    """The tensors of a recording that may be alive, by their id: a reference that does not keep it
    alive, and its number. Copies of a recording in other processes have none."""

    def __reduce__(self) -> Any:
        return LiveTensors, ()


class Graph(NamedTuple):
    """Nodes that hang together, AccumulateGrads apart: numbers of nodes, in the order in which
    they were first seen, and the first event that made one of them."""

    nodes: list[int]
    first: int | None


@dataclass(slots=True, weakref_slot=True)
class Recording:
    """A program's work with tensors: made by study.record(), kept by save(), read by load()."""

    library: str
    python: str
    title: str
    files: list[File] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    tensors: list[TensorInfo] = field(default_factory=list)
    nodes: list[NodeInfo] = field(default_factory=list)
    storages: list[StorageInfo] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    live: LiveTensors = field(default_factory=LiveTensors, repr=False, compare=False)

    # ---- questions that reports and the page ask

    def number_of(self, tensor: Any) -> int | None:
        """The number of a tensor that the caller holds: `recording.tensors[number]` is its row.

        A recording that was loaded from a file knows no tensor.

        Args:
            tensor: the object that the program had, not another one with the same memory.

        Returns:
            Its number; None if the recording has not met it.
        """
        known = self.live.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def graphs(self) -> list[Graph]:
        """The graphs of the program: nodes that hang together, leaves apart.

        Graphs that share parameters alone are several: a training loop has one for each round.
        """
        parent = list(range(len(self.nodes)))

        def top_of(node: int) -> int:
            while parent[node] != node:
                parent[node] = parent[parent[node]]
                node = parent[node]
            return node

        for number, node in enumerate(self.nodes):
            for edge in node.edges:
                if edge.node is not None and self.nodes[edge.node].leaf is None:
                    low, high = sorted((top_of(number), top_of(edge.node)))
                    parent[high] = low
        members: dict[int, list[int]] = {}
        for number, node in enumerate(self.nodes):
            if node.leaf is None:
                members.setdefault(top_of(number), []).append(number)
        made = [[self.nodes[each].event for each in nodes] for nodes in members.values()]
        firsts = [min((each for each in known if each is not None), default=None) for known in made]
        return [Graph(nodes, first) for nodes, first in zip(members.values(), firsts, strict=True)]

    def place_of(self, event: int | None) -> Place | None:
        """The innermost place of the reader's code in which an event happened; None if none is
        known."""
        at = None if event is None else self.events[event].at
        return self.places[at[-1].place] if at else None

    def where(self, event: int | None) -> str:
        """An event's file and line, "train.py:12"; "" if it has no place."""
        place = self.place_of(event)
        return "" if place is None else f"{self.files[place.file].name}:{place.line}"

    def rounds_of(self, event: int) -> list[tuple[str, int]]:
        """The heads of the loops around an event, outermost first, and the rounds, from 0."""
        found = []
        for visit in self.events[event].at or ():
            loops = self.files[self.places[visit.place].file].loops
            found += [(loops[each.loop].text, each.number) for each in visit.rounds]
        return found

    def makers(self) -> dict[int, int]:
        """For each tensor that an operator or an autograd.grad gave, the first event that did."""
        made: dict[int, int] = {}
        for number, event in enumerate(self.events):
            if isinstance(event, Operator):
                for output in event.outs:
                    if event.writes is None or output.tensor not in event.writes:
                        made.setdefault(output.tensor, number)
            elif isinstance(event, BackwardEnd):
                for result in event.outs or ():
                    if result is not None:
                        made.setdefault(result.tensor, number)
        return made

    def name_of(self, tensor: int, makers: dict[int, int] | None = None) -> str:
        """The reader's name of a tensor, else the call that made it, "relu(…)", else "a tensor".

        makers: what makers() gives, if it is at hand.
        """
        name = self.tensors[tensor].name
        if name is not None:
            return name
        maker = (self.makers() if makers is None else makers).get(tensor)
        if maker is None:
            return "a tensor"
        event = self.events[maker]
        return f"{event.name}(…)" if isinstance(event, Operator) else "grad(…)"

    # ---- as JSON

    def to_json(self) -> dict[str, Any]:
        """The recording in the form of docs/study/recording.md."""
        numbers, values = packed_values(self.values)
        return {
            "format": FORMAT,
            "library": self.library,
            "python": self.python,
            "title": self.title,
            "files": [as_json(each) for each in self.files],
            "places": self.places,
            "events": [{"kind": each.kind, **as_json(each)} for each in self.events],
            "tensors": [as_json(each) for each in self.tensors],
            "nodes": [as_json(each) for each in self.nodes],
            "storages": [[each.bytes, each.born, each.died] for each in self.storages],
            "values": values,
            "numbers": numbers,
        }

    @classmethod
    def from_json(cls, data: Any) -> Recording:
        """A recording from its JSON form.

        Raises:
            ValueError: if it is of another format, or incomplete.
        """
        if not isinstance(data, dict) or "format" not in data:
            raise ValueError("this is no recording of minitorch.study: it has no 'format'")
        if data["format"] != FORMAT:
            raise ValueError(
                f"the recording has format {data['format']}; this version reads format {FORMAT}"
            )
        try:
            return cls(
                library=data["library"],
                python=data["python"],
                title=data["title"],
                files=[from_json(File, each) for each in data["files"]],
                places=[Place(*each) for each in data["places"]],
                events=[_event(each) for each in data["events"]],
                tensors=[from_json(TensorInfo, each) for each in data["tensors"]],
                nodes=[from_json(NodeInfo, each) for each in data["nodes"]],
                storages=[StorageInfo(*each) for each in data["storages"]],
                values=unpacked_values(data["values"], data["numbers"]),
            )
        except (KeyError, TypeError, IndexError, binascii.Error, zlib.error) as error:
            raise ValueError(f"the recording is damaged or incomplete: {error!r}") from error

    # ---- out into the world

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the recording to a file.

        Args:
            path: ends in ".json" for data that load() reads, in ".html" for a page to look at.

        Raises:
            ValueError: if it ends in something else.
        """
        name = os.fspath(path)
        if name.endswith(".html"):
            _page().write(self, name)
        elif name.endswith(".json"):
            with open(name, "w", encoding="utf-8") as file:
                json.dump(self.to_json(), file, separators=(",", ":"), ensure_ascii=False)
        else:
            raise ValueError(f"a recording is saved as .json or .html, not as {name!r}")

    def show(self) -> str:
        """Writes the page to a temporary file, opens it in a browser, and returns its path."""
        import tempfile  # start-up: 3 ms
        import webbrowser  # start-up: 8 ms

        with tempfile.NamedTemporaryFile(suffix=".html", delete=False) as file:
            path = file.name
        self.save(path)
        webbrowser.open(f"file://{path}")
        return path

    def _repr_html_(self) -> str:
        """The page, as notebooks show it."""
        return _page().frame(self)

    def __repr__(self) -> str:
        return (
            f"<recording {self.title!r} of {self.library}: {len(self.events)} steps, "
            f"{len(self.nodes)} nodes, {len(self.tensors)} tensors>"
        )


def load(path: str | os.PathLike[str]) -> Recording:
    """The recording in a file that save() wrote.

    Args:
        path: a .json file, or an .html page, which carries the same.

    Raises:
        ValueError: if the file is of another format, is truncated, or is no recording.
    """
    with open(path, encoding="utf-8") as file:
        text = file.read()
    name = os.fspath(path)
    try:
        data = _data_of_page(text) if text.lstrip().startswith("<") else json.loads(text)
    except (json.JSONDecodeError, binascii.Error, zlib.error) as error:
        raise ValueError(f"{name} is truncated, or no recording: {error}") from error
    try:
        return Recording.from_json(data)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def page_data(recording: Recording) -> tuple[str, str]:
    """The data of a page: the JSON without the numbers (zlib, base64), and the numbers."""
    data = recording.to_json()
    numbers = data.pop("numbers")
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return _packed(text.encode()), numbers


def _data_of_page(text: str) -> Any:
    """The data in the text of a page; ValueError if the page is no recording, or truncated."""
    found = []
    for element in ("data", "numbers"):
        _, start, rest = text.partition(f'id="{element}">')
        content, end, _ = rest.partition("</script>")
        if not (start and end):
            raise ValueError(f"the page has no whole element {element!r}: it is truncated")
        found.append(content.strip())
    data = json.loads(zlib.decompress(base64.b64decode(found[0])))
    return {**data, "numbers": found[1]}


# ---- dataclasses as JSON

# The entries of lists that have names.
_ENTRIES: dict[str, Any] = {
    "loops": Loop,
    "outs": Output,
    "fn": Edge,
    "edges": Edge,
    "params": Change,
}


def as_json(thing: Any) -> dict[str, Any]:
    """The fields of a dataclass that have a value."""
    found = {}
    for name in _fields_of(type(thing)):
        value = getattr(thing, name)
        if value is not None:
            found[name] = [as_json(each) for each in value] if name == "saved" else value
    return found


def from_json(kind: Any, data: dict[str, Any]) -> Any:
    """A dataclass from its fields; fields that it does not know are ignored."""
    given = {}
    for name in _fields_of(kind):
        if name not in data:
            continue
        value = data[name]
        if name == "at":
            value = [_visit(*each) for each in value]
        elif name == "saved":
            value = [from_json(SavedInfo, each) for each in value]
        elif name in _ENTRIES:
            entry = _ENTRIES[name]
            value = [None if each is None else entry(*each) for each in value]
        given[name] = value
    return kind(**given)


def _visit(place: int, rounds: list[Any]) -> Visit:
    return Visit(place, tuple([Round(*each) for each in rounds]))


def _event(data: dict[str, Any]) -> Event:
    kind = EVENTS.get(data["kind"])
    if kind is None:
        raise ValueError(f"an event of unknown kind {data['kind']!r}")
    return from_json(kind, data)


_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields_of(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass, those that must be there first."""
    if kind not in _FIELDS:
        found = sorted(fields(kind), key=lambda each: each.default is not MISSING)
        _FIELDS[kind] = tuple([each.name for each in found])
    return _FIELDS[kind]


# ---- numbers


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")


def packed_values(values: list[Value]) -> tuple[str, list[list[Any]]]:
    """All numbers as one text, and for each value its shape and where its numbers lie."""
    rows: list[list[Any]] = []
    offset = 0
    for each in values:
        row = [each.shape, offset, int(each.numbers.size)]
        if each.statistics is not None:
            row += [each.rows, each.columns, each.statistics]
        rows.append(row)
        offset += int(each.numbers.size)
    block = b"".join([numpy.asarray(each.numbers, "<f4").tobytes() for each in values])
    return _packed(block), rows


def unpacked_values(rows: list[Any], numbers: str) -> list[Value]:
    """The values that packed_values() packed."""
    block = numpy.frombuffer(zlib.decompress(base64.b64decode(numbers)), "<f4")

    def value_of(shape: list[int], offset: int, count: int, *more: Any) -> Value:
        if offset + count > block.size:
            raise IndexError(f"numbers {offset} to {offset + count} of {block.size}")
        return Value(shape, block[offset : offset + count], *more)

    return [value_of(*each) for each in rows]


def _page() -> Any:
    """The module that writes pages."""
    return from_above("study.page")
