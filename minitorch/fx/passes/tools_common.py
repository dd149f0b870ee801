"""torch.fx.passes.tools_common: how nodes are named and ordered, and which belong together."""

from __future__ import annotations

import heapq
import operator
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minitorch._ops import ops
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node, _get_qualified_name
from minitorch.nn.modules.module import Module

__all__ = [
    "get_acc_ops_name",
    "get_node_target",
    "is_node_output_tensor",
    "FxNetAccFusionsFinder",
    "legalize_graph",
    "stable_topological_sort",
]

Tensors = tuple[Tensor] | list[Tensor]
TensorOrTensors = Tensor | Tensors
NodeList = list[Node]
NodeSet = set[Node]
Names = list[str]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_acc_ops_name(k: Any) -> str:
    """The name of an operator by which accelerators' tables know it: a string as it is."""
    if isinstance(k, str):
        return k
    module = k.__module__
    if module and "acc_ops" in module:
        return f"acc_ops.{k.__name__}"
    shown = (module or "").replace("torch._ops", "torch.ops").replace("minitorch", "torch")
    return f"{shown}.{k.__name__}"


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """The name of a node's target: a class of modules, a function with its module, a method.

    Raises: AssertionError for a node that calls nothing.

    Source: torch.fx.passes.tools_common.get_node_target.
    """
    if node.op not in CALLABLE_NODE_OPS:
        kinds = ", ".join(CALLABLE_NODE_OPS)
        raise AssertionError(f"Expect op types of {kinds}, but found {node.op}")
    target: Any = node.target
    if node.op == "call_module":
        module = submodules[target]
        return get_acc_ops_name(getattr(module, "_base_class_origin", type(module)))
    if node.op == "call_method":
        return target
    if target.__module__ is not None and "acc_ops" in target.__module__:
        return f"acc_ops.{target.__name__}"
    return _get_qualified_name(target)


def is_node_output_tensor(node: Node) -> bool:
    """Whether ShapeProp saw a node return a tensor."""
    kind = node.meta.get("type")
    return kind is not None and issubclass(kind, Tensor)


class FxNetAccFusionsFinder:
    """Finds the nodes that must stay together: those between which no tensor goes.

    Args:
        module: has the graph, over which ShapeProp has run
        acc_nodes: the nodes of an accelerator; those of groups that are not all its own leave it

    Source: torch.fx.passes.tools_common.FxNetAccFusionsFinder.
    """

    def __init__(self, module: GraphModule, acc_nodes: NodeSet) -> None:
        self.module = module
        self.nodes = list(module.graph.nodes)
        self.acc_nodes = acc_nodes
        self.node_index = {node: i for i, node in enumerate(self.nodes)}

    @dataclass
    class FusionGroup:
        """Nodes that stay together, their inputs, and which of them are new."""

        top_node_idx: int
        nodes: NodeSet
        inputs: NodeSet
        nodes_need_process: NodeSet

        def add_node(self, node: Node) -> None:
            """Adds a node."""
            if node in self.nodes:
                return
            self.nodes_need_process.add(node)
            self.nodes.add(node)
            self.inputs.discard(node)
            taken = [each for each in node.all_input_nodes if each.op in CALLABLE_NODE_OPS]
            self.inputs.update(each for each in taken if each not in self.nodes)

    def recursive_add_node(
        self, fusion_group: FusionGroup, inputs: Any, visited: NodeSet | None = None
    ) -> bool:
        """Adds the nodes that lead from the group to `inputs`; whether there is one."""
        for each in inputs:
            if visited is not None:
                if each in visited:
                    continue
                visited.add(each)
            if each.op not in CALLABLE_NODE_OPS:
                continue
            if self.node_index[each] < fusion_group.top_node_idx:
                continue
            if each in fusion_group.nodes:
                return True
            if self.recursive_add_node(fusion_group, each.all_input_nodes, visited):
                fusion_group.add_node(each)
                return True
        return False

    def __call__(self) -> dict[Node, NodeSet]:
        """The group of each node that is in one."""
        result: dict[Node, NodeSet] = {}
        for node in list(self.acc_nodes):
            if node in result or node.op not in CALLABLE_NODE_OPS or "tensor_meta" in node.meta:
                continue
            if node not in self.acc_nodes:
                continue
            group = self._group_of(node)
            if set(group.nodes) <= self.acc_nodes:
                result.update(dict.fromkeys(group.nodes, group.nodes))
            else:
                self.acc_nodes -= group.nodes
        return result

    def _group_of(self, node: Node) -> FusionGroup:
        group = self.FusionGroup(self.node_index[node], {node}, set(node.all_input_nodes), {node})
        while group.nodes_need_process:
            node = group.nodes_need_process.pop()
            self.recursive_add_node(group, group.inputs, visited=set())
            if "tensor_meta" not in node.meta:
                for user in node.users:
                    if user.op in CALLABLE_NODE_OPS and user not in group.nodes:
                        group.add_node(user)
                        self.recursive_add_node(group, group.inputs, visited=set())
            for each in node.all_input_nodes:
                if each.op not in CALLABLE_NODE_OPS or "tensor_meta" in each.meta:
                    continue
                if each not in group.nodes:
                    group.add_node(each)
                    group.top_node_idx = min(group.top_node_idx, self.node_index[each])
                    self.recursive_add_node(group, group.inputs, visited=set())
        return group


