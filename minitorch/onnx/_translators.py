"""The table of operators of ATen that can be written in ONNX.

A function takes the graph, the arguments of a call by name and the tensors that it gave, and
returns the name of the value of each of these that it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from minitorch.onnx._graph import Graph

Names = str | list[str]
Translator = Callable[[Graph, SimpleNamespace, list[Any]], Names]

TRANSLATORS: dict[str, Translator] = {}


class Unsupported(Exception):
    """A call that has no counterpart in ONNX, with the reason."""


def translates(*names: str) -> Callable[[Translator], Translator]:
    """A decorator that lists a function under names of operators; without overload, for all."""

    def listed(function: Translator) -> Translator:
        TRANSLATORS.update({f"aten::{name}": function for name in names})
        return function

    return listed


def each_of(value: Any, dims: int) -> list[int]:
    """A setting for each dimension."""
    values = list(value) if isinstance(value, Sequence) else [value]
    return values * dims if len(values) == 1 else values
