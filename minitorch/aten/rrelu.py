"""The rectifier with random slopes: each negative number times one from [lower, upper)."""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.pooling import refuse_dtype
from minitorch.aten.random import fill
from minitorch.core import sampling
from minitorch.core.arrays import activation as kernels
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import ELEMENTWISE, linear_in_gradient
from minitorch.core.declare.writing import store
from minitorch.core.graph.formulas import OPS


def rrelu_forward(
    xp: Any, self: Any, noise: Any, lower: Any, upper: Any, training: bool, generator: Any
) -> Any:
    """The rectified numbers; in training, `noise` takes the slopes. As ATen/native/Activation.cpp.

    Slopes are drawn in double, in the order of the indices, for what is not positive alone.
    """
    if self.shape != noise.shape:
        raise RuntimeError(
            "noise tensor shape must match self tensor shape. Got self.shape = "
            f"{list(self.shape)} noise.shape = {list(noise.shape)}"
        )
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound:g}")
    kernel = "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu"
    if self.dtype.kind not in "fV" or (training and self.dtype.name == "float16"):
        refuse_dtype(kernel, self)
    if not training:
        return xp.asarray(kernels.leaky_relu(xp, self, (lower + upper) / 2), order="C")
    negative = self <= 0
    drawn = fill(numpy.empty(int(negative.sum())), generator, sampling.uniform, 0.0, 1.0)
    wide = numpy.float64 if self.dtype == xp.float64 else numpy.float32
    low, high = float(wide(lower)), float(wide(upper))
    slopes = xp.asarray(drawn * (high - low) + low)
    factors = xp.ones(self.shape, wide)
    factors[negative] = slopes.astype(wide)
    noise[...] = factors
    return xp.asarray(self.astype(wide) * factors, self.dtype, order="C")


_SIGNATURE = (
    "(Tensor{} self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.3333333333333333,"
    " bool training=False, Generator? generator=None) -> Tensor{}"
)

rrelu_with_noise = operator(
    "rrelu_with_noise" + _SIGNATURE.format("", ""),
    node="RreluWithNoiseBackward0",
    forward=rrelu_forward,
    self=lambda F, grad, self, noise, lower, upper, training: F.rrelu_with_noise_backward(
        grad, self, noise, lower, upper, training, False
    ),
    result=ELEMENTWISE,
    on=("F",),
)

rrelu_with_noise_result = operator(
    "rrelu_with_noise_" + _SIGNATURE.format("(a!)", "(a!)"),
    node="RreluWithNoiseBackward1",
    forward=rrelu_forward,
    self=lambda F, grad, result, noise, lower, upper, training: F.rrelu_with_noise_backward(
        grad, result, noise, lower, upper, training, True
    ),
    on=("F",),
)


def rrelu_backward_forward(
    xp: Any,
    grad_output: Any,
    self: Any,
    noise: Any,
    lower: Any,
    upper: Any,
    training: bool,
    self_is_result: bool,
) -> Any:
    if grad_output.dtype.kind == "c":
        refuse_dtype("leaky_relu_backward_cpu", grad_output)
    if training and upper - lower > 1e-6:
        return xp.multiply(noise, grad_output, out=...)
    return kernels.leaky_relu_backward(xp, self, grad_output, (lower + upper) / 2)


operator(
    "rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower,"
    " Scalar upper, bool training, bool self_is_result) -> Tensor",
    node="RreluWithNoiseBackwardBackward0",
    forward=rrelu_backward_forward,
    grad_output=lambda F, grad, self, noise, lower, upper, training: F.rrelu_with_noise_backward(
        grad, self, noise, lower, upper, training, False
    ),
    self=lambda F, grad: F.zeros_like(grad),
    result=linear_in_gradient,
    on=("F",),
)


def rrelu_with_noise_(input: Any, *rest: Any) -> Any:
    """rrelu_with_noise, written into `input`."""
    return store("rrelu_with_noise_", rrelu_with_noise_result, input, (rest, {}))


@composite("rrelu", on=("function",))
def rrelu(
    input: Any,
    lower: Any = 1.0 / 8,
    upper: Any = 1.0 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """input where it is positive, else times a slope drawn from [lower, upper).

    Outside training the slope is the middle of both. Xu et al., https://arxiv.org/abs/1505.00853.
    """
    return rrelu_with_noise(input, OPS.empty_like(input), lower, upper, training, generator)


@composite("rrelu_", on=("function",))
def rrelu_(
    input: Any,
    lower: Any = 1.0 / 8,
    upper: Any = 1.0 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """rrelu, written into `input`."""
    return rrelu_with_noise_(input, OPS.empty_like(input), lower, upper, training, generator)
