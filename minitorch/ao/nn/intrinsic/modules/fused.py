"""torch.ao.nn.intrinsic.modules.fused: rows of layers that a quantized model computes as one.

They compute what the layers compute one after the other. Their classes tell what to put in their
place: layers with rounded weights in training, one layer of integers after it.
"""

from __future__ import annotations

from typing import Any

from minitorch import nn
from minitorch.nn import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Conv1d,
    Conv2d,
    Conv3d,
    Linear,
    ReLU,
)
from minitorch.nn.utils.parametrize import type_before_parametrizations

__all__ = [
    "ConvReLU1d",
    "ConvReLU2d",
    "ConvReLU3d",
    "LinearReLU",
    "ConvBn1d",
    "ConvBn2d",
    "ConvBnReLU1d",
    "ConvBnReLU2d",
    "ConvBn3d",
    "ConvBnReLU3d",
    "BNReLU2d",
    "BNReLU3d",
    "LinearBn1d",
    "LinearLeakyReLU",
    "LinearTanh",
    "ConvAdd2d",
    "ConvAddReLU2d",
]


class _FusedModule(nn.Sequential):
    """The ground of them all."""


def _check(
    modules: tuple[Any, ...], *classes: type, kind: Any = type_before_parametrizations
) -> None:
    """Checks the classes of the layers of a row. AssertionError for others."""
    kinds = [kind(each) for each in modules]
    if kinds == list(classes):
        return
    *most, last = [each.__name__ for each in kinds]
    names = f"{', '.join(most)}{',' * (len(most) > 1)} and {last}"
    raise AssertionError(f"Incorrect types for input modules: {names}")


class ConvReLU1d(_FusedModule):
    """A Conv1d and a ReLU.

    Args:
        conv, relu: the layers.

    As torch.ao.nn.intrinsic.ConvReLU1d.
    """

    def __init__(self, conv: Any, relu: Any) -> None:
        _check((conv, relu), Conv1d, ReLU)
        super().__init__(conv, relu)


class ConvReLU2d(_FusedModule):
    """A Conv2d and a ReLU.

    Args:
        conv, relu: the layers.

    As torch.ao.nn.intrinsic.ConvReLU2d.
    """

    def __init__(self, conv: Any, relu: Any) -> None:
        _check((conv, relu), Conv2d, ReLU)
        super().__init__(conv, relu)


class ConvReLU3d(_FusedModule):
    """A Conv3d and a ReLU.

    Args:
        conv, relu: the layers.

    As torch.ao.nn.intrinsic.ConvReLU3d.
    """

    def __init__(self, conv: Any, relu: Any) -> None:
        _check((conv, relu), Conv3d, ReLU)
        super().__init__(conv, relu)


class LinearReLU(_FusedModule):
    """A Linear and a ReLU.

    Args:
        linear, relu: the layers.

    As torch.ao.nn.intrinsic.LinearReLU.
    """

    def __init__(self, linear: Any, relu: Any) -> None:
        _check((linear, relu), Linear, ReLU)
        super().__init__(linear, relu)


class ConvBn1d(_FusedModule):
    """A Conv1d and a BatchNorm1d.

    Args:
        conv, bn: the layers.

    As torch.ao.nn.intrinsic.ConvBn1d.
    """

    def __init__(self, conv: Any, bn: Any) -> None:
        _check((conv, bn), Conv1d, BatchNorm1d)
        super().__init__(conv, bn)


class ConvBn2d(_FusedModule):
    """A Conv2d and a BatchNorm2d.

    Args:
        conv, bn: the layers.

    As torch.ao.nn.intrinsic.ConvBn2d.
    """

    def __init__(self, conv: Any, bn: Any) -> None:
        _check((conv, bn), Conv2d, BatchNorm2d)
        super().__init__(conv, bn)


class ConvBnReLU1d(_FusedModule):
    """A Conv1d, a BatchNorm1d and a ReLU.

    Args:
        conv, bn, relu: the layers.

    As torch.ao.nn.intrinsic.ConvBnReLU1d.
    """

    def __init__(self, conv: Any, bn: Any, relu: Any) -> None:
        _check((conv, bn, relu), Conv1d, BatchNorm1d, ReLU)
        super().__init__(conv, bn, relu)


