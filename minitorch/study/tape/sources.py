"""Sources: the loops of a file, and which names its expressions are given.

Positions are as Python's ast has them, (line, column, end line, end column), columns in bytes of
UTF-8: characters() makes characters of them.
"""

from __future__ import annotations

import ast
import functools
import linecache
from typing import Any, NamedTuple

from minitorch.study.tape.recording import Loop

_WRAPPERS = frozenset(("Parameter", "Variable"))


class Position(NamedTuple):
    """The position of an expression: lines from 1, columns from 0 in bytes of UTF-8."""

    line: int
    column: int
    end_line: int
    end_column: int


class Operands(NamedTuple):
    """The names in a call: its function, "relu" (None for an operator sign), and its arguments,
    None for an argument without a name; for a method, the first is the object's."""

    function: str | None
    names: tuple[str | None, ...]


class Text:
    """The text of a source file.

    name: its path.  text: "" if it is not to be had.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = "".join(linecache.getlines(name))
        self.lines = self.text.splitlines()

    def characters(self, line: int, column: int) -> int:
        """A column of a line in characters, from one in bytes of UTF-8."""
        if not 0 < line <= len(self.lines):
            return column
        text = self.lines[line - 1]
        if text.isascii():
            return column
        return len(text.encode()[:column].decode(errors="ignore"))

    def expression(self, position: Position) -> str:
        """The text at a position; of one of several lines the first, and "…"."""
        if not 0 < position.line <= len(self.lines):
            return ""
        text = self.lines[position.line - 1]
        start = self.characters(position.line, position.column)
        if position.end_line != position.line:
            return f"{text[start:].rstrip()} …"
        return text[start : self.characters(position.line, position.end_column)]

    def whole_expression(self, position: Position) -> str:
        """The text at a position, that of several lines joined into one."""
        rows = self.lines[max(position.line - 1, 0) : position.end_line]
        if not rows:
            return ""
        rows[-1] = rows[-1][: self.characters(position.end_line, position.end_column)]
        rows[0] = rows[0][self.characters(position.line, position.column) :]
        return " ".join(" ".join(rows).split())

    def whole_line(self, line: int) -> Position:
        """The position of a line's text, for where columns are not known."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        start = len(text) - len(text.lstrip())
        ends = text[:start].encode(), text.rstrip().encode()
        return Position(line, len(ends[0]), line, max(len(ends[1]), len(ends[0])))


def position_of(known: Any, text: Text) -> Position:
    """A position as co_positions() returns it; the whole line where Python keeps no columns
    (`python -X no_debug_ranges`), line 0 where it keeps nothing."""
    line, end_line, column, end_column = known
    if line is None:
        return Position(0, 0, 0, 0)
    if column is None or end_column is None or end_line is None:
        return text.whole_line(line)
    return Position(line, column, end_line, end_column)


def source_named(name: str) -> Source:
    """The source of a file, which is parsed again only if its text is another one by now."""
    return _source(name, "".join(linecache.getlines(name)))


# A file that is recorded again and again, as a step of a loop, took 0.03 ms a line each time.
@functools.lru_cache(maxsize=32)
def _source(name: str, text: str) -> Source:
    return Source(name)


class Source(Text):
    """A source file of Python.

    loops: all `for` and `while` statements, by their first line.
    bodies: for each of them, the position of the code of each round: the body, and the test of a
        `while`.
    targets: position of an expression -> the names that its parts are assigned to.
    wrapped: position of x in `w = nn.Parameter(x)` -> the names on the left.
    operands: position of a call or an operator sign -> its operands.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.loops: list[Loop] = []
        self.targets: dict[Position, list[str]] = {}
        self.wrapped: dict[Position, list[str]] = {}
        self.operands: dict[Position, Operands] = {}
        self.bodies: list[Position] = []
        self._imported: set[str] = set()
        found: list[tuple[Loop, Position]] = []
        try:
            tree = ast.parse(self.text)
        except (SyntaxError, ValueError):  # of another Python, or no Python
            return
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [each.asname or each.name.partition(".")[0] for each in node.names]
                self._imported.update(names)
        for node in ast.walk(tree):
            if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
                found.append(self._loop(node))
            else:
                self._visit(node)
        found.sort(key=lambda each: (each[0].first, each[1]))
        self.loops = [loop for loop, _ in found]
        self.bodies = [body for _, body in found]

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> tuple[Loop, Position]:
        inside = node.test if isinstance(node, ast.While) else node.body[0]
        first, last = _position(inside), _position(node.body[-1])
        head = self.lines[node.lineno - 1].strip()
        if node.body[0].lineno == node.lineno:
            head = head[: node.body[0].col_offset - node.col_offset].rstrip()
        loop = Loop(node.lineno, last.end_line, head.rstrip(":"))
        return loop, Position(*first[:2], *last[2:])

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in reversed(node.targets):
                self._assign(target, node.value, node.value)
        elif isinstance(node, ast.AugAssign):
            self._assign(node.target, node.value, node)
            pair = _name_of(node.target), _name_of(node.value)
            self.operands[_position(node)] = Operands(None, pair)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._assign(node.target, node.value, node.value)
        elif isinstance(node, ast.Call):
            function = node.func
            names = [_name_of(each) for each in node.args]
            if isinstance(function, ast.Attribute):
                owner = _name_of(function.value)
                if owner is None or owner.partition(".")[0] not in self._imported:
                    names.insert(0, owner)
                self.operands[_position(node)] = Operands(function.attr, tuple(names))
            elif isinstance(function, ast.Name):
                self.operands[_position(node)] = Operands(function.id, tuple(names))
        elif isinstance(node, ast.BinOp):
            pair = _name_of(node.left), _name_of(node.right)
            self.operands[_position(node)] = Operands(None, pair)

    def _assign(self, target: ast.expr, value: ast.expr, whole: ast.AST) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts):
                for left, right in zip(target.elts, value.elts, strict=True):
                    self._assign(left, right, right)
                return
            names = _flat(target)
        else:
            names = [ast.unparse(target)]
        self.targets[_position(whole)] = names
        if isinstance(value, ast.Call) and len(value.args) >= 1:
            function = value.func
            called = getattr(function, "attr", getattr(function, "id", None))
            if called in _WRAPPERS:
                self.wrapped[_position(value.args[0])] = names

    def loops_at(self, at: Position, iterates: bool = False) -> tuple[int, ...]:
        """The numbers of the loops that a position is in, outermost first.

        iterates: whether the instruction there asks a `for` loop for the next element: that is part
            of a round, while the rest of the loop's head is evaluated before it.
        """
        start = at[:2]
        return tuple(
            [
                number
                for number, body in enumerate(self.bodies)
                if body[:2] <= start < body[2:]
                or (iterates and self.loops[number].first <= at.line and start < body[:2])
            ]
        )


def _position(node: ast.AST) -> Position:
    return Position(
        *(node.lineno, node.col_offset),  # type: ignore[attr-defined]
        *(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
    )


def _flat(target: ast.expr) -> list[str]:
    """The names in a target, those of nested tuples in their place."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for each in target.elts for name in _flat(each)]
    return [ast.unparse(target)]


def _name_of(node: ast.expr) -> str | None:
    """The text of a name or an attribute of one, "self.weight"; None of anything else."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else None
