"""Distances and angles between vectors: pairwise_distance, cosine_similarity, and their losses.

All are made of other operators, as in ATen/native/Distance.cpp and ATen/native/Loss.cpp.
"""

from __future__ import annotations

import math
from typing import Any

from minitorch.aten.arithmetic import add_by_number, mul_by_number, sub_by_number
from minitorch.aten.loss import reduce
from minitorch.aten.norms import norm_along
from minitorch.core.arrays.softmax import MEAN
from minitorch.core.declare.families import composite
from minitorch.core.graph.formulas import OPS
from minitorch.core.graph.modes import GradMode
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.promotion import promote_types

_EPSILON = 1e-12  # of cosine_embedding_loss


def number_less(number: float, x: Any) -> Any:
    """number - x, as C++ computes it: a tensor of the number, from which x is subtracted."""
    return OPS.full_like(x, number, requires_grad=False).sub_(x)


@composite("pairwise_distance", on=("function",))
def pairwise_distance(
    x1: Any, x2: Any, p: float = 2, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """The p-norm of x1 - x2 + eps along the last dimension. As torch.nn.functional's."""
    last = max(x1.dim(), x2.dim()) - 1
    return norm_along(add_by_number(x1 - x2, eps), float(p), (last,), keepdim)


@composite("cosine_similarity", on=("function",))
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along a dimension.

    eps: the least norm that is divided by. RuntimeError unless the common dtype is a float.
    """
    common = promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.scalar_name}"
        )
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = (x.to(common) if x.dtype.kind <= Kind.INTEGER else x for x in (x1, x2))
    x1, x2 = OPS.broadcast_tensors(x1, x2)
    norms = [OPS.linalg_vector_norm(x, 2, (dim,), True).clone() for x in (x1, x2)]
    with GradMode(False):
        for norm in norms:
            norm.clamp_min_(eps)
    return OPS.sum((x1 / norms[0]) * (x2 / norms[1]), (dim,))


@composite("hinge_embedding_loss", on=("function",))
def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, reduction: int = MEAN
) -> Any:
    """input where target is 1, max(0, margin - input) where it is -1."""
    zeros = OPS.zeros_like(input)
    short = number_less(margin, input).clamp_min_(0)
    losses = OPS.where(target != 1, short, zeros) + OPS.where(target != -1, input, zeros)
    return reduce(losses, reduction)


@composite("margin_ranking_loss", on=("function",))
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = MEAN
) -> Any:
    """max(0, margin - target * (input1 - input2))."""
    shortfall = add_by_number(-target * (input1 - input2), margin)
    return reduce(shortfall.clamp_min_(0), reduction)


@composite("cosine_embedding_loss", on=("function",))
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = MEAN
) -> Any:
    """1 - cos of two vectors where target is 1, max(0, cos - margin) where it is -1."""
    rank = target.dim()
    if rank not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    for each in (input1, input2):
        if each.dim() != rank + 1:
            what = "1D target tensor expects 2D" if rank else "0D target tensor expects 1D"
            raise RuntimeError(
                f"{what} input tensors, but found inputs with sizes {list(input1.shape)} and "
                f"{list(input2.shape)}."
            )
    product = OPS.sum(input1 * input2, (rank,))
    squares = [add_by_number(OPS.sum(x * x, (rank,)), _EPSILON) for x in (input1, input2)]
    cosine = product / (squares[0] * squares[1]).sqrt_()
    zeros = OPS.zeros_like(cosine)
    near = OPS.where(target == 1, number_less(1, cosine), zeros)
    far = OPS.where(target == -1, sub_by_number(cosine, margin).clamp_min_(0), zeros)
    return reduce(near + far, reduction)


def check_ranks(anchor: Any, positive: Any, negative: Any) -> None:
    """RuntimeError unless the three of a triplet have one number of dimensions."""
    ranks = [each.dim() for each in (anchor, positive, negative)]
    if len(set(ranks)) != 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {ranks[0]}D, positive {ranks[1]}D, and negative "
            f"{ranks[2]}D inputs"
        )


@composite("triplet_margin_loss", on=("function",))
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = MEAN,
) -> Any:
    """max(0, margin + the distance to the positive - that to the negative).

    swap: takes the distance between the positive and the negative where that is less.
    """
    check_ranks(anchor, positive, negative)
    if not margin > 0:
        raise RuntimeError(
            f"triplet_margin_loss(): expected margin to be greater than 0, got {margin}"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = OPS.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduce(OPS.clamp_min(add_by_number(near, margin) - far, 0), reduction)


@composite("poisson_nll_loss", on=("function",))
def poisson_nll_loss(
    input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int
) -> Any:
    """The negative log likelihood of counts `target` under means `input`, or their logarithms.

    full: adds Stirling's approximation of log(target!).
    """
    if log_input:
        product = target * input  # first, as the C++ compiler has it: the age of nodes shows
        losses = OPS.exp(input) - product
    else:
        losses = input - target * OPS.log(add_by_number(input, eps))
    if full:
        half = mul_by_number(OPS.log(mul_by_number(target, 2 * math.pi)), 0.5)
        stirling = target * OPS.log(target) - target + half
        losses += stirling.masked_fill(target <= 1, 0)
    return reduce(losses, reduction)
