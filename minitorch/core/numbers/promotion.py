"""promotion: which dtype the result of operands of several dtypes has."""

from __future__ import annotations

from functools import cache
from typing import Any

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import FLOAT8, LATE_UNSIGNED, Kind, dtype
from minitorch.core.numbers.scalars import wrapped_dtype


@cache
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype, of a kind no lower than either, to which both can be cast.

    RuntimeError for uint16, uint32 or uint64 beside any dtype but itself and the floating types. As
    c10/core/ScalarType.cpp.
    """
    type1 = dtypes.meant("promote_types", "type1", type1, 1)
    type2 = dtypes.meant("promote_types", "type2", type2, 2)
    if type1 is type2:
        return type1
    if type1 in FLOAT8 or type2 in FLOAT8:
        raise RuntimeError(
            "Promotion for Float8 Types is not supported, attempted to promote "
            f"{type1.scalar_name} and {type2.scalar_name}"
        )
    low, high = sorted(
        (type1, type2), key=lambda each: (each.number_kind, each.itemsize, each.is_signed)
    )
    if high.number_kind is Kind.FLOATING:
        # Two different 2-byte floats: neither holds the other.
        return (
            dtypes.float32 if low.number_kind is high.number_kind and high.itemsize == 2 else high
        )
    if low in LATE_UNSIGNED or high in LATE_UNSIGNED:
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{type1.scalar_name} and {type2.scalar_name}"
        )
    if high.number_kind is Kind.COMPLEX and low.number_kind is Kind.FLOATING:
        return promote_types(high.to_real(), low).to_complex()
    if low is dtypes.uint8 and high is dtypes.int8:
        return dtypes.int16
    return high


def result_type(*operands: Any) -> dtype:
    """The dtype in which an operation on `operands` computes.

    An operand is a pair (dtype, number of dimensions) for a tensor, or a Python number. Tensors
    with dimensions decide; 0-dimensional ones, and after them numbers, only lift the result to a
    higher kind. As ATen/native/TypeProperties.cpp.
    """
    first, last = operands[0], operands[-1]
    pair = len(operands) == 2 and type(first) is type(last) is tuple
    if pair and first[0] is last[0]:
        return first[0]  # the ordinary case
    dimensioned = zero_dim = wrapped = None
    for operand in operands:
        if type(operand) is not tuple:
            wrapped = _promote(wrapped, wrapped_dtype(operand))
        elif operand[1] > 0:
            dimensioned = _promote(dimensioned, operand[0])
        else:
            zero_dim = _promote(zero_dim, operand[0])
    return _combine(dimensioned, _combine(zero_dim, wrapped))


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of dtype `from_` may be written into a tensor of dtype `to`.

    As `canCast` of c10/core/ScalarType.h: the kind may stay or rise, and anything may lose range.
    """
    from_, to = dtypes.meant("can_cast", "from_", from_, 1), dtypes.meant("can_cast", "to", to, 2)
    return from_.number_kind <= to.number_kind


def _promote(first: dtype | None, second: dtype) -> dtype:
    return second if first is None else promote_types(first, second)


def _combine(higher: dtype | None, lower: dtype | None) -> Any:
    """The result of a category that decides and one that can only raise its kind."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.number_kind >= Kind.FLOATING:
        # A float beside a complex number keeps its own precision.
        return higher.to_complex() if lower.number_kind > higher.number_kind else higher
    if lower.number_kind >= Kind.FLOATING:
        return lower
    return promote_types(higher, lower) if higher.number_kind is Kind.BOOL else higher
