"""torch.fx.passes.graph_manipulation: nodes replaced, and how many bytes their values take."""

from __future__ import annotations

from typing import Any, NamedTuple

from minitorch.core.tensor.tensor import Tensor
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node, Target, map_arg
from minitorch.fx.passes.shape_prop import ShapeProp, TensorMetadata

__all__ = [
    "replace_target_nodes_with",
    "size_bytes",
    "get_size_of_all_nodes",
    "get_tensor_meta",
    "get_size_of_node",
]


def replace_target_nodes_with(
    fx_module: GraphModule, old_op: str, old_target: Target, new_op: str, new_target: Target
) -> None:
    """Gives all nodes of an op and a target another op and target.

    Source: torch.fx.passes.graph_manipulation.replace_target_nodes_with.
    """
    graph, copies = Graph(), {}
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            args, kwargs = map_arg((node.args, node.kwargs), copies.__getitem__)
            copies[node] = graph.create_node(new_op, new_target, args, kwargs, node.name)
        else:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    fx_module.graph = graph


class size_bytes(NamedTuple):
    """Bytes: of a node's value, and with the parameters of its module."""

    output_size: int
    total_size: int


def get_size_of_all_nodes(fx_module: GraphModule, args: list[Tensor] | None = None) -> None:
    """Sets `size_bytes` of all nodes but the output.

    Args:
        fx_module: has the graph
        args: sample inputs, with which ShapeProp runs first

    Source: torch.fx.passes.graph_manipulation.get_size_of_all_nodes.
    """
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node: Node) -> Any:
    """The metadata that ShapeProp noted for a node's tensor. RuntimeError if it did not run."""
    meta: TensorMetadata | None = node.meta.get("tensor_meta")
    if not meta:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape "
            "propagation has run."
        )
    return meta


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """The bytes of a node's value, and the bytes with its module's parameters.

    Source: torch.fx.passes.graph_manipulation.get_size_of_node.
    """
    parameters = 0
    if node.op == "call_module":
        module = dict(fx_module.named_modules())[node.target]
        parameters = sum(each.numel() for each in module.parameters())
    meta = get_tensor_meta(node)
    count, width = meta.shape.numel(), meta.dtype.itemsize
    return size_bytes(width * count, width * (parameters + count))
