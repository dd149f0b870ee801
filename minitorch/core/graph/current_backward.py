"""The backward that runs on this thread: callbacks for its end, its number, and its node.

It is found on the stack, so a backward that is never asked for costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minitorch.core.base.modes import RUNNING
from minitorch.core.graph.engine import FINAL, run_backward
from minitorch.core.graph.fast_walk import fast_walk
from minitorch.core.graph.node import accumulator
from minitorch.core.graph.observed_walk import ObservedWalk, next_number
from minitorch.core.graph.reach import discover


def queue_callback(callback: Callable[[], object]) -> None:
    """Calls `callback` at the end of the backward that is running on this thread."""
    frame = _running()
    if frame is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    FINAL.setdefault(frame, []).append(callback)


def _running() -> Any:
    """The frame of the innermost backward of this thread; None outside of any."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code is not run_backward.__code__:
        frame = frame.f_back
    return frame


class _Task:
    """Stands for one backward among the callbacks for its end."""

    def __init__(self) -> None:
        self.number = next_number()

    def __call__(self) -> None:
        pass


def task_id() -> Any:
    """An object that stands for the backward that runs on this thread; None outside of any."""
    frame = _running()
    if frame is None:
        return None
    callbacks = FINAL.setdefault(frame, [])
    for each in callbacks:
        if isinstance(each, _Task):
            return each
    callbacks.append(_Task())
    return callbacks[-1]


def current_node() -> Any:
    """The node that runs on this thread, as users see it; None outside of any backward."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code is fast_walk.__code__:
            return frame.f_locals["node"].public_node
        method = frame.f_code.co_name
        if method in ("run", "finish") and isinstance(frame.f_locals.get("self"), ObservedWalk):
            here = frame.f_locals
            return accumulator(here["leaf"]) if method == "finish" else here["node"].public_node
        frame = frame.f_back
    return None


def will_execute(node: Any) -> bool:
    """Whether a node runs in the backward of this thread. RuntimeError outside of any."""
    frame = _running()
    if frame is None:
        raise RuntimeError(
            "_get_should_execute_nodes should only be called during the backward pass"
        )
    walk = RUNNING.get()
    if walk is None:
        nodes, leaves = discover([target for target, _ in frame.f_locals["roots"]])
        walk = ObservedWalk(leaves, True, False, None, set(), False)
        walk.nodes = nodes
    return walk.executes(node)
