"""Adaptive pooling, which torch has beside the other poolings."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = (
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
    "AdaptiveMaxPool3d"
).split()


class _AdaptiveAvgPoolNd(Module):
    __module__ = "torch.nn.modules.pooling"

    __constants__ = ["output_size"]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means of windows chosen so that the output has this length.

    Window i of n in a dimension reaches from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        output_size: the length of the output; an int, or a tuple of one.

    Shape:
        Input: (N, C, L) or (C, L).
        Output: (N, C, L_out) or (C, L_out), of the size `output_size`.

    As torch.nn.AdaptiveAvgPool1d.
    """

    __module__ = "torch.nn.modules.pooling"

    def forward(self, input: Any) -> Any:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means of windows chosen so that the output has this height and width.

    Window i of n in a dimension reaches from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        output_size: the size of the output; an int for both dimensions, or (height, width). None in
            the tuple keeps the input's size.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: (N, C, H_out, W_out) or (C, H_out, W_out), of the size `output_size`.

    As torch.nn.AdaptiveAvgPool2d.
    """

    __module__ = "torch.nn.modules.pooling"

    def forward(self, input: Any) -> Any:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means of windows chosen so that the output has this depth, height and width.

    Window i of n in a dimension reaches from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        output_size: the size of the output; an int for all dimensions, or (depth, height, width).
            None in the tuple keeps the input's size.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out), of the size `output_size`.

    As torch.nn.AdaptiveAvgPool3d.
    """

    __module__ = "torch.nn.modules.pooling"

    def forward(self, input: Any) -> Any:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPoolNd(_AdaptiveAvgPoolNd):
    __module__ = "torch.nn.modules.pooling"

    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest of windows chosen so that the output has this length.

    Window i of n in a dimension reaches from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        output_size: the length of the output; an int, or a tuple of one.
        return_indices: whether the positions of the largest are returned too: int64, counted within
            each channel.

    Shape:
        Input: (N, C, L) or (C, L).
        Output: (N, C, L_out) or (C, L_out), of the size `output_size`.

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    As torch.nn.AdaptiveMaxPool1d.
    """

    __module__ = "torch.nn.modules.pooling"

    def forward(self, input: Any) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest of windows chosen so that the output has this height and width.

    Window i of n in a dimension reaches from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        output_size: the size of the output; an int for both dimensions, or (height, width). None in
            the tuple keeps the input's size.
        return_indices: whether the positions of the largest are returned too: int64, counted within
            each channel.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: (N, C, H_out, W_out) or (C, H_out, W_out), of the size `output_size`.

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    As torch.nn.AdaptiveMaxPool2d.
    """

    __module__ = "torch.nn.modules.pooling"

    def forward(self, input: Any) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest of windows chosen so that the output has this depth, height and width.

    Window i of n in a dimension reaches from floor(i * size / n) to ceil((i + 1) * size / n).

    Args:
        output_size: the size of the output; an int for all dimensions, or (depth, height, width).
            None in the tuple keeps the input's size.
        return_indices: whether the positions of the largest are returned too: int64, counted within
            each channel.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out), of the size `output_size`.

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    As torch.nn.AdaptiveMaxPool3d.
    """

    __module__ = "torch.nn.modules.pooling"

    def forward(self, input: Any) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
