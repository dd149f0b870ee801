"""torch.fx.operator_schemas: arguments of calls by the names that functions have for them."""

from __future__ import annotations

import ast
import inspect
import numbers
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from minitorch import nn
from minitorch._ops import OpOverload, OpOverloadPacket
from minitorch.core.declare.registry import resolved
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.wording.signatures import OPTIONS, signatures_at
from minitorch.core.numbers.device import device
from minitorch.core.numbers.dtype import dtype
from minitorch.core.tensor.generator import Generator
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx._naming import module_name

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


# What parameters of torch's parser are as types of Python.
_TYPES: dict[str, Any] = {
    "Tensor": Tensor,
    "Number": numbers.Number,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "tuple of ints": list[int],
    "tuple of floats": list[float],
    "tuple of Tensors": list[Tensor],
    "torch.device": device,
    "torch.Generator": Generator,
}
_SCALARS = {"Scalar": numbers.Number, "SymInt": int} | {
    kind: of for kind, of in _TYPES.items() if kind in ("Tensor", "int", "float", "bool", "str")
}
_DEFAULTS = {"true": True, "false": False}


def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """The signatures of an operator of torch; None for another function.

    Args:
        op: the function
        return_schemas: whether a pair comes back, whose second element is None: no schemas here
    """
    found: Any = None
    if isinstance(op, OpOverloadPacket):
        schemas = [getattr(op, each)._text for each in op.overloads()]
        found = [_signature_of_schema(each) for each in schemas if "(...)" not in each]
    elif isinstance(op, OpOverload):
        found = [_signature_of_schema(op._text)]
    elif (texts := _parsed_by_torch(op)) is not None:
        found = [_signature_of(text) for text in texts if not text.startswith("!")]
    elif hasattr(op, "row") or getattr(op, "__module__", "").startswith("minitorch.aten"):
        found = [_signature(op)]
    return (found, None) if return_schemas else found


def _parsed_by_torch(op: Any) -> tuple[str, ...] | None:
    """The signatures of a function whose arguments torch's parser reads; None for another one."""
    module, name = getattr(op, "__module__", None) or "", getattr(op, "__name__", "")
    owner = {"minitorch": "torch", "torch": "torch"}.get(module)
    if owner is None and module.endswith("._C._nn"):
        owner = "nn"
    if owner is None and module.startswith("minitorch._C._"):
        owner = module.removeprefix("minitorch._C._")
    return None if owner is None else signatures_at(f"{owner}.{name}")


def built_in_kind(function: Any) -> str | None:
    """The class of a function that torch writes in C++, as Python shows it; else None."""
    name = getattr(function, "__name__", "")
    if not isinstance(function, types.FunctionType):
        return None
    if vars(Tensor).get(name) is function and signatures_at(f"Tensor.{name}") is not None:
        return "<class 'method_descriptor'>"
    below = (getattr(function, "__module__", None) or "").partition(".")[2].startswith("_C.")
    known = below or _parsed_by_torch(function) is not None
    return "<class 'builtin_function_or_method'>" if known else None


def _signature_of(text: str) -> inspect.Signature:
    """A signature as torch's parser writes it, in Python; without out=, and with no requires_grad,
    of which operators are not told."""
    found, keyword_only = [], False
    for part in text.replace("OPTIONS", OPTIONS).split(", ") if text else ():
        if part == "*":
            keyword_only = True
            continue
        head, _, default = part.partition(" = ")
        kind, name = head.rsplit(" ", 1)
        if name in ("out", "requires_grad"):
            continue
        value: Any = inspect.Parameter.empty
        if default:
            value = _default(kind, default)
        of = _TYPES.get(kind.rstrip("?~0123456[]"), int)
        of = of | None if kind[-1] == "?" or value is None else of
        place = _NAMED[keyword_only]
        found.append(inspect.Parameter(name, place, default=value, annotation=of))
    return inspect.Signature(found)


def _default(kind: str, text: str) -> Any:
    if kind.endswith("]") and kind.startswith("tuple of ints"):
        count = int(kind[kind.index("[") + 1 : -1])
        return [] if text == "None" else [int(text)] * count
    if text == "None" or kind == "bool?":
        return None
    return ast.literal_eval(text) if text not in _DEFAULTS else _DEFAULTS[text]


def _signature_of_schema(text: str) -> inspect.Signature:
    """The signature of an operator by its schema, such as 'aten::relu(Tensor self) -> Tensor'."""
    found = []
    for each in Schema.parse(text.partition("::")[2]).arguments:
        kind = each.type.rstrip("?")
        of: Any = list[int] if kind.startswith(("int[", "SymInt[")) else _SCALARS.get(kind, int)
        of = list[Tensor] if kind.startswith("Tensor[") else of
        given = f" {each.name}=" in text and each.default is not None
        value = ast.literal_eval(each.default) if given else inspect.Parameter.empty  # type: ignore
        value = list(value) if isinstance(value, tuple) else value
        name = "input" if each.name == "self" else each.name
        of = of | None if each.type.endswith("?") else of
        place = _NAMED[each.keyword_only]
        found.append(inspect.Parameter(name, place, default=value, annotation=of))
    return inspect.Signature(found)


def _signature(function: Any) -> inspect.Signature:
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
        arg_types, kwarg_types: their types, by which overloads are told apart
        normalize_to_only_use_kwargs: whether those by position get names, too

    Returns: the arguments; None if the function has none that they fit.

    Raises: RuntimeError if they fit several overloads and their types are not told.
    """
    kwargs = kwargs or {}
    known = get_signature_for_torch_op(target)
    if known is None:
        try:
            signature = inspect.signature(inspect.unwrap(target))
            return _normalized(signature, args, kwargs, normalize_to_only_use_kwargs)
        except (TypeError, ValueError):
            if isinstance(target, types.FunctionType):
                raise
            return None
    fitting = [each for each in known if _binds(each, args, kwargs)]
    if len(fitting) > 1:
        if arg_types is None and kwarg_types is None:
            listed = "\n".join(map(str, fitting))
            raise RuntimeError(
                f"Tried to normalize arguments to {module_name(target)}.{target.__name__} but the "
                "schema match was ambiguous! Please provide argument types to the "
                f"normalize_arguments() call. Available schemas:\n{listed}"
            )
        fitting = [each for each in fitting if _admits(each, arg_types or (), kwarg_types or {})]
    if not fitting:
        return None
    return _normalized(fitting[0], args, kwargs, normalize_to_only_use_kwargs)


def _binds(signature: inspect.Signature, args: Any, kwargs: Any) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _admits(signature: inspect.Signature, args: Any, kwargs: Any) -> bool:
    """Whether arguments of such types are a signature's."""
    parameters = signature.parameters
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return False
    return all([type_matches(parameters[name].annotation, kind) for name, kind in bound.items()])


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
