"""What torch's parser makes of numbers that are none of Python's: tensors, and NumPy's.

A function gets its arguments as they were given; only if one of them is no plain number is the call
made again with what the parser would hand on.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.declare.signatures import (
    Parameter,
    Signature,
    complaint,
    parameters_given,
    signature,
    takes_over,
)
from minitorch.core.numbers.scalars import as_number
from minitorch.core.tensor.base import TensorBase

_SYMBOLIC = (
    'scalar.isIntegral( false) INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/utils/'
    'pybind.cpp":27, please report a bug to PyTorch. '
)
_LISTED = (
    "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error message be "
    "improved?  If so, please report an enhancement request to PyTorch.)"
)
_PLAIN = {int, bool, float, complex, str, type(None)}


def plain_arguments(
    name: str, texts: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of a call with plain numbers; None if they are plain already.

    name: what the function is called.
    texts: its signatures, of which the first that the call fits is taken.

    Raises:
        RuntimeError: a tensor holds what torch does not make a number of.
    """
    if all([type(each) in _PLAIN for each in (*args, *kwargs.values())]):
        return None
    fitting = fitting_signature(name, texts, args, kwargs)
    if fitting is None:
        return None
    changed = False
    values, named = list(args), dict(kwargs)
    for place, parameter in parameters_given(fitting, args, kwargs):
        given: Any = values if type(place) is int else named
        made = _plain(parameter, given[place])
        changed |= made is not given[place]
        given[place] = made
    return (tuple(values), named) if changed else None


def fitting_signature(
    name: str, texts: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Signature | None:
    """The first of a function's signatures that a call fits; None if it fits none."""
    for text in texts:
        read = signature(text)
        try:
            if complaint(name, read, args, kwargs) is None:
                return read
        except TypeError:  # in the middle of a list
            continue
    return None


def _plain(parameter: Parameter, value: Any) -> Any:
    """A value of a parameter as the parser hands it on; itself if that is the same."""
    if value is None or takes_over(value):
        return value
    match parameter.type:
        case "int":
            return _int(value, _SYMBOLIC if parameter.symbolic else None)
        case "float":
            return _float(value)
        case "Number":
            return _number(value)
        case "tuple of ints":
            return _ints(value, parameter)
        case "tuple of floats" if not isinstance(value, (str, bytes)):
            return _listed(value, _float)
        case "tuple of Scalars":
            return _listed(value, _number)
    return value


def _ints(value: Any, parameter: Parameter) -> Any:
    if isinstance(value, (list, tuple)):
        refused = _LISTED if parameter.symbolic else None
        return _listed(value, lambda each: _int(each, refused))
    # One that is written out begins a list, unless it stands for one.
    return _int(value, None if parameter.single else _LISTED if parameter.symbolic else None)


def _listed(value: Any, make: Any) -> Any:
    made = [each if takes_over(each) else make(each) for each in value]
    if all([new is old for new, old in zip(made, value, strict=True)]):
        return value
    return made if isinstance(value, list) else tuple(made)


def _int(value: Any, refused: str | None) -> Any:
    """An int; RuntimeError with the text `refused`, if there is one, for a tensor of bools."""
    if isinstance(value, TensorBase):
        if refused is not None and value._array.dtype.kind == "b":
            raise RuntimeError(refused)
        return int(value.item())  # type: ignore[attr-defined]
    if type(value) is int or hasattr(value, "node"):  # a SymInt, whose number may be unknown
        return value
    return int(value.__index__())


def _float(value: Any) -> Any:
    if isinstance(value, TensorBase):
        number = value.item()  # type: ignore[attr-defined]
        if isinstance(number, complex):
            if number.imag:
                raise RuntimeError("value cannot be converted to type double without overflow")
            number = number.real
        return float(number)
    return value if type(value) in (int, float) else float(value)


def _number(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value.item()  # type: ignore[attr-defined]
    return as_number(value) if isinstance(value, (numpy.number, numpy.bool_)) else value
