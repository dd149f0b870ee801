"""Activation functions: leaky_relu, elu, gelu, silu and their kin.

relu is in aten/clamping.py, sigmoid and tanh are in aten/elementary.py; the kernels are in
core/arrays/activation.py. Where ATen has a fused gradient for a plain backward and differentiable
steps for create_graph, so has the formula here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minitorch.core.arrays import activation as kernels
from minitorch.core.arrays import namespace
from minitorch.core.declare.elementwise import checks, refused, unsupported
from minitorch.core.declare.families import composite, not_differentiable, operator, unary
from minitorch.core.declare.install import inplace_of
from minitorch.core.declare.row import ELEMENTWISE
from minitorch.core.declare.writing import deliver, store
from minitorch.core.graph.formulas import OPS, RAW
from minitorch.core.graph.modes import recording
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.limits import finfo
from minitorch.core.tensor.conversion import wrap_dim


def floating(kernel: str) -> Callable[..., None]:
    """A row's check that refuses all but real floating dtypes, in the words of ATen's kernels."""
    return unsupported(kernel, Kind.BOOL, Kind.INTEGER, Kind.COMPLEX)


def require_floating(kernel: str, x: Any) -> None:
    """The same for the array of an operator that is not element-wise."""
    if x.dtype.kind != "f":
        floating(kernel)(None, dtypes.of(x), ())


# ---- rectifiers ----------------------------------------------------------------------------------

leaky_relu = unary(
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    node="LeakyReluBackward0",
    forward=kernels.leaky_relu,
    dtype="same",
    check=floating("leaky_relu_cpu"),
    self=lambda F, grad, self, negative_slope: F.leaky_relu_backward(
        grad, self, negative_slope, False
    ),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)

# In place, the gradient is found from the result: what was written is gone.
leaky_relu_result = unary(
    "leaky_relu.result(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    node="LeakyReluBackward1",
    forward=kernels.leaky_relu,
    dtype="same",
    check=floating("leaky_relu_cpu"),
    self=lambda F, grad, result, negative_slope: F.leaky_relu_backward(
        grad, result, negative_slope, True
    ),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)

_NEGATIVE = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. "
    "This is caused by calling in-place forward function with a negative slope, please call "
    "out-of-place version instead."
)


def leaky_relu_backward_forward(
    xp: Any, grad_output: Any, self: Any, negative_slope: float, self_is_result: bool
) -> Any:
    if self_is_result and negative_slope < 0:
        raise RuntimeError(
            _NEGATIVE.format("leakyReLu")
            + " File an issue at https://github.com/pytorch/pytorch if you do require supporting "
            "in-place leakRelu backward calculation with negative slope"
        )
    return kernels.leaky_relu_backward(xp, self, grad_output, negative_slope)


leaky_relu_backward = operator(
    "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope,"
    " bool self_is_result) -> Tensor",
    node="LeakyReluBackwardBackward0",
    forward=leaky_relu_backward_forward,
    grad_output=lambda F, grad, self, negative_slope: F.leaky_relu_backward(
        grad, self, negative_slope, False
    ),
    self=lambda F, grad: F.zeros_like(grad),
    on=("F",),
    elementwise=True,
)

elu = unary(
    "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
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
)

elu_result = unary(
    "elu.result(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
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
        raise RuntimeError(_NEGATIVE.format("elu"))
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
    grad_output=lambda F, grad, alpha, scale, input_scale, is_result, self_or_result: (
        F.elu_backward(grad, alpha, scale, input_scale, is_result, self_or_result)
    ),
    self_or_result=elu_double_backward,
    on=("F",),
    elementwise=True,
)

celu_row = unary(
    "celu(Tensor self, Scalar alpha=1.0) -> Tensor",
    node="CeluBackward0",
    forward=lambda xp, self, alpha: kernels.elu(xp, self, alpha, 1, 1 / alpha),
    dtype="same",
    check=floating("elu_cpu"),
    self=lambda F, grad, self, alpha: F.elu_backward(grad, alpha, 1, 1 / alpha, False, self),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)


celu_result = unary(
    "celu.result(Tensor self, Scalar alpha=1.0) -> Tensor",
    node="CeluBackward1",
    forward=lambda xp, self, alpha: kernels.elu(xp, self, alpha, 1, 1 / alpha),
    dtype="same",
    check=floating("elu_cpu"),
    self=lambda F, grad, result, alpha: F.elu_backward(grad, alpha, 1, 1 / alpha, True, result),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)


@composite("celu", on=("function",))
def celu(input: Any, alpha: float = 1.0) -> Any:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). As torch.celu.

    Barron, Continuously Differentiable Exponential Linear Units, https://arxiv.org/abs/1704.07483.
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return celu_row(input, alpha)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@composite("selu", on=("function",))
def selu(input: Any) -> Any:
    """elu with the alpha and scale that keep mean and variance. As torch.selu.

    Klambauer et al., Self-Normalizing Neural Networks, https://arxiv.org/abs/1706.02515.
    """
    return elu(input, _SELU_ALPHA, _SELU_SCALE)


hardtanh = unary(
    "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    node="HardtanhBackward0",
    forward=kernels.hardtanh,
    dtype="same",
    check=checks(
        refused(Kind.BOOL, "Bool inputs not supported for hardtanh"),
        refused(Kind.COMPLEX, "clamp is not supported for complex types", NotImplementedError),
    ),
    self=lambda F, grad, self, min_val, max_val: F.hardtanh_backward(grad, self, min_val, max_val),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)

hardtanh_backward = operator(
    "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
    node="HardtanhBackwardBackward0",
    forward=kernels.hardtanh_backward,
    grad_output=lambda F, grad, self, min_val, max_val: F.hardtanh_backward(
        grad, self, min_val, max_val
    ),
    self=lambda F, grad: F.zeros_like(grad),
    on=("F",),
    elementwise=True,
)


softshrink_row = unary(
    "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    node="SoftshrinkBackward0",
    forward=kernels.softshrink,
    dtype="same",
    check=floating("softshrink_check"),
    self=lambda F, grad, self, lambd: F.softshrink_backward(grad, self, lambd),
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
)


def softshrink(input: Any, lambd: float = 0.5, *, out: Any = None) -> Any:
    """x drawn towards 0 by lambd, 0 where it would cross. As torch.nn.functional.softshrink."""
    if not 0 <= lambd <= _MOST_OF_ALL:
        check_lambd(input, lambd)
    return softshrink_row(input, lambd, out=out)


_MOST_OF_ALL = finfo(dtypes.float16).max  # which every floating dtype can hold


def check_lambd(input: Any, lambd: float) -> None:
    """RuntimeError in torch's words where `lambd` is negative or more than the dtype can hold."""
    kind = input.dtype
    most = finfo(kind).max if kind.is_floating_point else math.inf
    if kind.is_floating_point and not 0 <= lambd <= most:
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {kind.scalar_name}, but found "
            f"{lambd:g}"
        )


