"""`explain`: the graph behind a tensor as a tree of text, each node once.

A row says what a node is, what it keeps for the backward, how many bytes that takes and for whom,
and where it was made if that is known. Rounds after the first one are one line.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

from minitorch.study.graphs.folding import Part, Rounds, folded
from minitorch.study.graphs.graph import (
    Graph,
    Leaf,
    Operation,
    Storage,
    graph_of,
    roots_of,
    shapes_of,
    storages_of,
)
from minitorch.study.graphs.line_notes import Line, line_of
from minitorch.study.graphs.live_names import Names, variables_of
from minitorch.study.graphs.picture import reason_of_none
from minitorch.study.libraries.kinds import is_tensor
from minitorch.study.libraries.saved import CHANGED, FREED, KEPT, Saved, saved_tensors, saved_values

UNFOLDED = 24  # nodes: graphs that are no larger are shown whole
DEEPEST = 14  # levels: what lies deeper goes on below, at the left
MOST_ROWS = 400
MOST_IN_ORDER = 8  # edges
MOST_LEAVES = 8  # of those that rounds lead to
WIDEST_TREE = 64
WIDEST_KEPT = 64
LONGEST_LINE = 60


def explain(loss: Any, names: Mapping[str, Any] | None = None, *, fold: bool = True) -> Explanation:
    """The graph that leads to a tensor, as text: what each node is, keeps and comes from.

    Nodes are numbered in the order in which a backward runs them. What a node keeps is marked
    "yours" if a name leads to the same memory, so that it would live without the graph as well.

    Args:
        loss: a tensor of either library, a node, or a nest of them.
        names: variables by name, such as `locals()`: tensors, modules, lists and dictionaries of
            tensors; those of the caller if None.
        fold: whether rounds of loops and blocks that repeat become one line, in graphs of more
            than 24 nodes.

    Returns:
        A str, which shows itself at the prompt and as HTML in notebooks.

    Raises:
        TypeError: if there is no tensor in `loss`.
    """
    roots = roots_of(loss, "explain")
    known = variables_of(sys._getframe(1)) if names is None else names
    return Explanation(_rows(roots, Names(known), fold))


class Row(NamedTuple):
    """A row of the explanation.

    tree: branches and what stands at their end; kept, line, module: further columns.
    """

    tree: str
    title: str
    kept: str = ""
    line: str = ""
    module: str = ""


class Explanation(str):
    """The text of an explanation, which shows itself at the prompt and in notebooks."""

    __slots__ = ("rows",)
    rows: list[Row]

    def __new__(cls, rows: list[Row]) -> Explanation:
        widths = _widths(rows)
        self = super().__new__(cls, "\n".join([_plain(row, widths) for row in rows]))
        self.rows = rows
        return self

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return str.__str__(self)

    def _repr_html_(self) -> str:
        widths = _widths(self.rows)
        lines = "\n".join([_colored(row, widths) for row in self.rows])
        return f'<pre style="line-height:1.25;overflow-x:auto">{lines}</pre>'


# ---- Rows


@dataclass(slots=True)
class _Branch:
    """Something that still has to be written, and where.

    lead: what stands before the branch in its row, inner: in the rows below it.
    edges: how many edges of the node above lead here.
    """

    to: Part | Leaf
    lead: str = ""
    inner: str = ""
    depth: int = 0
    edges: int = 1


@dataclass(slots=True)
class _Writer:
    """The rows so far, and what has been written.

    parts: of each operation, by its number, what stands for it: itself, or the rounds it is of.
    storages: those met so far, and the number of the node that was the first to keep each.
    """

    names: Names
    parts: dict[int, Part]
    owned: set[int]
    rows: list[Row] = field(default_factory=list)
    written: set[Any] = field(default_factory=set)
    storages: dict[int, tuple[Storage, int]] = field(default_factory=dict)
    lines: set[tuple[str, int]] = field(default_factory=set)
    has_freed: bool = False

    # ---- The tree

    def write(self, roots: Sequence[Part | Leaf]) -> None:
        """Writes the trees below `roots`, each node once, without recursion."""
        below = [_Branch(root) for root in reversed(roots)]
        later: list[_Branch] = []  # branches that are too deep, to be written at the left
        while below or later:
            if not below:
                below.append(_Branch(later.pop(0).to))
                if below[0].to in self.written:
                    below.pop()
                    continue
            branch = below.pop()
            if branch.depth > DEEPEST and type(branch.to) is not Leaf:
                if branch.to not in self.written:
                    later.append(branch)
                self.rows.append(Row(branch.lead, f"{self.title(branch.to)}  (below)"))
                continue
            below += self.write_branch(branch)

    def write_branch(self, branch: _Branch) -> list[_Branch]:
        """Writes one row. Returns the branches below it, the first one last."""
        part = branch.to
        if type(part) is Leaf:
            self.rows.append(Row(branch.lead, self.leaf_text(part)))
            return []
        times = f"  ({branch.edges} edges)" if branch.edges > 1 else ""
        if part in self.written:
            self.rows.append(Row(branch.lead, f"{self.title(part)}  (above){times}"))
            return []
        self.written.add(part)
        kept = self.kept_text(part)
        first = part.operations[0] if type(part) is Rounds else part
        line = self.line_text(line_of(first.node))
        targets = self.targets(part)
        title = self.title(part) + times
        if len(targets) == 1 and type(targets[0].to) is Leaf and not kept:
            self.rows.append(Row(branch.lead, f"{title} ── {self.leaf_text(targets[0].to)}"))
            return []
        head, *more = kept or [""]
        self.rows.append(Row(branch.lead, title, head, line, self.module_of(first)))
        below = branch.inner + ("│" if targets else "")
        self.rows += [Row(below, "", text) for text in more]
        for i, target in enumerate(targets):
            is_last = i == len(targets) - 1
            target.lead = branch.inner + ("└─ " if is_last else "├─ ")
            target.inner = branch.inner + ("   " if is_last else "│  ")
            target.depth = branch.depth + 1
        return targets[::-1]

    def targets(self, part: Part) -> list[_Branch]:
        """The branches from a part, each once, in the order of its edges."""
        if type(part) is Rounds:
            return self.targets_of_rounds(part)
        found: dict[Any, _Branch] = {}
        for edge in part.edges:
            if edge is None:
                continue
            to = edge.to if type(edge.to) is Leaf else self.parts[edge.to.number]
            if to in found:
                found[to].edges += 1
            else:
                found[to] = _Branch(to)
        if len(part.edges) > MOST_IN_ORDER:  # such as those of a stack: the last one made first
            return sorted(found.values(), key=lambda branch: _first_number(branch.to))
        return list(found.values())

    def targets_of_rounds(self, rounds: Rounds) -> list[_Branch]:
        """The branches from rounds: the parts that run after them, and leaves not yet written."""
        leaves: dict[Any, None] = {}
        others: dict[Any, None] = {}
        for operation in rounds.operations:
            for edge in operation.edges:
                if edge is None:
                    continue
                if type(edge.to) is Leaf:
                    leaves[edge.to] = None
                else:
                    others[self.parts[edge.to.number]] = None
        others.pop(rounds, None)
        new = [leaf for leaf in leaves if leaf not in self.written]
        return [_Branch(each) for each in (*new[:MOST_LEAVES], *others)]

    def title(self, part: Part) -> str:
        """The title of a node or of rounds."""
        if type(part) is Operation:
            shapes = shapes_of(part.node)
            shape = f"{len(shapes)} outputs" if len(shapes) > 1 else "".join(map(str, shapes))
            return f"{part.name} #{part.number}  {shape}".rstrip()
        first, last = part.operations[0].number, part.operations[-1].number
        start, end = part.first[0], part.first[-1]
        if len(part.first) == 1:
            return f"{part.count:,} more {start.name} as #{start.number}: #{first} to #{last}"
        like = f"#{start.number} to #{end.number}"
        leaves = {
            edge.to
            for operation in part.operations
            for edge in operation.edges
            if edge is not None and type(edge.to) is Leaf and edge.to not in self.written
        }
        more = f", {len(leaves):,} leaves" if len(leaves) > MOST_LEAVES else ""
        return f"{part.count:,} more rounds as {like}: #{first} to #{last}{more}"

    def leaf_text(self, leaf: Leaf) -> str:
        """A leaf with its name and gradient; at later uses without the gradient."""
        tensor = leaf.tensor
        text = f"{self.names.of(tensor) or 'a tensor'} {tuple(tensor.shape)}  leaf"
        if leaf in self.written:
            return text
        self.written.add(leaf)
        return f"{text}  .grad {_grad_text(tensor.grad)}"

    # ---- kept values

    def kept_text(self, part: Part) -> list[str]:
        """The values that a node keeps, in lines that fit into the column; of rounds, how much."""
        if type(part) is Operation:
            return self.kept_by(part)
        before = sum([storage.bytes for storage, _ in self.storages.values()])
        for operation in part.operations:
            self.kept_by(operation)
        more = sum([storage.bytes for storage, _ in self.storages.values()]) - before
        return [f"keep {bytes_text(more)} more"] if more else []

    def kept_by(self, operation: Operation) -> list[str]:
        """The values that a node keeps, in lines, each with a note if other things share it."""
        values = saved_tensors(saved_values(operation.node))
        if not values:
            return []
        if all([each.state == FREED for each in values]):
            self.has_freed = True
            return ["freed"]
        return _wrapped([self.saved_text(each, operation) for each in values])

    def saved_text(self, saved: Saved, operation: Operation) -> str:
        """One thing that a node keeps."""
        if saved.state == FREED:
            return f"{saved.name} freed"
        if saved.state != KEPT and not is_tensor(saved.value):
            return f"{saved.name} {saved.state}"
        storages = storages_of(saved.value)
        first = [self.storages.setdefault(each.key, (each, operation.number)) for each in storages]
        name = saved.name
        if saved.state in (KEPT, CHANGED):
            owner = self.names.of(saved.value) or self.names.of_memory(saved.value, storages[0].key)
            name = f"{name} = {owner}" if owner and owner != name else name
        number = first[0][1]
        notes = [saved.state] if saved.state != KEPT else []
        if number != operation.number:
            return f"{name} ({', '.join([f'shared with #{number}', *notes])})"
        total = sum([each.bytes for each in storages])
        own = saved.value.numel() * saved.value.element_size()
        text = bytes_text(total)
        if len(storages) == 1 and own < total:
            text = f"{bytes_text(own)} of {text}"
        if storages[0].key in self.owned:
            notes.append("yours")
        return f"{name} {text} ({', '.join(notes)})" if notes else f"{name} {text}"

    # ---- Where it was made

    def line_text(self, line: Line | None) -> str:
        """A place; its expression only where it is new."""
        if line is None:
            return ""
        place = f"{line.file}:{line.number}"
        if (line.text, line.number) in self.lines:
            return place
        self.lines.add((line.text, line.number))
        return f"{place}  {_shortened(line.text)}"

    def module_of(self, operation: Operation) -> str:
        """The module whose parameter a node leads to at once."""
        for edge in operation.edges:
            if edge is not None and type(edge.to) is Leaf:
                return self.names.modules.get(id(edge.to.tensor), "")
        return ""


def _first_number(part: Part | Leaf) -> int:
    """The number of the first node of a part; leaves come first."""
    if type(part) is Leaf:
        return 0
    return part.number if type(part) is Operation else part.operations[0].number


def _rows(roots: list[Any], names: Names, fold: bool) -> list[Row]:
    """All rows of an explanation."""
    graph = graph_of(roots)
    if not graph.steps:
        return [Row("", _tensor_text(each, names)) for each in roots]
    operations = graph.operations
    parts: list[Part] = list(operations)
    if fold and len(operations) > UNFOLDED:
        parts = folded(operations)
    by_number: dict[int, Part] = {}
    for part in parts:
        for each in (part,) if type(part) is Operation else part.operations:
            by_number[each.number] = part
    owned = names.storages | {
        storage.key for leaf in graph.leaves for storage in storages_of(leaf.tensor)
    }
    writer = _Writer(names, by_number, owned)
    starts = [each if type(each) is Leaf else by_number[each.number] for each in graph.roots]
    writer.write(list(dict.fromkeys(starts)))
    return [*_cut(writer.rows), Row("", _totals(graph, writer))]


def _cut(rows: list[Row]) -> list[Row]:
    """The first rows of very many."""
    if len(rows) <= MOST_ROWS:
        return rows
    return [*rows[:MOST_ROWS], Row("", f"… {len(rows) - MOST_ROWS:,} rows more")]


def _totals(graph: Graph, writer: _Writer) -> str:
    """The last line."""
    nodes, leaves = len(graph.operations), len(graph.leaves)
    storages = [storage for storage, _ in writer.storages.values()]
    kept = sum([each.bytes for each in storages])
    alone = sum([each.bytes for each in storages if each.key not in writer.owned])
    text = f"{_counted(nodes, 'node')}, {_counted(leaves, 'leaf', 'leaves')}"
    if not storages:
        rest = "what was kept for backward is freed" if writer.has_freed else "nothing is kept"
        return f"{text}; {rest}"
    count = _counted(len(storages), "storage")
    return (
        f"{text}; kept for backward {bytes_text(kept)} in {count}, {bytes_text(alone)} of them "
        "only by the graph"
    )


def _tensor_text(tensor: Any, names: Names) -> str:
    """A tensor without history."""
    name = names.of(tensor) or "a tensor"
    return f"{name} {tuple(tensor.shape)} has no history: {reason_of_none(tensor)}"


def _grad_text(grad: Any) -> str:
    """A gradient: its numbers if they are few, else its shape."""
    if grad is None:
        return "None"
    is_plain = str(grad.layout).endswith("strided") and grad.device.type != "meta"
    if is_plain and 0 < grad.numel() <= 4:
        return str(_rounded(grad.tolist()))
    return str(tuple(grad.shape))


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _counted(number: int, word: str, words: str = "") -> str:
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def bytes_text(number: int) -> str:
    """A number of bytes with the unit that suits it."""
    size, unit = float(number), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):  # noqa: B007
        if size < 1024:
            break
        size /= 1024
    return f"{number:,} B" if unit == "B" else f"{size:.1f} {unit}"


def _wrapped(texts: Sequence[str]) -> list[str]:
    """The texts of the values that a node keeps, in lines that fit into the column."""
    lines = [f"keeps {texts[0]}"]
    for text in texts[1:]:
        lines[-1] += ","
        if len(lines[-1]) + len(text) >= WIDEST_KEPT:
            lines.append(f"      {text}")
        else:
            lines[-1] += f" {text}"
    return lines


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"


# ---- How rows are written


class _Widths(NamedTuple):
    tree: int
    kept: int
    line: int


def _widths(rows: Sequence[Row]) -> _Widths:
    """The widths of the columns: those of rows that have a further one, within bounds."""
    trees = [len(row.tree + row.title) for row in rows if row.kept or row.line or row.module]
    kept = [len(row.kept) for row in rows if row.line or row.module]
    line = [len(row.line) for row in rows if row.module]
    return _Widths(
        min(max(trees, default=0), WIDEST_TREE),
        min(max(kept, default=0), WIDEST_KEPT),
        max(line, default=0),
    )


def _plain(row: Row, widths: _Widths) -> str:
    text = f"{row.tree + row.title:<{widths.tree}}"
    if widths.kept or row.kept:
        text += f"  {row.kept:<{widths.kept}}"
    if widths.line or row.line:
        text += f"  {row.line:<{widths.line}}"
    return f"{text}  {row.module}".rstrip()


def _colored(row: Row, widths: _Widths) -> str:
    """A row with the colours of `make_dot`, readable on light and dark."""
    title = escape(row.title, quote=False)
    before, inline, after = title.rpartition(" ── ")
    if "  leaf" in after:
        after = f'<span style="color:#4d8fd6">{after}</span>'
    text = f'<span style="opacity:.5">{row.tree}</span>{before}{inline}{after}'
    text += " " * max(widths.tree - len(row.tree + row.title), 0)
    for shown, width, style in (
        (row.kept, widths.kept, "color:#c47f1c"),
        (row.line, widths.line, "opacity:.7"),
        (row.module, 0, "opacity:.7"),
    ):
        padded = " " * max(width - len(shown), 0)
        text += f'  <span style="{style}">{escape(shown, quote=False)}</span>{padded}'
    return text.rstrip()
