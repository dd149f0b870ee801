"""Losses of two tensors of one shape: mse_loss, kl_div, binary_cross_entropy and their kin.

`reduction` is ATen's number here: 0 none, 1 mean, 2 sum; minitorch.nn.functional takes the words.
"""

from __future__ import annotations

from math import prod
from typing import Any

from minitorch.aten.creation.copies import laid_out, strides_in
from minitorch.aten.elementwise.activation import require_floating
from minitorch.aten.in_formulas import after, is_seen
from minitorch.core.arrays import layout, namespace, summation
from minitorch.core.arrays import loss as kernels
from minitorch.core.arrays.questions import largest_of, least_of
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.arrays.softmax import MEAN, SUM
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import GradMode
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.expose import watchable
from minitorch.core.declare.families import operator
from minitorch.core.declare.out import FOUND, Out, check_castable
from minitorch.core.declare.row import ELEMENTWISE, LOSS
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.out_rules import unbroadcast
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES, INTEGRAL
from minitorch.core.numbers.promotion import promote_types

_SINGLE, _DOUBLE = dtypes.float32.numpy, dtypes.float64.numpy

# ---- between two tensors of one shape


def promoted(kernel: str, self: Any, target: Any) -> tuple[Any, Any]:
    """Both arrays in their common dtype. NotImplementedError in ATen's words if it is no float."""
    if self.dtype != target.dtype:
        common = promote_types(dtypes.of(self), dtypes.of(target)).numpy
        self, target = self.astype(common, copy=False), target.astype(common, copy=False)
    require_floating(kernel, self)
    if self.shape != target.shape:
        layout.broadcast(self.shape, target.shape)
    return self, target


def check_written(out: Any, other: Any) -> None:
    """RuntimeError in torch's words unless what comes of both can be written into `out`."""
    if other.shape != out.shape:
        shape = layout.broadcast(out.shape, other.shape)
        if shape != out.shape:
            raise unbroadcast(out.shape, shape)
    if other.dtype == out.dtype:
        return
    kind = dtypes.of(out)
    check_castable("", promote_types(kind, dtypes.of(other)), kind)


def multiplied(x: Any, by: Any) -> Any:
    """`x` times `by` as if written into `x`, with the errors of mul_."""
    check_written(x, by)
    product = x * by
    return product if product.dtype == x.dtype else product.astype(x.dtype)


def mse_loss_forward(xp: Any, self: Any, target: Any, reduction: int) -> Any:
    kind = self.dtype
    if (
        reduction == MEAN
        and kind is target.dtype
        and (kind is _SINGLE or kind is _DOUBLE)
        and self.shape == target.shape
        and self.flags.c_contiguous
        and target.flags.c_contiguous
    ):  # the loss of a training step, 2 us sooner
        losses = xp.subtract(self, target, out=...)
        return summation.mean(xp, xp.multiply(losses, losses, out=losses))
    losses = kernels.squared_error(xp, *promoted("mse_cpu", self, target))
    losses = layout.in_torch_layout(xp, xp.as_array(losses), (self, target))
    return kernels.reduced(xp, losses, reduction)


mse_loss = operator(
    "mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
    node="MseLossBackward0",
    forward=mse_loss_forward,
    self=lambda F, grad, self, target, reduction: F.mse_loss_backward(
        grad, self, target, reduction
    ),
    target=lambda F, grad, self, target, reduction: F.mse_loss_backward(
        grad, target, self, reduction
    ),
    result=LOSS,
    variants=("out",),
    on=("F",),
    vmap=VMap("loss"),
)


def mse_double_backward(grad: Any, reduction: int) -> Any:
    scale = 2 / max(prod(grad.shape), 1) if reduction == MEAN else 2.0
    return grad * scale


def mse_loss_backward_of_formulas(grad_output: Any, self: Any, target: Any, reduction: int) -> Any:
    """The kernel, 1 us sooner for the loss of a training step."""
    xp, kind = namespace(self), self.dtype
    if (
        reduction == MEAN
        and (kind is _SINGLE or kind is _DOUBLE)
        and kind is target.dtype
        and grad_output.ndim == 0
        and self.shape == target.shape
        and self.flags.c_contiguous
        and target.flags.c_contiguous
        and self.size
    ):
        out = xp.subtract(self, target, out=...)
        xp.multiply(out, scalar_like(2 / out.size, kind, xp), out)
        return xp.multiply(out, grad_output, out)
    return kernels.squared_error_backward(xp, grad_output, self, target, reduction)


