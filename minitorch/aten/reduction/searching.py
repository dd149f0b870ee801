"""Sets and searches: unique, isin, bincount, searchsorted, bucketize.

As ATen/native/Unique.cpp, SummaryOps.cpp and Bucketization.cpp.
"""

from __future__ import annotations

from typing import Any

from minitorch.aten.reduction.extrema import refuse_complex
from minitorch.core.arrays import namespace, on_numpy
from minitorch.core.arrays.floating_point import Silence, has_nan, widened
from minitorch.core.arrays.missing import refuse_numberless
from minitorch.core.arrays.questions import largest_of, least_of, some
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.declare.calls import ALWAYS, IN_PYTHON, Calls
from minitorch.core.declare.codegen.shells import over
from minitorch.core.declare.families import composite, not_differentiable, not_implemented, operator
from minitorch.core.declare.general.elementwise import is_operand, unsupported
from minitorch.core.declare.out import APART, EXACT, Out
from minitorch.core.declare.vmap import SIZES_DIFFER, WARNS, VMap
from minitorch.core.declare.wording.signatures import FITS, overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import COMPLEX, COMPLEX_HALF, EVERY, INTEGRAL, LATE_UNSIGNED
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.numbers.promotion import result_type
from minitorch.core.numbers.scalars import as_number
from minitorch.core.tensor.conversion import entry_of, wrap_dim
from minitorch.core.warning import warn_once

# ---- unique


def ordered(xp: Any, x: Any) -> Any:
    """`x` in a dtype whose order has NaN at its end: that of bfloat16 has it anywhere."""
    return x.astype(xp.float32) if x.dtype.kind == "V" and x.dtype.itemsize == 2 else x


def unique_forward(xp: Any, self: Any, return_inverse: bool, return_counts: bool) -> Any:
    refuse_complex(self, "unique")
    refuse_numberless("aten::_unique2", self)
    flat, flags = ordered(xp, self).reshape(-1), (return_inverse, return_counts)
    found = xp.unique(
        flat, return_inverse=return_inverse, return_counts=return_counts, equal_nan=False
    )
    values, *more = found if any(flags) else (found,)
    inverse, counts = [xp.asarray(more.pop(0) if each else (), xp.int64) for each in flags]
    shaped = inverse.reshape(self.shape) if return_inverse else inverse
    return values.astype(self.dtype, copy=False), shaped, counts


_unique2 = operator(
    "_unique2(Tensor self, bool sorted=True, bool return_inverse=False,"
    " bool return_counts=False) -> (Tensor, Tensor, Tensor)",
    node="Unique2Backward0",
    forward=unique_forward,
    kernel="unique",
    knows=EVERY - COMPLEX - COMPLEX_HALF,
    self=not_implemented("_unique2"),
    differentiable=(True, False, False),
    on=("function",),
    vmap=SIZES_DIFFER,
)


def elements_forward(xp: Any, self: Any, return_inverse: bool) -> Any:
    refuse_complex(self, "unique")
    refuse_numberless("aten::_unique", self)
    return unique_forward(xp, self, return_inverse, False)[:2]


_unique = operator(
    "_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)",
    node="UniqueBackward0",
    forward=elements_forward,
    self=not_implemented("_unique"),
    differentiable=(True, False),
    on=("function",),
)


def check_rows(self: Any, axis: int) -> None:
    """RuntimeError where slices along `axis` have no elements to compare."""
    size, empty = entry_of(self.shape, axis), self.shape.count(0)
    if size == 0 and empty > 1:
        raise RuntimeError(
            "Number of zero sized dimensions is more than one, so unique cannot be applied "
        )
    if size and empty:
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )


