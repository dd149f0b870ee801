"""Transposed convolutions, which torch has beside the convolutions."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.nn import functional as F
from minitorch.nn.modules.conv_base import _ConvNd, _LazyConvXdMixin
from minitorch.nn.modules.lazy import LazyModuleMixin
from minitorch.nn.modules.utils import _numbers

__all__ = (
    "ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConvTranspose1d LazyConvTranspose2d "
    "LazyConvTranspose3d"
).split()


class _ConvTransposeNd(_ConvNd):
    """The base of transposed convolutions: computes the padding that leads to an output size."""

    __module__ = "torch.nn.modules.conv"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def _output_padding(
        self,
        input: Any,
        output_size: Any,
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        kernel_size: tuple[int, ...],
        num_spatial_dims: int,
        dilation: tuple[int, ...] | None = None,
    ) -> Any:
        """The padding to add on one side for the output to have the spatial size `output_size`.

        ValueError if the module cannot reach this size.
        """
        n = num_spatial_dims
        if output_size is None:
            return _numbers(n, self.output_padding)
        leading = 2 if input.dim() == n + 2 else 1
        if len(output_size) == leading + n:
            output_size = output_size[leading:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                f"{leading + n} elements (got {len(output_size)})"
            )
        dilation = dilation or (1,) * n
        smallest = [
            (input.size(leading + i) - 1) * stride[i]
            - 2 * padding[i]
            + dilation[i] * (kernel_size[i] - 1)
            + 1
            for i in range(n)
        ]
        largest = [low + stride[i] - 1 for i, low in enumerate(smallest)]
        if not all(low <= size <= high for low, size, high in zip(smallest, output_size, largest)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from "
                f"{smallest} to {largest} (for an input of {input.size()[2:]})"
            )
        return [size - low for size, low in zip(output_size, smallest)]


@named_by_subclasses("__init__", "forward")
class _ConvTranspose(_ConvTransposeNd):
    """A transposed convolution along `_spatial_dims` dimensions, by F.`_function_name`."""

    __module__ = "torch.nn.modules.conv"
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
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
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
            _numbers(n, padding),
            _numbers(n, dilation),
            True,
            _numbers(n, output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Any, output_size: Any = None) -> Any:
        output_padding = self._output_padding(
            input,
            output_size,
            self.stride,
            self.padding,
            self.kernel_size,
            self._spatial_dims,
            self.dilation,
        )
        return getattr(F, self._function_name)(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            output_padding,
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_ConvTranspose):
    """The transpose of Conv1d, which its gradient by the input is.

    Called with `output_size` (with or without batch and channels), it chooses among the sizes that
    Conv1d maps to the input's, and takes no account of `output_padding`.

    Args:
        in_channels, out_channels: the numbers of channels of input and output.
        kernel_size: the size of the window; an int, or a tuple of one.
        stride: the step of the window in the output; likewise.
        padding: how much is cut off at both ends of each dimension of the output; likewise.
        output_padding: how much is added at one end of each dimension of the output; likewise, and
            less than stride or dilation.
        groups: into how many parts the channels are divided; a divisor of both numbers of channels.
        bias: whether a bias is added.
        dilation: the distance between neighbours in the window; likewise.
        padding_mode: 'zeros', and nothing else.
        device, dtype: of the parameters.

    Shape:
        Input: (N, in_channels, L) or (in_channels, L).
        Output: (N, out_channels, L_out) or (out_channels, L_out). Each size is
            (size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.

    Attributes:
        weight: (in_channels, out_channels / groups, k), uniform within 1 / sqrt(fan_in), where
            fan_in = out_channels / groups * k.
        bias: (out_channels), likewise; None unless `bias`.

    Raises:
        ValueError: if `groups` is not positive or does not divide both numbers of channels, for
            another `padding_mode`, and at the call for an `output_size` that cannot be reached.
        RuntimeError: at the call, for another rank or number of channels, or if `output_padding` is
            less than neither the stride nor the dilation.

    As torch.nn.ConvTranspose1d.
    """

    __module__ = "torch.nn.modules.conv"
    _spatial_dims, _function_name = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTranspose):
    """The transpose of Conv2d, which its gradient by the input is.

    Called with `output_size` (with or without batch and channels), it chooses among the sizes that
    Conv2d maps to the input's, and takes no account of `output_padding`.

    Args:
        in_channels, out_channels: the numbers of channels of input and output.
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        stride: the step of the window in the output; likewise.
        padding: how much is cut off at both ends of each dimension of the output; likewise.
        output_padding: how much is added at one end of each dimension of the output; likewise, and
            less than stride or dilation.
        groups: into how many parts the channels are divided; a divisor of both numbers of channels.
        bias: whether a bias is added.
        dilation: the distance between neighbours in the window; likewise.
        padding_mode: 'zeros', and nothing else.
        device, dtype: of the parameters.

    Shape:
        Input: (N, in_channels, H, W) or (in_channels, H, W).
        Output: (N, out_channels, H_out, W_out) or (out_channels, H_out, W_out). Each size is
            (size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.

    Attributes:
        weight: (in_channels, out_channels / groups, kH, kW), uniform within 1 / sqrt(fan_in), where
            fan_in = out_channels / groups * kH * kW.
        bias: (out_channels), likewise; None unless `bias`.

    Raises:
        ValueError: if `groups` is not positive or does not divide both numbers of channels, for
            another `padding_mode`, and at the call for an `output_size` that cannot be reached.
        RuntimeError: at the call, for another rank or number of channels, or if `output_padding` is
            less than neither the stride nor the dilation.

    As torch.nn.ConvTranspose2d.
    """

    __module__ = "torch.nn.modules.conv"
    _spatial_dims, _function_name = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTranspose):
    """The transpose of Conv3d, which its gradient by the input is.

    Called with `output_size` (with or without batch and channels), it chooses among the sizes that
    Conv3d maps to the input's, and takes no account of `output_padding`.

    Args:
        in_channels, out_channels: the numbers of channels of input and output.
        kernel_size: the size of the window; an int for all dimensions, or (depth, height, width).
        stride: the step of the window in the output; likewise.
        padding: how much is cut off at both ends of each dimension of the output; likewise.
        output_padding: how much is added at one end of each dimension of the output; likewise, and
            less than stride or dilation.
        groups: into how many parts the channels are divided; a divisor of both numbers of channels.
        bias: whether a bias is added.
        dilation: the distance between neighbours in the window; likewise.
        padding_mode: 'zeros', and nothing else.
        device, dtype: of the parameters.

    Shape:
        Input: (N, in_channels, D, H, W) or (in_channels, D, H, W).
        Output: (N, out_channels, D_out, H_out, W_out) or (out_channels, D_out, H_out, W_out). Each
            size is
            (size - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.

    Attributes:
        weight: (in_channels, out_channels / groups, kD, kH, kW), uniform within 1 / sqrt(fan_in),
            where fan_in = out_channels / groups * kD * kH * kW.
        bias: (out_channels), likewise; None unless `bias`.

    Raises:
        ValueError: if `groups` is not positive or does not divide both numbers of channels, for
            another `padding_mode`, and at the call for an `output_size` that cannot be reached.
        RuntimeError: at the call, for another rank or number of channels, or if `output_padding` is
            less than neither the stride nor the dilation.

    As torch.nn.ConvTranspose3d.
    """

    __module__ = "torch.nn.modules.conv"
    _spatial_dims, _function_name = 3, "conv_transpose3d"


@named_by_subclasses("__init__")
class _LazyConvTranspose(_LazyConvXdMixin):
    __module__ = "torch.nn.modules.conv"

    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        rest = (output_padding, groups, False, dilation, padding_mode, device, dtype)
        LazyModuleMixin.__init__(self, 0, 0, kernel_size, stride, padding, *rest)
        self._leave_open(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d that takes in_channels from its first input.

    The first call gives the parameters their shapes and draws them, and makes the module a
    ConvTranspose1d.

    Args:
        out_channels: the number of channels of the output.
        kernel_size, stride, padding, dilation, output_padding: as of ConvTranspose1d; an int, or a
            tuple of one.
        groups: into how many parts the channels are divided.
        bias: whether a bias is added.
        padding_mode: 'zeros', and nothing else.
        device, dtype: of the parameters.

    Shape:
        As of ConvTranspose1d.

    Attributes:
        weight, bias: as of ConvTranspose1d; UninitializedParameters before the first call.

    Raises:
        RuntimeError: at the first call, for an input of another rank.
        ValueError: at the first call, if `groups` does not divide the input's channels.

    As torch.nn.LazyConvTranspose1d.
    """

    __module__ = "torch.nn.modules.conv"
    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d that takes in_channels from its first input.

    The first call gives the parameters their shapes and draws them, and makes the module a
    ConvTranspose2d.

    Args:
        out_channels: the number of channels of the output.
        kernel_size, stride, padding, dilation, output_padding: as of ConvTranspose2d; an int for
            both dimensions, or (height, width).
        groups: into how many parts the channels are divided.
        bias: whether a bias is added.
        padding_mode: 'zeros', and nothing else.
        device, dtype: of the parameters.

    Shape:
        As of ConvTranspose2d.

    Attributes:
        weight, bias: as of ConvTranspose2d; UninitializedParameters before the first call.

    Raises:
        RuntimeError: at the first call, for an input of another rank.
        ValueError: at the first call, if `groups` does not divide the input's channels.

    As torch.nn.LazyConvTranspose2d.
    """

    __module__ = "torch.nn.modules.conv"
    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d that takes in_channels from its first input.

    The first call gives the parameters their shapes and draws them, and makes the module a
    ConvTranspose3d.

    Args:
        out_channels: the number of channels of the output.
        kernel_size, stride, padding, dilation, output_padding: as of ConvTranspose3d; an int for
            all dimensions, or (depth, height, width).
        groups: into how many parts the channels are divided.
        bias: whether a bias is added.
        padding_mode: 'zeros', and nothing else.
        device, dtype: of the parameters.

    Shape:
        As of ConvTranspose3d.

    Attributes:
        weight, bias: as of ConvTranspose3d; UninitializedParameters before the first call.

    Raises:
        RuntimeError: at the first call, for an input of another rank.
        ValueError: at the first call, if `groups` does not divide the input's channels.

    As torch.nn.LazyConvTranspose3d.
    """

    __module__ = "torch.nn.modules.conv"
    cls_to_become = ConvTranspose3d
