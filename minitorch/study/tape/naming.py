"""Naming: what the reader calls tensors and modules.

A tensor is called as a module calls its parameter, as the variable that the call's result is
assigned to, or as the operand of a call is written; the first that is known.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from minitorch.study.tape.places import Places, Step
from minitorch.study.tape.recording import BackwardEnd, Operator, Recording, Visit
from minitorch.study.tape.sources import Operands, Position, Source
from minitorch.study.tape.tables import Tables
from minitorch.utils._pytree import tree_leaves

# Functions that take their tensors in another order than the operators that they end in.
_REORDERED = frozenset(("embedding", "embedding_bag", "batch_norm", "instance_norm"))


class _Named(NamedTuple):
    """A frame of an operator, in one call of its function, and the tensors that it named."""

    visit: Visit
    activation: Any
    named: list[int]


class Names:
    """The names of a recording."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self.recording = recording
        self.places = places
        self._modules: dict[int, tuple[weakref.ref[Any], str]] = {}  # id -> module, its path
        self._last: list[_Named] = []  # the frames of the last operator, outermost first
        self._wrapped: dict[int, str] = {}  # storage -> the parameter made of it

    def note(
        self, event: Operator, steps: list[Step], args: Any, result: Any, tables: Tables
    ) -> None:
        """Names what an operator took and gave."""
        if not event.at:
            return
        for number in event.ins:
            self._name_parameter(number)
        frames = self._frames(event.at, steps) if event.outs else []
        source, position = self.places.source_of(event.at[-1])
        operands = source.operands.get(position)
        if operands is not None:
            self._name_operands(operands, event, args, tables)
        outs = _parts(event, result, tables)
        for frame in reversed(frames):
            source, position = self.places.source_of(frame.visit)
            if position in source.targets:
                self._name_targets(frame, source.targets[position], outs)
            for name, output in zip(source.wrapped.get(position, ()), event.outs, strict=False):
                self._wrapped[self.recording.tensors[output.tensor].storage] = name

    def note_results(self, event: BackwardEnd, steps: list[Step]) -> None:
        """Names what an autograd.grad returned: `g, = grad(...)`, `g = grad(...)[0]`, and for
        `grads = grad(...)` "grads[0]"."""
        if not event.at or event.outs is None:
            return
        outs = [None if each is None else each.tensor for each in event.outs]
        *callers, frame = self._frames(event.at, steps)
        source, position = self.places.source_of(frame.visit)
        index, whole = _subscript(source, position)
        if index is None:
            names = source.targets.get(position, [])
            if len(names) == 1 and not _is_unpacked(source, position):
                names = [f"{names[0]}[{i}]" for i in range(len(outs))]
            self._name_targets(frame, names, outs)
        elif index < len(outs):
            self._name_targets(frame, source.targets.get(whole, ()), [outs[index]])
        for each in reversed(callers):
            source, position = self.places.source_of(each.visit)
            self._name_targets(each, source.targets.get(position, ()), outs)

    def _frames(self, at: list[Visit], steps: list[Step]) -> list[_Named]:
        """The frames of an operator. What earlier ones were named by the frames that both have in
        common is taken back: of several operators of an expression the last gives the result."""
        frames = []
        for last, visit, step in zip(self._last, at, steps, strict=False):
            if last.visit != visit or last.activation != step.activation:
                break
            if last.named:
                for number in last.named:
                    self.recording.tensors[number].name = None
                last.named.clear()
            frames.append(last)
        for i in range(len(frames), len(at)):
            frames.append(_Named(at[i], steps[i].activation, []))
        self._last = frames
        return frames

    def _name_targets(
        self, frame: _Named, names: Sequence[str], numbers: Sequence[int | None]
    ) -> None:
        """Names the results of an expression after the variables that they are assigned to."""
        rest = next((i for i, each in enumerate(names) if each.startswith("*")), None)
        if len(names) > 1 and rest is None and len(names) != len(numbers):
            return  # the results of a function of the reader's are not those of one operator
        for name, number in zip(names[:rest], numbers, strict=False):
            if number is not None:
                info = self.recording.tensors[number]
                if info.name is None and not info.param:
                    info.name = name
                    frame.named.append(number)

    def _name_parameter(self, number: int) -> None:
        info = self.recording.tensors[number]
        if info.param and info.name is None:
            info.name = self._wrapped.get(info.storage)

    def _name_operands(
        self, operands: Operands, event: Operator, args: Any, tables: Tables
    ) -> None:
        """Names operands as they are written, where it is plain which is which."""
        names: list[str | None] = list(operands.names)
        given = list(args)
        if operands.function is None:
            names = [each for each in names if each is not None]
            given = [each for each in given if tables.library.is_tensor(each)]
            if len(given) != len(names):
                return
        elif operands.function != event.name or event.name in _REORDERED or len(given) < len(names):
            return
        self.name_all(names, given, tables)

    def name_all(self, names: Iterable[str | None], given: Iterable[Any], tables: Tables) -> None:
        """Names those things that are tensors and have no name yet."""
        for name, each in zip(names, given, strict=False):
            if name is not None and tables.library.is_tensor(each):
                info = self.recording.tensors[tables.tensor(each)]
                if info.name is None:
                    info.name = name

    def note_call(self, steps: list[Step], args: Any, tables: Tables) -> None:
        """Names the arguments of the call of a module as the reader writes them."""
        if steps:
            visit = Visit(self.places.place(steps[-1].code, steps[-1].offset), ())
            source, position = self.places.source_of(visit)
            operands = source.operands.get(position)
            if operands is not None and operands.function is not None:
                names = operands.names[-len(args) :] if args else ()
                if len(names) == len(args):
                    self.name_all(names, args, tables)

    def label(self, module: Any, outermost: bool, tables: Tables) -> str:
        """The label of a module in the stack: "Sequential" outermost, "0:Linear" inside."""
        kind = type(module).__name__
        known = self._modules.get(id(module))
        if known is None or known[0]() is not module:
            for path, each in module.named_modules():
                if id(each) not in self._modules or self._modules[id(each)][0]() is not each:
                    self._modules[id(each)] = weakref.ref(each), path
            for name, parameter in module.named_parameters():
                info = self.recording.tensors[tables.tensor(parameter)]
                if outermost or info.name is None:
                    info.name = name
        path = self._modules[id(module)][1]
        return f"{path}:{kind}" if path else kind


