"""The arguments and results of operators that a program defines, as their schemas' types want them.

As toIValue and toPyObject of torch/csrc/jit/python/pybind_utils.h.
"""

from __future__ import annotations

import re
from typing import Any

from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.generator import Generator
from minitorch.core.tensor.tensor import Tensor

_LIST = re.compile(r"(.+)\[(\d*)\]")
# What torch calls a type in errors, where that is not its own name.
_SHOWN = {"Scalar": "number"} | dict.fromkeys(
    ("SymInt", "ScalarType", "Layout", "MemoryFormat", "DeviceIndex", "QScheme"), "int"
) | {"SymBool": "bool"}  # fmt: skip
_NAMED = {
    "ScalarType": dtypes.dtype,
    "Layout": devices.layout,
    "MemoryFormat": devices.memory_format,
}
# Lists that torch's C++ takes element by element: what is wrong with one is said of that.
_BY_ELEMENT = ("Scalar", "Tensor?", "str", "SymInt")


class Misfit(Exception):
    """A value that a type does not fit: the details that torch gives."""


def shown_type(kind: str) -> str:
    """A type as errors name it: 'Optional[List[int]]' for int[]?."""
    if kind.endswith("?"):
        return f"Optional[{shown_type(kind[:-1])}]"
    match = _LIST.fullmatch(kind)
    return f"List[{shown_type(match[1])}]" if match else _SHOWN.get(kind, kind)


def converted(kind: str, value: Any) -> Any:
    """A value as an operator's kernel gets it for a type. Misfit if it does not fit."""
    if kind.endswith("?"):
        return None if value is None else converted(kind[:-1], value)
    match = _LIST.fullmatch(kind)
    if match:
        return _list(match[1], match[2], value)
    convert = _CONVERTERS.get(kind)
    return value if convert is None else convert(value)


def _uncast(value: Any) -> Misfit:
    return Misfit(
        f"Cast error details: Unable to cast Python instance of type {type(value)} to C++ type '?' "
        "(#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
    )


def _list(kind: str, count: str, value: Any) -> list[Any]:
    """A value as a list of elements; a number fills one of a known size."""
    if count and kind in ("int", "float") and not isinstance(value, (list, tuple)):
        return [converted(kind, value)] * int(count)
    if kind not in _BY_ELEMENT:
        if not isinstance(value, (list, tuple)):
            raise _uncast(value)
        try:
            return [_element(kind, each) for each in value]
        except Misfit:
            raise _uncast(value) from None
    try:
        elements = list(value)
    except TypeError as error:
        raise Misfit(f" Python error details: TypeError: {error}") from None
    return [converted(kind, each) for each in elements]


def _element(kind: str, value: Any) -> Any:
    """An element of a list that is cast as a whole."""
    if value is None or (kind in ("int", "float") and isinstance(value, Tensor)):
        raise _uncast(value)
    return converted(kind, value)


def _tensor(value: Any) -> Any:
    if value is not None and not isinstance(value, Tensor):
        raise Misfit(f"Cast error details: Unable to cast {value} to Tensor")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise _uncast(value)
        return int(value)
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise _uncast(value)
    return value.__index__()


def _float(value: Any) -> float:
    if isinstance(value, (str, complex)) or value is None:
        raise _uncast(value)
    if isinstance(value, Tensor) and value.numel() != 1:
        raise _uncast(value)
    try:
        return float(value)
    except TypeError:
        raise _uncast(value) from None


def _bool(value: Any) -> bool:
    if value is None or (hasattr(type(value), "__bool__") and not isinstance(value, Tensor)):
        return bool(value)
    if isinstance(value, Tensor) and value.numel() == 1:
        return bool(value)
    raise _uncast(value)


def _complex(value: Any) -> complex:
    if isinstance(value, str) or value is None:
        raise _uncast(value)
    try:
        return complex(value)
    except (TypeError, ValueError):
        raise _uncast(value) from None


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise _uncast(value)
    return value


def _number(value: Any) -> Any:
    if not isinstance(value, (bool, int, float, complex)):
        raise Misfit(f"Cast error details: Cannot cast {value} to number")
    return value


def _device(value: Any) -> Any:
    if isinstance(value, str):
        return devices.device(value)
    if not isinstance(value, devices.device):
        raise _uncast(value)
    return value


def _generator(value: Any) -> Any:
    if not isinstance(value, Generator):
        raise _uncast(value)
    return value


def _named(kind: str) -> Any:
    """The converter of an enumeration of C++, which also takes its numbers."""

    def convert(value: Any) -> Any:
        return value if isinstance(value, _NAMED[kind]) else _integer(value)

    return convert


_CONVERTERS = {
    "Tensor": _tensor,
    "int": _integer,
    "SymInt": _integer,
    "float": _float,
    "bool": _bool,
    "SymBool": _bool,
    "complex": _complex,
    "str": _string,
    "Scalar": _number,
    "Device": _device,
    "Generator": _generator,
    **{kind: _named(kind) for kind in _NAMED},
}


# ---- results


def returned(key: str, returns: str, value: Any) -> Any:
    """The result of a kernel as its schema says. RuntimeError or TypeError in torch's words."""
    if returns == "()":
        if value is not None:
            raise RuntimeError(
                f"Expected PythonKernelHolder for {key} to return None but it returned something "
                "else instead."
            )
        return None
    if not returns.startswith("("):
        return _result(returns, value)
    kinds = [part.split()[0] for part in returns[1:-1].split(", ")]
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Object of type '{type(value).__name__}' is not an instance of 'sequence'")
    if len(value) != len(kinds):
        return value[0] if len(value) == 1 else value
    return tuple([_result(kind, each) for kind, each in zip(kinds, value, strict=True)])


def _result(kind: str, value: Any) -> Any:
    kind = re.sub(r"\(.*?\)", "", kind.split(" ")[0])
    if kind not in ("Tensor", "int", "float", "bool", "str", "Tensor[]"):
        return value
    try:
        return converted(kind, value)
    except Misfit as misfit:
        words = str(misfit).removeprefix("Cast error details: ")
        raise RuntimeError(words) from None
