"""Histograms: histc, histogram, histogramdd. As ATen/native/Histogram.cpp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from minitorch.aten.creation.sequences import check_steps, kept_if_short, linspace_array
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.arrays.missing import refuse_numberless
from minitorch.core.arrays.questions import every
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.families import composite, not_differentiable, operator
from minitorch.core.declare.out import APART, Out, exactly
from minitorch.core.declare.vmap import WARNS, VMap
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import refuse_late_unsigned
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.scalars import fitted
from minitorch.core.tensor.conversion import entry_of

# ---- which bin


def by_division(xp: Any, x: Any, edges: Any) -> Any:
    """The bins of elements between equally spaced edges."""
    if edges[0] == edges[-1]:  # numbers so huge that the range around them is none
        return xp.full(x.shape, (len(edges) - 1) // 2, xp.int64)
    return _quotients(xp, x, edges)[0]


def _quotients(xp: Any, x: Any, edges: Any) -> tuple[Any, Any]:
    """How many bins lie before each element, 0 where huge numbers overflow, and where they do not,
    or None for everywhere."""
    first, last = edges[0], edges[-1]
    with Silence():
        found = (x - first) * x.dtype.type(len(edges) - 1) / (last - first)
    known = xp.isfinite(found)
    if type(known) is numpy.ndarray and every(known):
        return found.astype(xp.int64), None
    return xp.where(known, found, 0).astype(xp.int64), known


def by_neighbours(xp: Any, x: Any, edges: Any) -> Any:
    """The bins by division, corrected by one bin where the edges say so."""
    place, known = _quotients(xp, x, edges)
    low, high = xp.maximum(place - 1, 0), xp.minimum(place + 2, len(edges))
    near = xp.minimum(xp.maximum(by_search(xp, x, edges), low - 1), high - 1)
    # In C++ an overflow becomes the least integer, around which torch's search finds the second.
    return near if known is None else xp.where(known, near, 1)


def by_search(xp: Any, x: Any, edges: Any) -> Any:
    """The bins of elements between any edges."""
    return xp.searchsorted(edges, x, "right") - 1


def counted(xp: Any, x: Any, edges: Sequence[Any], weight: Any, density: bool, find: Any) -> Any:
    """The weights of the rows of the matrix `x` in each bin; the last bin has its upper edge."""
    if not edges:  # of no dimension torch counts nothing
        return xp.zeros((), x.dtype)
    inside = xp.ones(len(x), bool)
    for column, each in zip(x.T, edges, strict=True):
        inside &= (column >= each[0]) & (column <= each[-1])
    sizes = tuple([len(each) - 1 for each in edges])
    places = xp.zeros(int(inside.sum()), xp.int64)
    for column, each in zip(x[inside].T, edges, strict=True):
        found = find(xp, column, each)
        places = places * (len(each) - 1) + xp.minimum(found, len(each) - 2)
    weights = None if weight is None else weight.reshape(-1)[inside].astype(xp.float64)
    counts = xp.bincount(places, weights, math.prod(sizes)).astype(x.dtype).reshape(sizes)
    if density:
        counts = counts / counts.sum()
        for axis, each in enumerate(edges):
            counts = counts / xp.diff(each).reshape(
                [-1 if i == axis else 1 for i in range(x.shape[1])]
            )
    return counts


def steps(xp: Any, first: float, last: float, bins: int, like: Any) -> Any:
    """`bins` + 1 equally spaced edges, where `like` is."""
    check_steps(bins + 1)
    kind = dtypes.of(like)
    if not kind.is_complex:
        first, last = float(first), float(last)
    first, last = fitted(first, kind), fitted(last, kind)
    return xp.asarray(kept_if_short(linspace_array, first, last, bins + 1, kind))


def check_bins(bins: Sequence[int]) -> None:
    """RuntimeError unless there are some."""
    for i, each in enumerate(bins):
        if each <= 0:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {each} for dimension {i}"
            )


def refuse(kernel: str, x: Any, *kinds: Kind) -> None:
    """NotImplementedError in ATen's words for arrays of some kinds."""
    kind = dtypes.of(x)
    if kind.number_kind in kinds:
        raise dtypes.unknown_to(kernel, kind)


