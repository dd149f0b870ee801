"""Activation functions and their gradients, in the steps of ATen's kernels.

Elementary functions are evaluated in double and rounded (core/arrays/elementary.py): nearly all
float32 results then have torch's bits. Half types are computed in float32 and rounded once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import layout
from minitorch.core.arrays.blocks import between, in_blocks, overwritten
from minitorch.core.arrays.questions import every, largest_of, least_of
from minitorch.core.arrays.scalars import NUMBERS, scalar_like

_Kernel = Callable[..., Any]


def elementwise(kernel: _Kernel) -> _Kernel:
    """An element-wise kernel with its result laid out in memory as ATen's TensorIterator would.

    Half types are computed in float32 and rounded once.
    """
    compute = widened(kernel)

    @functools.wraps(kernel)
    def computed(xp: Any, x: Any, *rest: Any) -> Any:
        out = compute(xp, x, *rest)
        arrays = [x, *[a for a in rest if hasattr(a, "dtype")]]
        if out.flags.c_contiguous and all(a.flags.c_contiguous for a in arrays):
            return out
        inputs = [(a.shape, layout.strides_of(a)) for a in arrays]
        strides = layout.elementwise_strides(out.shape, inputs)
        if not out.size or layout.strides_of(out) == strides:
            return out
        laid = xp.empty_strided(out.shape, strides, out.dtype)
        laid[...] = out
        return laid

    return computed


def widened(kernel: _Kernel) -> _Kernel:
    """`kernel` for half types too: arrays go in as float32, and results are rounded once."""

    @functools.wraps(kernel)
    def computed(xp: Any, x: Any, *rest: Any) -> Any:
        dtype = x.dtype
        if dtype.itemsize != 2 or dtype.kind not in "fV":  # bfloat16 is of kind "V"
            out = kernel(xp, x, *rest)
            return out if type(out) is tuple else xp.as_array(out)
        wide = [a.astype(xp.float32) if getattr(a, "dtype", None) == dtype else a for a in rest]
        out = kernel(xp, x.astype(xp.float32), *wide)
        if type(out) is tuple:
            return tuple([xp.as_array(each).astype(dtype) for each in out])
        return xp.as_array(out).astype(dtype)

    return computed


def bounded(xp: Any, x: Any, low: Any, high: Any) -> Any:
    """min(max(x, low), high); -0 stays as it is beside a bound of 0."""
    x = xp.as_array(x)
    return between(xp, x, scalar_like(low, x.dtype, xp), scalar_like(high, x.dtype, xp))


def beside(number: Any, x: Any) -> Any:
    """A number as an operand beside the array `x`: for a NumPy array a kept 0-d array of its dtype,
    which ufuncs take 0.3 us faster; else the number itself."""
    if type(x) is numpy.ndarray:
        try:
            return NUMBERS[type(number)][x.dtype, number]
        except KeyError:
            pass
    return number


def empty_like(xp: Any, x: Any) -> Any:
    """An empty array in the layout of the empty `x`; element-wise functions would not keep it."""
    return xp.empty_strided(x.shape, layout.strides_of(x), x.dtype)


def exp(xp: Any, x: Any) -> Any:
    return xp.elementary.exp(xp.as_array(x))


def log1p(xp: Any, x: Any) -> Any:
    return xp.elementary.log1p(xp.as_array(x))


def tanh(xp: Any, x: Any) -> Any:
    return xp.elementary.tanh(xp.as_array(x))


# tanh(x P(x^2) / Q(x^2)) is erf(x / sqrt(2)), twice the normal distribution function less 1, up to
# 6, where it is 1 to float32: 3e-9 off at most. Rows P and Q, the constants first.
_NORMAL_LIMIT = 6
_NORMAL = ((0.797884579569848, 0.09891071471537048, 0.007522920026107972, 0.0001915735927502061),
           (1.0, 0.07842639964312467, 0.005903238246176747, 4.033330331888302e-05))  # fmt: skip


def normal(xp: Any, x: Any) -> Any:
    """The normal distribution function; of float32 with an error below 6e-8.

    Two polynomials in one product of matrices, and tanh: 1.6 ns an element.
    """
    if x.dtype.char != "f":
        return 0.5 * (1 + xp.elementary.erf(xp.as_array(x * math.sqrt(0.5))))
    if type(x) is numpy.ndarray:
        x = between(xp, x, beside(-_NORMAL_LIMIT, x), beside(_NORMAL_LIMIT, x))
    else:
        x = xp.as_array(xp.clip(x, -_NORMAL_LIMIT, _NORMAL_LIMIT))
    # BLAS would round the product with a single column in another order: there are two at least.
    powers = xp.empty((4, max(x.size, 2)), x.dtype)
    powers[0] = powers[1, x.size :] = 1
    xp.multiply(x, x, out=powers[1, : x.size].reshape(x.shape))
    xp.multiply(powers[1], powers[1], out=powers[2])
    xp.multiply(powers[1], powers[2], out=powers[3])
    above, below = xp.dot(xp.asarray(_NORMAL, x.dtype), powers)
    above = xp.divide(above[: x.size], below[: x.size]).reshape(x.shape)  # which keeps no more
    above *= x
    xp.tanh(above, out=above)
    above *= 0.5
    above += 0.5
    return above


def sigmoid(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + exp(xp, -x))


# ---- rectifiers


@widened
def leaky_relu(xp: Any, self: Any, negative_slope: Any) -> Any:
    scaled = self * negative_slope
    if 0 < negative_slope <= 1:  # a maximum takes a fifth of the time of `where`
        return xp.maximum(self, scaled)
    return xp.where(self > 0, self, scaled)


def sloped(xp: Any, self: Any, slope: Any) -> Any:
    """`self` where it is positive; elsewhere `self` times an array of slopes."""
    scaled = xp.multiply(slope, self, out=...)
    few = type(self) is numpy.ndarray and 0 < slope.size <= _FEW and slope.dtype.kind == "f"
    if few:  # a maximum takes a fifth of the time of `where`
        least, largest = least_of(slope), largest_of(slope)
        if (least > 0 and largest <= 1) or (largest < 0 and every(self)):
            return numpy.maximum(self, scaled, out=scaled)
        if least > 1:
            return numpy.minimum(self, scaled, out=scaled)
    # CuPy's operators, unlike its functions here, lay all results out row by row.
    return xp.where(xp.greater(self, beside(0, self)), self, scaled)


_FEW = 4096  # slopes that are looked at


@elementwise
def leaky_relu_backward(xp: Any, self: Any, grad_output: Any, negative_slope: Any) -> Any:
    return xp.where(self > 0, grad_output, grad_output * negative_slope)


@widened
def elu(xp: Any, self: Any, alpha: Any, scale: Any, input_scale: Any) -> Any:
    # Factors of 1 are not multiplied by.
    scaled = self if input_scale == 1 else xp.multiply(self, beside(input_scale, self), out=...)
    below = xp.elementary.expm1(scaled)
    if alpha * scale != 1:
        below = xp.multiply(below, beside(alpha * scale, below), out=...)
    above = self if scale == 1 else xp.multiply(self, beside(scale, self), out=...)
    return overwritten(xp, below, xp.greater(self, beside(0, self)), above)


@elementwise
def elu_backward(
    xp: Any,
    grad_output: Any,
    alpha: Any,
    scale: Any,
    input_scale: Any,
    is_result: bool,
    self_or_result: Any,
) -> Any:
    x, coefficient = self_or_result, alpha * scale
    if is_result:
        below = grad_output * input_scale * (x + coefficient)
    else:
        below = grad_output * (input_scale * coefficient) * exp(xp, x * input_scale)
    return xp.where(x <= 0, below, grad_output * scale)


@widened
def hardtanh(xp: Any, self: Any, min_val: Any, max_val: Any) -> Any:
    if not self.size:
        return empty_like(xp, self)
    if self.dtype.kind != "f":
        return xp.minimum(max_val, xp.maximum(min_val, self))
    return bounded(xp, self, min_val, max_val)


@elementwise
def hardtanh_backward(xp: Any, grad_output: Any, self: Any, min_val: Any, max_val: Any) -> Any:
    return xp.where((self <= min_val) | (self >= max_val), 0, grad_output)


def prelu_backward(xp: Any, grad_output: Any, self: Any, weight: Any) -> tuple[Any, Any]:
    """The gradients by the input, and by the weight as if it had the input's shape."""
    by_weight = _prelu_by_weight(xp, self, weight, grad_output)
    return _prelu_by_self(xp, self, weight, grad_output), by_weight


