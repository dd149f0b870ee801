"""torch.ao.nn.intrinsic.qat.modules.linear_fused: a linear map and a batch norm in training."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.nn.intrinsic.modules import fused
from minitorch.ao.nn.intrinsic.qat.modules._batch_norms import (
    WithBatchNorm,
    channel_shape,
    check_statistics,
    factors,
    scaled_weight,
    take_parameters,
)
from minitorch.ao.nn.qat.modules._qconfigs import check_float, check_given
from minitorch.nn import functional as F
from minitorch.nn.parameter import Parameter
from minitorch.nn.utils.fusion import fuse_linear_bn_weights

__all__ = ["LinearBn1d"]


class LinearBn1d(WithBatchNorm, nn.modules.linear.Linear, fused._FusedModule):
    """A Linear and a BatchNorm1d; the weight is rounded as it will be once both are one layer.

    Args:
        in_features, out_features: the sizes of inputs and outputs.
        bias: whether a bias is added.
        eps, momentum: of the batch norm.
        freeze_bn: whether its statistics are held.
        qconfig: the QConfig that rounds the weight.

    As torch.ao.nn.intrinsic.qat.LinearBn1d.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        eps: float = 1e-05,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        nn.modules.linear.Linear.__init__(self, in_features, out_features, bias)
        check_given(qconfig)
        self.qconfig = qconfig
        self.freeze_bn = freeze_bn if self.training else True
        self.bn = nn.BatchNorm1d(out_features, eps, momentum, True, True)
        self.weight_fake_quant = self.qconfig.weight()
        if bias:
            self.bias = Parameter(torch.empty(out_features))
        else:
            self.register_parameter("bias", None)
        self.start_statistics(freeze_bn)

    def forward(self, input: Any) -> Any:
        """The batch norm of the linear map, by a weight that was rounded with both factors."""
        factor, _ = factors(self)
        shape = channel_shape(self)
        weight = scaled_weight(self, factor)
        if self.bias is not None:
            zeros = torch.zeros_like(self.bias)
        else:
            zeros = torch.zeros(self.out_features, device=weight.device)
        plain = F.linear(input, weight, zeros) / factor.reshape(shape)
        if self.bias is not None:
            plain = plain + self.bias.reshape(shape)
        return self.bn(plain)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """A layer with the parameters of a plain row, which has a QConfig.

        Args:
            mod: the plain layers.
            use_precomputed_fake_quant: not used.
        """
        if type(mod) is not fused.LinearBn1d:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {fused.LinearBn1d.__name__}"
            )
        check_float(mod, "config")
        linear, bn = mod[0], mod[1]
        sizes = linear.in_features, linear.out_features, linear.bias is not None
        made = cls(*sizes, bn.eps, bn.momentum, False, mod.qconfig)
        return take_parameters(made, linear, bn)

    def to_float(self) -> Any:
        """A plain Linear that computes both layers."""
        linear = torch.nn.Linear(self.in_features, self.out_features)
        check_statistics(self.bn)
        linear.weight, linear.bias = fuse_linear_bn_weights(
            self.weight,
            self.bias,
            self.bn.running_mean,
            self.bn.running_var,
            self.bn.eps,
            self.bn.weight,
            self.bn.bias,
        )
        return linear
