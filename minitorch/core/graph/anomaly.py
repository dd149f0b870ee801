"""Anomaly mode: where each node's forward call stood, and a walk that reports the node that fails.

While it is on, the order of a new node is an int that carries notes: the traceback of the call, and
the node whose gradient was being computed if one was. As torch/csrc/autograd/anomaly_mode.cpp.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from types import FrameType
from typing import Any

from minitorch.core.arrays.lazy import resolved
from minitorch.core.base.modes import ANOMALY, ASSEMBLED_GLOBALS, WALK_CLASSES
from minitorch.core.graph.hooks import ANY_HOOKS
from minitorch.core.graph.node import Node, accumulator
from minitorch.core.graph.observed_walk import ObservedWalk
from minitorch.core.warning import warn

_PACKAGE = __name__.partition(".")[0]
# Modules that torch's tracebacks lack: code that is C++ in torch, and modules that start scripts.
_INSIDE = tuple(
    [
        f"{_PACKAGE}.{name}"
        for name in ("core.", "aten.", "autograd.", "utils.checkpoint", "utils._python_dispatch")
    ]
)
_STARTS = (f"{_PACKAGE}.drop_in", f"{_PACKAGE}.__main__")

_next_order = ASSEMBLED_GLOBALS["next_order"]
_evaluating: ContextVar[Node | None] = ContextVar("evaluating", default=None)


class NotedOrder(int):
    """The order of a node that is made in anomaly mode; `notes` becomes its metadata."""

    notes: dict[str, Any]


def noted_order() -> NotedOrder:
    """The order of a node that is made now, with notes of where it is made."""
    order = NotedOrder(_next_order())
    order.notes = {"traceback_": calls()}
    parent = _evaluating.get()
    if parent is not None:
        order.notes["parent_"] = parent
    return order


def frames() -> list[tuple[FrameType, int]]:
    """The frames that led here and their lines, the innermost first, without this library's own."""
    found = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        name = name if name.startswith("minitorch") else f"mini{name}"
        if name in _STARTS:
            break
        if not name.startswith(_INSIDE):
            found.append((frame, frame.f_lineno))
        frame = frame.f_back
    return found


def calls() -> list[str]:
    """The calls that led here, as traceback.format_stack has them."""
    return traceback.StackSummary.extract(reversed(frames())).format()


def switch(enabled: bool, check_nan: bool) -> None:
    """Switches anomaly mode, and whether it looks for NaN in gradients."""
    ANOMALY.enabled, ANOMALY.check_nan = enabled, check_nan
    ASSEMBLED_GLOBALS["next_order"] = noted_order if enabled else _next_order
    if AnomalyWalk in WALK_CLASSES:
        WALK_CLASSES.remove(AnomalyWalk)
        ANY_HOOKS.release(AnomalyWalk)
    if enabled:
        WALK_CLASSES.insert(0, AnomalyWalk)
        ANY_HOOKS.hold(AnomalyWalk)  # the plain walk has no anomaly mode


class AnomalyWalk(ObservedWalk):
    """The walk of anomaly mode: looks for NaN in the gradients of each node. If a node fails, it
    warns with the traceback of the call that made the node.

    failed: whether a node has failed.
    """

    failed = False

    def run(self, nodes: list[Node]) -> None:
        for node in nodes:
            looking = (
                node.register_hook(partial(refuse_nan, node, self.keep_graph))
                if ANOMALY.enabled and ANOMALY.check_nan
                else None
            )
            try:
                self.evaluate(node, super().run, [node])
            finally:
                if looking is not None:
                    looking.remove()

    def finish(self, leaf: Any, grad: Any, alone: bool | None = None) -> None:
        node = accumulator(leaf)
        # torch makes the end of the graph at a leaf together with the first node that leads there.
        first = next((n for n in reversed(self.nodes) if any(e is leaf for e in n.edges)), None)
        if first is not None and "traceback_" in first.metadata:
            node.metadata.setdefault("traceback_", first.metadata["traceback_"])
        self.evaluate(node, super().finish, leaf, grad, alone)

    def evaluate(self, node: Node, step: Callable[..., None], *args: Any) -> None:
        """Does a step of the walk: nodes that it makes, and its errors, count as `node`'s."""
        token = _evaluating.set(node)
        try:
            step(*args)
        except BaseException:
            if ANOMALY.enabled and not self.failed:
                self.failed = True
                report(node)
            raise
        finally:
            _evaluating.reset(token)


def refuse_nan(node: Node, retain: bool, grads: tuple[Any, ...], _: Any) -> None:
    """A hook of `node`: RuntimeError if a gradient of its inputs has a NaN."""
    for i, grad in enumerate(grads):
        if grad is not None and has_nan(grad):
            if not retain:
                node.release()
            error = RuntimeError(
                f"Function '{node.name()}' returned nan values in its {i}th output."
            )
            if ANOMALY.explain is not None:
                error.add_note(ANOMALY.explain.nan(node))
            raise error


def has_nan(self: Any) -> bool:
    """Whether an element of a tensor is NaN."""
    x = resolved(self._array)
    return bool((x != x).any())


def report(node: Node) -> None:
    """Warns of an error in `node` with the traceback of its forward call. If that call was part of
    a backward, the tracebacks of the nodes of that backward follow.
    As torch/csrc/autograd/python_anomaly_mode.cpp."""
    text = f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n"
    while True:
        notes = node.metadata
        if "traceback_" in notes:
            warn(text + "".join(notes["traceback_"]), in_python=True)
        else:
            warn(
                f"Error detected in {node.name()}. No forward pass information available. Enable "
                "detect anomaly during forward pass for more information.",
                in_python=True,
            )
        if "parent_" not in notes:
            return
        node = notes["parent_"]
        text = (
            f"\n\nPrevious calculation was induced by {node.name()}. Traceback of forward call "
            "that induced the previous calculation:\n"
        )
