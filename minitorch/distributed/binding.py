"""Arguments as torch's classes in C++ take them: checked against signatures in pybind11's words."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitorch.distributed import options
from minitorch.distributed.reduce_op import RedOpType, ReduceOp

_HOME = "torch._C._distributed_c10d."
_INTEGER = "typing.SupportsInt | typing.SupportsIndex"
_SEQUENCE = "collections.abc.Sequence"
# From the kinds of values, as signatures name them here, to how pybind11 writes them.
_SHORT = {
    "int": _INTEGER,
    "port": _INTEGER,
    "ints": f"{_SEQUENCE}[{_INTEGER}]",
    "strs": f"{_SEQUENCE}[str]",
    "time": "datetime.timedelta",
    "Tensor": "torch.Tensor",
    "Tensors": f"{_SEQUENCE}[torch.Tensor]",
    "TensorLists": f"{_SEQUENCE}[{_SEQUENCE}[torch.Tensor]]",
}
# From the kinds of sequences to those of their elements.
_ELEMENTS = {"ints": "int", "strs": "str", "Tensors": "Tensor", "TensorLists": "Tensors"}
_MISSING = object()
_VALUES = {"datetime": datetime, "RedOpType": RedOpType, **vars(options)}  # that defaults name


class Parameter(NamedTuple):
    """A parameter of a signature: its name, the kind of its values, and what stands for none."""

    name: str
    kind: str
    default: Any


def bound(owner: str, *signatures: str) -> Callable[[Any], Any]:
    """Decorates a method so that it takes what one of the signatures takes, by name or in turn.

    Args:
        owner: the class in C++ whose method it is.
        signatures: such as "add(arg0: str, arg1: int) -> int"; parameters named arg0, arg1, ...
            have no names for callers. int, strs and time stand for what pybind11 writes.

    Raises:
        TypeError: when it is called with anything else, in pybind11's words.
    """
    parsed = [_parsed(signature) for signature in signatures]

    def decorate(method: Any) -> Any:
        @functools.wraps(method)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            for parameters in parsed:
                values = _fit(parameters, args, kwargs)
                if values is not None:
                    return method(self, *values)
            raise TypeError(_refusal(owner, signatures, self, args, kwargs))

        return call

    return decorate


def _parsed(signature: str) -> list[Parameter]:
    inside = signature.partition("(")[2].rpartition(") ->")[0]
    parameters = []
    for each in filter(None, inside.split(", ")):
        head, _, default = each.partition(" = ")
        name, _, kind = head.partition(": ")
        value = eval(default, dict(_VALUES)) if default else _MISSING
        parameters.append(Parameter(name, kind, value))
    return parameters


def _fit(parameters: list[Parameter], args: Any, kwargs: Any) -> list[Any] | None:
    """The values of the parameters in turn; None if the arguments do not fit."""
    if len(args) > len(parameters):
        return None
    left, values = dict(kwargs), []
    for i, each in enumerate(parameters):
        if i < len(args):
            value = args[i]
        elif each.name.startswith("arg"):
            return None
        else:
            value = left.pop(each.name, each.default)
        if value is _MISSING or not _is(value, each.kind):
            return None
        values.append(value)
    return None if left else values


def _is(value: Any, kind: str) -> bool:
    if kind.endswith(" | None"):
        return value is None or _is(value, kind.removesuffix(" | None"))
    if kind == "str":
        return isinstance(value, (str, bytes))
    if kind == "port":
        return _is(value, "int") and 0 <= int(value) < 65536
    if kind == "int":
        return not isinstance(value, (float, str, bytes)) and hasattr(value, "__index__")
    if kind == "bool":
        return isinstance(value, bool)
    if kind in _ELEMENTS:
        several = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
        return several and all(_is(each, _ELEMENTS[kind]) for each in value)
    if kind == "ReduceOp":
        return isinstance(value, (RedOpType, ReduceOp))
    if kind == "time":
        return isinstance(value, (datetime.timedelta, float))
    return any(base.__name__ == kind for base in type(value).__mro__)


def _refusal(owner: str, signatures: Any, self: Any, args: Any, kwargs: Any) -> str:
    name = signatures[0].partition("(")[0]
    constructs = name == "__init__"
    lines = []
    for i, signature in enumerate(signatures):
        inside, _, result = signature.partition("(")[2].rpartition(") -> ")
        shown = ", ".join(_written(each) for each in filter(None, inside.split(", ")))
        given = f"self: {_HOME}{owner}" + (", " if shown else "")
        line = f"{_HOME}{owner}({shown})" if constructs else f"({given}{shown}) -> {result}"
        lines.append(f"    {i + 1}. {line}\n")
    what = "constructor" if constructs else "function"
    shown = ", ".join(map(repr, args if constructs else (self, *args)))
    named = ", ".join(f"{key}={value!r}" for key, value in kwargs.items())
    return (
        f"{name}(): incompatible {what} arguments. The following argument types are supported:\n"
        f"{''.join(lines)}\nInvoked with: {shown}" + (f"; kwargs: {named}" if named else "")
    )


def _written(parameter: str) -> str:
    """A parameter as pybind11 writes it."""
    name, _, kind = parameter.partition(": ")
    kind, equals, default = kind.partition(" = ")
    kind, bar, none = kind.partition(" | ")
    if kind in _SHORT or kind in ("str", "bool", "bytes"):
        kind = _SHORT.get(kind, kind)
    else:
        kind = f"{_HOME}{kind}"
    return f"{name}: {kind}{bar}{none}{equals}{default}"


def seconds(value: Any) -> float:
    """The seconds of a timedelta, or of a number of them."""
    return value.total_seconds() if isinstance(value, datetime.timedelta) else float(value)
