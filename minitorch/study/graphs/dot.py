"""The graph behind a tensor in the language of Graphviz, statement by statement as torchviz has it.

Names of nodes are numbers in the order of their first mention, where torchviz takes addresses: so
one program gives one text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minitorch.study.libraries.kinds import is_function, is_node, is_tensor, node_name
from minitorch.study.libraries.saved import KEPT, Saved, saved_tensors

OUTPUT = "darkolivegreen1"
BASE = "darkolivegreen3"
LEAF = "lightblue"
SAVED = "orange"

_HEAD = (
    "\tnode [align=left fontname=monospace fontsize=10 height=0.2 ranksep=0.1 shape=box "
    "style=filled]"
)
_PLAIN = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*|-?(\.[0-9]+|[0-9]+(\.[0-9]*)?))$")
_KEYWORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict"}
_INCHES = 0.15  # of the picture's width and height, for each statement
_LEAST_INCHES = 12


def dot_source(
    outputs: list[Any],
    names: dict[int, str],
    kept: Callable[[Any], list[Saved]],
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> str:
    """The digraph of all that leads to `outputs`.

    Args:
        outputs: tensors, or nodes.
        names: of tensors by their id.
        kept: gives what a node keeps.
        show_attrs: whether nodes show what they keep that is no tensor.
        show_saved: whether tensors that nodes keep are nodes too.
        max_attr_chars: how many characters of such a value are shown.
    """
    text = _Digraph(names, kept, show_attrs, show_saved, max_attr_chars)
    for output in outputs:
        if is_node(output):
            text.add_graph(output)
        else:
            text.add_output(output)
    size = max(_LEAST_INCHES, len(text.lines) * _INCHES)
    head = ["digraph {", f'\tgraph [size="{size},{size}"]', _HEAD]
    return "\n".join([*head, *text.lines, "}", ""])


def size_text(tensor: Any) -> str:
    """The shape of a tensor as torchviz writes it: (3, 4), and (3) of a vector."""
    return "(" + ", ".join([str(int(size)) for size in tensor.shape]) + ")"


def attributes(values: Iterable[Saved], max_chars: int) -> dict[str, str]:
    """The things that a node keeps, as short texts by name; of tensors only that they are some."""
    found: dict[str, str] = {}
    for saved in values:
        name, member, _ = saved.name.partition("[")
        if saved.state != KEPT:
            found[name] = f"[{saved.state}]"
        elif is_tensor(saved.value) or member:
            found[name] = "[saved tensors]" if member else "[saved tensor]"
        else:
            found[name] = str(saved.value)
    return {name: _cut(text, max(max_chars, 3)) for name, text in found.items()}


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


class _Digraph:
    """The statements so far, and which tensors and nodes they have named."""

    def __init__(
        self,
        names: dict[int, str],
        kept: Callable[[Any], list[Saved]],
        show_attrs: bool,
        show_saved: bool,
        max_attr_chars: int,
    ) -> None:
        self.names, self.kept = names, kept
        self.show_attrs, self.show_saved = show_attrs, show_saved
        self.max_attr_chars = max_attr_chars
        self.lines: list[str] = []
        self.numbers: dict[int, int] = {}  # by the id of a tensor or node
        self.held: list[Any] = []  # all of these: ids are unique while their objects live
        self.seen: set[int] = set()

    # ---- The walk

    def add_output(self, tensor: Any) -> None:
        """Adds an output, its graph, and the tensors that it is a view of."""
        above = None
        while id(tensor) not in self.seen:
            self.seen.add(id(tensor))
            self.node(tensor, self.tensor_label(tensor), OUTPUT if above is None else BASE)
            if tensor.grad_fn is not None:
                self.add_graph(tensor.grad_fn)
                self.edge(tensor.grad_fn, tensor)
            if above is not None:
                self.edge(tensor, above, style="dotted")
            if not tensor._is_view():
                return
            above, tensor = tensor, tensor._base
        if above is not None:
            self.edge(tensor, above, style="dotted")

    def add_graph(self, root: Any) -> None:
        """Adds all nodes that lead to `root`, without recursion."""
        running = [self.add_node(root)]
        while running:
            following = next(running[-1], None)
            if following is None:
                running.pop()
            else:
                running.append(self.add_node(following))

    def add_node(self, node: Any) -> Iterator[Any]:
        """Adds a node, and yields the nodes it leads to, each before its successor is added."""
        if id(node) in self.seen:
            return
        self.seen.add(id(node))
        of_function = is_function(node)
        if self.show_saved and not of_function:
            for saved in saved_tensors(self.kept(node)):
                self.add_saved(saved, node)
        if hasattr(node, "variable"):
            leaf = node.variable
            self.seen.add(id(leaf))
            self.node(leaf, self.tensor_label(leaf), LEAF)
            self.edge(leaf, node)
        self.node(node, self.node_label(node))
        for following, _ in node.next_functions:
            if following is not None:
                self.edge(following, node)
                yield following
        if of_function:
            for saved in self.kept(node):
                if saved.name.startswith("saved_tensors"):
                    self.add_function_saved(saved, node)

    def add_saved(self, saved: Saved, node: Any) -> None:
        """Adds a tensor that a node keeps."""
        if saved.state == KEPT:
            self.seen.add(id(saved.value))
            shown, label = saved.value, self.tensor_label(saved.value, saved.name)
        else:
            shown, label = saved, f"{saved.name}\n [{saved.state}]"
        self.edge(node, shown, dir="none")
        self.node(shown, label, SAVED)

    def add_function_saved(self, saved: Saved, node: Any) -> None:
        """Adds a tensor that the node of a Function keeps: these have no names."""
        if saved.state != KEPT:
            self.edge(saved, node, dir="none")
            self.node(saved, f"\n [{saved.state}]", SAVED)
        elif is_tensor(saved.value):
            self.seen.add(id(saved.value))
            self.edge(saved.value, node, dir="none")
            self.node(saved.value, self.tensor_label(saved.value), SAVED)

    # ---- Labels and statements

    def tensor_label(self, tensor: Any, name: str = "") -> str:
        """Name and shape of a tensor."""
        return f"{name or self.names.get(id(tensor), '')}\n {size_text(tensor)}"

    def node_label(self, node: Any) -> str:
        """The name of a node, and if wanted, a table of the values that it keeps."""
        name = node_name(node)
        if not self.show_attrs or is_function(node):
            return name
        shown = attributes(self.kept(node), self.max_attr_chars)
        if not shown:
            return name
        widths = max(map(len, shown)), max(map(len, shown.values()))
        rows = [f"{key:<{widths[0]}}: {text:>{widths[1]}}" for key, text in shown.items()]
        return "\n".join([name, "-" * max(sum(widths) + 2, len(name)), *rows])

    def number(self, thing: Any) -> int:
        """The number that stands for a tensor or node."""
        number = self.numbers.get(id(thing))
        if number is None:
            number = self.numbers[id(thing)] = len(self.numbers) + 1
            self.held.append(thing)
        return number

    def node(self, thing: Any, label: str, color: str | None = None) -> None:
        """Adds the statement of a node."""
        fill = "" if color is None else f" fillcolor={color}"
        self.lines.append(f"\t{self.number(thing)} [label={quoted(label)}{fill}]")

    def edge(self, start: Any, end: Any, **attributes: str) -> None:
        """Adds the statement of an edge."""
        shown = "".join([f" [{name}={value}]" for name, value in attributes.items()])
        self.lines.append(f"\t{self.number(start)} -> {self.number(end)}{shown}")


def quoted(text: str) -> str:
    """A text as DOT has it: bare if it is a word or a number, else in quotation marks."""
    if _PLAIN.match(text) and text.lower() not in _KEYWORDS:
        return text
    return '"' + text.replace('"', '\\"') + '"'
