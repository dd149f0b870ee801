"""Losses as modules. Each is described at https://docs.pytorch.org/docs/stable/nn.html#loss-functions."""

from __future__ import annotations

import math
from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.linear import Linear
from minitorch.nn.modules.loss_base import _Loss as _Loss
from minitorch.nn.modules.loss_base import _WeightedLoss as _WeightedLoss
from minitorch.nn.modules.margin_losses import CosineEmbeddingLoss as CosineEmbeddingLoss
from minitorch.nn.modules.margin_losses import HingeEmbeddingLoss as HingeEmbeddingLoss
from minitorch.nn.modules.margin_losses import MarginRankingLoss as MarginRankingLoss
from minitorch.nn.modules.margin_losses import MultiLabelMarginLoss as MultiLabelMarginLoss
from minitorch.nn.modules.margin_losses import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from minitorch.nn.modules.margin_losses import MultiMarginLoss as MultiMarginLoss
from minitorch.nn.modules.margin_losses import SoftMarginLoss as SoftMarginLoss
from minitorch.nn.modules.margin_losses import TripletMarginLoss as TripletMarginLoss
from minitorch.nn.modules.margin_losses import (
    TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss,
)

__all__ = (
    "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss "
    "HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MSELoss "
    "MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss "
    "NLLLoss2d PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
    "TripletMarginWithDistanceLoss"
).split()


