"""Layer, group and root-mean-square normalisation."""

from __future__ import annotations

import numbers
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import functional as F
from minitorch.nn import init
from minitorch.nn.modules.module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LayerNorm(Module):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions, `normalized_shape`.

    The variance is that of all elements, divided by their number.

    Args:
        normalized_shape: the sizes of the last dimensions, over which mean and variance are taken;
            an int for the last one alone.
        eps: what is added to the variance.
        elementwise_affine: whether there are a weight and a bias.
        bias: whether there is a bias beside the weight.
        device, dtype: of the parameters.

    Shape:
        Input and output: (*, *normalized_shape).

    Attributes:
        weight: normalized_shape, ones; None unless `elementwise_affine`.
        bias: normalized_shape, zeros; None unless `elementwise_affine` and `bias`.

    Raises:
        RuntimeError: at the call, if the input's last dimensions are not `normalized_shape`.

    As torch.nn.LayerNorm. Ba, Kiros and Hinton, https://arxiv.org/abs/1607.06450.
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        parameters = {"weight": elementwise_affine, "bias": elementwise_affine and bias}
        for name, wanted in parameters.items():
            shape = self.normalized_shape
            value = Parameter(OPS.empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Any) -> Any:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class GroupNorm(Module):
    """Normalisation of groups of channels, each of each sample by itself.

    (x - mean) / sqrt(var + eps) * weight + bias, with the mean and variance of a sample's group.

    Args:
        num_groups: into how many groups the channels are divided; a divisor of `num_channels`.
        num_channels: C, the number of channels.
        eps: what is added to the variance.
        affine: whether there are a weight and a bias for each channel.
        device, dtype: of the parameters.
        bias: whether there is a bias beside the weight.

    Shape:
        Input and output: (N, C, *).

    Attributes:
        weight: (C), ones; None unless `affine`.
        bias: (C), zeros; None unless `affine` and `bias`.

    Raises:
        ValueError: if `num_groups` does not divide `num_channels`.
        RuntimeError: at the call, for an input of less than two dimensions, or, if `affine`,
            another number of channels.

    As torch.nn.GroupNorm. Wu and He, https://arxiv.org/abs/1803.08494.
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in {"weight": affine, "bias": affine and bias}.items():
            value = (
                Parameter(OPS.empty(num_channels, device=device, dtype=dtype)) if wanted else None
            )
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Any) -> Any:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """x / sqrt(mean(x**2) + eps) * weight over the last dimensions, `normalized_shape`.

    Args:
        normalized_shape: the sizes of the last dimensions, over which the mean is taken; an int for
            the last one alone.
        eps: what is added to the mean square; None for the epsilon of the dtype.
        elementwise_affine: whether there is a weight.
        device, dtype: of the weight.

    Shape:
        Input and output: (*, *normalized_shape).

    Attributes:
        weight: normalized_shape, ones; None unless `elementwise_affine`.

    Raises:
        RuntimeError: at the call, if the input's last dimensions are not `normalized_shape`.
        ValueError: at the call, for an input of fewer dimensions.

    As torch.nn.RMSNorm. Zhang and Sennrich, https://arxiv.org/abs/1910.07467.
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(OPS.empty(self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Any) -> Any:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LocalResponseNorm(Module):
    """Each number over a power of the mean square of its neighbours' channels.

    x / (k + alpha * mean) ** beta, where `mean` is that of the squares of `size` channels around;
    channels beyond the first and the last count as zeros.

    Args:
        size: the number of channels, positive: size // 2 before, the channel itself, and the rest
            after it.
        alpha: the factor of the mean.
        beta: the exponent.
        k: what is added.

    Shape:
        Input and output: (N, C, *) of at least three dimensions.

    Raises:
        ValueError: at the call, for an input of less than three dimensions.
        RuntimeError: at the call, if `size` is 0.

    As torch.nn.LocalResponseNorm.
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Any) -> Any:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """LocalResponseNorm for (N, C, H, W), written as an autograd Function.

    x / (k + alpha / size * sum) ** beta, where `sum` is that of the squares of `size` channels
    around. The sum runs along the channels, and keeps channel 0 in all of them, as torch's does.

    Args:
        size: the number of channels.
        alpha: the factor of the sum, which is divided by `size`.
        beta: the exponent.
        k: what is added.

    Shape:
        Input and output: (N, C, H, W).

    Raises:
        ValueError: at the call, for an input of another rank.

    As torch.nn.CrossMapLRN2d.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Any) -> Any:
        from minitorch.nn.modules._functions import CrossMapLRN2d as function  # start-up: 1 ms

        return function.apply(input, self.size, self.alpha, self.beta, self.k)

    extra_repr = LocalResponseNorm.extra_repr
