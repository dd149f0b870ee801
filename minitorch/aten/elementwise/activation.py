"""Activation functions with a curve: elu, gelu, silu, glu and their kin.

Those made of straight lines are in rectifiers.py, sigmoid and tanh in elementary.py, the kernels in
core/arrays/activation.py. Where ATen has a fused gradient for a plain backward and differentiable
steps for create_graph, so has the formula here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import activation as kernels
from minitorch.core.arrays import layout
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.base.formulas import RAW
from minitorch.core.base.modes import recording
from minitorch.core.declare.expose import inplace_of
from minitorch.core.declare.families import (
    composite,
    not_differentiable,
    not_implemented,
    operator,
    unary,
)
from minitorch.core.declare.general.elementwise import unsupported
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.out import ALONE, FOUND, SCALAR, SILENT, InPlace, Out
from minitorch.core.declare.row import ELEMENTWISE
from minitorch.core.declare.vmap import BROADCASTS, NAMES_DIMS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import COMPLEX, FLOATING, HALVES
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.scalars import as_number, fitted, overflow
from minitorch.core.tensor.conversion import wrap_dim


def floating(kernel: str) -> Callable[..., None]:
    """A row's check that refuses all but real floating dtypes, in the words of ATen's kernels."""
    return unsupported(kernel, Kind.BOOL, Kind.INTEGER, Kind.COMPLEX)


def require_floating(kernel: str, x: Any) -> None:
    """Refuses an array that is not of real floats, in the words of ATen's kernels."""
    if x.dtype.kind != "f":
        floating(kernel)(None, dtypes.of(x), ())


# ---- exponential

elu = unary(
    "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
    converts={"alpha": "opmath_t", "scale": "opmath_t", "input_scale": "opmath_t"},
    node="EluBackward0",
    forward=kernels.elu,
    dtype="same",
    check=floating("elu_cpu"),
    self=lambda F, grad, alpha, scale, input_scale, self: F.elu_backward(
        grad, alpha, scale, input_scale, False, self
    ),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
    out=Out(FOUND),
)

elu_result = unary(
    "elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)",
    converts={"alpha": "opmath_t", "scale": "opmath_t", "input_scale": "opmath_t"},
    node="EluBackward1",
    forward=kernels.elu,
    dtype="same",
    check=floating("elu_cpu"),
    self=lambda F, grad, alpha, scale, input_scale, result: F.elu_backward(
        grad, alpha, scale, input_scale, True, result
    ),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)


NEGATIVE = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. "
    "This is caused by calling in-place forward function with a negative slope, please call "
    "out-of-place version instead."
)


def elu_backward_forward(
    xp: Any,
    grad_output: Any,
    alpha: Any,
    scale: Any,
    input_scale: Any,
    is_result: bool,
    self_or_result: Any,
) -> Any:
    if is_result and alpha < 0:
        raise RuntimeError(NEGATIVE.format("elu"))
    return kernels.elu_backward(
        xp, grad_output, alpha, scale, input_scale, is_result, self_or_result
    )


def elu_double_backward(
    F: Any,
    grad: Any,
    grad_output: Any,
    alpha: Any,
    scale: Any,
    input_scale: Any,
    is_result: bool,
    self_or_result: Any,
) -> Any:
    both = grad * grad_output * input_scale
    if not is_result:
        both = F.elu_backward(both, alpha, scale, input_scale, False, self_or_result)
    return both * F.type_as(self_or_result < 0, grad)


