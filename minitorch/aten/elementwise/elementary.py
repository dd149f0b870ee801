"""Elementary functions: exponentials, logarithms, circular and hyperbolic functions, erf."""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.in_formulas import number_like
from minitorch.core.arrays import layout
from minitorch.core.arrays.activation import widened
from minitorch.core.arrays.blocks import MANY, in_blocks
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.base.formulas import RAW, is_complex
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import METHOD, alias, binary, operator, unary
from minitorch.core.declare.general.elementwise import checks, unsupported
from minitorch.core.declare.out import ALIGNED, ALONE, APART, ONCE, InPlace, Out, exactly
from minitorch.core.declare.row import ELEMENTWISE, ufunc
from minitorch.core.declare.vmap import BROADCASTS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import COMPLEX, FLOATING, HALVES
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.scalars import overflow

_FLOAT32, _FLOAT64 = numpy.dtype("float32"), numpy.dtype("float64")
_ONE = numpy.ones(())


def function(
    name: str,
    gradient: Any,
    kernel: str = "",
    node: str = "",
    vml: bool = False,
    named: str = "",
    **fields: Any,
) -> Any:
    """A differentiable function of floats: integers are lifted to the default dtype.

    kernel: of xp.elementary.  vml: whether torch has it among the functions of the Vector Math
        Library.  named: the kernel, as errors name it.
    """
    return unary(
        f"{name}(Tensor self) -> Tensor",
        node=f"{node or name.capitalize()}Backward0",
        forward=ufunc(f"elementary.{kernel or name}"),
        dtype="float",
        self=gradient,
        result=ELEMENTWISE,
        kernel=f"{name}_vml_cpu" if vml else named,
        **fields,
    )


def real_only(kernel: str) -> Any:
    """The check of a function that has no complex version."""
    return unsupported(kernel, Kind.COMPLEX)


exp = function("exp", lambda grad, result: grad * result.conj(), vml=True)
exp2 = function("exp2", lambda grad, result: grad * result.conj() * math.log(2), named="exp2")
expm1 = function("expm1", lambda grad, result: grad * (result.conj() + 1), vml=True)

log = function("log", lambda grad, self: grad / self.conj(), vml=True)
log2 = function("log2", lambda grad, self: grad / (self.conj() * math.log(2)), vml=True)
log10 = function("log10", lambda grad, self: grad / (self.conj() * 2.3025850929940456), vml=True)
log1p = function("log1p", lambda grad, self: grad / (self + 1).conj(), node="Log1P", vml=True)

sin = function("sin", lambda F, grad, self: grad * F.cos(self).conj(), vml=True)
cos = function("cos", lambda F, grad, self: grad * -F.sin(self).conj(), vml=True)
tan = function(
    "tan", lambda F, grad, result: grad * (1 + F.pow_Tensor_Scalar(result, 2)).conj(), vml=True
)

asin = function(
    "asin", lambda F, grad, self: grad * F.rsqrt(-self * self + 1).conj(), kernel="arcsin", vml=True
)
acos = function(
    "acos",
    lambda F, grad, self: grad * -F.rsqrt(-self * self + 1).conj(),
    kernel="arccos",
    vml=True,
)
atan = function(
    "atan", lambda grad, self: grad / (self * self + 1).conj(), kernel="arctan", vml=True
)

sinh = function("sinh", lambda F, grad, self: grad * F.cosh(self).conj())
cosh = function("cosh", lambda F, grad, self: grad * F.sinh(self).conj())
tanh = function("tanh", lambda F, grad, result: F.tanh_backward(grad, result), vml=True)

asinh = function(
    "asinh",
    lambda F, grad, self: grad * F.rsqrt(F.pow_Tensor_Scalar(self, 2) + 1).conj(),
    kernel="arcsinh",
    variants=("out",),
)


def acosh_backward(F: Any, grad: Any, self: Any) -> Any:
    """The gradient of acosh; two roots where the product of complex roots is not the root's."""
    if is_complex(self):
        return grad * (F.rsqrt(self + 1) * F.rsqrt(self - 1)).conj()
    return grad * F.rsqrt(self * self - 1)


acosh = function("acosh", acosh_backward, kernel="arccosh", variants=("out",))
atanh = function(
    "atanh",
    lambda F, grad, self: atanh_backward(F, grad, self),
    kernel="arctanh",
    variants=("out",),
)


