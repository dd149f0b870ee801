"""A fault: the change, its place, and how it is put into the running library."""

import ast
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import minitorch

ROOT = Path(minitorch.__file__).parent


@dataclass(frozen=True)
class Fault:
    """One fault.

    covers: what a case must run to be able to notice it: lines of the file, or marks of rows as
        `watch` notes them.
    idle: whether nothing that ran had what it changes, as gaps in a result without dimensions.
    """

    kind: str
    file: str  # relative to the library's folder
    line: int
    before: str
    after: str
    covers: frozenset[Any]
    plant: Callable[[], bool] = field(compare=False)  # False where nothing there runs it
    idle: Callable[[], bool] = field(compare=False, default=lambda: False)

    @property
    def name(self) -> str:
        """The name that identifies the fault, also in equivalent.toml."""
        return f"{self.kind}: {self.file}:{self.line}: {self.before} -> {self.after}"

    @property
    def diff(self) -> str:
        """The change, as two lines of a diff."""
        return f"--- {self.file}:{self.line}\n- {self.before}\n+ {self.after}"


@cache
def source(file: str) -> str:
    """Returns the text of one of the library's files."""
    return (ROOT / file).read_text(encoding="utf-8")


@cache
def tree(file: str) -> ast.Module:
    """Returns a file's syntax tree."""
    return ast.parse(source(file))


@dataclass(frozen=True)
class Edit:
    """A piece of a file's text and what stands there instead."""

    file: str
    node: ast.AST
    text: str

    @property
    def span(self) -> tuple[int, int]:
        """The piece, in bytes of the file."""
        starts = _starts(self.file)
        node: Any = self.node
        start = starts[node.lineno - 1] + node.col_offset
        return start, starts[node.end_lineno - 1] + node.end_col_offset

    def apply(self) -> bytes:
        """Returns the changed file."""
        whole, (start, end) = source(self.file).encode(), self.span
        return whole[:start] + self.text.encode() + whole[end:]

    def fault(self, kind: str) -> Fault:
        """Returns the fault that consists of this edit."""
        whole, (start, end) = source(self.file).encode(), self.span
        node: Any = self.node
        before = whole[start:end].decode()
        lines = range(node.lineno, node.end_lineno + 1)
        return Fault(
            kind,
            self.file,
            node.lineno,
            " ".join(before.split()),
            self.text,
            frozenset((self.file, line) for line in lines),
            lambda: swap(self.file, self.apply()),
        )


@cache
def _starts(file: str) -> list[int]:
    """Returns the offset of each line, in bytes."""
    found = [0]
    for line in source(file).encode().splitlines(keepends=True):
        found.append(found[-1] + len(line))
    return found


def swap(file: str, changed: bytes) -> bool:
    """Gives every live function the code that it has in the changed file."""
    name = str(ROOT / file)
    try:
        old, new = compile(source(file), name, "exec"), compile(changed, name, "exec")
    except SyntaxError:
        return False
    found = 0
    for before, after in _differing(old, new):
        for function in live().get(_mark(before), ()):
            if before.co_freevars != after.co_freevars:
                return False
            function.__code__ = after
            found += 1
    return found > 0


def _differing(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yields the pairs of nested code objects that are not alike, outermost first."""
    pairs = [[code for code in each.co_consts if type(code) is CodeType] for each in (old, new)]
    if len(pairs[0]) != len(pairs[1]):
        return
    for before, after in zip(*pairs, strict=True):
        if _mark(before) != _mark(after):
            yield before, after
            yield from _differing(before, after)


def _mark(code: CodeType) -> Any:
    """Returns what tells code objects apart; not the name, for the library names its lambdas."""
    constants = [_mark(each) if type(each) is CodeType else repr(each) for each in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars
    return code.co_filename, code.co_firstlineno, code.co_code, names, tuple(constants)


@cache
def live() -> dict[Any, list[FunctionType]]:
    """Returns the library's live functions by their code."""
    found: dict[Any, list[FunctionType]] = {}
    gc.unfreeze()  # else functions that were frozen at an import are not among the objects
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(str(ROOT)):
            found.setdefault(_mark(each.__code__), []).append(each)
    return found
