"""Fused products: lerp, addcmul, addcdiv, xlogy, each rounded where torch rounds."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.declare.elementwise import unsupported
from minitorch.core.declare.families import EVERYWHERE, METHOD, binary, composite, pointwise, unary
from minitorch.core.declare.row import ELEMENTWISE
from minitorch.core.declare.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.tensor.base import TensorBase


def fused(xp: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once in float32: its products are exact in double."""
    if c.dtype != xp.float32:
        return xp.add(xp.multiply(a, b, out=...), c, out=...)
    wide = xp.multiply(a.astype(xp.float64), b.astype(xp.float64), out=...)
    return xp.add(wide, c.astype(xp.float64), out=...).astype(xp.float32)


def lerp_forward(xp: Any, self: Any, end: Any, weight: Any) -> Any:
    """self + weight * (end - self), from the end that is nearer."""
    difference = xp.subtract(end, self, out=...)
    if not hasattr(weight, "dtype"):
        near = abs(weight) < 0.5
        weight = scalar_like(weight, self.dtype, xp)
        if near:
            return fused(xp, weight, difference, self)
        return fused(xp, weight - scalar_like(1, self.dtype, xp), difference, end)
    near = xp.abs(weight) < 0.5
    factor = xp.where(near, weight, weight - scalar_like(1, self.dtype, xp))
    return fused(xp, factor, difference, xp.where(near, self, end))


def check_lerp(row: Any, common: Any, operands: tuple[Any, ...], **attributes: Any) -> None:
    """RuntimeError with torch's text unless all operands have one dtype, a floating one."""
    for name, each in zip(("end", "weight"), operands[1:], strict=False):
        if each.dtype is not common:
            raise RuntimeError(
                f"expected dtype {common.c_name} for `{name}` but got dtype {each.dtype.c_name}"
            )
    kernel = "lerp_kernel_scalar" if len(operands) == 2 else "lerp_kernel_tensor"
    unsupported(kernel, Kind.BOOL, Kind.INTEGER)(row, common, operands)


lerp_scalar = pointwise(
    "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
    node="LerpBackward0",
    forward=lerp_forward,
    dtype="same",
    check=check_lerp,
    self=lambda grad, weight: grad * (1 - weight.conjugate()),
    end=lambda grad, weight: grad * weight.conjugate(),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

lerp_tensor = pointwise(
    "lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
    node="LerpBackward1",
    forward=lerp_forward,
    dtype="same",
    check=check_lerp,
    self=lambda grad, weight: grad * (1 - weight).conj(),
    end=lambda grad, weight: grad * weight.conj(),
    weight=lambda grad, self, end: grad * (end - self).conj(),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)


@composite("lerp", out=True, inplace=METHOD)
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight * (end - input), for a number or a tensor as weight. As torch.lerp."""
    return (lerp_tensor if isinstance(weight, TensorBase) else lerp_scalar)(input, end, weight)


def addcmul_forward(xp: Any, self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    """self + value * tensor1 * tensor2."""
    if value != 1:
        tensor1 = xp.multiply(scalar_like(value, self.dtype, xp), tensor1, out=...)
    return fused(xp, tensor1, tensor2, self)


addcmul = pointwise(
    "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    node="AddcmulBackward0",
    forward=addcmul_forward,
    check=unsupported("addcmul_cpu_out", Kind.BOOL),
    self=lambda grad: grad,
    tensor1=lambda F, grad, tensor2, value: grad * F.mul_Scalar(tensor2, value).conj(),
    tensor2=lambda F, grad, tensor1, value: grad * F.mul_Scalar(tensor1, value).conj(),
    result=ELEMENTWISE,
)


def addcdiv_forward(xp: Any, self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    """self + value * tensor1 / tensor2."""
    if value != 1:
        tensor1 = xp.multiply(scalar_like(value, self.dtype, xp), tensor1, out=...)
    return xp.add(self, xp.true_divide(tensor1, tensor2, out=...), out=...)


def check_addcdiv(row: Any, common: Any, operands: tuple[Any, ...], **attributes: Any) -> None:
    """RuntimeError with torch's text for the quotient of two integer tensors."""
    if operands[1].dtype.kind < Kind.FLOATING and operands[2].dtype.kind < Kind.FLOATING:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release "
            "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
            "behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2))."
            "to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
            "float inputs. The future addcdiv behavior is just the latter implementation: "
            "(input + value * tensor1 / tensor2), for all dtypes."
        )


