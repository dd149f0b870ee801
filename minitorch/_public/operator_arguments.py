"""Arguments of torch.ops: numbers, made by Python's own conversions of tensors and of NumPy's.

torch's parser, of which the public functions know, is stricter: an operator of torch.ops takes
whatever has an `__int__`, a `__float__` or a `__bool__`. Calls are looked at once they have failed.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.schema import Argument, Schema

_SHOWN = {"SymInt": "int", "Scalar": "number"}


class _Unread(Exception):
    """Raised for a value that is no such number."""


def _int(value: Any) -> int:
    if isinstance(value, (float, str, bytes)) or not hasattr(value, "__int__"):
        raise _Unread
    return int(value)


def _float(value: Any) -> float:
    if isinstance(value, (str, bytes)) or not (
        hasattr(value, "__float__") or hasattr(value, "__index__")
    ):
        raise _Unread
    return float(value)


def _bool(value: Any) -> bool:
    if value is not None and not hasattr(type(value), "__bool__"):
        raise _Unread
    return bool(value)


_MADE = {"int": _int, "SymInt": _int, "float": _float, "bool": _bool}
_PLAIN = {"int": int, "SymInt": int, "float": float, "bool": bool}


def converted(
    text: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of a call of the operator with this schema, 'aten::slice.Tensor(Tensor(a)
    self, int dim=0) -> Tensor(a)', with plain numbers; None if that would change nothing.

    RuntimeError with torch's text for what is no number of the kind.
    """
    space, _, own = text.rpartition("::")
    try:
        schema = Schema.parse(own)
    except ValueError:  # of an operator whose arguments are not written down
        return None
    values, named, changed = list(args), dict(kwargs), False
    for place, argument in enumerate(schema.arguments):
        given: Any = named if argument.name in named else values
        at: Any = argument.name if argument.name in named else place
        if given is values and (argument.keyword_only or place >= len(values)):
            continue
        try:
            made = _made(argument, given[at])
        except (_Unread, TypeError, ValueError, OverflowError, RuntimeError) as error:
            raise RuntimeError(
                _refusal(f"{space}::{schema.name}", text, argument, place, given[at])
            ) from error
        changed = changed or made is not given[at]
        given[at] = made
    return (tuple(values), named) if changed else None


def _made(argument: Argument, value: Any) -> Any:
    """A value as an operator takes it; itself if it is that already."""
    kind = argument.type.rstrip("?")
    bare = kind.partition("[")[0]
    if bare not in _MADE or (value is None and argument.type.endswith("?")):
        return value
    make, plain = _MADE[bare], _PLAIN[bare]
    if "[" not in kind:
        return value if _is_plain(value, plain) else make(value)
    length = kind.partition("[")[2].rstrip("]")
    if length and _is_plain(value, plain):  # int[2] takes one number for both
        return [value] * int(length)
    if not isinstance(value, (list, tuple)) or all([_is_plain(each, plain) for each in value]):
        return value
    return [each if _is_plain(each, plain) else make(each) for each in value]


def _is_plain(value: Any, plain: type) -> bool:
    return type(value) is plain or hasattr(value, "node")  # the second: a SymInt


def _refusal(name: str, text: str, argument: Argument, place: int, value: Any) -> str:
    kind = argument.type.rstrip("?")
    bare = kind.partition("[")[0]
    shown = _SHOWN.get(bare, bare)
    wrong = value
    if "[" in kind:
        shown = f"List[{shown}]"
        if isinstance(value, (list, tuple)):
            wrong = next((each for each in value if not _reads(bare, each)), value)
    return (
        f"{name}() Expected a value of type '{shown}' for argument '{argument.name}' but instead "
        f"found type '{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\n"
        f"Declaration: {text}\nCast error details: Unable to cast Python instance of type "
        f"{type(wrong)} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in "
        "debug mode for details)"
    )


def _reads(bare: str, value: Any) -> bool:
    try:
        _MADE[bare](value)
    except (_Unread, TypeError, ValueError, OverflowError, RuntimeError):
        return False
    return True
