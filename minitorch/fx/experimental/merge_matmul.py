"""torch.fx.experimental.merge_matmul: products with the same right side done at once."""

from __future__ import annotations

import itertools
import operator
from typing import Any

from minitorch import cat, matmul, nn, split
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx._symbolic_trace import symbolic_trace
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node
from minitorch.fx.passes.tools_common import legalize_graph
from minitorch.fx.proxy import Proxy


def split_result_tensors(result: Tensor, inputs: list[Tensor]) -> Any:
    """A product taken apart again, into as many rows as each of the inputs had.

    Source: torch.fx.experimental.merge_matmul.split_result_tensors.
    """
    traced = isinstance(result, Proxy)  # the sizes are not known then
    return split(result, [0 if traced else each.shape[0] for each in inputs])


def may_depend_on(a: Node, b: Node, search_depth: int = 6) -> bool:
    """Whether `a` may need `b`; true where that is further away than the depth of the search."""
    if a == b:
        return True
    if not a.all_input_nodes:
        return False
    if search_depth == 0:
        return True
    return any(may_depend_on(each, b, search_depth - 1) for each in a.all_input_nodes)


def are_nodes_independent(nodes: list[Node]) -> bool:
    """Whether none of the nodes may need another one."""
    pairs = itertools.permutations(nodes, 2)
    return not any(may_depend_on(one, other) for one, other in pairs)


def merge_matmul(in_mod: nn.Module) -> GraphModule:
    """A module in which torch.matmul is called once for all products with the same right side.

    Source: torch.fx.experimental.merge_matmul.merge_matmul.
    """
    traced = symbolic_trace(in_mod)
    graph = traced.graph
    by_right: dict[Any, list[Node]] = {}
    for node in graph.nodes:
        if node.op == "call_function" and node.target is matmul:
            right = node.args[1]
            key = right.target if right.op == "get_attr" else right
            by_right.setdefault(key, []).append(node)
    for key, products in by_right.items():
        if len(products) < 2 or not are_nodes_independent(products):
            continue
        lefts = [node.args[0] for node in products]
        right = graph.get_attr(key) if isinstance(key, str) else key
        merged = graph.call_function(matmul, (graph.call_function(cat, (lefts,)), right))
        parts = graph.call_function(split_result_tensors, (merged, lefts))
        results = [graph.call_function(operator.getitem, (parts, i)) for i in range(len(products))]
        for old, new in zip(products, results):
            old.replace_all_uses_with(new)
            graph.erase_node(old)
        legalize_graph(traced)
    traced.recompile()
    traced.graph.lint()
    return traced
