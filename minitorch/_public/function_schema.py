"""Schemas of operators as objects: torch.ops.aten.add.Tensor._schema, torch._C.parse_schema."""

from __future__ import annotations

import ast
import re
from functools import cache, cached_property
from typing import Any

from minitorch._public.jit_types import Type, type_of
from minitorch._public.schema_parser import parsed
from minitorch.core.tables import table

_ALIAS = re.compile(r"\(([\w*|]+!?)( -> [\w*|]+)?\)")
_PART = re.compile(r"(.+) (\w+)(=.*)?")
_CONSTANTS = {
    "Mean": 1,
    "Sum": 2,
    "contiguous_format": 0,
    "preserve_format": 1,
    "channels_last": 2,
    "strided": 0,
    "int": 3,
    "long": 4,
    "float": 6,
    "double": 7,
}


class _AliasInfo:
    """The memory that an argument shares, and whether an operator writes into it.

    is_write: whether the operator writes into it. before_set, after_set: the names of what it is
    an alias of.
    """

    __module__ = "torch._C"

    def __init__(self, is_write: bool, before_set: set[str], after_set: set[str]) -> None:
        self.is_write, self.before_set, self.after_set = is_write, before_set, after_set


class Argument:
    """An argument, or a result, of an operator.

    Source: torch.Argument.
    """

    __module__ = "torch"

    def __init__(self, text: str, kwarg_only: bool = False, is_result: bool = False) -> None:
        match = _PART.fullmatch(text)
        named = match is not None and not (is_result and " -> " in match[2])
        kind, name, default = match.groups() if match is not None and named else (text, "", None)
        self.name: str = name
        self.kwarg_only = kwarg_only
        alias = _ALIAS.search(kind)
        self._kind = kind if alias is None else _ALIAS.sub("", kind)
        self.alias_info: _AliasInfo | None = None
        if alias is not None:
            in_list = (
                kind[alias.end() : alias.end() + 1] == "["
            )  # torch keeps sets of elements apart
            before = set() if in_list else set(alias[1].rstrip("!").split("|"))
            after = set(alias[2][4:].split("|")) if alias[2] and not in_list else before
            self.alias_info = _AliasInfo(alias[1].endswith("!"), before, after)
        self._default = None if default is None else default[1:]
        sizes = re.search(r"\[(\d+)\]", self._kind)
        self.N = None if sizes is None else int(sizes[1])

    @property
    def type(self) -> Type:
        """The type that programs give values of: int for a SymInt and for a dtype."""
        return type_of(self._kind)

    @property
    def real_type(self) -> Type:
        """The type that the schema has."""
        return type_of(self._kind, real=True)

    @property
    def is_write(self) -> bool:
        """Whether the operator writes into it."""
        return self.alias_info is not None and self.alias_info.is_write

    @property
    def is_out(self) -> bool:
        """Whether it is one of those that out= names."""
        return self.kwarg_only and self.is_write

    def has_default_value(self) -> bool:
        """Whether it can be left out."""
        return self._default is not None

    @property
    def default_value(self) -> Any:
        """The value of an argument that is left out; None as well if it cannot be."""
        if self._default is None:
            return None
        if self._default in _CONSTANTS:
            return _CONSTANTS[self._default]
        value = ast.literal_eval(self._default)
        if self._kind == "float" and isinstance(value, int):
            return float(value)
        is_list = self._kind.rstrip("?").endswith("]")
        if is_list and not isinstance(value, list) and value is not None:
            return [value] * (self.N or 1)
        return value


class FunctionSchema:
    """The name of an operator, its arguments and its results.

    Source: torch.FunctionSchema.
    """

    __module__ = "torch"

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _parts(self) -> tuple[str, list[str], list[str]]:
        """The name, and the texts of the arguments and of the results."""
        name, _, rest = self._text.partition("(")
        body, _, returns = rest.rpartition(") -> ")
        if returns.startswith("("):
            returns = returns[1:-1]
        return name, _texts(body), _texts(returns)

    @property
    def name(self) -> str:
        """The name without the overload: aten::add."""
        return self._parts[0].partition(".")[0]

    @property
    def overload_name(self) -> str:
        """The name of the overload: Tensor; nothing for the default one."""
        return self._parts[0].partition(".")[2]

    @cached_property
    def _arguments(self) -> list[Argument]:
        texts = self._parts[1]
        star = texts.index("*") if "*" in texts else len(texts)
        kept = [(i, text) for i, text in enumerate(texts) if text not in ("*", "...")]
        return [Argument(text, i > star) for i, text in kept]

    @property
    def arguments(self) -> list[Argument]:
        """The arguments in order."""
        return list(self._arguments)

    @property
    def returns(self) -> list[Argument]:
        """The results in order."""
        return [Argument(text, is_result=True) for text in self._parts[2] if text != "..."]

    @property
    def is_mutable(self) -> bool:
        """Whether the operator writes into one of its arguments."""
        return any(each.is_write for each in self._arguments)

    def _is_view_op(self) -> bool:
        """Whether a result is a view of an argument that the operator does not write into."""
        viewed = [each.alias_info for each in self._arguments if each.alias_info is not None]
        return bool(viewed) and not any(each.is_write for each in viewed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionSchema):
            raise TypeError(
                "__eq__(): incompatible function arguments. The following argument types are "
                "supported:\n    1. (self: torch._C.FunctionSchema, arg0: "
                f"torch._C.FunctionSchema) -> bool\n\nInvoked with: {self}, {other!r}"
            )
        return self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return self._text


