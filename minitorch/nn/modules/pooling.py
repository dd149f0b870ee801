"""Pooling as modules."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.nn import functional as F
from minitorch.nn.modules.adaptive_pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from minitorch.nn.modules.adaptive_pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from minitorch.nn.modules.adaptive_pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from minitorch.nn.modules.adaptive_pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from minitorch.nn.modules.adaptive_pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from minitorch.nn.modules.adaptive_pooling import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from minitorch.nn.modules.adaptive_pooling import _AdaptiveAvgPoolNd as _AdaptiveAvgPoolNd
from minitorch.nn.modules.adaptive_pooling import _AdaptiveMaxPoolNd as _AdaptiveMaxPoolNd
from minitorch.nn.modules.fractional_pooling import FractionalMaxPool2d as FractionalMaxPool2d
from minitorch.nn.modules.fractional_pooling import FractionalMaxPool3d as FractionalMaxPool3d
from minitorch.nn.modules.module import Module
from minitorch.nn.modules.utils import _numbers

__all__ = (
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
    "AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d "
    "LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
).split()


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _pooled(self, pool: Any, input: Any) -> Any:
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest in each window of (N, C, L) or (C, L).

    Args:
        kernel_size: the size of the window; an int, or a tuple of one.
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: how much of minus infinity is added at both ends of each dimension; at most half of
            `kernel_size`.
        dilation: the distance between neighbours in the window; likewise.
        return_indices: whether the positions of the largest are returned too, as MaxUnpool1d takes
            them: int64, counted within each channel.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.

    Shape:
        Input: (N, C, L) or (C, L).
        Output: (N, C, L_out) or (C, L_out), where each size is
            floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1, with ceil
            for floor if `ceil_mode`; no window begins beyond the input and its padding before it.

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    Raises:
        RuntimeError: at the call, if `padding` is more than half of `kernel_size`, or for an input
            of another rank.

    As torch.nn.MaxPool1d.
    """

    def forward(self, input: Any) -> Any:
        return self._pooled(F.max_pool1d, input)


class MaxPool2d(_MaxPoolNd):
    """The largest in each window of (N, C, H, W) or (C, H, W).

    Args:
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: how much of minus infinity is added at both ends of each dimension; at most half of
            `kernel_size`.
        dilation: the distance between neighbours in the window; likewise.
        return_indices: whether the positions of the largest are returned too, as MaxUnpool2d takes
            them: int64, counted within each channel.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: (N, C, H_out, W_out) or (C, H_out, W_out), where each size is
            floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1, with ceil
            for floor if `ceil_mode`; no window begins beyond the input and its padding before it.

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    Raises:
        RuntimeError: at the call, if `padding` is more than half of `kernel_size`, or for an input
            of another rank.

    As torch.nn.MaxPool2d.
    """

    def forward(self, input: Any) -> Any:
        return self._pooled(F.max_pool2d, input)


class MaxPool3d(_MaxPoolNd):
    """The largest in each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size: the size of the window; an int for all dimensions, or (depth, height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: how much of minus infinity is added at both ends of each dimension; at most half of
            `kernel_size`.
        dilation: the distance between neighbours in the window; likewise.
        return_indices: whether the positions of the largest are returned too, as MaxUnpool3d takes
            them: int64, counted within each channel.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out), where each size is
            floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1, with ceil
            for floor if `ceil_mode`; no window begins beyond the input and its padding before it.

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    Raises:
        RuntimeError: at the call, if `padding` is more than half of `kernel_size`, or for an input
            of another rank.

    As torch.nn.MaxPool3d.
    """

    def forward(self, input: Any) -> Any:
        return self._pooled(F.max_pool3d, input)


class _AvgPool(Module):
    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of each window of (N, C, L) or (C, L).

    Args:
        kernel_size: the size of the window; an int, or a tuple of one.
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: how many zeros are added at both ends of each dimension; at most half of
            `kernel_size`.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.
        count_include_pad: whether the zeros of `padding` count in the mean.

    Shape:
        Input: (N, C, L) or (C, L).
        Output: (N, C, L_out) or (C, L_out), where each size is
            floor((size + 2 * padding - kernel_size) / stride) + 1, with ceil for floor if
            `ceil_mode`; no window begins beyond the input and its padding before it.

    Raises:
        RuntimeError: at the call, if `padding` is more than half of `kernel_size`, or for an input
            of another rank.

    As torch.nn.AvgPool1d.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _numbers(1, kernel_size)
        self.stride = _numbers(1, stride if stride is not None else kernel_size)
        self.padding = _numbers(1, padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Any) -> Any:
        return F.avg_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )


