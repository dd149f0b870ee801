"""torch.fx.passes.utils.common: modules made of a part of a graph, and graphs compared."""

from __future__ import annotations

from typing import Any

from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.passes.utils.matcher_utils import SubgraphMatcher
from minitorch.nn.modules.module import Module

__all__ = ["HolderModule", "lift_subgraph_as_module", "compare_graphs"]


class HolderModule(Module):
    """A module with the given submodules, and without a forward."""

    def __init__(self, d: dict[str, Module | None]) -> None:
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(
    gm: GraphModule, subgraph: Graph, comp_name: str = "", class_name: str = "GraphModule"
) -> tuple[GraphModule, dict[str, str]]:
    """A GraphModule for a part of a graph.

    Args:
        gm: the module that holds what the part calls and reads
        subgraph: the part
        comp_name: the path that the new module will have
        class_name: the name of its class

    Returns: the module, and the path of each of its attributes in `gm` -> the new one.

    Source: torch.fx.passes.utils.common.lift_subgraph_as_module.
    """
    root = HolderModule({})
    paths = {}
    for node in subgraph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        *parents, name = node.target.split(".")
        holder: Any = root
        found: Any = gm
        for each in parents:
            if not hasattr(holder, each):
                holder.add_module(each, HolderModule({}))
            holder, found = getattr(holder, each), getattr(found, each)
        paths[node.target] = f"{comp_name}.{node.target}"
        setattr(holder, name, getattr(found, name))
    return GraphModule(root, subgraph, class_name), paths


def compare_graphs(left: Graph, right: Graph) -> bool:
    """Whether all of `left` is in `right`, inputs and output included.

    Source: torch.fx.passes.utils.common.compare_graphs.
    """
    return bool(SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right))