@elementwise
def _prelu_by_self(xp: Any, self: Any, weight: Any, grad_output: Any) -> Any:
    return xp.where(self > 0, grad_output, weight * grad_output)


@elementwise
def _prelu_by_weight(xp: Any, self: Any, weight: Any, grad_output: Any) -> Any:
    return xp.where(self > 0, 0, self * grad_output)


@widened
def softshrink(xp: Any, self: Any, lambd: Any) -> Any:
    if self.size >= _FEW:
        # Subtracts the part between the bounds; a zero that is left has the sign of `self`.
        out = bounded(xp, self, -lambd, lambd)
        return xp.copysign(xp.subtract(self, out, out=out), self, out=out)
    low, high = beside(-lambd, self), beside(lambd, self)
    out = xp.multiply(self, beside(0, self), out=...)
    out = overwritten(xp, out, xp.less(self, low, out=...), xp.add(self, high, out=...))
    return overwritten(xp, out, xp.greater(self, high, out=...), xp.subtract(self, high, out=...))


@widened
def hardshrink(xp: Any, self: Any, lambd: Any) -> Any:
    within = xp.less_equal(xp.abs(self), beside(lambd, self), out=...)
    if self.size >= _FEW and type(self) is numpy.ndarray and self.dtype.kind == "f":
        return xp.zeroed(self, within)
    return overwritten(xp, self.copy(), within, beside(0, self))


