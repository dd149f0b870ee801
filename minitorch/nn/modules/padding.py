"""Padding as modules. As https://docs.pytorch.org/docs/stable/nn.html#padding-layers."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = (
    "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
    "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
    "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d"
).split()


@named_by_subclasses("__init__", "forward", "extra_repr")
class _PadNd(Module):
    """Padding in one mode of F.pad by two numbers for each dimension, the last one first."""

    _fill_mode: str
    _padded_sides: int

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self._keep_padding(padding)

    def _keep_padding(self, padding: Any) -> None:
        given = isinstance(padding, (tuple, list))
        self.padding = tuple(padding) if given else (padding,) * self._padded_sides

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, self._fill_mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


@named_by_subclasses("__init__")
class _ConstantPadNd(_PadNd):
    __constants__ = ["padding", "value"]
    _fill_mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        Module.__init__(self)
        self.value = value
        self._keep_padding(padding)

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with a number.

    Args:
        padding: how much is added at the ends; an int for both, or (left, right). Negative numbers
            cut off.
        value: the number.

    Shape:
        Input: (*, W).
        Output: (*, left + W + right).

    As torch.nn.ConstantPad1d.
    """

    _padded_sides = 2


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with a number.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom).
            Negative numbers cut off.
        value: the number.

    Shape:
        Input: (*, H, W).
        Output: (*, top + H + bottom, left + W + right).

    As torch.nn.ConstantPad2d.
    """

    __constants__ = ["padding", "value"]

    _padded_sides = 4


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with a number.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom,
            front, back). Negative numbers cut off.
        value: the number.

    Shape:
        Input: (*, D, H, W).
        Output: (*, front + D + back, top + H + bottom, left + W + right).

    As torch.nn.ConstantPad3d.
    """

    _padded_sides = 6


class ZeroPad1d(ConstantPad1d):
    """Pads the last dimension with zeros.

    Args:
        padding: how much is added at the ends; an int for both, or (left, right). Negative numbers
            cut off.

    Shape:
        Input: (*, W).
        Output: (*, left + W + right).

    As torch.nn.ZeroPad1d.
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class ZeroPad2d(ConstantPad2d):
    """Pads the last two dimensions with zeros.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom).
            Negative numbers cut off.

    Shape:
        Input: (*, H, W).
        Output: (*, top + H + bottom, left + W + right).

    As torch.nn.ZeroPad2d.
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dimensions with zeros.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom,
            front, back). Negative numbers cut off.

    Shape:
        Input: (*, D, H, W).
        Output: (*, front + D + back, top + H + bottom, left + W + right).

    As torch.nn.ZeroPad3d.
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


@named_by_subclasses("__init__")
class _ReflectionPadNd(_PadNd):
    __constants__ = ["padding"]

    _fill_mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads the last dimension with its mirror image.

    The border itself is not repeated.

    Args:
        padding: how much is added at the ends; an int for both, or (left, right). Negative numbers
            cut off.

    Shape:
        Input: (N, C, W) or (C, W).
        Output: the same, with left + W + right for W.

    Raises:
        RuntimeError: at the call, if a number is not less than the size of its dimension.
        NotImplementedError: at the call, for an input of another rank.

    As torch.nn.ReflectionPad1d.
    """

    _padded_sides = 2


class ReflectionPad2d(_ReflectionPadNd):
    """Pads the last two dimensions with their mirror images.

    The border itself is not repeated.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom).
            Negative numbers cut off.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: the same, with left + W + right for W and top + H + bottom for H.

    Raises:
        RuntimeError: at the call, if a number is not less than the size of its dimension.
        NotImplementedError: at the call, for an input of another rank.

    As torch.nn.ReflectionPad2d.
    """

    _padded_sides = 4


class ReflectionPad3d(_ReflectionPadNd):
    """Pads the last three dimensions with their mirror images.

    The border itself is not repeated.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom,
            front, back). Negative numbers cut off.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: the same, with left + W + right for W, top + H + bottom for H and front + D + back
            for D.

    Raises:
        RuntimeError: at the call, if a number is not less than the size of its dimension.
        NotImplementedError: at the call, for an input of another rank.

    As torch.nn.ReflectionPad3d.
    """

    _padded_sides = 6


@named_by_subclasses("__init__")
class _ReplicationPadNd(_PadNd):
    __constants__ = ["padding"]

    _fill_mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pads the last dimension with its border.

    Args:
        padding: how much is added at the ends; an int for both, or (left, right). Negative numbers
            cut off.

    Shape:
        Input: (N, C, W) or (C, W).
        Output: the same, with left + W + right for W.

    Raises:
        NotImplementedError: at the call, for an input of another rank.

    As torch.nn.ReplicationPad1d.
    """

    _padded_sides = 2


class ReplicationPad2d(_ReplicationPadNd):
    """Pads the last two dimensions with their borders.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom).
            Negative numbers cut off.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: the same, with left + W + right for W and top + H + bottom for H.

    Raises:
        NotImplementedError: at the call, for an input of another rank.

    As torch.nn.ReplicationPad2d.
    """

    _padded_sides = 4


class ReplicationPad3d(_ReplicationPadNd):
    """Pads the last three dimensions with their borders.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom,
            front, back). Negative numbers cut off.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: the same, with left + W + right for W, top + H + bottom for H and front + D + back
            for D.

    Raises:
        NotImplementedError: at the call, for an input of another rank.

    As torch.nn.ReplicationPad3d.
    """

    _padded_sides = 6


@named_by_subclasses("__init__")
class _CircularPadNd(_PadNd):
    __constants__ = ["padding"]
    _fill_mode = "circular"

    def _check_input_dim(self, input: Any) -> None:
        least = self._padded_sides // 2 + 1
        if input.dim() not in (least, least + 1):
            raise ValueError(f"expected {least}D or {least + 1}D input (got {input.dim()}D input)")

    def forward(self, input: Any) -> Any:
        self._check_input_dim(input)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads the last dimension from its other end.

    Args:
        padding: how much is added at the ends; an int for both, or (left, right). Negative numbers
            cut off.

    Shape:
        Input: (N, C, W) or (C, W).
        Output: the same, with left + W + right for W.

    Raises:
        ValueError: at the call, for an input of another rank.
        RuntimeError: at the call, if a number is greater than the size of its dimension.

    As torch.nn.CircularPad1d.
    """

    _padded_sides = 2


class CircularPad2d(_CircularPadNd):
    """Pads the last two dimensions from their other ends.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom).
            Negative numbers cut off.

    Shape:
        Input: (N, C, H, W) or (C, H, W).
        Output: the same, with left + W + right for W and top + H + bottom for H.

    Raises:
        ValueError: at the call, for an input of another rank.
        RuntimeError: at the call, if a number is greater than the size of its dimension.

    As torch.nn.CircularPad2d.
    """

    _padded_sides = 4


class CircularPad3d(_CircularPadNd):
    """Pads the last three dimensions from their other ends.

    Args:
        padding: how much is added at each side; an int for all, or (left, right, top, bottom,
            front, back). Negative numbers cut off.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W).
        Output: the same, with left + W + right for W, top + H + bottom for H and front + D + back
            for D.

    Raises:
        ValueError: at the call, for an input of another rank.
        RuntimeError: at the call, if a number is greater than the size of its dimension.

    As torch.nn.CircularPad3d.
    """

    _padded_sides = 6
