"""Checks of schemas tagged with torch.Tag.inplace or torch.Tag.out.

As `_validate_inplace_schema` and `_validate_out_schema` of torch/library.py.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from minitorch._C._enumerations import Tag
from minitorch.core.declare.schema import Schema

_ALIAS = re.compile(r"\(([a-z]\d*)(!?)\)")


def check_tags(schema: Schema, tags: Any) -> None:
    """ValueError in torch's words for a schema that its tags do not go with."""
    if Tag.out in tags:
        _check_out(schema)
    if Tag.inplace in tags:
        _check_in_place(schema)


def _refuse(tag: str, words: str, schema: Schema) -> NoReturn:
    raise ValueError(f"Schema tagged with torch.Tag.{tag} {words} Got: {schema.text}")


def _returns(schema: Schema) -> list[tuple[str, str, bool]]:
    """The type, the alias and whether that is written, of each result."""
    inner = schema.returns.removeprefix("(").removesuffix(")")
    whole = inner if schema.returns.startswith("(") else schema.returns
    found = []
    for part in whole.split(", ") if whole else ():
        kind = part.split(" ")[0]
        alias = _ALIAS.search(kind)
        found.append((_ALIAS.sub("", kind), alias[1] if alias else "", bool(alias and alias[2])))
    return found


def _check_out(schema: Schema) -> None:
    written = [a for a in schema.arguments if "!" in a.alias]
    if not written:
        _refuse("out", "must have at least one mutable argument.", schema)
    if placed := [a.name for a in written if not a.keyword_only]:
        _refuse(
            "out",
            "requires all mutable arguments to be keyword-only (after the *). Found mutable "
            f"positional args: {placed}.",
            schema,
        )
    if others := [a.name for a in written if a.type != "Tensor"]:
        _refuse(
            "out",
            f"only supports Tensor mutable arguments. Found unsupported mutable args: {others}.",
            schema,
        )
    returns = _returns(schema)
    if len(returns) != len(written):
        _refuse(
            "out",
            f"must return all mutable arguments (got {len(written)} mutable args but "
            f"{len(returns)} returns).",
            schema,
        )
    for place, ((_, alias, writes), a) in enumerate(zip(returns, written, strict=True)):
        start = f"Return {place} of schema tagged with torch.Tag.out must"
        end = f"Got: {schema.text}"
        if not alias:
            raise ValueError(f"{start} alias mutable arg '{a.name}'. {end}")
        if not writes:
            raise ValueError(
                f"{start} be a mutable alias (e.g., Tensor(a!), not Tensor(a)) of arg '{a.name}'. "
                f"{end}"
            )
        own = a.alias.rstrip("!")
        if own != alias:
            raise ValueError(
                f"{start} alias mutable arg '{a.name}' (return aliases { {alias} } but arg "
                f"aliases { {own} }). {end}"
            )


def _check_in_place(schema: Schema) -> None:
    arguments = schema.arguments
    if not arguments or arguments[0].keyword_only:
        _refuse("inplace", "must have at least one positional argument.", schema)
    first = arguments[0]
    if "!" not in first.alias:
        _refuse(
            "inplace",
            "requires the first positional argument to be mutable (e.g., Tensor(a!)).",
            schema,
        )
    if first.type != "Tensor":
        _refuse(
            "inplace",
            "requires the first positional argument to be a Tensor. Got type "
            f"'{first.type}' for arg '{first.name}'.",
            schema,
        )
    returns = _returns(schema)
    if len(returns) != 1:
        _refuse(
            "inplace",
            f"must return exactly one value (the first argument). Got {len(returns)} returns.",
            schema,
        )
    (kind, alias, writes), own = returns[0], first.alias.rstrip("!")
    wrong = ""
    if kind != "Tensor":
        wrong = f"return must be a Tensor, got type '{kind}'"
    elif not alias:
        wrong = "return must alias the first argument"
    elif not writes:
        wrong = "return must be a mutable alias, e.g., Tensor(a!)"
    elif alias != own:
        wrong = f"return aliases { {alias} } but first arg aliases { {own} }"
    if wrong:
        _refuse("inplace", f"must return the first mutable argument ({wrong}).", schema)
    if others := [a.name for a in arguments[1:] if "!" in a.alias]:
        _refuse(
            "inplace",
            "must only mutate the first positional argument. Found additional mutable args: "
            f"{others}.",
            schema,
        )
