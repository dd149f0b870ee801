"""Naming: what the reader calls tensors and modules.

A tensor is called as a module calls its parameter, as the variable that the call's result is
assigned to, or as the operand of a call is written; the first that is known.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from minitorch.study.tape.places import Places, Step
from minitorch.study.tape.recording import Operator, Recording, Visit
from minitorch.study.tape.sources import Operands
from minitorch.study.tape.tables import Tables

# Functions that take their tensors in another order than the operators that they end in.
_REORDERED = frozenset(("embedding", "embedding_bag", "batch_norm", "instance_norm"))


class Names:
    """The names of a recording."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self.recording = recording
        self.places = places
        self._modules: dict[int, tuple[weakref.ref[Any], str]] = {}  # id -> module, its path
        self._last: tuple[Any, list[int]] = None, []  # where the last operator was, what it named
        self._wrapped: dict[int, str] = {}  # storage -> the parameter made of it

    def note(self, event: Operator, args: Any, tables: Tables) -> None:
        """Names what an operator took and gave."""
        if not event.at:
            return
        for number in event.ins:
            self._name_parameter(number)
        source, position = self.places.source_of(event.at[-1])
        operands = source.operands.get(position)
        if operands is not None:
            self._name_operands(operands, event, args, tables)
        where, named = self._last
        if where == event.at:  # of several operators in one place the last gives the result
            for number in named:
                self.recording.tensors[number].name = None
        given = []
        for visit in reversed(event.at):
            source, position = self.places.source_of(visit)
            for name, output in zip(source.targets.get(position, ()), event.outs, strict=False):
                info = self.recording.tensors[output.tensor]
                if info.name is None and not info.param:
                    info.name = name
                    given.append(output.tensor)
            for name, output in zip(source.wrapped.get(position, ()), event.outs, strict=False):
                self._wrapped[self.recording.tensors[output.tensor].storage] = name
        self._last = event.at, given

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
        """What a module is called in the stack: "Sequential" outermost, "0:Linear" inside."""
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
