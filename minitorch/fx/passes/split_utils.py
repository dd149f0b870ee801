"""torch.fx.passes.split_utils: a graph taken apart into modules, by the tags of its nodes."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node, map_arg
from minitorch.fx.passes.tools_common import CALLABLE_NODE_OPS, NodeList, is_node_output_tensor
from minitorch.fx.passes.utils.common import HolderModule, lift_subgraph_as_module
from minitorch.fx.proxy import Proxy
from minitorch.nn.modules.container import ModuleList

__all__ = [
    "getattr_recursive",
    "setattr_recursive",
    "Component",
    "split_by_tags",
    "move_non_tensor_nodes_on_boundary",
]


def getattr_recursive(obj: Any, name: str) -> Any:
    """The attribute of an object at a dotted path; None if there is none."""
    for part in name.split("."):
        if isinstance(obj, ModuleList):
            obj = obj._modules.get(part)
        else:
            obj = getattr(obj, part, None)
        if obj is None:
            return None
    return obj


def setattr_recursive(obj: Any, attr: str, value: Any) -> None:
    """Sets what an object has under a path."""
    *parents, name = attr.split(".")
    for part in parents:
        obj = getattr(obj, part)
    setattr(obj, name, value)


@dataclass
class Component:
    """A part of a graph: its own graph, and its inputs and outputs in the old one."""

    graph: Graph
    order: int
    name: str
    input_placeholders: list[Node] = field(default_factory=list)
    orig_inputs: list[Node] = field(default_factory=list)
    orig_outputs: list[Node] = field(default_factory=list)
    getattr_maps: dict[Node, Node] = field(default_factory=dict)
    constructor_args: list[str] = field(default_factory=list)
    gm: GraphModule | None = None


def split_by_tags(
    gm: GraphModule,
    tags: list[str],
    return_fqn_mapping: bool = False,
    return_tuple: bool = False,
    GraphModuleCls: Any = GraphModule,
) -> Any:
    """A module that calls a module for each tag, which has the nodes with this tag.

    Args:
        gm: has the graph; each node that calls something has a `tag`
        tags: all tags, in the order in which the modules run
        return_fqn_mapping: whether the old path of each attribute -> the new one comes, too
        return_tuple: whether a part's only result is in a tuple
        GraphModuleCls: the class of the result

    Raises: AssertionError for a node without a tag, and for one that needs a later part.

    Source: torch.fx.passes.split_utils.split_by_tags.
    """
    parts = {tag: Component(Graph(), i, f"{tag}") for i, tag in enumerate(tags)}
    where: dict[Node, Component] = {}
    copies: dict[Node, Node] = {}
    main = Graph()
    in_main: dict[Node, Node] = {}
    taken: dict[Node, None] = {}
    output = None
    for node in gm.graph.nodes:
        if node.op == "output":
            if output is not None:
                raise RuntimeError("Multiple output nodes in graph!")
            output = node
        elif node.op == "placeholder":
            in_main[node] = main.placeholder(node.name, type_expr=node.type)
            in_main[node].meta = copy.copy(node.meta)
        elif node.op != "get_attr":
            part = where[node] = _part_of(node, parts, where)

            def given(each: Node, part: Component = part) -> Node:
                if each.op not in ("placeholder", "get_attr") and where[each] == part:
                    return copies[each]
                if each.op != "get_attr":
                    taken[each] = None
                return _input_of(part, each)

            copies[node] = part.graph.node_copy(node, given)
            copies[node].tag = node.tag  # type: ignore[attr-defined]
    if output is None:
        raise RuntimeError("Graph had no output node!")
    read = []
    for node in _nodes_in(output.args[0]):
        if node.op == "get_attr":
            in_main[node] = main.get_attr(node.name, type_expr=node.type)
            read.append(node)
        else:
            taken[node] = None
    for node in taken:
        if node.op != "placeholder":
            where[node].orig_outputs.append(node)
    paths: dict[str, str] = {}
    for part in parts.values():
        _call(part, gm, main, in_main, [copies[each] for each in part.orig_outputs], return_tuple)
        paths.update(_finish(part, gm))
    main.output(map_arg(output.args[0], in_main.__getitem__))
    root = HolderModule({part.name: part.gm for part in parts.values()})
    main._codegen = gm.graph._codegen
    for node in read:
        setattr(root, node.name, getattr_recursive(gm, node.target))
    made = GraphModuleCls(root, main)
    return (made, paths) if return_fqn_mapping else made


def _nodes_in(tree: Any) -> NodeList:
    found: NodeList = []
    map_arg(tree, found.append)
    return found


def _part_of(node: Node, parts: dict[str, Component], where: dict[Node, Component]) -> Component:
    if not hasattr(node, "tag"):
        raise AssertionError(f"Node does not have tag: {node.format_node()}")
    part = parts[node.tag]
    before = [where[each].order for each in node.all_input_nodes if each in where]
    latest = max(before, default=0)
    if part.order < latest:
        raise AssertionError(
            f"Component {part.name} order must be >= max of its upstream components, "
            f"order={part.order} and max={latest}"
        )
    return part


def _input_of(part: Component, node: Node) -> Node:
    """The node of a part that stands for one outside it."""
    if node.op == "get_attr":
        if node not in part.getattr_maps:
            made = part.graph.get_attr(node.target, type_expr=node.type)
            made.meta = copy.copy(node.meta)
            part.getattr_maps[node] = made
        return part.getattr_maps[node]
    if node not in part.orig_inputs:
        part.orig_inputs.append(node)
        made = part.graph.placeholder(node.name, type_expr=node.type)
        made.meta = copy.copy(node.meta)
        part.input_placeholders.append(made)
    return part.input_placeholders[part.orig_inputs.index(node)]


def _call(
    part: Component,
    gm: GraphModule,
    main: Graph,
    in_main: dict[Node, Node],
    results: NodeList,
    in_tuple: bool,
) -> None:
    single = len(results) == 1 and not in_tuple
    part.graph.output(results[0] if single else tuple(results))
    given = tuple(in_main[each] for each in part.orig_inputs)
    call = main.call_module(part.name, args=given, kwargs=None)
    for i, node in enumerate(part.orig_outputs):
        in_main[node] = call if single else Proxy(call)[i].node


def _finish(part: Component, gm: GraphModule) -> dict[str, str]:
    part.gm, paths = lift_subgraph_as_module(gm, subgraph=part.graph, comp_name=part.name)
    return paths


def move_non_tensor_nodes_on_boundary(subgraphs: list[Any]) -> None:
    """Moves nodes that return no tensor out of an accelerator's part, to the part that uses them.

    Args:
        subgraphs: parts with `is_acc` and `nodes`; ShapeProp has run over the nodes

    Source: torch.fx.passes.split_utils.move_non_tensor_nodes_on_boundary.
    """
    _Boundary(subgraphs).move()


class _Boundary:
    def __init__(self, subgraphs: list[Any]) -> None:
        self.parts = subgraphs
        self.where = {node: i for i, part in enumerate(subgraphs) for node in part.nodes}

    def _known(self, nodes: Any) -> NodeList:
        return [each for each in nodes if each.op in CALLABLE_NODE_OPS and each in self.where]

    def _targets(self, node: Node, index: int) -> set[int]:
        return {self.where[user] for user in self._known(node.users)} - {index}

    def move(self) -> None:
        for index, part in enumerate(self.parts):
            if part.is_acc:
                plain = [node for node in part.nodes if not is_node_output_tensor(node)]
                self._move_from(index, [node for node in plain if self._targets(node, index)])

    def _move_from(self, index: int, queue: NodeList) -> None:
        done: set[Node] = set()
        while queue:
            node = queue.pop(0)
            if node in done:
                continue
            done.add(node)
            if self.where.get(node) != index:
                continue
            targets = self._targets(node, index)
            if len(targets) != 1:
                print(
                    f"Cannot move non-tensor node {node.name} on boundary because it has children "
                    "in multiple subgraphs"
                )
                continue
            if self._move(node, index, targets.pop()):
                for each in self._known(node.all_input_nodes):
                    plain = not is_node_output_tensor(each) and each not in done
                    if plain and self.where[each] == index:
                        queue.append(each)

    def _move(self, node: Node, source: int, target: int) -> bool:
        """Moves a node with the nodes of its part that use it; whether that is possible."""
        moved: dict[Node, None] = {}
        left, seen = [node], set()
        while left:
            each = left.pop()
            if each in seen or self.where.get(each) in (None, target):
                continue
            seen.add(each)
            if self.where[each] != source:
                return False
            moved[each] = None
            left += reversed(self._known(each.users))
        names = [f"{'acc' if self.parts[i].is_acc else 'gpu'}_{i}" for i in (source, target)]
        for each in moved:
            self.parts[source].nodes.remove(each)
            self.parts[target].nodes.append(each)
            self.where[each] = target
            print(
                f"In order move the non-tensor node {node.name} on boundary, moved node "
                f"{each.name} from {names[0]} to {names[1]}"
            )
        return True
