"""The losses of torch.nn.functional that most networks are trained with."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.aten.losses import likelihood, loss
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.wording.plain_numbers import as_float
from minitorch.nn._reduction import of_switches

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduction(reduction: str, size_average: Any = None, reduce: Any = None) -> int:
    """ATen's number of a reduction. ValueError for a word that is none."""
    if size_average is not None or reduce is not None:
        reduction = of_switches(size_average, reduce, True, 2)
    number = _REDUCTIONS.get(reduction) if type(reduction) is str else None
    if number is None:
        if reduction != "elementwise_mean":
            raise ValueError(f"{reduction} is not a valid value for reduction")
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=4,
        )
        number = 1
    return number


def _same_size(input: Any, target: Any) -> tuple[Any, Any]:
    """Both broadcast to one shape, with a warning where they differ."""
    try:
        if input._array.shape == target._array.shape:
            return input, target
    except AttributeError:
        target.size(), input.size()  # raises for values that are not tensors
        raise
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size "
        f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=3,
    )
    return tuple(OPS.broadcast_tensors(input, target))


def _weighted(losses: Any, input: Any, weight: Any, reduction: str) -> Any:
    """Losses times their weights, reduced; the mean is by the weights."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    losses = losses * weight
    if reduction == "none":
        return losses
    if reduction == "sum":
        return OPS.sum(losses)
    if reduction == "mean":
        return OPS.sum(losses) / OPS.sum(weight)
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def mse_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The squared error.

    Args:
        input: floating, of any shape.
        target: of the shape of `input`; another one is broadcast, with a warning.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.
        weight: of the shape of `input`, a factor of each error; the mean is then divided by the sum
            of the weights.

    Returns:
        Of the shape of `input` for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`, or a `weight` of another shape.
        RuntimeError: if the shapes cannot be broadcast.
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.mse_loss (ATen/native/Loss.cpp).
    """
    input, target = _same_size(input, target)
    if weight is not None:
        return _weighted(OPS.pow(input - target, 2), input, weight, reduction)
    return loss.mse_loss(input, target, _reduction(reduction, size_average, reduce))