@elementwise
def shrink_backward(xp: Any, grad_output: Any, self: Any, lambd: Any) -> Any:
    return xp.where((self >= -lambd) & (self <= lambd), 0, grad_output)


# ---- smooth


@widened
def silu(xp: Any, self: Any) -> Any:
    if xp.fused is not None and xp.fused.is_plain(self):
        return xp.fused.silu(self)
    below = xp.add(exp(xp, xp.negative(self, out=...)), beside(1, self), out=...)
    return xp.divide(self, below, out=...)


@elementwise
def silu_backward(xp: Any, grad_output: Any, self: Any) -> Any:
    if xp.fused is not None and xp.fused.is_plain(grad_output, self):
        return xp.fused.silu_backward(grad_output, self)
    self = self.conj()
    s = sigmoid(xp, self)
    return grad_output * s * (1 + self * (1 - s))


@widened
def mish(xp: Any, self: Any) -> Any:
    return self * tanh(xp, log1p(xp, exp(xp, self)))


@elementwise
def mish_backward(xp: Any, grad_output: Any, self: Any) -> Any:
    s = sigmoid(xp, self)
    t = tanh(xp, log1p(xp, exp(xp, self)))
    return grad_output * (t + self * s * (1 - t * t))


@widened
def softplus(xp: Any, self: Any, beta: Any, threshold: Any) -> Any:
    scaled = self if beta == 1 else xp.multiply(self, beside(beta, self), out=...)
    out = log1p(xp, exp(xp, scaled))
    if beta != 1:
        out = xp.divide(out, beside(beta, out), out=...)
    return overwritten(xp, out, xp.greater(scaled, beside(threshold, self), out=...), self)


@elementwise
def softplus_backward(xp: Any, grad_output: Any, self: Any, beta: Any, threshold: Any) -> Any:
    scaled = self * beta
    z = exp(xp, scaled)
    return xp.where(scaled > threshold, grad_output, grad_output * z / (z + 1))


@widened
def log_sigmoid(xp: Any, self: Any) -> tuple[Any, Any]:
    """(log(sigmoid(x)), exp(-|x|)); the formula of the gradient reads the second."""
    buffer = exp(xp, xp.negative(xp.abs(self), out=...))
    least = xp.minimum(self, beside(0, self), out=...)
    out = xp.subtract(least, log1p(xp, buffer), out=...)
    return xp.asarray(out, order="C"), xp.asarray(buffer, order="C")


@elementwise
def log_sigmoid_backward(xp: Any, grad_output: Any, self: Any, buffer: Any) -> Any:
    if not grad_output.size:
        return empty_like(xp, grad_output)
    negative = self < 0
    sign = xp.where(negative, xp.asarray(1, dtype=self.dtype), xp.asarray(-1, dtype=self.dtype))
    most = xp.where(negative, xp.asarray(1, dtype=self.dtype), xp.asarray(0, dtype=self.dtype))
    return (most - sign * (buffer / (1 + buffer))) * grad_output


