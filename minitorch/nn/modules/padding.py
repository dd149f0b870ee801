"""Padding as modules. As https://docs.pytorch.org/docs/stable/nn.html#padding-layers."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module


class _PadNd(Module):
    """Padding in one mode of F.pad; `sides` numbers, two for each dimension, the last one first."""

    mode: str
    sides: int

    def __init__(self, padding: Any) -> None:
        super().__init__()
        given = isinstance(padding, (tuple, list))
        self.padding = tuple(padding) if given else (padding,) * self.sides

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with a number."""

    sides = 2


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with a number."""

    sides = 4


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with a number."""

    sides = 6


class ZeroPad1d(ConstantPad1d):
    """Pads the last dimension with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class ZeroPad2d(ConstantPad2d):
    """Pads the last two dimensions with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dimensions with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class ReflectionPad1d(_PadNd):
    """Pads the last dimension with its mirror image."""

    mode, sides = "reflect", 2


class ReflectionPad2d(_PadNd):
    """Pads the last two dimensions with their mirror images."""

    mode, sides = "reflect", 4


class ReflectionPad3d(_PadNd):
    """Pads the last three dimensions with their mirror images."""

    mode, sides = "reflect", 6


class ReplicationPad1d(_PadNd):
    """Pads the last dimension with its border."""

    mode, sides = "replicate", 2


class ReplicationPad2d(_PadNd):
    """Pads the last two dimensions with their borders."""

    mode, sides = "replicate", 4


class ReplicationPad3d(_PadNd):
    """Pads the last three dimensions with their borders."""

    mode, sides = "replicate", 6


class _CircularPadNd(_PadNd):
    mode = "circular"

    def forward(self, input: Any) -> Any:
        least = self.sides // 2 + 1
        if input.dim() not in (least, least + 1):
            raise ValueError(f"expected {least}D or {least + 1}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads the last dimension from its other end."""

    sides = 2


class CircularPad2d(_CircularPadNd):
    """Pads the last two dimensions from their other ends."""

    sides = 4


class CircularPad3d(_CircularPadNd):
    """Pads the last three dimensions from their other ends."""

    sides = 6
