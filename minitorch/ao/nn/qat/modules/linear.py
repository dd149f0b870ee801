"""torch.ao.nn.qat.modules.linear: a linear map whose weight is rounded in training."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.nn.intrinsic.modules.fused import LinearReLU
from minitorch.ao.nn.qat.modules._qconfigs import check_float, check_given, with_values
from minitorch.nn import functional as F
from minitorch.nn.utils.parametrize import (
    is_parametrized,
    transfer_parametrizations_and_params,
    type_before_parametrizations,
)

__all__ = ["Linear"]


class Linear(nn.Linear):
    """nn.Linear whose weight is rounded to a grid at each call.

    Args:
        in_features, out_features: the sizes of inputs and outputs.
        bias: whether a bias is added.
        qconfig: the QConfig that rounds the weight.
        device, dtype: of the parameters.

    Raises:
        AssertionError: without a QConfig.

    As torch.ao.nn.qat.Linear.
    """

    _FLOAT_MODULE: Any = nn.Linear

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__(in_features, out_features, bias, **factory_kwargs)
        check_given(qconfig)
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight(factory_kwargs=factory_kwargs)

    def forward(self, input: Any) -> Any:
        """The linear map of `input` by the rounded weight."""
        return F.linear(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """A layer with the parameters of a plain one, which has a QConfig.

        Args:
            mod: the plain layer.
            use_precomputed_fake_quant: not used.
        """
        if type_before_parametrizations(mod) != cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, "
                f"got {type_before_parametrizations(mod).__name__}"
            )
        check_float(mod)
        if type_before_parametrizations(mod) == LinearReLU:
            mod = mod[0]
        qat = cls(mod.in_features, mod.out_features, bias=mod.bias is not None, qconfig=mod.qconfig)
        for name in ("weight", "bias"):
            if is_parametrized(mod, name):
                transfer_parametrizations_and_params(mod, qat, name)
            else:
                setattr(qat, name, getattr(mod, name))
        return qat

    def to_float(self) -> Any:
        """A plain layer with the numbers of this one."""
        plain = torch.nn.Linear(self.in_features, self.out_features, self.bias is not None)
        with_values(plain, self).train(self.training)
        return plain
