"""Dropout of elements and channels, alpha dropout, and the rectifier with random slopes."""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.creation.copies import copied
from minitorch.aten.creation.random import fill
from minitorch.aten.in_formulas import zeros
from minitorch.aten.layers.pooling import refuse_dtype
from minitorch.core import sampling
from minitorch.core.arrays import DEVICE_ARRAYS, layout, namespace
from minitorch.core.arrays import activation as kernels
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import FormulaMode
from minitorch.core.declare.families import composite, not_implemented, operator
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.protocols.mode_stack import is_seen_by
from minitorch.core.declare.row import ELEMENTWISE, linear_in_gradient
from minitorch.core.declare.vmap import VMap
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import contiguous_format
from minitorch.core.numbers.dispatch import FLOATING, HALVES
from minitorch.core.numbers.promotion import result_type
from minitorch.core.numbers.scalars import fitted
from minitorch.core.sampling.philox import Philox
from minitorch.core.tensor.generator import machine_of, source

# The alpha of alpha_dropout: minus the limit of selu at minus infinity.
_ALPHA = 1.7580993408473766


def noise_for(input: Any, shape: Any, draw: Any, p: float) -> Any:
    """A tensor of `shape` like `input`, filled by draw(machine, array, p)."""
    x = input._array
    xp = namespace(x)
    if shape == x.shape and not x.flags.c_contiguous:
        strides = layout.elementwise_strides(x.shape, [(x.shape, layout.strides_of(x))])
        noise = xp.empty_strided(shape, strides, x.dtype)
    else:
        noise = xp.empty(shape, x.dtype)
    return tensor(fill(noise, None, draw, p))


