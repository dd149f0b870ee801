"""Padding as modules. As https://docs.pytorch.org/docs/stable/nn.html#padding-layers."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = (
    "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
    "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
    "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d"
).split()


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
    __constants__ = ["padding", "value"]
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

    __constants__ = ["padding", "value"]

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


class _ReflectionPadNd(_PadNd):
    __constants__ = ["padding"]

    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads the last dimension with its mirror image."""

    sides = 2


class ReflectionPad2d(_ReflectionPadNd):
    """Pads the last two dimensions with their mirror images."""

    sides = 4


class ReflectionPad3d(_ReflectionPadNd):
    """Pads the last three dimensions with their mirror images."""

    sides = 6


class _ReplicationPadNd(_PadNd):
    __constants__ = ["padding"]

    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pads the last dimension with its border."""

    sides = 2


class ReplicationPad2d(_ReplicationPadNd):
    """Pads the last two dimensions with their borders."""

    sides = 4


class ReplicationPad3d(_ReplicationPadNd):
    """Pads the last three dimensions with their borders."""

    sides = 6


class _CircularPadNd(_PadNd):
    __constants__ = ["padding"]
    mode = "circular"

    def _check_input_dim(self, input: Any) -> None:
        least = self.sides // 2 + 1
        if input.dim() not in (least, least + 1):
            raise ValueError(f"expected {least}D or {least + 1}D input (got {input.dim()}D input)")

    def forward(self, input: Any) -> Any:
        self._check_input_dim(input)
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
