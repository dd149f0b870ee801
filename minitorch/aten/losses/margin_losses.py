"""Losses of classes that should win by a margin: soft_margin_loss, multi_margin_loss and their kin.

As ATen/native/Loss.cpp, LossMultiMargin.cpp and LossMultiLabelMargin.cpp. `reduction` is 0 none,
1 mean, 2 sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from minitorch.aten.creation.copies import laid_out, strides_in
from minitorch.aten.losses.loss import check_written, multiplied, shared
from minitorch.core.arrays import layout
from minitorch.core.arrays import loss as kernels
from minitorch.core.arrays.activation import exp, log1p
from minitorch.core.arrays.questions import largest_of, least_of, some
from minitorch.core.arrays.softmax import MEAN, NONE
from minitorch.core.declare.families import not_differentiable, operator
from minitorch.core.declare.out import FOUND, Out
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import LOSS
from minitorch.core.declare.vmap import WARNS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import (
    BOOL,
    FLOATING,
    HALVES,
    INTEGRAL,
    refuse_late_unsigned,
    refusing_others,
)
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.scalars import fitted

# ---- one label each


def negated(x: Any) -> Any:
    """-x. RuntimeError for bools."""
    row = ROWS["neg"]
    row.check(row, dtypes.of(x), ())
    return -x


# Raises what torch says of dtypes that have no least element.
_refuse_least = refusing_others(BOOL | INTEGRAL | FLOATING | HALVES)


def soft_margin_loss_forward(xp: Any, self: Any, target: Any, reduction: int) -> Any:
    refuse_late_unsigned(self, "neg_cpu")
    losses = multiplied(negated(self), target).astype(self.dtype, copy=False)
    if dtypes.of(self).number_kind <= Kind.INTEGER:
        check_written(self, xp.empty((), xp.float32))
    losses = laid_out(xp, log1p(xp, exp(xp, losses)), strides_in(self, None))
    return kernels.reduced(xp, losses, reduction)


soft_margin_loss = operator(
    "soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
    node="SoftMarginLossBackward0",
    forward=soft_margin_loss_forward,
    self=lambda F, grad, self, target, reduction: F.soft_margin_loss_backward(
        grad, self, target, reduction
    ),
    result=LOSS,
    variants=("out",),
    on=("F",),
    constant=("target",),
    real_gradients=True,
    out=Out(FOUND),
    vmap=WARNS,
)


def soft_margin_loss_backward_forward(
    xp: Any, grad_output: Any, self: Any, target: Any, reduction: int
) -> Any:
    z = exp(xp, negated(target) * self)
    slope = (target * z).astype(self.dtype, copy=False) * -kernels.share(self, reduction)
    slope = multiplied(slope / (z + 1), grad_output)
    slope = xp.as_array(slope.astype(self.dtype, copy=False))
    return layout.in_torch_layout(xp, slope, (target, self))


def soft_margin_double_backward(F: Any, grad: Any, self: Any, target: Any, reduction: int) -> Any:
    z = F.exp(self * -target)
    slope = z + 1
    return shared(grad * (target * target) * z / (slope * slope), None, self, reduction)


def soft_margin_double_backward_grad_output(
    F: Any, grad: Any, grad_output: Any, self: Any, target: Any, reduction: int
) -> Any:
    if reduction == NONE:
        return F.soft_margin_loss_backward(grad, self, target, reduction)
    slope = F.soft_margin_loss_backward(F.ones_like(grad_output), self, target, reduction)
    return F.sum(slope * grad)


soft_margin_loss_backward = operator(
    "soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction)"
    " -> Tensor",
    node="SoftMarginLossBackwardBackward0",
    forward=soft_margin_loss_backward_forward,
    grad_output=soft_margin_double_backward_grad_output,
    self=lambda F, grad, grad_output, self, target, reduction: soft_margin_double_backward(
        F, grad * grad_output, self, target, reduction
    ),
    on=("F",),
)

# ---- the right class against all others, and the right ones against the others


def in_rows(xp: Any, self: Any) -> Any:
    """The input as (N, C), C at least 1. RuntimeError if it is no such matrix, vector or number."""
    if self.ndim > 2 or (self.ndim and self.shape[-1] == 0):
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(self.shape)}"
        )
    return xp.ascontiguousarray(self if self.ndim == 2 else self.reshape(1, -1))


def expect_type(x: Any, kind: Any) -> None:
    if x is not None and x.dtype != kind.numpy:
        raise RuntimeError(
            f"expected scalar type {kind.scalar_name} but found {dtypes.of(x).scalar_name}"
        )


def require_float_or_double(kernel: str, x: Any) -> None:
    if x.dtype.char not in "fd":
        raise dtypes.unknown_to(kernel, x)


def added(xp: Any, terms: Any) -> Any:
    """The sums of rows, one term after another."""
    return xp.add.accumulate(terms, -1)[..., -1]


def margins_of(
    xp: Any, self: Any, target: Any, p: Any, margin: Any, weight: Any, kernel: str
) -> tuple[Any, Any, Any]:
    """(N, C) by how much each class misses the margin, 0 for the right one; where that one is; and
    the weight of each row, (N, 1) or 1."""
    if p not in (1, 2):
        raise RuntimeError("only p == 1 and p == 2 supported")
    rows = in_rows(xp, self)
    n, classes = rows.shape
    if target.ndim > 1 or target.size != n:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{n}], but got {list(target.shape)}. "
            f"Input has shape {list(self.shape)}."
        )
    if weight is not None and (weight.ndim > 1 or weight.size != classes):
        raise RuntimeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}"
        )
    if n:
        require_float_or_double(kernel, self)
        expect_type(target, dtypes.int64)
        expect_type(weight, dtypes.of(self))
    right = target.reshape(-1, 1)
    if some((right < 0) | (right >= classes)):
        raise RuntimeError("target out of range")
    margin = fitted(margin, dtypes.of(self))
    missed = self.dtype.type(margin) - xp.take_along_axis(rows, right, 1) + rows
    missed[xp.arange(n), right[:, 0]] = 0
    missed = xp.where(missed > 0, missed, missed.dtype.type(0))
    return missed, right, 1 if weight is None else weight.reshape(-1)[right]


def multi_margin_loss_forward(
    xp: Any, self: Any, target: Any, p: Any, margin: Any, weight: Any, reduction: int
) -> Any:
    missed, _, weight = margins_of(
        xp, self, target, p, margin, weight, "multi_margin_loss_cpu_kernel"
    )
    losses = added(xp, (missed if p == 1 else missed * missed) * weight)
    losses = losses / losses.dtype.type(missed.shape[1])
    return in_total(xp, losses, target.shape, reduction)


def in_total(xp: Any, losses: Any, shape: Any, reduction: int) -> Any:
    """The losses of all rows in this shape, or their mean or sum, which add up in double."""
    if reduction == NONE:
        return losses.reshape(shape)
    if not losses.size:
        return xp.zeros((), losses.dtype)
    total = added(xp, losses.astype(xp.float64))
    return xp.array(total / losses.size if reduction == MEAN else total, losses.dtype)


multi_margin_loss = operator(
    "multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1,"
    " Tensor? weight=None, int reduction=Mean) -> Tensor",
    node="MultiMarginLossBackward0",
    forward=multi_margin_loss_forward,
    self=lambda F, grad, self, target, p, margin, weight, reduction: F.multi_margin_loss_backward(
        grad, self, target, p, margin, weight, reduction
    ),
    variants=("out",),
    on=("F",),
    vmap=WARNS,
)


def multi_margin_loss_backward_forward(
    xp: Any,
    grad_output: Any,
    self: Any,
    target: Any,
    p: Any,
    margin: Any,
    weight: Any,
    reduction: int,
) -> Any:
    missed, right, weight = margins_of(
        xp, self, target, p, margin, weight, "multi_margin_loss_backward_cpu_kernel"
    )
    g = missed.dtype.type(share_of(missed, reduction))
    slopes = xp.where(missed > 0, (g if p == 1 else 2 * g * missed) * weight, missed)
    xp.put_along_axis(slopes, right, (0 - added(xp, slopes))[:, None], 1)
    return (slopes * grad_output.reshape(-1, 1)).reshape(self.shape)


def share_of(rows: Any, reduction: int) -> float:
    """The weight of one element's loss in the result."""
    return 1 / max(rows.size if reduction == MEAN else rows.shape[1], 1)


