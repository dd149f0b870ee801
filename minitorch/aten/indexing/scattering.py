"""Writing at positions: scatter and its kin, index_add, index_copy, put, masked_scatter.

As ATen/native/TensorAdvancedIndexing.cpp and ScatterGatherChecks.h.
"""

from __future__ import annotations

from math import prod
from typing import Any

from minitorch.aten.creation.copies import copied
from minitorch.aten.creation.random_in_place import check_expandable
from minitorch.aten.in_formulas import zeros
from minitorch.aten.indexing.gathering import check_long
from minitorch.aten.indexing.partial_writes import write_reached
from minitorch.aten.shape.strided import check_repeated
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays import scatter as kernels
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.arrays.on_numpy import own
from minitorch.core.arrays.overlap import check_itself
from minitorch.core.arrays.positions import bounds_error
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.families import METHOD, composite, not_differentiable, operator
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import (
    ALONE,
    APART_OR_FIRST,
    EXACT,
    NOTHING,
    NOTHING_AFTER_SHAPES,
    InPlace,
    Out,
)
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import NAMES_DIMS, SHARES_INDEX, WARNS
from minitorch.core.determinism import alert
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import EVERY, LATE_UNSIGNED, refuse_late_unsigned
from minitorch.core.numbers.scalars import fitted, fitted_in
from minitorch.core.tensor.conversion import entry_of, wrap_dim
from minitorch.core.warning import warn, warn_once

# ---- scatter

# The beginnings of errors for indices in scatter and its kin, before they check memory.
OF_INDICES = ("scatter(): Expected dtype", "Expected index", "Index tensor")


_INT64 = dtypes.int64.numpy


def check_scatter(self: Any, dim: int, index: Any, src: Any) -> int:
    """The axis of a scatter. RuntimeError with torch's texts for arguments that do not fit.

    src: an array, or None where a number is written.
    """
    axis = wrap_dim(dim, self.ndim)
    given = self if src is None else src
    alike = index.ndim == self.ndim == given.ndim and given.dtype is self.dtype
    if alike and index.size and index.dtype is _INT64 and _fits(index.shape, self.shape, src, axis):
        return axis  # the ordinary case
    return _rare_scatter(self, axis, index, src)


def _fits(wanted: Any, own: Any, src: Any, axis: int) -> bool:
    """Whether an index of this shape is no larger than `src`, nor than this shape beside `axis`."""
    for at, (n, most) in enumerate(zip(wanted, own, strict=True)):
        if n > most and at != axis:
            return False
    if src is not None:
        for n, most in zip(wanted, src.shape, strict=True):
            if n > most:
                return False
    return True


def _rare_scatter(self: Any, axis: int, index: Any, src: Any) -> int:
    """`axis`, if the arguments fit, for the arguments that most scatters lack."""
    if index.size and index.dtype not in dtypes.POSITIONS:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if src is not None and src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.size == 0:
        return axis
    rank = max(self.ndim, 1)
    if max(index.ndim, 1) != rank:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    own, wanted = self.shape or (1,), index.shape or (1,)
    fits = all(d == axis or wanted[d] <= own[d] for d in range(rank))
    text = (
        f"Expected index {list(index.shape)} to be no larger than self {list(self.shape)} apart "
        f"from dimension {axis}"
    )
    if src is None:
        if not fits:
            raise RuntimeError(text)
        return axis
    if max(src.ndim, 1) != rank:
        if fits and src.ndim:  # sizes are compared first, up to one that does not fit
            next((d for d in range(rank) if wanted[d] > entry_of(src.shape, d)), None)
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    given = src.shape or (1,)
    if not fits or any(wanted[d] > given[d] for d in range(rank)):
        raise RuntimeError(f"{text} and to be no larger size than src {list(src.shape)}")
    return axis


