"""torch.fx.passes.infra.partitioner: the parts of a graph that an accelerator can run."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node, _get_qualified_name
from minitorch.fx.passes.operator_support import OperatorSupportBase
from minitorch.fx.passes.utils.fuser_utils import fuse_by_partitions

logger = logging.getLogger(__name__)
logger.setLevel(logging.WARNING)


class Partition:
    """Nodes that run together, each with its place.

    Args:
        id: its number
        nodes: the nodes
        node_orders: their places; None for all without them

    Source: torch.fx.passes.infra.partitioner.Partition.
    """

    def __init__(
        self,
        id: int | None = None,
        nodes: Iterable[Node] | None = None,
        node_orders: Iterable[int] | None = None,
    ) -> None:
        self.id = id
        given = list(nodes or ())
        places: list[Any] = [None] * len(given) if node_orders is None else list(node_orders)
        if nodes is not None and len(given) != len(places):
            raise AssertionError("nodes and node_orders must have the same length")
        self.nodes: dict[Node, int | None] = dict(zip(given, places))

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        """Adds a node."""
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        """Removes a node."""
        del self.nodes[node]

    def size(self) -> int:
        """The number of nodes."""
        return len(self.nodes)


class _DependencyViewer:
    """Knows which nodes need a node, through others as well."""

    def __init__(self, graph_module: GraphModule) -> None:
        self.downstreams: dict[Node, set[Node]] = defaultdict(set)
        for node in reversed(graph_module.graph.nodes):
            for user in node.users:
                self.downstreams[node] |= {user, *self.downstreams[user]}

    def downstreams_of(self, node: Node) -> set[Node]:
        """The nodes that need a node."""
        return self.downstreams[node]


class CapabilityBasedPartitioner:
    """Finds the largest parts of a graph whose nodes an accelerator can run.

    Args:
        graph_module: has the graph
        operator_support: says which nodes can run
        allows_single_node_partition: whether parts of one computing node are kept
        non_compute_ops: names of functions that compute nothing
        allowed_single_node_partition_ops: names of functions that may be alone
        skip_horizontal_fusion: whether parts are joined only where one uses the other

    Source: torch.fx.passes.infra.partitioner.CapabilityBasedPartitioner.
    """

    def __init__(
        self,
        graph_module: GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        skip_horizontal_fusion: bool = False,
    ) -> None:
        self.graph_module = graph_module
        self.operator_support = operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = [] if non_compute_ops is None else non_compute_ops
        alone = allowed_single_node_partition_ops
        self.allowed_single_node_partition_ops = [] if alone is None else alone
        self.skip_horizontal_fusion = skip_horizontal_fusion
        self.dependency_viewer = _DependencyViewer(graph_module)

    def _is_node_supported(self, node: Node) -> bool:
        modules = dict(self.graph_module.named_modules())
        return self.operator_support.is_node_supported(modules, node)

    def propose_partitions(self) -> list[Partition]:
        """The parts, from the end of the graph to its beginning."""
        growing = _Growing(self.dependency_viewer)
        for place, node in enumerate(reversed(self.graph_module.graph.nodes)):
            supported = self._is_node_supported(node)
            candidates = [growing.start(node, place)] if supported else []
            if self.skip_horizontal_fusion:
                used = [growing.at[user] for user in node.users if user in growing.at]
                candidates += used if supported else []
            else:
                candidates += sorted(growing.order, key=growing.order.__getitem__)
            growing.join(list(dict.fromkeys(candidates)))
        for part in growing.parts.values():
            places = sorted(part.nodes.items(), key=lambda item: item[1] or 0, reverse=True)
            part.nodes = dict(places)
        growing.move_getitems(self.graph_module)
        parts = list(growing.parts.values())
        if not self.allows_single_node_partition:
            parts = [part for part in parts if self._computing(part) > 1]
        for part in parts:
            logger.debug("partition #%s: %s", part.id, [node.name for node in part.nodes])
        return [part for part in parts if part.size() > 0]

    def _computing(self, part: Partition) -> int:
        idle = {"torch.ops.aten.view", "_operator.getitem", *self.non_compute_ops}
        called = [node.target for node in part.nodes if node.op == "call_function"]
        names = [_get_qualified_name(target) for target in called]
        alone = self.allowed_single_node_partition_ops
        return sum((name not in idle) + (name in alone) for name in names)

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """The module, with a module for each part."""
        nodes = [partition.nodes for partition in partitions]
        return fuse_by_partitions(self.graph_module, nodes, prefix=prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Removes what computes nothing from the beginning and the end of parts."""
        known: tuple[dict[Node, bool], dict[Node, bool]] = ({}, {})
        for partition in partitions:
            removed: set[Node] = set()
            for node in partition.nodes:
                if self._is_idle(node) and any(
                    self._is_outside(node, partition, removed, seen, forwards)
                    for forwards, seen in enumerate(known)
                ):
                    removed.add(node)
            for node in removed:
                partition.nodes.pop(node, None)

    def _is_idle(self, node: Node) -> bool:
        if node.op != "call_function":
            return False
        return _get_qualified_name(node.target) in self.non_compute_ops

    def _is_outside(
        self, node: Node, part: Partition, removed: set[Node], seen: dict[Node, bool], forwards: int
    ) -> bool:
        """Whether all on one side of a node is outside its part, or computes nothing."""
        if node.op == "placeholder" or node not in part.nodes or node in removed:
            return True
        if node not in seen:
            neighbours = list(node.users) if forwards else node.all_input_nodes
            seen[node] = self._is_idle(node) and all(
                self._is_outside(each, part, removed, seen, forwards) for each in neighbours
            )
        return seen[node]

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """The module, with a module for each part that can run."""
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)


