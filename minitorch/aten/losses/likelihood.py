"""Losses of chances and classes: nll_loss, cross_entropy.

`reduction` is ATen's number here: 0 none, 1 mean, 2 sum; minitorch.nn.functional takes the words.
"""

from __future__ import annotations

from math import inf, nan, prod
from typing import Any

from minitorch.aten.elementwise.activation import require_floating
from minitorch.aten.elementwise.arithmetic import div_by_number, mul_by_number
from minitorch.aten.layers.softmax import _log_softmax
from minitorch.core.arrays import softmax as kernels
from minitorch.core.arrays.softmax import MEAN, NONE, SUM
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.expose import watchable
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import EXACT, Out, declare_out
from minitorch.core.declare.row import LINEAR, linear_in_gradient
from minitorch.core.declare.vmap import VMap
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES


def check_classes(self: Any, target: Any, weight: Any) -> None:
    """The checks of ATen/native/LossNLL.cpp."""
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    check_target(target)
    if self.ndim == 1 and target.ndim == 1 and target.size != 1:
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {target.size}"
        )
    if weight is not None and (weight.ndim != 1 or weight.size != self.shape[-1]):
        raise RuntimeError(
            f"weight tensor should be defined either for all {self.shape[-1]} classes or no "
            f"classes but got weight tensor of shape: {list(weight.shape)}"
        )
    check_kernel(self, weight)


def check_target(target: Any) -> None:
    """RuntimeError for targets that are no classes."""
    if target.dtype.char not in "lqB":
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {dtypes.of(target).scalar_name}"
        )


def check_kernel(self: Any, weight: Any) -> None:
    """RuntimeError unless the kernels take the dtypes of the input and of the weights."""
    images = self.ndim == 4
    require_floating("nll_loss2d_forward_out_frame" if images else "nll_loss_out_frame", self)
    if weight is not None and weight.dtype != self.dtype:
        raise RuntimeError(
            f"expected scalar type {dtypes.of(self).scalar_name} but found "
            f"{dtypes.of(weight).scalar_name}"
        )


def nll_loss_forward_forward(
    xp: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int
) -> Any:
    check_classes(self, target, weight)
    return kernels.nll_loss(xp, self, target, weight, reduction, ignore_index)


def nll_loss2d_forward_forward(
    xp: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int
) -> Any:
    if target.ndim != 3:
        raise RuntimeError(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
            f"{target.ndim}"
        )
    check_target(target)
    if weight is not None and weight.size != self.shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if (self.shape[0], *self.shape[2:]) != target.shape:
        raise RuntimeError(
            f"size mismatch (got input: {list(self.shape)} , target: {list(target.shape)}"
        )
    check_kernel(self, weight)
    return kernels.nll_loss(xp, self, target, weight, reduction, ignore_index)


def _likelihood_rows(name: str, node: str, forward: Any) -> Any:
    """The rows of nll_loss or nll_loss2d, which differ in their shapes alone."""
    row = operator(
        f"{name}_forward(Tensor self, Tensor target, Tensor? weight, int reduction,"
        " SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
        node=f"{node}Backward0",
        forward=forward,
        self=lambda F, grad, self, target, weight, reduction, ignore_index, total_weight: getattr(
            F, f"{name}_backward"
        )(grad, self, target, weight, reduction, ignore_index, total_weight),
        result=LINEAR,
        differentiable=(True, False),
        on=("F",),
        vmap=VMap("nll_loss"),
    )
    operator(
        f"{name}_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight,"
        " int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
        node=f"{node}BackwardBackward0",
        forward=likelihood_backward,
        kernel=f"{name}_backward_out_frame",
        knows=FLOATING | HALVES,
        grad_output=lambda F, grad, target, weight, reduction, ignore_index: getattr(
            F, f"{name}_forward"
        )(grad, target, weight, reduction, ignore_index)[0],
        result=linear_in_gradient,
        self=lambda F, grad: F.zeros_like(grad),
        on=("F",),
        vmap=VMap("nll_loss_backward"),
    )
    return row


def likelihood_backward(
    xp: Any,
    grad_output: Any,
    self: Any,
    target: Any,
    weight: Any,
    reduction: int,
    ignore_index: int,
    total_weight: Any,
) -> Any:
    return kernels.nll_loss_backward(
        xp, grad_output, self, target, weight, reduction, ignore_index, total_weight
    )


nll_loss_forward = _likelihood_rows("nll_loss", "NllLoss", nll_loss_forward_forward)
nll_loss2d_forward = _likelihood_rows("nll_loss2d", "NllLoss2D", nll_loss2d_forward_forward)


def nll_loss_1d(*args: Any) -> Any:
    """The loss of (N, C) or (C,); with a name of its own, as autocast casts for it."""
    return nll_loss_forward(*args)[0]


def nll_loss_2d(*args: Any) -> Any:
    """The loss of (N, C, H, W); with a name of its own, as autocast casts for it."""
    return nll_loss2d_forward(*args)[0]


watchable("nll_loss", nll_loss_1d)
declare_out("nll_loss", Out(EXACT))
watchable("nll_loss2d", nll_loss_2d)