def scattered(kernel: Any, xp: Any, self: Any, dim: int, index: Any, src: Any, *rest: Any) -> Any:
    """A scatter on arrays, scalars taken as vectors of one element."""
    if index.size == 0:
        return self.copy(order="C")
    if self.ndim and index.ndim:
        return kernel(xp, self, dim, index, src, *rest)
    if hasattr(src, "shape"):
        src = src.reshape(src.shape or (1,))
    out = kernel(
        xp, self.reshape(self.shape or (1,)), dim, index.reshape(index.shape or (1,)), src, *rest
    )
    return own(out.reshape(self.shape))


def scatter_src_forward(xp: Any, self: Any, dim: int, index: Any, src: Any) -> Any:
    axis = check_scatter(self, dim, index, src)
    return scattered(kernels.scatter, xp, self, axis, index, src)


def scatter_value_forward(xp: Any, self: Any, dim: int, index: Any, value: Any) -> Any:
    axis = check_scatter(self, dim, index, None)
    value = fitted_in(value, self) if index.size else 0
    return scattered(kernels.scatter, xp, self, axis, index, value)


scatter_src = operator(
    "scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    node="ScatterBackward0",
    forward=scatter_src_forward,
    kernel="scatter_gather_tensor_cpu",
    self=lambda F, grad, dim, index: F.scatter_value(grad, dim, index, 0),
    src=lambda F, grad, dim, index: F.gather(grad, dim, index),
    result=lambda F, self_t, dim, index, src_t: F.scatter_src(self_t, dim, index, src_t),
    on=("F",),
    vmap=NAMES_DIMS.but(vectors=True, one_rank=True),
)

scatter_value = operator(
    "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
    node="ScatterBackward1",
    forward=scatter_value_forward,
    kernel="scatter_gather_scalar_cpu",
    self=lambda F, grad, dim, index: F.scatter_value(grad, dim, index, 0),
    result=lambda F, self_t, dim, index: F.scatter_value(self_t, dim, index, 0),
    on=("F",),
    vmap=NAMES_DIMS.but(vectors=True, one_rank=True),
)

_REDUCTIONS = {"add": "sum", "multiply": "prod"}


def reduction_of(reduce: Any) -> str:
    """The kernel's name of a reduction of `scatter`."""
    if reduce not in _REDUCTIONS:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return _REDUCTIONS[reduce]


def scatter_reduced_forward(xp: Any, self: Any, dim: int, index: Any, src: Any, reduce: str) -> Any:
    axis = check_scatter(self, dim, index, src)
    kind = reduction_of(reduce)
    return scattered(kernels.scatter_reduce, xp, self, axis, index, src, kind)


def scatter_value_reduced_forward(
    xp: Any, self: Any, dim: int, index: Any, value: Any, reduce: str
) -> Any:
    axis = check_scatter(self, dim, index, None)
    kind = reduction_of(reduce)
    src = xp.full(index.shape, fitted_in(value, self), self.dtype)
    return scattered(kernels.scatter_reduce, xp, self, axis, index, src, kind)


scatter_reduced = operator(
    "scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
    node="NotImplemented",
    forward=scatter_reduced_forward,
    kernel="scatter_gather_tensor_cpu",
    self=not_differentiable("scatter"),
    src=not_differentiable("scatter"),
    on=("F",),
    vmap=NAMES_DIMS,
)

scatter_value_reduced = operator(
    "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce)"
    " -> Tensor",
    node="NotImplemented",
    forward=scatter_value_reduced_forward,
    kernel="scatter_gather_scalar_cpu",
    self=not_differentiable("scatter"),
    on=("F",),
    vmap=NAMES_DIMS,
)


_INTO = Out(EXACT, overlap=APART_OR_FIRST)
_INTO_REDUCED = _INTO.but(
    autograd=False,  # and it looks at out= before it looks at the word
    memory_first=("Dimension", "scatter(): Expected", "Expected", "Index tensor"),
)