def unique_dim_forward(xp: Any, self: Any, dim: int) -> Any:
    refuse_numberless("aten::unique_dim", self)
    refuse_complex(self, "unique_dim")
    axis = wrap_dim(dim, self.ndim)
    check_rows(self, axis)
    n = self.shape[axis]
    rows = xp.moveaxis(self, axis, 0).reshape(n, self.size // max(n, 1))
    places = xp.lexsort(ordered(xp, rows).T[::-1]) if rows.shape[1] else xp.arange(n)
    return runs_of(xp, self, axis, rows, places)


def runs_of(xp: Any, self: Any, axis: int, rows: Any, places: Any) -> Any:
    """The first of each run of equal `rows` taken in the order `places`, or as they are; the run
    of each row; the lengths of the runs."""
    if not len(rows):
        return xp.empty(self.shape, self.dtype), xp.empty(0, xp.int64), xp.empty(0, xp.int64)
    taken, count = rows if places is None else rows[places], len(rows)
    fresh = xp.ones(count, bool)
    differ = taken[1:] != taken[:-1]
    fresh[1:] = differ[:, 0] if rows.shape[1] == 1 else differ.any(axis=1)
    run = fresh.astype(xp.int64)
    run[0] = 0
    inverse = run = xp.cumsum(run, out=run)
    if places is not None:
        inverse = xp.empty(count, xp.int64)
        inverse[places] = run
    starts = xp.flatnonzero(fresh)
    counts = xp.empty(len(starts), xp.int64)
    xp.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1] = count - starts[-1]
    rest = xp.moveaxis(self, axis, 0).shape[1:]
    values = taken.take(starts, 0).reshape(len(counts), *rest)
    return xp.moveaxis(values, 0, axis), inverse, counts


unique_dim = operator(
    "unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False,"
    " bool return_counts=False) -> (Tensor, Tensor, Tensor)",
    node="UniqueDimBackward0",
    forward=unique_dim_forward,
    self=not_implemented("unique_dim"),
    differentiable=(True, False, False),
    on=("F",),
    vmap=SIZES_DIFFER,
    calls=Calls(joins=lambda self, *args, **kwargs: self.numel()),
)