def atanh_backward(F: Any, grad: Any, self: Any) -> Any:
    rest = (1 - F.pow_Tensor_Scalar(self, 2)).conj()
    return grad * 1 / rest


def without_derivative(name: str) -> Any:
    """The in-place variant of a function; torch differentiates the function alone."""

    def refused(grad: Any) -> Any:
        raise NotImplementedError(
            f"the derivative for 'inplace version of {name}' is not implemented."
        )

    return unary(
        f"{name}_(Tensor(a!) self) -> Tensor(a!)",
        node=f"{name.capitalize()}Backward1",
        forward=ufunc(f"elementary.arc{name.removeprefix('a')}"),
        dtype="float",
        self=refused,
        kernel=f"{name}_cpu",
        variants=("inplace",),
        on=("F",),
    )


for _name in ("acosh", "asinh", "atanh"):
    without_derivative(_name)

for _name, _function in (
    ("arcsin", asin),
    ("arccos", acos),
    ("arctan", atan),
    ("arcsinh", asinh),
    ("arccosh", acosh),
    ("arctanh", atanh),
):
    alias(_name, _function)

sigmoid = function("sigmoid", lambda F, grad, result: F.sigmoid_backward(grad, result))

erf = function(
    "erf",
    lambda F, grad, self: 2.0 / math.sqrt(math.pi) * F.exp(-F.pow_Tensor_Scalar(self, 2)) * grad,
    check=real_only("erf_vml_cpu"),
)
erfc = function(
    "erfc",
    lambda F, grad, self: -2.0 / math.sqrt(math.pi) * F.exp(-F.pow_Tensor_Scalar(self, 2)) * grad,
    check=real_only("erfc_vml_cpu"),
)
erfinv = function(
    "erfinv",
    lambda F, grad, self: 0.5 * math.sqrt(math.pi) * F.exp(F.square(F.erfinv(self))) * grad,
    check=real_only("erfinv_vml_cpu"),
    inplace_on=METHOD,
)
lgamma = function(
    "lgamma",
    lambda F, grad, self: grad * F.digamma(self),
    kernel="gammaln",
    check=real_only("lgamma_vml_cpu"),
    inplace_on=METHOD,
)
digamma = function(
    "digamma",
    lambda F, grad, self: grad * F.polygamma(1, self),
    check=real_only("digamma"),
    inplace_on=METHOD,
)


def sinc_forward(xp: Any, self: Any) -> Any:
    """sin(pi x) / (pi x), 1 at 0."""
    product = xp.multiply(self, scalar_like(math.pi, self.dtype, xp), out=...)
    quotient = xp.divide(xp.elementary.sin(product), product, out=...)
    return xp.where(self == 0, scalar_like(1, self.dtype, xp), quotient)


def sinc_backward(F: Any, grad: Any, self: Any) -> Any:
    """The gradient of sinc: 0 at 0, where its formula has none."""
    product = self * math.pi
    square = self * self * math.pi
    sine = F.sin(product)
    slope = grad * ((product * F.cos(product) - sine) / square).conj()
    zero = number_like(F, grad, 0.0)
    return F.where(square == 0.0, zero, slope)


sinc = unary(
    "sinc(Tensor self) -> Tensor",
    node="SincBackward0",
    forward=in_blocks(widened(sinc_forward)),
    dtype="float",
    self=sinc_backward,
    result=ELEMENTWISE,
)


@in_blocks
def logit_forward(xp: Any, self: Any, eps: Any, dtype: Any) -> Any:
    """log(x / (1 - x)), of x between eps and 1 - eps if there is an eps; half types are rounded
    after each step."""
    one, x = scalar_like(1, dtype, xp), self.astype(dtype, copy=False)
    if eps is not None:
        low = scalar_like(eps, dtype, xp)
        if math.isinf(low) and not math.isinf(eps):
            overflow(dtypes.of(low))
        high = xp.subtract(one, low, out=...)
        x = xp.where(x < low, low, xp.where(x > high, high, x))  # NaN stays
    return xp.elementary.log(xp.as_array(x / xp.subtract(one, x, out=...)))


