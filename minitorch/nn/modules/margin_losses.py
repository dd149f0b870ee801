"""Losses with a margin, which torch has beside the other losses."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.naming import name_after
from minitorch.nn import functional as F
from minitorch.nn.modules.distance import PairwiseDistance
from minitorch.nn.modules.loss_base import _Loss, _WeightedLoss

__all__ = (
    "CosineEmbeddingLoss HingeEmbeddingLoss MarginRankingLoss MultiLabelMarginLoss "
    "MultiLabelSoftMarginLoss MultiMarginLoss SoftMarginLoss TripletMarginLoss "
    "TripletMarginWithDistanceLoss"
).split()


class HingeEmbeddingLoss(_Loss):
    """The input where the target is 1, max(0, margin - input) where it is -1.

    Args:
        margin: the input above which a -1 costs nothing.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (*), any shape. The target holds 1 and -1.
        Output: (), or (*) if `reduction` is 'none'.

    As torch.nn.HingeEmbeddingLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["margin", "reduction"]

    def __init__(
        self,
        margin: float = 1.0,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Any, target: Any) -> Any:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, margin - target * (input1 - input2)).

    Args:
        margin: by how much the right one must be ahead.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Inputs and target: (*), of the same rank. The target holds 1 (input1 is to be greater) and
            -1.
        Output: (), or (*) if `reduction` is 'none'.

    Raises:
        RuntimeError: at the call, for different ranks.

    As torch.nn.MarginRankingLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["margin", "reduction"]

    def __init__(
        self,
        margin: float = 0.0,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        return F.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class CosineEmbeddingLoss(MarginRankingLoss):
    """1 - cos of two vectors where the target is 1, max(0, cos - margin) where it is -1.

    Args:
        margin: the cosine up to which a -1 costs nothing, from -1 to 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each pair's loss, or 'mean' or 'sum' of all.

    Shape:
        Inputs: (N, D) or (D). Target: (N) or (), of 1 and -1.
        Output: (), or the target's shape if `reduction` is 'none'.

    Raises:
        RuntimeError: at the call, for other ranks.

    As torch.nn.CosineEmbeddingLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["margin", "reduction"]

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        return F.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


name_after(CosineEmbeddingLoss, "__init__")


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of the cross entropy of sigmoid(input) and chances `target`.

    Args:
        weight: (C), a weight for each class; None for 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each sample's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (N, C) or (C).
        Output: (), or (N) if `reduction` is 'none'.

    Attributes:
        weight: a buffer, (C); None if it was not given.

    As torch.nn.MultiLabelSoftMarginLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["reduction"]

    def forward(self, input: Any, target: Any) -> Any:
        return F.multilabel_soft_margin_loss(
            input, target, weight=self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """max(0, margin + the distance to the positive - that to the negative).

    Called with anchor, positive and negative.

    Args:
        margin: by how much the negative must be farther away, positive.
        p: the exponent of the norm that is the distance.
        eps: what is added to each difference.
        swap: whether the distance from positive to negative counts for that to the negative, if it
            is smaller.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each triplet's loss, or 'mean' or 'sum' of all.

    Shape:
        Inputs: (N, D) or (D), of the same rank.
        Output: (), or (N) if `reduction` is 'none'.

    Raises:
        ValueError: if `margin` is not positive.
        RuntimeError: at the call, for different ranks.

    As torch.nn.TripletMarginLoss. Balntas et al., http://www.bmva.org/bmvc/2016/papers/paper119/.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a distance function that the caller passes.

    Called with anchor, positive and negative.

    Args:
        distance_function: takes two inputs and gives their distances; None for PairwiseDistance().
        margin: by how much the negative must be farther away, positive.
        swap: whether the distance from positive to negative counts for that to the negative, if it
            is smaller.
        reduction: 'none' for each triplet's loss, or 'mean' or 'sum' of all.

    Shape:
        Inputs: (N, *), as the function takes them.
        Output: (), or the shape of the distances if `reduction` is 'none'.

    Raises:
        ValueError: if `margin` is not positive.

    As torch.nn.TripletMarginWithDistanceLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["margin", "swap", "reduction"]

    def __init__(
        self,
        *,
        distance_function: Any = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(
                "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got "
                f"{margin} instead"
            )
        if distance_function is None:
            distance_function = PairwiseDistance()
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target * input)), the targets 1 or -1.

    Args:
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (*), any shape.
        Output: (), or (*) if `reduction` is 'none'.

    As torch.nn.SoftMarginLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["reduction"]

    def forward(self, input: Any, target: Any) -> Any:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """The mean over classes of max(0, margin - input[target] + input[class]) ** p.

    The target's own class counts 0.

    Args:
        p: the exponent, 1 or 2.
        margin: by how much the target's class must be ahead.
        weight: (C), a factor for the losses of each target class; None for 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each sample's loss, or 'mean' or 'sum' of all.

    Shape:
        Input: (N, C) or (C). Target: (N) or (), int64.
        Output: (), or the target's shape if `reduction` is 'none'.

    Attributes:
        weight: a buffer, (C); None if it was not given.

    Raises:
        ValueError: if `p` is neither 1 nor 2, or `weight` has not one dimension.
        RuntimeError: at the call, for a target that is none of the classes.

    As torch.nn.MultiMarginLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["p", "margin", "reduction"]

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Any = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                "MultiMarginLoss: expected weight to be None or 1D tensor, got "
                f"{weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: Any, target: Any) -> Any:
        return F.multi_margin_loss(
            input,
            target,
            p=self.p,
            margin=self.margin,
            weight=self.weight,
            reduction=self.reduction,
        )


class MultiLabelMarginLoss(_Loss):
    """How much each class that is no label comes too near one, the labels up to the first -1.

    The sum over labels i and other classes j of max(0, 1 - input[i] + input[j]), over C.

    Args:
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each sample's loss, or 'mean' or 'sum' of all.

    Shape:
        Input: (N, C) or (C). Target: likewise, int64: a sample's labels, then -1.
        Output: (), or (N) if `reduction` is 'none'.

    Raises:
        RuntimeError: at the call, for a label that is none of the classes.

    As torch.nn.MultiLabelMarginLoss.
    """

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["reduction"]

    def forward(self, input: Any, target: Any) -> Any:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)
