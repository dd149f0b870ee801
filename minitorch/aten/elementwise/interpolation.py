"""Fused products: lerp, addcmul, addcdiv, xlogy, each rounded where torch rounds."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.elementwise.arithmetic import plus, times
from minitorch.core.arrays import blas
from minitorch.core.arrays.blocks import in_blocks
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, against
from minitorch.core.declare.families import EVERYWHERE, METHOD, binary, composite, pointwise, unary
from minitorch.core.declare.general.elementwise import unsupported
from minitorch.core.declare.out import ALONE, BY_ELEMENT, BY_OPERAND, FOUND, InPlace, Out
from minitorch.core.declare.row import ELEMENTWISE
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import COMPLEX_HALF, USUAL
from minitorch.core.numbers.dtype import Kind


def fused(xp: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once in float32: its products are exact in double. If `a` is a number,
    BLAS computes it, in double as well."""
    if type(a) is numpy.ndarray and not a.ndim and c.dtype.char in "fd":
        total = blas.plus_scaled(c, b, a.item())
        if total is not None:
            return total
    if c.dtype != xp.float32:
        return xp.add(xp.multiply(a, b, out=...), c, out=...)
    if type(c) is numpy.ndarray and c.size >= _MANY and _lie_alike(a, b, c):
        return _fused_in_blocks(a, b, c)
    wide = xp.multiply(a.astype(xp.float64), b.astype(xp.float64), out=...)
    if wide.shape == c.shape and wide.ndim:
        return xp.add(wide, c.astype(xp.float64), wide).astype(xp.float32)
    return xp.add(wide, c.astype(xp.float64), out=...).astype(xp.float32)


# 100,000 numbers take 165 us in blocks of this size, whose doubles stay in the cache, not 290.
_BLOCK = 1 << 15
_MANY = _BLOCK + (_BLOCK >> 1)


def _lie_alike(a: Any, b: Any, c: Any) -> bool:
    """Whether the arrays have one shape, without gaps; `a` may be a number."""
    arrays = (a, b, c) if a.ndim else (b, c)
    return all([x.shape == c.shape and x.flags.c_contiguous for x in arrays])