class _AvgPoolNd(_AvgPool):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]
    _is_template = True

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _pooled(self, pool: Any, input: Any) -> Any:
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of (N, C, H, W) or (C, H, W).

    Args:
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: how many zeros are added at both ends of each dimension; at most half of
            `kernel_size`.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.
        count_include_pad: whether the zeros of `padding` count in the mean.
        divisor_override: what the sum of a window is divided by; None for the window's size.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: (N, C, H_out, W_out) or (C, H_out, W_out), where each size is
            floor((size + 2 * padding - kernel_size) / stride) + 1, with ceil for floor if
            `ceil_mode`; no window begins beyond the input and its padding before it.

    Raises:
        RuntimeError: at the call, if `padding` is more than half of `kernel_size`, if
            `divisor_override` is 0, or for an input of another rank.

    As torch.nn.AvgPool2d.
    """

    __constants__ = [
        "kernel_size",
        "stride",
        "padding",
        "ceil_mode",
        "count_include_pad",
        "divisor_override",
    ]

    def forward(self, input: Any) -> Any:
        return self._pooled(F.avg_pool2d, input)


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size: the size of the window; an int for all dimensions, or (depth, height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: how many zeros are added at both ends of each dimension; at most half of
            `kernel_size`.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.
        count_include_pad: whether the zeros of `padding` count in the mean.
        divisor_override: what the sum of a window is divided by; None for the window's size.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out), where each size is
            floor((size + 2 * padding - kernel_size) / stride) + 1, with ceil for floor if
            `ceil_mode`; no window begins beyond the input and its padding before it.

    Raises:
        RuntimeError: at the call, if `padding` is more than half of `kernel_size`, if
            `divisor_override` is 0, or for an input of another rank.

    As torch.nn.AvgPool3d.
    """

    __constants__ = [
        "kernel_size",
        "stride",
        "padding",
        "ceil_mode",
        "count_include_pad",
        "divisor_override",
    ]

    def forward(self, input: Any) -> Any:
        return self._pooled(F.avg_pool3d, input)


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _pooled(self, pool: Any, input: Any) -> Any:
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """sum(x ** p) ** (1 / p) over each window of (N, C, L) or (C, L).

    Nothing is made positive first: an odd p takes negative numbers with their sign, and gives NaN
    or a negative number where the sum is negative. An infinite p gives the largest.

    Args:
        norm_type: the exponent p, not 0. 1 gives the sum, 2 the Euclidean norm.
        kernel_size: the size of the window; an int, or a tuple of one.
        stride: the step of the window; likewise. None for `kernel_size`.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.

    Shape:
        Input: (N, C, L) or (C, L).
        Output: (N, C, L_out) or (C, L_out), where each size is
            floor((size - kernel_size) / stride) + 1, with ceil for floor if `ceil_mode`.

    Raises:
        ZeroDivisionError: at the call, if `norm_type` is 0.

    As torch.nn.LPPool1d.
    """

    def forward(self, input: Any) -> Any:
        return self._pooled(F.lp_pool1d, input)


class LPPool2d(_LPPoolNd):
    """sum(x ** p) ** (1 / p) over each window of (N, C, H, W) or (C, H, W).

    Nothing is made positive first: an odd p takes negative numbers with their sign, and gives NaN
    or a negative number where the sum is negative. An infinite p gives the largest.

    Args:
        norm_type: the exponent p, not 0. 1 gives the sum, 2 the Euclidean norm.
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: (N, C, H_out, W_out) or (C, H_out, W_out), where each size is
            floor((size - kernel_size) / stride) + 1, with ceil for floor if `ceil_mode`.

    Raises:
        ZeroDivisionError: at the call, if `norm_type` is 0.

    As torch.nn.LPPool2d.
    """

    def forward(self, input: Any) -> Any:
        return self._pooled(F.lp_pool2d, input)