softshrink_backward = operator(
    "softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
    node="SoftshrinkBackwardBackward0",
    forward=kernels.shrink_backward,
    grad_output=lambda F, grad, self, lambd: F.softshrink_backward(grad, self, lambd),
    self=lambda F, grad: F.zeros_like(grad),
    on=("F",),
    elementwise=True,
)

hardshrink = unary(
    "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    node="HardshrinkBackward0",
    forward=kernels.hardshrink,
    dtype="same",
    check=floating("hardshrink_cpu"),
    self=lambda F, grad, self, lambd: F.hardshrink_backward(grad, self, lambd),
    result=ELEMENTWISE,
    variants=("out",),
)

hardshrink_backward = operator(
    "hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
    node="HardshrinkBackwardBackward0",
    forward=lambda xp, grad_out, self, lambd: kernels.shrink_backward(xp, grad_out, self, lambd),
    grad_out=lambda F, grad, self, lambd: F.hardshrink_backward(grad, self, lambd),
    self=lambda F, grad: F.zeros_like(grad),
    on=("F",),
    elementwise=True,
)


def prelu_forward(xp: Any, self: Any, weight: Any) -> Any:
    require_floating("prelu_cpu", self)
    if not self.size:
        return kernels.empty_like(xp, self)
    return xp.where(self > 0, self, weight * self)


_prelu_kernel = operator(
    "_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
    node="PreluKernelBackward0",
    forward=prelu_forward,
    inputs=lambda F, grad, self, weight: F._prelu_kernel_backward(grad, self, weight),
    on=("F",),
    elementwise=True,
)