def _texts(body: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    found, depth, start = [], 0, 0
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|[(\[]|[)\]]|, ', body):
        if match[0] == ", " and depth == 0:
            found.append(body[start : match.start()])
            start = match.end()
        depth += (match[0] in "([") - (match[0] in ")]")
    return [*found, body[start:]] if body else []


@cache
def _lines() -> dict[str, str]:
    """The lines of operator_schemas.txt by the name of the operator with its overload."""
    text = table("_public/operator_schemas.txt")
    return {line.partition("(")[0]: line for line in text.splitlines()}


@cache
def overload_names() -> dict[str, tuple[str, ...]]:
    """The overloads of ATen's operators, by the name of the operator."""
    found: dict[str, list[str]] = {}
    for full in _lines():
        name, _, overload = full.partition(".")
        found.setdefault(name, []).append(overload or "default")
    return {name: tuple(overloads) for name, overloads in found.items()}


def overload_text(name: str, overload: str) -> str:
    """The schema of an overload of ATen without the library; dots for those of minitorch alone."""
    full = name if overload == "default" else f"{name}.{overload}"
    return _lines().get(full, f"{full}(...)").partition("  # ")[0]


@cache
def _other_lines() -> dict[str, list[str]]:
    """The lines of other_operators.txt by the library and the name of the operator."""
    found: dict[str, list[str]] = {}
    for line in table("_public/other_operators.txt").splitlines():
        found.setdefault(line.partition("(")[0].partition(".")[0], []).append(line)
    return found


def other_overloads(library: str, name: str) -> dict[str, tuple[str, list[str]]]:
    """The overloads that torch has of an operator and that no program here can call.

    They are those of other libraries than ATen (quantized, prims, onednn, ...), and those of ATen
    that TorchScript has for plain numbers, texts, lists and dicts.

    Args:
        library: "quantized"
        name: "add"

    Returns:
        By the name of the overload: its schema without the library, and the names of its tags.
    """
    found = {}
    for line in _other_lines().get(f"{library}::{name}", ()):
        text, _, tags = line.partition("::")[2].partition("  # ")
        found[text.partition("(")[0].partition(".")[2] or "default"] = text, tags.split()
    return found


def schema_of(name: str, text: str) -> FunctionSchema:
    """The schema of an operator; for one of ATen's, torch's own.

    name: that with its library and its overload: aten::add.Tensor.
    text: the schema of an operator that is not ATen's.
    """
    line = _lines().get(name.removeprefix("aten::"))
    if line is None or not name.startswith("aten::"):
        return FunctionSchema(text)
    return FunctionSchema("aten::" + line.partition("  # ")[0])


def tag_names(name: str) -> list[str] | None:
    """The names of the tags of an operator of ATen; None if it is none of them."""
    line = _lines().get(name.removeprefix("aten::"))
    if line is None or not name.startswith("aten::"):
        return None
    _, mark, tags = line.partition("  # ")
    return tags.split() if mark else ["pt2_compliant_tag"]


def parse_schema(schema: str, allow_typevars: bool = True) -> FunctionSchema:
    """The schema that a text is.

    Args:
        schema: such as "my::scale(Tensor x, float by=2.0) -> Tensor"
        allow_typevars: is taken; types that are letters are unknown all the same

    Raises:
        RuntimeError: if it is none

    Source: torch.parse_schema.
    """
    found = parsed(schema)
    if not found.is_whole:
        raise RuntimeError("Tried to parse a function schema but only the operator name was given")
    return FunctionSchema(found.text)


def _get_schema(name: str, overload: str) -> FunctionSchema:
    """The schema of an operator of ATen by its name, aten::add, and its overload."""
    full = f"{name}.{overload}" if overload else name
    if full.removeprefix("aten::") not in _lines():
        raise RuntimeError("Found no matching schema")
    return schema_of(full, "")


def _jit_get_schemas_for_operator(name: str) -> list[FunctionSchema]:
    """The schemas of all overloads of an operator of ATen."""
    known = overload_names().get(name.removeprefix("aten::"), ())
    return [_get_schema(name, each.removeprefix("default")) for each in known]
