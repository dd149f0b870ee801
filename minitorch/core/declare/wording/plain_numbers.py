"""The plain numbers that torch's parser makes from tensors and from NumPy's numbers.

A function gets its arguments unchanged. If one of them is not a plain number, the call is made
again with the number that the parser would pass. A number too large for C++ raises once the call
has failed; torch reads numbers first, before all checks of the operator.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.wording.signatures import (
    FITS,
    Parameter,
    Signature,
    complaint,
    parameters_given,
    signature,
    takes_over,
)
from minitorch.core.numbers.scalars import as_number

_SYMBOLIC = (
    'scalar.isIntegral( false) INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/utils/'
    'pybind.cpp":27, please report a bug to PyTorch. '
)
_LISTED = (
    "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error message be "
    "improved?  If so, please report an enhancement request to PyTorch.)"
)
_UNREAD = "Overflow when unpacking long long"
# No int among them: it may be too large, or stand for a float.
_PLAIN = {bool, float, complex, str, type(None)}


class _TooLarge(Exception):
    """An int, or one of a list, is too large."""

    listed = False
    index = 0


def plain_arguments(
    name: str, texts: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of a call with plain numbers; None if they are plain already.

    name: the name of the function.
    texts: its signatures; the first that the call fits is taken.

    Raises:
        RuntimeError: torch does not make a number from the elements of a tensor.
        OverflowError, ValueError, TypeError: a number is too large.
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
        try:
            made = _plain(parameter, given[place])
        except _TooLarge as error:
            if not error.listed:
                raise ValueError(_UNREAD) from None
            index = error.index or (place if type(place) is int else 0)
            raise TypeError(
                f"{name}(): argument '{parameter.name}' failed to unpack the object at pos "
                f'{index + 1} with error "{_UNREAD}"'
            ) from None
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
    """A value of a parameter as the parser passes it; the value itself if that is the same."""
    if value is None or takes_over(value):
        return value
    match parameter.type:
        case "int":
            return _int(value, _SYMBOLIC if parameter.symbolic else None)
        case "float":
            return as_float(value)
        case "Number":
            return _number(value)
        case "tuple of ints":
            return _ints(value, parameter)
        case "tuple of floats" if not isinstance(value, (str, bytes)):
            return _listed(value, as_float)
        case "tuple of Scalars":
            return _listed(value, _number)
    return value


def _ints(value: Any, parameter: Parameter) -> Any:
    if isinstance(value, (list, tuple)):
        refused = _LISTED if parameter.symbolic else None
        return _listed(value, lambda each: _int(each, refused))
    # An int that is written out begins a list, unless it stands for a list.
    try:
        return _int(value, None if parameter.single else _LISTED if parameter.symbolic else None)
    except _TooLarge as error:
        error.listed = not parameter.single
        raise


def _listed(value: Any, make: Any) -> Any:
    made = []
    for i, each in enumerate(value):
        try:
            made.append(each if takes_over(each) else make(each))
        except _TooLarge as error:
            error.listed, error.index = True, i
            raise
    if all([new is old for new, old in zip(made, value, strict=True)]):
        return value
    return made if isinstance(value, list) else tuple(made)


def as_size(value: Any) -> Any:
    """The int that torch's parser makes from a SymInt. RuntimeError for a tensor of bools."""
    return _int(value, _SYMBOLIC)


def as_sizes(values: Any) -> tuple[Any, ...]:
    """The ints that torch's parser makes from a list of SymInts. RuntimeError for a tensor of
    bools, TypeError for an element that is not an integer."""
    if not all([type(each) is bool or FITS["int"](each) for each in values]):
        raise TypeError("ints are wanted")  # worded by the signature
    return tuple(_listed(values, lambda each: _int(each, _LISTED)))


def _int(value: Any, refused: str | None) -> Any:
    """An int; RuntimeError with the text `refused`, if there is one, for a tensor of bools.

    Raises:
        _TooLarge: no int64 holds it.
    """
    if isinstance(value, TensorBase):
        if refused is not None and value._array.dtype.kind == "b":
            raise RuntimeError(refused)
        return int(value.item())  # type: ignore[attr-defined]
    if hasattr(value, "node"):  # a SymInt, whose number may be unknown
        return value
    number = value if type(value) is int else int(value.__index__())
    if not -(2**63) <= number < 2**63:
        raise _TooLarge
    return number


def as_float(value: Any) -> float:
    """The float that torch's parser makes from a number, a tensor or another object."""
    if isinstance(value, TensorBase):
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        value = value.real
    return value if type(value) is float else float(value)


def _number(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value.item()  # type: ignore[attr-defined]
    return as_number(value) if isinstance(value, (numpy.number, numpy.bool_, int)) else value