@widened
def hardsigmoid(xp: Any, self: Any) -> Any:
    moved = _held_above_three(xp, self)
    return xp.divide(moved, beside(6, self), out=moved)


def _held_above_three(xp: Any, self: Any) -> Any:
    """min(max(x + 3, 0), 6), fresh; x + 3 is never -0, which clip would replace by 0.

    100,000 elements in place, with the rest of hardswish: 71 us, not 94.
    """
    moved = xp.add(self, beside(3, self), out=...)
    if type(moved) is not numpy.ndarray:
        return bounded(xp, moved, 0, 6)
    low, high = beside(0, moved), beside(6, moved)
    if moved.size < _FEW:  # clip is a function of Python around its ufunc
        return numpy.minimum(high, numpy.maximum(low, moved, out=moved), out=moved)
    return numpy.clip(moved, low, high, out=moved)


_SIXTH = 0.1666666716337204  # float32's: ATen's kernel writes 1.0f / 6.0f for doubles too


@elementwise
def hardsigmoid_backward(xp: Any, grad_output: Any, self: Any) -> Any:
    return xp.where((self > -3) & (self < 3), grad_output * self.dtype.type(_SIXTH), 0)


@widened
def hardswish(xp: Any, self: Any) -> Any:
    moved = _held_above_three(xp, self)
    xp.multiply(self, moved, out=moved)
    return xp.divide(moved, beside(6, self), out=moved)


@elementwise
def hardswish_backward(xp: Any, grad_output: Any, self: Any) -> Any:
    within = grad_output * (self / 3 + 0.5)
    return xp.where(self <= -3, 0, xp.where(self < 3, within, grad_output))


_KAPPA = 0.044715
_BETA = math.sqrt(2) * (2 / math.sqrt(math.pi)) * 0.5


@in_blocks
@widened
def gelu(xp: Any, self: Any, approximate: str) -> Any:
    """x times the normal distribution function at x, or its approximation by tanh.

    Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415.
    """
    if xp.fused is not None and xp.fused.is_plain(self):
        return xp.fused.gelu(self, approximate)
    if approximate == "none":
        out = xp.as_array(normal(xp, self))
        out *= self
        return out
    inner = _BETA * (self + _KAPPA * (self * self * self))
    return 0.5 * self * (1 + tanh(xp, inner))


@in_blocks
@elementwise
def gelu_backward(xp: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    if xp.fused is not None and xp.fused.is_plain(grad_output, self):
        return xp.fused.gelu_backward(grad_output, self, approximate)
    x = self
    if approximate == "none":
        pdf = xp.as_array(xp.exp(xp.as_array(x * x * -0.5)))
        pdf *= math.sqrt(0.5) * (2 / math.sqrt(math.pi)) * 0.5
        pdf *= x
        pdf += normal(xp, x)
        if grad_output.shape != pdf.shape:  # a gradient for each of a batch
            return grad_output * pdf
        pdf *= grad_output
        return pdf
    square = x * x
    t = tanh(xp, _BETA * (x + _KAPPA * (square * x)))
    left, right = 0.5 * x, 1 + t
    slope = _BETA * (1 + 3 * _KAPPA * square)
    return grad_output * (0.5 * right + left * (1 - t * t) * slope)


def glu(xp: Any, self: Any, dim: int) -> Any:
    return _gated(xp, *_halves(self, dim))


def _halves(x: Any, dim: int) -> tuple[Any, Any]:
    """The two halves of an array along a dimension."""
    axis = dim % x.ndim
    middle = x.shape[axis] // 2
    before = (slice(None),) * axis
    return x[(*before, slice(middle))], x[(*before, slice(middle, None))]


@elementwise
def _gated(xp: Any, first: Any, second: Any) -> Any:
    return first * sigmoid(xp, second)


@widened
def glu_backward(xp: Any, grad_output: Any, self: Any, dim: int) -> Any:
    first, second = _halves(self, dim)
    s = sigmoid(xp, second)
    by_first = s * grad_output
    return xp.ascontiguousarray(xp.concatenate((by_first, (1 - s) * by_first * first), dim))
