"""The base of the losses: the reduction, also by its old switches, and a weight."""

from __future__ import annotations

from typing import Any

from minitorch.nn import _reduction
from minitorch.nn.modules.module import Module

__all__: list[str] = []


class _Loss(Module):
    __module__ = "torch.nn.modules.loss"

    reduction: str

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = _reduction.legacy_get_string(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    __module__ = "torch.nn.modules.loss"

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
