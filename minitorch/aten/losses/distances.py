"""Distances and angles between vectors: pairwise_distance, cdist, cosine_similarity, and losses.

Most are made of other operators, as in ATen/native/Distance.cpp and ATen/native/Loss.cpp.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.elementwise.arithmetic import add_by_number, mul_by_number, sub_by_number
from minitorch.aten.in_formulas import scalar
from minitorch.aten.losses.loss import binary_cross_entropy_with_logits, check_int, kl_div, reduce
from minitorch.aten.reduction.norms import norm_along, norm_of, vector_norm_forward
from minitorch.aten.reduction.reduction import summed
from minitorch.core.arrays import layout, on_numpy, scatter
from minitorch.core.arrays.activation import widened
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.arrays.questions import some
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.arrays.softmax import NONE
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import GradMode
from minitorch.core.declare.calls import IN_PYTHON
from minitorch.core.declare.codegen.shells import over, refuse_handed
from minitorch.core.declare.families import composite, not_implemented, operator
from minitorch.core.declare.general.recording import are_plain
from minitorch.core.declare.protocols.mode_stack import is_seen_by
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import contiguous_format, preserve_format
from minitorch.core.numbers.dispatch import EVERY, FLOATING, HALVES
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.limits import finfo
from minitorch.core.numbers.promotion import promote_types
from minitorch.core.numbers.scalars import fitted

_EPSILON = 9.999999960041972e-13  # of cosine_embedding_loss: 1e-12 as float32, for doubles too


def number_less(number: float, x: Any) -> Any:
    """number - x, as C++ computes it: a tensor of the number, from which x is subtracted."""
    if is_seen_by(x):
        return OPS.empty_like(x, memory_format=preserve_format).fill_(number).sub_(x)
    return OPS.full_like(x, number, requires_grad=False).sub_(x)


@composite("pairwise_distance", on=("function",))
def pairwise_distance(
    x1: Any, x2: Any, p: float = 2, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """The p-norm of x1 - x2 + eps along the last dimension.

    Args:
        x1, x2: vectors, (..., D), of shapes that can be broadcast.
        p: the exponent of the norm.
        eps: what is added to each difference.
        keepdim: whether the last dimension stays, with size 1.

    Returns:
        The common shape without D; real.

    Raises:
        RuntimeError: if the shapes cannot be broadcast.

    As torch.nn.functional.pairwise_distance (ATen/native/Distance.cpp).
    """
    last = max(x1.dim(), x2.dim()) - 1
    return norm_along(add_by_number(x1 - x2, eps), float(p), (last,), keepdim)


def check_pairs(x1: Any, x2: Any, p: float) -> None:
    """RuntimeError with torch's texts for vectors without distances."""
    for i, x in enumerate((x1, x2)):
        if x.dtype.kind not in "fV":
            raise RuntimeError(
                "cdist only supports floating-point dtypes, "
                f"X{i + 1} got: {dtypes.of(x).scalar_name}"
            )
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")


def cdist_forward(xp: Any, x1: Any, x2: Any, p: float) -> Any:
    check_pairs(x1, x2, p)
    shape = (*layout.broadcast(x1.shape[:-2], x2.shape[:-2]), x1.shape[-2], x2.shape[-2])
    if x1.dtype != x2.dtype and x1.dtype.itemsize != 2:
        names = [dtypes.of(x).scalar_name for x in (x1, x2)]
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    if not x1.shape[-1]:
        return xp.zeros(shape, x1.dtype)
    if x1.dtype.itemsize == 2:
        raise dtypes.unknown_to("cdist", x1)
    if p in (1, 2) and x1.shape[-1] <= _NARROW and math.prod(shape) >= _MANY:
        sums = xp.zeros(shape, xp.float64)
        for i in range(x1.shape[-1]):
            difference = xp.asarray(column(x1, i) - row(x2, i), dtype=xp.float64)
            sums += abs(difference) if p == 1 else xp.multiply(difference, difference, out=...)
        return xp.asarray(sums if p == 1 else xp.sqrt(sums, out=...), dtype=x1.dtype, order="C")
    differences = xp.asarray(x1[..., :, None, :] - x2[..., None, :, :], dtype=xp.float64)
    norms = norm_of(xp, differences, p, -1, False, p != 0)
    if p == 0:  # the count of differences: NaN is no number of them
        unknown = differences != differences
        if xp.device_type != "cpu" or some(unknown):
            norms = xp.where(unknown.any(-1), math.nan, norms)
    return xp.asarray(norms, dtype=x1.dtype, order="C")


_MANY = 512  # pairs, below which whole arrays take fewer calls
_NARROW = 32  # elements of vectors, up to which all pairs are taken for one element after another


def column(x: Any, i: int) -> Any:
    """Element i of each vector, one below the other."""
    return x[..., :, None, i]


