"""Rectifiers: leaky_relu, hardtanh, prelu and the shrinking functions, linear piece by piece.

relu and threshold are in clamping.py; the kernels are in core/arrays/activation.py.
"""

from __future__ import annotations

import math
from typing import Any

from minitorch.aten.elementwise.activation import NEGATIVE, floating, require_floating
from minitorch.core.arrays import activation as kernels
from minitorch.core.declare.expose import inplace_of
from minitorch.core.declare.families import composite, operator, unary
from minitorch.core.declare.general.elementwise import checks, refused
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.out import FOUND, Out
from minitorch.core.declare.row import ELEMENTWISE, linear_in_gradient
from minitorch.core.declare.vmap import BROADCASTS
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.limits import finfo
from minitorch.core.numbers.scalars import fitted, is_number

leaky_relu = unary(
    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    converts={"negative_slope": "opmath_t"},
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
    out=Out(FOUND),
)

# In place, the gradient is found from the result: what was written is gone.
leaky_relu_result = unary(
    "leaky_relu_(Tensor(a!) self, Scalar negative_slope=0.01) -> Tensor(a!)",
    converts={"negative_slope": "opmath_t"},
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


def leaky_relu_backward_forward(
    xp: Any, grad_output: Any, self: Any, negative_slope: float, self_is_result: bool
) -> Any:
    if self_is_result and negative_slope < 0:
        raise RuntimeError(
            NEGATIVE.format("leakyReLu")
            + " File an issue at https://github.com/pytorch/pytorch if you do require supporting "
            "in-place leakRelu backward calculation with negative slope"
        )
    return kernels.leaky_relu_backward(xp, self, grad_output, negative_slope)


leaky_relu_backward = operator(
    "leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope,"
    " bool self_is_result) -> Tensor",
    node="LeakyReluBackwardBackward0",
    forward=leaky_relu_backward_forward,
    kernel="leaky_relu_backward_cpu",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self, negative_slope: F.leaky_relu_backward(
        grad, self, negative_slope, False
    ),
    self=lambda F, grad: F.zeros_like(grad),
    result=linear_in_gradient,
    on=("F",),
    elementwise=True,
    preserves=True,
    backwards=True,
    vmap=BROADCASTS,
)


def check_limits(row: Any, common: Any, operands: Any, min_val: Any = -1, max_val: Any = 1) -> None:
    """RuntimeError with torch's text for imaginary limits, and for negative ones of numbers that
    have no sign."""
    if common.is_floating_point and (isinstance(min_val, complex) or isinstance(max_val, complex)):
        fitted(min_val, dtypes.float64), fitted(max_val, dtypes.float64)
    if common is not dtypes.uint8:
        return
    if min(fitted(min_val, dtypes.int64), fitted(max_val, dtypes.int64)) < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


hardtanh = unary(
    "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    doc="""x held between min_val and max_val.

    Args:
        input: real, of any shape.
        min_val: the least element of the result.
        max_val: the largest.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for bools.
        NotImplementedError: for complex numbers.

    As torch.nn.functional.hardtanh (ATen/native/Activation.cpp).
    """,
    converts={"min_val": "limit_t", "max_val": "limit_t"},
    node="HardtanhBackward0",
    kernel="clamp_scalar_cpu",
    forward=kernels.hardtanh,
    dtype="same",
    check=checks(
        refused(Kind.BOOL, "Bool inputs not supported for hardtanh"),
        check_limits,
        refused(Kind.COMPLEX, "clamp is not supported for complex types", NotImplementedError),
    ),
    self=lambda F, grad, self, min_val, max_val: F.hardtanh_backward(grad, self, min_val, max_val),
    result=ELEMENTWISE,
    variants=(),
    on=("F",),
    preserves=True,
    out=Out(FOUND),
)

hardtanh_backward = operator(
    "hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
    node="HardtanhBackwardBackward0",
    forward=kernels.hardtanh_backward,
    kernel="hardshrink_backward_cpu",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self, min_val, max_val: F.hardtanh_backward(
        grad, self, min_val, max_val
    ),
    self=lambda F, grad: F.zeros_like(grad),
    result=linear_in_gradient,
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


softshrink_row = unary(
    "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    converts={"lambd": "scalar_t"},
    node="SoftshrinkBackward0",
    forward=kernels.softshrink,
    dtype="same",
    check=floating("softshrink_check"),
    self=lambda F, grad, self, lambd: F.softshrink_backward(grad, self, lambd),
    result=ELEMENTWISE,
    variants=("out",),
    on=("F",),
    out=Out(FOUND),
)


def softshrink(input: Any, lambd: float = 0.5, *, out: Any = None) -> Any:
    """x drawn towards 0 by lambd, 0 where it would cross.

    Args:
        input: floating, of any shape.
        lambd: by how much elements are drawn; not negative.
        out: the tensor that the result is written into.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: if `lambd` is negative, or more than the dtype can hold.
        NotImplementedError: for integers.

    As torch.nn.functional.softshrink (ATen/native/Activation.cpp).
    """
    try:
        if not 0 <= lambd <= _MOST_OF_ALL:
            check_lambd(input, lambd)
    except TypeError:
        if is_number(lambd):
            lambd = check_lambd(input, lambd)
    return softshrink_row(input, lambd, out=out)


_MOST_OF_ALL = finfo(dtypes.float16).max  # which every floating dtype can hold


def check_lambd(input: Any, lambd: Any) -> float:
    """`lambd` as a float. RuntimeError in torch's words where it is negative or more than the dtype
    can hold."""
    lambd = float(fitted(lambd, dtypes.float64))
    kind = input.dtype
    most = finfo(kind).max if kind.is_floating_point else math.inf
    if kind.is_floating_point and not 0 <= lambd <= most:
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {kind.scalar_name}, but found "
            f"{lambd:g}"
        )
    return lambd


softshrink_backward = operator(
    "softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
    node="SoftshrinkBackwardBackward0",
    forward=kernels.shrink_backward,
    kernel="shrink_backward_cpu",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self, lambd: F.softshrink_backward(grad, self, lambd),
    self=lambda F, grad: F.zeros_like(grad),
    result=linear_in_gradient,
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)

hardshrink = unary(
    "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
    doc="""x, but 0 where |x| is at most lambd.

    Args:
        input: floating, of any shape.
        lambd: the magnitude up to which elements become 0.
        out: the tensor that the result is written into.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers.

    As torch.nn.functional.hardshrink (ATen/native/Activation.cpp).
    """,
    converts={"lambd": "scalar_t"},
    node="HardshrinkBackward0",
    forward=kernels.hardshrink,
    dtype="same",
    check=floating("hardshrink_cpu"),
    self=lambda F, grad, self, lambd: F.hardshrink_backward(grad, self, lambd),
    result=ELEMENTWISE,
    variants=("out",),
    out=Out(FOUND),
)

hardshrink_backward = operator(
    "hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
    node="HardshrinkBackwardBackward0",
    forward=lambda xp, grad_out, self, lambd: kernels.shrink_backward(xp, grad_out, self, lambd),
    kernel="shrink_backward_cpu",
    knows=FLOATING | HALVES,
    grad_out=lambda F, grad, self, lambd: F.hardshrink_backward(grad, self, lambd),
    self=lambda F, grad: F.zeros_like(grad),
    result=lambda call, grad_out_t: call(grad_out=grad_out_t),
    on=("F",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)


def prelu_forward(xp: Any, self: Any, weight: Any) -> Any:
    require_floating("prelu_cpu", self)
    if not self.size:
        return kernels.empty_like(xp, self)
    return kernels.sloped(xp, self, weight)


_prelu_kernel = operator(
    "_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
    node="PreluKernelBackward0",
    forward=prelu_forward,
    inputs=lambda F, grad, self, weight: F._prelu_kernel_backward(grad, self, weight),
    result=lambda F, self_p, self_t, weight_p, weight_t: F.where(
        self_p >= 0, self_t, weight_p * self_t + weight_t * self_p
    ),
    on=("function",),
    elementwise=True,
    vmap=BROADCASTS,
)


def prelu_backward_forward(xp: Any, grad_output: Any, self: Any, weight: Any) -> Any:
    require_floating("prelu_backward_cpu", self)
    return kernels.prelu_backward(xp, grad_output, self, weight)


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
    forward=prelu_backward_forward,
    inputs=prelu_double_backward,
    result=(
        lambda F, grad_output_p, grad_output_t, self_p, weight_p, weight_t: F.where(
            self_p >= 0, grad_output_t, grad_output_t * weight_p + grad_output_p * weight_t
        ),
        lambda F, grad_output_p, grad_output_t, self_p, self_t: F.masked_fill(
            grad_output_p * self_t + grad_output_t * self_p, self_p >= 0, 0
        ),
    ),
    on=("F",),
    elementwise=True,
)


@composite("prelu", on=("function",))
@overloads("Tensor input, Tensor weight")
def prelu(input: Any, weight: Any) -> Any:
    """x where positive, else weight * x, one weight for all or one for each channel.

    Args:
        input: floating, (N, C, ...), or of one dimension or none, which have one channel.
        weight: of the dtype of `input`: one number, or (C,).

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for a weight of another dtype, size or number of dimensions.
        NotImplementedError: for integers.

    He et al., Delving Deep into Rectifiers, https://arxiv.org/abs/1502.01852.
    As ATen/native/Activation.cpp (prelu).
    """
    rank, count = input.dim(), weight.numel()
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            "prelu: Type promoting not supported. Got "
            f"{input.dtype.scalar_name} and {weight.dtype.scalar_name}"
        )
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
        weight = weight.reshape([1, count, *[1] * (rank - 2)] if rank > 1 else [count])
    return _prelu_kernel(input, weight)


@composite("prelu", on=("method",))
@overloads("Tensor weight")
def prelu_method(self: Any, weight: Any) -> Any:
    """prelu as a method of Tensor."""
    return prelu(self, weight)


def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """leaky_relu, written into `input`.

    Args:
        input: floating, of any shape.
        negative_slope: the factor of what is not positive.

    Returns:
        `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.leaky_relu_ (ATen/native/Activation.cpp).
    """
    return store("leaky_relu_", leaky_relu_result, input, ((negative_slope,), {}))


# Not a method of Tensor: nn.functional alone calls it.
hardtanh_ = inplace_of(hardtanh.row)
