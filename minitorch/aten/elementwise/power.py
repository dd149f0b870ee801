"""Powers and roots: pow, square, sqrt, rsqrt, float_power."""

from __future__ import annotations

import cmath
import math
from typing import Any

from minitorch.aten.in_formulas import both, number_like
from minitorch.core.arrays import powers
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import is_complex
from minitorch.core.declare.families import EVERYWHERE, METHOD, binary, composite, unary
from minitorch.core.declare.general.elementwise import python_operator, unsupported
from minitorch.core.declare.out import ALONE, BY_ELEMENT, BY_OPERAND, ONCE_FOR_NUMBERS, InPlace, Out
from minitorch.core.declare.row import ELEMENTWISE, ufunc
from minitorch.core.declare.wording.signatures import mismatch, overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.scalars import as_number, fitted
from minitorch.core.tensor.tensor import Tensor


def pow_backward(F: Any, grad: Any, self: Any, exponent: Any) -> Any:
    """The gradient of the base of a power with a number as exponent."""
    if exponent == 0:
        return F.zeros_like(grad)
    if type(exponent) is int:
        exponent = float(exponent)
    return grad * F.mul_Scalar(F.pow_Tensor_Scalar(self, exponent - 1), exponent).conj()


def pow_backward_self(F: Any, grad: Any, self: Any, exponent: Any) -> Any:
    """The gradient of the base: 0 where the exponent is."""
    power = F.pow_Tensor_Tensor(self, exponent - 1)
    slope = grad * (exponent * power).conj()
    zero = number_like(F, grad, 0.0)
    return F.where(exponent == 0.0, zero, slope)


def pow_backward_exponent(F: Any, grad: Any, self: Any, exponent: Any, result: Any) -> Any:
    """The gradient of the exponent: 0 where 0 was raised to an exponent that is not negative."""
    if not hasattr(self, "shape"):
        if self != 0:
            if is_complex(exponent) or isinstance(self, complex):
                log: complex = cmath.log(self)
            else:
                log = math.log(self) if self > 0 else math.nan
            return grad * (result * log).conj()
        flat = not_negative(F, exponent)
        slope = (result * -math.inf).conj()
        return grad * F.where(flat, number_like(F, grad, 0.0), slope)
    above = not_negative(F, exponent)
    flat = both(F, self == 0, above)
    slope = (result * F.log(self)).conj()
    return grad * F.where(flat, number_like(F, grad, 0.0), slope)


def not_negative(F: Any, x: Any) -> Any:
    """Where x >= 0; a complex number must be real for that."""
    return (F.real(x) >= 0) & (F.imag(x) == 0) if is_complex(x) else x >= 0


_NO_BOOLS = unsupported("pow", Kind.BOOL)


def check_power(row: Any, common: Any, operands: Any, exponent: Any) -> None:
    """RuntimeError with torch's text for integers to a negative power, or one that no int64 holds;
    NotImplementedError for bools to another power than 0 or 1, which need no kernel."""
    integral = dtypes.of(operands[0]._array).number_kind < Kind.FLOATING
    if integral and isinstance(exponent, int) and fitted(exponent, dtypes.int64) < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if common is not None and exponent not in (0, 1):
        _NO_BOOLS(row, common, operands)


check_power.before_promotion = True  # type: ignore[attr-defined]

pow_tensor_scalar = unary(
    "pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
    converts={"exponent": "power_t"},
    node="PowBackward0",
    forward=powers.to_number,
    check=check_power,
    self=pow_backward,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
    kernel="pow",
)

pow_tensor_tensor = binary(
    "pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
    node="PowBackward1",
    forward=powers.to_array,
    check=unsupported("pow", Kind.BOOL),
    self=pow_backward_self,
    exponent=pow_backward_exponent,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
    kernel="pow",
)

pow_scalar = unary(
    "pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
    node="PowBackward2",
    forward=powers.of_number,
    check=unsupported("pow", Kind.BOOL),
    exponent=pow_backward_exponent,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
    contiguous=True,
    kernel="pow",
)