multi_margin_loss_backward = operator(
    "multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p,"
    " Scalar margin, Tensor? weight=None, int reduction=Mean) -> Tensor",
    node="NotImplemented",
    forward=multi_margin_loss_backward_forward,
    grad_output=not_differentiable("multi_margin_loss_backward"),
    self=not_differentiable("multi_margin_loss_backward"),
    on=("F",),
)


def labels_of(xp: Any, self: Any, target: Any, direction: str = "forward") -> tuple[Any, Any, Any]:
    """(N, C) each: the input, its labels up to the first -1, and which of them count."""
    rows = in_rows(xp, self)
    if target.shape != self.shape and not (
        self.ndim <= 1 >= target.ndim and target.size == rows.size
    ):
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(self.shape)}"
        )
    labels = target.reshape(rows.shape)
    if rows.size:
        _refuse_least(labels, "min_all")
        if least_of(labels) < -1 or largest_of(labels) >= rows.shape[1]:
            raise RuntimeError("argument #2 'target' is out of range")
        require_float_or_double(f"multilabel_margin_loss_{direction}_out_frame", self)
        expect_type(target, dtypes.int64)
    return rows, labels, xp.logical_and.accumulate(labels >= 0, 1)


def misses(xp: Any, rows: Any, labels: Any, counted: Any, wanted: Any) -> Any:
    """(N, C, C): by how much class k misses the margin of 1 to the j-th label, if at all."""
    right = xp.take_along_axis(rows, xp.where(counted, labels, 0), 1)
    missed = 1 - right[:, :, None] + rows[:, None, :]
    taking_part = counted[:, :, None] & (wanted[:, None, :] == 0) & (missed > 0)
    return xp.where(taking_part, missed, missed.dtype.type(0))


