"""torch._dynamo.testing: backends that count and keep the graphs that they get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch._dynamo import reset
from minitorch._public import outlines

__all__ = ["CompileCounter", "CompileCounterWithBackend", "EagerAndRecordGraphs", "reset"]


class CompileCounter:
    """A backend that counts graphs (`frame_count`) and the calls in them (`op_count`)."""

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: list[Any]) -> Callable[..., Any]:
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self) -> None:
        """Counts from 0 again."""
        self.frame_count = self.op_count = 0


class CompileCounterWithBackend:
    """Counts and keeps graphs, and runs them as they are.

    NotImplementedError for a backend that compiles.
    """

    def __init__(self, backend: Any) -> None:
        if backend != "eager":
            raise NotImplementedError(
                f"torch._dynamo.testing.CompileCounterWithBackend({backend!r}): nothing is compiled"
            )
        self.backend = backend
        self.clear()

    def __call__(self, gm: Any, example_inputs: list[Any]) -> Callable[..., Any]:
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        self.graphs.append(gm)
        return gm.forward

    def clear(self) -> None:
        """Counts from 0 again, and lets the graphs go."""
        self.frame_count = self.op_count = 0
        self.graphs: list[Any] = []


class EagerAndRecordGraphs:
    """A backend that keeps graphs and runs them as they are."""

    def __init__(self) -> None:
        self.graphs: list[Any] = []

    def __call__(self, gm: Any, example_inputs: list[Any]) -> Callable[..., Any]:
        self.graphs.append(gm)
        return gm.forward


for _each in (CompileCounter, CompileCounterWithBackend, EagerAndRecordGraphs):
    _each.__module__ = "torch._dynamo.testing"

__getattr__, __dir__ = outlines.rest_of("torch._dynamo.testing")
