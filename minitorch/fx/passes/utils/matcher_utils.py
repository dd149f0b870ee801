"""torch.fx.passes.utils.matcher_utils: where a pattern's graph is in another one."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from minitorch._ops import OpOverload
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import _get_attr
from minitorch.fx.node import Node
from minitorch.fx.operator_schemas import normalize_function

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """A place where a pattern is found: its nodes -> those of the graph.

    Source: torch.fx.passes.utils.matcher_utils.InternalMatch.
    """

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)

    def __copy__(self) -> InternalMatch:
        return InternalMatch(
            self.anchors,
            self.nodes_map.copy(),
            self.placeholder_nodes.copy(),
            self.returning_nodes.copy(),
        )


class SubgraphMatcher:
    """Finds a pattern in graphs.

    Args:
        pattern: the graph to be found; all of it must be used
        match_output: whether the pattern's output must be the graph's
        match_placeholder: whether its inputs must be inputs of the graph
        remove_overlapping_matches: whether a node belongs to one match at most
        ignore_literals: whether numbers and other plain arguments may differ

    Raises: ValueError for an empty pattern, AssertionError for one with unused nodes.

    Source: torch.fx.passes.utils.matcher_utils.SubgraphMatcher.
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise AssertionError(
                    "SubgraphMatcher cannot be initialized with an pattern with dead code"
                )
        self.pattern = pattern
        self.match_output, self.match_placeholder = match_output, match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_returning_nodes = output.all_input_nodes
        ends = [node for node in output.all_input_nodes if len(node.users) == 1]
        self.pattern_anchors = [output] if match_output else ends

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places in a graph where the pattern is.

        Args:
            graph: the graph
            node_name_match: nodes with this in their name fit any node of the pattern
        """
        candidates = [
            (anchor, [n for n in graph.nodes if self._fits(anchor, n, node_name_match)])
            for anchor in self.pattern_anchors
        ]
        candidates = [(anchor, nodes) for anchor, nodes in candidates if nodes]
        found: list[InternalMatch] = []

        def place(index: int, match: InternalMatch) -> None:
            if index == len(candidates):
                nodes = match.nodes_map
                match.placeholder_nodes = [nodes[each] for each in self.pattern_placeholder_nodes]
                match.returning_nodes = [nodes[each] for each in self.pattern_returning_nodes]
                found.append(match)
                return
            anchor, nodes_of_graph = candidates[index]
            for node in nodes_of_graph:
                tried = copy.copy(match)
                if self._match_nodes(anchor, node, tried, node_name_match):
                    place(index + 1, tried)

        if candidates:
            place(0, InternalMatch(anchors=self.pattern_anchors))
        valid = [
            match
            for match in found
            if self._is_contained(match.nodes_map) and _is_closed(_computing(match))
        ]
        return _apart(valid) if self.remove_overlapping_matches else valid

    # ---- two nodes

    def _fits(self, pattern: Node, node: Node, name: str) -> bool:
        if not self.match_placeholder and pattern.op == "placeholder":
            return True
        if name and name in node.name:
            return True
        if pattern.op != node.op:
            return False
        if pattern.op in ("placeholder", "output"):
            return True
        if pattern.op == "get_attr":
            return self._attributes_fit(pattern, node)
        return pattern.target == node.target

    def _attributes_fit(self, pattern: Any, node: Any) -> bool:
        wanted = _get_attr(pattern.graph.owning_module, pattern.target)
        given = _get_attr(node.graph.owning_module, node.target)
        if type(wanted) is not type(given):
            return False
        if not isinstance(wanted, Tensor):
            raise RuntimeError(f"Unsupported type {wanted} when matching attributes")
        return True

    def _match_nodes(self, pattern: Node, node: Node, match: InternalMatch, name: str = "") -> bool:
        nodes = match.nodes_map
        if pattern in nodes:
            return nodes[pattern] == node
        if any(each is node for each in nodes.values()) or not self._fits(pattern, node, name):
            return False
        nodes[pattern] = node
        if pattern.op == "placeholder":
            return True
        pairs = _arguments(pattern, node)
        return pairs is not None and self._match_args(*pairs, match)

    def _match_args(self, wanted: Any, given: Any, match: InternalMatch) -> bool:
        if len(wanted) != len(given):
            return False
        for a, b in zip(wanted, given):
            if isinstance(a, Node) and isinstance(b, Node):
                fits = self._match_nodes(a, b, match)
            elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
                fits = self._match_args(a, b, match)
            else:
                fits = self._match_literals(a, b, match) or self.ignore_literals
            if not fits:
                return False
        return True

    def _match_literals(self, wanted: Any, given: Any, match: InternalMatch) -> bool:
        if isinstance(wanted, Node):
            if wanted.op != "placeholder":
                return False
            return match.nodes_map.setdefault(wanted, given) == given
        return type(given) is type(wanted) and given == wanted

    def _is_contained(self, nodes: dict[Node, Any]) -> bool:
        """Whether no node outside uses a node inside, but for the results."""
        inside = {given for pattern, given in nodes.items() if pattern.op != "placeholder"}
        return all(
            user in inside
            for pattern, given in nodes.items()
            if pattern.op != "placeholder" and pattern not in self.pattern_returning_nodes
            for user in given.users
        )


def _arguments(pattern: Node, node: Node) -> tuple[list[Any], list[Any]] | None:
    """The arguments of both in the same order; None if that cannot be."""
    if len(pattern.args) == len(node.args) and list(pattern.kwargs) == list(node.kwargs):
        return (
            [*pattern.args, *pattern.kwargs.values()],
            [*node.args, *node.kwargs.values()],
        )
    if isinstance(pattern.target, OpOverload):
        both = [
            normalize_function(each.target, each.args, each.kwargs, None, None, True)
            for each in (pattern, node)
        ]
        if all(both):
            return tuple([list(each.kwargs.values()) for each in both])  # type: ignore
    return None


def _computing(match: InternalMatch) -> list[Node]:
    return [
        given
        for pattern, given in match.nodes_map.items()
        if pattern.op not in ("placeholder", "output")
    ]


def _is_closed(partition: list[Node]) -> bool:
    """Whether nothing between two nodes of a part is outside of it: it can run as one step."""
    inside = set(partition)
    pending = [user for node in partition for user in node.users if user not in inside]
    seen: set[Node] = set()
    while pending:
        node = pending.pop()
        if node in inside:
            return False
        if node not in seen:
            seen.add(node)
            pending += node.users
    return True


def _apart(matches: list[InternalMatch]) -> list[InternalMatch]:
    """The matches that share no node with an earlier match."""
    kept: list[InternalMatch] = []
    taken: set[Node] = set()
    for match in matches:
        own = _computing(match)
        if taken.isdisjoint(own):
            kept.append(match)
            taken.update(own)
    return kept
