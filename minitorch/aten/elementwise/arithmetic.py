"""Element-wise arithmetic: add, sub, mul, div, remainder, neg and the Python operators on them."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.in_formulas import zeros_as
from minitorch.core.arrays import blas, division
from minitorch.core.arrays.blocks import in_blocks
from minitorch.core.arrays.questions import every
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, against
from minitorch.core.base.modes import in_formula
from minitorch.core.declare.calls import Calls
from minitorch.core.declare.families import (
    METHOD,
    alias,
    binary,
    composite,
    not_differentiable,
    unary,
)
from minitorch.core.declare.general.elementwise import (
    check_alpha,
    python_operator,
    refused,
    unsupported,
)
from minitorch.core.declare.general.recording import wants_grad
from minitorch.core.declare.out import ALIGNED, BY_OPERAND, FOUND, ONCE, InPlace, Out
from minitorch.core.declare.protocols.mode_stack import STACK, calls_from_native
from minitorch.core.declare.row import (
    ABSORB,
    ABSORB_EITHER,
    ADD_NOTHING,
    ELEMENTWISE,
    LINEAR,
    SUBTRACT_NOTHING,
    ufunc,
)
from minitorch.core.declare.wording.signatures import mismatch, overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import preserve_format
from minitorch.core.numbers.dispatch import (
    COMPLEX_HALF,
    EVERY,
    FLOAT8,
    FLOATING,
    HALVES,
    INTEGRAL,
    USUAL,
)
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.promotion import result_type
from minitorch.core.tensor.tensor import Tensor


def times(x: Any, factor: Any) -> Any:
    """x times a Python number; itself for 1."""
    return x if factor == 1 else x * factor


def plus(second: Any, first: Any) -> Any:
    """The sum of two terms of a forward formula: torch's C++ computes the second before the first,
    and its nodes are older therefore."""
    return first + second


add = binary(
    "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    converts={"alpha": "scalar_t"},
    node="AddBackward0",
    forward=ufunc("add"),
    self=lambda grad: grad,
    other=lambda grad, alpha: grad if alpha == 1 else grad * alpha.conjugate(),
    result=lambda self_t, other_t, alpha: self_t + times(other_t, alpha),
    number_first=True,
    dunder=("__add__", "__radd__", "__iadd__"),
    kernel="add_stub",
    knows=USUAL | COMPLEX_HALF,
    in_place=ALIGNED,
    calls=Calls(numbers=True),
    zeros=ADD_NOTHING,
)


def refuse_bools(
    row: Any, common: Any, operands: tuple[Any, ...], other: Any = None, **attributes: Any
) -> None:
    """RuntimeError with torch's text where a bool tensor is subtracted, or subtracted from."""
    kinds = [
        dtypes.of(x._array) if isinstance(x, TensorBase) else type(x) for x in (*operands, other)
    ]
    check_difference([kind is dtypes.bool or kind is bool for kind in kinds])


refuse_bools.before_promotion = True  # type: ignore[attr-defined]


def check_difference(bools: list[bool]) -> None:
    """RuntimeError with torch's text where any operand of a subtraction is of bools."""
    if bools.count(True) == 2:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead."
        )
    if any(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )


sub = binary(
    "sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    converts={"alpha": "negated_t"},
    node="SubBackward0",
    forward=ufunc("subtract"),
    check=refuse_bools,
    self=lambda grad: grad,
    other=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha.conjugate(),
    result=lambda self_t, other_t, alpha: self_t - times(other_t, alpha),
    number_first=True,
    dunder=("__sub__", "__isub__"),
    kernel="add_stub",
    knows=USUAL | COMPLEX_HALF,
    in_place=ALIGNED,
    calls=Calls(numbers=True),
    zeros=SUBTRACT_NOTHING,
)


def rsub_forward(xp: Any, self: Any, other: Any, alpha: Any) -> Any:
    if not hasattr(other, "dtype"):
        other = scalar_like(other, self.dtype, xp)
    if alpha == 1 and (self.dtype.kind != "c" or every(xp.isfinite(self))):
        return xp.subtract(other, self, out=...)
    factor = scalar_like(alpha, self.dtype, xp)
    if self.dtype.char in "fd":
        total = blas.plus_scaled(other, self, -factor.item())
        if total is not None:
            return total
    if self.dtype != xp.float32:
        return xp.subtract(other, xp.multiply(self, factor, out=...), out=...)
    wide = xp.multiply(self.astype(xp.float64), factor.astype(xp.float64), out=...)
    return xp.subtract(other, wide, out=...).astype(self.dtype)