# ---- histc


def histc_forward(xp: Any, self: Any, bins: int, min: Any, max: Any) -> Any:
    check_bins([bins])
    first, last = [fitted(each, dtypes.float64) for each in (min, max)]
    if first == last and self.size:
        refuse("aminmax_cpu", self, Kind.COMPLEX)
        refuse_late_unsigned(self, "aminmax_cpu")
        first, last = self.min().item(), self.max().item()
    if first == last:
        first, last = first - 1, last + 1
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"torch.histc: range of [{first:g}, {last:g}] is not finite")
    if first > last:
        raise RuntimeError("torch.histc: max must be larger than min")
    refuse("linspace_cpu", self, Kind.BOOL)
    refuse_late_unsigned(self, "linspace_cpu")
    for each in (first, last):
        fitted(float(each), dtypes.of(self))
    refuse("histogram_cpu", self, Kind.INTEGER, Kind.COMPLEX)
    edges = steps(xp, first, last, bins, self)
    return counted(xp, self.reshape(-1, 1), [edges], None, False, by_division)


histc = operator(
    "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
    forward=histc_forward,
    variants=("out",),
    out=Out(
        exactly(
            "torch.histogram: input tensor and hist tensor should have the same dtype, but got "
            "input {result.c_name} and hist {out.c_name}"
        ),
        takes_grad=True,
        memory_first=("bins must be",),
        sized=lambda self, bins=100, min=0, max=0: (bins,),
    ),
    vmap=WARNS,
)

# ---- histogramdd


def check_points(self: Any, bins: int | None = None) -> Any:
    """`self` as a matrix of a point a row. RuntimeError in torch's words for what does not fit.

    bins: for how many dimensions there are edges, if they are given.
    """
    if self.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    count = self.shape[-1]
    if bins not in (None, count):
        raise RuntimeError(
            f"torch.histogramdd: expected {count} sequences of bin edges for a {count}-dimensional "
            f"histogram but got {bins}"
        )
    return self.reshape(math.prod(self.shape[:-1]), count)


def check_weight(self: Any, weight: Any) -> None:
    """RuntimeError in torch's words for a weight that does not fit the points `self`."""
    if weight is not None:
        if weight.dtype != self.dtype:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
                f"should have the same dtype, but got input({dtypes.of(self).c_name}), and "
                f"weight({dtypes.of(weight).c_name})"
            )
        if weight.shape != self.shape[:-1]:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided it should have the same shape as "
                "the input tensor excluding its innermost dimension, but got input with shape "
                f"{list(self.shape)} and weight with shape {list(weight.shape)}"
            )


def check_edges(self: Any, bins: Sequence[Any]) -> None:
    """RuntimeError in torch's words for edges that are none."""
    for i, each in enumerate(bins):
        if each.dtype != self.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but "
                f"got input with dtype {dtypes.of(self).c_name} and bins for dimension {i} with "
                f"dtype {dtypes.of(each).c_name}"
            )
        if each.ndim != 1:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have one dimension, but got "
                f"{each.ndim} dimensions in the bins tensor for dimension {i}"
            )
        if not each.size:
            raise _without_edges(i)


def _without_edges(dimension: int) -> RuntimeError:
    return RuntimeError(
        "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements "
        f"in the bins tensor for dimension {dimension}"
    )


def check_counted(self: Any) -> None:
    """NotImplementedError for numbers that are not counted."""
    refuse("histogram_cpu", self, Kind.BOOL, Kind.INTEGER, Kind.COMPLEX)


