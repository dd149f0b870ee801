"""torch.fx.passes.split_module: a graph taken apart into modules, by a function of its nodes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from minitorch._C import _set_grad_enabled
from minitorch.amp import _enter_autocast, _exit_autocast
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.node import Node, map_arg
from minitorch.fx.proxy import Proxy
from minitorch.nn.modules.module import Module

__all__ = ["Partition", "split_module", "split_module_simple"]


class Partition:
    """A part of a graph: its nodes, its inputs and outputs, and its own graph.

    Source: torch.fx.passes.split_module.Partition.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return (
            f"name: {self.name},\n nodes: {self.node_names},\n inputs: {self.inputs},\n "
            f"outputs: {self.outputs},\n partitions depended on: {self.dependencies},\n "
            f"partition dependents: {self.dependents}"
        )


Partitions = dict[str, Partition]
_BETWEEN = ("placeholder", "get_attr", "output")  # nodes that are in no part
_STATE = (_enter_autocast, _exit_autocast, _set_grad_enabled)  # calls that change later nodes


def _get_attr_from_qualname(mod: Module, qualname: str) -> Any:
    found: Any = mod
    for name in qualname.split("."):
        if not hasattr(found, name):
            raise AttributeError(f"Node target {qualname} not found!")
        found = getattr(found, name)
    return found


