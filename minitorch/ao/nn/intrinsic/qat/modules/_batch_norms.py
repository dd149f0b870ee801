"""Batch norm behind a layer whose weight is rounded: its statistics, and how it is made."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.nn import init


class WithBatchNorm:
    """The part of a layer that has a batch norm, `bn`, whose statistics can be held."""

    bn: Any
    freeze_bn: bool
    training: bool

    def start_statistics(self, freeze_bn: bool) -> None:
        """Draws the parameters, and holds the statistics or lets them move."""
        self.reset_bn_parameters()
        if self.training and not freeze_bn:
            self.update_bn_stats()
        else:
            self.freeze_bn_stats()

    def reset_running_stats(self) -> None:
        """Forgets the statistics."""
        self.bn.reset_running_stats()

    def reset_bn_parameters(self) -> None:
        """Draws the weight of the batch norm anew, and forgets its statistics."""
        self.bn.reset_running_stats()
        init.uniform_(self.bn.weight)
        init.zeros_(self.bn.bias)

    def update_bn_stats(self) -> Any:
        """Lets the statistics move. Returns the module itself."""
        self.freeze_bn = False
        self.bn.training = True
        return self

    def freeze_bn_stats(self) -> Any:
        """Holds the statistics. Returns the module itself."""
        self.freeze_bn = True
        self.bn.training = False
        return self

    def train(self: Any, mode: bool = True) -> Any:
        """Sets training; the batch norm stays in evaluation while its statistics are held.

        Args:
            mode: whether the module trains.
        """
        self.training = mode
        if not self.freeze_bn:
            for module in self.children():
                module.train(mode)
        return self


def channel_shape(layer: Any) -> list[int]:
    """The shape in which a vector of channels meets an output of the layer."""
    return [1, -1, *[1] * (len(layer.weight.shape) - 2)]


def factors(layer: Any) -> tuple[Any, Any]:
    """The factors of the batch norm for each channel, and the deviations, by its statistics."""
    if layer.bn.running_var is None:
        raise AssertionError("self.bn.running_var must not be None")
    deviation = torch.sqrt(layer.bn.running_var + layer.bn.eps)
    return layer.bn.weight / deviation, deviation


def scaled_weight(layer: Any, factor: Any) -> Any:
    """The weight with the factors of the batch norm, rounded."""
    shape = [-1, *[1] * (len(layer.weight.shape) - 1)]
    return layer.weight_fake_quant(layer.weight * factor.reshape(shape))


def take_parameters(made: Any, layer: Any, bn: Any) -> Any:
    """Gives a layer the parameters and the statistics of two plain ones."""
    made.weight = layer.weight
    made.bias = layer.bias
    made.bn.weight = bn.weight
    made.bn.bias = bn.bias
    made.bn.running_mean = bn.running_mean
    made.bn.running_var = bn.running_var
    made.bn.num_batches_tracked = bn.num_batches_tracked
    return made


def check_statistics(bn: Any) -> None:
    """Checks that a batch norm has statistics. AssertionError otherwise."""
    if bn.running_var is None or bn.running_mean is None:
        raise AssertionError("self.bn.running_var and self.bn.running_mean must not be None")