@composite("nll_loss_nd", on=())
def nll_loss(
    input: Any, target: Any, weight: Any = None, reduction: int = MEAN, ignore_index: int = -100
) -> Any:
    """Minus the log-probabilities `input` at the classes `target`.

    Args:
        input: (C,), (N, C) or (N, C, *image).
        target: classes: (), (N,) or (N, *image).
        weight: (C,) or None.
        ignore_index: the class that counts nothing.

    As ATen/native/LossNLL.cpp (nll_loss_nd).
    """
    shape, wanted = input._array.shape, target._array.shape
    rank = len(shape)
    if rank == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if rank != 1 and (not wanted or shape[0] != wanted[0]):
        got = wanted[0] if wanted else 0
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({got})."
        )
    if rank <= 2:
        return nll_loss_1d(input, target, weight, reduction, ignore_index)
    if rank == 4:
        return nll_loss_2d(input, target, weight, reduction, ignore_index)
    n, classes, *image = shape
    if list(wanted[1:]) != image:
        raise RuntimeError(f"Expected target size {[n, *image]}, got {list(wanted)}")
    input, target = input.contiguous(), target.contiguous()
    flat = input.view(n, classes, *((1, -1) if input._array.size else (0, 0)))
    flat_target = target.view(n, *((1, -1) if target._array.size else (0, 0)))
    out = nll_loss_2d(flat, flat_target, weight, reduction, ignore_index)
    return out.view(n, *image) if reduction == NONE else out


@composite("cross_entropy_loss", on=())
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: int = MEAN,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    """The cross entropy of softmax(input) and `target`, classes or probabilities of classes.

    Args:
        input: logits, (C,), (N, C) or (N, C, *image).
        target: classes: (), (N,) or (N, *image); or probabilities, of input's shape.
        weight: (C,) or None.
        label_smoothing: how much of the target is spread over all classes, in [0, 1].

    As ATen/native/LossNLL.cpp (cross_entropy_loss).
    """
    axis = 0 if input._array.ndim == 1 else 1
    if input._array.shape == target._array.shape:
        check_probabilities(input, target, weight, ignore_index, label_smoothing, axis)
        return entropy_of_probabilities(input, target, weight, reduction, label_smoothing, axis)
    if label_smoothing > 0:
        check_smoothing(label_smoothing)
        return smoothed_entropy(
            input, target, weight, reduction, ignore_index, label_smoothing, axis
        )
    return nll_loss(_log_softmax(input, axis, False), target, weight, reduction, ignore_index)


def check_smoothing(label_smoothing: float) -> None:
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")


def check_probabilities(
    input: Any, target: Any, weight: Any, ignore_index: int, label_smoothing: float, axis: int
) -> None:
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            f"{target.dtype.scalar_name}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    classes = input._array.shape[axis]
    if weight is not None and (weight.dim() != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or "
            f"no classes but got weight tensor of shape: {list(weight._array.shape)}"
        )
    check_smoothing(label_smoothing)


def share_of_each(label_smoothing: float, classes: int) -> float:
    """The share of the target that each class gets."""
    return label_smoothing / classes if classes else inf


def along(weight: Any, rank: int, axis: int) -> Any:
    """The weight of each class, to be multiplied with a tensor that has its classes on `axis`."""
    return weight.view(*[weight.numel() if i == axis else 1 for i in range(rank)])


def entropy_of_probabilities(
    input: Any, target: Any, weight: Any, reduction: int, label_smoothing: float, axis: int
) -> Any:
    shape = input._array.shape
    likely = _log_softmax(input, axis, False)
    if label_smoothing > 0:
        share = share_of_each(label_smoothing, shape[axis])
        target = OPS.add_Scalar(mul_by_number(target, 1 - label_smoothing), share)
    if weight is not None and len(shape) > 1:
        weight = along(weight, len(shape), axis)
    terms = likely * target
    if weight is not None:
        terms = terms * weight
    if reduction == NONE:
        return -OPS.sum(terms, axis)
    total = OPS.sum(terms)
    if reduction == SUM:
        return -total
    if not prod(shape):
        return -total.fill_(nan)
    return div_by_number(-total, prod(shape) // shape[axis])


def smoothed_entropy(
    input: Any,
    target: Any,
    weight: Any,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
    axis: int,
) -> Any:
    shape = input._array.shape
    likely = _log_softmax(input, axis, False)
    loss = nll_loss(likely, target, weight, reduction, ignore_index)
    spread = likely if weight is None else likely * along(weight, len(shape), axis)
    smooth = -OPS.sum(spread, axis)
    ignored = target == ignore_index
    smooth = smooth.masked_fill_(ignored, 0.0)
    if reduction == SUM:
        smooth = OPS.sum(smooth)
    elif reduction == MEAN and weight is None:
        total = OPS.sum(~ignored)
        smooth = OPS.sum(smooth) / total
    elif reduction == MEAN:
        counted = OPS.gather(weight, 0, target.masked_fill(ignored, 0).flatten())
        total = OPS.sum(counted.masked_fill_(ignored.flatten(), 0))
        smooth = OPS.sum(smooth) / total
    smooth = mul_by_number(smooth, share_of_each(label_smoothing, shape[axis]))
    return mul_by_number(loss, 1 - label_smoothing) + smooth