def row(x: Any, i: int) -> Any:
    """Element i of each vector, side by side."""
    return x[..., None, :, i]


def cdist_backward_forward(xp: Any, grad: Any, x1: Any, x2: Any, p: float, cdist: Any) -> Any:
    """As ATen/native/cpu/DistanceOpsKernel.cpp."""
    if not (grad.size and x1.size):
        strides = layout.preserved_strides(x1.shape, layout.strides_of(x1))
        zeros = xp.empty_strided(x1.shape, strides, x1.dtype)
        zeros[...] = 0
        return zeros
    if x1.shape[-1] <= _NARROW and grad.size >= _MANY:
        across, far = [xp.ascontiguousarray(xp.swapaxes(x, -1, -2)) for x in (grad, cdist)]
        columns = [
            (across * slope_of(xp, row(x1, i) - column(x2, i), p, far)).sum(axis=-2)
            for i in range(x1.shape[-1])
        ]
        return xp.asarray(xp.stack(columns, -1), dtype=x1.dtype, order="C")
    differences = x1[..., :, None, :] - x2[..., None, :, :]
    slope = slope_of(xp, differences, p, cdist[..., None])
    return xp.asarray((grad[..., None] * slope).sum(axis=-2), dtype=x1.dtype, order="C")


def slope_of(xp: Any, differences: Any, p: float, distance: Any) -> Any:
    """The derivative of a p-norm by each of the differences."""
    if p == 0:
        return xp.zeros_like(differences)
    size = None if p == 2 else xp.abs(differences)
    if p == 1:
        return xp.sign(differences)
    if p == math.inf:
        return xp.sign(differences) * (size == distance)
    if p == 2:
        return xp.where(distance == 0, 0, differences / distance)
    slope = xp.sign(differences) * xp.power(size / distance, p - 1)
    return xp.where((distance == 0) | ((size == 0) & (p < 1)), 0, slope)


_undifferentiable = not_implemented("_cdist_backward")
cdist_backward = operator(
    "_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor",
    node="CdistBackwardBackward0",
    forward=cdist_backward_forward,
    kernel="cdist_backward",
    knows=FLOATING,
    grad=_undifferentiable,
    x1=_undifferentiable,
    x2=_undifferentiable,
    cdist=_undifferentiable,
    on=("F",),
)


def cdist_to_second(F: Any, grad: Any, x1: Any, x2: Any, p: float, result: Any) -> Any:
    """The gradient of the second vectors: that of the first ones, with both changing places."""
    transposed = F.contiguous(F.transpose(result, -2, -1))
    return F._cdist_backward(F.contiguous(F.transpose(grad, -2, -1)), x2, x1, p, transposed)


_cdist_forward = operator(
    "_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
    node="CdistBackward0",
    forward=cdist_forward,
    kernel="cdist",
    knows=EVERY - HALVES,
    x1=lambda F, grad, x1, x2, p, result: F._cdist_backward(F.contiguous(grad), x1, x2, p, result),
    x2=cdist_to_second,
    on=("F",),
)


def euclidean_forward(xp: Any, x1: Any, x2: Any) -> Any:
    """By a product of matrices: |a - b|^2 = |a|^2 - 2 a b + |b|^2."""
    check_pairs(x1, x2, 2)
    norms = [xp.sum(x * x, axis=-1, keepdims=True) for x in (x1, x2)]
    ones = [xp.ones_like(norm) for norm in norms]
    left = xp.concatenate([-2 * x1, norms[0], ones[0]], axis=-1)
    right = xp.concatenate([x2, ones[1], norms[1]], axis=-1)
    squares = xp.matmul(left, xp.swapaxes(right, -1, -2))
    return xp.sqrt(xp.maximum(squares, 0))


def euclidean_backward(F: Any, grad: Any, x1: Any, x2: Any, result: Any) -> tuple[Any, Any]:
    ratio = F.masked_fill(grad / result, result == 0, 0)
    across = F.transpose(ratio, -2, -1)
    return (
        x1 * F.sum(ratio, -1, True) - F.matmul(ratio, x2),
        x2 * F.unsqueeze(F.sum(ratio, -2), -1) - F.matmul(across, x1),
    )


_euclidean_dist = operator(
    "_euclidean_dist(Tensor x1, Tensor x2) -> Tensor",
    node="EuclideanDistBackward0",
    forward=widened(euclidean_forward),
    inputs=euclidean_backward,
    on=("function",),
    elementwise=True,
)

_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}


