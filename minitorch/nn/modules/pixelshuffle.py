"""Channels to pixels and back as modules. As torch.nn.PixelShuffle and its inverse."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """(*, C * r * r, H, W) -> (*, C, H * r, W * r).

    Args:
        upscale_factor: r, positive.

    Shape:
        Input: (*, C * r * r, H, W), at least three dimensions. Output: (*, C, H * r, W * r).

    Raises:
        RuntimeError: at the call, if r is not positive, or r * r does not divide the channels.

    As torch.nn.PixelShuffle. Shi et al., https://arxiv.org/abs/1609.05158.
    """

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Any) -> Any:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(*, C, H * r, W * r) -> (*, C * r * r, H, W).

    Args:
        downscale_factor: r, positive.

    Shape:
        Input: (*, C, H * r, W * r), at least three dimensions. Output: (*, C * r * r, H, W).

    Raises:
        RuntimeError: at the call, if r is not positive, or does not divide height and width.

    As torch.nn.PixelUnshuffle. Shi et al., https://arxiv.org/abs/1609.05158.
    """

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Any) -> Any:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
