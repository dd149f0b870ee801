"""The graph behind a tensor, as data: its nodes, its leaves, and the memory of tensors.

A graph is read by `next_functions`, which both libraries have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from importlib import import_module
from typing import Any, NamedTuple

from minitorch.core.base.fields import TensorBase
from minitorch.study.libraries.chosen import library_of
from minitorch.study.libraries.kinds import is_module, is_node, is_tensor, node_name


@dataclass(slots=True, eq=False)
class Leaf:
    """An end of the graph: a tensor into whose `.grad` a backward adds.

    node: its AccumulateGrad.
    """

    tensor: Any
    node: Any


@dataclass(slots=True, eq=False)
class Operation:
    """A node of the graph that is no leaf's.

    number: its place in the order of a backward, from 1.
    edges: one for each input of the operator, None where no gradient goes.
    """

    node: Any
    name: str
    number: int = 0
    edges: tuple[Edge | None, ...] = ()


class Edge(NamedTuple):
    """The way of a gradient to an input: the part of the graph that made it, and which output."""

    to: Operation | Leaf
    output: int


@dataclass(slots=True)
class Graph:
    """All that a backward from some tensors comes to.

    roots: where it starts.
    steps: operations and leaves in the order in which the engine runs them.
    """

    roots: list[Operation | Leaf] = field(default_factory=list)
    steps: list[Operation | Leaf] = field(default_factory=list)

    @property
    def operations(self) -> list[Operation]:
        """The nodes but for those of leaves, in the order of a backward."""
        return [each for each in self.steps if type(each) is Operation]

    @property
    def leaves(self) -> list[Leaf]:
        """The leaves, in the order in which a backward comes to them."""
        return [each for each in self.steps if type(each) is Leaf]


class Storage(NamedTuple):
    """The memory behind a tensor.

    key: equal for tensors that share it, for as long as `owner` lives.
    """

    key: int
    bytes: int
    owner: Any


# ---- Of nodes and tensors


def shapes_of(node: Any) -> list[tuple[int, ...]]:
    """The shapes of a node's outputs, as far as they are known."""
    known = getattr(node, "_input_metadata", ())
    return [tuple(each.shape) for each in known if not each.is_nested_tensor]


def storage_of(tensor: Any) -> Storage:
    """The memory of a dense tensor; of one that has none of its own, such as a meta tensor's."""
    try:
        memory = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):  # wrappers, and layouts without strides
        return Storage(id(tensor), tensor.numel() * tensor.element_size(), tensor)
    if isinstance(tensor, TensorBase):
        return Storage(id(memory._owner), memory.nbytes(), memory._owner)
    return Storage(memory._cdata, memory.nbytes(), memory)


def storages_of(tensor: Any) -> list[Storage]:
    """The storages of a tensor: of a sparse one those of its indices and values."""
    layout = str(tensor.layout).rpartition(".")[2]
    if layout == "sparse_coo":
        parts = (tensor._indices(), tensor._values())
    elif layout in ("sparse_csr", "sparse_bsr"):
        parts = (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    elif layout in ("sparse_csc", "sparse_bsc"):
        parts = (tensor.ccol_indices(), tensor.row_indices(), tensor.values())
    else:
        parts = (tensor,)
    return [storage_of(each) for each in parts]


# ---- the tensors to draw


def roots_of(value: Any, tool: str) -> list[Any]:
    """The tensors and nodes among the arguments of a tool, in order.

    Args:
        value: a tensor, a node, an edge of a graph, or a nest of tuples, lists and mappings of
            these; what else stands in a nest, such as numbers, is passed over.
        tool: the name of the tool, for the error.

    Raises:
        TypeError: if there is no tensor in it.
    """
    found: list[Any] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if is_tensor(each) or is_node(each):
            found.append(each)
        elif is_node(getattr(each, "node", None)):  # a GradientEdge, which is a tuple too
            found.append(each.node)
        elif isinstance(each, (tuple, list)):
            waiting += reversed(each)
        elif isinstance(each, Mapping):
            waiting += reversed(list(each.values()))
    if not found:
        raise TypeError(wanted_text(value, tool))
    return found


def wanted_text(value: Any, tool: str) -> str:
    """The sentence that says what a tool takes, and how to get it from `value`."""
    wanted = "a tensor with a history is needed"
    if is_module(value):
        return f"{wanted}; call the model first: {tool}(model(x))"
    if callable(value):
        name = getattr(value, "__name__", "function")
        return f"{wanted}; call {name} first: {tool}({name}(…))"
    if isinstance(value, (tuple, list, Mapping)):
        return f"{wanted}; there is none in this {type(value).__name__}"
    return f"{wanted}, not {type(value).__name__}"


# ---- The walk


def graph_of(roots: Sequence[Any]) -> Graph:
    """The graph that leads from tensors and nodes to the leaves. Tensors without history that
    require no grad lead nowhere."""
    graph = Graph()
    parts: dict[Any, Operation | Leaf] = {}
    starts = [node for node in map(node_of, roots) if node is not None]
    waits = _discover(starts, parts)
    for node in dict.fromkeys(starts):
        graph.roots.append(parts[node])
    # As the engine: of the nodes that have all their gradients, the youngest runs first; the end
    # at a leaf runs as soon as it can.
    ready: list[tuple[int, int, Any]] = []
    arrived = 0
    for node in dict.fromkeys(starts):
        if waits[node] == 0:
            heappush(ready, (-node._sequence_nr(), arrived, node))
            arrived += 1
    number = 0
    while ready:
        node = heappop(ready)[2]
        part = parts[node]
        graph.steps.append(part)
        if type(part) is Leaf:
            continue
        number += 1
        part.number = number
        for edge in part.edges:
            if edge is None:
                continue
            following = edge.to.node
            waits[following] -= 1
            if waits[following] == 0:
                heappush(ready, (-following._sequence_nr(), arrived, following))
                arrived += 1
    return graph


def node_of(root: Any) -> Any:
    """The node at which a backward from a tensor starts, None if there is none."""
    if is_node(root):
        return root
    if root.grad_fn is not None or not root.requires_grad:
        return root.grad_fn
    name = library_of(root).name
    return import_module(f"{name}.autograd.graph").get_gradient_edge(root).node


def _discover(starts: list[Any], parts: dict[Any, Operation | Leaf]) -> dict[Any, int]:
    """Fills `parts` with all that is in reach, and counts the edges into each."""
    waits = dict.fromkeys(starts, 0)
    waiting = list(waits)
    for node in waiting:
        parts[node] = _part(node)
    while waiting:
        node = waiting.pop()
        edges: list[Edge | None] = []
        for following, output in node.next_functions:
            if following is None:
                edges.append(None)
                continue
            part = parts.get(following)
            if part is None:
                part = parts[following] = _part(following)
                waits[following] = 0
                waiting.append(following)
            waits[following] += 1
            edges.append(Edge(part, output))
        part = parts[node]
        if type(part) is Operation:
            part.edges = tuple(edges)
    return waits


def _part(node: Any) -> Operation | Leaf:
    if hasattr(node, "variable"):
        return Leaf(node.variable, node)
    return Operation(node, node_name(node))
