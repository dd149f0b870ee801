"""Pooling as modules."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = (
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
    "AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d "
    "LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
).split()


def _numbers(n: int, value: Any) -> tuple[Any, ...]:
    """`value` as n numbers: as it is if it is a sequence, else repeated."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


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
    """The largest in each window of (N, C, L) or (C, L)."""

    def forward(self, input: Any) -> Any:
        return self._pooled(F.max_pool1d, input)


class MaxPool2d(_MaxPoolNd):
    """The largest in each window of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Any) -> Any:
        return self._pooled(F.max_pool2d, input)


class MaxPool3d(_MaxPoolNd):
    """The largest in each window of (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input: Any) -> Any:
        return self._pooled(F.max_pool3d, input)


class _AvgPool(Module):
    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of each window of (N, C, L) or (C, L)."""

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
    _template = True

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
    """The mean of each window of (N, C, H, W) or (C, H, W)."""

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
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""

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


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means of windows chosen so that the output has this length."""

    def forward(self, input: Any) -> Any:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means of windows chosen so that the output has this height and width."""

    def forward(self, input: Any) -> Any:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means of windows chosen so that the output has this depth, height and width."""

    def forward(self, input: Any) -> Any:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPoolNd(_AdaptiveAvgPoolNd):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest of windows chosen so that the output has this length."""

    def forward(self, input: Any) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest of windows chosen so that the output has this height and width."""

    def forward(self, input: Any) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest of windows chosen so that the output has this depth, height and width."""

    def forward(self, input: Any) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


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
    """The p-norm of each window of (N, C, L) or (C, L)."""

    def forward(self, input: Any) -> Any:
        return self._pooled(F.lp_pool1d, input)


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Any) -> Any:
        return self._pooled(F.lp_pool2d, input)


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input: Any) -> Any:
        return self._pooled(F.lp_pool3d, input)


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
    """Zeros but for what MaxPool1d found, which goes back to where it was."""

    _axes = 1

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return self._unpooled(F.max_unpool1d, input, indices, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """Zeros but for what MaxPool2d found, which goes back to where it was."""

    _axes = 2

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return self._unpooled(F.max_unpool2d, input, indices, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """Zeros but for what MaxPool3d found, which goes back to where it was."""

    _axes = 3

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return self._unpooled(F.max_unpool3d, input, indices, output_size)


class _FractionalMaxPoolNd(Module):
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
    """The largest of windows at random places of (N, C, H, W) or (C, H, W). arXiv 1412.6071."""

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    _axes = 2

    def forward(self, input: Any) -> Any:
        return self._pooled(F.fractional_max_pool2d, input)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest of windows at random places of (N, C, D, H, W). arXiv 1412.6071."""

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    _axes = 3

    def forward(self, input: Any) -> Any:
        return self._pooled(F.fractional_max_pool3d, input)
