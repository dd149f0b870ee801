"""A case that is a generated program: what every tensor looks like after every statement."""

import ast
import re
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from conformance.cases.case import Case, Outcome
from conformance.cases.programs.generate import Written, simplify
from conformance.cases.snippet import LOOKED_AT, namespace
from conformance.limits import processor_time
from conformance.oracle import record
from conformance.oracle.scope import look, state

SHOW = (Path(__file__).parent / "show.py").read_text()
SHRINKING = 8  # seconds of processor time


@dataclass
class Program(Case):
    """Statements, each of which runs even if others before it have failed.

    watched: whether the tensors are looked at after every statement, or only in the end: looking
        makes a library bring things up to date that it may leave for later otherwise.
    choices, features: the choices that generated the program.
    """

    source: str
    watched: bool = True
    choices: list[int] = field(default_factory=list)
    features: frozenset[str] = frozenset()
    label: str = "a program"
    properties: frozenset[str] = LOOKED_AT - {"text"}
    main: str = "error"
    pattern: str = ""
    found_by_chance = True
    makes_tensors = True

    def run(self, torch: ModuleType) -> Outcome:
        """Runs statement by statement, and looks."""
        names = namespace(torch)
        reserved = set(names)
        steps: dict[str, dict] = {"error": {}}
        versions = Versions()
        torch.set_warn_always(True)
        try:
            for step, code in statements(self.source):
                steps["error"][step] = _run(code, names)
                if self.watched:
                    tensors = {
                        name: value
                        for name, value in names.items()
                        if isinstance(value, torch.Tensor)
                    }
                    seen = state(tensors)
                    versions.rebase(tensors, seen["view"])
                    for name, what in seen.items():
                        steps.setdefault(name, {})[step] = what
        finally:
            torch.set_grad_enabled(True)
        left = {n: v for n, v in names.items() if n not in reserved and n[:6] != "handle"}
        seen = look(torch, left)
        versions.rebase(names, seen.get("view", {}))
        for name, what in seen.items():
            steps.setdefault(name, {})["in the end"] = what
        steps["effects"] = {"random state": record.random_state(torch)}
        return without_counts(steps)

    def script(self, impl: str) -> str:
        """Returns the program with the code that runs and shows it."""
        program = f'PROGRAM = """\\\n{self.source}"""\nWATCHED = {self.watched}\n'
        script = SHOW.replace('PROGRAM = ""\nWATCHED = True\n', program)
        return script.replace("minitorch", impl)

    @property
    def title(self) -> str:
        """The program itself."""
        return self.source

    @property
    def size(self) -> int:
        """The number of characters of the program."""
        return len(self.source)

    def shrunk(self, differs: Callable[[Case], bool]) -> "Program":
        """Returns a shorter program for which `differs` holds as well."""
        end = processor_time() + SHRINKING
        best = self

        def wanted(it: Written) -> bool:
            nonlocal best
            if processor_time() > end:
                raise Enough
            candidate = Program(*it)
            found = differs(candidate)
            if found and candidate.size <= best.size:
                best = candidate
            return found

        with suppress(Enough):
            simplify(self.choices, self.features, wanted)
        return without_needless(best, differs)


class Enough(BaseException):
    """The time for shrinking is over; hypothesis is not to catch this."""


class Versions:
    """Counts the writes into tensors from when they were first seen.

    A fresh result may have been written a few times before, by whatever its kernel is made of.
    """

    def __init__(self):
        self.first: dict[str, tuple[weakref.ref, Any]] = {}

    def rebase(self, tensors: dict[str, Any], seen: dict[str, dict]) -> None:
        """Takes the version at first sight from those in `seen`."""
        for name, what in seen.items():
            tensor, version = tensors.get(name), what["version"]
            known = self.first.get(name)
            if tensor is not None and (known is None or known[0]() is not tensor):
                self.first[name] = known = weakref.ref(tensor), version
            if isinstance(version, int):
                what["version"] = version - (known[1] if known else version)


_COUNTS = re.compile(r"is at version (\d+); expected version (\d+)")


def without_counts(seen: Any) -> Any:
    """Returns plain data in which errors tell of the writes between two versions alone."""
    if isinstance(seen, record.Failure):
        text = _COUNTS.sub(
            lambda m: f"is at version {int(m[1]) - int(m[2])}; expected version 0", seen.text
        )
        return replace(seen, text=text)
    if type(seen) is dict:
        return {name: without_counts(each) for name, each in seen.items()}
    return type(seen)(map(without_counts, seen)) if type(seen) in (list, tuple) else seen


def without_needless(program: Program, differs: Callable[[Case], bool]) -> Program:
    """Returns the program without the statements which it differs without just as well."""
    smaller = True
    while smaller:
        smaller = False
        for source in shorter(program.source):
            candidate = Program(source, program.watched)
            if differs(candidate):
                program, smaller = candidate, True
                break
    return program


def shorter(source: str) -> list[str]:
    """Returns the program without each of its statements, the last first; regions are opened."""
    body = ast.parse(source).body
    found = []
    for i in reversed(range(len(body))):
        inner: list[list[ast.stmt]] = [[]]
        if isinstance(body[i], ast.With):
            inner.append(body[i].body)
            if len(body[i].body) > 1:
                inner += [[ast.With(body[i].items, [each])] for each in body[i].body]
        for replacement in inner:
            rest = [*body[:i], *replacement, *body[i + 1 :]]
            if rest:
                found.append(ast.unparse(ast.fix_missing_locations(ast.Module(rest, []))) + "\n")
    return found


_compiled: dict[str, list[tuple[str, CodeType]]] = {}


def statements(source: str) -> list[tuple[str, CodeType]]:
    """Returns the statements, each with its number and first line, compiled. Keeps the latest."""
    if source not in _compiled:
        _compiled.clear()
        _compiled[source] = [
            (
                f"{number}: {ast.unparse(statement).partition(chr(10))[0]}",
                compile(ast.Module([statement], []), "<program>", "exec"),
            )
            for number, statement in enumerate(ast.parse(source).body)
        ]
    return _compiled[source]


def _run(code: CodeType, names: dict[str, Any]) -> Any:
    try:
        exec(code, names)
    except Exception as error:
        return record.failure(error)
    return None