@composite(
    "scatter",
    own_out=_INTO,
    inplace=METHOD,
    in_place=InPlace(
        falls_back=("src", "value"),
        reads=NOTHING,
        refused_first=OF_INDICES,
        reached=write_reached,
        through=True,
    ),
)
def scatter(
    input: Any,
    dim: int,
    index: Any,
    src: Any = None,
    value: Any = None,
    *,
    reduce: Any = None,
    out: Any = None,
) -> Any:
    """`input` with the elements of `src`, or a number, written at `index` along `dim`.

    reduce: 'add' or 'multiply', to combine instead of to write.
    """
    given = value if src is None else src
    if out is not None:
        said, named = (_INTO, {}) if reduce is None else (_INTO_REDUCED, {"reduce": reduce})
        return deliver("scatter", scatter, out, ((input, dim, index, given), named), said=said)
    is_number = not isinstance(given, TensorBase)
    if reduce is None:
        return (scatter_value if is_number else scatter_src)(input, dim, index, given)
    if is_number:
        return scatter_value_reduced(input, dim, index, given, reduce=reduce)
    warn_once(
        "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed "
        "in a future PyTorch release. Use torch.scatter_reduce instead for more reduction options.",
    )
    return scatter_reduced(input, dim, index, given, reduce=reduce)


def scatter_add_forward(xp: Any, self: Any, dim: int, index: Any, src: Any) -> Any:
    axis = check_scatter(self, dim, index, src)
    return scattered(kernels.scatter_add, xp, self, axis, index, src)


scatter_add = operator(
    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    node="ScatterAddBackward0",
    forward=scatter_add_forward,
    kernel="scatter_gather_tensor_cpu",
    self=lambda grad: grad,
    src=lambda F, grad, dim, index: F.gather(grad, dim, index),
    result=lambda F, self_t, dim, index, src_t: F.scatter_add(self_t, dim, index, src_t),
    variants=("out", "inplace"),
    in_place=InPlace(reads=NOTHING, refused_first=OF_INDICES, reached=write_reached),
    out=Out(EXACT, overlap=APART_OR_FIRST),
    vmap=NAMES_DIMS.but(vectors=True, one_rank=True),
)


# ---- whole slices: index_add, index_copy


def check_slices(name: str, self: Any, dim: int, index: Any, source: Any) -> int:
    """The axis along which slices of `source` go into `self`. Errors with torch's texts."""
    axis = wrap_dim(dim, self.ndim)
    own, given = self.shape, source.shape
    alike = index.ndim == 1 and index.dtype is _INT64 and self.dtype is source.dtype
    if alike and own and given == (*own[:axis], index.size, *own[axis + 1 :]):
        return axis  # the ordinary case
    kind = dtypes.of(index)
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{kind.scalar_name} and size: {list(index.shape)}"
        )
    if index.dtype not in dtypes.POSITIONS:
        raise RuntimeError(
            f"{name}(): Expected dtype int32/int64 for index but got: {kind.scalar_name}"
        )
    if self.dtype != source.dtype:
        raise RuntimeError(
            f"{name}(): self ({dtypes.of(self).scalar_name}) and source "
            f"({dtypes.of(source).scalar_name}) must have the same scalar type"
        )
    if axis and axis >= source.ndim:
        raise RuntimeError(
            f"{name}(): Indexing dim {axis} is out of bounds of the source tensor with dim "
            f"{source.ndim}"
        )
    count = source.shape[axis] if source.ndim else 1
    if index.size != count:
        entry_of(source.shape, axis)  # whose refusal comes first
        raise RuntimeError(
            f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): "
            f"({count}), for dim: {axis}"
        )
    if own and given:
        own, given = (*own[:axis], *own[axis + 1 :]), (*given[:axis], *given[axis + 1 :])
    if own != given:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(self.shape)} source.shape = {list(source.shape)}"
        )
    return axis


def index_add_forward(xp: Any, self: Any, dim: int, index: Any, source: Any, alpha: Any) -> Any:
    axis = check_slices("index_add_", self, dim, index, source)
    if self.ndim < 2:
        refuse_late_unsigned(self, "index_add_")
    if not self.size and self.ndim > 1:
        return self.copy(order="C")
    fitted_alpha = fitted(alpha, dtypes.of(self)) if alpha != 1 else 1
    return kernels.index_add(xp, self, axis, index, source, fitted_alpha)