class L1Loss(_Loss):
    """The absolute error.

    Args:
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (*), any shape. Other shapes than equal ones are broadcast, and warn.
        Output: (), or (*) if `reduction` is 'none'.

    As torch.nn.L1Loss.
    """

    __constants__ = ["reduction"]

    def forward(self, input: Any, target: Any) -> Any:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The squared error.

    Args:
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (*), any shape. Other shapes than equal ones are broadcast, and warn.
        Output: (), or (*) if `reduction` is 'none'.

    As torch.nn.MSELoss.
    """

    __constants__ = ["reduction"]

    def forward(self, input: Any, target: Any) -> Any:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Half the squared error over beta below beta, the absolute error less beta / 2 above.

    Args:
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.
        beta: the error where the two meet, not negative. 0 gives L1Loss.

    Shape:
        Input and target: (*), any shape. Other shapes than equal ones are broadcast, and warn.
        Output: (), or (*) if `reduction` is 'none'.

    Raises:
        RuntimeError: at the call, if `beta` is negative.

    As torch.nn.SmoothL1Loss.
    """

    __constants__ = ["reduction"]

    def __init__(
        self,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the squared error below delta, delta times the absolute error less delta / 2 above.

    Args:
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.
        delta: the error where the two meet, positive.

    Shape:
        Input and target: (*), any shape. Other shapes than equal ones are broadcast, and warn.
        Output: (), or (*) if `reduction` is 'none'.

    Raises:
        TypeError: if `delta` is no number.
        RuntimeError: at the call, if `delta` is not positive.

    As torch.nn.HuberLoss.
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Any:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """Minus the log-probabilities `input` at the classes `target`.

    Args:
        weight: (C), a weight for each class; None for 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        ignore_index: a target that counts for nothing.
        reduction: 'none' for each target's loss, or 'mean' or 'sum' of all (the mean weights each
            by its class, and leaves out what is ignored).

    Shape:
        Input: (N, C), (C), or (N, C, d1, ..., dk). Target: (N), (), or (N, d1, ..., dk), int64.
        Output: (), or the target's shape if `reduction` is 'none'.

    Attributes:
        weight: a buffer, (C); None if it was not given.

    Raises:
        IndexError: at the call, for a target that is none of the classes.
        ValueError: at the call, if input and target have batches of other sizes.
        RuntimeError: at the call, if `weight` has another size than C.

    As torch.nn.NLLLoss.
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Any, target: Any) -> Any:
        return F.nll_loss(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )


class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy of softmax(input) and `target`, classes or probabilities of classes.

    Args:
        weight: (C), a weight for each class; None for 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        ignore_index: a target that counts for nothing.
        reduction: 'none' for each target's loss, or 'mean' or 'sum' of all (the mean weights each
            by its class, and leaves out what is ignored).
        label_smoothing: the part of a target, from 0 to 1, that is spread evenly over all classes.

    Shape:
        Input: (N, C), (C), or (N, C, d1, ..., dk).
        Target: classes, (N), (), or (N, d1, ..., dk), int64; or probabilities, of the input's shape
            and dtype.
        Output: (), or the shape of a target of classes if `reduction` is 'none'.

    Attributes:
        weight: a buffer, (C); None if it was not given.

    Raises:
        IndexError: at the call, for a target that is none of the classes.
        ValueError: at the call, if input and target have batches of other sizes.
        RuntimeError: at the call, if `weight` has another size than C, for `label_smoothing`
            outside of [0, 1], or an `ignore_index` that is not negative with probabilities.

    As torch.nn.CrossEntropyLoss.
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Any, target: Any) -> Any:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(_WeightedLoss):
    """The cross entropy of the chances `input` and `target`.

    -(target * log(input) + (1 - target) * log(1 - input)), where logarithms are at least -100.

    Args:
        weight: a factor for each element, broadcast; None for 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (*), any equal shapes.
        Output: (), or (*) if `reduction` is 'none'.

    Attributes:
        weight: a buffer; None if it was not given.

    Raises:
        RuntimeError: at the call, for an input or target outside of [0, 1].
        ValueError: at the call, if input and target have other shapes.

    As torch.nn.BCELoss.
    """

    __constants__ = ["reduction"]

    def forward(self, input: Any, target: Any) -> Any:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """The cross entropy of the chances sigmoid(input) and `target`.

    Args:
        weight: a factor for each element, broadcast; None for 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.
        pos_weight: a factor for the part that `target` counts, broadcast; None for 1.

    Shape:
        Input and target: (*), any equal shapes.
        Output: (), or (*) if `reduction` is 'none'.

    Attributes:
        weight, pos_weight: buffers; None if they were not given.

    Raises:
        ValueError: at the call, if input and target have other shapes.

    As torch.nn.BCEWithLogitsLoss.
    """

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Any = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Any, target: Any) -> Any:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of log-probabilities `input` from `target`.

    target * (log(target) - input).

    Args:
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        reduction: 'none' for each element's loss, 'sum' of all, 'batchmean' for the sum over the
            size of dimension 0, or 'mean' of all, which is not the divergence and warns.
        log_target: whether `target` holds log-probabilities too.

    Shape:
        Input and target: (*), any shape. Other shapes than equal ones are broadcast.
        Output: (), or (*) if `reduction` is 'none'.

    As torch.nn.KLDivLoss.
    """

    __constants__ = ["reduction"]

    def __init__(
        self,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Any:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """The negative log likelihood of counts under means, or their logarithms.

    exp(input) - target * input if `log_input`, else input - target * log(input + eps).

    Args:
        log_input: whether the input holds logarithms of means.
        full: whether Stirling's approximation of log(target!) is added for targets above 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        eps: what is added to a mean before its logarithm.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (*), any shapes that broadcast.
        Output: (), or (*) if `reduction` is 'none'.

    As torch.nn.PoissonNLLLoss.
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: float = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Any, target: Any) -> Any:
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """The negative log likelihood of targets under normal distributions.

    (log(var) + (input - target)**2 / var) / 2. Called with input (the means), target and `var`.

    Args:
        full: whether the constant log(2 * pi) / 2 is added.
        eps: the least variance that counts.
        reduction: 'none' for each element's loss, or 'mean' or 'sum' of all.

    Shape:
        Input and target: (*), any shapes that broadcast. `var`: the input's shape, or that with a
            last dimension of 1 or without it, or a number.
        Output: (), or (*) if `reduction` is 'none'.

    Raises:
        ValueError: at the call, if `var` is negative anywhere or has another shape.

    As torch.nn.GaussianNLLLoss.
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Any, target: Any, var: Any) -> Any:
        return F.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )


