"""The checker for graphs that the reader drew: binds the reader's labels to nodes, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from .nodes import is_close, is_leaf, local_derivatives, one_of
from .verdict import WrongAnswer, enumeration, number

FEW = 5  # inputs of a node: of more, only the library's own order is tried


class Drawn(NamedTuple):
    """A node as the reader drew it."""

    name: str
    inputs: Sequence[str] | Mapping[str, float]
    """Labels; or labels and the local derivative of each edge."""


def check_graph(answer: Mapping[str, Any], of: Any, names: Mapping[str, Any] | None = None) -> str:
    """Compares a graph that the reader drew with the graph of a tensor.

    Args:
        answer: for each node a label of the reader's choice, its name and inputs, the root first:
            {"L": ("LogBackward0", ["s"]), "s": ("SigmoidBackward0", ["y"]), ...}. "Log" will do for
            the name. Inputs are labels of nodes, or names of leaves. A dict for the inputs,
            {"s": 1.25}, says the local derivative of each edge too (scalars only).
        of: the tensor.
        names: the leaves by name.
    """
    if of.grad_fn is None:
        raise TypeError("a tensor with a history is needed: this one has no grad_fn")
    drawn = {label: Drawn(*entry) for label, entry in answer.items()}
    leaves = {id(tensor): name for name, tensor in (names or {}).items()}
    binding = Binding(drawn, leaves, one_of(of))
    root = next(iter(drawn))
    bound = binding.nodes(root, of.grad_fn)
    unused = [label for label in drawn if label not in bound]
    if unused:
        raise WrongAnswer(f"No edge leads from {root} to {unused[0]}.")
    edges = sum(len(entry.inputs) for entry in drawn.values())
    return f"{len(drawn)} nodes and {edges} edges, as in the graph of the library."


class Binding:
    """Binds labels to nodes, from the root on.

    Inputs may be written in any order, so that several ways are tried. If none fits, the mistake is
    the one that was met after the most labels had found their node.
    """

    def __init__(self, drawn: dict[str, Drawn], leaves: dict[int, str], one: Any) -> None:
        self.drawn = drawn
        self.leaves = leaves
        self.one = one
        self.progress = -1
        self.mistake = WrongAnswer("")

    def nodes(self, label: str, root: Any) -> dict[str, Any]:
        """The nodes by label. Raises WrongAnswer if the graph is another."""
        bound: dict[str, Any] = {}
        try:
            self.bind(label, root, bound)
        except WrongAnswer:
            raise self.mistake from None
        return bound

    def wrong(self, text: str, bound: dict[str, Any]) -> WrongAnswer:
        """The mistake of this attempt; kept if it came furthest."""
        found = WrongAnswer(text)
        if len(bound) > self.progress:
            self.progress, self.mistake = len(bound), found
        return found

    def bind(self, label: str, node: Any, bound: dict[str, Any]) -> None:
        """Binds a label to a node, and the labels below it."""
        name = self.leaves.get(id(node.variable)) if is_leaf(node) else None
        if name not in (None, label):
            raise self.wrong(f"In the place of {label} is the leaf {name}.", bound)
        if bound.get(label, node) is not node:
            raise self.wrong(f"{label} is one node in your graph, and two in the library's.", bound)
        if label in bound:
            return
        other = next((known for known, found in bound.items() if found is node), None)
        if other is not None:
            raise self.wrong(f"{other} and {label} are one node: it is used twice.", bound)
        if is_leaf(node):
            if label in self.drawn:
                raise self.wrong(f"In the place of {label} is a leaf.", bound)
            bound[label] = node
            return
        if label not in self.drawn:
            text = f"In the place of {label} is {node.name()}, which has inputs of its own."
            raise self.wrong(text, bound)
        entry = self.drawn[label]
        if _short(entry.name) != _short(node.name()):
            raise self.wrong(f"{label} is {node.name()}, and not {entry.name}.", bound)
        bound[label] = node
        self.bind_inputs(label, node, bound)

    def bind_inputs(self, label: str, node: Any, bound: dict[str, Any]) -> None:
        """Binds the inputs of a node, in whatever order the reader wrote them."""
        inputs = self.drawn[label].inputs
        edges = [(i, child) for i, (child, _) in enumerate(node.next_functions) if child]
        if len(edges) != len(inputs):
            kinds = enumeration([self.kind(child) for _, child in edges])
            raise self.wrong(
                f"{label} ({node.name()}) has {len(edges)} inputs with a gradient, {kinds}; "
                f"in your graph it has {len(inputs)}.",
                bound,
            )
        for order in permutations(edges) if len(edges) < FEW else [tuple(edges)]:
            attempt = dict(bound)
            try:
                for name, (place, child) in zip(inputs, order):
                    self.bind(name, child, attempt)
                    self.compare_local(label, name, place, attempt)
            except WrongAnswer:
                continue
            bound.update(attempt)
            return
        raise self.mistake

    def compare_local(self, label: str, name: str, place: int, bound: dict[str, Any]) -> None:
        """Compares the local derivative of an edge, if the reader wrote one."""
        inputs = self.drawn[label].inputs
        if not isinstance(inputs, Mapping):
            return
        right = local_derivatives(bound[label], self.one)[place]
        if not is_close(inputs[name], right):
            raise self.wrong(
                f"The local derivative from {label} to {name} is {number(right)}, and not "
                f"{number(inputs[name])}.",
                bound,
            )

    def kind(self, node: Any) -> str:
        """A node's name; a leaf's own name where the reader gave one."""
        return self.leaves.get(id(node.variable), "a leaf") if is_leaf(node) else node.name()


def _short(name: str) -> str:
    return name.partition("Backward")[0].casefold()
