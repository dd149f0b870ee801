"""torch._C: what debuggers and libraries ask of the engine while it runs."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.overriding import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
)
from minitorch.core.declare.overriding import disabled as _disabled_torch_function_impl
from minitorch.core.graph import running

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_disabled_torch_function_impl"]


def _current_graph_task_id() -> int:
    """The number of the backward that runs on this thread; -1 outside of any."""
    task = running.task_id()
    return -1 if task is None else task.number


def _current_autograd_node() -> Any:
    """The node that runs on this thread, None outside of any backward."""
    return running.current_node()


def _will_engine_execute_node(node: Any) -> bool:
    """Whether a node runs in the backward of this thread. RuntimeError outside of any."""
    return running.will_execute(node)
