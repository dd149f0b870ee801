"""The base of the losses: the reduction, also by its old switches, and a weight."""

from __future__ import annotations

from typing import Any

from minitorch.nn.modules.module import Module

__all__: list[str] = []


def _legacy_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """The reduction that the old switches `size_average` and `reduce` stand for."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        reduction = "none"
    else:
        reduction = "sum" if size_average is False else "mean"
    import warnings

    warnings.warn(
        "size_average and reduce args will be deprecated, please use "
        f"reduction='{reduction}' instead.",
        UserWarning,
        stacklevel=4,
    )
    return reduction


class _Loss(Module):
    __module__ = "torch.nn.modules.loss"

    reduction: str

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.reduction = _legacy_reduction(size_average, reduce, reduction)


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
