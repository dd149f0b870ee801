"""torch's errors for calls of a row: wrong arguments, a missing kernel, too little memory."""

from __future__ import annotations

import math
from typing import Any

from minitorch.core.arrays import DEVICE_ARRAYS, cuda
from minitorch.core.arrays.too_large import no_memory
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.calls import takes_numbers
from minitorch.core.declare.row import Row
from minitorch.core.declare.wording.signatures import (
    FITS,
    described,
    mismatch,
)
from minitorch.core.numbers.scalars import as_number

_TYPES = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "int": "int",
    "SymInt": "int~",
    "bool": "bool",
    "float": "float",
    "ScalarType": "torch.dtype",
    "int[]": "tuple of ints",
    "SymInt[]": "tuple of ints~",
    "Tensor[]": "tuple of Tensors",
    "str": "str",
    "Generator": "torch.Generator",
    "Layout": "torch.layout",
    "Device": "torch.device",
    "MemoryFormat": "torch.memory_format",
    "float[]": "tuple of floats",
    "Scalar[]": "tuple of Scalars",
}


def call_of(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, as one value."""
    return args, kwargs


def constant_argument(name: str, argument: str) -> RuntimeError:
    """The error for a tensor that requires grad although the operator has no derivative for it."""
    return RuntimeError(
        f"The function '{name}' is not differentiable with respect to argument '{argument}'. This "
        "input cannot have requires_grad True."
    )


def missing_argument(name: str, argument: str) -> TypeError:
    """The TypeError for a call without an argument that has no default."""
    return TypeError(f'{name}() missing 1 required positional arguments: "{argument}"')


def fitting(row: Row, key: str, value: Any, name: str = "") -> Any:
    """The argument `key` of an element-wise call as a number or text; a tensor becomes its number.

    TypeError with torch's text for a value that should be a number, or a text, and is not.
    """
    i, argument = next((i, a) for i, a in enumerate(row.schema.arguments) if a.name == key)
    wanted = _TYPES.get(argument.type.rstrip("?"), "object").rstrip("~")
    nullable = value is None and argument.type.endswith("?")
    if not nullable and not FITS[wanted](value):
        where = "" if argument.keyword_only else f" (position {i + 1})"
        raise TypeError(
            f"{name or row.name}(): argument '{key}'{where} must be {wanted}, "
            f"not {described(value)}"
        )
    # As in torch's parser.
    if isinstance(value, TensorBase):
        return value.item()  # type: ignore[attr-defined]
    return as_number(value) if wanted == "Number" and value is not None else value


def signatures_of(row: Row) -> tuple[str, ...]:
    """The signatures of a row's function, in torch's words."""
    if row.signatures:
        return row.signatures
    parts = []
    for a in row.schema.arguments:
        if a.keyword_only and "*" not in parts:
            parts.append("*")
        base, _, length = a.type.rstrip("?").removesuffix("]").partition("[")
        kind = _TYPES.get(f"{base}[]" if "[" in a.type else base, "object")
        kind += f"[{length}]" * bool(length) + "?" * a.type.endswith("?")
        parts.append(f"{kind} {'input' if a.name == 'self' else a.name}")
        if a.default is not None:
            parts[-1] += " = " + a.default.replace("'", '"')
    if "out" in row.variants:
        several = row.schema.returns_list or len(row.schema.outputs) > 1
        parts += [*["*"] * ("*" not in parts), f"{_TYPES['Tensor' + '[]' * several]} out = None"]
    text = ", ".join(parts)
    by_number = row.family == "binary" and not (row.tensors_only or takes_numbers(row.name))
    return (text, text.replace("Tensor other", "Number other")) if by_number else (text,)


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


_REASONS = (
    "This could be because the operator doesn't exist for this backend, or was omitted during the "
    "selective/custom build process (if using custom build). If you are a Facebook employee using "
    "PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions."
)


def no_kernel(name: str, backend: str = "CPU") -> NotImplementedError:
    """The error for an operator that a backend does not have."""
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. {_REASONS}"
    )


def raise_no_memory(error: Any) -> None:
    """Raises torch's error if there is no memory for an array; does nothing for other errors."""
    if DEVICE_ARRAYS and type(error) is cuda().on_cupy_faults.OutOfMemory:
        raise cuda().on_cupy_faults.out_of_memory(error) from None
    shape, kind = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is not None and kind is not None:
        raise no_memory(math.prod(shape) * kind.itemsize) from None


def check_self(name: str, self: Any) -> None:
    """Raises torch's TypeError if a method of Tensor is called on another object."""
    if not isinstance(self, TensorBase):
        raise TypeError(
            f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a "
            f"'{type(self).__name__}' object"
        )
