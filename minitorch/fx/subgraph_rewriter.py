"""torch.fx.subgraph_rewriter: parts of a graph replaced by others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from minitorch.fx._symbolic_trace import symbolic_trace
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node
from minitorch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher
from minitorch.nn.modules.module import Module

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]

MatchFilter = Callable[[InternalMatch, Graph, Graph], bool]


class Match(NamedTuple):
    """A place where a pattern was: its last node, and the pattern's nodes -> the graph's."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A Match, and the nodes that came instead."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replaces all places of a graph that look like a pattern; they do not overlap.

    Args:
        gm: has the graph, whose code is written anew
        pattern: a function, or a GraphModule
        replacement: another one with as many inputs and outputs

    Returns: a Match for each place.

    Source: torch.fx.replace_pattern.
    """
    found = _replace_pattern(gm, pattern, replacement)
    return [Match(anchor=each.anchor, nodes_map=each.nodes_map) for each in found]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[MatchFilter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """As `replace_pattern`, where all filters agree.

    Args:
        gm, pattern, replacement: as there, or Graphs
        match_filters: each takes a match, the graph and the pattern's graph
        ignore_literals: whether plain arguments may differ from the pattern's
        replacement_callback: takes the same and gives the graph that comes instead
        node_name_match: nodes with this in their name fit any node of the pattern
    """
    return _replace_pattern(
        gm,
        pattern,
        replacement,
        match_filters,
        ignore_literals,
        replacement_callback,
        node_name_match,
    )


def _graph_of(given: Any) -> Graph:
    if isinstance(given, Graph):
        return given
    return given.graph if isinstance(given, GraphModule) else symbolic_trace(given).graph


def _replace_pattern(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[MatchFilter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[..., Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    graph, pattern_graph = gm.graph, _graph_of(pattern)
    matcher = SubgraphMatcher(pattern_graph, ignore_literals=ignore_literals)
    matches = [
        match
        for match in matcher.match(graph, node_name_match=node_name_match)
        if all(agrees(match, graph, pattern_graph) for agrees in match_filters or ())
    ]
    common = None
    if isinstance(replacement, Graph) or callable(replacement):
        common = _graph_of(replacement)
    elif replacement_callback is None:
        raise AssertionError(
            "Must provide either a replacement GraphModule or a replacement callback"
        )
    changed: dict[Node, Node] = {}
    result = []
    for match in matches:
        new = replacement_callback(match, graph, pattern_graph) if replacement_callback else common
        assert new is not None
        result.append(_replace_match(graph, match, new, pattern_graph, changed))
    gm.recompile()
    if isinstance(replacement, Module):
        _replace_attributes(gm, replacement)
    return result


def _replace_match(
    graph: Graph,
    match: InternalMatch,
    replacement: Graph,
    pattern: Graph,
    changed: dict[Node, Node],
) -> ReplacedPatterns:
    inputs = [node for node in replacement.nodes if node.op == "placeholder"]
    if len(match.placeholder_nodes) != len(inputs):
        raise AssertionError(
            f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(inputs)}"
        )
    values: dict[Node, Any] = {}
    for i, (own, given) in enumerate(zip(inputs, match.placeholder_nodes)):
        values[own] = given
        if isinstance(given, Node) and given in changed:  # a match before has replaced it
            values[own] = match.placeholder_nodes[i] = changed[given]
            keys = [key for key, value in match.nodes_map.items() if value is given]
            match.nodes_map[keys[0]] = changed[given]
    with graph.inserting_before(_insert_point(graph, match)):
        copied = graph.graph_copy(replacement, values)
    returned = (copied,) if isinstance(copied, Node) else copied
    outside = match.placeholder_nodes
    made = [each for each in values.values() if not any(each is given for given in outside)]
    if len(match.returning_nodes) != len(returned):
        raise AssertionError(
            f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(returned)}"
        )
    for old, new in zip(match.returning_nodes, returned):
        old.replace_all_uses_with(new)
        changed[old] = new
    for node in reversed(pattern.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    return ReplacedPatterns(match.anchors[0], match.nodes_map, made)


def _insert_point(graph: Graph, match: InternalMatch) -> Node:
    """The first node that uses a result; without one, that behind the last result."""
    users = {user for node in match.returning_nodes for user in node.users}
    if users:
        return next(node for node in graph.nodes if node in users)
    behind = None
    for node in reversed(graph.nodes):
        if node in match.returning_nodes:
            break
        behind = node
    if behind is None:
        raise AssertionError("The insert point can't be None")
    return behind


def _replace_attributes(gm: GraphModule, replacement: Module) -> None:
    """Gives a module what a replacement's nodes call and read."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or _found(gm, node.target) is not None:
            continue
        given = _found(replacement, node.target)
        if given is None:
            raise RuntimeError(
                'Attempted to create a "',
                node.op,
                f'" node during subgraph rewriting with target {node.target}, but the referenced '
                "attribute does not exist in the replacement GraphModule",
            )
        if isinstance(given, Module):
            gm.add_submodule(node.target, copy.deepcopy(given))
        else:
            setattr(gm, node.target, copy.deepcopy(given))
    gm.graph.lint()


def _found(module: Module, target: str) -> Any:
    path, _, name = target.rpartition(".")
    try:
        return getattr(module.get_submodule(path), name, None)
    except AttributeError:
        return None
