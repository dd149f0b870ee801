"""Batch normalisation in evaluation, made part of the layer before it."""

from __future__ import annotations

import copy
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]


def _fused(layer: Any, bn: Any, fuse: Any, *rest: Any) -> Any:
    """A copy of `layer` that computes the result of both layers."""
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    statistics = (bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    fused = copy.deepcopy(layer)
    fused.weight, fused.bias = fuse(fused.weight, fused.bias, *statistics, *rest)
    return fused


def _check_eval(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that computes the result of `conv` and then `bn` in evaluation.

    Args:
        conv: a convolution.
        bn: a batch norm with running statistics.
        transpose: whether `conv` is a transposed convolution.

    Returns:
        A copy of `conv` with other parameters.

    Raises:
        AssertionError: if one of them is training, or there are no statistics.

    As torch.nn.utils.fuse_conv_bn_eval.
    """
    _check_eval(conv, bn)
    return _fused(conv, bn, fuse_conv_bn_weights, transpose)


def fuse_conv_bn_weights(
    conv_w: Any,
    conv_b: Any,
    bn_rm: Any,
    bn_rv: Any,
    bn_eps: float,
    bn_w: Any,
    bn_b: Any,
    transpose: bool = False,
) -> tuple[Any, Any]:
    """The weight and bias of fuse_conv_bn_eval.

    Args:
        conv_w, conv_b: weight and bias of the convolution; the bias may be None.
        bn_rm, bn_rv: running mean and variance.
        bn_eps: what is added to the variance.
        bn_w, bn_b: weight and bias of the norm; None for ones and zeros.
        transpose: whether it is a transposed convolution.

    Returns:
        Both as Parameters.

    As torch.nn.utils.fuse_conv_bn_weights.
    """
    bias_dtype = conv_w.dtype if conv_b is None else conv_b.dtype
    conv_b = OPS.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = OPS.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = OPS.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = OPS.rsqrt(bn_rv + bn_eps)
    shape = [1, -1] if transpose else [-1, 1]
    shape += [1] * (conv_w.dim() - 2)
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(dtype=conv_w.dtype)
    bias = ((conv_b - bn_rm) * scale * bn_w + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A Linear that computes the result of `linear` and then `bn` in evaluation.

    Args:
        linear: a Linear.
        bn: a batch norm with running statistics, of its out_features or of one feature.

    Returns:
        A copy of `linear` with other parameters.

    Raises:
        AssertionError: if one of them is training, there are no statistics, or the sizes do not
            fit.

    As torch.nn.utils.fuse_linear_bn_eval.
    """
    _check_eval(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    return _fused(linear, bn, fuse_linear_bn_weights)


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Any, Any]:
    """The weight and bias of fuse_linear_bn_eval.

    Args:
        linear_w, linear_b: weight and bias of the Linear; the bias may be None.
        bn_rm, bn_rv: running mean and variance.
        bn_eps: what is added to the variance.
        bn_w, bn_b: weight and bias of the norm.

    Returns:
        Both as Parameters.

    As torch.nn.utils.fuse_linear_bn_weights.
    """
    bias_dtype = linear_w.dtype if linear_b is None else linear_b.dtype
    linear_b = OPS.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * OPS.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=linear_w.dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)
