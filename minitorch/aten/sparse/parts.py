"""The parts of tensors of coordinates, and copies: indices, values, dense forms, dtypes."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse import above
from minitorch.aten.sparse.dispatch import (
    composed,
    could_not_run,
    does,
    formulas,
    is_sparse,
    recorded,
    written_as,
)
from minitorch.aten.sparse.layouts import check_conversion, layout_name, pair_of, title_of
from minitorch.aten.sparse.tensor import alike, made
from minitorch.core.arrays import on_numpy
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import not_differentiable
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.graph.views import requires_grad
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.numbers.size import size_of

composed(
    "to", "type", "type_as", "cpu", "double", "float", "half", "bfloat16", "long", "int", "short",
    "char", "byte", "bool", "cfloat", "cdouble", "chalf", "is_nonzero", "__nonzero__",
    "module_load", "is_distributed", "is_pinned", "as_tensor", "asarray",
    "broadcast_tensors", "linalg_multi_dot", "is_conj", "is_neg",
    "linalg_norm", "linalg_matrix_norm", "cross_entropy_loss", "l1_loss", "pin_memory",
)  # fmt: skip

formulas(
    "values(Tensor(a) self) -> Tensor",
    "ValuesBackward0",
    self=lambda grad, self: OPS._sparse_like(self, grad),
)
formulas(
    "_coalesce(Tensor self) -> Tensor",
    "CoalesceBackward0",
    self=lambda grad: grad,
)
formulas(
    "_to_dense(Tensor self, ScalarType? dtype=None, bool? masked_grad=None) -> Tensor",
    "ToDenseBackward0",
    self=lambda grad, self, masked_grad: to_dense_backward(grad, self, masked_grad),
)
formulas(
    "_to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor",
    "ToSparseBackward0",
    real_gradients=True,
    self=lambda grad, self_layout, self_self_sym_blocksize_opt: in_layout_again(
        grad, self_layout, self_self_sym_blocksize_opt
    ),
)
formulas(
    "_to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None)"
    " -> Tensor",
    "ToSparseBackward1",
    real_gradients=True,
    self=lambda grad, self_layout, self_self_sym_blocksize_opt: in_layout_again(
        grad, self_layout, self_self_sym_blocksize_opt
    ),
)
formulas(
    "sparse_mask(Tensor self, Tensor mask) -> Tensor",
    "SparseMaskBackward0",
    self=lambda grad, mask: sparse_mask_backward(grad, True, mask),
)
formulas(
    "sparse_mask.dense(Tensor self, Tensor mask) -> Tensor",
    "SparseMaskBackward0",
    self=lambda grad, mask: sparse_mask_backward(grad, False, mask),
)
formulas(
    "_sparse_mask_projection(Tensor self, Tensor mask) -> Tensor",
    "NotImplemented",
    self=lambda grad: grad,
)


def to_strided(grad: Any) -> Any:
    return grad.to_dense() if is_sparse(grad) else grad


def in_layout_again(grad: Any, layout: Any, block: Any) -> Any:
    """The gradient of a conversion, in the layout that was converted: None for a dense one."""
    if layout is None:
        return to_strided(grad)
    return grad if grad.layout is layout else grad.to_sparse(layout=layout, blocksize=block)


def sparse_like(self: Any, values: Any) -> Any:
    """A tensor with other values at the places of `self`."""
    if hasattr(self._array, "plain"):
        return above.with_values(self, values._array)
    return alike(self, values._array)


OPS.__dict__["_sparse_like"] = sparse_like


def to_dense_backward(grad: Any, self: Any, masked_grad: bool | None) -> Any:
    """The gradient of to_dense: at the places of `self`, or of its layout. As FunctionsManual."""
    if not is_sparse(self):
        return grad.to_dense() if is_sparse(grad) else grad
    masked = masked_grad is None or masked_grad
    if self.is_sparse:
        return grad.sparse_mask(self.coalesce()) if masked else grad.to_sparse(self.sparse_dim())
    found = grad.sparse_mask(self.to_sparse()) if masked else grad
    return found.to_sparse(layout=self.layout, blocksize=self._array.blocksize)


def sparse_mask_backward(grad: Any, sparse: bool, mask: Any) -> Any:
    """The gradient of sparse_mask for a sparse input, of the mask's layout, or a dense one."""
    if not mask.is_sparse:
        mask.is_coalesced()  # which refuses: torch has no gradient for compressed masks
    if mask.layout is devices.sparse_coo and not mask.is_coalesced() and is_sparse(grad):
        ones = alike(mask, numpy.ones_like(mask._array.values))
        grad = (grad * ones).coalesce()
    if sparse is is_sparse(grad):
        return grad
    return grad.to_sparse(layout=mask.layout) if sparse else grad.to_dense()


