"""torch.fx.operator_schemas: arguments of calls by the names that functions have for them."""

from __future__ import annotations

import inspect
import numbers
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from minitorch import nn
from minitorch._ops import OpOverload, OpOverloadPacket
from minitorch.core.numbers.dtype import dtype

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "create_type_hint",
    "get_signature_for_torch_op",
    "normalize_function",
    "normalize_module",
    "type_matches",
]

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class ArgsKwargsPair(NamedTuple):
    """The arguments of a call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """The signatures of an operator of torch; None for another function.

    Args:
        op: the function
        return_schemas: whether a pair comes back, whose second element is None: no schemas here
    """
    found = None
    if isinstance(op, OpOverloadPacket):
        found = [_signature(getattr(op, each)._function) for each in op.overloads()]
    elif isinstance(op, OpOverload):
        found = [_signature(op._function)]
    elif hasattr(op, "row") or getattr(op, "__module__", "").startswith("minitorch.aten"):
        found = [_signature(op)]
    return (found, None) if return_schemas else found


def _signature(function: Any) -> inspect.Signature:
    from minitorch.core.declare.install import resolved  # start-up: seldom asked

    found = inspect.signature(resolved(function))
    kept = [
        each for name, each in found.parameters.items() if name[0] != "_" and name != "out"
    ]  # as signatures of schemas, whose overloads without out= come first
    first = [each.replace(name="input") if each.name == "self" else each for each in kept]
    return found.replace(parameters=first)


def normalize_function(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    arg_types: tuple[Any, ...] | None = None,
    kwarg_types: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """A call's arguments by the names of the function's parameters, defaults included.

    Args:
        target: the function
        args, kwargs: of the call
        arg_types, kwarg_types: their types; nothing here, where an operator has one signature
        normalize_to_only_use_kwargs: whether those by position get names, too

    Returns: the arguments; None if the function has none that they fit.
    """
    try:
        known = get_signature_for_torch_op(target)
        signature = known[0] if known else inspect.signature(inspect.unwrap(target))
        return _normalized(signature, args, kwargs or {}, normalize_to_only_use_kwargs)
    except (TypeError, ValueError):
        if isinstance(target, types.FunctionType) and known is None:
            raise
        return None


def normalize_module(
    root: Any,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """The arguments of a module's call by the names of its forward; None for modules that are not
    torch.nn's. RuntimeError if the root has no such module."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from error
    if getattr(nn, type(module).__name__, None) is not type(module):
        return None
    signature = inspect.signature(inspect.unwrap(module.forward))
    return _normalized(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def _normalized(
    signature: inspect.Signature, args: Any, kwargs: dict[str, Any], only_kwargs: bool
) -> ArgsKwargsPair | None:
    if any(each.kind not in _NAMED for each in signature.parameters.values()):
        return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    kept = 0 if only_kwargs else len(args)
    values = list(bound.arguments.items())
    return ArgsKwargsPair(tuple([value for _, value in values[:kept]]), dict(values[kept:]))


def check_for_mutable_operation(
    target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """RuntimeError if a call writes into its arguments: by its name, or by out=."""
    name = getattr(target, "__name__", "")
    known = get_signature_for_torch_op(target) is not None
    written = name.endswith("_") and not name.endswith("__")
    if known and (written or kwargs.get("out") is not None):
        raise RuntimeError(
            f"Tried to trace mutable operation aten::{name}. FX only supports functional code, so "
            "operations that mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


def create_type_hint(x: Any) -> Any:
    """A type for a list or tuple of types: list[int] for [int, int]; anything else as it is."""
    if not isinstance(x, (list, tuple)):
        return x
    made: Any = (
        (lambda kind: list[kind]) if isinstance(x, list) else (lambda kind: tuple[kind, ...])
    )
    common: Any = x[0] if x else Any
    for each in x:
        if issubclass(common, each):
            common = each
        elif not issubclass(each, common):
            return made(Any)
    return made(common)


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Whether an argument's type is one that a parameter's type admits."""
    origin = typing.get_origin(signature_type)
    if signature_type is argument_type:
        return True
    if origin in (typing.Union, types.UnionType):
        inner = typing.get_args(signature_type)
        return any(type_matches(each, argument_type) for each in inner)
    if origin is list:
        element = typing.get_args(signature_type)[0]
        if argument_type is int and element is int:
            return True
        given = [each for each in typing.get_args(argument_type) if each is not ...]
        container = typing.get_origin(argument_type)
        return container in (list, tuple) and all(issubclass(each, element) for each in given)
    if signature_type is int and argument_type is dtype:
        return True
    if signature_type is numbers.Number and argument_type in (int, float):
        return True
    both = inspect.isclass(argument_type) and inspect.isclass(signature_type)
    return both and issubclass(argument_type, signature_type)