def check_range(self: Any, range: Any) -> None:
    """NotImplementedError for numbers of which no least and no equal steps are found."""
    if range is None and self.size:
        refuse("histogramdd", self, Kind.BOOL, Kind.INTEGER, Kind.COMPLEX)
        if self.dtype.itemsize == 2:
            refuse("histogramdd", self, Kind.FLOATING)
    if self.shape[1]:
        refuse("linspace_cpu", self, Kind.BOOL)
        refuse_late_unsigned(self, "linspace_cpu")


def edges_of(xp: Any, self: Any, bins: Sequence[int], range: Any) -> list[Any]:
    """Equally spaced edges for each column, over `range` or from the least to the largest."""
    count = self.shape[1]
    if range is not None and len(range) != 2 * count:
        raise RuntimeError(
            f"torch.histogramdd: for a {count}-dimensional histogram range should have {2 * count} "
            f"elements, but got {len(range)}"
        )
    check_range(self, range)
    ends = []
    for i, column in enumerate(self.T):
        first, last = 0.0, 1.0
        if range is not None:
            first, last = range[2 * i : 2 * i + 2]
        elif column.size:
            first, last = column.min().item(), column.max().item()
        if not (math.isfinite(first) and math.isfinite(last)):
            raise RuntimeError(
                f"torch.histogramdd: dimension {i}'s range [{first:g}, {last:g}] is not finite"
            )
        if first > last:
            raise RuntimeError(
                "torch.histogramdd: min should not exceed max, but got min "
                f"{first:g} max {last:g} for dimension {i}"
            )
        if first == last:
            first, last = first - 0.5, last + 0.5
        ends.append((first, last))
    if len(bins) != count:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    return [steps(xp, *both, size, self) for both, size in zip(ends, bins, strict=True)]


def from_counts(
    xp: Any, self: Any, bins: Sequence[int], range: Any, weight: Any, density: bool
) -> Any:
    points = check_points(self)
    edges = edges_of(xp, points, bins, range)
    if -1 in bins:
        raise _without_edges(bins.index(-1))
    check_weight(self, weight)
    check_bins(bins)
    check_counted(self)
    return counted(xp, points, edges, weight, density, by_neighbours), edges


def from_edges(xp: Any, self: Any, bins: Sequence[Any], weight: Any, density: bool) -> Any:
    points = check_points(self, len(bins))
    check_edges(self, bins)
    check_weight(self, weight)
    check_bins([each.size - 1 for each in bins])
    check_counted(self)
    return counted(xp, points, bins, weight, density, by_search)


_REST = "float[]? range=None, Tensor? weight=None, bool density=False"


def undifferentiated(schema: str, forward: Any) -> Any:
    """A row that torch knows no derivative of."""
    name = schema.partition("(")[0].partition(".")[0]
    formula = not_differentiable(name)
    takes_weight = {"weight": formula} if "weight" in schema else {}
    return operator(
        schema,
        node="NotImplemented",
        forward=forward,
        self=formula,
        on=("function",) if name[0] == "_" else ("F",),
        **takes_weight,
    )


_bin_edges = undifferentiated(
    f"_histogramdd_bin_edges(Tensor self, int[] bins, *, {_REST}) -> Tensor[]",
    lambda xp, self, bins, range: edges_of(xp, check_points(self), bins, range),
)
_from_bin_cts = undifferentiated(
    f"_histogramdd_from_bin_cts(Tensor self, int[] bins, *, {_REST}) -> Tensor",
    lambda xp, self, bins, range, weight, density: from_counts(
        xp, self, bins, range, weight, density
    )[0],
)
_from_bin_tensors = undifferentiated(
    "_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None,"
    " bool density=False) -> Tensor",
    from_edges,
)


def _of_bins(input: Any, bins: Any, *args: Any, **kwargs: Any) -> str:
    """The overload of histogramdd: of one number of bins, of several, or of their edges."""
    if not isinstance(bins, (list, tuple)):
        return "int_bins"
    return "TensorList_bins" if isinstance(bins[0], TensorBase) else ""


