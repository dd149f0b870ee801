"""The first mistake of an answer on a page: its expression, recorded, with the wrong value marked.

The library runs the expression, so that the page shows how the right values come about.
"""

from __future__ import annotations

import linecache
from typing import Any

import minitorch
from minitorch.study.page import Mark
from minitorch.study.tape.recorder import record
from minitorch.study.tape.recording import Accumulation, NodeRun, Operator, Recording

_FILE = "expression.py"


def recording_of(program: str) -> Recording:
    """Records an expression.

    Args:
        program: its lines, with `Value(...)` for each leaf, as a verdict shows them.

    Returns:
        Recording of the library's run. Backwards before the last keep the graph, for a reader's
        Value may go backward twice.
    """
    text = program.replace(
        ".backward()", ".backward(retain_graph=True)", program.count(".backward()") - 1
    )
    linecache.cache[_FILE] = len(text), None, text.splitlines(keepends=True), _FILE
    names = {"__name__": "expression", "Value": _value, "numpy": _Arrays}
    with record("minitorch", title=_FILE) as tape:
        exec(compile(text, _FILE, "exec"), names)
    return tape


def mark_of(recording: Recording, name: str, text: str) -> Mark:
    """The mark on a value: where its gradient is complete, or where it is made.

    Args:
        recording: of an expression.
        name: the value's name in it.
        text: what is wrong.

    Raises:
        ValueError: the expression has no such value.
    """
    tensor = None
    places: dict[int, int] = {}  # the last event of each tensor, its gradient's if it has one
    made_by: dict[int, int] = {}  # the tensor that each node belongs to
    for number, event in enumerate(recording.events):
        if isinstance(event, Operator):
            for output, edge in zip(event.outs, event.fn):
                if recording.tensors[output.tensor].name == name:
                    tensor = output.tensor
                places[output.tensor] = number
                if edge is not None and edge.node is not None:
                    made_by[edge.node] = output.tensor
        elif isinstance(event, NodeRun) and event.node in made_by:
            places[made_by[event.node]] = number
        elif isinstance(event, Accumulation):
            places[event.leaf] = number
    if tensor is None:
        raise ValueError(f"the expression has no value {name!r}")
    return Mark(places[tensor], tensor, text)


def _value(data: Any, requires_grad: bool = False) -> Any:
    return minitorch.tensor(data, dtype=minitorch.float64, requires_grad=requires_grad)


class _Arrays:
    """Stands for numpy in an expression: a leaf is made of the list itself."""

    @staticmethod
    def array(data: Any) -> Any:
        """The data."""
        return data
