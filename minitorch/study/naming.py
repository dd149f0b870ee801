"""Naming: what the reader calls tensors and modules.

A tensor is called as a module calls its parameter, as the variable that the call's result is
assigned to, or as the operand of a call is written; the first that is known.
"""

from __future__ import annotations

import weakref
from typing import Any

from minitorch.study.places import Places
from minitorch.study.recording import Operator, Recording
from minitorch.study.sources import Operands
from minitorch.study.tables import Tables


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
        names = list(operands.names)
        tensors = tables.library.is_tensor
        if operands.function is None:
            given = [each for each in args if tensors(each)]
            names = [each for each in names if each is not None]
            if len(given) != len(names) or len(operands.names) != len(args):
                return
        elif operands.function != event.name:
            return
        elif len(names) == len(args) + 1:  # a function; else a method, or torch adds arguments
            given, names = list(args), names[1:]
        elif len(names) == len(args):
            given = list(args)
        else:
            return
        for name, each in zip(names, given, strict=True):
            if name is not None and tensors(each):
                info = self.recording.tensors[tables.tensor(each)]
                if info.name is None:
                    info.name = name

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