rsub_tensor = binary(
    "rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    converts={"alpha": "negated_t"},
    node="RsubBackward0",
    forward=rsub_forward,
    backwards=True,
    check=refuse_bools,
    self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha.conjugate(),
    other=lambda grad: grad,
    result=lambda self_t, other_t, alpha: other_t - times(self_t, alpha),
    on=("F",),
    variants=(),
    kernel="add_stub",
    knows=USUAL | COMPLEX_HALF,
)

rsub_scalar = unary(
    "rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    converts={"alpha": "negated_t"},
    node="RsubBackward1",
    forward=rsub_forward,
    check=refuse_bools,
    self=lambda grad, alpha: -grad if alpha == 1 else -grad * alpha.conjugate(),
    result=lambda self_t, alpha: -times(self_t, alpha),
    on=("F",),
    variants=(),
    kernel="add_stub",
    knows=USUAL | COMPLEX_HALF,
)


@composite("rsub", on=("function",))
def rsub(input: Any, other: Any, alpha: Any = 1) -> Any:
    """other - alpha * input."""
    if not isinstance(input, TensorBase):
        texts = (
            "Tensor input, Tensor other, *, Number alpha = 1",
            "Tensor input, Number other, Number alpha = 1",
        )
        raise mismatch("rsub", texts, (input, other), {})
    if isinstance(other, TensorBase):
        return rsub_tensor(input, other, alpha=alpha)
    if type(other) is bool:
        check_difference([input.dtype is dtypes.bool, True])
    if type(alpha) is not int and input.dtype is not dtypes.bool:
        check_alpha(alpha, result_type((input.dtype, input.dim()), other))
    return rsub_scalar(input, other, alpha)


def check_reduced_float(row: Any, common: Any, operands: tuple[Any, ...], **_: Any) -> None:
    """NotImplementedError for floats of 8 bits and a single number: ATen has a kernel of its own
    for such calls, which does not know them."""
    number = not isinstance(operands[1], TensorBase) or operands[1]._array.size == 1
    if common in FLOAT8 and number:
        raise dtypes.unknown_to("mul_cpu_reduced_float", common)


mul = binary(
    "mul.Tensor(Tensor self, Tensor other) -> Tensor",
    node="MulBackward0",
    forward=ufunc("multiply"),
    check=check_reduced_float,
    self=lambda grad, other: grad * other.conj(),
    other=lambda grad, self: grad * self.conj(),
    result=lambda self_p, self_t, other_p, other_t: plus(self_t * other_p, other_t * self_p),
    number_first=True,
    dunder=("__mul__", "__rmul__", "__imul__"),
    knows=EVERY | FLOAT8,
    unrounded=True,
    in_place=ALIGNED,
    calls=Calls(numbers=True),
    zeros=ABSORB_EITHER,
)


div_tensor = binary(
    "div.Tensor(Tensor self, Tensor other) -> Tensor",
    node="DivBackward0",
    forward=ufunc("true_divide"),
    dtype="float",
    self=lambda grad, other: grad / other.conj(),
    other=lambda grad, self, other: against(((self / other) / other).conj(), grad),
    result=lambda self_p, self_t, other_p, other_t, result: (self_t - other_t * result) / other_p,
    number_first=True,
    dunder=("__truediv__", "__itruediv__"),
    on=("F",),
    unrounded=True,
    in_place=ALIGNED,
    zeros=ABSORB,
)


