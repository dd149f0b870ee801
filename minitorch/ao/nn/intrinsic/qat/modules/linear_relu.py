"""torch.ao.nn.intrinsic.qat.modules.linear_relu: a linear map and a ReLU, with a rounded weight."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.ao.nn.intrinsic.modules import fused
from minitorch.ao.nn.qat.modules._qconfigs import with_values
from minitorch.ao.nn.qat.modules.linear import Linear
from minitorch.nn import functional as F

__all__ = ["LinearReLU"]


class LinearReLU(Linear, fused._FusedModule):
    """A Linear and a ReLU, whose weight is rounded to a grid at each call.

    Args:
        in_features, out_features: the sizes of inputs and outputs.
        bias: whether a bias is added.
        qconfig: the QConfig that rounds the weight.

    As torch.ao.nn.intrinsic.qat.LinearReLU.
    """

    _FLOAT_MODULE: Any = fused.LinearReLU

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, qconfig: Any = None
    ) -> None:
        super().__init__(in_features, out_features, bias, qconfig)

    def forward(self, input: Any) -> Any:
        """The positive part of the linear map of `input`."""
        return F.relu(F.linear(input, self.weight_fake_quant(self.weight), self.bias))

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """A layer with the parameters of a plain row, which has a QConfig.

        Args:
            mod: the plain layers.
            use_precomputed_fake_quant: not used.
        """
        return super().from_float(mod, use_precomputed_fake_quant)

    def to_float(self) -> Any:
        """Plain layers with the numbers of this one."""
        linear = torch.nn.Linear(self.in_features, self.out_features, self.bias is not None)
        return fused.LinearReLU(with_values(linear, self), torch.nn.ReLU())
