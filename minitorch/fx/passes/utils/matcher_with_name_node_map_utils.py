"""torch.fx.passes.utils.matcher_with_name_node_map_utils: matches whose nodes have names."""

from __future__ import annotations

from minitorch.fx.graph import Graph
from minitorch.fx.graph_code import _PyTreeInfo
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node
from minitorch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher
from minitorch.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["SubgraphMatcherWithNameNodeMap"]


def _split_to_graph_and_name_node_map(gm: GraphModule) -> tuple[GraphModule, dict[str, Node]]:
    """A pattern without the dict that is its last result, and that dict: names -> nodes."""
    named: dict[str, Node] = {}
    for node in gm.graph.nodes:
        if node.op != "output":
            continue
        if gm._out_spec is None:
            raise AssertionError("gm._out_spec is None")
        output = tree_unflatten(node.args[0], gm._out_spec)
        if not isinstance(output, tuple):
            raise AssertionError("Expecting the pattern graph to return a tuple")
        if len(output) < 2:
            raise AssertionError("Expecting the pattern graph to have at least two outputs")
        *results, named = output
        leaves, spec = tree_flatten(results)
        if not isinstance(named, dict):
            raise AssertionError(
                "Expecting the input graph to have a dict output as the last element"
            )
        node.args = (leaves,)
        codegen = gm._graph._codegen
        codegen.pytree_info = _PyTreeInfo(
            codegen.pytree_info.orig_args, codegen.pytree_info.in_spec, spec
        )
    gm.recompile()
    return gm, named


class SubgraphMatcherWithNameNodeMap(SubgraphMatcher):
    """Finds a pattern whose last result is a dict, which names nodes of its matches.

    Args:
        pattern_gm: the pattern's module, traced with containers taken apart
        match_output, match_placeholder, remove_overlapping_matches, ignore_literals: as there

    Source: torch.fx.passes.utils.matcher_with_name_node_map_utils.SubgraphMatcherWithNameNodeMap.
    """

    def __init__(
        self,
        pattern_gm: GraphModule,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        pattern_gm, self.name_node_map = _split_to_graph_and_name_node_map(pattern_gm)
        super().__init__(
            pattern_gm.graph,
            match_output,
            match_placeholder,
            remove_overlapping_matches,
            ignore_literals,
        )

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places in a graph where the pattern is, each with its `name_node_map`."""
        found = super().match(graph, node_name_match)
        for match in found:
            for name, node in self.name_node_map.items():
                match.name_node_map[name] = match.nodes_map[node]
        return found