def _fused_in_blocks(a: Any, b: Any, c: Any) -> Any:
    """`fused` of arrays in rows, of which `a` may be a number."""
    out = numpy.empty(c.shape, c.dtype)
    first, second, into = b.reshape(-1), c.reshape(-1), out.reshape(-1)
    factors = a.reshape(-1) if a.ndim else None
    product, operand = numpy.empty(_BLOCK), numpy.empty(_BLOCK)
    number = a.astype(numpy.float64) if factors is None else operand
    for start in range(0, c.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        target = into[part]
        x, y = product[: target.size], operand[: target.size]
        x[...] = first[part]
        if factors is not None:
            y[...] = factors[part]
        numpy.multiply(x, number if factors is None else y, x)
        y[...] = second[part]
        target[...] = numpy.add(x, y, x)
    return out


@in_blocks
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
    """RuntimeError with torch's text unless all operands have one dtype, a floating one; weights
    without dimensions may have another."""
    own = operands[0].dtype
    for name, each in zip(("end", "weight"), operands[1:], strict=False):
        if each.dtype is not own and (name == "end" or each.dim()):
            raise RuntimeError(
                f"expected dtype {own.c_name} for `{name}` but got dtype {each.dtype.c_name}"
            )
    kernel = "lerp_kernel_scalar" if len(operands) == 2 else "lerp_kernel_tensor"
    unsupported(kernel, Kind.BOOL, Kind.INTEGER)(row, common, operands)


lerp_scalar = pointwise(
    "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
    converts={"weight": "opmath_t"},
    node="LerpBackward0",
    forward=lerp_forward,
    dtype="same",
    check=check_lerp,
    self=lambda grad, weight: grad * (1 - weight.conjugate()),
    end=lambda grad, weight: grad * weight.conjugate(),
    result=lambda self_t, end_t, weight: OPS.lerp(self_t, end_t, weight),
    on=("F",),
    variants=(),
    kernel="lerp_kernel_scalar",
)

lerp_tensor = pointwise(
    "lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
    node="LerpBackward1",
    forward=lerp_forward,
    check=check_lerp,
    self=lambda grad, weight: grad * (1 - weight).conj(),
    end=lambda grad, weight: grad * weight.conj(),
    weight=lambda grad, self, end: grad * (end - self).conj(),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
    kernel="lerp_kernel_tensor",
)


@composite(
    "lerp",
    out=Out(FOUND, operands=3, overlap=BY_ELEMENT),
    inplace=METHOD,
    in_place=InPlace(falls_back=BY_OPERAND),
)
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight * (end - input), for a number or a tensor as weight."""
    return (lerp_tensor if isinstance(weight, TensorBase) else lerp_scalar)(input, end, weight)


@in_blocks
def addcmul_forward(xp: Any, self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    """self + value * tensor1 * tensor2."""
    if value != 1:
        tensor1 = xp.multiply(scalar_like(value, self.dtype, xp), tensor1, out=...)
    return fused(xp, tensor1, tensor2, self)


addcmul = pointwise(
    "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    converts={"value": "opmath_t"},
    node="AddcmulBackward0",
    forward=addcmul_forward,
    kernel="addcmul_cpu_out",
    knows=USUAL | COMPLEX_HALF,
    check=unsupported("addcmul_cpu_out", Kind.BOOL),
    self=lambda grad: grad,
    tensor1=lambda F, grad, tensor2, value: grad * F.mul_Scalar(tensor2, value).conj(),
    tensor2=lambda F, grad, tensor1, value: grad * F.mul_Scalar(tensor1, value).conj(),
    result=lambda self_t, tensor1_p, tensor1_t, tensor2_p, tensor2_t, value: plus(
        times(tensor2_t * tensor1_p, value), self_t + times(tensor1_t * tensor2_p, value)
    ),
    in_place=InPlace(falls_back=ALONE),
)


@in_blocks
def addcdiv_forward(xp: Any, self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    """self + value * tensor1 / tensor2."""
    if value != 1:
        tensor1 = xp.multiply(scalar_like(value, self.dtype, xp), tensor1, out=...)
    return xp.add(self, xp.true_divide(tensor1, tensor2, out=...), out=...)


def check_addcdiv(row: Any, common: Any, operands: tuple[Any, ...], **attributes: Any) -> None:
    """RuntimeError with torch's text for the quotient of two integer tensors."""
    if (
        operands[1].dtype.number_kind < Kind.FLOATING
        and operands[2].dtype.number_kind < Kind.FLOATING
    ):
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
    if kind.number_kind < Kind.FLOATING:
        raise RuntimeError(
            f"result type {dtypes.get_default_dtype().scalar_name} can't be cast to the desired "
            f"output type {kind.scalar_name}"
        )
    return value / x


def addcdiv_divisor_backward(F: Any, grad: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    square = tensor2 * tensor2
    return against((F.mul_Scalar(tensor1, value) / square).conj(), grad)


addcdiv = pointwise(
    "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    converts={"value": "opmath_t"},
    node="AddcdivBackward0",
    forward=addcdiv_forward,
    check=check_addcdiv,
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * reciprocal(tensor2, value).conj(),
    tensor2=lambda F, grad, tensor1, tensor2, value: addcdiv_divisor_backward(
        F, grad, tensor1, tensor2, value
    ),
    result=ELEMENTWISE,
    kernel="addcdiv_cpu_out",
    out=Out(refused_first=("Integer division with addcdiv",)),
    in_place=InPlace(falls_back=ALONE),
)


def alike(xp: Any, self: Any, other: Any) -> tuple[Any, Any]:
    """Arrays as they are; a number beside one as an array of its dtype."""
    if not hasattr(other, "dtype"):
        return self, scalar_like(other, self.dtype, xp)
    return (self if hasattr(self, "dtype") else scalar_like(self, other.dtype, xp)), other


def by_logarithm(name: str) -> Any:
    """The forward of self * log(other): 0 where self is, unless other is NaN. Half types round the
    logarithm."""

    def forward(xp: Any, self: Any, other: Any, dtype: Any) -> Any:
        self, other = alike(xp, self, other)
        logarithm = getattr(xp.elementary, name)(other)
        if dtype.itemsize == 2:
            logarithm = xp.as_array(logarithm.astype(dtype)).astype(self.dtype)
        product = xp.multiply(self, logarithm, out=...)
        few = type(self) is numpy.ndarray and self.size < _FEW
        if few and numpy.count_nonzero(self) == self.size:
            return product
        chosen = xp.where((self == 0) & ~xp.isnan(other), 0, product)
        return xp.as_array(chosen).astype(self.dtype)

    return forward


_FEW = 1024  # elements, which are looked at for a 0 before the product is chosen from: 4 us less


def xlogy_backward_self(F: Any, grad: Any, self: Any, other: Any) -> Any:
    """The gradient of the factor: 0 where log(other) is not defined and self is 0."""
    if not hasattr(other, "shape"):
        slope = F.xlogy_Scalar_Other(grad, other)
        return slope if other > 0 else F.masked_fill(slope, self == 0.0, 0.0)
    slope = F.xlogy_Tensor(grad, other)
    undefined = other <= 0.0
    return F.masked_fill(slope, (self == 0.0) & undefined, 0.0)


def tensors_or_numbers(
    name: str,
    overload_names: tuple[str, str, str],
    node: str,
    *,
    self: Any,
    other: Any,
    inplace: tuple[str, ...] = (),
    on: tuple[str, ...] = ("function",),
    **fields: Any,
) -> Any:
    """Declares an operator of two tensors, of a number and a tensor, of a tensor and a number: each
    has a node of its own, numbered from 0."""
    fields |= {"dtype": "float", "on": ("F",), "variants": ()}
    schemas = [
        f"{name}{overload}({first} self, {second} other) -> Tensor"
        for overload, first, second in zip(
            overload_names,
            ("Tensor", "Scalar", "Tensor"),
            ("Tensor", "Tensor", "Scalar"),
            strict=True,
        )
    ]
    of_tensors = binary(schemas[0], node=f"{node}0", self=self, other=other, **fields)
    of_number = unary(schemas[1], node=f"{node}1", other=other, **fields)
    by_number = unary(schemas[2], node=f"{node}2", self=self, **fields)

    def function(input: Any, other: Any) -> Any:
        if not isinstance(other, TensorBase):
            return by_number(input, other)
        return (of_tensors if isinstance(input, TensorBase) else of_number)(input, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As torch.{name.replace('special_', 'special.')}; one may be a number."
    function = overloads(
        "Tensor input, Tensor other, *, Tensor out = None",
        "Number self, Tensor other, *, Tensor out = None",
        "Tensor input, Number other, *, Tensor out = None",
    )(function)
    said = InPlace(falls_back=("Tensor", "Scalar_Other"))
    return composite(name, on=on, out=True, inplace=inplace, in_place=said)(function)


xlogy = tensors_or_numbers(
    "xlogy",
    (".Tensor", ".Scalar_Self", ".Scalar_Other"),
    "XlogyBackward",
    forward=by_logarithm("log"),
    check=unsupported("xlogy_cpu", Kind.COMPLEX),
    self=xlogy_backward_self,
    other=lambda grad, self, other: grad * self / other,
    result=ELEMENTWISE,
    on=EVERYWHERE,
    inplace=EVERYWHERE,
)