mse_loss_backward = operator(
    "mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
    node="MseLossBackwardBackward0",
    forward=kernels.squared_error_backward,
    kernel="mse_backward_cpu_out",
    knows=INTEGRAL | FLOATING | HALVES,
    grad_output=lambda F, grad, self, target, reduction: F.mse_loss_backward(
        grad, self, target, reduction
    ),
    self=lambda F, grad, grad_output, self, reduction: mse_double_backward(
        grad * grad_output, reduction
    ),
    target=lambda F, grad, grad_output, target, reduction: (
        -mse_double_backward(grad * grad_output, reduction)
    ),
    result=ELEMENTWISE,
    on=("F",),
    raw=mse_loss_backward_of_formulas,
    vmap=VMap("loss_backward"),
)


def smooth_l1_loss_forward(xp: Any, self: Any, target: Any, reduction: int, beta: float) -> Any:
    self, target = promoted("smooth_l1_cpu", self, target)
    return kernels.reduced(xp, kernels.smooth_l1(xp, self, target, beta), reduction)


smooth_l1_loss_row = operator(
    "smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor",
    node="SmoothL1LossBackward0",
    forward=smooth_l1_loss_forward,
    self=lambda F, grad, self, target, reduction, beta: F.smooth_l1_loss_backward(
        grad, self, target, reduction, beta
    ),
    target=lambda F, grad, self, target, reduction, beta: F.smooth_l1_loss_backward(
        grad, target, self, reduction, beta
    ),
    result=LOSS,
    variants=("out",),
    on=("F",),
    vmap=VMap("loss"),
)


def smooth_l1_loss(input: Any, target: Any, reduction: int = MEAN, beta: float = 1.0) -> Any:
    """Half the squared error over beta where the error is below beta, else the error less beta/2.

    As ATen/native/Loss.cpp (smooth_l1_loss).
    """
    if not beta >= 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return (
        l1_loss(input, target, reduction)
        if beta == 0
        else smooth_l1_loss_row(input, target, reduction, float(beta))
    )


def within(F: Any, grad: Any, self: Any, target: Any, limit: float) -> Any:
    """`grad` where self and target differ by less than `limit`, else 0."""
    return grad * F.type_as(F.abs(self - target) < limit, grad)


def smooth_l1_double_backward(
    F: Any, grad: Any, self: Any, target: Any, reduction: int, beta: float
) -> Any:
    return shared(within(F, grad, self, target, beta) / beta, None, self, reduction)


smooth_l1_loss_backward = operator(
    "smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction,"
    " float beta) -> Tensor",
    node="SmoothL1LossBackwardBackward0",
    forward=kernels.smooth_l1_backward,
    kernel="smooth_l1_backward_cpu_out",
    knows=INTEGRAL | FLOATING | HALVES,
    grad_output=lambda F, grad, self, target, reduction, beta: F.smooth_l1_loss_backward(
        grad, self, target, reduction, beta
    ),
    self=lambda F, grad, grad_output, self, target, reduction, beta: smooth_l1_double_backward(
        F, grad * grad_output, self, target, reduction, beta
    ),
    target=lambda F, grad, grad_output, self, target, reduction, beta: (
        -smooth_l1_double_backward(F, grad * grad_output, self, target, reduction, beta)
    ),
    result=ELEMENTWISE,
    on=("F",),
    vmap=VMap("loss_backward"),
)


def huber_loss_forward(xp: Any, self: Any, target: Any, reduction: int, delta: float) -> Any:
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    dtype = self.dtype
    if target.dtype != dtype:
        check_written(self, target)
    losses = kernels.huber(xp, *promoted("huber_cpu", self, target), delta)
    losses = losses.astype(dtype, copy=False)
    if losses.shape == self.shape:  # torch writes into empty_like(self)
        losses = laid_out(xp, losses, strides_in(self, None))
    return kernels.reduced(xp, losses, reduction)


huber_loss = operator(
    "huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor",
    node="HuberLossBackward0",
    forward=huber_loss_forward,
    self=lambda F, grad, self, target, reduction, delta: F.huber_loss_backward(
        grad, self, target, reduction, delta
    ),
    target=lambda F, grad, self, target, reduction, delta: F.huber_loss_backward(
        grad, target, self, reduction, delta
    ),
    result=LOSS,
    variants=("out",),
    on=("F",),
    vmap=VMap("loss"),
)