def logit_backward(F: Any, grad: Any, self: Any, eps: Any) -> Any:
    """The gradient of logit: 0 where eps holds x back, NaN outside of 0 and 1."""
    if F is not RAW and not recording():
        return F.logit_backward(grad, self, eps)
    if F is RAW:  # -0.0 is 0.0, where the slope is infinite, not minus infinite
        self = self + self.dtype.type(0)
    slope = grad / (self * (1.0 - self))
    low, high, otherwise = (0.0, 1.0, math.nan) if eps is None else (eps, 1.0 - eps, 0.0)
    if F is not RAW:  # which lies as `self` does
        inside = F.logical_and(self >= low, self <= high)
        return F.where(inside, slope, F.new_full(self, (), otherwise))
    outside = F.logical_or(self < low, self > high)
    return F.masked_fill_(slope, outside, otherwise)  # in place, so that it keeps its layout


def logit_backward_forward(grad_output: Any, self: Any, eps: Any) -> Any:
    slope = logit_backward(RAW, grad_output, self, eps)
    return slope.astype(grad_output.dtype)  # ml_dtypes gives a float32 beside a number


operator(
    "logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor",
    node=None,
    forward=lambda xp, grad_output, self, eps: logit_backward_forward(grad_output, self, eps),
    kernel="logit_backward_cpu",
    knows=FLOATING | HALVES,
    on=("F",),
    elementwise=True,
    preserves=True,
)

logit = unary(
    "logit(Tensor self, float? eps=None) -> Tensor",
    node="LogitBackward0",
    forward=logit_forward,
    dtype="float",
    check=real_only("logit_cpu"),
    self=logit_backward,
    result=ELEMENTWISE,
    out=Out(resize=ONCE),
)


def tanh_backward_forward(xp: Any, grad_output: Any, output: Any) -> Any:
    """grad * (1 - output * output), the bracket rounded once, as a fused instruction does it."""
    if output.dtype is not _FLOAT32:
        if output.dtype.itemsize == 2 and output.dtype.kind in "fV":  # computed in float32
            return widened(tanh_backward_forward)(xp, grad_output, output)
        return xp.multiply(grad_output, (1 - output * output).conj(), out=...)
    if not output.ndim and not grad_output.ndim and grad_output.dtype is _FLOAT32:
        y = float(output)
        slope = float(_FLOAT32.type(1 - y * y))
        # The product is exact in double: 0.2 us less than as one of arrays.
        return xp.asarray(float(grad_output) * slope, dtype=_FLOAT32)
    if output.size >= MANY:
        return _tanh_backward_of_many(xp, grad_output, output)
    return _tanh_backward_of_singles(xp, grad_output, output)


def _tanh_backward_of_singles(xp: Any, grad_output: Any, output: Any) -> Any:
    slope = output.astype(_FLOAT64)
    xp.multiply(slope, slope, slope)  # out by position: 0.1 us less than by name
    xp.subtract(_ONE if type(slope) is numpy.ndarray else 1, slope, slope)
    return xp.multiply(grad_output, slope.astype(_FLOAT32))


_tanh_backward_of_many = in_blocks(_tanh_backward_of_singles)

