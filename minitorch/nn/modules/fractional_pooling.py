"""Fractional pooling, which torch has beside the other poolings."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module
from minitorch.nn.modules.utils import _numbers

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


@named_by_subclasses("__init__")
class _FractionalMaxPoolNd(Module):
    __module__ = "torch.nn.modules.pooling"

    _axes: int

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        count, name = self._axes, f"FractionalMaxPool{self._axes}d"
        sides = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,)
        if count == 3 and any(isinstance(side, int) and side <= 0 for side in sides):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = _numbers(count, kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else _numbers(count, output_size)
        self.output_ratio = None if output_ratio is None else _numbers(count, output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(
            0 < ratio < 1 for ratio in self.output_ratio[:count]
        ):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _pooled(self, pool: Any, input: Any) -> Any:
        return pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest of windows at random places of (N, C, H, W) or (C, H, W). arXiv 1412.6071.

    The places are drawn at each call, in evaluation too: windows keep their order, the last one
    ends at the back, and the first of several begins at the front.

    Args:
        kernel_size: the size of the window; an int for both dimensions, or (height, width).
        output_size: the size of the output; likewise.
        output_ratio: the size of the output over that of the input, between 0 and 1, in the place
            of `output_size`; a number, or (height, width).
        return_indices: whether the positions of the largest are returned too: int64, counted within
            each channel.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: (N, C, H_out, W_out) or (C, H_out, W_out), where the sizes are `output_size`, or
            floor(size * output_ratio).

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    Raises:
        ValueError: unless one of `output_size` and `output_ratio` is given, or for a ratio that is
            not between 0 and 1.
        RuntimeError: at the call, if output_size + kernel_size - 1 is more than the input's size.

    As torch.nn.FractionalMaxPool2d. Graham, https://arxiv.org/abs/1412.6071.
    """

    __module__ = "torch.nn.modules.pooling"
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    _axes = 2

    def forward(self, input: Any) -> Any:
        return self._pooled(F.fractional_max_pool2d, input)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest of windows at random places of (N, C, D, H, W). arXiv 1412.6071.

    The places are drawn at each call, in evaluation too: windows keep their order, the last one
    ends at the back, and the first of several begins at the front.

    Args:
        kernel_size: the size of the window; an int for all dimensions, or (depth, height, width).
        output_size: the size of the output; likewise.
        output_ratio: the size of the output over that of the input, between 0 and 1, in the place
            of `output_size`; a number, or (depth, height, width).
        return_indices: whether the positions of the largest are returned too: int64, counted within
            each channel.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: (N, C, D_out, H_out, W_out) or (C, D_out, H_out, W_out), where the sizes are
            `output_size`, or floor(size * output_ratio).

    Returns:
        The output, or a pair of output and indices if `return_indices`.

    Raises:
        ValueError: unless one of `output_size` and `output_ratio` is given, or for a ratio that is
            not between 0 and 1.
        RuntimeError: at the call, if output_size + kernel_size - 1 is more than the input's size.

    As torch.nn.FractionalMaxPool3d. Graham, https://arxiv.org/abs/1412.6071.
    """

    __module__ = "torch.nn.modules.pooling"
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    _axes = 3

    def forward(self, input: Any) -> Any:
        return self._pooled(F.fractional_max_pool3d, input)
