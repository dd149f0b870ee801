"""Softmax, log-softmax and the negative log-likelihood, forward and backward."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from minitorch.core.arrays import layout, summation
from minitorch.core.arrays.floating_point import is_half
from minitorch.core.arrays.missing import has_numbers
from minitorch.core.arrays.questions import every, some
from minitorch.core.arrays.scalars import ones
from minitorch.core.arrays.scatter import are_within

NONE, MEAN, SUM = 0, 1, 2  # ATen's numbers for the reductions of a loss


def softmax(xp: Any, x: Any, axis: int) -> Any:
    """exp(x) / sum(exp(x)) along `axis`, of x's dtype; half types are computed in float32.

    As ATen/native/cpu/SoftMaxKernel.cpp: the exponentials times the reciprocal of their sum. Along
    another axis than the last, they are kept as half types meanwhile.
    """
    if _has_rows(x, axis):
        if x.ndim == 1:
            # Beside an array without axes NumPy takes 0.3 us, beside one of one element 0.8.
            out = numpy.subtract(x, x[x.argmax(), ...])
            numpy.exp(out, out)
            total = out.reshape(1, -1).dot(ones(xp, x, x.size)).reshape(())
            numpy.reciprocal(total, total)
            return numpy.multiply(out, total, out)
        out = numpy.subtract(x, _maximum(xp, x, axis))
        numpy.exp(out, out)
        rows = out if x.ndim == 2 else out.reshape(-1, x.shape[-1])
        total = rows.dot(ones(xp, x, x.shape[-1]))
        numpy.reciprocal(total, total)
        numpy.multiply(rows, total[:, None], rows)
        return out
    if x.size == 0:
        return xp.empty(x.shape, x.dtype)
    if x.ndim == 0:
        return xp.asarray(x - x + 1)
    if xp.fused is not None:
        return xp.fused.softmax(x, axis)
    if is_half(x.dtype):
        return _softmax_of_halves(xp, x, axis)
    out = _exponentials(xp, x, axis)
    total = _sum(xp, out, axis)
    xp.reciprocal(total, total)
    return xp.multiply(out, total, out)


def _softmax_of_halves(xp: Any, x: Any, axis: int) -> Any:
    """softmax of half types: along another axis than the last, torch keeps exponentials as such."""
    out = _exponentials(xp, x.astype(xp.float32), axis)
    total = _sum(xp, out, axis)
    xp.reciprocal(total, total)
    if axis % x.ndim != x.ndim - 1:
        out = out.astype(x.dtype).astype(xp.float32)
    return xp.multiply(out, total, out).astype(x.dtype)


def _exponentials(xp: Any, x: Any, axis: int) -> Any:
    """exp(x - max(x)) along an axis."""
    out = xp.subtract(x, _maximum(xp, x, axis), order="C")
    return xp.exp(out, out)


def log_softmax(xp: Any, x: Any, axis: int) -> Any:
    """x - log(sum(exp(x))) along `axis`, of x's dtype; half types are computed in float32.

    As ATen/native/cpu/SoftMaxKernel.cpp, but the sum of exponentials is taken in double: nine
    tenths of float32 results then have torch's bits, against six tenths all in float32.
    """
    if xp.fused is not None and x.size and x.ndim:
        return xp.fused.softmax(x, axis, True)
    if x.size < 32768 and _has_rows(x, axis):
        # Casting first saves a third of a buffered loop, until the copy leaves the cache.
        if x.ndim == 1:
            out = numpy.subtract(x, x[x.argmax(), ...])
            wide = out.astype(_DOUBLE)
            numpy.exp(wide, wide)
            total = wide.reshape(1, -1).dot(ones(xp, wide, x.size)).reshape(())
            numpy.log(total, total)
            return numpy.subtract(out, total.astype(x.dtype), out)
        out = numpy.subtract(x, _maximum(xp, x, axis))
        wide = out.astype(_DOUBLE)
        numpy.exp(wide, wide)
        rows = out
        if x.ndim != 2:
            rows, wide = out.reshape(-1, x.shape[-1]), wide.reshape(-1, x.shape[-1])
        total = wide.dot(ones(xp, wide, x.shape[-1]))
        numpy.log(total, total)
        numpy.subtract(rows, total.astype(x.dtype)[:, None], rows)
        return out
    if is_half(x.dtype):
        return _log_softmax_of_halves(xp, x, axis)
    if x.size == 0:
        return xp.empty(x.shape, x.dtype)
    if x.ndim == 0:
        return xp.asarray(x - x)
    out = xp.subtract(x, _maximum(xp, x, axis), order="C")
    if x.size < 32768:
        wide = out.astype(xp.float64)
        xp.exp(wide, wide)
    else:
        wide = xp.exp(out, dtype=xp.float64)
    total = _sum(xp, wide, axis)
    xp.log(total, total)
    return xp.subtract(out, total.astype(x.dtype, copy=False), out)


def _log_softmax_of_halves(xp: Any, x: Any, axis: int) -> Any:
    """log_softmax of half types: torch keeps the sums along the last axis, and their logarithms,
    in the half type."""
    wide = x.astype(xp.float32, order="C")
    if axis not in (-1, x.ndim - 1) or not x.size or not x.ndim:
        return log_softmax(xp, wide, axis).astype(x.dtype)
    wide -= xp.maximum.reduce(wide, axis, keepdims=True)
    total = _sum(xp, xp.exp(wide, dtype=xp.float64), axis).astype(x.dtype)
    total = xp.log(total.astype(xp.float64)).astype(x.dtype)
    return (wide - total.astype(xp.float32)).astype(x.dtype)


def softmax_backward(xp: Any, grad: Any, output: Any, axis: int) -> Any:
    """(grad - sum(grad * output)) * output. As ATen/native/cpu/SoftMaxKernel.cpp."""
    if xp.fused is not None and _are_rows(grad, output):
        return xp.fused.softmax_backward(grad, output, axis)
    if is_half(output.dtype):
        wide = [a.astype(xp.float32) for a in (grad, output)]
        return softmax_backward(xp, *wide, axis).astype(output.dtype)
    if output.ndim == 0:
        return xp.asarray((grad - grad * output) * output)
    out = xp.multiply(grad, output, order="C")
    total = _sum(xp, out, axis)
    xp.subtract(grad, total, out=out)
    return xp.multiply(out, output, out=out)


def log_softmax_backward(xp: Any, grad: Any, output: Any, axis: int) -> Any:
    """grad - exp(output) * sum(grad). As ATen/native/cpu/SoftMaxKernel.cpp."""
    if xp.fused is not None and _are_rows(grad, output):
        return xp.fused.softmax_backward(grad, output, axis, True)
    if is_half(output.dtype):
        wide = [a.astype(xp.float32) for a in (grad, output)]
        return log_softmax_backward(xp, *wide, axis).astype(output.dtype)
    if output.ndim == 0:
        return xp.asarray(grad - xp.exp(output) * grad)
    out = xp.exp(output, order="C")
    xp.multiply(out, _sum(xp, grad, axis), out=out)
    return xp.subtract(grad, out, out=out)


def nll_loss(
    xp: Any, input: Any, target: Any, weight: Any, reduction: int, ignore_index: int
) -> tuple[Any, Any]:
    """Minus the log-probabilities at the targets, weighted by class, and the sum of the weights.

    Args:
        input: (C,), (N, C) or (N, C, *image), floating.
        target: int64 or uint8, () or (N,) or (N, *image); `ignore_index` marks what is left out.
        weight: (C,) or None.
        reduction: 0 none, 1 mean (by the weights), 2 sum.
    Returns:
        (loss, total_weight): loss of target's shape without reduction, else 0-d.
    Raises:
        IndexError: a target is no class.

    As ATen/native/LossNLL.cpp and LossNLL2d.cpp, in their order of additions.
    """
    dtype = input.dtype
    if input.ndim == 1 and reduction == NONE:
        reduction = SUM  # of one: torch gives the weight too, and no dimension
    if xp.fused is not None and input.size and not xp.fused.blocking:
        return xp.fused.nll_loss(input, target, weight, reduction, ignore_index)
    flat = target.reshape(-1)
    places, ignored = _places(xp, input.shape, target, ignore_index)
    losses = input.reshape(-1).take(places)
    count = flat.size
    if reduction == MEAN and weight is None and ignored is None and count:
        # Dividing by -n for the negation, too: the bits are the same.
        total = _cascade(xp, losses)
        return xp.divide(total, xp.array(-count, dtype), out=total), xp.array(count, dtype)
    xp.negative(losses, out=losses)
    weights = None
    if weight is not None:
        weights = weight.take(flat if ignored is None else xp.where(ignored, 0, flat))
        losses *= weights
    if ignored is not None:
        losses[ignored] = 0
        if weights is not None:
            weights[ignored] = 0
        count -= int(ignored.sum())
    if reduction == NONE:
        return losses.reshape(target.shape), xp.zeros((), dtype)
    total = _cascade(xp, losses)
    total_weight = xp.array(count, dtype) if weights is None else _cascade(xp, weights)
    if reduction == MEAN:
        if count == 0:
            total.fill(xp.nan)
        else:
            xp.divide(total, total_weight, out=total)
    return total, total_weight


def nll_loss_backward(
    xp: Any,
    grad: Any,
    input: Any,
    target: Any,
    weight: Any,
    reduction: int,
    ignore_index: int,
    total_weight: Any,
) -> Any:
    """The gradient of `nll_loss` by input: zero but at the targets.

    As ATen/native/LossNLL.cpp.
    """
    lies_otherwise = input.ndim == 4 and not input.flags.c_contiguous and has_numbers(input)
    if lies_otherwise and layout.is_dense(input.shape, layout.strides_of(input)):
        raise RuntimeError("grad_input must be contiguous")  # ATen makes it lie as the input does
    if xp.fused is not None and input.size:
        given = (grad, input, target, weight, reduction, ignore_index, total_weight)
        return xp.fused.nll_loss_backward(*given)
    out = xp.zeros(input.shape, input.dtype)
    small = target.size <= 256  # so many half types count exactly
    if (
        small
        and reduction == MEAN
        and weight is None
        and input.ndim == 2
        and (total_weight == target.size)
    ):
        # Nothing was ignored, so all targets are classes: no need to look at them again (3 us).
        if target.size:
            value = xp.divide(grad, total_weight, out=...)
            out.reshape(-1)[target + _starts(xp, target, *input.shape)] = xp.negative(
                value, out=value
            )
        return out
    places, ignored = _places(xp, input.shape, target, ignore_index)
    if ignored is not None and every(ignored):
        return out
    flat = target.reshape(-1)
    values = xp.negative(grad)
    if reduction == MEAN:
        values /= total_weight
    if reduction == NONE:
        values = values.reshape(-1)
    if weight is not None:
        values = values * weight.take(flat if ignored is None else xp.where(ignored, 0, flat))
    if ignored is not None:
        values = xp.where(ignored, xp.zeros((), out.dtype), values)
    out.reshape(-1)[places] = values
    return out


def _places(xp: Any, shape: tuple[int, ...], target: Any, ignore_index: int) -> tuple[Any, Any]:
    """Flat positions of the targets in an array of `shape`, and which are ignored (None: none)."""
    classes = shape[0] if len(shape) == 1 else shape[1]
    flat = target.reshape(-1).astype(xp.int64, copy=False)
    ignored = None
    # Seen as unsigned, negative numbers are large: one maximum finds both kinds of strangers.
    within = are_within(flat, classes)
    if not within and flat.size and xp.maximum.reduce(flat.view(xp.uint64)) >= classes:
        ignored = flat == ignore_index
        flat = xp.where(ignored, 0, flat)
        strangers = flat[flat.view(xp.uint64) >= classes]
        if strangers.size:
            raise IndexError(f"Target {int(strangers[0])} is out of bounds.")
    elif 0 <= ignore_index < classes:
        ignored = flat == ignore_index
        if not some(ignored):
            ignored = None
    if len(shape) == 1 or not flat.size:
        return flat, ignored
    pixels = 1
    for n in shape[2:]:
        pixels *= n
    if pixels == 1:
        return flat + _starts(xp, flat, shape[0], classes), ignored
    flat = flat.reshape(shape[0], pixels) * pixels
    flat += xp.arange(shape[0])[:, None] * (classes * pixels)
    flat += xp.arange(pixels)
    return flat.reshape(-1), ignored


def _cascade(xp: Any, terms: Any) -> Any:
    """The sum as the loss kernels take it: levels of running sums, the first term by itself."""
    if type(terms) is not numpy.ndarray or terms.size <= 1:
        return xp.asarray(terms.sum())
    # Two levels of 16 terms each, in a third of the time that any number of levels takes: sums of
    # 16, then these one after another, the last and incomplete one among them, and the first term.
    if terms.size <= 17:
        rest = numpy.add.accumulate(terms[1:])[-1] + _ZERO
        return numpy.array(rest + (terms[0] + _ZERO), terms.dtype)
    if terms.size <= 257:
        groups = (terms.size - 2) // 16 + 1
        rows = numpy.zeros((groups + 1, 16), terms.dtype)
        rows.reshape(-1)[: terms.size - 1] = terms[1:]
        rows[groups, 0] = terms[0]
        sums = numpy.add.accumulate(rows, 1)[:, 15]
        return numpy.array(numpy.add.accumulate(sums)[groups])
    rest = summation.running_levels(terms[1:])
    return xp.add(rest, terms[0], out=...)


_ZERO = numpy.float32(0)
_SINGLE, _DOUBLE = numpy.dtype("float32"), numpy.dtype("float64")


def _has_rows(x: Any, axis: int) -> bool:
    """Whether `axis` is the last of a fresh NumPy block: the ordinary case, 3 us faster."""
    dtype = x.dtype
    return (
        (dtype is _SINGLE or dtype is _DOUBLE)
        and type(x) is numpy.ndarray
        and x.flags.c_contiguous
        and x.size > 0
        and (axis == -1 or axis == x.ndim - 1)
        and x.ndim > 0
    )


def _maximum(xp: Any, x: Any, axis: int) -> Any:
    """The maximum along `axis`, kept as an axis of length one."""
    n = x.shape[axis]
    if n == x.size and type(x) is numpy.ndarray:
        return x.reshape(-1)[x.argmax()].reshape((1,) * x.ndim)  # half of the time of a reduction
    if n <= 32 and x.size >= 16 * n and axis in (-1, x.ndim - 1) and x.flags.c_contiguous:
        # Short rows side by side: 1.8 us for 64 rows of 10, where reducing each takes 4.4.
        columns = x.reshape(-1, n).T.copy()
        return xp.maximum.reduce(columns, 0).reshape(*x.shape[:-1], 1)
    if x.size <= 64 and type(x) is numpy.ndarray and x.dtype.kind == "f":
        # Few numbers are sorted in two thirds of the time; those that are none come last, too.
        x = x.copy()
        x.sort(axis)
        axis %= x.ndim
        return x[(slice(None),) * axis + (slice(n - 1, n),)]
    return xp.maximum.reduce(x, axis, keepdims=True)


def _sum(xp: Any, x: Any, axis: int) -> Any:
    """The sum along `axis`, kept as an axis of length one."""
    if axis in (-1, x.ndim - 1) and x.size and x.flags.c_contiguous and x.dtype.kind == "f":
        # A product with ones: 0.6 us for 64 rows of 10, where add.reduce takes 4.
        n = x.shape[-1]
        return x.reshape(-1, n).dot(ones(xp, x, n)).reshape(*x.shape[:-1], 1)
    return xp.add.reduce(x, axis, None, None, True)


def _starts(xp: Any, like: Any, rows: int, columns: int) -> Any:
    """Where each row of a matrix begins, counted in elements; where `like` is."""
    if type(like) is numpy.ndarray:
        return _kept_starts(rows, columns)
    return xp.arange(0, rows, 1) * columns


@lru_cache(64)
def _kept_starts(rows: int, columns: int) -> Any:
    return numpy.arange(rows) * columns


def _are_rows(grad: Any, output: Any) -> bool:
    """Whether both have axes and elements, and are of one shape."""
    return bool(output.size and output.ndim and grad.shape == output.shape)