def prelu_double_backward(
    F: Any, grads: Any, grad_output: Any, self: Any, weight: Any, grad_input_mask: Any
) -> Any:
    by_self, by_weight = grads
    positive, none = self >= 0, F.new_zeros(self, ())
    sloped = [by * x for by, x in ((by_self, weight), (by_weight, self)) if by is not None]
    to_grad = F.where(positive, none if by_self is None else by_self, sum(sloped[1:], sloped[0]))
    to_self, to_weight = [
        F.new_zeros(self, self.shape) if by is None else F.where(positive, none, grad_output * by)
        for by in (by_weight, by_self)
    ]
    found = (to_grad, to_self, to_weight)
    return tuple([x if on else None for x, on in zip(found, grad_input_mask, strict=True)])


_prelu_kernel_backward = operator(
    "_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
    node="PreluKernelBackwardBackward0",
    forward=kernels.prelu_backward,
    inputs=prelu_double_backward,
    on=("F",),
    elementwise=True,
)


@composite("prelu")
def prelu(input: Any, weight: Any) -> Any:
    """x where positive, else weight * x, one weight for all or one for each channel.

    He et al., Delving Deep into Rectifiers, https://arxiv.org/abs/1502.01852.
    As ATen/native/Activation.cpp (prelu).
    """
    rank, count = input.dim(), weight.numel()
    if count != 1:
        if rank == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.size(1) if rank > 1 else 1
        if channels != count:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}."
            )
    if weight.dim() > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}"
        )
    if rank == 0:
        weight = weight.view(()) if weight.dim() else weight
    elif rank != weight.dim() or rank > 1:
        weight = weight.reshape([1, -1, *[1] * (rank - 2)] if rank > 1 else [-1])
    return _prelu_kernel(input, weight)


# ---- smooth --------------------------------------------------------------------------------------


def silu_backward(F: Any, grad: Any, self: Any) -> Any:
    if F is RAW:
        return kernels.silu_backward(namespace(grad), grad, self)
    self = self.conj()
    sigmoid = F.sigmoid(self)
    return grad * (sigmoid * (1 + self * (1 - sigmoid)))


silu = unary(
    "silu(Tensor self) -> Tensor",
    node="SiluBackward0",
    forward=kernels.silu,
    check=unsupported("silu_cpu", Kind.BOOL, Kind.INTEGER),
    self=silu_backward,
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)


def mish_backward(F: Any, grad: Any, self: Any) -> Any:
    if F is RAW:
        return kernels.mish_backward(namespace(grad), grad, self)
    sigmoid = F.sigmoid(self)
    tanh_softplus = F.tanh(F.softplus(self))
    return grad * (tanh_softplus + self * sigmoid * (1 - tanh_softplus * tanh_softplus))


mish = unary(
    "mish(Tensor self) -> Tensor",
    node="MishBackward0",
    forward=kernels.mish,
    check=floating("mish_cpu"),
    self=mish_backward,
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
)

softplus = unary(
    "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
    node="SoftplusBackward0",
    forward=kernels.softplus,
    dtype="same",
    check=floating("softplus_cpu"),
    self=lambda F, grad, self, beta, threshold: F.softplus_backward(grad, self, beta, threshold),
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
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
    grad_output=lambda F, grad, self, beta, threshold: F.softplus_backward(
        grad, self, beta, threshold
    ),
    self=softplus_double_backward,
    on=("F",),
    elementwise=True,
)


def log_sigmoid_forward_forward(xp: Any, self: Any) -> Any:
    require_floating("log_sigmoid_cpu", self)
    return kernels.log_sigmoid(xp, self)


log_sigmoid_forward = operator(
    "log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
    node="LogSigmoidBackward0",
    forward=log_sigmoid_forward_forward,
    self=lambda F, grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer),
    differentiable=(True, False),
    on=("F",),
    elementwise=True,
)


def log_sigmoid(input: Any, *, out: Any = None) -> Any:
    """log(sigmoid(x)). As torch.nn.functional.logsigmoid."""
    if out is None:
        return log_sigmoid_forward(input)[0]
    if not (recording() and input.requires_grad) and input.dtype != out.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.scalar_name} but found {out.dtype.scalar_name}"
        )
    buffer = OPS.empty_like(input).detach()
    return deliver("log_sigmoid_forward", log_sigmoid_forward, (out, buffer), ((input,), {}))[0]


