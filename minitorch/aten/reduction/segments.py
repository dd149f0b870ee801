"""Reductions of segments, parts of a dimension that follow each other: segment_reduce."""

from __future__ import annotations

from typing import Any

from minitorch.aten.reduction.sorting import widened
from minitorch.core.arrays.questions import every, least_of
from minitorch.core.declare.families import not_differentiable, operator
from minitorch.core.declare.registry import FUNCTIONS
from minitorch.core.declare.vmap import WARNS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES
from minitorch.core.numbers.dtype import Kind
from minitorch.core.tensor.conversion import wrap_dim

# The initial value of a reduction, and its function of two numbers.
_REDUCTIONS = {
    "sum": (0.0, "add"),
    "mean": (0.0, "add"),
    "prod": (1.0, "multiply"),
    "max": (-float("inf"), "maximum"),
    "amax": (-float("inf"), "maximum"),
    "min": (float("inf"), "minimum"),
    "amin": (float("inf"), "minimum"),
}


def check_segments(
    data: Any, reduce: str, lengths: Any, indices: Any, offsets: Any, axis: int, unsafe: bool
) -> None:
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if reduce not in _REDUCTIONS:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    places, name = (offsets, "offsets") if offsets is not None else (lengths, "lengths")
    if data.ndim < places.ndim:
        raise RuntimeError(
            f"Expected data.dim() >= {name}_value.dim() to be true, but got false.  (Could this "
            "error message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if axis != places.ndim - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}."
        )
    if offsets is None and not unsafe:
        if not lengths.size:
            raise RuntimeError(
                "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                "reduction dim with the 'dim' argument."
            )
        if lengths.dtype.kind == "c":
            raise dtypes.unknown_to("min_all", lengths)
        if least_of(lengths) < 0:
            raise RuntimeError("lengths contains negative value!")
        if not every(lengths.sum(-1) == data.shape[axis]):
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to "
                "data.size(lengths.dim()-1) when !unsafe."
            )
    if offsets is not None and not offsets.shape[-1]:
        shape = [*offsets.shape[:-1], -1, *data.shape[axis + 1 :]]
        raise RuntimeError(f"Trying to create tensor with negative dimension -1: {shape}")
    if dtypes.of(data).number_kind is not Kind.FLOATING:
        raise dtypes.unknown_to("_segment_reduce_cpu", data)
    if dtypes.of(places).number_kind is not Kind.INTEGER:
        raise dtypes.unknown_to(f"_segment_reduce_{name}_cpu_kernel1", places)


def bounds_of(xp: Any, lengths: Any, offsets: Any) -> Any:
    """Where segments start, and the last one ends."""
    if offsets is not None:
        return offsets
    zeros = xp.zeros((*lengths.shape[:-1], 1), lengths.dtype)
    return xp.concatenate([zeros, lengths.cumsum(-1)], -1)


def each_segment(xp: Any, bounds: Any) -> Any:
    """(place of the result, slice of the data) of each segment."""
    rows = bounds.tolist()
    if bounds.ndim == 1:  # the usual case: ndindex takes 2 us
        for i in range(len(rows) - 1):
            yield (i,), (slice(rows[i], rows[i + 1]),)
        return
    for at in xp.ndindex(bounds.shape[:-1]):
        row = rows
        for i in at:
            row = row[i]
        for i in range(len(row) - 1):
            yield (*at, i), (*at, slice(row[i], row[i + 1]))


def segments_forward(
    xp: Any,
    data: Any,
    reduce: str,
    lengths: Any,
    indices: Any,
    offsets: Any,
    axis: int,
    unsafe: bool,
    initial: Any,
) -> Any:
    axis = wrap_dim(axis, data.ndim)
    check_segments(data, reduce, lengths, indices, offsets, axis, unsafe)
    bounds = bounds_of(xp, lengths, offsets)
    start, name = _REDUCTIONS[reduce]
    start = start if initial is None else initial
    number = bounds.shape[-1] - 1
    out = xp.full((*data.shape[:axis], number, *data.shape[axis + 1 :]), start, data.dtype)
    for place, chosen in each_segment(xp, bounds):
        part = data[chosen]
        if len(part):  # one after the other, each rounded to the dtype
            steps = xp.concatenate([out[place][None], part])
            operation = getattr(xp, name)
            if name in ("add", "multiply"):
                out[place] = operation.accumulate(steps, 0)[-1]
            else:
                out[place] = operation.reduce(steps, 0)
            if reduce == "mean":
                out[place] /= len(part)
        elif reduce == "mean" and initial is None:
            out[place] = xp.nan
    return out


def segments_backward_forward(
    xp: Any,
    grad: Any,
    output: Any,
    data: Any,
    reduce: str,
    lengths: Any,
    offsets: Any,
    axis: int,
    initial: Any,
) -> Any:
    grads, output, x = [widened(xp, each) for each in (grad, output, data)]
    out = xp.zeros(x.shape, x.dtype)
    for place, chosen in each_segment(xp, bounds_of(xp, lengths, offsets)):
        part, g, reduced = x[chosen], grads[place], output[place]
        if not len(part):
            continue
        if reduce in ("sum", "mean"):
            out[chosen] = g / (len(part) if reduce == "mean" else 1)
        elif reduce == "prod":
            out[chosen] = g * reduced / part
            for i in zip(*((part == 0) | (part != part)).nonzero(), strict=True):
                others = part[(slice(None), *i[1:])].copy()
                others[i[0]] = 1 if initial is None else initial
                out[chosen][i] = g[i[1:]] * others.prod()
        else:
            met = (part == reduced) | (part != part)
            out[chosen] = xp.where(met, g / xp.maximum(met.sum(0), 1), 0)
    return out.astype(data.dtype, copy=False)


_segment_reduce_backward = operator(
    "_segment_reduce_backward(Tensor grad, Tensor output, Tensor data, str reduce, *,"
    " Tensor? lengths=None, Tensor? offsets=None, int axis=0, Scalar? initial=None) -> Tensor",
    node="NotImplemented",
    forward=segments_backward_forward,
    kernel="_segment_reduce_cpu",
    knows=FLOATING | HALVES,
    grad=not_differentiable("_segment_reduce_backward"),
    output=not_differentiable("_segment_reduce_backward"),
    data=not_differentiable("_segment_reduce_backward"),
    on=("F",),
)

segment_reduce = operator(
    "segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None,"
    " Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
    node="SegmentReduceBackward0",
    forward=segments_forward,
    data=lambda F, grad, result, data, reduce, lengths, offsets, axis, initial: (
        F._segment_reduce_backward(
            grad, result, data, reduce, lengths=lengths, offsets=offsets, axis=axis,
            initial=initial,
        )
    ),
    on=("function",),
vmap=WARNS,)  # fmt: skip
FUNCTIONS["_segment_reduce"] = FUNCTIONS["segment_reduce"]  # one function in torch too
