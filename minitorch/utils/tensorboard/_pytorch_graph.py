"""Graphs of modules, as TensorBoard shows them."""

from __future__ import annotations

from typing import Any, NoReturn


def graph(model: Any, args: Any, verbose: bool = False, use_strict_trace: bool = True) -> NoReturn:
    """Refuses: torch takes the graph from torch.jit.trace, and a trace holds none here."""
    raise NotImplementedError(
        "SummaryWriter.add_graph: torch.jit.trace records no graph in minitorch"
    )