@composite("cdist", on=("function",), calls=IN_PYTHON)
@over(lambda x1, x2, p=2.0, compute_mode=None: ("_VF.cdist", x1, x2, p))
def cdist(
    x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Any:
    """The p-norms of the differences of each row of `x1` and each of `x2`."""
    if type(p) is not float and type(p) is not int:
        refuse_handed("_VF.cdist", x1, x2, p, _MODES.get(compute_mode))
    if type(compute_mode) is not str or compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for i, x in enumerate((x1, x2)):
        if x.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{i + 1} got: {x.dim()}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    mode, rows = _MODES[compute_mode], (x1.shape[-2], x2.shape[-2])
    by_product = p == 2 and (mode == 1 or (mode is None and max(rows) > 25))
    if not (by_product and x1.numel() and x2.numel()):
        return _cdist_forward(x1, x2, float(p), mode)
    batch = layout.broadcast(x1.shape[:-2], x2.shape[:-2])
    count = math.prod(batch)
    if count != 1:
        x1, x2 = [
            x.expand(*batch, *x.shape[-2:]).contiguous().view(count, *x.shape[-2:])
            for x in (x1, x2)
        ]
    return _euclidean_dist(x1, x2).view(*batch, *rows)


# ---- pdist


def pairs_of(xp: Any, self: Any) -> tuple[Any, Any]:
    """The first and the second of all pairs of different rows."""
    return xp.triu_indices(self.shape[0], 1)


def pdist_forward(xp: Any, self: Any, p: float) -> Any:
    if self.shape[0] < 2:
        return xp.empty(0, self.dtype)
    if self.shape[1] and self.dtype.itemsize == 2:
        raise dtypes.unknown_to("pdist", self)
    first, second = pairs_of(xp, self)
    wide = self.astype(xp.float64)
    return xp.asarray(norm_of(xp, wide[first] - wide[second], p, -1, False, True), dtype=self.dtype)


def pdist_backward_forward(xp: Any, grad: Any, self: Any, p: float, pdist: Any) -> Any:
    out = xp.zeros(self.shape, self.dtype)
    first, second = pairs_of(xp, self)
    parts = grad[:, None] * slope_of(xp, self[first] - self[second], p, pdist[:, None])
    scatter.add_slices(xp, out, 0, first, parts)
    scatter.add_slices(xp, out, 0, second, -parts)
    return out


_pdist_backward = operator(
    "_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor",
    node="PdistBackwardBackward0",
    forward=pdist_backward_forward,
    kernel="pdist_backward",
    knows=FLOATING,
    grad=not_implemented("_pdist_backward"),
    self=not_implemented("_pdist_backward"),
    pdist=not_implemented("_pdist_backward"),
    on=("F",),
)
_pdist_forward = operator(
    "_pdist_forward(Tensor self, float p=2) -> Tensor",
    node="PdistBackward0",
    forward=pdist_forward,
    kernel="pdist",
    knows=FLOATING,
    self=lambda F, grad, self, p, result: F._pdist_backward(F.contiguous(grad), self, p, result),
    on=("F",),
)


@composite(
    "pdist",
    on=("function",),
    vmap=VMap("warned"),
)
def pdist(input: Any, p: float = 2) -> Any:
    """The p-norms of the differences of all pairs of rows.

    Args:
        input: floating, (N, D).
        p: the exponent of the norm, not negative.

    Returns:
        (N * (N - 1) / 2,): the distances of row 0 to rows 1 to N - 1, then those of row 1 to rows
            after it, and so on.

    Raises:
        RuntimeError: for another number of dimensions or dtype, and a negative `p`.

    As torch.nn.functional.pdist (ATen/native/Distance.cpp).
    """
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return _pdist_forward(input.contiguous(), float(p))


_SINGLE_OR_DOUBLE = (dtypes.float32, dtypes.float64)


def _similarity(x1: Any, x2: Any, dim: int, eps: float) -> Any:
    """`cosine_similarity` of plain arrays of one dtype: 5 x 2 numbers take 21 us, not 59."""
    if x1.shape != x2.shape:
        x1, x2 = numpy.broadcast_arrays(x1, x2)
    parts = []
    for x in (x1, x2):
        norm = vector_norm_forward(on_numpy, x, 2, (dim,), True, None)
        parts.append(x / numpy.maximum(norm, scalar_like(eps, x.dtype, on_numpy)))
    return summed(on_numpy, numpy.multiply(*parts, out=...), (dim,), False, None)


@composite("cosine_similarity", on=("function",))
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along a dimension.

    Args:
        x1, x2: floating, of shapes that can be broadcast.
        dim: the dimension of the common shape along which a vector lies.
        eps: the least norm that is divided by, not negative.

    Returns:
        The common shape without `dim`.

    Raises:
        RuntimeError: unless the common dtype is a float, for a negative `eps`, and if the shapes
            cannot be broadcast.
        IndexError: if there is no dimension `dim`.

    As torch.nn.functional.cosine_similarity (ATen/native/Distance.cpp).
    """
    common = promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.scalar_name}"
        )
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = (x.to(common) if x.dtype.number_kind <= Kind.INTEGER else x for x in (x1, x2))
    layout.broadcast(x1._array.shape, x2._array.shape)
    if x1.dtype is x2.dtype and x1.dtype in _SINGLE_OR_DOUBLE and are_plain(x1, x2):
        with Silence():
            return tensor(_similarity(x1._array, x2._array, dim, eps))
    x2, x1 = OPS.broadcast_tensors(x2, x1)  # the second first, as C++ evaluates arguments
    norms = [OPS.linalg_vector_norm(x, 2, (dim,), True).clone() for x in (x1, x2)]
    with GradMode(False):
        least = eps
        if is_seen_by(*norms):
            least = scalar(eps, norms[0].dtype, norms[0].device, layout=None)
        elif norms[0].dtype.itemsize == 2:  # which torch rounds from float32, to infinity as well
            fitted(eps, dtypes.float32)
            least = eps if eps <= finfo(norms[0].dtype).max else math.inf
        for norm in norms:
            norm.clamp_min_(least)
    second = x2 / norms[1]
    return OPS.sum((x1 / norms[0]) * second, (dim,))


_REDUCTION = "int reduction = at::Reduction::Mean"  # which torch's parser takes for 0


@composite(
    "kl_div",
    on=("function",),
    vmap=VMap("warned"),
)
@overloads("Tensor input, Tensor target, int reduction = 0, *, bool log_target = False")
def unreduced_kl_div(
    input: Any, target: Any, reduction: int = NONE, *, log_target: bool = False
) -> Any:
    """The divergence as torch's function, which by default reduces nothing."""
    check_int(reduction)
    return kl_div(input, target, reduction, log_target)


@composite(
    "binary_cross_entropy_with_logits", on=("function",), vmap=VMap(replaced="logistic_loss")
)
@overloads(
    "Tensor input, Tensor target, Tensor weight = None, Tensor pos_weight = None, " + _REDUCTION
)
def unreduced_bce_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = NONE
) -> Any:
    """binary_cross_entropy_with_logits, by default without reduction."""
    check_int(reduction)
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


