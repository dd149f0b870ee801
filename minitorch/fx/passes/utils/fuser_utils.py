"""torch.fx.passes.utils.fuser_utils: nodes of a graph put into modules of their own."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Iterable

from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node
from minitorch.fx.passes.tools_common import NodeList, NodeSet, stable_topological_sort
from minitorch.fx.passes.utils.common import lift_subgraph_as_module
from minitorch.fx.proxy import Proxy

Nodes = tuple[Node, ...]


def topo_sort(nodes: NodeList) -> NodeList:
    """Nodes in an order in which they can run, near the given one.

    Raises: AssertionError for a circle.
    """
    place = {node: i for i, node in enumerate(nodes)}
    waits = {node: sum(each in place for each in node.all_input_nodes) for node in nodes}
    ready = [(place[node], node) for node, count in waits.items() if not count]
    order: NodeList = []
    while ready:
        node = heapq.heappop(ready)[1]
        order.append(node)
        for user in node.users:
            if user in waits:
                waits[user] -= 1
                if not waits[user]:
                    heapq.heappush(ready, (place[user], user))
    if len(order) != len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return order


def validate_partition(partition: Iterable[Node]) -> bool:
    """Whether nodes can be put together: none needs the result of another through nodes outside."""
    own = set(partition)
    left = [user for node in own for user in node.users if user not in own]
    seen: NodeSet = set()
    while left:
        node = left.pop()
        if node in own:
            return False
        seen.add(node)
        left.extend(user for user in node.users if user not in seen)
    return True


def fuse_as_graphmodule(
    gm: GraphModule,
    nodes: NodeList,
    module_name: str,
    partition_lookup_table: dict[Node, int | None] | None = None,
    *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, Nodes, Nodes]:
    """A module that does what some nodes of a graph do.

    Args:
        gm: has the graph, which stays as it is
        nodes: the nodes, in an order in which they run
        module_name: the name of the new class
        partition_lookup_table: the nodes as keys
        always_return_tuple: whether a single result is in a tuple

    Returns: the module, the nodes that give its inputs, and those that gave its results.

    Raises: AssertionError for nodes of another graph, and for those that cannot be put together.

    Source: torch.fx.passes.utils.fuser_utils.fuse_as_graphmodule.
    """
    for node in nodes:
        _check_owner(node, gm)
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    own = dict.fromkeys(nodes) if partition_lookup_table is None else partition_lookup_table
    graph = Graph()
    inputs: dict[Node, Node] = {}
    copies: dict[Node, Node] = {}

    def given(node: Node) -> Node:
        if node in own:
            return copies[node]
        if node not in inputs:
            inputs[node] = graph.placeholder(node.name, type_expr=node.type)
            inputs[node].meta = copy.copy(node.meta)
        return inputs[node]

    for node in nodes:
        copies[node] = graph.node_copy(node, given)
    outputs = tuple(node for node in nodes if any(user not in own for user in node.users))
    results = tuple(copies[node] for node in outputs)
    graph.output(results[0] if len(results) == 1 and not always_return_tuple else results)
    graph.lint()
    made, _ = lift_subgraph_as_module(gm, graph, comp_name="", class_name=module_name)
    return made, tuple(inputs), outputs


def _check_owner(node: Node, gm: GraphModule) -> None:
    name = gm._get_name()
    if node.graph.owning_module is not gm:
        raise AssertionError(f"{node} doesn't belong to passed in graph module {name}")
    if node._erased:
        raise AssertionError(f"{node} has been removed from owning graph")
    if node not in gm.graph._find_nodes_lookup_table:
        raise AssertionError(f"{node} is not found in graph module {name}")


def insert_subgm(
    gm: GraphModule,
    sub_gm: GraphModule,
    orig_inputs: Nodes,
    orig_outputs: Nodes,
    insertion_point: Node | None = None,
) -> GraphModule:
    """Calls a module in a graph, and lets its results take the place of those of some nodes.

    Args:
        gm: has the graph
        sub_gm: the module; the name of its class is its name in `gm`
        orig_inputs: the nodes that give its inputs
        orig_outputs: the nodes that are replaced
        insertion_point: the node behind which it is called; else behind the last replaced one

    Raises: AssertionError if there is neither.

    Source: torch.fx.passes.utils.fuser_utils.insert_subgm.
    """
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    if insertion_point is None:
        replaced = [node for node in reversed(gm.graph.nodes) if node in orig_outputs]
        if not replaced:
            raise AssertionError(
                "Cannot determine insertion point: no insertion_point provided and orig_outputs "
                "is empty. Pass the last partition node as insertion_point."
            )
        insertion_point = replaced[0]
    with gm.graph.inserting_after(insertion_point):
        call = gm.graph.call_module(name, args=orig_inputs, kwargs=None)
    if not orig_outputs:
        return gm
    with gm.graph.inserting_before(call.next):
        result = sub_gm.graph.output_node().args[0]
        if len(orig_outputs) == 1 and not isinstance(result, tuple):
            orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        else:
            for i, node in enumerate(orig_outputs):
                node.replace_all_uses_with(Proxy(call)[i].node, propagate_meta=True)
            call.meta["val"] = tuple(node.meta.get("val") for node in orig_outputs)
    return gm


def erase_nodes(gm: GraphModule, nodes: NodeList) -> None:
    """Erases nodes, the last one first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule,
    partitions: list[dict[Node, int | None]],
    prefix: str = "fused_",
    always_return_tuple: bool = False,
) -> GraphModule:
    """Puts groups of nodes into modules of their own.

    Args:
        gm: has the graph, which is changed
        partitions: a group each, its nodes as keys
        prefix: what the modules' names begin with; a number follows
        always_return_tuple: whether their results are tuples

    Source: torch.fx.passes.utils.fuser_utils.fuse_by_partitions.
    """
    for i, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        made, inputs, outputs = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{i}", partition, always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, made, inputs, outputs, nodes[-1])
        erase_nodes(gm, nodes)
    stable_topological_sort(gm)
    gm.graph.lint()
    return gm