def dropped(input: Any, p: float, train: bool, features: bool, alpha: bool, inplace: bool) -> Any:
    """All kinds of dropout. As ATen/native/Dropout.cpp (_dropout_impl).

    features: whole channels are dropped.  alpha: dropped elements take selu's lower limit.
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    x = input._array
    if p == 0 or not train or x.size == 0:
        return input
    if p == 1:
        nothing = zeros(OPS, input, ())
        return input.mul_(nothing) if inplace else input * nothing
    shape = x.shape
    if features:
        if x.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        shape = (*shape[:2], *[1] * (x.ndim - 2))
    if x.dtype.kind in "biu":
        noise_for(input, shape, sampling.bernoulli, 1 - p)  # torch draws before it looks
        kind = dtypes.int64 if alpha and x.dtype.kind == "b" else input.dtype
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {kind.scalar_name}"
        )
    if is_seen_by(input):
        with FormulaMode(True):  # as C++ calls operators: modes see these very ones
            return _of_operators(input, shape, p, alpha, inplace)
    fuses = type(x) in DEVICE_ARRAYS and not (features or alpha or inplace)
    if fuses and type(machine_of(None, "cuda")) is Philox:  # as torch does on CUDA
        return native_dropout_row(input, p, True)[0]
    if not alpha:
        noise = noise_for(input, shape, sampling.dropout_mask, p)
        return input.mul_(noise) if inplace else input * noise
    noise = noise_for(input, shape, sampling.bernoulli, 1 - p)
    scale = 1 / ((_ALPHA * _ALPHA * p + 1) * (1 - p)) ** 0.5
    shift = (noise - 1) * (_ALPHA * scale) + _ALPHA * scale * p
    noise = noise * scale
    return (input.mul_(noise) if inplace else input * noise).add_(shift)


def _of_operators(input: Any, shape: Any, p: float, alpha: bool, inplace: bool) -> Any:
    """`input` after dropout, computed by the operators that torch calls."""
    like = shape == input._array.shape
    noise = OPS.empty_like(input) if like else OPS.new_empty(input, shape)
    noise.bernoulli_(1 - p)
    if not alpha:
        noise.div_(1 - p)
        return input.mul_(noise) if inplace else input * noise
    a = 1 / ((_ALPHA * _ALPHA * p + 1) * (1 - p)) ** 0.5
    shift = OPS.add(noise, -1).mul_(_ALPHA * a).add_(_ALPHA * a * p)
    noise.mul_(a)
    return (input.mul_(noise) if inplace else input * noise).add_(shift)


def _declare(name: str, features: bool, alpha: bool, what: str) -> None:
    """The function `name` of torch, and its in-place form."""
    said = VMap("dropped", features=features, masks=not alpha)

    def dropout(input: Any, p: float, train: bool) -> Any:
        return dropped(input, p, train, features, alpha, False)

    def dropout_(input: Any, p: float, train: bool) -> Any:
        return dropped(input, p, train, features, alpha, True)

    for function, key in ((dropout, name), (dropout_, name + "_")):
        function.__doc__ = f"{what} As torch.{key}."
        composite(key, on=("function",), vmap=said if key == name else None)(function)


_declare("dropout", False, False, "`input` with each element zero with chance p, else over 1 - p.")
_declare(
    "feature_dropout", True, False, "`input` with each channel zero with chance p, else over 1 - p."
)
_declare(
    "alpha_dropout", False, True, "Dropout that keeps the mean and variance of what selu gives."
)
_declare("feature_alpha_dropout", True, True, "alpha_dropout of whole channels.")

# ---- native_dropout


def native_dropout_forward(xp: Any, input: Any, p: float, train: Any) -> Any:
    if not input.size:
        return input.copy(), xp.empty_like(input)
    strides = layout.preserved_strides(input.shape, layout.strides_of(input))
    mask = xp.empty_strided(input.shape, strides, xp.dtype(bool))
    if train is False:
        mask[...] = True
        return copied(input), mask
    if 0 < p < 1 and xp.fused is not None and xp.fused.random.takes_dropout(input):
        machine = machine_of(None, xp.device_type)
        if type(machine) is Philox:
            return xp.fused.random.dropout(machine, input, p)
    fill(mask, None, sampling.bernoulli, 1 - p)
    kept = xp.multiply(input, mask, out=...)
    if input.dtype.kind in "biu":
        raise RuntimeError(
            "result type Float can't be cast to the desired output type "
            f"{dtypes.of(input).scalar_name}"
        )
    return kept * kept.dtype.type(0 if p == 1 else 1 / (1 - p)), mask


def by_mask(F: Any, grad: Any, mask: Any, scale: float) -> Any:
    """The gradient of the input, of which a mask let elements through."""
    if F is RAW and type(grad) in DEVICE_ARRAYS and mask.flags.c_contiguous:
        fused = namespace(grad).fused
        if fused is not None and fused.is_plain(grad):
            return fused.random.dropout_backward(grad, mask, scale)
    return grad * (F.type_as(mask, grad) * scale)


def scale_of(p: float, train: Any) -> float:
    """The factor of the elements that stay."""
    return 1.0 if not train else 0.0 if p == 1 else 1 / (1 - p)


native_dropout_row = operator(
    "native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
    node="NativeDropoutBackward0",
    forward=native_dropout_forward,
    input=lambda F, grad, result1, p, train: by_mask(F, grad, result1, scale_of(p, train)),
    result=lambda F, input_t, p, train, result1: (
        input_t if train is False else scale_of(p, True) * input_t * result1
    ),
    differentiable=(True, False),
    on=("F",),
    elementwise=True,
    real_gradients=True,
)


@composite("native_dropout", on=("function",))
def native_dropout(input: Any, p: float, train: bool | None) -> Any:
    """`input` with elements set to 0, and which are kept; all of them if `train` is False."""
    return native_dropout_row(input, p, train)


def native_dropout_backward_forward(xp: Any, grad_output: Any, mask: Any, scale: float) -> Any:
    layout.broadcast(grad_output.shape, mask.shape)  # which refuses in torch's words
    whole = grad_output.dtype.kind in "biu"
    kind = dtypes.get_default_dtype().numpy if whole else grad_output.dtype
    return xp.multiply(grad_output.astype(kind), mask.astype(kind) * kind.type(scale), out=...)


native_dropout_backward = operator(
    "native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
    node="NativeDropoutBackwardBackward0",
    forward=native_dropout_backward_forward,
    grad_output=lambda F, grad, grad_output, mask, scale: by_mask(F, grad, mask, scale),
    mask=not_implemented("native_dropout_backward: mask"),
    on=("F",),
    elementwise=True,
)

# ---- rrelu


def rectified_by_noise(
    xp: Any,
    self: Any,
    noise: Any,
    lower: Any,
    upper: Any,
    training: bool,
    generator: Any,
    in_place: bool,
) -> Any:
    """The rectified numbers; in training, `noise` takes the slopes. As ATen/native/Activation.cpp.

    Slopes are drawn in double, in the order of the indices, for what is not positive alone.
    """
    result_type(lower, upper)  # which refuses some numbers beside each other
    if self.shape != noise.shape:
        raise RuntimeError(
            "noise tensor shape must match self tensor shape. Got self.shape = "
            f"{list(self.shape)} noise.shape = {list(noise.shape)}"
        )
    lower, upper = fitted(lower, dtypes.float64), fitted(upper, dtypes.float64)
    if lower > upper or (in_place and not lower <= upper):  # nan is no bound
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    for name, bound in (("lower", lower), ("upper", upper)):
        if not (in_place or math.isfinite(bound)):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound:g}")
    kernel = "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu"
    is_packed = self.dtype.names is not None
    if self.dtype.kind not in "fV" or (training and (is_packed or self.dtype.name == "float16")):
        refuse_dtype(kernel, self)
    wide = numpy.float64 if self.dtype == xp.float64 else numpy.float32
    for each in (lower, upper) if training else ((lower + upper) / 2,):
        fitted(each, dtypes.float64 if wide is numpy.float64 else dtypes.float32)
    if not training:
        return xp.asarray(kernels.leaky_relu(xp, self, (lower + upper) / 2), order="C")
    negative = self <= 0
    low, high = float(wide(lower)), float(wide(upper))
    if type(machine_of(generator, xp.device_type)) is Philox:  # each element has a number there
        drawn = fill(xp.empty(self.shape, wide), generator, sampling.uniform, 0.0, 1.0)
        factors = xp.where(negative, drawn * (high - low) + low, xp.ones((), wide))
    else:
        drawn = numpy.empty(int(negative.sum()))
        sampling.uniform(source(generator, xp.device_type), drawn, 0.0, 1.0)
        factors = xp.ones(self.shape, wide)
        factors[negative] = xp.asarray(drawn * (high - low) + low).astype(wide)
    noise[...] = factors
    return xp.asarray(self.astype(wide) * factors, self.dtype, order="C")


_SIGNATURE = (
    "(Tensor{} self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.3333333333333333,"
    " bool training=False, Generator? generator=None) -> Tensor{}"
)

rrelu_with_noise = operator(
    "rrelu_with_noise" + _SIGNATURE.format("", ""),
    node="RreluWithNoiseBackward0",
    forward=lambda xp, self, noise, lower, upper, training, generator: rectified_by_noise(
        xp, self, noise, lower, upper, training, generator, in_place=False
    ),
    kernel="leaky_relu_cpu",
    knows=FLOATING | HALVES,
    self=lambda F, grad, self, noise, lower, upper, training: F.rrelu_with_noise_backward(
        grad, self, noise, lower, upper, training, False
    ),
    result=ELEMENTWISE,
    on=("F",),
)

rrelu_with_noise_result = operator(
    "rrelu_with_noise_" + _SIGNATURE.format("(a!)", "(a!)"),
    node="RreluWithNoiseBackward1",
    forward=lambda xp, self, noise, lower, upper, training, generator: rectified_by_noise(
        xp, self, noise, lower, upper, training, generator, in_place=True
    ),
    kernel="leaky_relu_cpu",
    knows=FLOATING | HALVES,
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


def _noise_for(input: Any) -> Any:
    """Memory for the slope of each element, in the layout in which torch draws them."""
    return OPS.empty_like(input, memory_format=contiguous_format)


@composite("rrelu", on=("function",), vmap=VMap("not_yet"))
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
    return rrelu_with_noise(input, _noise_for(input), lower, upper, training, generator)


@composite("rrelu_", on=("function",))
def rrelu_(
    input: Any,
    lower: Any = 1.0 / 8,
    upper: Any = 1.0 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """rrelu, written into `input`.

    Args:
        input: floating, of any shape.
        lower: the least slope.
        upper: the bound of the slopes, not less than `lower`.
        training: whether to draw slopes; else all have the mean of both.
        generator: where random numbers come from; the default one if None.

    Returns:
        `input`.

    Raises:
        RuntimeError: if `lower` is greater than `upper`.
        NotImplementedError: for integers.

    As torch.nn.functional.rrelu_ (ATen/native/Activation.cpp).
    """
    return rrelu_with_noise_(input, _noise_for(input), lower, upper, training, generator)
