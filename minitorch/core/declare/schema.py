"""Schemas: the one-line signature of an ATen operator, parsed."""

from __future__ import annotations

import re
from functools import cached_property

from minitorch.core.declare.struct import Struct

_SCHEMA = re.compile(r"([\w.]+)\((.*)\) -> (.*)")
_ALIAS = re.compile(r"\(([a-z](?:!| -> \*)?)\)")
_DEFAULTS = {"Mean": "1", "Sum": "2", "[]": "()", "contiguous_format": "None"}


def _as_tuple(default: str) -> str:
    """A default as Python text, lists as tuples, which cannot be written into."""
    return f"({default[1:-1]},)" if default.startswith("[") else default


class Argument(Struct):
    """One argument: its ATen type without the alias mark, its name, its default as Python text."""

    type: str
    name: str
    default: str | None
    keyword_only: bool
    alias: str  # '' | 'a' (viewed) | 'a -> *' (viewed by each of a list) | 'a!' (written)

    @property
    def is_tensor(self) -> bool:
        return self.type in ("Tensor", "Tensor?")

    @property
    def is_tensor_list(self) -> bool:
        return self.type.startswith(("Tensor[]", "Tensor?[]"))

    @property
    def is_integer(self) -> bool:
        """Whether it is an int or a list of them (what `_saved_<name>` shows unsigned)."""
        return re.fullmatch(r"(int|SymInt)(\[\d*\])?\??", self.type) is not None

    @property
    def python(self) -> str:
        """The parameter of the assembled function."""
        name = "input" if self.name == "self" else self.name
        return name if self.default is None else f"{name}={self.default}"


class Schema(Struct):
    """name.overload(arguments) -> returns."""

    text: str
    name: str
    overload: str
    body: str  # the arguments as text
    returns: str

    @property
    def key(self) -> str:
        """A unique Python name for the row: mul_Tensor, or neg if there is one overload."""
        return f"{self.name}_{self.overload}" if self.overload else self.name

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments in order. Parsed at first use: that takes half the time of a row."""
        arguments = []
        keyword_only = False
        for part in self.body.split(", ") if self.body else ():
            if part == "*":
                keyword_only = True
                continue
            kind, argument = part.rsplit(" ", 1)
            argument, _, default = argument.partition("=")
            alias = _ALIAS.search(kind)
            arguments.append(
                Argument(
                    _ALIAS.sub("", kind),
                    argument,
                    _DEFAULTS.get(default, _as_tuple(default)) or None,
                    keyword_only,
                    alias[1] if alias else "",
                )
            )
        return tuple(_with_none(arguments))

    @cached_property
    def tensors(self) -> tuple[Argument, ...]:
        """The arguments that hold tensors, lists of them included."""
        return tuple([a for a in self.arguments if a.is_tensor or a.is_tensor_list])

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs; ('result',) if there is one without a name."""
        if not self.returns.startswith("("):
            return ("result",)
        parts = [part.split() for part in self.returns.strip("()").split(", ")]
        return tuple([part[1] if len(part) > 1 else f"result{i}" for i, part in enumerate(parts)])

    @property
    def names_outputs(self) -> bool:
        """Whether the outputs have names, so that users get them as a named tuple."""
        return self.returns.startswith("(") and " " in self.returns.split(",")[0]

    @property
    def is_view(self) -> bool:
        return "(a)" in self.returns

    @property
    def returns_list(self) -> bool:
        return self.returns.endswith("[]")

    @classmethod
    def parse(cls, text: str) -> Schema:
        """Reads 'mul.Tensor(Tensor self, Tensor other) -> Tensor'. ValueError for other text."""
        match = _SCHEMA.fullmatch(text)
        if match is None:
            raise ValueError(f"not an operator schema: {text!r}")
        head, body, returns = match.groups()
        name, _, overload = head.partition(".")
        return cls(text, name, overload, body, returns)


def _with_none(arguments: list[Argument]) -> list[Argument]:
    """The arguments; optional ones that no required one follows get the default None."""
    required = False
    for i, each in reversed(list(enumerate(arguments))):
        if each.default is None:
            if each.type.endswith("?") and (each.keyword_only or not required):
                arguments[i] = each.but(default="None")
            else:
                required = required or not each.keyword_only
    return arguments
