"""torch.ao.nn.qat.dynamic.modules.linear: a linear map whose weight is rounded in training."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.ao.nn.qat.modules import linear

__all__ = ["Linear"]


class Linear(linear.Linear):
    """The layer of torch.ao.nn.qat, for inputs that are later rounded at each call.

    Args:
        in_features, out_features: the sizes of inputs and outputs.
        bias: whether a bias is added.
        qconfig: the QConfig that rounds the weight; its observer of inputs has no memory.
        device, dtype: of the parameters.

    Raises:
        ValueError: for an observer that has memory.

    As torch.ao.nn.qat.dynamic.Linear.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, bias, qconfig, device, dtype)
        if not torch.ao.quantization.qconfig._activation_is_memoryless(qconfig):
            raise ValueError(
                "Dynamic QAT requires a memoryless observer.This means a MovingAverage observer "
                "with averaging constant equal to 1"
            )