SIGNATURES = (
    "Tensor input, Tensor exponent, *, Tensor out = None",
    "Number self, Tensor exponent, *, Tensor out = None",
    "Tensor input, Number exponent, *, Tensor out = None",
)


@composite(
    "pow",
    out=Out(overlap=BY_ELEMENT, resize=ONCE_FOR_NUMBERS),
    inplace=METHOD,
    in_place=InPlace(falls_back=("Tensor", None)),
)
def pow(input: Any, exponent: Any) -> Any:
    """input ** exponent; one of the two may be a number."""
    if not isinstance(exponent, TensorBase):
        if not isinstance(input, TensorBase):
            raise mismatch("pow", SIGNATURES, (input, exponent), {})
        return pow_tensor_scalar(input, exponent)
    if isinstance(input, TensorBase):
        return pow_tensor_tensor(input, exponent)
    return pow_scalar(input, exponent)


python_operator("__pow__")(pow)
Tensor.__pow__.__name__ = "pow"


@python_operator("__rpow__")
def reversed_pow(self: Any, other: Any) -> Any:
    """other ** self."""
    return pow(other, self)


python_operator("__ipow__")(lambda self, other: self.pow_(other))
Tensor.__ipow__.__name__ = "pow_"


@composite(
    "square",
    out=Out(overlap=BY_ELEMENT, error_name="pow"),
    inplace=EVERYWHERE,
    in_place=InPlace(falls_back=ALONE),
)
def square(input: Any) -> Any:
    """input ** 2."""
    return pow_tensor_scalar(input, 2)


def in_double(*operands: Any) -> tuple[Any, list[Any]]:
    """The dtype of double precision that holds the operands, and the operands in it."""
    complex_ = any(
        [
            each.is_complex() if isinstance(each, TensorBase) else isinstance(each, complex)
            for each in operands
        ]
    )
    dtype, kind = (dtypes.complex128, complex) if complex_ else (dtypes.float64, float)
    converted = [
        each.to(dtype) if isinstance(each, TensorBase) else kind(as_number(each))
        for each in reversed(operands)  # in torch's order: it is the nodes' age
    ]
    return dtype, converted[::-1]


@composite("float_power")
@overloads(*SIGNATURES)
def float_power(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """input ** exponent in double precision."""
    dtype, operands = in_double(input, exponent)
    if isinstance(out, TensorBase) and out.dtype is not dtype:
        raise RuntimeError(
            f"the output given to float_power has dtype {out.dtype.scalar_name} but the "
            f"operation's result requires dtype {dtype.scalar_name}"
        )
    return pow(*operands, out=out)


@composite("float_power_", on=("method",), in_place=InPlace(falls_back=BY_OPERAND, overlaps=True))
def float_power_(self: Any, exponent: Any) -> Any:
    """`self` raised to a power where it is; it must have double precision."""
    dtype, (_, exponent) = in_double(self, exponent)
    if self.dtype is not dtype:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.scalar_name} but the "
            f"operation's result requires dtype {dtype.scalar_name}"
        )
    return self.pow_(exponent)


sqrt = unary(
    "sqrt(Tensor self) -> Tensor",
    node="SqrtBackward0",
    forward=ufunc("sqrt"),
    dtype="float",
    self=lambda grad, result: grad / (2 * result.conj()),
    result=ELEMENTWISE,
    kernel="sqrt_vml_cpu",
)


def rsqrt_backward(F: Any, grad: Any, result: Any) -> Any:
    cube = F.pow_Tensor_Scalar(result, 3).conj()  # before -0.5 * grad, as in torch
    return -0.5 * grad * cube


rsqrt = unary(
    "rsqrt(Tensor self) -> Tensor",
    node="RsqrtBackward0",
    forward=ufunc("elementary.rsqrt"),
    dtype="float",
    self=rsqrt_backward,
    result=ELEMENTWISE,
)
