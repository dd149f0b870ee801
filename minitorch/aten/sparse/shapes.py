"""Operators that move, choose or join the elements of tensors of coordinates."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.dispatch import composed, could_not_run, does, is_sparse, written_as
from minitorch.aten.sparse.parts import emptied
from minitorch.aten.sparse.reduction import dims_of
from minitorch.aten.sparse.tensor import made
from minitorch.core.arrays.positions import bounds_error
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.graph.views import check_writable, note_write, requires_grad
from minitorch.core.numbers.promotion import promote_types

composed("swapaxes", "swapdims", "movedim", "moveaxis", "vstack", "hstack", "concat",
         "concatenate", "adjoint", "row_stack", "dstack")  # fmt: skip


def like(c: Any, indices: Any, values: Any, shape: Any, coalesced: bool = False) -> Any:
    """A tensor of coordinates that is coalesced only where this says so."""
    result = made(indices, values, shape)
    result._array.coalesced = coalesced
    return result


def _transposed(self: Any, dim0: int, dim1: int) -> Any:
    c = self._array
    first, second = (dims_of(dim, len(c.shape))[0] for dim in (dim0, dim1))
    if first == second:
        return like(c, c.indices.copy(), c.values.copy(), c.shape, c.coalesced)
    rank = len(c.indices)
    if first >= rank or second >= rank:
        raise RuntimeError(
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim: "
            f"{rank}, d0: {first}, d1: {second}"
        )
    order = list(range(len(c.shape)))
    order[first], order[second] = second, first
    shape = [c.shape[each] for each in order]
    if not len(c.values):
        return emptied(c, shape, rank)
    return like(c, c.indices[order[:rank]], c.values.copy(), shape)


@does("transpose", row="transpose_int", view=True)
def transpose(self: Any, dim0: int, dim1: int) -> Any:
    return _transposed(self, dim0, dim1)


@does("t", row="t", view=True)
def t(self: Any) -> Any:
    _check_matrix(self, "t")
    return _transposed(self, 0, 0 if self.dim() < 2 else 1)


def _check_matrix(self: Any, name: str) -> None:
    if self.dim() > 2:
        sparse = len(self._array.indices)
        raise RuntimeError(
            f"{name}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {sparse} "
            f"sparse and {self.dim() - sparse} dense dimensions"
        )
    if self.dim() == 2 and len(self._array.indices) < 2:
        raise RuntimeError(
            f"{name}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got 1 sparse "
            "and 1 dense dimensions"
        )


@does("transpose_", "swapaxes_", "swapdims_")
def transpose_(self: Any, dim0: int, dim1: int) -> Any:
    return written_as(self, _transposed(self, dim0, dim1), "transpose", dim0=dim0, dim1=dim1)


@does("t_")
def t_(self: Any) -> Any:
    _check_matrix(self, "t_")
    return written_as(self, t(self.detach()), "t")


@does("permute", row="permute", view=True)
def permute(self: Any, dims: Any) -> Any:
    given = tuple(dims)
    c = self._array
    if len(given) != len(c.shape):
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {len(c.shape)} is "
            f"not equal to len(dims) = {len(given)}"
        )
    order = []
    for each in given:
        each = dims_of(each, len(c.shape))[0]
        if each in order:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        order.append(each)
    if order == list(range(len(order))):
        return tensor(c)
    rank = len(c.indices)
    sparse, dense = order[:rank], order[rank:]
    if any(each >= rank for each in sparse):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not "
            "allowed.Only transpositions within sparse and dense dimensions are supported."
        )
    values = c.values.transpose(0, *[each - rank + 1 for each in dense])
    shape = [c.shape[each] for each in order]
    indices = c.indices if sparse == sorted(sparse) else c.indices[sparse]
    result = made(indices, values, shape)
    # As torch, which takes the order for kept wherever the first dimension stays in its place.
    result._array.coalesced = c.coalesced and sparse[:1] in ([], [0])
    return result


@does("unsqueeze", row="unsqueeze", view=True)
def unsqueeze(self: Any, dim: int) -> Any:
    c = self._array
    dim = dims_of(dim, len(c.shape) + 1)[0]
    rank = len(c.indices)
    shape = (*c.shape[:dim], 1, *c.shape[dim:])
    if dim > rank:
        return made(c.indices, numpy.expand_dims(c.values, dim - rank + 1), shape)
    return made(numpy.insert(c.indices, dim, 0, axis=0), c.values, shape)


@does("select", row="select_int", view=True)
def select(self: Any, dim: int, index: int) -> Any:
    c = self._array
    if not len(c.shape):
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = dims_of(dim, len(c.shape))[0]
    size = c.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(c.shape)} at dimension "
            f"{dim}"
        )
    index %= size
    rank = len(c.indices)
    shape = (*c.shape[:dim], *c.shape[dim + 1 :])
    if dim >= rank:
        axis = dim - rank + 1
        return made(c.indices, c.values[(slice(None),) * axis + (index,)], shape)
    kept = (c.indices[dim] == index).nonzero()[0]
    if rank == 1:
        if len(kept) == 0:
            return tensor(numpy.zeros(c.values.shape[1:], c.dtype))
        values = c.values[kept]
        return OPS.sum(tensor(values), 0, dtype=self.dtype)
    places = [each for each in range(rank) if each != dim]
    return made(c.indices[places][:, kept], c.values[kept], shape)


@does("narrow_copy", row="narrow_copy")
def narrow_copy(self: Any, dim: int, start: int, length: int) -> Any:
    c = self._array
    if not c.shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if not 0 <= dim < len(c.shape):
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {len(c.shape)}.")
    size = c.shape[dim]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if start < 0 or start + length > size:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, "
            f"{size})."
        )
    shape = (*c.shape[:dim], length, *c.shape[dim + 1 :])
    rank = len(c.indices)
    if dim >= rank:
        part = (slice(None),) * (dim - rank + 1) + (slice(start, start + length),)
        return made(c.indices, c.values[part].copy(), shape, c.coalesced)
    row = c.indices[dim]
    kept = ((row >= start) & (row < start + length)).nonzero()[0]
    indices = c.indices[:, kept]
    indices[dim] -= start
    return made(indices, c.values[kept], shape, c.coalesced)


@does("index_select", row="index_select")
def index_select(self: Any, dim: int, index: Any) -> Any:
    c = self._array
    if not len(c.shape):
        raise IndexError("index_select() cannot be applied to a 0-dim tensor.")
    dim = dims_of(dim, len(c.shape))[0]
    if index.dim() != 1 or str(index.dtype) not in ("torch.int64", "torch.int32"):
        raise IndexError(
            "index_select() argument index must be 1-D strided (non-sparse) long-tensor."
        )
    at, size = index._array.astype(numpy.int64), c.shape[dim]
    for each in at.tolist():
        if not -size <= each < size:
            raise IndexError(
                f"index_select(): index contains {each} that is out of range for tensor of size "
                f"{list(c.shape)} at dimension {dim}"
            )
    at = at % size if size else at
    shape = (*c.shape[:dim], len(at), *c.shape[dim + 1 :])
    rank = len(c.indices)
    if dim >= rank:
        return made(c.indices, c.values.take(at, dim - rank + 1), shape)
    chosen, row = [], []
    order = c.indices[dim].argsort(kind="stable")
    keys = c.indices[dim][order]
    for number, each in enumerate(at.tolist()):
        low, high = numpy.searchsorted(keys, [each, each + 1])
        chosen += order[low:high].tolist()
        row += [number] * int(high - low)
    indices = c.indices[:, chosen]
    indices[dim] = row
    return made(indices, c.values[chosen], shape)


def _check_joined(tensors: Any, dim: int) -> None:
    first = tensors[0]
    for number, each in enumerate(tensors):
        if not is_sparse(each):
            raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found at "
                               f"position {number}.")  # fmt: skip
        sizes = [list(x.shape) for x in (each, first)]
        for x in sizes:
            x[dim : dim + 1] = []
        if sizes[0] != sizes[1]:
            raise RuntimeError(
                "All tensors must have the same shape: "
                f"{list(first.shape)} (except in the concatenating dimension), but found shape: "
                f"{list(each.shape)} at position {number}."
            )
        forms = [(t.sparse_dim(), t.dense_dim()) for t in (each, first)]
        if forms[0] != forms[1]:
            raise RuntimeError(
                "All tensors must have the same sparse_dim and dense_dim: "
                f"{forms[1][0]}, {forms[1][1]}, but tensor at position {number} has "
                f"{forms[0][0]}, {forms[0][1]}."
            )


@does("cat", row="cat")
def cat(tensors: Any, dim: int = 0) -> Any:
    if not tensors[0].dim():
        dims_of(1, 0)  # which refuses
    dim = dims_of(dim, tensors[0].dim())[0]
    _check_joined(tensors, dim)
    parts = [each._array for each in tensors]
    dtypes_ = tensors[0].dtype
    for each in tensors[1:]:
        dtypes_ = promote_types(each.dtype, dtypes_)
    rank = len(parts[0].indices)
    shape = list(parts[0].shape)
    shape[dim] = sum(c.shape[dim] for c in parts)
    indices = numpy.concatenate([c.indices for c in parts], 1)
    if dim < rank:
        values = numpy.concatenate([c.values for c in parts])
        row = []
        offset = 0
        for c in parts:
            row.append(numpy.full(len(c.values), offset))
            offset += c.shape[dim]
        indices[dim] += numpy.concatenate(row)
        return made(indices, values, shape, False)
    axis = dim - rank + 1
    blocks = []
    before = 0
    for c in parts:
        block = numpy.zeros((len(c.values), *shape[rank:]), c.dtype)
        where = (slice(None),) * axis + (slice(before, before + c.shape[dim]),)
        block[where] = c.values
        before += c.shape[dim]
        blocks.append(block)
    return made(indices, numpy.concatenate(blocks), shape)


@does("stack", row="stack")
def stack(tensors: Any, dim: int = 0) -> Any:
    place = dims_of(dim, tensors[0].dim() + 1)[0]
    return cat([each.detach().unsqueeze(dim) for each in tensors], place)


def _at_least(rank: int) -> None:
    def function(*given: Any) -> Any:
        tensors = given[0] if isinstance(given[0], (list, tuple)) else given
        if any(each.dim() < min(rank, 2) for each in tensors):
            raise RuntimeError("reshape is not implemented for sparse tensors")
        return given[0] if len(given) == 1 else given

    does(f"atleast_{rank}d")(function)


for _rank in (1, 2, 3):
    _at_least(_rank)


@does("unbind", row="unbind_int", view=True)
def unbind(self: Any, dim: int = 0) -> Any:
    dim = dims_of(dim, self.dim())[0]
    if not self.dim():
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return tuple([select(self.detach(), dim, i) for i in range(self.shape[dim])])


def _too_many(self: Any) -> IndexError:
    return IndexError(f"too many indices for tensor of dimension {self.dim()}")


def _check_index_of_scalar(self: Any, index: Any) -> None:
    """Raises torch's error for an index that a tensor without dimensions does not take."""
    if isinstance(index, slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if hasattr(index, "_array"):
        if index.dtype.scalar_name == "Bool":
            raise strided_only(self, "fill_.Scalar")
        raise _too_many(self)
    if isinstance(index, tuple) and any(each is not None and each is not ... for each in index):
        raise _too_many(self)


@does("__getitem__")
def __getitem__(self: Any, index: Any) -> Any:
    result, dim = self, 0
    if not self.dim():
        _check_index_of_scalar(self, index)
    for each in index if isinstance(index, tuple) else (index,):
        if each is None:
            result = result.unsqueeze(dim)
            dim += 1
        elif isinstance(each, slice):
            if each != slice(None):
                raise strided_only(self, "as_strided")
            dim += 1
        elif each is Ellipsis:
            dim = result.dim() - sum(x is not None for x in index[index.index(Ellipsis) + 1 :])
        elif hasattr(each, "__index__") and not hasattr(each, "_array") and type(each) is not bool:
            if result.dim() == 0 and self.dim():
                raise _too_many(self)
            if result.dim() == 0 and each == 0:
                raise IndexError(
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
                )
            if dim >= result.dim() > 0:
                raise _too_many(self)
            size = result.shape[dim] if result.dim() else 0
            if not -size <= each < size:
                raise bounds_error(each, dim, size)
            result = result.select(dim, int(each)) if is_sparse(result) else result[int(each)]
        else:
            raise strided_only(self, "index.Tensor")
    return result


def strided_only(self: Any, name: str) -> Exception:
    return could_not_run(name, self)


def _resized(self: Any, size: Any, sparse_dim: int, dense_dim: int, keep: bool) -> Any:
    c = self._array
    shape = tuple(size)
    if sparse_dim + dense_dim != len(shape):
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
            f"{len(shape)}, sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )
    if not keep or not len(c.values):
        return emptied(c, shape, sparse_dim)
    if len(c.indices) != sparse_dim or c.values.ndim - 1 != dense_dim:
        what = "sparse" if len(c.indices) != sparse_dim else "dense"
        number = sparse_dim if what == "sparse" else dense_dim
        own = len(c.indices) if what == "sparse" else c.values.ndim - 1
        raise RuntimeError(
            f"changing the number of {what} dimensions (from {own} to {number}) on a non-empty "
            "sparse tensor is not supported.\nYou could try the following options:\n1. If you "
            f"need an empty sparse tensor of this size, call `x = torch.sparse_coo_tensor(size)`."
            f"\n2. If you need to resize this tensor, you have the following options:\n    1. For "
            f"both sparse and dense dimensions, keep the number of them constant and the size of "
            "them non-shrinking, and then try the same call again.\n    2. Or, create a new sparse "
            "tensor with the correct indices and values from this sparse tensor."
        )
    own, new = c.shape, shape
    for first, last, what in ((0, sparse_dim, "sparse"), (sparse_dim, len(shape), "dense")):
        if any(new[i] < own[i] for i in range(first, last)):
            raise RuntimeError(
                f"shrinking the size of {what} dimensions (from {list(own[first:last])} to "
                f"{list(new[first:last])}) on a non-empty sparse tensor is not supported.\nYou "
                "could try the following options:\n1. If you need an empty sparse tensor of this "
                "size, call `x = torch.sparse_coo_tensor(size)`.\n2. If you need to resize this "
                "tensor, you have the following options:\n    1. For both sparse and dense "
                "dimensions, keep the number of them constant and the size of them non-shrinking, "
                "and then try the same call again.\n    2. Or, create a new sparse tensor with the "
                "correct indices and values from this sparse tensor."
            )
    values = c.values
    if values.shape[1:] != shape[sparse_dim:]:
        values = numpy.zeros((len(c.values), *shape[sparse_dim:]), c.dtype)
        values[tuple([slice(n) for n in c.values.shape])] = c.values
    return made(c.indices, values, shape, c.coalesced)


@does("sparse_resize_")
def sparse_resize_(self: Any, size: Any, sparse_dim: int, dense_dim: int) -> Any:
    check_writable(self, requires_grad(self))
    return written_as(self, _resized(self, size, sparse_dim, dense_dim, True))


@does("sparse_resize_and_clear_")
def sparse_resize_and_clear_(self: Any, size: Any, sparse_dim: int, dense_dim: int) -> Any:
    return written_as(self, _resized(self, size, sparse_dim, dense_dim, False))


@does("resize_as_sparse_", "resize_as_")
def resize_as_sparse_(self: Any, other: Any) -> Any:
    check_writable(self, requires_grad(self))
    c = other._array
    if type(c) is not type(self._array):  # a dense one has no sparse dimensions
        return self.sparse_resize_(other.shape, 0, other.dim())
    same = self.shape == other.shape and len(self._array.indices) == len(c.indices)
    if same:
        note_write(self, None)
        return self
    sizes = (other.shape, len(c.indices), c.values.ndim - 1)
    return written_as(self, _resized(self, *sizes, True))


@does("native_norm")
def native_norm(
    self: Any, p: Any = 2, dim: Any = (), keepdim: bool = False, dtype: Any = None
) -> Any:
    """The norm of all elements, or of those along the dimensions."""
    return self.norm(p, list(dim) or None, keepdim, dtype=dtype)
