"""Recordings of minitorch.study: of the scripts in `snippets/study/`, under both libraries.

The events with their places, rounds and modules, the graphs, what nodes save, the names of tensors
and the lives of storages have to be equal; values are judged as all numbers are. Whatever library
is examined, minitorch.study records it: as real torch, or as minitorch.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

from conformance.cases.case import Case, Outcome
from conformance.options import Options
from conformance.oracle.record import Values
from minitorch.study import record
from minitorch.study.tape.recording import (
    Accumulation,
    Backward,
    NodeRun,
    Operator,
    Recording,
    Update,
    Zero,
)

FOLDER = Path(__file__).parent / "snippets" / "study"
# Public functions of torch, and the operators that minitorch shows: functions that it writes
# in Python are one call in torch.
ALIASES = {"kaiming_uniform_": "uniform_"}
# Functions of nn.init turn grad mode off inside: torch shows the call, minitorch its operator.
INITIALISERS = ("kaiming_uniform_", "uniform_", "normal_")
# minitorch's operators take these tensors in another order than torch's functions.
REORDERED = ("batch_norm", "embedding")
# Their numbers are whatever the memory held.
UNINITIALISED = ("empty", "empty_like", "new_empty")


@dataclass
class Study(Case):
    """A script that is recorded from its first line to its last."""

    file: Path
    main: str = "order"
    properties: frozenset[str] = frozenset(
        ("order", "graph", "saved", "value", "grad", "state", "text", "effects")
    )
    neighbours = 3

    @property
    def label(self) -> str:
        """The file's name."""
        return self.file.stem

    def run(self, torch: ModuleType) -> Outcome:
        """Records the script, and returns what the recording says."""
        with _imported(torch), _uncollected():
            return outcome(recorded(self.file, torch))

    def script(self, impl: str) -> str:
        """Returns the script with the two commands that record it."""
        command = "python -m minitorch.study -o out.json"
        name = self.file.name
        return f"# {command} {name}\n# {command} --torch {name}\n{self.file.read_text()}"

    @property
    def title(self) -> str:
        """The file's name."""
        return self.label

    @property
    def size(self) -> int:
        """The length of the file."""
        return self.file.stat().st_size


def recorded(file: Path, torch: ModuleType) -> Recording:
    """Returns a recording of a script, which an exception ends."""
    code = compile(file.read_text(), str(file), "exec", dont_inherit=True)
    names = {"__name__": "__main__", "__file__": str(file)}
    library = "torch" if torch.__name__ == "torch" else "minitorch"
    tape = None
    try:
        with redirect_stdout(StringIO()), record(library, title=file.name) as tape:
            exec(code, names)
    except Exception:
        if tape is None:
            raise
    return tape


def outcome(tape: Recording) -> Outcome:
    """Returns what a recording says, by property."""
    return {
        "order": [_what(tape, number) for number in range(len(tape.events))],
        "graph": [
            (node.name, node.event, node.leaf, [tuple(each) for each in node.edges])
            for node in tape.nodes
        ],
        "saved": [
            [(each.name, each.tensor, each.shape, each.text, each.packed) for each in node.saved]
            for node in tape.nodes
        ],
        "text": [
            {
                "name": tensor.name,
                "shape": tensor.shape,
                "dtype": tensor.dtype,
                "leaf, grad, param": [tensor.leaf, tensor.grad, tensor.param],
                "base": tensor.base,
                "storage": tensor.storage,
            }
            for tensor in tape.tensors
        ],
        "effects": [[each.bytes, each.born, each.died] for each in tape.storages],
        "value": [_values(tape, event) for event in tape.events if isinstance(event, Operator)],
        "grad": [
            [_value(tape, each) for each in _gradients(event)]
            for event in tape.events
            if isinstance(event, (NodeRun, Accumulation))
        ],
        "state": [
            [_value(tape, number) for change in event.params for number in change[1:]]
            for event in tape.events
            if isinstance(event, Update)
        ],
    }


def _what(tape: Recording, number: int) -> dict[str, Any]:
    """Returns what an event is, apart from its numbers."""
    event = tape.events[number]
    name = getattr(event, "name", "")
    found: dict[str, Any] = {
        "kind": event.kind,
        "name": ALIASES.get(name, name),
        "at": [
            (tape.places[visit.place].line, tape.places[visit.place].expression, *visit.rounds)
            for visit in event.at or ()
        ],
        "module": event.module or [],
        "thread": event.thread,
        "printed": event.out or "",
    }
    if isinstance(event, Operator):
        ins = sorted(event.ins) if name in REORDERED else event.ins
        found["tensors"] = [ins, [each.tensor for each in event.outs], event.writes or []]
        found["made"] = [each and tuple(each) for each in event.fn]
        found["grad"] = [event.grad_mode or name in INITIALISERS, *event.requires_grad]
    elif isinstance(event, Backward):
        found["roots"] = [event.roots, event.keep, event.create]
    elif isinstance(event, (NodeRun, Accumulation)):
        found["node"] = [event.node, getattr(event, "gs", None)]
    elif isinstance(event, Zero):
        found["cleared"] = [event.tensors, event.to]
    return found


def _values(tape: Recording, event: Operator) -> list[Any]:
    if event.name in UNINITIALISED:
        return []
    return [_value(tape, each.value) for each in event.outs]


def _gradients(event: NodeRun | Accumulation) -> list[int | None]:
    if isinstance(event, NodeRun):
        return [*event.into, *event.out_of]
    return [*event.into, event.total]


def _value(tape: Recording, number: int | None) -> Values | None:
    if number is None:
        return None
    return Values("float32", tape.values[number].array)


@contextmanager
def _imported(torch: ModuleType) -> Iterator[None]:
    """While it lasts, `import torch` finds the library."""
    installed = getattr(torch, "installed_as_torch", None)
    with installed() if installed is not None else nullcontext():
        yield


@contextmanager
def _uncollected() -> Iterator[None]:
    """While it lasts, nothing but a count of references frees memory: storages die in their time,
    not when the collector comes."""
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    sys.last_value = None
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def keys(options: Options) -> list[str]:
    """Returns the scripts by name."""
    return sorted(file.stem for file in FOLDER.glob("*.py"))


def cases(key: str, options: Options) -> Iterator[Study]:
    """Yields the one recording of this name."""
    yield Study(FOLDER / f"{key}.py")
