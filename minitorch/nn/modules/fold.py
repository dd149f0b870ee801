"""Sliding windows as columns and back, as modules. As torch.nn.Unfold and torch.nn.Fold."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """The columns of (N, C * kernel, windows) added up to images (N, C, *output_size).

    Where windows overlap, their values are added: Fold is the gradient of Unfold by its input.

    Args:
        output_size: the size of the images; an int for both dimensions, or (height, width).
        kernel_size: the size of the window; likewise.
        dilation: the distance between neighbours in the window; likewise.
        padding: how much is cut off at both ends of each dimension; likewise.
        stride: the step of the window; likewise.

    Shape:
        Input: (N, C * kH * kW, windows) or (C * kH * kW, windows), where `windows` is the product
            over both dimensions of
            floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1.
        Output: (N, C, H, W) or (C, H, W), where (H, W) is `output_size`.

    Raises:
        RuntimeError: at the call, if kH * kW does not divide the size of columns, or for another
            number of windows.

    As torch.nn.Fold.
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self,
        output_size: Any,
        kernel_size: Any,
        dilation: Any = 1,
        padding: Any = 0,
        stride: Any = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Any) -> Any:
        geometry = (self.kernel_size, self.dilation, self.padding, self.stride)
        return F.fold(input, self.output_size, *geometry)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """The windows of (N, C, H, W) as the columns of (N, C * kernel, windows).

    Args:
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        dilation: the distance between neighbours in the window; likewise.
        padding: how many zeros are added at both ends of each dimension; likewise.
        stride: the step of the window; likewise.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: (N, C * kH * kW, windows) or (C * kH * kW, windows), where `windows` is the product
            over both dimensions of
            floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1.

    Raises:
        RuntimeError: at the call, if the input is smaller than the window after padding.

    As torch.nn.Unfold.
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Any) -> Any:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )
