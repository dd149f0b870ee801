"""torch.fx.experimental.optimization: layers fused and left out for inference."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from minitorch import nn
from minitorch._public import outlines
from minitorch.fx._symbolic_trace import Tracer, symbolic_trace
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.interpreter import Transformer
from minitorch.fx.node import Argument, Node
from minitorch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

__all__ = [
    "matches_module_pattern",
    "replace_node_module",
    "fuse",
    "remove_dropout",
    "extract_subgraph",
    "modules_to_mkldnn",
    "reset_modules",
    "MklSubgraph",
    "gen_mkl_autotuner",
    "use_mkl_length",
    "UnionFind",
    "optimize_for_inference",
]

Modules = dict[str, nn.Module]


def _parent_name(target: str) -> tuple[str, str]:
    """A path without its last name, and that name."""
    parent, _, name = target.rpartition(".")
    return parent, name


def matches_module_pattern(pattern: Iterable[type], node: Node, modules: Modules) -> bool:
    """Whether a node calls a module of the second class on the result of one of the first.

    Source: torch.fx.experimental.optimization.matches_module_pattern.
    """
    if not node.args:
        return False
    return all(
        isinstance(each, Node)
        and each.op == "call_module"
        and type(modules.get(each.target)) is kind
        for kind, each in zip(pattern, (node.args[0], node))
    )


def replace_node_module(node: Node, modules: Modules, new_module: nn.Module) -> None:
    """Replaces the module that a node calls.

    Args:
        node: the node
        modules: all modules by their paths, which are changed
        new_module: comes instead
    """
    parent, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: nn.Module, inplace: bool = False, no_trace: bool = False) -> nn.Module:
    """A module whose convolutions and linear layers do what batch norms behind them did.

    Args:
        model: in eval mode
        inplace: whether its layers are replaced in it
        no_trace: whether a GraphModule is taken as it is

    Source: torch.fx.experimental.optimization.fuse.
    """
    patterns = [
        (nn.Conv1d, nn.BatchNorm1d),
        (nn.Conv2d, nn.BatchNorm2d),
        (nn.Conv3d, nn.BatchNorm3d),
        (nn.Linear, nn.BatchNorm1d),
    ]
    model = model if inplace else copy.deepcopy(model)
    taken = no_trace and isinstance(model, GraphModule)
    traced: Any = model if taken else symbolic_trace(model)
    modules = dict(traced.named_modules())
    graph = copy.deepcopy(traced.graph)
    for pattern in patterns:
        for node in graph.nodes:
            if not matches_module_pattern(pattern, node, modules) or len(node.args[0].users) > 1:
                continue
            norm: Any = modules[node.target]
            if not norm.track_running_stats:
                continue
            join: Any = fuse_linear_bn_eval if pattern[0] is nn.Linear else fuse_conv_bn_eval
            fused = join(modules[node.args[0].target], norm)
            replace_node_module(node.args[0], modules, fused)
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    return GraphModule(traced, graph)


def remove_dropout(model: nn.Module) -> nn.Module:
    """A module without the Dropout modules of another one.

    Source: torch.fx.experimental.optimization.remove_dropout.
    """

    class DropoutRemover(Transformer):
        def call_module(self, target: Any, args: tuple[Argument, ...], kwargs: Any) -> Any:
            if not isinstance(self.submodules[target], nn.Dropout):
                return super().call_module(target, args, kwargs)
            if len(args) != 1:
                raise AssertionError(f"Expected 1 arg for Dropout, got {len(args)}")
            return args[0]

    return DropoutRemover(symbolic_trace(model)).transform()


def extract_subgraph(
    orig_module: nn.Module, nodes: list[Node], inputs: list[Node], outputs: list[Node]
) -> GraphModule:
    """A module of some nodes of a graph.

    Args:
        orig_module: has what they call and read
        nodes: the nodes
        inputs: nodes that become inputs
        outputs: nodes whose values are returned in a list

    Source: torch.fx.experimental.optimization.extract_subgraph.
    """
    graph = Graph()
    copies = {each: graph.placeholder(each.name) for each in inputs}
    for node in nodes:
        copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output([copies[each] for each in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def reset_modules(
    nodes: Iterable[Node], modules: Modules, old_modules: dict[nn.Module, nn.Module]
) -> None:
    """Replaces modules that nodes call by those that they came from."""
    for node in nodes:
        if node.op == "call_module" and modules[node.target] in old_modules:
            replace_node_module(node, modules, old_modules[modules[node.target]])


class MklSubgraph:
    """Nodes that could run with oneDNN's tensors."""

    def __init__(self, fx_graph: Graph) -> None:
        self.fx_graph = fx_graph
        self.nodes: list[Node] = []
        self.start_nodes: list[Node] = []
        self.end_nodes: list[Node] = []


def use_mkl_length(graph: MklSubgraph) -> bool:
    """Whether there are more than two nodes."""
    return len(graph.nodes) > 2


class UnionFind:
    """Sets of numbers below `n`, joined and looked up."""

    def __init__(self, n: int) -> None:
        self.parent: list[int | None] = [None] * n
        self.size = [0] * n

    def make_set(self, v: int) -> None:
        """Makes a set of one number."""
        self.parent[v] = v
        self.size[v] = 1

    def find(self, v: int) -> int:
        """The number by which a number's set is known."""
        parent = self.parent[v]
        if v == parent:
            return v
        if parent is None:
            raise AssertionError("Parent is None")
        self.parent[v] = root = self.find(parent)
        return root

    def join(self, a: int, b: int) -> int | None:
        """Joins the sets of two numbers."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return None


def optimize_for_inference(
    model: nn.Module, pass_config: dict[str, Any] | None = None, tracer: type[Tracer] = Tracer
) -> nn.Module:
    """A module fused and without dropout; torch's tensors of oneDNN are not here.

    Args:
        model: in eval mode
        pass_config: {"mkldnn_layout_optimize": False}, and False for what else shall not be done
        tracer: traces the module

    Raises: NotImplementedError unless `mkldnn_layout_optimize` is False.

    Source: torch.fx.experimental.optimization.optimize_for_inference.
    """
    config = {"conv_bn_fuse": True, "remove_dropout": True, "mkldnn_layout_optimize": {}}
    config.update(pass_config or {})
    if config["conv_bn_fuse"]:
        model = fuse(model)
    if config["remove_dropout"]:
        model = remove_dropout(model)
    if config["mkldnn_layout_optimize"] is False:
        return model
    if pass_config and "mkldnn_layout_optimize" in pass_config:
        given = config["mkldnn_layout_optimize"]
        if not isinstance(given, dict):
            raise RuntimeError("mkldnn_layout_optimize config is not a dict")
        if "heuristic" not in given:
            raise RuntimeError("Heuristic not found in mkldnn_layout_optimize config")
    raise NotImplementedError(
        "torch.fx.experimental.optimization.optimize_for_inference is not implemented by "
        "minitorch but with pass_config={'mkldnn_layout_optimize': False}"
    )


_HERE = "torch.fx.experimental.optimization"
modules_to_mkldnn = outlines.refused_function(_HERE, "modules_to_mkldnn")
gen_mkl_autotuner = outlines.refused_function(_HERE, "gen_mkl_autotuner")
