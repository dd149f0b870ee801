"""Convolutions and transposed convolutions of one, two and three dimensions."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.nn import functional as F
from minitorch.nn.modules.conv_base import _ConvNd as _ConvNd
from minitorch.nn.modules.conv_base import _LazyConvXdMixin as _LazyConvXdMixin
from minitorch.nn.modules.conv_transpose import ConvTranspose1d as ConvTranspose1d
from minitorch.nn.modules.conv_transpose import ConvTranspose2d as ConvTranspose2d
from minitorch.nn.modules.conv_transpose import ConvTranspose3d as ConvTranspose3d
from minitorch.nn.modules.conv_transpose import LazyConvTranspose1d as LazyConvTranspose1d
from minitorch.nn.modules.conv_transpose import LazyConvTranspose2d as LazyConvTranspose2d
from minitorch.nn.modules.conv_transpose import LazyConvTranspose3d as LazyConvTranspose3d
from minitorch.nn.modules.conv_transpose import _ConvTransposeNd as _ConvTransposeNd
from minitorch.nn.modules.utils import _numbers

__all__ = (
    "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d "
    "LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
).split()


@named_by_subclasses("forward")
class _Conv(_ConvNd):
    """A convolution along `_spatial_dims` dimensions, by F.`_function_name`."""

    _is_template = True
    _spatial_dims: int
    _function_name: str

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        n = self._spatial_dims
        super().__init__(
            in_channels,
            out_channels,
            _numbers(n, kernel_size),
            _numbers(n, stride),
            padding if isinstance(padding, str) else _numbers(n, padding),
            _numbers(n, dilation),
            False,
            _numbers(n, 0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return getattr(F, self._function_name)(
            input, weight, bias, self.stride, padding, self.dilation, self.groups
        )

    def forward(self, input: Any) -> Any:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """The convolution (cross-correlation) of (N, C, L) or (C, L) with `weight`, plus bias.

    Args:
        in_channels, out_channels: the numbers of channels of input and output.
        kernel_size: the size of the window; an int, or a tuple of one.
        stride: the step of the window; likewise.
        padding: how much is added at both ends of each dimension; likewise. Or 'valid' for 0, or
            'same' for an output of the input's size, which takes strides of 1 alone.
        dilation: the distance between neighbours in the window; likewise.
        groups: into how many parts the channels are divided. Part i of the output is computed from
            part i of the input; a divisor of both numbers of channels.
        bias: whether a bias is added.
        padding_mode: the values that are added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device, dtype: of the parameters.

    Shape:
        Input: (N, in_channels, L) or (in_channels, L).
        Output: (N, out_channels, L_out) or (out_channels, L_out). Each size is
            floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1.

    Attributes:
        weight: (out_channels, in_channels / groups, k), uniform within 1 / sqrt(fan_in), where
            fan_in = in_channels / groups * k.
        bias: (out_channels), likewise; None unless `bias`.

    Raises:
        ValueError: if `groups` is not positive or does not divide both numbers of channels, for an
            unknown `padding` or `padding_mode`, or for 'same' with another stride than 1.
        RuntimeError: at the call, for another rank or number of channels, or for an input that is
            smaller than the window after padding.

    As torch.nn.Conv1d.
    """

    _spatial_dims, _function_name = 1, "conv1d"


class Conv2d(_Conv):
    """The convolution (cross-correlation) of (N, C, H, W) or (C, H, W) with `weight`, plus bias.

    Args:
        in_channels, out_channels: the numbers of channels of input and output.
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        stride: the step of the window; likewise.
        padding: how much is added at both ends of each dimension; likewise. Or 'valid' for 0, or
            'same' for an output of the input's size, which takes strides of 1 alone.
        dilation: the distance between neighbours in the window; likewise.
        groups: into how many parts the channels are divided. Part i of the output is computed from
            part i of the input; a divisor of both numbers of channels.
        bias: whether a bias is added.
        padding_mode: the values that are added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device, dtype: of the parameters.

    Shape:
        Input: (N, in_channels, H, W) or (in_channels, H, W).
        Output: (N, out_channels, H_out, W_out) or (out_channels, H_out, W_out). Each size is
            floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1.

    Attributes:
        weight: (out_channels, in_channels / groups, kH, kW), uniform within 1 / sqrt(fan_in), where
            fan_in = in_channels / groups * kH * kW.
        bias: (out_channels), likewise; None unless `bias`.

    Raises:
        ValueError: if `groups` is not positive or does not divide both numbers of channels, for an
            unknown `padding` or `padding_mode`, or for 'same' with another stride than 1.
        RuntimeError: at the call, for another rank or number of channels, or for an input that is
            smaller than the window after padding.

    As torch.nn.Conv2d.
    """

    _spatial_dims, _function_name = 2, "conv2d"


class Conv3d(_Conv):
    """The convolution of (N, C, D, H, W) or (C, D, H, W) with `weight`, plus bias.

    Args:
        in_channels, out_channels: the numbers of channels of input and output.
        kernel_size: the size of the window; an int for all dimensions, or (depth, height, width).
        stride: the step of the window; likewise.
        padding: how much is added at both ends of each dimension; likewise. Or 'valid' for 0, or
            'same' for an output of the input's size, which takes strides of 1 alone.
        dilation: the distance between neighbours in the window; likewise.
        groups: into how many parts the channels are divided. Part i of the output is computed from
            part i of the input; a divisor of both numbers of channels.
        bias: whether a bias is added.
        padding_mode: the values that are added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device, dtype: of the parameters.

    Shape:
        Input: (N, in_channels, D, H, W) or (in_channels, D, H, W).
        Output: (N, out_channels, D_out, H_out, W_out) or (out_channels, D_out, H_out, W_out). Each
            size is floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1.

    Attributes:
        weight: (out_channels, in_channels / groups, kD, kH, kW), uniform within 1 / sqrt(fan_in),
            where fan_in = in_channels / groups * kD * kH * kW.
        bias: (out_channels), likewise; None unless `bias`.

    Raises:
        ValueError: if `groups` is not positive or does not divide both numbers of channels, for an
            unknown `padding` or `padding_mode`, or for 'same' with another stride than 1.
        RuntimeError: at the call, for another rank or number of channels, or for an input that is
            smaller than the window after padding.

    As torch.nn.Conv3d.
    """

    _spatial_dims, _function_name = 3, "conv3d"


class LazyConv1d(_LazyConvXdMixin, Conv1d):
    """A Conv1d that takes in_channels from its first input.

    The first call gives the parameters their shapes and draws them, and makes the module a Conv1d.

    Args:
        out_channels: the number of channels of the output.
        kernel_size, stride, padding, dilation: as of Conv1d; an int, or a tuple of one.
        groups: into how many parts the channels are divided.
        bias: whether a bias is added.
        padding_mode: the values that are added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device, dtype: of the parameters.

    Shape:
        As of Conv1d.

    Attributes:
        weight, bias: as of Conv1d; UninitializedParameters before the first call.

    Raises:
        RuntimeError: at the first call, for an input of another rank.
        ValueError: at the first call, if `groups` does not divide the input's channels.

    As torch.nn.LazyConv1d.
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvXdMixin, Conv2d):
    """A Conv2d that takes in_channels from its first input.

    The first call gives the parameters their shapes and draws them, and makes the module a Conv2d.

    Args:
        out_channels: the number of channels of the output.
        kernel_size, stride, padding, dilation: as of Conv2d; an int for both dimensions, or
            (height, width).
        groups: into how many parts the channels are divided.
        bias: whether a bias is added.
        padding_mode: the values that are added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device, dtype: of the parameters.

    Shape:
        As of Conv2d.

    Attributes:
        weight, bias: as of Conv2d; UninitializedParameters before the first call.

    Raises:
        RuntimeError: at the first call, for an input of another rank.
        ValueError: at the first call, if `groups` does not divide the input's channels.

    As torch.nn.LazyConv2d.
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConvXdMixin, Conv3d):
    """A Conv3d that takes in_channels from its first input.

    The first call gives the parameters their shapes and draws them, and makes the module a Conv3d.

    Args:
        out_channels: the number of channels of the output.
        kernel_size, stride, padding, dilation: as of Conv3d; an int for all dimensions, or (depth,
            height, width).
        groups: into how many parts the channels are divided.
        bias: whether a bias is added.
        padding_mode: the values that are added: 'zeros', 'reflect', 'replicate' or 'circular'.
        device, dtype: of the parameters.

    Shape:
        As of Conv3d.

    Attributes:
        weight, bias: as of Conv3d; UninitializedParameters before the first call.

    Raises:
        RuntimeError: at the first call, for an input of another rank.
        ValueError: at the first call, if `groups` does not divide the input's channels.

    As torch.nn.LazyConv3d.
    """

    cls_to_become = Conv3d
