"""torch.fx.passes.dialect.common.cse_pass: equal calls in a graph done once."""

from __future__ import annotations

from typing import Any

from minitorch._ops import OpOverloadPacket, ops
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node
from minitorch.fx.passes.infra.pass_base import PassBase, PassResult
from minitorch.utils._pytree import tree_flatten

aten = ops.aten
rand_ops = {
    getattr(aten, name)
    for name in (
        *("dropout", "_fused_dropout", "_standard_gamma", "bernoulli", "multinomial"),
        *("native_dropout", "normal", "poisson", "binomial", "rrelu", "rand_like", "rand"),
        *("randint", "randn", "randperm"),
    )
}
inplace_ops = {
    getattr(aten, f"{name}_")
    for name in ("add", "sub", "mul", "div", "pow", "lerp", "relu", "sigmoid", "tanh")
}


def get_CSE_banned_ops() -> set[OpOverloadPacket]:
    """The operators whose calls are never equal: those that draw numbers or write."""
    return rand_ops | inplace_ops


class CSEPass(PassBase):
    """Lets the results of equal calls, of functions, modules and methods, be the first one's.

    Args:
        banned_ops: what is called each time

    Source: torch.fx.passes.dialect.common.cse_pass.CSEPass.
    """

    def __init__(self, banned_ops: set[OpOverloadPacket] | None = None) -> None:
        self.banned_ops = set() if banned_ops is None else banned_ops
        super().__init__()

    def call(self, graph_module: GraphModule) -> PassResult:
        """The module with fewer calls, or the given one where no two are equal."""
        graph = Graph()
        copies: dict[Node, Node] = {}
        known: dict[Any, tuple[Any, Node]] = {}

        def replaced(tree: Any) -> tuple[tuple[Any, ...], Any]:
            leaves, spec = tree_flatten(tree)
            return tuple([copies.get(x, x) if isinstance(x, Node) else x for x in leaves]), spec

        modified = False
        for node in graph_module.graph.nodes:
            target = getattr(node.target, "overloadpacket", node.target)
            called = node.op not in ("placeholder", "output", "get_attr")
            if not called or target in self.banned_ops:
                copies[node] = graph.node_copy(node, copies.__getitem__)
                continue
            (args, args_spec), (kwargs, kwargs_spec) = replaced(node.args), replaced(node.kwargs)
            key = (node.target, hash((args, kwargs)))
            call = (args, args_spec, kwargs, kwargs_spec)
            if key in known and known[key][0] == call:
                copies[node] = known[key][1]
                modified = True
                continue
            copies[node] = graph.node_copy(node, copies.__getitem__)
            known.setdefault(key, (call, copies[node]))
        if not modified:
            return PassResult(graph_module, False)
        return PassResult(GraphModule(graph_module, graph), True)