def l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The absolute error.

    Args:
        input: floating or complex, of any shape.
        target: of the shape of `input`; another one is broadcast, with a warning.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.
        weight: of the shape of `input`, a factor of each error; the mean is then divided by the sum
            of the weights.

    Returns:
        Of the shape of `input` for 'none', else of no dimension; real.

    Raises:
        ValueError: for another `reduction`, or a `weight` of another shape.
        RuntimeError: if the shapes cannot be broadcast, and for the mean of integers.

    As torch.nn.functional.l1_loss (ATen/native/Loss.cpp).
    """
    input, target = _same_size(input, target)
    if weight is not None:
        return _weighted(OPS.abs(input - target), input, weight, reduction)
    return loss.l1_loss(input, target, _reduction(reduction, size_average, reduce))


def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """Half the squared error over beta below beta, the absolute error less beta / 2 above.

    Args:
        input: floating, of any shape.
        target: of the shape of `input`; another one is broadcast, with a warning.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.
        beta: the error at which the parabola ends and the straight line begins; not negative. 0
            gives `l1_loss`.

    Returns:
        Of the shape of `input` for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: if `beta` is negative, or the shapes cannot be broadcast.
        NotImplementedError: for integers.

    As torch.nn.functional.smooth_l1_loss (ATen/native/Loss.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    input, target = _same_size(input, target)
    if type(beta) is not float and type(beta) is not int:
        if beta == 0:
            return loss.l1_loss(input, target, number)
        refuse_handed("_nn.smooth_l1_loss", input, target, number, beta)
        beta = as_float(beta)
    return loss.smooth_l1_loss(input, target, number, beta)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """Half the squared error below delta, delta times the absolute error less delta / 2 above.

    Args:
        input: floating, of any shape.
        target: of the shape of `input`; another one is broadcast, with a warning.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.
        delta: the error at which the parabola ends and the straight line begins; positive.
        weight: of the shape of `input`, a factor of each loss; the mean stays that of all elements.

    Returns:
        Of the shape of `input` for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`, or a `weight` of another shape.
        RuntimeError: if `delta` is not positive, or the shapes cannot be broadcast.
        NotImplementedError: for integers.

    As torch.nn.functional.huber_loss (ATen/native/Loss.cpp).
    """
    input, target = _same_size(input, target)
    if weight is not None:
        mean = reduction == "mean"  # that of all, not by the weights
        losses = loss.huber_loss(input, target, 0, delta)
        losses = _weighted(losses, input, weight, "none" if mean else reduction)
        return OPS.mean(losses) if mean else losses
    return loss.huber_loss(input, target, _reduction(reduction), delta)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """The cross entropy of softmax(input) and `target`, classes or probabilities of classes.

    Args:
        input: logits, floating: (C,), (N, C) or (N, C, *dims).
        target: classes from 0 to C - 1, int64 or uint8, of the shape of `input` without C; or the
            probabilities of classes, floating, of the shape of `input`.
        weight: (C,), a factor of each class.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        ignore_index: the class of targets that do not count; not with probabilities.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements. The mean of classes is
            by their weights.
        label_smoothing: the share of the uniform distribution in the target, from 0 to 1.

    Returns:
        Of the shape of classes for 'none', else of no dimension.

    Raises:
        IndexError: for a class that is out of range.
        ValueError: for batches of two sizes, and for another `reduction`.
        RuntimeError: for a target of another dtype, a weight of another size, an `ignore_index`
            beside probabilities, or a `label_smoothing` out of range.

    As torch.nn.functional.cross_entropy (ATen/native/LossNLL.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    return likelihood.cross_entropy(input, target, weight, number, ignore_index, label_smoothing)


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log-probabilities `input` at the classes `target`.

    Args:
        input: log-probabilities, floating: (C,), (N, C) or (N, C, *dims).
        target: classes from 0 to C - 1, int64 or uint8, of the shape of `input` without C.
        weight: (C,), a factor of each class.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        ignore_index: the class of targets that do not count.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements. The mean is by the
            weights of the targets.

    Returns:
        Of the shape of `target` for 'none', else of no dimension.

    Raises:
        IndexError: for a class that is out of range.
        ValueError: for batches of two sizes, an `input` without dimensions, and for another
            `reduction`.
        RuntimeError: for a target of another dtype, or a weight of another size.

    As torch.nn.functional.nll_loss (ATen/native/LossNLL.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    return likelihood.nll_loss(input, target, weight, number, ignore_index)


def _broadcast_size(first: Any, second: Any) -> list[int]:
    """The size of both together. RuntimeError in the words of torch.broadcast_shapes if there is
    none."""
    rank = max(len(first), len(second))
    wanted = [1] * (rank - len(first)) + list(first)
    for dim in range(-1, -len(second) - 1, -1):
        if second[dim] != wanted[dim] and 1 not in (second[dim], wanted[dim]):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {second[dim]} at {dim}! "
                f"Mismatching argument at index 1 had {second}; but expected shape should be "
                f"broadcastable to {wanted}"
            )
        wanted[dim] = second[dim] if wanted[dim] == 1 else wanted[dim]
    return wanted


def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The cross entropy of the chances `input` and `target`.

    Args:
        input: chances from 0 to 1, floating, of any shape.
        target: chances, of the shape and dtype of `input`.
        weight: a factor of each loss, which is broadcast to the shape of `target`.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.

    Returns:
        Of the shape of `input` for 'none', else of no dimension. Logarithms below -100 count as
            -100.

    Raises:
        ValueError: for a target of another shape, and for another `reduction`.
        RuntimeError: for an input that is no chance, a target of another dtype, or a weight that
            cannot be broadcast.

    As torch.nn.functional.binary_cross_entropy (ATen/native/Loss.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(_broadcast_size(target.size(), weight.size()))
    return loss.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """The cross entropy of the chances sigmoid(input) and `target`.

    Args:
        input: logits, floating, of any shape.
        target: chances, floating, of the shape of `input`.
        weight: a factor of each loss, which can be broadcast to the shape of `input`.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum' or 'mean' (the default) over all elements.
        pos_weight: a factor of the positive part, `target * log(sigmoid(input))`, which can be
            broadcast.

    Returns:
        Of the shape of `input` for 'none', else of no dimension. A large logit is not rounded to a
            chance of 0 or 1 first.

    Raises:
        ValueError: for a target of another shape, and for another `reduction`.
        RuntimeError: for a target of integers.

    As torch.nn.functional.binary_cross_entropy_with_logits (ATen/native/Loss.cpp).
    """
    number = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """The Kullback-Leibler divergence of log-probabilities `input` from `target`.

    Args:
        input: log-probabilities, floating, of any shape.
        target: probabilities, or their logarithms if `log_target`, of a shape that can be
            broadcast.
        size_average, reduce: what torch once had for `reduction`, which they overrule with a
            warning; None by default.
        reduction: 'none', 'sum', 'mean' over all elements (the default), or 'batchmean', the sum
            over the first size, which is the divergence by its definition.
        log_target: whether `target` holds logarithms.

    Returns:
        Of the shape of `input` for 'none', else of no dimension.

    Raises:
        ValueError: for another `reduction`.
        RuntimeError: if the shapes cannot be broadcast, and for integers.

    As torch.nn.functional.kl_div (ATen/native/Loss.cpp).
    """
    if size_average is None and reduce is None and reduction == "batchmean":
        losses = loss.kl_div(input, target, 2, log_target)
        return losses / input.size(0) if input.dim() else losses
    if size_average is None and reduce is None and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    number = _reduction(reduction, size_average, reduce)
    return loss.kl_div(input, target, number, log_target)


l1_loss.untold = ("weight",)  # type: ignore[attr-defined]  # those who take calls over
