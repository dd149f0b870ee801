"""The schema of a Python function, from its annotations: torch.library.infer_schema."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor

_NAMES = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    dtypes.dtype: "ScalarType",
    devices.device: "Device",
}
_NUMBER = frozenset((int, float, bool))
_SEQUENCES = (list, collections.abc.Sequence)


def _kind(annotation: Any) -> str | None:
    """The type of a schema for an annotation; None if there is none."""
    if annotation in _NAMES:
        return _NAMES[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [each for each in inner if each is not type(None)]
        if frozenset(rest) == _NUMBER:
            kind: str | None = "Scalar"
        else:
            kind = _kind(rest[0]) if len(rest) == 1 else None
        return kind if kind is None or len(rest) == len(inner) else f"{kind}?"
    if origin in _SEQUENCES and len(inner) == 1:
        kind = _kind(inner[0])
        return kind if kind is None else f"{kind}[]"
    return None


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: Any,
    op_name: str | None = None,
    tags: Any = (),
) -> str:
    """The schema that the annotations of a function describe.

    Args:
        prototype_function: the function, each of whose parameters is annotated.
        mutates_args: the names of the tensors that it writes, or "unknown" for all.
        op_name: what the schema begins with.

    Raises:
        ValueError: for what a schema cannot say.

    As torch.library.infer_schema.
    """
    signature = inspect.signature(prototype_function, eval_str=True)

    def refuse(text: str) -> typing.NoReturn:
        raise ValueError(f"infer_schema(func): {text} Got func with signature {signature})")

    written = _written(mutates_args, refuse)
    parts: list[str] = []
    names: set[str] = set()
    star = False
    for name, each in signature.parameters.items():
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if each.kind is each.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if each.annotation is each.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        kind = _kind(each.annotation)
        if kind is None:
            refuse(f"Parameter {name} has unsupported type {each.annotation}.")
        names.add(name)
        if kind.startswith("Tensor") and (name in written or written == {"unknown"}):
            kind = f"Tensor(a{len(names) - 1}!){kind.removeprefix('Tensor')}"
        parts.append(f"{kind} {name}{_default(each, refuse)}")
    if written != {"unknown"} and written - names:
        refuse(
            f"{written - names} in mutates_args were not found in the custom op's signature. "
            "mutates_args should contain the names of all args that the custom op mutates, or "
            "just the string 'unknown' if you don't know."
        )
    returned = _returned(signature, refuse)
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"


def _written(mutates_args: Any, refuse: Callable[[str], typing.NoReturn]) -> set[str]:
    if isinstance(mutates_args, str):
        if mutates_args != "unknown":
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are "
                "mutated or the string 'unknown'. "
            )
        return {"unknown"}
    return set(typing.cast(Iterable[str], mutates_args))


def _default(parameter: Any, refuse: Callable[[str], typing.NoReturn]) -> str:
    value = parameter.default
    if value is parameter.empty:
        return ""
    if value is None or isinstance(value, (int, float, bool)):
        return f"={value}"
    if isinstance(value, str):
        return f'="{value}"'
    if isinstance(value, dtypes.dtype):
        return f"={str(value).removeprefix('torch.')}"
    if isinstance(value, devices.device):
        return f'="{value}"'
    refuse(
        f"Parameter {parameter.name} has an unsupported default value type {type(value)}. "
        "Please file an issue on GitHub so we can prioritize this."
    )


def _returned(signature: Any, refuse: Callable[[str], typing.NoReturn]) -> str:
    annotation = signature.return_annotation
    if annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    if annotation is None:
        return "()"
    parts = (annotation,)
    several = typing.get_origin(annotation) is tuple
    if several:
        parts = typing.get_args(annotation)
    kinds = [_kind(each) for each in parts]
    if None in kinds:
        refuse(f"Return has unsupported type {annotation}.")
    text = ", ".join([str(each) for each in kinds])
    return f"({text})" if several else text