class CTCLoss(_Loss):
    """Minus the log-probability that sequences with repetitions and blanks read as the targets.

    Called with log_probs, targets, input_lengths and target_lengths.

    Args:
        blank: the class that stands for nothing.
        reduction: 'none' for each sequence's loss, 'sum' of all, or 'mean' of each over the length
            of its target.
        zero_infinity: whether an infinite loss, of an input too short for its target, becomes 0,
            and its gradient too.

    Shape:
        log_probs: (T, N, C) or (T, C). input_lengths, target_lengths: (N) or ().
        targets: (N, S), or one after the other, (sum(target_lengths)); without blanks.
        Output: (), or (N) if `reduction` is 'none'.

    Raises:
        RuntimeError: at the call, if `blank` is none of the classes, or an input length is more
            than T.

    As torch.nn.CTCLoss. Graves et al., 2006: Connectionist temporal classification.
    """

    __constants__ = ["blank", "reduction"]

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        return F.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross entropy between the output of a Linear of its own for the input, and the target.

    Args:
        in_features: the size of an input.
        num_classes: C, the number of classes.
        out_features: the sizes d1, ..., dk of further dimensions of the logits.
        bias: whether the Linear has a bias.
        device, dtype: of the Linear's parameters.
        reduction: 'none' for each target's loss, or 'mean' or 'sum' of all.
        weight: (C), a weight for each class; None for 1.
        ignore_index: a target that counts for nothing; None for -100.
        label_smoothing: the part of a target, from 0 to 1, that is spread evenly over all classes.
        options: LinearCrossEntropyOptions, by which the batch goes through in chunks, so that there
            are never all logits at a time; None for the whole batch at once.

    Shape:
        Input: (N, in_features) or (in_features).
        Target: classes, (N, d1, ..., dk) or without N, int64; or probabilities, (N, C, d1, ...,
            dk).
        Output: (), or the shape of a target of classes if `reduction` is 'none'.

    Attributes:
        linear: a Linear from in_features to C * d1 * ... * dk.
        weight: a buffer, (C); None if it was not given.

    Raises:
        RuntimeError: if `weight` has another size than C, or for `label_smoothing` outside of [0,
            1]; at the call, for an input of another rank.

    As torch.nn.LinearCrossEntropyLoss.
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Any = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(
                f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}"
            )
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(
                f"expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        super().__init__(weight=weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        rows = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, rows, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Any, target: Any) -> Any:
        shape = (self.num_classes, *self.out_features)
        weight, bias = self.linear.weight, self.linear.bias
        return F.linear_cross_entropy(
            input,
            weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


class NLLLoss2d(NLLLoss):
    """NLLLoss under its old name. Deprecated.

    Args:
        weight: (C), a weight for each class; None for 1.
        size_average, reduce: old switches in the place of `reduction`. Deprecated: they warn.
        ignore_index: a target that counts for nothing.
        reduction: 'none' for each target's loss, or 'mean' or 'sum' of all (the mean weights each
            by its class, and leaves out what is ignored).

    Shape:
        Input: (N, C), (C), or (N, C, d1, ..., dk). Target: (N), (), or (N, d1, ..., dk), int64.
        Output: (), or the target's shape if `reduction` is 'none'.

    Attributes:
        weight: a buffer, (C); None if it was not given.

    Raises:
        IndexError: at the call, for a target that is none of the classes.
        ValueError: at the call, if input and target have batches of other sizes.
        RuntimeError: at the call, if `weight` has another size than C.

    As torch.nn.NLLLoss2d.
    """

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        import warnings

        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in "
            "replacement and see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more "
            "details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)