@composite("hinge_embedding_loss", on=("function",))
@overloads(f"Tensor input, Tensor target, float margin = 1.0, {_REDUCTION}")
def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, reduction: int = NONE
) -> Any:
    """input where target is 1, max(0, margin - input) where it is -1."""
    zeros = OPS.zeros_like(input, memory_format=contiguous_format)
    short = number_less(float(margin), input).clamp_min_(0)
    losses = OPS.where(target != 1, short, zeros) + OPS.where(target != -1, input, zeros)
    return reduce(losses, reduction)


@composite(
    "margin_ranking_loss",
    on=("function",),
    vmap=VMap("warned"),
)
@overloads(f"Tensor input1, Tensor input2, Tensor target, float margin = 0.0, {_REDUCTION}")
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = NONE
) -> Any:
    """max(0, margin - target * (input1 - input2))."""
    if not all([isinstance(each, TensorBase) for each in (input1, input2, target)]):
        raise TypeError("tensors are wanted, where numbers would do")
    difference = input1 - input2
    shortfall = add_by_number(-target * difference, float(margin))
    return reduce(shortfall.clamp_min_(0), reduction)


@composite("cosine_embedding_loss", on=("function",))
@overloads(f"Tensor input1, Tensor input2, Tensor target, float margin = 0.0, {_REDUCTION}")
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = NONE
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
    zeros = OPS.zeros_like(cosine, memory_format=contiguous_format)
    distance = number_less(1, cosine)
    beyond = sub_by_number(cosine, margin).clamp_min_(0)
    near = OPS.where(target == 1, distance, zeros)
    far = OPS.where(target == -1, beyond, zeros)
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


@composite(
    "triplet_margin_loss",
    on=("function",),
    vmap=VMap("warned"),
)
@overloads(
    "Tensor anchor, Tensor positive, Tensor negative, float margin = 1.0, float p = 2, "
    f"float eps = 1e-06, bool swap = False, {_REDUCTION}"
)
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = NONE,
) -> Any:
    """max(0, margin + the distance to the positive - that to the negative).

    swap: takes the distance between the positive and the negative where that is less.
    """
    check_ranks(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = OPS.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduce(OPS.clamp_min(add_by_number(near, margin) - far, 0), reduction)


@composite("poisson_nll_loss", on=("function",))
@overloads("Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction")
def poisson_nll_loss(
    input: Any, target: Any, log_input: bool, full: bool, eps: float, reduction: int
) -> Any:
    """The negative log likelihood of counts `target` under means `input`, or their logarithms.

    full: adds Stirling's approximation of log(target!).
    """
    if not isinstance(target, TensorBase):
        raise TypeError  # in the words of the signature
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