def _parts(event: Operator, result: Any, tables: Tables) -> list[int | None]:
    """The numbers of the tensors in the result of an operator, None for other things in a tuple
    (`y, pull = vjp(f, x)`); none at all for a dict, whose name is that of no tensor."""
    if type(result) is dict:
        return []
    if type(result) is tuple and len(result) != len(event.outs):
        is_tensor = tables.library.is_tensor
        return [tables.tensor(each) if is_tensor(each) else None for each in tree_leaves(result)]
    return [each.tensor for each in event.outs]


_SUBSCRIPT = re.compile(rb"\[(\d+)\]")
_TUPLE = re.compile(r"(,\s*\)?|^\s*\[[^\]]*\])\s*=\s*\Z")


def _subscript(source: Source, at: Position) -> tuple[int | None, Position]:
    """The number in `f(x)[0]` and the position of all of it, if `at` is that of the call; None if
    no such thing follows."""
    if 0 < at.end_line <= len(source.lines):
        rest = source.lines[at.end_line - 1].encode()[at.end_column :]
        found = _SUBSCRIPT.match(rest)
        if found is not None:
            return int(found[1]), at._replace(end_column=at.end_column + found.end())
    return None, at


def _is_unpacked(source: Source, at: Position) -> bool:
    """Whether the one name that an expression is assigned to is in a tuple: `g, = f(x)`."""
    if not 0 < at.line <= len(source.lines):
        return False
    before = source.lines[at.line - 1].encode()[: at.column].decode(errors="ignore")
    return _TUPLE.search(before) is not None