_MANY, _AT_ONCE = 1 << 20, 1 << 16  # pairs of a label and a class: from here on part by part


def _are_many(rows: Any) -> bool:
    return type(rows) is numpy.ndarray and rows.size * rows.shape[1] >= _MANY


def misses_by_row(rows: Any, labels: Any, counted: Any, wanted: Any) -> Iterator[Iterator[Any]]:
    """Of each row, for some of its labels after the other, (labels, classes): by how much a class
    that is no label misses the margin of 1, if at all. `misses` of 9,000 classes took 1.6 GB."""
    for row, own, are_labels in zip(rows, _labels_of(labels, counted), wanted, strict=True):
        yield _misses_of(1 - row[own], row[are_labels == 0])


def _labels_of(labels: Any, counted: Any) -> list[Any]:
    return [own[which] for own, which in zip(labels, counted, strict=True)]


def _misses_of(bounds: Any, others: Any) -> Iterator[Any]:
    step = max(_AT_ONCE // max(others.size, 1), 1)
    for start in range(0, bounds.size, step):
        missed = bounds[start : start + step, None] + others
        yield numpy.fmax(missed, 0, out=missed)  # 0 where it is no number


def _in_turn(parts: Iterator[Any]) -> Any:
    """The sum of all in double, one after another."""
    total = 0.0
    for each in parts:
        terms = numpy.empty(each.size + 1)
        terms[0], terms[1:] = total, each.reshape(-1)
        total = numpy.add.accumulate(terms, out=terms)[-1]
    return total


def _counts_by_row(rows: Any, labels: Any, counted: Any, wanted: Any) -> Any:
    """How many labels each class comes too near, and for a label, negative, how many come."""
    counts = numpy.zeros(rows.shape, numpy.int64)
    given = zip(counts, _labels_of(labels, counted), wanted, strict=True)
    for (own, right, are_labels), parts in zip(
        given, misses_by_row(rows, labels, counted, wanted), strict=True
    ):
        free, start = numpy.flatnonzero(are_labels == 0), 0
        for each in parts:
            hit = each > 0
            own[free] += hit.sum(0)
            numpy.subtract.at(own, right[start : start + len(hit)], hit.sum(1))
            start += len(hit)
    return counts


def multilabel_margin_loss_forward_forward(
    xp: Any, self: Any, target: Any, reduction: int
) -> tuple[Any, Any]:
    rows, labels, counted = labels_of(xp, self, target)
    wanted = xp.zeros(rows.shape, rows.dtype)
    row = xp.broadcast_to(xp.arange(len(rows))[:, None], rows.shape)
    wanted[row[counted], labels[counted]] = 1
    if _are_many(rows):
        losses = numpy.array(
            [_in_turn(each) for each in misses_by_row(rows, labels, counted, wanted)], rows.dtype
        )
    else:
        missed = misses(xp, rows, labels, counted, wanted).reshape(len(rows), rows.shape[1] ** 2)
        losses = added(xp, missed.astype(xp.float64)).astype(rows.dtype)
    classes = rows.dtype.type(rows.shape[1])
    if reduction == NONE and self.ndim == 2:
        return losses / classes, wanted
    total = added(xp, losses.astype(xp.float64)) / classes if losses.size else 0
    mean = reduction == MEAN and losses.size
    total = xp.array(total / losses.size if mean else total, rows.dtype)
    return total, wanted.reshape(target.shape)


multilabel_margin_loss_forward = operator(
    "multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction)"
    " -> (Tensor output, Tensor is_target)",
    node="MultilabelMarginLossBackward0",
    forward=multilabel_margin_loss_forward_forward,
    self=lambda F, grad, self, target, reduction, is_target: F.multilabel_margin_loss_backward(
        grad, self, target, reduction, is_target
    ),
    differentiable=(True, False),
    on=("F",),
)


def multilabel_margin_loss_backward_forward(
    xp: Any, grad_output: Any, self: Any, target: Any, reduction: int, is_target: Any
) -> Any:
    rows, labels, counted = labels_of(xp, self, target, "backward")
    wanted = is_target.reshape(rows.shape)
    # A class gets g once for each label that it comes too near; a label loses as much, g by g.
    if _are_many(rows):
        counts = _counts_by_row(rows, labels, counted, wanted)
    else:
        hit = misses(xp, rows, labels, counted, wanted) > 0
        counts = hit.sum(1)
        row = xp.broadcast_to(xp.arange(len(rows))[:, None], rows.shape)
        xp.subtract.at(counts, (row[counted], labels[counted]), hit.sum(2)[counted])
    most = int(largest_of(xp.abs(counts))) if counts.size else 0
    g = rows.dtype.type(share_of(rows, reduction))
    sums = xp.concatenate([xp.zeros(1, g.dtype), xp.add.accumulate(xp.full(most, g, g.dtype))])
    slopes = xp.copysign(sums[xp.abs(counts)], counts)
    return (slopes * grad_output.reshape(-1, 1)).astype(rows.dtype).reshape(self.shape)


multilabel_margin_loss_backward = operator(
    "multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target,"
    " int reduction, Tensor is_target) -> Tensor",
    node="NotImplemented",
    forward=multilabel_margin_loss_backward_forward,
    grad_output=not_differentiable("multilabel_margin_loss_backward"),
    self=not_differentiable("multilabel_margin_loss_backward"),
    on=("F",),
)


def multilabel_margin_loss(input: Any, target: Any, reduction: int = MEAN) -> Any:
    """How much each class that is no label comes too near one, the labels up to the first -1."""
    return multilabel_margin_loss_forward(input, target, reduction)[0]
