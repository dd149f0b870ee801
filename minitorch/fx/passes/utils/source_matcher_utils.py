"""torch.fx.passes.utils.source_matcher_utils: the nodes that a module or a function made."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from minitorch.fx.graph import Graph
from minitorch.fx.node import Node

__all__ = ["get_source_partitions", "check_subgraphs_connected", "SourcePartition"]

logger = logging.getLogger(__name__)


@dataclass
class SourcePartition:
    """Nodes of one source, their inputs, the outputs that others use, and their parameters."""

    nodes: list[Node]
    source: Any
    input_nodes: list[Node] = field(default_factory=list)
    output_nodes: list[Node] = field(default_factory=list)
    params: list[Node] = field(default_factory=list)


def get_source_partitions(
    graph: Graph, wanted_sources: list[Any], filter_fn: Callable[[Node], bool] | None = None
) -> dict[Any, list[SourcePartition]]:
    """The nodes that came from some sources, as their `meta` says.

    Args:
        graph: the graph
        wanted_sources: classes of modules, functions, or names of them
        filter_fn: takes a node; a partition is kept if it is true of all its nodes

    Returns: a source -> its partitions, one for each place in the program.

    Source: torch.fx.passes.utils.source_matcher_utils.get_source_partitions.
    """
    found: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes:
        place = _source_of(node, wanted_sources)
        if place is not None:
            path, source = place
            found.setdefault(source, {}).setdefault(path, []).append(node)
    return {
        source: [
            _partition(nodes, source)
            for nodes in by_path.values()
            if filter_fn is None or all(map(filter_fn, nodes))
        ]
        for source, by_path in found.items()
    }


def _source_of(node: Node, wanted: list[Any]) -> tuple[str, Any] | None:
    """The path and the source of a node; None if the source is not wanted."""
    stack = node.meta.get("source_fn_stack")
    if stack is not None:
        path, source = stack[-1][:2]
        return (path, source) if source in wanted else None
    if node.meta.get("torch_fn") is not None:
        path, function = node.meta["torch_fn"]
        name = function.split(".")[1]
        if name in wanted:
            return path, name
    modules = node.meta.get("nn_module_stack")
    if node.op != "call_function" or not modules:
        return None
    path, inner = list(modules.values())[-1]
    for source in wanted:
        if source == inner and not isinstance(source, type):
            return path, source
        if isinstance(source, type):
            named = f"{source.__module__}.{source.__qualname__}"
            derived = isinstance(inner, type) and issubclass(inner, source)
            if derived or inner in (named, named.removeprefix("mini")):
                return path, source
    return None


def _partition(nodes: list[Node], source: Any) -> SourcePartition:
    given = [each for node in nodes for each in node.args if isinstance(each, Node)]
    inputs = [each for each in given if each not in nodes and each.op != "get_attr"]
    params = [node for node in nodes if node.op == "get_attr"]
    outputs = [
        node
        for node in nodes
        if node.op != "get_attr" and any(user not in nodes for user in node.users)
    ]
    return SourcePartition(nodes, source, list(dict.fromkeys(inputs)), outputs, params)


def check_subgraphs_connected(subgraph1: SourcePartition, subgraph2: SourcePartition) -> bool:
    """Whether a node of the second partition uses one of the first."""
    return any(user in subgraph2.nodes for node in subgraph1.nodes for user in node.users)