def huber_double_backward(
    F: Any, grad: Any, self: Any, target: Any, reduction: int, delta: float
) -> Any:
    return shared(within(F, grad, self, target, delta), None, self, reduction)


huber_loss_backward = operator(
    "huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction,"
    " float delta) -> Tensor",
    node="HuberLossBackwardBackward0",
    forward=kernels.huber_backward,
    kernel="huber_backward_cpu_out",
    knows=FLOATING | HALVES,
    grad_output=lambda F, grad, self, target, reduction, delta: F.huber_loss_backward(
        grad, self, target, reduction, delta
    ),
    self=lambda F, grad, grad_output, self, target, reduction, delta: huber_double_backward(
        F, grad * grad_output, self, target, reduction, delta
    ),
    target=lambda F, grad, grad_output, self, target, reduction, delta: (
        -huber_double_backward(F, grad * grad_output, self, target, reduction, delta)
    ),
    on=("F",),
    vmap=VMap("huber_loss_backward"),
)


def check_int(number: Any) -> None:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError  # worded by the signature


def reduce(losses: Any, reduction: int) -> Any:
    """The losses as they are, or their mean or sum. TypeError unless `reduction` is an int."""
    if reduction == MEAN and reduction is not True:
        return OPS.mean(losses)
    check_int(reduction)
    return OPS.sum(losses) if reduction == SUM else losses


def l1_loss(input: Any, target: Any, reduction: int = MEAN) -> Any:
    """The absolute error. As ATen/native/Loss.cpp (l1_loss)."""
    return reduce(OPS.abs(input - target), reduction)


def kl_div(input: Any, target: Any, reduction: int = MEAN, log_target: bool = False) -> Any:
    """target * (log(target) - input). As ATen/native/Loss.cpp (kl_div).

    Args:
        input: log-probabilities.
        target: probabilities, or their logarithms if `log_target`.
    """
    fits = isinstance(input, TensorBase) and isinstance(target, TensorBase)
    if not fits or type(log_target) is not bool:
        refuse_handed("torch.kl_div", input, target, reduction, log_target=log_target)
    kinds = input.dtype, target.dtype
    if any([kind.is_complex for kind in kinds]):
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if not all([kind.is_floating_point for kind in kinds]):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    # Compiled C++ has what stands on the right first: under create_graph it is the nodes' age.
    if log_target:
        difference = target - input
        losses = OPS.exp(target) * difference
    else:
        product = target * input
        losses = OPS.xlogy(target, target) - product
    return reduce(losses, reduction)


# ---- probabilities


