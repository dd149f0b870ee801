"""The errors of calls with arguments that fit no signature, in torch's words."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.row import Row
from minitorch.core.declare.signatures import FITS, described, mismatch
from minitorch.core.tensor.base import TensorBase

_TYPES = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "int": "int",
    "SymInt": "int",
    "bool": "bool",
    "float": "float",
    "ScalarType": "torch.dtype",
    "int[]": "tuple of ints",
    "SymInt[]": "tuple of ints",
    "Tensor[]": "tuple of Tensors",
    "str": "str",
    "Generator": "torch.Generator",
}


def call_of(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, as one value."""
    return args, kwargs


def constant_argument(name: str, argument: str) -> RuntimeError:
    """The error for a tensor that requires grad where an operator has no derivative for it."""
    return RuntimeError(
        f"The function '{name}' is not differentiable with respect to argument '{argument}'. This "
        "input cannot have requires_grad True."
    )


def missing_argument(name: str, argument: str) -> TypeError:
    """The TypeError for a call without an argument that has no default."""
    return TypeError(f'{name}() missing 1 required positional arguments: "{argument}"')


def fitting(row: Row, key: str, value: Any, name: str = "") -> Any:
    """The argument `key` of an element-wise call: `value`, a number if it is a tensor of one.

    TypeError with torch's text for what is no number where one is due, and no text likewise.
    """
    i, argument = next((i, a) for i, a in enumerate(row.schema.arguments) if a.name == key)
    wanted = _TYPES.get(argument.type.rstrip("?"), "object")
    nullable = value is None and argument.type.endswith("?")
    if not nullable and not FITS[wanted](value):
        where = "" if argument.keyword_only else f" (position {i + 1})"
        raise TypeError(
            f"{name or row.name}(): argument '{key}'{where} must be {wanted}, "
            f"not {described(value)}"
        )
    # As torch's parser takes it.
    return value.item() if isinstance(value, TensorBase) else value  # type: ignore[attr-defined]


def wrong_arguments(row: Row, call: Any, name: str = "") -> TypeError:
    """The TypeError for a call, by `name` if not the row's, whose arguments have wrong types."""
    args, kwargs = call
    name = name or row.name
    if row.signatures:
        error = mismatch(name, row.signatures, args, kwargs)
        if error is not None:
            return error
    for i, (argument, value) in enumerate(zip(row.schema.arguments, args, strict=False)):
        if value is None and argument.type == "Tensor?":
            continue
        misfit = (argument.is_tensor and not isinstance(value, TensorBase)) or (
            argument.is_tensor_list and not isinstance(value, (list, tuple))
        )
        if misfit:
            shown = "input" if argument.name == "self" else argument.name
            wanted = "tuple of Tensors" if argument.is_tensor_list else "Tensor"
            # An in-place variant is a method: `self` is not among its arguments.
            position = i if name.endswith("_") else i + 1
            return TypeError(
                f"{name}(): argument '{shown}' (position {position}) must be {wanted}, "
                f"not {described(value)}"
            )
    given = ", ".join(
        [*[described(v) for v in args], *[f"{k}={described(v)}" for k, v in kwargs.items()]]
    )
    return TypeError(f"{name}() received an invalid combination of arguments - got ({given})")