def selected(F: Any, grad: Any, dim: int, index: Any, source: Any, source_dim: int) -> Any:
    """The slices of `grad` that came from `source`."""
    if source_dim > 0:
        return F.expand(F.index_select(grad, dim, index), source.shape)
    return F.index_select(grad, dim, F.squeeze_dim(index, 0))


def scaled_by(F: Any, grad: Any, alpha: Any) -> Any:
    """grad * alpha, or `grad` itself for 1."""
    return grad if alpha == 1 else F.mul(grad, alpha)


index_add = operator(
    "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
    node="IndexAddBackward0",
    forward=index_add_forward,
    kernel="scatter_gather_tensor_cpu",
    knows=EVERY - LATE_UNSIGNED,
    self=lambda grad: grad,
    source=lambda F, grad, dim, index, source, source_dim, alpha: scaled_by(
        F, selected(F, grad, dim, index, source, source_dim), alpha
    ),
    result=lambda F, self_t, dim, index, source_t, alpha: F.index_add(
        self_t, dim, index, scaled_by(F, source_t, alpha)
    ),
    variants=("out", "inplace"),
    in_place=InPlace(reads=NOTHING_AFTER_SHAPES, reached=write_reached),
    out=Out(EXACT, overlap=APART_OR_FIRST),
    vmap=SHARES_INDEX,
)


def index_copy_forward(xp: Any, self: Any, dim: int, index: Any, source: Any) -> Any:
    axis = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    count = index.size
    if source.ndim == 0 and count != 1:
        raise IndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {count})"
        )
    if source.ndim != self.ndim and source.ndim and self.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({source.ndim}), destination dimensionality "
            f"({self.ndim})"
        )
    if index.dtype != dtypes.int64.numpy:
        raise RuntimeError(
            "index_copy_(): Expected a long tensor for index, but got "
            f"{dtypes.of(index).scalar_name}"
        )
    if self.dtype != source.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{dtypes.of(self).scalar_name} and (source) {dtypes.of(source).scalar_name}"
        )
    own, given = list(self.shape), list(source.shape)
    for slices in (own, given):
        if slices:
            del slices[axis]
    if own != given:
        text = (
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination "
            f"slice shape: {_listed(own)} at dimension {axis} and source slice shape: "
            f"{_listed(given)} at dimension 0."
        )
        raise RuntimeError(text)
    if source.ndim and count != source.shape[axis]:
        raise IndexError(
            f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) "
            f"({source.shape[axis]})"
        )
    n = self.shape[axis] if self.ndim else 1
    if check_repeated(xp, self, axis, index.size):
        return self.copy(order="C")
    index, wrong = kernels.looked_at(xp, index, n)
    if wrong is not None:
        raise bounds_error(wrong[0], axis, n, "index_copy_(): ")
    out = self.copy(order="C")
    places = index.reshape(-1)
    if self.ndim == 0:
        out[...] = source.reshape(())
    else:
        out[(slice(None),) * axis + (places,)] = source
    return out


def _listed(shape: list[int]) -> str:
    return " ".join(map(str, shape))


index_copy = operator(
    "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
    node="IndexCopyBackward0",
    forward=index_copy_forward,
    kernel="index_copy_cpu",
    knows=EVERY - LATE_UNSIGNED,
    spares=(),
    self=lambda F, grad, dim, index: F.index_fill(grad, dim, index, 0),
    source=selected,
    result=lambda F, self_t, dim, index, source_t: F.index_copy(self_t, dim, index, source_t),
    variants=("out", "inplace"),
    in_place=InPlace(falls_back=ALONE, reads=NOTHING, itself_first=True, reached=write_reached),
    out=Out(EXACT, overlap=APART_OR_FIRST, memory_first=("Dimension",)),
    vmap=SHARES_INDEX,
)

# ---- put, masked_scatter


def put_forward(xp: Any, self: Any, index: Any, source: Any, accumulate: bool) -> Any:
    if not accumulate and not is_numberless(self):
        alert("put_")
    check_long("put_", index)
    if self.dtype != source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{dtypes.of(self).scalar_name} and source.dtype = {dtypes.of(source).scalar_name}"
        )
    if source.size != index.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.size}, index.numel() = {index.size}"
        )
    if self.size == 0 and index.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    out = copied(self)
    out[...] = kernels.put(xp, self, index, source, accumulate)
    return out