# ---- what it is made of


@does("_nnz")
def _nnz(self: Any) -> int:
    return len(self._array.values)


@does("sparse_dim", "_dimI")
def sparse_dim(self: Any) -> int:
    return len(self._array.indices)


@does("dense_dim", "_dimV")
def dense_dim(self: Any) -> int:
    return self._array.values.ndim - 1


@does("_indices")
def _indices(self: Any) -> Any:
    return tensor(self._array.indices)


@does("_values")
def _values(self: Any) -> Any:
    return tensor(self._array.values)


@does("is_coalesced")
def is_coalesced(self: Any) -> bool:
    return self._array.coalesced


@does("_coalesced_")
def _coalesced_(self: Any, coalesced: bool) -> Any:
    c = self._array
    result = made(c.indices, c.values, c.shape)
    result._array.coalesced = coalesced
    return written_as(self, result, "_coalesced_", coalesced=coalesced)


def check_coalesced(self: Any, name: str) -> None:
    if not self._array.coalesced:
        raise RuntimeError(
            f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first"
        )


@does("indices")
def indices(self: Any) -> Any:
    check_coalesced(self, "indices")
    return tensor(self._array.indices)


@does("values", row="values", view=True)
def values(self: Any) -> Any:
    check_coalesced(self, "values")
    return tensor(self._array.values)


def check_result(kind: Any, into: Any) -> None:
    """RuntimeError unless results of dtype `kind` can be written into one of dtype `into`."""
    if not can_cast(kind, into):
        raise RuntimeError(
            f"result type {kind.scalar_name} can't be cast to the desired output type "
            f"{into.scalar_name}"
        )


def coalesced(c: Any) -> Any:
    """The coordinates in order, each once; the values of one place add up in their order."""
    kind = type(c)
    if c.coalesced:
        return c
    positions = c.positions()
    order = positions.argsort(kind="stable")
    ordered = positions[order]
    first = numpy.concatenate([[True], ordered[1:] != ordered[:-1]])
    values = c.values[order[first]]
    more = order[~first]
    add = numpy.logical_or if values.dtype.kind == "b" else numpy.add
    add.at(values, (first.cumsum() - 1)[~first], c.values[more])
    indices = numpy.empty_like(c.indices)[:, : len(values)]  # in memory for all of them, as there
    indices[...] = c.indices[:, order[first]]
    return kind(indices, values, c.shape, True)


@does("coalesce", "_coalesce", row="_coalesce")
def coalesce(self: Any) -> Any:
    """This tensor with its places in order, each once."""
    return self if self._array.coalesced else tensor(coalesced(self._array))


def dense_array(c: Any) -> Any:
    """The array of all elements."""
    out = on_numpy.zeros(c.shape, c.dtype)
    if c.dtype.kind == "b" and not len(c.indices):
        out |= c.values.any(0)
    elif c.dtype.kind == "b":
        numpy.logical_or.at(out, tuple(c.indices), c.values)
    else:
        c.added_to(out)
    return out


@does("to_dense", "_to_dense", row="_to_dense")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")
    if self.dtype in dtypes.PACKED and self._array.values.size:
        raise dtypes.unknown_to("cpublas_axpy_impl", self.dtype)
    return tensor(dense_array(self._array))


def _check_conversion(self: Any, sparse_dim: int | None) -> None:
    if sparse_dim not in (None, len(self._array.indices)):
        raise RuntimeError(
            "to_sparse: conversion from Sparse to Sparse with sparse_dim argument "
            "!=self.sparse_dim() is not supported"
        )


@does("to_sparse", "to_sparse_coo")
def to_sparse(
    self: Any,
    sparse_dim: int | None = None,
    *,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: Any = None,
) -> Any:
    if sparse_dim is not None and not layout is blocksize is dense_dim is None:
        raise TypeError("to_sparse() takes 0 positional arguments but 1 was given")
    check_conversion(self, layout or devices.sparse_coo, pair_of(blocksize), dense_dim)
    if layout in (None, devices.sparse_coo):
        _check_conversion(self, sparse_dim)
        return self
    if layout is devices.strided:
        return self.to_dense()
    return above.to_layout(self, layout, blocksize, dense_dim)


