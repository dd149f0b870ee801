"""torch's checks and texts for an out= tensor, and for a tensor written in place, in its order.

Most operators cast their result as an in-place write would. Operators that torch writes directly,
or that check themselves, have further rules: their rows and composites declare them (out.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitorch.core.arrays.floating_point import warn_of_real_parts
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.arrays.overlap import check_apart, check_itself, check_same_or_apart
from minitorch.core.declare.out import (
    ANYTHING,
    APART_OR_FIRST,
    APART_OR_INPUT,
    BY_ELEMENT,
    BY_ELEMENT_AFTER_DTYPE,
    IN_PLACE,
    NOT_ITSELF,
    NOT_ITSELF_FIRST,
    NOT_PARTLY,
    ONCE,
    ONCE_FOR_NUMBERS,
    PLAIN_IN_PLACE,
    SILENT,
    SILENT_FOR_SCALARS,
    InPlace,
    Out,
    check_castable,
    out_of,
)
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import result_type

# ---- out=


def check_out_dtype(
    name: str, result: Any, out: Any, given: Sequence[Any] = (), number: int = 0
) -> None:
    """Raises torch's RuntimeError or TypeError if `result` cannot be cast to the dtype `out`.

    given: the tensors among the operator's arguments.
    number: which output it is.
    """
    check_dtype(out_of(name), name, result, out, given, number)


def check_dtype(
    said: Out, name: str, result: Any, out: Any, given: Sequence[Any] = (), number: int = 0
) -> None:
    """`check_out_dtype` for an operator with this Out."""
    rule = said.dtypes[min(number, len(said.dtypes) - 1)]
    if said.operands is not None and (
        len(given) != said.operands
        or any(each.dtype.is_complex for each in given) > result.is_complex
    ):
        rule = check_castable
    falls = result.is_complex and out is not dtypes.bool and not out.is_complex
    if falls and said.copies_first is not None and given[said.copies_first]._array.size:
        warn_of_real_parts()
    rule(name, result, out)


def check_iterated(said: Out, out: Any, given: Any) -> None:
    """Raises torch's RuntimeError if `out` overlaps itself, or a part of one of the given tensors,
    and an operator with this Out checks that first."""
    overlap = said.overlap
    if overlap == BY_ELEMENT:
        check_itself(out._array)
        for each in given if said.looked_at is None else said.looked_at(given):
            check_same_or_apart(out._array, each._array)
    elif overlap == NOT_ITSELF_FIRST:
        check_itself(out._array)


_LOOKED_AT_FIRST = (ANYTHING, BY_ELEMENT, BY_ELEMENT_AFTER_DTYPE, NOT_ITSELF_FIRST)


def check_overlap(said: Out, out: Any, given: Any) -> None:
    """Raises torch's RuntimeError if `out` overlaps itself, or one of the given tensors, and an
    operator with this Out does not allow that."""
    overlap = said.overlap
    if overlap in _LOOKED_AT_FIRST:
        return
    check_itself(out._array)
    if said.looked_at is not None:
        given = said.looked_at(given)
    if overlap == NOT_PARTLY:
        for each in given:
            check_same_or_apart(out._array, each._array)
        return
    for place, each in enumerate(() if overlap == NOT_ITSELF else given):
        may_be_out = overlap == APART_OR_INPUT or (not place and overlap == APART_OR_FIRST)
        if each is not out or not may_be_out:
            check_apart(out._array, each._array, each is out)


def resizes_in_silence(said: Out, given: Sequence[Any]) -> bool:
    """Whether a call with the tensors `given` gives out= its shape without a warning."""
    resize = said.resize
    if resize == SILENT_FOR_SCALARS:
        return given[0]._array.ndim == 0
    return resize == SILENT


def resizes_twice(said: Out, args: Sequence[Any], result: Any, out: Any) -> bool:
    """Whether a call computes in another dtype than that of `out`, in a temporary tensor that is
    resized as well."""
    if out is result or said.overlap not in (BY_ELEMENT, BY_ELEMENT_AFTER_DTYPE):
        return False
    if said.resize == ONCE or (said.resize == ONCE_FOR_NUMBERS and not hasattr(args[0], "dtype")):
        return False
    if result is not dtypes.bool:
        return True
    operands = [(x.dtype, x.ndim) if hasattr(x, "dtype") else x for x in args if x is not None]
    return result_type(*operands) is not out


def error_name_of(name: str) -> str:
    """The name in the error of `name` for an out= if something requires grad.

    "aten::..." if autograd does not know its out= form.
    """
    return said_error_name(out_of(name), name)


def said_error_name(said: Out, name: str) -> str:
    """`error_name_of` for an operator with this Out."""
    name = said.error_name or name
    return name if said.autograd else f"aten::{name}"


def gradients_error(error_name: str) -> RuntimeError:
    """The error for out= if something requires grad."""
    return RuntimeError(
        f"{error_name}(): functions with out=... arguments don't support "
        "automatic differentiation, but one of the arguments requires grad."
    )


# Parts of errors for dtypes that come before memory is checked.
OF_DTYPES = ("is not supported", "is not intended", "for complex tensors")  # with out=

# ---- in place

# Beginnings of errors for dtypes that come before memory is checked.
BEFORE_OVERLAP = ("expected dtype",)
# Beginnings of further such errors, for variants that must not read the memory that they write.
BEFORE_APART = ("Dimension",)


def allows_overlap(name: str, self: Any) -> bool:
    """Whether an in-place operator writes `self` even if its elements share memory. A conjugate or
    negative is written through a copy, which is copied back."""
    said = IN_PLACE.get(name)
    return said is not None and may_overlap(said, self)


def may_overlap(said: InPlace, self: Any) -> bool:
    """`allows_overlap` for a variant with this InPlace."""
    if said.triangle:
        if self.dim() >= 4 and not _lie_in_turn(self.shape, self.stride()):
            return False
    elif not said.overlaps or (
        said.overlaps is not True and self.dtype.number_kind > said.overlaps
    ):
        return False
    return type(self._array) is not Lazy


def _lie_in_turn(shape: Any, strides: Any) -> bool:
    """Whether matrices follow upon each other. As checkTrilTriuBatchContiguous of
    ATen/native/LinearAlgebraUtils.h, which lets the first dimension of a batch repeat."""
    step = shape[-1] * shape[-2]
    for dim in range(len(shape) - 3, -1, -1):
        if strides[dim] != step and (dim or (strides[0] and shape[0] != 1)):
            return False
        step *= shape[dim]
    return True


def check_clamped(name: str, result: Any, own: Any) -> None:
    """Raises torch's RuntimeError if clamping by numbers gives `result`, another dtype."""
    if in_place_of(name).clamps and result is not own:
        raise RuntimeError(
            f"result type {result.scalar_name} can't be cast to the desired output type "
            f"{own.c_name}"
        )


def in_place_of(name: str) -> InPlace:
    """The InPlace of the in-place function of a name."""
    return IN_PLACE.get(name, PLAIN_IN_PLACE)


def shape_error(name: str, own: tuple[int, ...], result: tuple[int, ...]) -> Exception:
    """The error for an in-place operator whose result has another shape."""
    said = in_place_of(name).shape_error
    return unbroadcast(own, result) if said is None else said(own, result)


def unbroadcast(own: tuple[int, ...], result: tuple[int, ...]) -> RuntimeError:
    """The error for a result whose shape differs from the tensor it is written into."""
    return RuntimeError(
        f"output with shape {list(own)} doesn't match the broadcast shape {list(result)}"
    )


def unmatched(own: tuple[int, ...], result: tuple[int, ...]) -> RuntimeError:
    """The error for a product whose shape differs from the tensor it is written into."""
    return RuntimeError(
        f"Bad in-place call: input tensor size {list(own)} and output tensor size "
        f"{list(result)} should match"
    )
