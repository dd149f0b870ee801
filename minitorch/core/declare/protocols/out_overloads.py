"""Overloads that write into out=, as a __torch_dispatch__ sees them: torch.ops.aten.mul.out.

A call with out= is one call of such an overload, with the written tensors by the names of its
schema. torch composes some overloads of other operators; modes see these operators instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.protocols.torch_dispatch import bound_in_schema_order
from minitorch.core.declare.registry import ROWS, function_of_row
from minitorch.core.declare.row import Row
from minitorch.core.declare.schema import Argument, Schema
from minitorch.core.declare.struct import Struct
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tables import table


class Overload(Struct):
    """An overload that writes into out=.

    schema: its arguments. outs: the names of the arguments that it writes.
    composite: whether torch composes it of other operators.
    """

    schema: Schema
    outs: tuple[str, ...]
    composite: bool

    def is_of(self, row: Row, *without: str) -> bool:
        """Whether this overload has the arguments of a row, without the names `without`."""
        return _kinds(self.schema, self.outs) == _kinds(row.schema, without)

    def named(self, out: Any) -> dict[str, Any] | None:
        """The tensors of out=, by name; None if this overload writes another number of tensors."""
        if len(self.outs) == 1:
            return {self.outs[0]: out}
        if not isinstance(out, (tuple, list)) or len(out) != len(self.outs):
            return None
        return dict(zip(self.outs, out, strict=True))


def _kinds(schema: Schema, without: tuple[str, ...]) -> list[tuple[str, bool]]:
    return [(a.name, a.is_tensor) for a in schema.arguments if a.name not in without]


@cache
def _texts() -> dict[str, list[str]]:
    """The lines of out_overloads.txt by operator name."""
    text = table("_public/out_overloads.txt")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        found.setdefault(line.lstrip("~").partition("(")[0].partition(".")[0], []).append(line)
    return found


@cache
def overloads_into(name: str) -> tuple[Overload, ...]:
    """The overloads of an operator that write into out=."""
    return tuple(
        [
            _overload(Schema.parse(f"{line.lstrip('~')} -> Tensor"), line[0] == "~")
            for line in _texts().get(name, ())
        ]
    )


def _overload(schema: Schema, composite: bool) -> Overload:
    written = [each.name for each in schema.arguments if each.keyword_only and each.alias]
    return Overload(schema, tuple(written), composite)


def writing(
    name: str, function: Callable[..., Any], text: str
) -> tuple[Callable[..., Any], str] | None:
    """As `functions_into`, the function and schema of an overload that torch has generated.

    text: its schema; None is returned if it writes into no out=.
    """
    if "!) out" not in text:
        return None
    closed = re.sub(r", (?=[^\[\]]*\])", ",", text)  # lists without spaces
    return _writing(name, function, _overload(Schema.parse(closed), True), False), text


def functions_into(name: str, public: Any) -> dict[str, tuple[Callable[..., Any], str]]:
    """The functions and schemas of the overloads of an operator that write into out=, by overload.

    public: the function of torch of that name, if there is one.
    """
    found = {}
    for each in overloads_into(name):
        row = next((row for row in ROWS.values() if row.name == name and each.is_of(row)), None)
        function = public if row is None else function_of_row(row)
        if function is not None:
            takes = row is None or "out" in row.variants
            text = f"{each.schema.name}.{each.schema.overload}({each.schema.body})"
            found[each.schema.overload or "default"] = _writing(name, function, each, takes), text
    return found


def _writing(
    name: str, function: Callable[..., Any], overload: Overload, takes_out: bool
) -> Callable[..., Any]:
    def into(*args: Any, **kwargs: Any) -> Any:
        outs = tuple([kwargs.pop(each) for each in overload.outs])
        out = outs[0] if len(outs) == 1 else outs
        if takes_out:
            return function(*args, **kwargs, out=out)
        return deliver(name, function, out, (args, kwargs))

    return into


def shown_into(
    name: str, row: Row | None, out: Any, args: Any, kwargs: Any, number: bool = False
) -> tuple[str, tuple[Any, ...], dict[str, Any]] | None:
    """The overload of a call with out=, and its arguments as a mode sees them.

    row: the row whose function is called; None for a function that is made of others.
    kwargs: the keywords without out. number: whether torch calls the overload for a number.

    Returns:
        None if no overload fits, or if torch composes it of other operators.
    """
    if row is not None:
        known = [each for each in overloads_into(name) if not each.composite]
        fitting = [each for each in known if each.is_of(row)]
        if fitting and not number:
            bound = bind(row, args, kwargs)
            if bound.get("dim", 0) in (
                None,
                (),
            ):  # torch prefers its overload for all dimensions
                fitting = [each for each in known if each.is_of(row, "dim", "keepdim")] or fitting
            return _seen(fitting[0], bound, out)
    for exactly in (True, False):
        for each in overloads_into(name):
            if each.composite and row is not None:
                continue
            given = _bound(each, args, kwargs, exactly)
            if given is not None:
                return None if each.composite else _seen(each, given, out)
    return None


def _seen(
    overload: Overload, bound: dict[str, Any], out: Any
) -> tuple[str, tuple[Any, ...], dict[str, Any]] | None:
    outs = overload.named(out)
    if outs is None:
        return None
    by_place, by_name = bound_in_schema_order(overload.schema, bound)
    return overload.schema.overload or "default", by_place, {**by_name, **outs}


# Options of factories that out= itself determines.
_OPTIONS = frozenset(("dtype", "layout", "device", "pin_memory"))
_ALSO = {"input": "self", "axis": "dim"}


def _bound(overload: Overload, args: Any, kwargs: Any, exactly: bool) -> dict[str, Any] | None:
    """A call's arguments by the names of a schema; None if they do not fit it.

    exactly: whether a number must not stand for a tensor, nor an int for a list of ints.
    """
    arguments = [each for each in overload.schema.arguments if each.name not in overload.outs]
    places = [each for each in arguments if not each.keyword_only]
    if places and places[0].type == "SymInt[]" and args and all([type(n) is int for n in args]):
        args = (list(args),)
    if len(args) > len(places):
        return None
    known = {each.name for each in arguments}
    given = dict(zip([each.name for each in places], args, strict=False))
    for key, value in kwargs.items():
        name = key if key in known else _ALSO.get(key, key)
        if name in known and name not in given:
            given[name] = value
        elif name not in _OPTIONS and value is not None:
            return None
    for each in arguments:
        if each.name in given:
            if not _fits(each, given[each.name], exactly):
                return None
        elif each.default is None or each.name in overload.schema.overload:  # such as "generator"
            return None
    return given


def _fits(argument: Argument, value: Any, exactly: bool) -> bool:
    if value is None:
        return "?" in argument.type or argument.default == "None"
    kind = argument.type.rstrip("?")
    if isinstance(value, TensorBase):
        return kind == "Tensor"
    if "[" in kind:
        stands = not exactly and "Tensor" not in kind and type(value) is int
        return stands or isinstance(value, (list, tuple))
    plain: dict[str, Any] = {
        "Tensor": () if exactly else (int, float, complex),
        "Scalar": (int, float, complex),
        "float": (int, float),
        "int": int,
        "SymInt": int,
        "str": str,
        "bool": bool,
        "ScalarType": dtypes.dtype,
    }
    return isinstance(value, plain.get(kind, object))