# A number, not a tensor, on the right: C++ callers reach these overloads, Python ones do not.
add_by_number = unary(
    "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    converts={"alpha": "scalar_t"},
    node="AddBackward1",
    forward=lambda xp, self, other, alpha: xp.add(self, other * alpha, out=...),
    self=lambda grad: grad,
    result=lambda F, self_t: F.clone(self_t),
    variants=(),
    on=("F",),
    kernel="add_stub",
    knows=USUAL | COMPLEX_HALF,
    zeros=ADD_NOTHING,
)
sub_by_number = unary(
    "sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    converts={"alpha": "negated_t"},
    node="SubBackward1",
    forward=lambda xp, self, other, alpha: xp.subtract(self, other * alpha, out=...),
    self=lambda grad: grad,
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
    kernel="add_stub",
    knows=USUAL | COMPLEX_HALF,
    zeros=SUBTRACT_NOTHING,
)
mul_by_number = unary(
    "mul.Scalar(Tensor self, Scalar other) -> Tensor",
    node="MulBackward1",
    forward=lambda xp, self, other: xp.multiply(self, other, out=...),
    self=lambda grad, other: grad * other.conjugate(),
    result=lambda self_t, other: self_t * other,
    variants=(),
    on=("F",),
    raw=lambda self, other: self * other,
    knows=EVERY,
    unrounded=True,
    zeros=ABSORB_EITHER,
)
div_by_number = unary(
    "div.Scalar(Tensor self, Scalar other) -> Tensor",
    node="DivBackward1",
    forward=lambda xp, self, other: xp.divide(self, other, out=...),
    self=lambda grad, other: grad / other,
    result=lambda self_t, other: self_t / other,
    dtype="float",
    variants=(),
    on=("F",),
    unrounded=True,
    zeros=ABSORB,
)


_PLAIN = object()  # rounding_mode was not given: DivBackward0, where None makes a DivBackward2


def refuse_quotients(row: Any, common: Any, operands: Any, rounding_mode: Any = None) -> None:
    """NotImplementedError with torch's text for rounded quotients of other dtypes than most."""
    if rounding_mode is not None and common not in INTEGRAL | FLOATING | HALVES:
        raise dtypes.unknown_to(f"div_{rounding_mode}_cpu", common)


_MANY = 256  # elements, below which NumPy's own functions are as fast


@in_blocks
def floors_of_many(xp: Any, self: Any, other: Any) -> Any:
    if type(self) is type(other) is numpy.ndarray:
        return division.floor_divide(self, other)
    return xp.floor_divide(self, other, out=...)


def divided(xp: Any, self: Any, other: Any, rounding_mode: str | None, dtype: Any = None) -> Any:
    """The quotient, rounded towards zero ('trunc') or down ('floor')."""
    if rounding_mode is None:
        return xp.true_divide(self, other, out=...)
    if self.dtype.kind in "iu" and not every(other) and self.size:
        raise RuntimeError("ZeroDivisionError")
    if rounding_mode == "floor":
        if self.size < _MANY:
            return xp.floor_divide(self, other, out=...)
        return floors_of_many(xp, self, other)
    if self.dtype.kind in "iu":
        # Python's division rounds down; one too little where signs differ and there is a rest.
        quotient = xp.floor_divide(self, other, out=...)
        inexact = xp.multiply(quotient, other, out=...) != self
        return xp.add(quotient, inexact & ((self < 0) != (other < 0)), out=...)
    # Of 2-byte floats the quotient is rounded to the dtype before its fraction is cut off.
    x = xp.true_divide(self, other, out=...)
    if other.size != 1:  # by a number it is computed in one go
        x = x.astype(dtype or self.dtype)
    return xp.trunc(x, out=...)


div_tensor_mode = binary(
    "div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    node="DivBackward2",
    forward=divided,
    check=refuse_quotients,
    self=lambda F, grad, other, rounding_mode: (
        grad / other.conj() if rounding_mode is None else zeros_as(F, grad)
    ),
    other=lambda F, grad, self, other, rounding_mode: (
        against(((self / other) / other).conj(), grad)
        if rounding_mode is None
        else zeros_as(F, grad)
    ),
    result=ELEMENTWISE,
    number_first=True,
    on=("F",),
    variants=(),
    unrounded=True,
    zeros=ABSORB,
)


def has_fractions(x: Any) -> bool:
    """Whether a tensor or number is floating or complex."""
    return (
        x.dtype.number_kind >= Kind.FLOATING
        if isinstance(x, Tensor)
        else type(x) in (float, complex)
    )