def reciprocal(x: Any, value: Any) -> Any:
    """value / x; refused for integers, into which torch's formula would write the quotient."""
    kind = dtypes.of(x) if hasattr(x, "strides") else x.dtype
    if kind.kind < Kind.FLOATING:
        raise RuntimeError(
            f"result type {dtypes.get_default_dtype().scalar_name} can't be cast to the desired "
            f"output type {kind.scalar_name}"
        )
    return value / x


addcdiv = pointwise(
    "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    node="AddcdivBackward0",
    forward=addcdiv_forward,
    check=check_addcdiv,
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * reciprocal(tensor2, value).conj(),
    tensor2=lambda F, grad, tensor1, tensor2, value: (
        -grad * (F.mul_Scalar(tensor1, value) / (tensor2 * tensor2)).conj()
    ),
    result=ELEMENTWISE,
)


def xlogy_forward(xp: Any, self: Any, other: Any, dtype: Any) -> Any:
    """self * log(other); 0 where self is, unless other is NaN. Half types round the logarithm."""
    like = self if hasattr(self, "dtype") else other
    self, other = [
        each if hasattr(each, "dtype") else scalar_like(each, like.dtype, xp)
        for each in (self, other)
    ]
    logarithm = xp.elementary.log(other)
    if dtype.itemsize == 2:
        logarithm = xp.as_array(logarithm.astype(dtype)).astype(like.dtype)
    product = xp.multiply(self, logarithm, out=...)
    return xp.as_array(xp.where((self == 0) & ~xp.isnan(other), 0, product)).astype(like.dtype)


def xlogy_backward_self(F: Any, grad: Any, self: Any, other: Any) -> Any:
    """The gradient of the factor: 0 where log(other) is not defined and self is 0."""
    if not hasattr(other, "shape"):
        slope = F.xlogy_Scalar_Other(grad, other)
        return slope if other > 0 else F.masked_fill(slope, self == 0, 0)
    return F.masked_fill(F.xlogy_Tensor(grad, other), (self == 0) & (other <= 0), 0)


xlogy_tensor = binary(
    "xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
    node="XlogyBackward0",
    forward=xlogy_forward,
    dtype="float",
    check=unsupported("xlogy_cpu", Kind.COMPLEX),
    self=xlogy_backward_self,
    other=lambda grad, self, other: grad * self / other,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

xlogy_scalar_self = unary(
    "xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
    node="XlogyBackward1",
    forward=xlogy_forward,
    dtype="float",
    check=unsupported("xlogy_cpu", Kind.COMPLEX),
    other=lambda grad, self, other: grad * self / other,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

xlogy_scalar_other = unary(
    "xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
    node="XlogyBackward2",
    forward=xlogy_forward,
    dtype="float",
    check=unsupported("xlogy_cpu", Kind.COMPLEX),
    self=xlogy_backward_self,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)


@composite("xlogy", out=True, inplace=EVERYWHERE)
@overloads(
    "Tensor input, Tensor other, *, Tensor out = None",
    "Number self, Tensor other, *, Tensor out = None",
    "Tensor input, Number other, *, Tensor out = None",
)
def xlogy(input: Any, other: Any) -> Any:
    """input * log(other), 0 where input is 0; one may be a number. As torch.xlogy."""
    if not isinstance(other, TensorBase):
        return xlogy_scalar_other(input, other)
    if not isinstance(input, TensorBase):
        return xlogy_scalar_self(input, other)
    return xlogy_tensor(input, other)