elu_backward = operator(
    "elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale,"
    " bool is_result, Tensor self_or_result) -> Tensor",
    node="EluBackwardBackward0",
    forward=elu_backward_forward,
    kernel="elu_backward_cpu",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, alpha, scale, input_scale, is_result, self_or_result: (
        F.elu_backward(grad, alpha, scale, input_scale, is_result, self_or_result)
    ),
    self_or_result=elu_double_backward,
    result=ELEMENTWISE,
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


def inverse_in_float(alpha: Any) -> float:
    """Returns 1 / alpha as the backward of celu has it: for doubles too, alpha is a float32.

    Raises:
        RuntimeError: `alpha` is larger than float32 can hold.
    """
    with Silence():
        rounded = float(numpy.float32(alpha))
    if math.isinf(rounded) and math.isfinite(alpha):
        overflow(dtypes.float32, "float")
    return 1 / rounded if rounded else math.copysign(math.inf, rounded)


celu_row = unary(
    "celu(Tensor self, Scalar alpha=1.0) -> Tensor",
    converts={"alpha": "opmath_t"},
    node="CeluBackward0",
    forward=lambda xp, self, alpha: kernels.elu(xp, self, alpha, 1, 1 / alpha),
    dtype="same",
    check=floating("elu_cpu"),
    self=lambda F, grad, self, alpha: F.elu_backward(
        grad, alpha, 1, inverse_in_float(alpha), False, self
    ),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)


celu_result = unary(
    "celu_(Tensor(a!) self, Scalar alpha=1.0) -> Tensor(a!)",
    converts={"alpha": "opmath_t"},
    node="CeluBackward1",
    forward=lambda xp, self, alpha: kernels.elu(xp, self, alpha, 1, 1 / alpha),
    dtype="same",
    check=floating("elu_cpu"),
    self=lambda F, grad, result, alpha: F.elu_backward(
        grad, alpha, 1, inverse_in_float(alpha), True, result
    ),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)


def divisor_of_celu(alpha: Any) -> Any:
    """`alpha`, by which celu divides. RuntimeError with torch's text for 0 and complex numbers."""
    if isinstance(alpha, (int, complex)) and not isinstance(alpha, bool):
        alpha = as_number(alpha)
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return fitted(alpha, dtypes.float64) if isinstance(alpha, complex) else alpha


@composite("celu", on=("function",))
def celu(input: Any, alpha: float = 1.0) -> Any:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Barron, Continuously Differentiable Exponential Linear Units, https://arxiv.org/abs/1704.07483.
    """
    alpha = divisor_of_celu(alpha)
    return celu_row(input, alpha)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@composite("selu", on=("function",))
def selu(input: Any) -> Any:
    """elu with the alpha and scale that keep mean and variance.

    Klambauer et al., Self-Normalizing Neural Networks, https://arxiv.org/abs/1706.02515.
    """
    return elu(input, _SELU_ALPHA, _SELU_SCALE)


# ---- smooth


def _fused_gradient(name: str, kernel: Any, knows: frozenset[Any]) -> None:
    """An operator for a gradient that nothing differentiates: see fused."""

    def forward(xp: Any, grad_output: Any, self: Any) -> Any:
        arrays = grad_output, self
        return layout.in_torch_layout(xp, kernel(xp, *arrays), arrays)

    operator(
        f"{name}(Tensor grad_output, Tensor self) -> Tensor",
        node="NotImplemented",
        forward=forward,
        kernel=f"{name}_cpu",
        knows=knows,
        grad_output=not_implemented(f"{name}: grad_output"),
        self=not_implemented(f"{name}: self"),
        on=("F",),
    )


_fused_gradient("silu_backward", kernels.silu_backward, FLOATING | HALVES | COMPLEX)
_fused_gradient("mish_backward", kernels.mish_backward, FLOATING | HALVES)


def fused(F: Any, name: str, grad: Any, self: Any) -> Any:
    """The gradient by the kernel, which torch calls if no gradient of it is wanted; else None."""
    return None if F is not RAW and recording() else getattr(F, name)(grad, self)


def silu_backward(F: Any, grad: Any, self: Any) -> Any:
    found = fused(F, "silu_backward", grad, self)
    if found is not None:
        return found
    self = self.conj()
    sigmoid = F.sigmoid(self)
    slope = 1 + self * (1 - sigmoid)  # before the rest, as in torch
    return grad * sigmoid * slope


silu = unary(
    "silu(Tensor self) -> Tensor",
    node="SiluBackward0",
    forward=kernels.silu,
    check=unsupported("silu_cpu", Kind.BOOL, Kind.INTEGER),
    self=silu_backward,
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
    real_gradients=True,
    out=Out(FOUND),
)


def mish_backward(F: Any, grad: Any, self: Any) -> Any:
    found = fused(F, "mish_backward", grad, self)
    if found is not None:
        return found
    sigmoid = F.sigmoid(self)
    tanh_softplus = F.tanh(F.log1p(F.exp(self)))
    slope = 1 - tanh_softplus * tanh_softplus
    return grad * (tanh_softplus + self * sigmoid * slope)


mish = unary(
    "mish(Tensor self) -> Tensor",
    node="MishBackward0",
    forward=kernels.mish,
    check=floating("mish_cpu"),
    self=mish_backward,
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
    out=Out(FOUND),
)

softplus = unary(
    "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
    doc="""log(1 + exp(beta * x)) / beta: a smooth max(x, 0).

    Args:
        input: floating, of any shape.
        beta: the larger it is, the nearer the result is to max(x, 0).
        threshold: where beta * x exceeds it, the result is x.
        out: the tensor that the result is written into.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers.

    As torch.nn.functional.softplus (ATen/native/Activation.cpp).
    """,
    converts={"beta": "opmath_t", "threshold": "opmath_t"},
    node="SoftplusBackward0",
    forward=kernels.softplus,
    dtype="same",
    check=floating("softplus_cpu"),
    self=lambda F, grad, self, beta, threshold: F.softplus_backward(grad, self, beta, threshold),
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
    out=Out(FOUND),
)


def softplus_double_backward(
    F: Any, grad: Any, grad_output: Any, self: Any, beta: Any, threshold: Any
) -> Any:
    scaled = self * beta
    curved = F.sigmoid_backward(grad * grad_output, F.sigmoid(scaled))
    return curved * F.type_as(scaled < threshold, grad) * beta


softplus_backward = operator(
    "softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
    node="SoftplusBackwardBackward0",
    forward=kernels.softplus_backward,
    kernel="softplus_backward_cpu",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self, beta, threshold: F.softplus_backward(
        grad, self, beta, threshold
    ),
    self=softplus_double_backward,
    result=ELEMENTWISE,
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


def log_sigmoid_forward_forward(xp: Any, self: Any) -> Any:
    require_floating("log_sigmoid_cpu", self)
    return kernels.log_sigmoid(xp, self)


log_sigmoid_forward = operator(
    "log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
    node="LogSigmoidBackward0",
    forward=log_sigmoid_forward_forward,
    self=lambda F, grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer),
    result=ELEMENTWISE,
    differentiable=(True, False),
    on=("F",),
    elementwise=True,
    vmap=BROADCASTS,
)


@composite("log_sigmoid", on=(), out=Out(SCALAR, resize=SILENT, error_name="log_sigmoid_forward"))
def log_sigmoid(input: Any) -> Any:
    """log(sigmoid(x)).

    Args:
        input: floating, of any shape.

    Returns:
        Of the shape and dtype of `input`. No element is rounded to log(0).

    Raises:
        NotImplementedError: for integers.

    As torch.nn.functional.logsigmoid (ATen/native/Activation.cpp).
    """
    return log_sigmoid_forward(input)[0]


def log_sigmoid_double_backward(F: Any, grad: Any, grad_output: Any, self: Any) -> Any:
    sigmoid = F.sigmoid(self)
    return grad * grad_output * ((sigmoid - 1) * sigmoid)


log_sigmoid_backward = operator(
    "log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
    node="LogSigmoidBackwardBackward0",
    forward=kernels.log_sigmoid_backward,
    kernel="log_sigmoid_backward_cpu",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer),
    self=log_sigmoid_double_backward,
    result=ELEMENTWISE,
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)

hardsigmoid = unary(
    "hardsigmoid(Tensor self) -> Tensor",
    node="HardsigmoidBackward0",
    forward=kernels.hardsigmoid,
    check=floating("hardsigmoid_cpu"),
    self=lambda F, grad, self: F.hardsigmoid_backward(grad, self),
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
    out=Out(FOUND),
)


hardsigmoid_backward = operator(
    "hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
    node="NotImplemented",
    forward=kernels.hardsigmoid_backward,
    kernel="hardsigmoid_backward",
    knows=FLOATING | HALVES,
    grad_output=not_differentiable("hardsigmoid_backward"),
    self=not_differentiable("hardsigmoid_backward"),
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)

hardswish = unary(
    "hardswish(Tensor self) -> Tensor",
    node="HardswishBackward0",
    forward=kernels.hardswish,
    check=floating("hardswish_cpu"),
    self=lambda F, grad, self: F.hardswish_backward(grad, self),
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
    out=Out(FOUND),
)


def hardswish_double_backward(F: Any, grad: Any, grad_output: Any, self: Any) -> Any:
    curved = grad * grad_output / 3.0
    inner = F.where(self < 3.0, curved, F.zeros_like(curved))
    return F.where(self > -3.0, inner, F.zeros_like(curved))


hardswish_backward = operator(
    "hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
    node="HardswishBackwardBackward0",
    forward=kernels.hardswish_backward,
    kernel="hardswish_backward_cpu",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self: F.hardswish_backward(grad, self),
    self=hardswish_double_backward,
    result=ELEMENTWISE,
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


def gelu_forward(xp: Any, self: Any, approximate: str) -> Any:
    return kernels.gelu(xp, self, approximate)


gelu_row = unary(
    "gelu(Tensor self, *, str approximate='none') -> Tensor",
    node="GeluBackward0",
    forward=gelu_forward,
    check=floating("GeluKernelImpl"),
    self=lambda F, grad, self, approximate: F.gelu_backward(grad, self, approximate=approximate),
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
    out=Out(FOUND),
    in_place=InPlace(falls_back=ALONE),
)


def gelu(input: Any, *, approximate: str = "none", out: Any = None) -> Any:
    """x times the normal distribution function at x.

    Args:
        input: floating, of any shape.
        approximate: 'none', or 'tanh' for the approximation by tanh.
        out: the tensor that the result is written into.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for another `approximate`.
        NotImplementedError: for integers.

    As torch.nn.functional.gelu (ATen/native/Activation.cpp). Hendrycks and Gimpel,
    https://arxiv.org/abs/1606.08415.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return gelu_row(input, approximate=approximate, out=out)


def gelu_double_backward(F: Any, grad: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    """In the order of operations of FunctionsManual.cpp, which the bits of half types show."""
    x = self
    if approximate == "none":
        square = x * x
        pdf = F.exp(square * -0.5) * (1 / math.sqrt(2 * math.pi))
        return grad * grad_output * (pdf * 2 - pdf * square)
    beta, kappa = math.sqrt(2 / math.pi), 0.044715
    inner = (x + F.pow_Tensor_Scalar(x, 3) * kappa) * beta
    t, sech = F.tanh(inner), F.reciprocal(F.cosh(inner))
    half = x * 0.5
    bell, slope = 1 - t * t, (x * (3 * kappa) * x + 1) * beta
    bent, curve = (sech * 2) * (-sech * t) * slope, x * (6 * kappa) * beta
    return grad * grad_output * (bell * slope + half * slope * bent + half * bell * curve)


gelu_backward = operator(
    "gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor",
    node="GeluBackwardBackward0",
    forward=kernels.gelu_backward,
    kernel="GeluBackwardKernelImpl",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self, approximate: F.gelu_backward(
        grad, self, approximate=approximate
    ),
    self=gelu_double_backward,
    result=ELEMENTWISE,
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


def glu_forward(xp: Any, self: Any, dim: int) -> Any:
    if self.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = wrap_dim(dim, self.ndim)
    if self.shape[axis] % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {axis} is size {self.shape[axis]}"
        )
    require_floating("glu_cpu", self)
    return kernels.glu(xp, self, axis)


glu = operator(
    "glu(Tensor self, int dim=-1) -> Tensor",
    node="GluBackward0",
    forward=glu_forward,
    self=lambda F, grad, self, dim: F.glu_backward(grad, self, dim),
    result=lambda F, self_p, self_t, dim: glu_backward_grad_output(F, self_t, self_p, dim),
    variants=("out",),
    on=("F",),
    vmap=NAMES_DIMS,
)


def glu_halves(F: Any, self: Any, dim: int) -> tuple[Any, Any, Any]:
    """The first half, the sigmoid of the second, and the derivative of that."""
    half = self.shape[dim] // 2
    sigmoid = F.sigmoid(F.slice(self, dim, half, 2 * half, 1))
    return F.slice(self, dim, 0, half, 1), sigmoid, (1 - sigmoid) * sigmoid


def glu_backward_grad_output(F: Any, grad: Any, self: Any, dim: int) -> Any:
    first, sigmoid, slope = glu_halves(F, self, dim)
    half = self.shape[dim] // 2
    by_first = F.slice(grad, dim, 0, half, 1)
    by_second = F.slice(grad, dim, half, 2 * half, 1)
    return by_first * sigmoid + by_second * first * slope


def glu_backward_self(F: Any, grad: Any, grad_output: Any, self: Any, dim: int) -> Any:
    first, sigmoid, slope = glu_halves(F, self, dim)
    half = self.shape[dim] // 2
    by_first = F.slice(grad, dim, 0, half, 1) * grad_output
    by_second = F.slice(grad, dim, half, 2 * half, 1) * grad_output
    curved = by_first * slope + by_second * first * slope * (1 - sigmoid * 2)
    return F.cat([by_second * slope, curved], dim)


glu_backward = operator(
    "glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor",
    node="GluBackwardBackward0",
    forward=lambda xp, grad_output, self, dim: kernels.glu_backward(
        xp, grad_output, self, wrap_dim(dim, self.ndim)
    ),
    grad_output=glu_backward_grad_output,
    self=glu_backward_self,
    result=lambda F, grad_output_p, grad_output_t, self_p, self_t, dim: (
        F.glu_backward(grad_output_t, self_p, dim)
        + glu_backward_self(F, self_t, grad_output_p, self_p, dim)
    ),
    on=("F",),
    vmap=NAMES_DIMS,
)


# ---- in place


def elu_(input: Any, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Any:
    """elu, written into `input`.

    Args:
        input: floating, of any shape.
        alpha: minus the limit for very negative elements, before `scale`.
        scale: the factor of the result.
        input_scale: the factor of negative elements before exp.

    Returns:
        `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.elu_ (ATen/native/Activation.cpp).
    """
    return store("elu_", elu_result, input, ((alpha, scale, input_scale), {}))


@composite("selu_", on=("function",))
def selu_(input: Any) -> Any:
    """selu, written into `input`.

    Args:
        input: floating, of any shape.

    Returns:
        `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.selu_ (ATen/native/Activation.cpp).
    """
    return elu_(input, _SELU_ALPHA, _SELU_SCALE)


@composite("celu_", on=("function",))
def celu_(input: Any, alpha: float = 1.0) -> Any:
    """celu, written into `input`.

    Args:
        input: floating, of any shape.
        alpha: minus the limit for very negative elements; not 0.

    Returns:
        `input`.

    Raises:
        RuntimeError: if `alpha` is 0.
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.celu_ (ATen/native/Activation.cpp).
    """
    return store("celu_", celu_result, input, ((divisor_of_celu(alpha),), {}))


# Not methods of Tensor: nn.functional alone calls them.
hardsigmoid_, hardswish_, mish_, silu_ = [
    inplace_of(function.row) for function in (hardsigmoid, hardswish, mish, silu)
]