# ---- copies


@does("clone", row="clone")
def clone(self: Any, *, memory_format: Any = None) -> Any:
    if memory_format not in (None, devices.preserve_format):
        name = {"torch.contiguous_format": "Contiguous", "torch.channels_last": "ChannelsLast"}
        said = name.get(str(memory_format), "ChannelsLast3d")
        raise RuntimeError(f"unsupported memory format option {said}")
    c = self._array
    result = made(c.indices.copy(), c.values.copy(), c.shape)
    result._array.coalesced = c.coalesced
    return result


@does("contiguous")
def contiguous(self: Any, memory_format: Any = devices.contiguous_format) -> Any:
    return clone(self, memory_format=memory_format)


@does("zeros_like", "empty_like")
def zeros_like(
    self: Any,
    *,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    c = self._array
    if layout is devices.strided:
        return OPS.zeros(c.shape, dtype=dtype or self.dtype, requires_grad=requires_grad)
    return emptied(c, c.shape, len(c.indices), dtype, requires_grad)


def emptied(c: Any, shape: Any, rank: int, dtype: Any = None, history: bool = False) -> Any:
    """A sparse tensor without elements, of the first `rank` dimensions' places."""
    kind = c.dtype if dtype is None else dtype.numpy
    result = made(numpy.empty((rank, 0), numpy.int64), numpy.empty((0, *shape[rank:]), kind), shape)
    return result.requires_grad_() if history else result


@does("new_zeros", "new_empty")
def new_zeros(
    self: Any,
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **named: Any,
) -> Any:
    given = named.get("size", size)
    shape = tuple(given[0]) if len(given) == 1 and not hasattr(given[0], "__index__") else given
    if layout is devices.strided:
        return OPS.zeros(shape, dtype=dtype or self.dtype, requires_grad=requires_grad)
    return emptied(self._array, tuple(shape), len(shape), dtype, requires_grad)


@does("zero_")
def zero_(self: Any) -> Any:
    c = self._array
    return written_as(self, emptied(c, c.shape, len(c.indices)), "zero_")


@does("detach_")
def detach_(self: Any) -> Any:
    self._edge = None
    return self


# The dtypes that tensors' types had names for, such as torch.FloatTensor.
_OLD = frozenset("Byte Char Double Float Half Int Long Short".split())


def type_text(self: Any) -> str:
    """The name of the type, as errors of torch write it."""
    name = self.dtype.scalar_name
    if name in _OLD:
        return f"torch.{'sparse.' * self.is_sparse}{name}Tensor"
    return f"{'Sparse' * self.is_sparse}CPU{name}Type"


@does("copy_")
def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    if self.is_sparse != src.is_sparse:
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{type_text(self)} and src type = {type_text(src)}"
        )
    if self is src:
        return self
    return written_as(self, clone(src.detach().to(self.dtype)), "copy_", src)


@does("_to_copy", row="_to_copy_sparse")
def _to_copy(self: Any, *, dtype: Any = None, **options: Any) -> Any:
    layout = options.get("layout")
    if layout is not None and layout is not self.layout:
        raise other_layout(self, "Strided")
    c = self._array
    kind = c.dtype if dtype is None else dtype.numpy
    values = OPS._to_copy(tensor(c.values), dtype=dtypes.FROM_NUMPY[kind])._array
    result = made(c.indices.copy(), values, c.shape)
    result._array.coalesced = c.coalesced
    return result


formulas(
    "_coalesced_(Tensor(a!) self, bool coalesced) -> Tensor(a!)",
    "NotImplemented",
    self=not_differentiable("_coalesced_"),
)
formulas(
    "copy_.sparse(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
    "CopyBackwards",
    self=lambda grad: copied_over(grad),
    src=lambda grad: grad,
)


def copied_over(grad: Any) -> Any:
    """The gradient of an overwritten tensor: contiguous zeros, which COO tensors do not have."""
    if is_sparse(grad) and grad.is_sparse:
        raise RuntimeError("memory format option is only supported by strided tensors")
    return OPS.zeros_like(grad)


formulas(
    "_to_copy.sparse(Tensor self, *, ScalarType? dtype=None, Layout? layout=None) -> Tensor",
    "ToCopyBackward0",
    self=lambda grad, self_options: cast_back(grad, self_options, devices.sparse_coo),
)