class _Growing:
    """Parts that grow while a graph is walked backwards.

    at: the part of each node. order: the place of each part. behind: the parts that need it.
    """

    def __init__(self, viewer: _DependencyViewer) -> None:
        self.viewer = viewer
        self.at: dict[Node, int] = {}
        self.parts: dict[int, Partition] = {}
        self.order: dict[int, int] = {}
        self.users: dict[int, set[Node]] = {}
        self.behind: dict[int, set[int]] = {}
        self.count = 0

    def start(self, node: Node, place: int) -> int:
        """The number of a new part, of one node."""
        new = self.count
        self.count += 1
        self.at[node] = self.order[new] = new
        self.parts[new] = Partition(new, [node], [place])
        self.users[new] = set(node.users)
        self.behind[new] = self._needing(self.users[new]) - {new}
        return new

    def _needing(self, users: Iterable[Node]) -> set[int]:
        found: set[int] = set()
        for user in users:
            for node in (user, *self.viewer.downstreams_of(user)):
                if node in self.at:
                    found |= {self.at[node], *self.behind[self.at[node]]}
        return found

    def join(self, candidates: list[int]) -> None:
        """Joins parts with the first of them, where no circle comes of it."""
        if candidates:
            one = candidates[0]
            for other in candidates[1:]:
                one = self._joined(one, other)

    def _joined(self, one: int, other: int) -> int:
        both = self.parts[one].nodes | self.parts[other].nodes
        users = {user for user in self.users[one] | self.users[other] if user not in both}
        for user in users:
            for node in (user, *self.viewer.downstreams_of(user)):
                if node in both or self.behind.get(self.at.get(node, -1), set()) & {one, other}:
                    return one
        kept, gone = one, other
        if len(self.parts[one].nodes) < len(self.parts[other].nodes):
            kept, gone = other, one
        self.parts[kept].nodes.update(self.parts[gone].nodes)
        self.at.update(dict.fromkeys(self.parts.pop(gone).nodes, kept))
        self.order[kept] = min(self.order[kept], self.order.pop(gone))
        self.users[kept] = users
        del self.users[gone]
        behind = self.behind[kept] | self.behind.pop(gone)
        self.behind[kept] = behind
        self.behind[kept] = (behind | self._needing(users)) - {kept, gone}
        return kept

    def move_getitems(self, module: GraphModule) -> None:
        """Moves what takes a tuple apart to the part that makes it."""
        while True:
            moves = {}
            for node in module.graph.nodes:
                if all(_is_getitem(user) for user in node.users):
                    here = self.at.get(node)
                    moves.update({u: here for u in node.users if self.at.get(u) != here})
            if not moves:
                return
            for node, target in moves.items():
                if node in self.at:
                    self.parts[self.at.pop(node)].remove_node(node)
                if target is not None:
                    self.at[node] = target
                    self.parts[target].add_node(node)


def _is_getitem(node: Node) -> bool:
    named = node.op == "call_function" and _get_qualified_name(node.target)
    return named == "_operator.getitem"