class LPPool3d(_LPPoolNd):
    """sum(x ** p) ** (1 / p) over each window of (N, C, D, H, W) or (C, D, H, W).

    Nothing is made positive first: an odd p takes negative numbers with their sign, and gives NaN
    or a negative number where the sum is negative. An infinite p gives the largest.

    Args:
        norm_type: the exponent p, not 0. 1 gives the sum, 2 the Euclidean norm.
        kernel_size: the size of the window; an int for all dimensions, or (depth, height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        ceil_mode: whether the output's size is rounded up, so that the last window may stick out.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out), where each size is
            floor((size - kernel_size) / stride) + 1, with ceil for floor if `ceil_mode`.

    Raises:
        ZeroDivisionError: at the call, if `norm_type` is 0.

    As torch.nn.LPPool3d.
    """

    def forward(self, input: Any) -> Any:
        return self._pooled(F.lp_pool3d, input)


@named_by_subclasses("__init__")
class _MaxUnpoolNd(Module):
    _axes: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = _numbers(self._axes, kernel_size)
        self.stride = _numbers(self._axes, stride if stride is not None else kernel_size)
        self.padding = _numbers(self._axes, padding)

    def _unpooled(self, unpool: Any, input: Any, indices: Any, output_size: Any) -> Any:
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Zeros, except for the maxima that MaxPool1d found, each at its former position.

    Called with the output and the indices of MaxPool1d. `output_size` (with or without batch and
    channels) chooses among the sizes that MaxPool1d maps to the input's.

    Args:
        kernel_size: the size of the window; an int, or a tuple of one.
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: what MaxPool1d added at both ends of each dimension; likewise.

    Shape:
        Input and indices: (N, C, L) or (C, L).
        Output: (N, C, L_out) or (C, L_out), where each size is
            (size - 1) * stride - 2 * padding + kernel_size, unless `output_size` says another.

    Raises:
        ValueError: at the call, for an `output_size` that is a stride or more away from that.
        RuntimeError: at the call, if the indices are not int64, have not the input's shape, or
            point beyond the output.

    As torch.nn.MaxUnpool1d.
    """

    _axes = 1

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return self._unpooled(F.max_unpool1d, input, indices, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """Zeros, except for the maxima that MaxPool2d found, each at its former position.

    Called with the output and the indices of MaxPool2d. `output_size` (with or without batch and
    channels) chooses among the sizes that MaxPool2d maps to the input's.

    Args:
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: what MaxPool2d added at both ends of each dimension; likewise.

    Shape:
        Input and indices: (N, C, H, W) or (C, H, W).
        Output: (N, C, H_out, W_out) or (C, H_out, W_out), where each size is
            (size - 1) * stride - 2 * padding + kernel_size, unless `output_size` says another.

    Raises:
        ValueError: at the call, for an `output_size` that is a stride or more away from that.
        RuntimeError: at the call, if the indices are not int64, have not the input's shape, or
            point beyond the output.

    As torch.nn.MaxUnpool2d.
    """

    _axes = 2

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return self._unpooled(F.max_unpool2d, input, indices, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """Zeros, except for the maxima that MaxPool3d found, each at its former position.

    Called with the output and the indices of MaxPool3d. `output_size` (with or without batch and
    channels) chooses among the sizes that MaxPool3d maps to the input's.

    Args:
        kernel_size: the size of the window; an int for all dimensions, or (depth, height, width).
        stride: the step of the window; likewise. None for `kernel_size`.
        padding: what MaxPool3d added at both ends of each dimension; likewise.

    Shape:
        Input and indices: (N, C, D, H, W) or (C, D, H, W).
        Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out), where each size is
            (size - 1) * stride - 2 * padding + kernel_size, unless `output_size` says another.

    Raises:
        ValueError: at the call, for an `output_size` that is a stride or more away from that.
        RuntimeError: at the call, if the indices are not int64, have not the input's shape, or
            point beyond the output.

    As torch.nn.MaxUnpool3d.
    """

    _axes = 3

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return self._unpooled(F.max_unpool3d, input, indices, output_size)