# Calls that legalize_graph puts before others that could run as well.
_OPERATORS = "add mul sub floordiv truediv mod le lt ge gt eq ne".split()
_OVERLOADS = (
    ("sym_constrain_range", "default"),
    ("sym_constrain_range_for_size", "default"),
    ("_assert_async", "msg"),
    ("scalar_tensor", "default"),
    ("_assert_scalar", "default"),
)


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Puts the nodes of a graph in an order in which it can run. RuntimeError for a circle.

    Source: torch.fx.passes.tools_common.legalize_graph.
    """
    first = [getattr(operator, name) for name in _OPERATORS]
    first += [getattr(getattr(ops.aten, name), overload) for name, overload in _OVERLOADS]
    waits = _inputs_counted(gm)
    queue = deque(node for node, count in waits.items() if not count)
    order = []
    while queue:
        node = queue.popleft()
        order.append(node)
        for user in node.users:
            waits[user] -= 1
            if not waits[user]:
                soon = user.op == "call_function" and user.target in first
                (queue.appendleft if soon else queue.append)(user)
    if len(order) < len(waits):
        raise RuntimeError(_circle(waits))
    return _reordered(gm, order)


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """Puts the nodes of a graph in an order in which it can run, near the one that they have.

    Raises: AssertionError for a circle.

    Source: torch.fx.passes.tools_common.stable_topological_sort.
    """
    place = {node: i for i, node in enumerate(gm.graph.nodes)}
    waits = _inputs_counted(gm)
    ready = [(place[node], node) for node, count in waits.items() if not count]
    order = []
    while ready:
        node = heapq.heappop(ready)[1]
        order.append(node)
        for user in node.users:
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, (place[user], user))
    if len(order) != len(waits):
        raise AssertionError(_circle(waits))
    return _reordered(gm, order)


def _inputs_counted(gm: GraphModule) -> dict[Node, int]:
    counts = dict.fromkeys(gm.graph.nodes, 0)
    for node in gm.graph.nodes:
        for user in node.users:
            counts[user] += 1
    return counts


def _circle(waits: dict[Node, int]) -> str:
    left = [node for node, count in waits.items() if count]
    return f"Input graph has cycles, unable to add {left}"


def _reordered(gm: GraphModule, order: NodeList) -> GraphModule:
    graph, copies = Graph(), {}
    for node in order:
        copies[node] = graph.node_copy(node, copies.__getitem__)
    graph._codegen = gm.graph._codegen
    gm.graph = graph
    return gm
