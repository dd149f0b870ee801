"""The losses of torch.nn.functional of distances and margins, of counts and of sequences."""

from __future__ import annotations

import math
import warnings
from typing import Any

from minitorch.aten.losses import ctc as _ctc
from minitorch.aten.losses import distances as _distances
from minitorch.aten.losses import loss as _loss
from minitorch.aten.losses import margin_losses as _margins
from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.registry import FUNCTIONS
from minitorch.core.numbers import dtype as dtypes
from minitorch.nn._functional.usual_losses import _REDUCTIONS, _reduction
from minitorch.nn.functional import cross_entropy, linear, logsigmoid


def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """input where target is 1, max(0, margin - input) where it is -1.

    Args:
        input: distances, floating, of any shape.
        target: 1 or -1, of a shape that can be broadcast with that of `input`.
        margin: the distance from which dissimilar pairs cost nothing.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        Of the common shape for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: if the shapes cannot be broadcast.

    As torch.nn.functional.hinge_embedding_loss (ATen/native/Loss.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    return _distances.hinge_embedding_loss(input, target, margin, number)


def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """max(0, margin - target * (input1 - input2)).

    Args:
        input1, input2: what is ranked, floating, of shapes that can be broadcast.
        target: 1 if `input1` shall be the larger one, -1 if `input2` shall.
        margin: by how much at least.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        Of the common shape for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: if the three differ in their number of dimensions, or cannot be broadcast.

    As torch.nn.functional.margin_ranking_loss (ATen/native/Loss.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _distances.margin_ranking_loss(input1, input2, target, margin, number)


def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """1 - cos of two vectors where target is 1, max(0, cos - margin) where it is -1.

    Args:
        input1, input2: vectors, floating: (N, D) or (D,).
        target: 1 for similar pairs or -1, (N,) or of no dimension.
        margin: the cosine up to which dissimilar pairs cost nothing, from -1 to 1.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        (N,) or of no dimension for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: for other numbers of dimensions.

    As torch.nn.functional.cosine_embedding_loss (ATen/native/Loss.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    return _distances.cosine_embedding_loss(input1, input2, target, margin, number)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """max(0, margin + the distance to the positive - that to the negative).

    Args:
        anchor, positive, negative: vectors, floating: (N, D) or (D,).
        margin: by how much farther the negative shall be than the positive; positive itself.
        p: the exponent of the norm.
        eps: what is added to each difference.
        swap: whether the negative's distance is the lesser of that to the anchor and that to the
            positive.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        (N,) or of no dimension for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`, or a `margin` that is not positive.
        RuntimeError: if the three differ in their number of dimensions.

    As torch.nn.functional.triplet_margin_loss (ATen/native/Loss.cpp). Balntas et al., BMVC 2016.
    """
    number = _reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _distances.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """triplet_margin_loss with a given distance; pairwise_distance if None.

    Args:
        anchor, positive, negative: what `distance_function` takes, in pairs.
        distance_function: takes two of them, and gives distances.
        margin: by how much farther the negative shall be than the positive; positive itself.
        swap: whether the negative's distance is the lesser of that to the anchor and that to the
            positive.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        Of the shape of the distances for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`, or a `margin` that is not positive.
        RuntimeError: if the three differ in their number of dimensions.

    As torch.nn.functional.triplet_margin_with_distance_loss.
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = distance_function or _distances.pairwise_distance
    _distances.check_ranks(anchor, positive, negative)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = OPS.minimum(far, distance(positive, negative))
    return _loss.reduce(OPS.clamp_min(margin + near - far, 0), _REDUCTIONS[reduction])


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The negative log likelihood of counts under means `input`, or their logarithms.

    Args:
        input: the logarithms of means, or means; floating, of any shape.
        target: counts, of a shape that can be broadcast with that of `input`.
        log_input: whether `input` holds logarithms: exp(input) - target * input; else input -
            target * log(input + eps).
        full: whether to add Stirling's approximation of log(target!), for counts above 1.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        eps: what is added before the logarithm of a mean.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        Of the common shape for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: if the shapes cannot be broadcast.

    As torch.nn.functional.poisson_nll_loss (ATen/native/Loss.cpp).
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    number = _reduction(reduction, size_average, reduce)
    return _distances.poisson_nll_loss(input, target, log_input, full, eps, number)


def gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """The negative log likelihood of `target` under normal distributions; `full` with constants.

    Args:
        input: means, floating, of any shape.
        target: samples, of a shape that can be broadcast with that of `input`.
        var: variances, not negative: one float, or of the shape of `input`, of it without the last
            dimension, or with one size 1 in place of another.
        full: whether to add the constant log(2 pi) / 2.
        eps: the least variance that is used.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        Of the common shape for 'none', else of no dimension.

    Raises:
        ValueError: for a negative variance, a `var` of another shape, and for another `reduction`.

    As torch.nn.functional.gaussian_nll_loss. Nix and Weigend, ICNN 1994.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * OPS.ones_like(input)
    elif FUNCTIONS["any"](var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = OPS.unsqueeze(var, -1)
        elif input.ndim != var.ndim or [
            own for n, own in zip(input.size(), var.size(), strict=True) if n != own
        ] != [1]:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with _no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (OPS.log(var) + (input - target) ** 2 / var)
    if full:
        losses += 0.5 * math.log(2 * math.pi)
    return _loss.reduce(losses, _REDUCTIONS[reduction])


def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean over classes of the cross entropy of sigmoid(input) and chances `target`.

    Args:
        input: logits, floating, (..., C).
        target: chances, of the shape of `input`.
        weight: (C,), a factor of each class.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over the batch.

    Returns:
        `input`'s shape without C for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.

    As torch.nn.functional.multilabel_soft_margin_loss.
    """
    if size_average is not None or reduce is not None:
        number = _reduction(reduction, size_average, reduce)
        reduction = ("none", "mean", "sum")[number]
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    class_dim = input.dim() - 1
    losses = losses.sum(dim=class_dim) / input.size(class_dim)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return _loss.reduce(losses, _REDUCTIONS[reduction])


def soft_margin_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """log(1 + exp(-target * input)), the targets 1 or -1.

    Args:
        input: floating, of any shape.
        target: 1 or -1, of a shape that can be broadcast to that of `input`.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        Of the shape of `input` for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: if the shapes cannot be broadcast.

    As torch.nn.functional.soft_margin_loss (ATen/native/Loss.cpp).
    """
    return _margins.soft_margin_loss(input, target, _reduction(reduction, size_average, reduce))


def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean over classes of max(0, margin - input[target] + input[class]) ** p.

    Args:
        input: scores, floating, (N, C) or (C,).
        target: classes from 0 to C - 1, int64, (N,) or of no dimension.
        p: the exponent, 1 or 2.
        margin: by how much the class shall exceed the others.
        weight: (C,), a factor of each target's class.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over the batch.

    Returns:
        (N,) or of no dimension for 'none', else of no dimension.

    Raises:
        ValueError: for another `p` or `reduction`, or a `weight` of other than one dimension.
        RuntimeError: for a target that is out of range, or of another size or dtype.

    As torch.nn.functional.multi_margin_loss (ATen/native/LossMultiMargin.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _margins.multi_margin_loss(input, target, p, margin, weight, number)


def multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The sum of max(0, 1 - input[label] + input[other]) over the number of classes.

    Args:
        input: scores, floating, (N, C) or (C,).
        target: the labels of each row, int64, of the shape of `input`; those from the first -1 on
            do not count.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over the batch.

    Returns:
        (N,) or of no dimension for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: for a target that is out of range, or of another size or dtype.

    As torch.nn.functional.multilabel_margin_loss (ATen/native/LossMultiLabelMargin.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    try:
        return _margins.multilabel_margin_loss(input, target, number)
    except TypeError:
        refuse_handed("_nn.multilabel_margin_loss", input, target, number)
        raise


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Minus the log-probability that sequences with repetitions and blanks read as the targets.

    Args:
        log_probs: log-probabilities, floating, (T, N, C) or (T, C).
        targets: classes from 0 to C - 1 without `blank`: (N, S), or all of them one after another.
        input_lengths: how many of the T steps count, (N,) or a tuple of numbers.
        target_lengths: how many classes each target has, likewise.
        blank: the class that stands for none.
        reduction: 'none', 'sum' or 'mean' (the default), which first divides each loss by the
            length of its target.
        zero_infinity: whether losses of targets that do not fit are 0, not infinite.

    Returns:
        (N,) or of no dimension for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: for lengths that do not fit, or a `blank` that is out of range.

    As torch.nn.functional.ctc_loss (ATen/native/LossCTC.cpp). Graves et al., ICML 2006.
    """
    number = _reduction(reduction)
    return _ctc.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity
    )


def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Any = None,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Any:
    """The cross entropy of linear(input, linear_weight, linear_bias) and `target`.

    Args:
        input: floating, (N, in_features) or (in_features,).
        linear_weight: (C, *dims, in_features), for logits of shape (N, C, *dims).
        target: as for `cross_entropy` of these logits.
        linear_bias: (C, *dims), or None for zeros.
        weight, reduction, ignore_index, label_smoothing: as for `cross_entropy`; an `ignore_index`
            of None is -100.
        options: how to compute it in parts, without all logits in memory at a time; ignored with a
            warning where it cannot be.

    Returns:
        As `cross_entropy`.

    Raises:
        RuntimeError: for shapes that do not go together, and for an `ignore_index` beside
            probabilities.

    As torch.nn.functional.linear_cross_entropy.
    """
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}"
        )
    *batch, features = input.shape
    *outputs, own = linear_weight.shape
    if features != own:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{features} and {own}, respectively"
        )
    if linear_bias is not None and list(linear_bias.shape) != outputs:
        raise RuntimeError(
            f"expected linear_bias shape {tuple(outputs)}, got {tuple(linear_bias.shape)}"
        )
    if len(outputs) > 1 and not batch:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} "
            f"requires batched input, (N, {features}), got unbatched input with shape "
            f"{tuple(input.shape)}"
        )
    shape = (*batch, *outputs)
    if target.shape == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignore_index = -100 if ignore_index is None else ignore_index
    if options is not None:
        if (
            len(outputs) == 1
            and reduction in _REDUCTIONS
            and label_smoothing == 0
            and target.dtype == dtypes.int64
        ):
            from minitorch.nn.modules.linear_cross_entropy import chunked  # start-up: 9 ms

            return chunked(
                input, linear_weight, target, linear_bias, weight, reduction, ignore_index, options
            )
        warnings.warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in "
            "{'mean','sum','none'}, label_smoothing == 0, target.dtype == int64, out_features == "
            f"(). Got reduction={reduction!r}, label_smoothing={label_smoothing}, "
            f"target.dtype={target.dtype}, out_features={tuple(outputs[1:])}, tracing=False, "
            "linear_bias.shape="
            f"{None if linear_bias is None else tuple(linear_bias.shape)}.",
            stacklevel=2,
        )
    if len(outputs) > 1:
        rows = math.prod(outputs)
        linear_weight = linear_weight.reshape((rows, features))
        linear_bias = None if linear_bias is None else linear_bias.reshape(rows)
    return cross_entropy(
        linear(input, linear_weight, linear_bias).reshape(shape),
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=ignore_index,
        label_smoothing=label_smoothing,
    )


def _no_grad() -> Any:
    return no_grad()