@composite("histogramdd", on=("function",), vmap=VMap("without_rule", overload=_of_bins))
@overloads(
    *[
        f"Tensor input, {kind} bins, tuple of floats range = None, Tensor weight = None, "
        "bool density = False"
        for kind in ("int", "tuple of ints", "tuple of Tensors")
    ]
)
def histogramdd(
    input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """How many rows of `input` lie in each cell of a grid, and the grid's edges.

    bins: how many along each dimension, one number for all, or their edges.
    range: the outer edges of each dimension, in one list.
    """
    made = return_type("histogramdd", ("hist", "bin_edges"))
    if type(bins) is bool:
        raise TypeError  # worded by the signature
    if not isinstance(bins, int) and bins and isinstance(bins[0], TensorBase):
        refuse_numberless("aten::_histogramdd_from_bin_tensors", input._array)
        return made((_from_bin_tensors(input, bins, weight=weight, density=density), tuple(bins)))
    refuse_numberless("aten::_histogramdd_bin_edges", input._array)
    sizes = [bins] * entry_of(input.shape, -1) if isinstance(bins, int) else list(bins)
    fields = {"range": range, "weight": weight, "density": density}
    edges = _bin_edges(input, sizes, **fields)
    return made((_from_bin_cts(input, sizes, **fields), tuple(edges)))


# ---- histogram


def as_points(self: Any, weight: Any) -> Any:
    """Elements as points of one dimension, with their weights in a vector."""
    return self.reshape(-1, 1), None if weight is None else weight.reshape(-1)


def bin_ct_forward(
    xp: Any, self: Any, bins: int, range: Any, weight: Any, density: bool
) -> tuple[Any, Any]:
    refuse_numberless("aten::histogram.bin_ct", self)
    check_bins([bins])
    points, weight = as_points(self, weight)
    counts, (edges,) = from_counts(xp, points, [bins], range, weight, density)
    return counts, edges


def bins_tensor_forward(
    xp: Any, self: Any, bins: Any, weight: Any, density: bool
) -> tuple[Any, Any]:
    refuse_numberless("aten::histogram.bins_tensor", self)
    points, weight = as_points(self, weight)
    return from_edges(xp, points, [bins], weight, density), bins.copy()


_bin_ct = undifferentiated(
    f"histogram.bin_ct(Tensor self, int bins=100, *, {_REST}) -> (Tensor hist, Tensor bin_edges)",
    bin_ct_forward,
)
_bins_tensor = undifferentiated(
    "histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False)"
    " -> (Tensor hist, Tensor bin_edges)",
    bins_tensor_forward,
)


@composite(
    "histogram",
    out=Out(
        exactly(
            "torch.histogram: input tensor and hist tensor should have the same dtype, but got "
            "input {result.c_name} and hist {out.c_name}"
        ),
        exactly(
            "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but "
            "got input {result.c_name} and bin_edges {out.c_name} for dimension 0"
        ),
        overlap=APART,
        autograd=False,
        reversed=True,
    ),
    vmap=VMap("warned", overload="bin_ct"),
)
@overloads(
    "Tensor input, Tensor bins, *, Tensor weight = None, bool density = False, "
    "tuple of Tensors out = None",
    "Tensor input, int bins = 100, *, tuple of floats range = None, Tensor weight = None, "
    "bool density = False, tuple of Tensors out = None",
)
def histogram(
    input: Any, bins: Any = 100, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """How many elements lie in each bin, or their weights, and the edges of the bins.

    bins: how many, or their edges.
    density: divides by the total and by the widths.
    """
    if type(bins) is bool:
        raise TypeError  # worded by the signature
    if not isinstance(bins, TensorBase):
        return _bin_ct(input, bins, range=range, weight=weight, density=density)
    if range is not None:
        raise TypeError("histogram() takes a range with a number of bins only")
    return _bins_tensor(input, bins, weight=weight, density=density)