def split_module(
    m: GraphModule,
    root_m: Module,
    split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """A module that calls a module for each part of a graph: submod_0, submod_1, ...

    Args:
        m: has the graph
        root_m: what `m` was traced from
        split_callback: takes a node and gives the number of its part
        qualname_map: gets the new path of each module and attribute -> the old one
        keep_original_order: whether the parts run in the order of their first nodes
        keep_original_node_name: whether nodes keep their names
        keep_original_input_name: whether the parts' inputs are named after the nodes that give
            them; else arg_0, arg_1, ...
        partition_affix: stands between submod_ and the number
        tuple_return: whether a part's only result is in a tuple

    Raises:
        RuntimeError: parts need each other.
        AssertionError: autocast or grad mode change, and a part's number is less than one before.

    Source: torch.fx.passes.split_module.split_module.
    """
    parts: Partitions = {}
    for node in m.graph.nodes:
        if node.op not in _BETWEEN:
            number = str(split_callback(node))
            name = number if partition_affix is None else f"{partition_affix}_{number}"
            part = parts.setdefault(name, Partition(name))
            part.node_names.append(node.name)
            node._fx_partition = name
    regions = _regions(m, split_callback)
    _find_uses(m, parts)
    order = _sorted_partitions(parts)
    _enter_regions(regions, parts)
    named = {node.name: node for node in m.graph.nodes}
    for name in order:
        _add_inputs(m, parts[name], named, keep_original_input_name)
    _add_nodes(m, parts, qualname_map, bool(keep_original_node_name))
    _exit_regions(regions, parts)
    base = _Base(m, named, bool(keep_original_node_name), tuple_return)
    if keep_original_order:
        base.in_original_order(parts)
    else:
        for node in m.graph.nodes:
            base.add(node)
        for name in order:
            base.call(parts[name])
    return base.finished(parts)


# ---- what the parts need of each other


def _find_uses(m: GraphModule, parts: Partitions) -> None:
    def note(user: Node | None, given: Node) -> Node:
        source = getattr(given, "_fx_partition", None)
        used = getattr(user, "_fx_partition", None)
        if source == used:
            return given
        if source is not None:
            parts[source].outputs.setdefault(given.name)
        if used is not None:
            parts[used].inputs.setdefault(given.name)
        if source is not None and used is not None:
            parts[source].dependents.setdefault(used)
            parts[used].dependencies.setdefault(source)
        return given

    for node in m.graph.nodes:
        if node.op == "output":
            map_arg(node.args[0], partial(note, None))
        elif node.op not in _BETWEEN and node.target not in _STATE:
            map_arg(node.args, partial(note, node))
            map_arg(node.kwargs, partial(note, node))


def _sorted_partitions(parts: Partitions) -> list[str]:
    ready = [name for name, part in parts.items() if not part.dependencies]
    order: list[str] = []
    while ready:
        name = ready.pop()
        order.append(name)
        for dependent in parts[name].dependents:
            parts[dependent].dependencies.pop(name)
            if not parts[dependent].dependencies:
                ready.append(dependent)
    if len(order) != len(parts):
        raise RuntimeError("cycle exists between partitions!")
    return order


# ---- autocast and grad mode, which a part must enter and leave as the graph did


class _Region:
    """A call that changes a mode, that which ends it, and the parts in between."""

    def __init__(self, start: Node, number: int) -> None:
        self.start, self.end = start, None
        self.numbers = {number}

    @property
    def parts(self) -> list[str]:
        return [str(each) for each in sorted(self.numbers)]


def _regions(m: GraphModule, number_of: Callable[[Node], int]) -> list[_Region]:
    autocasts: dict[Any, _Region] = {}
    grads: list[_Region] = []
    active: set[Any] = set()
    numbers = []
    for node in m.graph.nodes:
        if node.op in _BETWEEN:
            continue
        number = number_of(node)
        numbers.append((number, node))
        if node.op == "call_function" and node.target is _set_grad_enabled:
            if len(node.args) != 1:
                text = f"Expected 1 arg for _set_grad_enabled, got {len(node.args)}"
                raise AssertionError(text)
            grads.append(_Region(node, number))
        elif node.op == "call_function" and node.target is _enter_autocast:
            if any(isinstance(each, Node) for each in node.args):
                raise AssertionError("Expected all args to be python constants, not Nodes")
            autocasts[node] = _Region(node, number)
            active.add(node)
        elif node.op == "call_function" and node.target is _exit_autocast:
            autocasts[node.args[0]].numbers.add(number)
            autocasts[node.args[0]].end = node
            active.remove(node.args[0])
        for each in [*grads[-1:], *[autocasts[start] for start in active]]:
            each.numbers.add(number)
    if any(each.end is None for each in autocasts.values()):
        raise AssertionError("autocast must exit")
    found = [*autocasts.values(), *grads]
    highest = -1
    for number, _ in numbers if found else ():
        if highest > number:
            raise AssertionError(
                "autocast or set_grad_enabled require monotonically increasing partitions: "
                f"highest: {highest}, this node's: {number}"
            )
        highest = number
    return found


def _copied(graph: Graph, node: Node, args: tuple[Any, ...]) -> Node:
    copy = graph.create_node(node.op, node.target, args, {}, type_expr=node.type)
    copy.meta = node.meta.copy()
    return copy


def _enter_regions(regions: list[_Region], parts: Partitions) -> None:
    for region in regions:
        first, *rest = region.parts
        parts[first].environment[region.start] = region.start
        for name in rest:
            graph = parts[name].graph
            parts[name].environment[region.start] = _copied(graph, region.start, region.start.args)


def _exit_regions(regions: list[_Region], parts: Partitions) -> None:
    for region in reversed([each for each in regions if each.end is not None]):
        for name in region.parts[:-1]:
            part = parts[name]
            assert region.end is not None
            _copied(part.graph, region.end, (part.environment[region.start],))


# ---- the parts' graphs


def _add_inputs(m: GraphModule, part: Partition, named: dict[str, Node], keep_names: bool) -> None:
    attributes = {
        name: _get_attr_from_qualname(m, named[name].target)
        for name in part.inputs
        if named[name].op == "get_attr"
    }
    modules = [name for name, found in attributes.items() if isinstance(found, Module)]
    inputs = [name for name in part.inputs if name not in modules]
    for i, name in enumerate(inputs):
        given = part.graph.placeholder(
            name if keep_names else f"arg_{i}", type_expr=named[name].type
        )
        given.meta = named[name].meta.copy()
        part.environment[named[name]] = given
    for name in modules:
        given = part.graph.get_attr(named[name].target)
        given.meta = named[name].meta.copy()
        part.environment[named[name]] = given
        part.targets[named[name].target] = attributes[name]
    part.inputs = dict.fromkeys(inputs)


def _add_nodes(
    m: GraphModule, parts: Partitions, paths: dict[str, str] | None, keep_names: bool
) -> None:
    for node in m.graph.nodes:
        if not hasattr(node, "_fx_partition"):
            continue
        part = parts[node._fx_partition]
        args, kwargs = map_arg((node.args, node.kwargs), part.environment.__getitem__)
        target = node.target
        if node.op == "call_module":
            target = node.target.replace(".", "_")
            part.targets[target] = _get_attr_from_qualname(m, node.target)
            if paths is not None:
                paths[f"{part.submod_name}.{target}"] = node.target
        name = node.name if keep_names else None
        made = part.graph.create_node(node.op, target, args, kwargs, name, node.type)
        made.meta = node.meta.copy()
        part.environment[node] = made


def _with_output(graph: Graph, values: tuple[Node, ...], in_tuple: bool) -> None:
    graph.output(values[0] if len(values) == 1 and not in_tuple else values)


def _spread(call: Node, names: list[str], values: dict[str, Node], in_tuple: bool) -> None:
    """Says which node has which of a call's results."""
    if len(names) == 1 and not in_tuple:
        values[names[0]] = call
    else:
        values.update({name: Proxy(call)[i].node for i, name in enumerate(names)})


class _Base:
    """The graph that calls the parts."""

    def __init__(
        self, m: GraphModule, named: dict[str, Node], keep_names: bool, in_tuple: bool
    ) -> None:
        self.m, self.named, self.keep_names, self.in_tuple = m, named, keep_names, in_tuple
        self.graph = Graph()
        self.values: dict[str, Node] = {}
        self.attributes: dict[str, Any] = {}

    def add(self, node: Node) -> None:
        """Adds an input or an attribute of the graph."""
        if node.op == "placeholder" and self.keep_names:
            made = self.graph.create_node(
                "placeholder", node.name, args=node.args[:1], type_expr=node.type
            )
        elif node.op == "placeholder":
            default = node.args[0] if node.args else inspect.Signature.empty
            made = self.graph.placeholder(node.target, node.type, default)
        elif node.op == "get_attr":
            made = self.graph.get_attr(node.target)
            self.attributes[node.target] = _get_attr_from_qualname(self.m, node.target)
        else:
            return
        made.meta = node.meta.copy()
        self.values[node.name] = made

    def call(self, part: Partition) -> None:
        """Calls a part."""
        results = tuple(part.environment[self.named[name]] for name in part.outputs)
        _with_output(part.graph, results, self.in_tuple)
        self.attributes[part.submod_name] = GraphModule(part.targets, part.graph)
        given = tuple(self.values[name] for name in part.inputs)
        call = self.graph.call_module(part.submod_name, given)
        _spread(call, list(part.outputs), self.values, self.in_tuple)

    def in_original_order(self, parts: Partitions) -> None:
        """Calls all parts in their order; an attribute is read before the first one that needs
        it."""
        done: set[Node] = set()
        inputs = [node for node in self.m.graph.nodes if node.op == "placeholder"]
        for part in parts.values():
            for node in [*inputs, *[self.named[name] for name in part.inputs]]:
                if node not in done:
                    self.add(node)
                    done.add(node)
            self.call(part)
        if not self.values:
            for node in self.m.graph.nodes:
                self.add(node)

    def finished(self, parts: Partitions) -> GraphModule:
        """The module of the graph."""
        output = self.m.graph.output_node()
        self.graph.output(map_arg(output.args[0], lambda node: self.values[node.name]))
        made = GraphModule(self.attributes, self.graph)
        made.meta["partition_names"] = {each.submod_name for each in parts.values()}
        return made


def split_module_simple(
    m: GraphModule, node_to_partition: dict[Node, int], *, partition_affix: str | None = None
) -> GraphModule:
    """As `split_module`, for graphs that call functions and methods alone.

    Args:
        m: has the graph
        node_to_partition: the number of each node's part
        partition_affix: stands between submod_ and the number

    Source: torch.fx.passes.split_module.split_module_simple.
    """
    parts: Partitions = {}
    for node in m.graph.nodes:
        if node.op not in ("placeholder", "output"):
            name = str(node_to_partition[node])
            node._fx_partition = parts.setdefault(name, Partition(name)).name
    _find_uses(m, parts)
    named = {node.name: node for node in m.graph.nodes}
    for part in parts.values():
        _add_inputs(m, part, named, True)
    _add_nodes(m, parts, None, False)
    base = _Base(m, named, False, False)
    for node in m.graph.nodes:
        base.add(node)
    for part in parts.values():
        if partition_affix is not None:
            part.submod_name = f"submod_{partition_affix}_{part.name}"
        base.call(part)
    return base.finished(parts)