def unique_consecutive_forward(
    xp: Any, self: Any, return_inverse: bool, return_counts: bool, dim: Any
) -> Any:
    refuse_numberless("aten::unique_consecutive", self)
    flat = dim is None or (dim == 0 and self.ndim == 1)
    refuse_complex(self, "unique" if flat else "unique_dim")
    if flat:
        rows = self.reshape(-1, 1)
        values, inverse, counts = runs_of(xp, self.reshape(-1), 0, rows, None)
        inverse = inverse.reshape(self.shape) if return_inverse else xp.empty(0, xp.int64)
        return values, inverse, counts if return_counts else xp.empty(0, xp.int64)
    axis = wrap_dim(dim, self.ndim)
    check_rows(self, axis)
    n = self.shape[axis]
    rows = xp.moveaxis(self, axis, 0).reshape(n, self.size // max(n, 1))
    return runs_of(xp, self, axis, rows, None)


unique_consecutive_row = operator(
    "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False,"
    " int? dim=None) -> (Tensor, Tensor, Tensor)",
    node="UniqueConsecutiveBackward0",
    forward=unique_consecutive_forward,
    kernel="unique",
    knows=EVERY - COMPLEX - COMPLEX_HALF,
    self=not_implemented("unique_consecutive"),
    differentiable=(True, False, False),
    on=("F",),
    vmap=SIZES_DIFFER,
)


def wanted(results: Any, return_inverse: bool, return_counts: bool) -> Any:
    """The values alone, or a tuple with the other results that were asked for."""
    values, inverse, counts = results
    if not (return_inverse or return_counts):
        return values
    more = ((inverse,) if return_inverse else ()) + ((counts,) if return_counts else ())
    return (values, *more)


@composite("unique", calls=IN_PYTHON)
def unique(
    input: Any,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements (or slices along `dim`) of `input`, sorted.

    return_inverse: also, for each element, which of them it is.
    return_counts: also how often each occurs.
    """
    if type(return_inverse) is not bool or type(return_counts) is not bool:
        bool(return_inverse), bool(return_counts)  # as torch asks first
    if dim is None:
        results = _unique2(
            input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts
        )
    else:
        results = unique_dim(input, dim, sorted, return_inverse, return_counts)
    return wanted(results, return_inverse, return_counts)


def joins_slices(input: Any, *args: Any, dim: int | None = None, **options: Any) -> bool:
    """Whether torch's unique_consecutive joins slices, rather than taking single elements."""
    return (
        input.numel() > 0
        and input.dim() > 1
        and (*args, *(None,) * (2 - len(args)), dim)[2] is not None
    )


@composite("unique_consecutive", calls=Calls(in_python=ALWAYS, joins=joins_slices))
@over(
    lambda input, return_inverse=False, return_counts=False, dim=None: (
        "_VF.unique_consecutive",
        input,
        {"return_inverse": return_inverse, "return_counts": return_counts, "dim": dim},
    )
)
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """`input` with each run of equal elements (or slices along `dim`) made one."""
    if type(return_inverse) is not bool or type(return_counts) is not bool:
        bool(return_inverse), bool(return_counts)  # as torch asks first
        raise TypeError  # worded by the signature
    if isinstance(dim, TensorBase):
        if dim.dim() or not FITS["int"](dim):  # type: ignore[attr-defined]
            raise TypeError
        dim = int(dim.item())  # type: ignore[attr-defined]
    results = unique_consecutive_row(input, return_inverse, return_counts, dim)
    return wanted(results, return_inverse, return_counts)


# ---- isin


def _of_kinds(elements: Any = None, test_elements: Any = None, **options: Any) -> str:
    """The overload of isin, by what are tensors and what are numbers."""
    kinds = ["Tensor" if isinstance(x, TensorBase) else "Scalar" for x in (elements, test_elements)]
    return "_".join(kinds)


def is_sorted_for(elements: Any = None, test_elements: Any = None, **options: Any) -> bool:
    """Whether torch's isin sorts both tensors, which it joins, as there are many to look for."""
    both = isinstance(elements, TensorBase) and isinstance(test_elements, TensorBase)
    return both and test_elements.numel() >= 10 * elements.numel() ** 0.145


@composite(
    "isin",
    on=("function",),
    out=Out(EXACT, overlap=APART, takes_grad=True),
    calls=Calls(joins=is_sorted_for),
    vmap=VMap("warned", overload=_of_kinds),
)
@overloads(
    "Tensor elements, Tensor test_elements, *, bool assume_unique = False, bool invert = False, "
    "Tensor out = None",
    "Number element, Tensor test_elements, *, bool assume_unique = False, bool invert = False, "
    "Tensor out = None",
    "Tensor elements, Number test_element, *, bool assume_unique = False, bool invert = False, "
    "Tensor out = None",
)
def isin(
    elements: Any = None,
    test_elements: Any = None,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    element: Any = None,
    test_element: Any = None,
) -> Any:
    """Whether each of `elements` is among `test_elements`; one of them may be a number."""
    pairs = ((elements, element), (test_elements, test_element))
    if any([tensors is not None and number is not None for tensors, number in pairs]):
        raise TypeError  # in the words of `overloads`
    given = [number if tensors is None else tensors for tensors, number in pairs]
    if not any([isinstance(each, TensorBase) for each in given]) or not all(map(is_operand, given)):
        raise TypeError  # in the words of `overloads`
    xp = namespace(next(each._array for each in given if isinstance(each, TensorBase)))
    a, b = [each._array if isinstance(each, TensorBase) else xp.asarray(each) for each in given]
    for each in (a, b):
        if each.dtype.kind in "bc":
            raise RuntimeError(
                f"Unsupported input type encountered for isin(): {dtypes.of(each).scalar_name}"
            )
    kind = result_type(*[(x.dtype, x.dim()) if isinstance(x, TensorBase) else x for x in given])
    packed = kind in dtypes.PACKED or is_complex_half(a.dtype) or is_complex_half(b.dtype)
    if packed or (kind in LATE_UNSIGNED and b.size < 10 * a.size**0.145):
        raise dtypes.unknown_to("isin_default_cpu", kind)
    wide = xp.float32 if kind.itemsize == 2 and kind.is_floating_point else kind.numpy
    if a.dtype != b.dtype or a.dtype.kind == "V":
        a, b = a.astype(wide), b.astype(wide)
    if xp is on_numpy and 0 < a.size * b.size <= _FEW_PAIRS:
        found = (a[..., None] == b.reshape(-1)).any(-1, keepdims=True)[..., 0]
        return tensor(xp.logical_not(found, out=...) if invert else found.copy())
    return tensor(xp.asarray(xp.isin(a, b, invert=invert)))


_FEW_PAIRS = 1024  # of elements, that are compared one by one: 2 us, not 8


# ---- bincount


def bincount_forward(xp: Any, self: Any, weights: Any, minlength: int) -> Any:
    refuse_numberless("aten::bincount", self)
    if dtypes.of(self) not in INTEGRAL:
        raise dtypes.unknown_to("bincount_cpu", self)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if self.ndim == 1 and self.size == 0:
        return xp.zeros(minlength, xp.int64)
    if self.ndim != 1 or (self.dtype.kind == "i" and least_of(self) < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return xp.asarray(xp.bincount(self, minlength=minlength), xp.int64)
    if weights.ndim != 1 or weights.size != self.size:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    kind = xp.float32 if weights.dtype == dtypes.float32.numpy else xp.float64
    out = xp.zeros(max(int(largest_of(self)) + 1, minlength), kind)
    xp.add.at(out, self.astype(xp.int64), weights.astype(kind))
    return out


bincount = operator(
    "bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor",
    node="NotImplemented",
    forward=bincount_forward,
    weights=not_differentiable("bincount"),
    vmap=WARNS,
)

# ---- searchsorted


def search(xp: Any, boundaries: Any, values: Any, side: str) -> Any:
    """Where each of `values` belongs in `boundaries`, sorted along the last axis."""
    common = result_type(*[(dtypes.of(x), x.ndim) for x in (boundaries, values)])
    small = common.is_floating_point and common.itemsize == 2
    kind = xp.float32 if small else common.numpy
    if boundaries.ndim == 1:
        return placed(
            xp, boundaries.astype(kind, copy=False), values.astype(kind, copy=False), side
        )
    out = xp.empty(values.shape, xp.int64)
    if not out.size:
        return out
    if not boundaries.size:
        out.fill(0)
        return out
    rows = boundaries.reshape(-1, boundaries.shape[-1]).astype(kind)
    flat, given = out.reshape(len(rows), -1), values.reshape(len(rows), -1).astype(kind)
    for i, row in enumerate(rows):
        flat[i] = placed(xp, row, given[i], side)
    return out


def placed(xp: Any, row: Any, values: Any, side: str) -> Any:
    """Where each of `values` belongs in a sorted vector. Beside what is no number torch's bisection
    goes to the right, where NumPy's takes that for the largest number."""
    if row.dtype.kind != "f" or not (has_nan(xp, values) or has_nan(xp, row[-1:])):
        return xp.as_array(row.searchsorted(values, side))
    start = xp.zeros(values.shape, xp.int64)
    end = xp.full(values.shape, len(row), xp.int64)
    while some(start < end):
        middle = start + (end - start >> 1)
        found = row[xp.minimum(middle, len(row) - 1)]
        right = ~(found >= values if side == "left" else found > values)
        start, end = (
            xp.where((start < end) & right, middle + 1, start),
            xp.where((start < end) & ~right, middle, end),
        )
    return xp.as_array(start)


def warn_of_gaps(boundaries: Any, values: Any, sorter: Any = None) -> None:
    """Says, once in a process, which of these tensors torch would copy first."""
    if not values._array.size:
        return
    for what, x in (("input value", values), ("boundary", boundaries), ("sorter", sorter)):
        if x is not None and not x._array.flags.c_contiguous:
            warn_once(
                f"torch.searchsorted(): {what} tensor is non-contiguous, this will lower the "
                "performance due to extra data copy when converting non-contiguous tensor to "
                f"contiguous, please use contiguous {what} tensor if possible. This message will "
                "only appear once per program."
            )


_ordered = unsupported("searchsorted_out_cpu", Kind.BOOL, Kind.COMPLEX)


def searchsorted_forward(
    xp: Any,
    sorted_sequence: Any,
    self: Any,
    out_int32: bool,
    right: bool,
    side: Any,
    sorter: Any,
) -> Any:
    name = "torch.searchsorted(): "
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{name}side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            f"{name}side and right can't be set to opposites, got side of left while right was True"
        )
    if sorter is not None:
        if sorter.shape != sorted_sequence.shape:
            raise RuntimeError(
                f"{name}boundary and sorter must have the same size, but got boundary tensor "
                f"{list(sorted_sequence.shape)}and got sorter tensor {list(sorter.shape)}"
            )
        if sorter.dtype != dtypes.int64.numpy:
            raise RuntimeError(
                f"{name}sorter must be a tensor of long dtype but got dtype "
                f"{dtypes.of(sorter).scalar_name}"
            )
        if sorter.size and not 0 <= least_of(sorter) <= largest_of(sorter) < sorter.shape[-1]:
            raise RuntimeError(f"{name}sorter index out of range")
    if sorted_sequence.ndim != 1:
        if self.ndim == 0:
            raise RuntimeError(
                f"{name}input value can be a scalar only when boundaries tensor dimension is 1, "
                f"but we got boundaries tensor dim({sorted_sequence.ndim}) and input value's "
                f"dim({self.ndim}) numel({self.size})"
            )
        if sorted_sequence.ndim == 0:
            raise RuntimeError(
                f"{name}boundaries tensor should have positive dimension, but got 0 dimension"
            )
        if self.ndim != sorted_sequence.ndim or self.shape[:-1] != sorted_sequence.shape[:-1]:
            raise RuntimeError(
                f"{name}boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                "boundaries tensor and input value tensor must match, but we got boundaries tensor "
                f"{list(sorted_sequence.shape)} and input value tensor {list(self.shape)}"
            )
    if self.size:
        operands = [(dtypes.of(x), x.ndim) for x in (sorted_sequence, self)]
        common = result_type(*operands)
        _ordered(None, common, ())
        if self.dtype.names:  # a single number
            self = widened(self)
    if sorter is not None:
        sorted_sequence = xp.take_along_axis(sorted_sequence, sorter, -1)
    found = search(xp, sorted_sequence, self, "right" if right or side == "right" else "left")
    return found.astype(xp.int32 if out_int32 else xp.int64, copy=False)


searchsorted_row = operator(
    "searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False,"
    " bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
    forward=searchsorted_forward,
    variants=("out",),
    on=("F",),
)


def as_number_tensor(value: Any, like: Any) -> Any:
    """A number that is searched for, as a 0-d tensor of the dtype it is compared in."""
    if isinstance(value, TensorBase):
        return value
    import numpy

    kind = like._array.dtype
    if isinstance(value, complex) and kind.kind != "c":
        real = like.dtype if like.dtype.is_floating_point else dtypes.get_default_dtype()
        if real.to_complex() is dtypes.complex32:
            raise dtypes.unknown_to("searchsorted_out_cpu", dtypes.complex32)
        kind = real.to_complex().numpy
    elif isinstance(value, float) and kind.kind not in "fVc":
        kind = dtypes.get_default_dtype().numpy
    elif kind.kind == "b":
        kind = result_type((like.dtype, 1), value).numpy
    number = numpy.asarray(as_number(value))
    with Silence():  # integers wrap around
        number = number.astype(kind)
    xp = namespace(like._array)
    return tensor(xp.asarray(number) if xp.device_type == "cuda" else number)


def _positions(name: str, result: Any, out: Any) -> None:
    """The rule for an out= of searchsorted."""
    if result is not out:
        raise RuntimeError(
            f"torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or "
            "Long(int64) depending on whether out_int32 flag is True, but we got output tensor's "
            f"dtype {out.scalar_name} and out_int32 flag is {result is dtypes.int32}"
        )


@composite("searchsorted", on=("function",), own_out=Out(_positions, takes_grad=True))
def searchsorted(
    sorted_sequence: Any,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
    out: Any = None,
) -> Any:
    """Where in `sorted_sequence` each element of `input` would keep it sorted."""
    values = as_number_tensor(input, sorted_sequence)
    result = searchsorted_row(
        sorted_sequence,
        values,
        out_int32=out_int32,
        right=right,
        side=side,
        sorter=sorter,
        out=out,
    )
    warn_of_gaps(sorted_sequence, values, sorter)
    return result


@composite("bucketize", on=("function",), own_out=Out(takes_grad=True))
def bucketize(
    input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False, out: Any = None
) -> Any:
    """Between which of the sorted `boundaries` each element of `input` lies."""
    if boundaries.dim() != 1:
        raise RuntimeError(
            f"boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})"
        )
    values = as_number_tensor(input, boundaries)
    result = searchsorted_row(boundaries, values, out_int32=out_int32, right=right, out=out)
    warn_of_gaps(boundaries, values)
    return result