put = operator(
    "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
    node="PutBackward0",
    forward=put_forward,
    kernel="take_put_cpu",
    self=lambda F, grad, index, source_info, accumulate: (
        grad if accumulate else F.put(grad, index, zeros(F, grad, source_info), False)
    ),
    source=lambda F, grad, index, source: F.reshape(F.take(grad, index), source.shape),
    result=lambda F, self_t, index, source_t, accumulate: F.put(
        self_t, index, source_t, accumulate
    ),
    variants=("inplace",),
    in_place=InPlace(
        falls_back=ALONE,
        reads=NOTHING,
        refused_first=("put_(): Expected a long",),
        reached=write_reached,
    ),
    vmap=WARNS,
)


_BYTE_MASK = (
    "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,"
    "please use a mask with dtype torch.bool instead."
)


def check_source(self: Any, source: Any) -> None:
    """RuntimeError unless both arrays have one dtype."""
    if self.dtype != source.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{dtypes.of(self).scalar_name} and {dtypes.of(source).scalar_name}"
        )


def masked_scatter_forward(xp: Any, self: Any, mask: Any, source: Any) -> Any:
    layout.broadcast(mask.shape, self.shape)
    check_source(self, source)
    if mask.dtype == dtypes.uint8.numpy:
        warn(_BYTE_MASK)
    if mask.dtype.kind != "b":
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.of(mask).scalar_name}"
        )
    return kernels.masked_scatter(xp, self, mask, source)


def masked_scatter_backward_forward(xp: Any, grad_output: Any, mask: Any, sizes: Any) -> Any:
    count = prod(sizes)
    out = xp.zeros(count, grad_output.dtype)
    shape = grad_output.shape
    chosen = grad_output[xp.expand(mask, shape) if mask.shape != shape else mask].reshape(-1)
    out[: min(count, chosen.size)] = chosen[:count]
    return own(out.reshape(sizes))


masked_scatter = operator(
    "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
    node="MaskedScatterBackward0",
    forward=masked_scatter_forward,
    kernel="masked_scatter",
    spares=(),
    self=lambda F, grad, mask: F.masked_fill(grad, mask, 0),
    source=lambda F, grad, mask, source_sym_sizes: F.masked_scatter_backward(
        grad, mask, source_sym_sizes
    ),
    result=lambda F, self_t, mask, source_t: F.masked_scatter(self_t, mask, source_t),
    in_place=InPlace(falls_back=ALONE),
    vmap=WARNS,
)


def masked_scatter_result(self: Any, mask: Any, source: Any) -> Any:
    """The value of `self` after masked_scatter_, if the mask can be broadcast to its shape."""
    check_itself(self._array)
    check_source(self._array, source._array)
    check_expandable(mask._array, self._array.shape)
    return masked_scatter(self, mask, source)


def masked_scatter_array(x: Any, mask: Any, source: Any) -> Any:
    """`masked_scatter_` of formulas on bare arrays, into what they have made themselves."""
    x[...] = kernels.masked_scatter(namespace(x), x, mask, source)
    return x


@composite("masked_scatter_", on=METHOD, raw=masked_scatter_array)
def masked_scatter_(input: Any, mask: Any, source: Any) -> Any:
    """Writes the first elements of `source` where `mask` is true, in turn."""
    return store("masked_scatter_", masked_scatter_result, input, ((mask, source), {}))


masked_scatter_backward = operator(
    "masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor",
    node="MaskedScatterBackwardBackward0",
    forward=masked_scatter_backward_forward,
    kernel="masked_select",
    knows=EVERY - LATE_UNSIGNED,
    grad_output=lambda F, grad, mask, grad_output_info: F.masked_scatter(
        F.new_zeros(grad, grad_output_info), mask, grad
    ),
    result=LINEAR,
    on=("F",),
)