def log_sigmoid_double_backward(F: Any, grad: Any, grad_output: Any, self: Any) -> Any:
    sigmoid = F.sigmoid(self)
    return grad * grad_output * ((sigmoid - 1) * sigmoid)


log_sigmoid_backward = operator(
    "log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
    node="LogSigmoidBackwardBackward0",
    forward=kernels.log_sigmoid_backward,
    grad_output=lambda F, grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer),
    self=log_sigmoid_double_backward,
    on=("F",),
    elementwise=True,
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
)


hardsigmoid_backward = operator(
    "hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
    node="NotImplemented",
    forward=kernels.hardsigmoid_backward,
    grad_output=not_differentiable("hardsigmoid_backward"),
    self=not_differentiable("hardsigmoid_backward"),
    on=("F",),
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
)


def hardswish_double_backward(F: Any, grad: Any, grad_output: Any, self: Any) -> Any:
    curved = grad * grad_output / 3.0
    inner = F.where(self < 3.0, curved, F.zeros_like(curved))
    return F.where(self > -3.0, inner, F.zeros_like(curved))


hardswish_backward = operator(
    "hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
    node="HardswishBackwardBackward0",
    forward=kernels.hardswish_backward,
    grad_output=lambda F, grad, self: F.hardswish_backward(grad, self),
    self=hardswish_double_backward,
    on=("F",),
    elementwise=True,
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
)


def gelu(input: Any, *, approximate: str = "none", out: Any = None) -> Any:
    """x times the normal distribution function at x. As torch.nn.functional.gelu.

    Args:
        input: floating.
        approximate: 'none', or 'tanh' for the approximation by tanh.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return gelu_row(input, approximate=approximate, out=out)


def gelu_double_backward(F: Any, grad: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    x = self
    if approximate == "none":
        pdf = F.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
        return grad * grad_output * (pdf * (2 - x * x))
    beta, kappa = math.sqrt(2 / math.pi), 0.044715
    square = x * x
    t = F.tanh((x + square * x * kappa) * beta)
    slope = (square * (3 * kappa) + 1) * beta
    curve = x * (6 * kappa * beta)
    bent = curve - t * slope * slope * 2
    return grad * grad_output * ((1 - t * t) * (slope + x * bent * 0.5))


gelu_backward = operator(
    "gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor",
    node="GeluBackwardBackward0",
    forward=kernels.gelu_backward,
    grad_output=lambda F, grad, self, approximate: F.gelu_backward(
        grad, self, approximate=approximate
    ),
    self=gelu_double_backward,
    on=("F",),
    elementwise=True,
)


def glu_forward(xp: Any, self: Any, dim: int) -> Any:
    require_floating("glu_cpu", self)
    if self.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = wrap_dim(dim, self.ndim)
    if self.shape[axis] % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {axis} is size {self.shape[axis]}"
        )
    return kernels.glu(xp, self, axis)


glu = operator(
    "glu(Tensor self, int dim=-1) -> Tensor",
    node="GluBackward0",
    forward=glu_forward,
    self=lambda F, grad, self, dim: F.glu_backward(grad, self, dim),
    variants=("out",),
    on=("F",),
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
    on=("F",),
)


# ---- in place ------------------------------------------------------------------------------------


def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """leaky_relu, written into `input`."""
    return store("leaky_relu_", leaky_relu_result, input, ((negative_slope,), {}))


def elu_(input: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    """elu, written into `input`."""
    return store("elu_", elu_result, input, ((alpha, scale, input_scale), {}))


@composite("selu_", on=("function",))
def selu_(input: Any) -> Any:
    """selu, written into `input`."""
    return elu_(input, _SELU_ALPHA, _SELU_SCALE)


@composite("celu_", on=("function",))
def celu_(input: Any, alpha: float = 1.0) -> Any:
    """celu, written into `input`."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return store("celu_", celu_result, input, ((alpha,), {}))


# Not methods of Tensor: nn.functional alone calls them.
hardtanh_, hardsigmoid_, hardswish_, mish_, silu_ = [
    inplace_of(function.row) for function in (hardtanh, hardsigmoid, hardswish, mish, silu)
]
