"""Losses between two arrays of one shape, and their gradients.

Element-wise first, then reduced in torch's order of additions. Half types are computed in float32,
rounded, and reduced. softmax.py has the negative log-likelihood.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import summation
from minitorch.core.arrays.activation import bounded, elementwise, log1p, sigmoid, widened
from minitorch.core.arrays.blocks import beside_number, in_blocks
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.arrays.softmax import MEAN, SUM


def reduced(xp: Any, losses: Any, reduction: int) -> Any:
    """The losses as they are, or their mean or sum."""
    losses = xp.as_array(losses)
    if losses.ndim > 1 and reduction and not losses.flags.c_contiguous:
        losses = losses.transpose(sorted(range(losses.ndim), key=lambda i: -losses.strides[i]))
    if reduction == MEAN:
        return summation.mean(xp, losses)
    return summation.sum(xp, losses) if reduction == SUM else losses


def share(x: Any, reduction: int) -> float:
    """The weight of one element's loss in the reduced loss."""
    return 1 / x.size if reduction == MEAN and x.size else 1.0


def squared_error(xp: Any, self: Any, target: Any) -> Any:
    difference = widened(lambda xp, x, y: xp.subtract(x, y, out=...))(xp, self, target)
    return widened(lambda xp, x: xp.multiply(x, x, out=...))(xp, difference)


@widened
def squared_error_backward(
    xp: Any, grad_output: Any, self: Any, target: Any, reduction: int
) -> Any:
    out = xp.as_array(xp.subtract(self, target, order="C"))
    out *= scalar_like(2 * share(out, reduction), out.dtype, xp)
    if grad_output.ndim == 0:
        out *= grad_output
        return out
    return out * grad_output


@elementwise
def smooth_l1(xp: Any, self: Any, target: Any, beta: float) -> Any:
    if beta == 1:
        return _huber(xp, self, target, 1)
    z = xp.abs(self - target)
    square = 0.5 * z
    square *= z
    square /= beta
    return xp.where(z < beta, square, z - 0.5 * beta)


@widened
def smooth_l1_backward(
    xp: Any, grad_output: Any, self: Any, target: Any, reduction: int, beta: float
) -> Any:
    x = self - target
    norm = share(x, reduction)
    if beta == 1:
        return _slope_within_one(xp, x, norm, grad_output)
    within = norm * x * grad_output / beta if beta else x
    out = xp.where(x <= -beta, -norm * grad_output, xp.where(x >= beta, norm * grad_output, within))
    return xp.asarray(out, order="C")


@elementwise
def huber(xp: Any, self: Any, target: Any, delta: float) -> Any:
    return _huber(xp, self, target, delta)


@in_blocks
def _huber(xp: Any, self: Any, target: Any, delta: float) -> Any:
    """c (z - c / 2) for the distance z and the smaller one c of z and delta: z^2 / 2 up to delta,
    then delta (z - delta / 2), with no choice between the two."""
    z = xp.subtract(self, target, out=...)
    z = xp.abs(z, out=z)
    c = beside_number(xp, xp.minimum, scalar_like(delta, z.dtype, xp), z)
    z -= c * scalar_like(0.5, z.dtype, xp)
    z *= c
    return z


def _slope_within_one(xp: Any, x: Any, norm: float, grad_output: Any) -> Any:
    """norm * x * grad_output with `x` kept between -1 and 1, C-contiguous."""
    out = bounded(xp, x, -1, 1)
    out = out if norm == 1 else xp.multiply(out, norm, out=out)
    return xp.multiply(out, grad_output, order="C", out=...)


@widened
def huber_backward(
    xp: Any, grad_output: Any, self: Any, target: Any, reduction: int, delta: float
) -> Any:
    x = self - target
    norm = share(x, reduction)
    if delta == 1:
        return _slope_within_one(xp, x, norm, grad_output)
    beyond = norm * grad_output * delta
    out = xp.where(x <= -delta, -beyond, xp.where(x >= delta, beyond, norm * x * grad_output))
    return xp.asarray(out, order="C")


@widened
def binary_cross_entropy(xp: Any, self: Any, target: Any) -> Any:
    """Logarithms are held above -100."""
    missed = xp.maximum(log1p(xp, -self), -100)
    return (target - 1) * missed - target * xp.maximum(xp.elementary.log(xp.as_array(self)), -100)


_TINY = 9.999999960041972e-13  # 1e-12 as float32: ATen's kernel holds it so, for doubles too


@widened
def binary_cross_entropy_backward(xp: Any, grad_output: Any, self: Any, target: Any) -> Any:
    return grad_output * (self - target) / xp.maximum((1 - self) * self, _TINY)


@elementwise
def bce_with_logits_slope(
    xp: Any, self: Any, target: Any, grad_output: Any, weight: Any, pos_weight: Any
) -> Any:
    """The gradient of the binary cross entropy of sigmoid(self) and target."""
    slope = sigmoid(xp, self)
    if pos_weight is None:
        slope = slope - target
    else:
        positive = pos_weight * target
        slope = (positive + 1 - target) * slope - positive
    slope = slope * grad_output
    return slope if weight is None else slope * weight