def binary_cross_entropy_forward(
    xp: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    if target.dtype != self.dtype:
        raise RuntimeError(
            f"Found dtype {dtypes.of(target).scalar_name} but expected "
            f"{dtypes.of(self).scalar_name}"
        )
    require_floating("binary_cross_entropy", self)
    for name, x in (("input", self), ("target", target)):
        if x.size and not (least_of(x) >= 0 and largest_of(x) <= 1):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    losses = kernels.binary_cross_entropy(xp, self, target)
    losses = losses if weight is None else multiplied(losses, weight)
    return kernels.reduced(xp, laid_out(xp, losses, strides_in(self, None)), reduction)


def shared(grad: Any, weight: Any, self: Any, reduction: int) -> Any:
    """A gradient times the weight of its element, over their number where the loss is a mean."""
    if weight is not None:
        grad = grad * weight
    if reduction != MEAN:
        return grad
    count = max(prod(self.shape), 1)
    return grad.div_(count) if isinstance(grad, TensorBase) and is_seen(OPS, grad) else grad / count


binary_cross_entropy = operator(
    "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean)"
    " -> Tensor",
    node="BinaryCrossEntropyBackward0",
    forward=binary_cross_entropy_forward,
    self=lambda F, grad, self, target, weight, reduction: F.binary_cross_entropy_backward(
        grad, self, target, weight, reduction
    ),
    target=lambda F, grad, self, target, weight, reduction: shared(
        after(F, "neg", F.logit(self)) * grad, weight, self, reduction
    ),
    result=LOSS,
    variants=("out",),
    on=("F",),
    elementwise=True,
    out=Out(FOUND),
    vmap=VMap("loss", numbers=True),
)


def binary_cross_entropy_backward_forward(
    xp: Any, grad_output: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    out = kernels.binary_cross_entropy_backward(xp, grad_output, self, target)
    out = xp.as_array(shared(out, weight, self, reduction))
    return laid_out(xp, out, strides_in(self, None))


_TINY = 1e-12


def binary_cross_entropy_double_backward(
    grad: Any, grad_output: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    likely, unlikely = self + _TINY, 1 - self + _TINY
    curve = (self * self - 2 * self * target + target) / (likely**2 * unlikely**2)
    return shared(curve * (grad * grad_output), weight, self, reduction)


def binary_cross_entropy_double_backward_grad_output(
    grad: Any, self: Any, target: Any, weight: Any, reduction: int
) -> Any:
    slope = (self - target) / ((self + _TINY) * (1 - self + _TINY))
    return shared(slope * grad, weight, self, reduction)


def binary_cross_entropy_double_backward_target(
    F: Any, grad: Any, grad_output: Any, self: Any, weight: Any, reduction: int
) -> Any:
    product = (1 - self) * self
    if F is RAW:
        product = F.clamp_min(product, _TINY)
    else:
        with GradMode(False):  # torch limits it behind autograd's back
            product.clamp_min_(_TINY)
    both = -grad * grad_output
    both = both if weight is None else both * weight
    return shared(both / product, None, self, reduction)


binary_cross_entropy_backward = operator(
    "binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target,"
    " Tensor? weight=None, int reduction=Mean) -> Tensor",
    node="BinaryCrossEntropyBackwardBackward0",
    forward=binary_cross_entropy_backward_forward,
    kernel="binary_cross_entropy_backward",
    knows=FLOATING | HALVES,
    grad_output=binary_cross_entropy_double_backward_grad_output,
    self=binary_cross_entropy_double_backward,
    target=binary_cross_entropy_double_backward_target,
    result=ELEMENTWISE,
    on=("F",),
    elementwise=True,
    vmap=VMap("loss_backward"),
)


def bce_with_logits_forward(
    xp: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int
) -> Any:
    likely, _ = RAW.log_sigmoid_forward(self)
    if pos_weight is not None:
        if pos_weight.dtype.kind == "b":
            raise RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                "trying to invert a mask, use the `~` or `logical_not()` operator instead."
            )
        layout.broadcast(pos_weight.shape, target.shape)
        likely = multiplied(likely, (pos_weight - 1) * target + 1)
    if target.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    check_written(target, self)
    losses = ((1 - target) * self - likely).astype(target.dtype, copy=False)  # halves: step by step
    losses = losses if weight is None else multiplied(losses, weight)
    return kernels.reduced(xp, laid_out(xp, losses, strides_in(target, None)), reduction)


def bce_with_logits_backward(
    F: Any, grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int
) -> Any:
    if F is RAW:
        xp = namespace(self)
        slope = kernels.bce_with_logits_slope(xp, self, target, grad, weight, pos_weight)
        return shared(slope, None, self, reduction)
    if pos_weight is None:
        slope = F.sigmoid(self) - target
    else:
        positive = pos_weight * target
        slope = (positive + 1 - target) * F.sigmoid(self) - positive
    return shared(slope * grad, weight, self, reduction)


def bce_with_logits_target_backward(
    F: Any, grad: Any, self: Any, target: Any, weight: Any, pos_weight: Any, reduction: int
) -> Any:
    slope = -self  # `target` is saved for this as well
    if pos_weight is not None:
        slope = F.log_sigmoid_forward(slope)[0] - F.log_sigmoid_forward(self)[0] * pos_weight
    return shared(slope * grad, weight, self, reduction)


binary_cross_entropy_with_logits = operator(
    "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None,"
    " Tensor? pos_weight=None, int reduction=Mean) -> Tensor",
    node="BinaryCrossEntropyWithLogitsBackward0",
    forward=bce_with_logits_forward,
    self=bce_with_logits_backward,
    target=bce_with_logits_target_backward,
    result=LOSS,
    on=("F",),
    elementwise=True,
    real_gradients=True,
)


for _name in ("kl_div", "l1_loss"):
    watchable(_name, globals()[_name])