def cast_back(grad: Any, options: Any, layout: Any) -> Any:
    """The gradient of a cast, in the dtype of the input; their layouts must be the same."""
    if grad.layout is not layout:
        raise other_layout(grad, title_of(layout))
    return grad.to(options[0])


def other_layout(self: Any, name: str) -> RuntimeError:
    return RuntimeError(
        "to(options) doesn't support converting to a different layout, but got self.layout being "
        f"{layout_name(self)} and options.layout set as {name}"
    )


@does("_cast_gradient")
def cast_gradient(grad: Any, *_: Any, **options: Any) -> Any:
    """A sparse gradient of a dense tensor that was cast. Refused, as in torch."""
    raise other_layout(grad, "Strided")


@does("size")
def size(self: Any, dim: int | None = None) -> Any:
    return size_of(self._array.shape) if dim is None else self._array.shape[dim]


@does("view_as_real", row="view_as_real", view=True)
def view_as_real(self: Any) -> Any:
    """The parts of complex numbers along one dense dimension more."""
    c = self._array
    values = OPS.view_as_real(tensor(c.values))._array
    return made(c.indices, values, (*c.shape, 2), c.coalesced)


@does("real")
def real(self: Any) -> Any:
    return view_as_real(self).select(self.dim(), 0) if self.dtype.is_complex else self


@does("imag")
def imag(self: Any) -> Any:
    if not self.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return view_as_real(self).select(self.dim(), 1)


@does("sum_to_size")
def sum_to_size(self: Any, size: Any) -> Any:
    """The gradient of a broadcast tensor, summed up: of more dimensions there is no view."""
    more = self.dim() - len(size)
    dims = [i for i, n in enumerate(self.shape) if i < more or (size[i - more] == 1 != n)]
    total = self.sum(dims, keepdim=True) if dims else self
    if more:
        raise could_not_run("view", total)
    return total


@does("masked_fill")
def masked_fill(self: Any, *args: Any) -> Any:
    raise RuntimeError("unsupported memory format option Contiguous")


@does("resize_")
def resize_(self: Any, *args: Any, **named: Any) -> Any:
    if recording() and requires_grad(self):
        raise RuntimeError("cannot resize variables that require grad")
    raise could_not_run("resize_", self)


# ---- masks


def _masked(self: Any, mask: Any) -> Any:
    """The elements of `self` where `mask` has some."""
    if not is_sparse(mask):
        raise no_kernel("_nnz")
    c = mask._array
    if self.shape != mask.shape:
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(self.shape)} but mask has size {list(c.shape)}"
        )
    if not is_sparse(self):
        found = self.resolve_conj().resolve_neg()._array
        values = found[tuple(c.indices)] if len(c.indices) else found[None][: len(c.values)]
        result = made(c.indices.copy(), values, c.shape)
        result._array.coalesced = c.coalesced
        return result
    return _projected(self, mask)


_masked_sparse = recorded("sparse_mask", _masked)
_masked_dense = recorded("sparse_mask_dense", _masked)


@does("sparse_mask")
def sparse_mask(self: Any, mask: Any) -> Any:
    """The elements of `self` where `mask` has some."""
    return _masked_sparse(self, mask) if is_sparse(self) else _masked_dense(self, mask)


def _projected(self: Any, mask: Any) -> Any:
    """The values of a sparse tensor at the places of a mask, 0 where it has none."""
    a, c = self._array, mask._array
    if not len(a.values):
        result = made(c.indices.copy(), numpy.zeros(c.values.shape, a.dtype), c.shape)
        result._array.coalesced = c.coalesced
        return result
    if a.values.ndim != c.values.ndim:
        raise RuntimeError(
            "sparse_mask(): the number of sparse dimensions in `self` should match that of the "
            f"`mask`. Got `self.sparse_dim() == {len(a.indices)}` != "
            f"`mask.sparse_dim() == {len(c.indices)}`."
        )
    a = coalesced(a)
    values = numpy.zeros((len(c.values), *a.values.shape[1:]), a.dtype)
    where, own = c.positions(), a.positions()
    at = numpy.searchsorted(own, where).clip(max=len(own) - 1)
    found = own[at] == where
    values[found] = a.values[at[found]]
    result = made(c.indices.copy(), values, c.shape)
    result._array.coalesced = c.coalesced
    return result


def leaf(self: Any, on: bool) -> Any:
    """`self` as a leaf that requires grad, or does not."""
    return self.requires_grad_() if on and not requires_grad(self) else self