class ConvBnReLU2d(_FusedModule):
    """A Conv2d, a BatchNorm2d and a ReLU.

    Args:
        conv, bn, relu: the layers.

    As torch.ao.nn.intrinsic.ConvBnReLU2d.
    """

    def __init__(self, conv: Any, bn: Any, relu: Any) -> None:
        _check((conv, bn, relu), Conv2d, BatchNorm2d, ReLU)
        super().__init__(conv, bn, relu)


class ConvBn3d(_FusedModule):
    """A Conv3d and a BatchNorm3d.

    Args:
        conv, bn: the layers.

    As torch.ao.nn.intrinsic.ConvBn3d.
    """

    def __init__(self, conv: Any, bn: Any) -> None:
        _check((conv, bn), Conv3d, BatchNorm3d)
        super().__init__(conv, bn)


class ConvBnReLU3d(_FusedModule):
    """A Conv3d, a BatchNorm3d and a ReLU.

    Args:
        conv, bn, relu: the layers.

    As torch.ao.nn.intrinsic.ConvBnReLU3d.
    """

    def __init__(self, conv: Any, bn: Any, relu: Any) -> None:
        _check((conv, bn, relu), Conv3d, BatchNorm3d, ReLU)
        super().__init__(conv, bn, relu)


class BNReLU2d(_FusedModule):
    """A BatchNorm2d and a ReLU.

    Args:
        batch_norm, relu: the layers.

    As torch.ao.nn.intrinsic.BNReLU2d.
    """

    def __init__(self, batch_norm: Any, relu: Any) -> None:
        _check((batch_norm, relu), BatchNorm2d, ReLU)
        super().__init__(batch_norm, relu)


class BNReLU3d(_FusedModule):
    """A BatchNorm3d and a ReLU.

    Args:
        batch_norm, relu: the layers.

    As torch.ao.nn.intrinsic.BNReLU3d.
    """

    def __init__(self, batch_norm: Any, relu: Any) -> None:
        _check((batch_norm, relu), BatchNorm3d, ReLU)
        super().__init__(batch_norm, relu)


class LinearBn1d(_FusedModule):
    """A Linear and a BatchNorm1d.

    Args:
        linear, bn: the layers.

    As torch.ao.nn.intrinsic.LinearBn1d.
    """

    def __init__(self, linear: Any, bn: Any) -> None:
        _check((linear, bn), Linear, BatchNorm1d)
        super().__init__(linear, bn)


class LinearLeakyReLU(_FusedModule):
    """A Linear and a LeakyReLU.

    Args:
        linear, leaky_relu: the layers.

    As torch.ao.nn.intrinsic.LinearLeakyReLU.
    """

    def __init__(self, linear: Any, leaky_relu: Any) -> None:
        _check((linear, leaky_relu), Linear, nn.LeakyReLU, kind=type)
        super().__init__(linear, leaky_relu)


class LinearTanh(_FusedModule):
    """A Linear and a Tanh.

    Args:
        linear, tanh: the layers.

    As torch.ao.nn.intrinsic.LinearTanh.
    """

    def __init__(self, linear: Any, tanh: Any) -> None:
        _check((linear, tanh), Linear, nn.Tanh, kind=type)
        super().__init__(linear, tanh)


class ConvAdd2d(_FusedModule):
    """A convolution, to whose output a second input is added.

    Args:
        conv: the layer.
        add: the function that adds.

    As torch.ao.nn.intrinsic.ConvAdd2d.
    """

    def __init__(self, conv: Any, add: Any) -> None:
        super().__init__(conv)
        self.add = add

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        """The sum of the convolution of `x1` and of `x2`."""
        return self.add(self[0](x1), x2)


class ConvAddReLU2d(_FusedModule):
    """A convolution, to whose output a second input is added, and a ReLU.

    Args:
        conv: the layer.
        add: the function that adds.
        relu: the last layer.

    As torch.ao.nn.intrinsic.ConvAddReLU2d.
    """

    def __init__(self, conv: Any, add: Any, relu: Any) -> None:
        super().__init__(conv)
        self.add = add
        self.relu = relu

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        """The positive part of the sum of the convolution of `x1` and of `x2`."""
        return self.relu(self.add(self[0](x1), x2))