tanh_backward = operator(
    "tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
    node="TanhBackwardBackward0",
    forward=tanh_backward_forward,
    kernel="tanh_backward_cpu",
    knows=FLOATING | HALVES | COMPLEX,
    grad_output=lambda F, grad, output: F.tanh_backward(grad, output.conj()),
    output=lambda grad, grad_output, output: grad.conj() * (-2 * output.conj() * grad_output),
    result=lambda F, grad_output_p, grad_output_t, output_p, output_t: (
        F.tanh_backward(grad_output_t, output_p)
        + output_t.conj() * (-2 * output_p.conj() * grad_output_p)
    ),
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


def sigmoid_backward_forward(xp: Any, grad_output: Any, output: Any) -> Any:
    """grad * (1 - output) * output, from left to right; bfloat16 is rounded once."""
    if output.dtype.kind == "V" and output.dtype.names is None:
        return widened(sigmoid_backward_forward)(xp, grad_output, output)
    if output.dtype.kind == "c":
        return xp.as_array(grad_output * ((1 - output) * output).conj())
    x = xp.subtract(1, output, out=...)
    x = xp.multiply(grad_output, x, out=...)
    return xp.multiply(x, output, out=x)


sigmoid_backward = operator(
    "sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
    node="SigmoidBackwardBackward0",
    forward=sigmoid_backward_forward,
    kernel="sigmoid_backward_cpu",
    knows=FLOATING | HALVES | COMPLEX,
    grad_output=lambda F, grad, output: F.sigmoid_backward(grad, output.conj()),
    output=lambda grad, grad_output, output: grad.conj() * grad_output * (-2 * output.conj() + 1),
    result=lambda F, grad_output_p, grad_output_t, output_p, output_t: (
        F.sigmoid_backward(grad_output_t, output_p)
        + output_t.conj() * grad_output_p * (-2 * output_p.conj() + 1)
    ),
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


atan2 = binary(
    "atan2(Tensor self, Tensor other) -> Tensor",
    node="Atan2Backward0",
    forward=ufunc("elementary.arctan2"),
    dtype="float",
    tensors_only=True,
    check=real_only("atan2_cpu"),
    in_place=ALIGNED,
    inputs=lambda F, grad, self, other, grad_input_mask: atan2_backward(
        F, grad, self, other, grad_input_mask
    ),
    result=lambda self_p, self_t, other_p, other_t: (
        (other_p * self_t - self_p * other_t) / (self_p**2 + other_p**2)
    ),
)


def atan2_backward(F: Any, grad: Any, self: Any, other: Any, mask: Any) -> Any:
    """The gradients of an angle, which fall with the square of the distance; 0 at 0."""
    behind = other * other
    squares = self * self + behind
    slope = F.masked_fill(F.reciprocal(squares), squares == 0, 0)
    return (grad * other * slope if mask[0] else None, grad * -self * slope if mask[1] else None)


alias("arctan2", atan2)

hypot = binary(
    "hypot(Tensor self, Tensor other) -> Tensor",
    node="HypotBackward0",
    forward=lambda xp, self, other: xp.hypot(self, other, out=...),
    tensors_only=True,
    check=checks(unsupported("hypot_cpu", Kind.BOOL, Kind.INTEGER, Kind.COMPLEX)),
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
    result=ELEMENTWISE,
    in_place=InPlace(falls_back=ALONE),
)


def logarithm_of_sum(name: str, node: str, kernel: str, share: Any, *others: Kind) -> Any:
    """log(exp(self) + exp(other)), or to the base 2."""
    return binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        node=node,
        forward=lambda xp, self, other: getattr(xp.elementary, kernel)(self, other),
        tensors_only=True,
        check=unsupported(f"{name}_cpu", Kind.BOOL, Kind.INTEGER, *others),
        self=lambda F, grad, self, other: grad / F.add_Scalar(share(F, other - self), 1).conj(),
        other=lambda F, grad, self, other: grad / F.add_Scalar(share(F, self - other), 1).conj(),
        result=ELEMENTWISE,
        complex_only=True,
        variants=("out",),
    )


logaddexp = logarithm_of_sum("logaddexp", "LogaddexpBackward0", "logaddexp", lambda F, x: F.exp(x))
logaddexp2 = logarithm_of_sum(
    "logaddexp2", "Logaddexp2Backward0", "logaddexp2", lambda F, x: F.pow_Scalar(2, x), Kind.COMPLEX
)


def frexp_forward(xp: Any, self: Any) -> Any:
    if self.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    wide = self if self.dtype.itemsize > 2 else self.astype(xp.float32)
    strides = layout.preserved_strides(self.shape, layout.strides_of(self))
    out = [xp.empty_strided(self.shape, strides, kind) for kind in (self.dtype, xp.int32)]
    out[0][...], out[1][...] = xp.frexp(wide)
    return tuple(out)


frexp = operator(
    "frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)",
    node="FrexpBackward0",
    forward=frexp_forward,
    self=lambda F, grad, exponent: grad / F.exp2(exponent),
    result=lambda F, self_t, exponent: self_t / F.exp2(exponent),
    differentiable=(True, False),
    variants=("out",),
    elementwise=True,
    out=Out(
        exactly(
            "torch.frexp() expects mantissa to have dtype {result.c_name} but got {out.c_name}"
        ),
        exactly("torch.frexp() expects exponent to have int dtype but got {out.c_name}"),
        overlap=APART,
    ),
    vmap=BROADCASTS,
)
