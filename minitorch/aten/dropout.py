"""Dropout: elements, channels, and the form that keeps mean and variance."""

from __future__ import annotations

from typing import Any

from minitorch.aten.random import fill
from minitorch.core import sampling
from minitorch.core.arrays import layout, namespace
from minitorch.core.declare.families import composite
from minitorch.core.tensor.base import tensor

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
        nothing = tensor(namespace(x).zeros((), x.dtype))
        return input.mul_(nothing) if inplace else input * nothing
    shape = x.shape
    if features:
        if x.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        shape = (*shape[:2], *[1] * (x.ndim - 2))
    if x.dtype.kind in "biu":
        noise_for(input, shape, sampling.bernoulli, 1 - p)  # torch draws before it looks
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input.dtype.scalar_name}"
        )
    if not alpha:
        noise = noise_for(input, shape, sampling.dropout_mask, p)
        return input.mul_(noise) if inplace else input * noise
    noise = noise_for(input, shape, sampling.bernoulli, 1 - p)
    scale = 1 / ((_ALPHA * _ALPHA * p + 1) * (1 - p)) ** 0.5
    shift = (noise - 1) * (_ALPHA * scale) + _ALPHA * scale * p
    noise = noise * scale
    return (input.mul_(noise) if inplace else input * noise).add_(shift)


def _declare(name: str, features: bool, alpha: bool, what: str) -> None:
    """The function `name` of torch, and its in-place form."""

    def dropout(input: Any, p: float, train: bool) -> Any:
        return dropped(input, p, train, features, alpha, False)

    def dropout_(input: Any, p: float, train: bool) -> Any:
        return dropped(input, p, train, features, alpha, True)

    for function, key in ((dropout, name), (dropout_, name + "_")):
        function.__name__ = function.__qualname__ = key
        function.__doc__ = f"{what} As torch.{key}."
        composite(key, on=("function",))(function)


_declare("dropout", False, False, "`input` with each element zero with chance p, else over 1 - p.")
_declare(
    "feature_dropout", True, False, "`input` with each channel zero with chance p, else over 1 - p."
)
_declare(
    "alpha_dropout", False, True, "Dropout that keeps the mean and variance of what selu gives."
)
_declare("feature_alpha_dropout", True, True, "alpha_dropout of whole channels.")