@composite("div", out=True, inplace=METHOD, calls=Calls(numbers=True))
def div(input: Any, other: Any, *, rounding_mode: Any = _PLAIN) -> Any:
    """input / other, rounded if rounding_mode is 'trunc' or 'floor'."""
    if rounding_mode is _PLAIN:
        return div_tensor(input, other)
    if rounding_mode not in (None, "trunc", "floor"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    if rounding_mode is None and not (has_fractions(input) or has_fractions(other)):
        return div_tensor(input, other)  # a floating quotient of integers, which have no gradients
    return div_tensor_mode(input, other, rounding_mode=rounding_mode)


floor_divide = binary(
    "floor_divide(Tensor self, Tensor other) -> Tensor",
    node="NotImplemented",
    forward=lambda xp, self, other: divided(xp, self, other, "floor"),
    check=unsupported("div_floor_cpu", Kind.BOOL, Kind.COMPLEX),
    self=not_differentiable("floor_divide"),
    other=not_differentiable("floor_divide"),
    number_first=True,
    dunder=("__floordiv__", "__ifloordiv__"),
    out=Out(resize=ONCE),
    unrounded=True,
    calls=Calls(numbers=True),
    in_place=InPlace(falls_back=BY_OPERAND),
)


@python_operator("__rfloordiv__")
def reversed_floor_divide(self: Any, other: Any) -> Any:
    """other // self."""
    return floor_divide(other, self)


def _filled(like: Any, number: Any) -> Any:
    """A number in the place of each element, as C++ makes it on the left of an operator."""
    return OPS.empty_like(like, memory_format=preserve_format).fill_(number)


@python_operator("__rdiv__")
def reversed_divide(self: Any, other: Any) -> Any:
    """other / self, as torch computes it: the reciprocal times `other`, in C++ a quotient."""
    if STACK.get() and calls_from_native():
        return _filled(self, other).div_(self)
    if in_formula():
        return OPS.div_Tensor(OPS.full_like(self, other), self)
    return self.reciprocal() * other


Tensor.__rtruediv__ = Tensor.__rdiv__


@python_operator("__rsub__")
def reversed_subtract(self: Any, other: Any) -> Any:
    """other - self, in C++ a difference of tensors."""
    if STACK.get() and calls_from_native():
        return _filled(self, other).sub_(self)
    if in_formula():
        return sub(OPS.full_like(self, other), self)
    return rsub(self, other)


def remainder_forward(xp: Any, self: Any, other: Any) -> Any:
    """The rest of a division that rounds down: it has the sign of `other`."""
    if not hasattr(other, "dtype"):
        other = scalar_like(other, self.dtype, xp)
    if self.dtype.kind in "iu":
        if not every(other) and self.size:
            raise RuntimeError("ZeroDivisionError")
        return xp.remainder(self, other, out=...)
    return (signed_rest if self.size < _MANY else signed_rests)(xp, self, other)


def signed_rest(xp: Any, self: Any, other: Any) -> Any:
    """The remainder of a division of floats, with the sign of `other`."""
    rest = xp.fmod(self, other, out=...) if self.size < _MANY else rests_of_many(xp, self, other)
    # NumPy's own remainder gives a zero the sign of `other`. What is nan stays so either way.
    unlike = xp.not_equal(xp.signbit(rest), xp.signbit(other))
    return xp.as_array(xp.where(xp.logical_and(rest, unlike), rest + other, rest))


signed_rests = in_blocks(signed_rest)


@in_blocks
def rests_of_many(xp: Any, self: Any, other: Any) -> Any:
    if type(self) is type(other) is numpy.ndarray:
        return division.fmod(self, other)
    return xp.fmod(self, other, out=...)


def fmod_forward(xp: Any, self: Any, other: Any) -> Any:
    """The rest of a division that rounds towards zero: it has the sign of `self`."""
    if not hasattr(other, "dtype"):
        other = scalar_like(other, self.dtype, xp)
    if self.dtype.kind in "iu" and not every(other) and self.size:
        raise RuntimeError("ZeroDivisionError")
    if self.size < _MANY:
        return xp.fmod(self, other, out=...)
    return rests_of_many(xp, self, other)


remainder_tensor = binary(
    "remainder.Tensor(Tensor self, Tensor other) -> Tensor",
    node="RemainderBackward1",
    forward=remainder_forward,
    check=unsupported("remainder_cpu", Kind.BOOL, Kind.COMPLEX),
    self=lambda grad: grad,
    other=lambda F, grad, self, other: against(
        F.div_Tensor_mode(self, other, rounding_mode="floor"), grad
    ),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

remainder_scalar = unary(
    "remainder.Scalar(Tensor self, Scalar other) -> Tensor",
    node="RemainderBackward0",
    forward=remainder_forward,
    check=unsupported("remainder_cpu", Kind.BOOL, Kind.COMPLEX),
    self=lambda grad: grad,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

remainder_scalar_tensor = unary(
    "remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    node="NotImplemented",
    forward=lambda xp, self, other: remainder_forward(
        xp, scalar_like(self, other.dtype, xp), other
    ),
    check=unsupported("remainder_cpu", Kind.BOOL, Kind.COMPLEX),
    other=not_differentiable("remainder"),
    on=("F",),
    variants=(),
)

fmod_tensor = binary(
    "fmod.Tensor(Tensor self, Tensor other) -> Tensor",
    node="FmodBackward1",
    forward=fmod_forward,
    check=unsupported("fmod_cpu", Kind.BOOL, Kind.COMPLEX),
    self=lambda grad: grad,
    other=lambda F, grad, self, other: against(
        F.div_Tensor_mode(self, other, rounding_mode="trunc"), grad
    ),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

fmod_scalar = unary(
    "fmod.Scalar(Tensor self, Scalar other) -> Tensor",
    node="FmodBackward0",
    forward=fmod_forward,
    check=unsupported("fmod_cpu", Kind.BOOL, Kind.COMPLEX),
    self=lambda grad: grad,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)


BY_TENSOR = "Tensor input, Tensor other, *, Tensor out = None"
BY_NUMBER = "Tensor input, Number other, *, Tensor out = None"


@python_operator("__mod__", "remainder")
def remainder(input: Any, other: Any) -> Any:
    """input - other * floor(input / other)."""
    if isinstance(other, TensorBase):
        if isinstance(input, TensorBase):
            return remainder_tensor(input, other)
        return remainder_scalar_tensor(input, other)
    return remainder_scalar(input, other)


@composite(
    "fmod",
    out=True,
    inplace=METHOD,
    in_place=InPlace(falls_back=BY_OPERAND),
)
@overloads(BY_TENSOR, BY_NUMBER)
def fmod(input: Any, other: Any) -> Any:
    """input - other * trunc(input / other)."""
    return (fmod_tensor if isinstance(other, TensorBase) else fmod_scalar)(input, other)


composite("remainder", out=True, inplace=METHOD, in_place=InPlace(falls_back=BY_OPERAND))(
    overloads(BY_TENSOR, "Number self, Tensor other", BY_NUMBER)(remainder)
)
python_operator("__imod__", "remainder_")(lambda self, other: self.remainder_(other))


@python_operator("__rmod__")
def reversed_remainder(self: Any, other: Any) -> Any:
    """other % self."""
    return remainder(other, self)


neg = unary(
    "neg(Tensor self) -> Tensor",
    node="NegBackward0",
    forward=ufunc("negative"),
    check=refused(
        Kind.BOOL,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead.",
    ),
    self=lambda grad: -grad,
    result=LINEAR,
    dunder=("__neg__",),
    out=Out(FOUND, operands=1),
    knows=USUAL | COMPLEX_HALF,
    zeros=ABSORB,
)

reciprocal = unary(
    "reciprocal(Tensor self) -> Tensor",
    node="ReciprocalBackward0",
    forward=ufunc("elementary.reciprocal"),
    dtype="float",
    self=lambda grad, result: against((result * result).conj(), grad),
    result=ELEMENTWISE,
)


@composite("positive")
def positive(input: Any) -> Any:
    """`input` itself. RuntimeError for bools."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


Tensor.__pos__ = Tensor.positive


@composite("subtract", out=Out(error_name="sub"), inplace=("method",), calls=Calls(numbers=True))
def subtract(input: Any, other: Any, *factor: Any, alpha: Any = 1) -> Any:
    """input - alpha * other. As torch.subtract, which takes `alpha` by place beside a number."""
    if not factor:
        return sub(input, other, alpha=alpha)
    if len(factor) > 1 or (isinstance(other, TensorBase) and other.dim()):
        raise TypeError  # worded by the signature
    number = other.item() if isinstance(other, TensorBase) else other
    if not wants_grad(sub.row, (input, number)):
        return sub(input, number, alpha=factor[0])
    return sub_by_number(input, number, factor[0])


for _name, _function in (
    ("divide", div),
    ("true_divide", div),
    ("multiply", mul),
    ("negative", neg),
):
    alias(_name, _function)
