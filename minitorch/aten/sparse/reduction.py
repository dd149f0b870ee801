"""Sums, norms and softmax of tensors of coordinates. As ATen/native/sparse."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.reduction.norms import norm_backward
from minitorch.aten.sparse.coordinates import positions
from minitorch.aten.sparse.dispatch import (
    SPARSE_ROWS,
    could_not_run,
    does,
    formulas,
    is_sparse,
    recorded,
)
from minitorch.aten.sparse.parts import coalesced
from minitorch.aten.sparse.tensor import made
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import recording
from minitorch.core.declare.general.recording import leads, refuse_complex
from minitorch.core.numbers import dtype as dtypes

formulas(
    "_sparse_sum.dim(Tensor self, int[1] dim) -> Tensor",
    "SparseSumBackward0",
    self=lambda grad, self, dim: sparse_sum_backward(grad, self, dim),
)
formulas(
    "_sparse_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    "SparseSoftmaxBackward0",
    self=lambda grad, result, dim, self: softmax_backward(grad, result, dim, False),
)
formulas(
    "_sparse_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    "SparseLogSoftmaxBackward0",
    self=lambda grad, result, dim, self: softmax_backward(grad, result, dim, True),
)


def dims_of(dim: Any, rank: int) -> list[int]:
    """The dimensions of an argument, counted from the front. IndexError for those there are not."""
    dims = [dim] if hasattr(dim, "__index__") else list(dim)
    found = []
    for each in dims:
        each = int(each)
        if not -max(rank, 1) <= each < max(rank, 1):
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-max(rank, 1)}, "
                f"{max(rank, 1) - 1}], but got {each})"
            )
        each %= max(rank, 1)
        if each in found:
            raise RuntimeError(f"dim {each} appears multiple times in the list of dims")
        found.append(each)
    return found


@does("sum")
def sum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None:
        return _sum_all(self, dtype=dtype)
    return _sum_dims(self, listed(dim), keepdim, dtype=dtype)


def listed(dim: Any) -> list[int]:
    """Dimensions as a list."""
    return [dim] if hasattr(dim, "__index__") else list(dim)


def _sum_of_all(self: Any, *, dtype: Any = None) -> Any:
    return OPS.sum(tensor(self._array.values), dtype=dtype)


def _sum_of_dims(self: Any, dim: Any, keepdim: bool = False, *, dtype: Any = None) -> Any:
    integral = self.dtype.numpy.kind in "biu"
    kind = dtype or (dtypes.int64 if integral else self.dtype)
    given = self.detach()
    result = summed(given if kind is self.dtype else given.to(kind), dim)
    if keepdim:
        dims = dims_of(dim, self.dim()) or range(self.dim())
        for each in sorted(dims):
            result = result.unsqueeze(each).detach()
    return result


_sum_all = recorded("sum", _sum_of_all)
_sum_dims = recorded("sum_dim_IntList", _sum_of_dims)


def summed(self: Any, dim: Any) -> Any:
    """The sum along dimensions: sparse unless all sparse dimensions are summed."""
    c = coalesced(self._array)
    rank = len(c.indices)
    dims = dims_of(dim, len(c.shape))
    if dims and not c.shape:
        raise RuntimeError("Trying to create tensor with negative dimension -1: [-1, 1]")
    dense = [each - rank + 1 for each in dims if each >= rank]
    places = [each for each in range(rank) if each not in dims]
    values = OPS.sum(tensor(c.values), dense) if dense else tensor(c.values)
    if len(places) == 0:
        return OPS.sum(values, 0)
    shape = tuple([size for i, size in enumerate(c.shape) if i not in dims])
    x = values._array if dense else c.values.copy()
    if len(places) == rank:
        return made(c.indices.copy(), x, shape, True)
    return made(c.indices[places], x, shape).coalesce()


def sparse_sum_backward(grad: Any, self: Any, dim: Any) -> Any:
    """The gradient of torch.sparse.sum, at the places of its input."""
    c = coalesced(self._array)
    rank = len(c.indices)
    dims = dims_of(dim, len(c.shape))
    places = [each for each in range(rank) if each not in dims]
    dense = [each - rank for each in dims if each >= rank]
    if not places:
        x = grad._array
        for each in sorted(dense):
            x = numpy.expand_dims(x, each)
        values = numpy.broadcast_to(x, c.values.shape)
        return made(c.indices.copy(), values.astype(c.dtype), c.shape, c.coalesced)
    g = coalesced(grad._array)
    x = g.values
    for each in sorted(dense):
        x = numpy.expand_dims(x, each + 1)
    x = numpy.broadcast_to(x, (len(x), *c.values.shape[1:]))
    sizes = [c.shape[each] for each in places]
    values = numpy.zeros(c.values.shape, g.dtype)
    own, wanted = positions(g.indices, sizes), positions(c.indices[places], sizes)
    if len(own):
        at = numpy.searchsorted(own, wanted).clip(max=len(own) - 1)
        found = own[at] == wanted
        values[found] = x[at[found]]
    return made(c.indices.copy(), values, c.shape, c.coalesced)


@does("norm")
def norm(
    self: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    if p == "fro" and dtype is not None:
        raise ValueError("dtype argument is not supported in frobenius norm")
    rank = self.dim()
    given = [] if dim is None else [dim] if hasattr(dim, "__index__") else list(dim)
    if p not in (None, "fro") and dim is None:
        given = list(range(rank))
    if len(given) not in (0, rank) or len(dims_of(given, rank)) not in (0, rank):
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty "
            "or contain all dimensions of the input"
        )
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    if dtype is not None:
        raise RuntimeError("norm_sparse currently does not support 'dtype' argument")
    if self.dtype.numpy.kind in "biu":
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{self.dtype.scalar_name} instead."
        )
    return _norm(self, 2.0 if p in (None, "fro") else p, given, keepdim)


formulas(
    "norm.ScalarOpt_dim_sparse(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
    "NormBackward1",
    self=lambda grad, self, p, result, dim, keepdim: norm_gradient(
        grad, self, p, result, dim, keepdim
    ),
)


def norm_gradient(grad: Any, self: Any, p: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of norm, which most norms of sparse tensors lack. As norm_backward of
    FunctionsManual.cpp."""
    if p == 2 and dim:
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{[1] * self.dim()} for divisor)"
        )
    if p == 2:
        raise could_not_run("masked_fill_.Scalar", self)
    if p not in (0, 1, float("inf")) and p > 1:
        raise could_not_run("pow_.Scalar", self)
    return norm_backward(OPS, grad, self, p, result, dim, keepdim)


_norm = recorded(
    "norm_ScalarOpt_dim",
    lambda self, p, dim, keepdim: tensor(coalesced(self._array).values).norm(p),
)


# ---- softmax


def pools(c: Any, dim: int) -> Any:
    """For each element the number of the group that a softmax along a sparse dimension takes it to,
    and how many groups there are."""
    places = [each for each in range(len(c.indices)) if each != dim]
    where = positions(c.indices[places], [c.shape[each] for each in places])
    _, group = numpy.unique(where, return_inverse=True)
    return group, int(group.max(initial=-1)) + 1


def grouped(x: Any, group: Any, count: int, reduce: Any, start: Any) -> Any:
    """The results of `reduce` for the values of each group, in their order."""
    out = numpy.full((count, *x.shape[1:]), start, x.dtype)
    reduce.at(out, group, x)
    return out


def softmax_of(self: Any, dim: int, log: bool) -> Any:
    """softmax or its logarithm along a dimension: of the elements that are there."""
    c = coalesced(self._array)
    dim = dims_of(dim, len(c.shape))[0]
    rank = len(c.indices)
    if dim >= rank:
        function = OPS.log_softmax if log else OPS.softmax
        values = function(tensor(c.values), dim - rank + 1)._array
        return made(c.indices.copy(), values, c.shape, True)
    group, count = pools(c, dim)
    x = c.values.astype(numpy.float64)
    largest = grouped(x, group, count, numpy.maximum, -numpy.inf)
    with Silence():
        powers = numpy.exp(x - largest[group])
        total = grouped(powers, group, count, numpy.add, 0)
        if log:
            values = x - (largest + numpy.log(total))[group]
        else:  # torch keeps the powers in the result before it divides them
            values = powers.astype(c.dtype) * (1 / total)[group]
    return made(c.indices.copy(), values.astype(c.dtype, copy=False), c.shape, True)


def softmax_backward(grad: Any, output: Any, dim: int, log: bool) -> Any:
    """The gradient of softmax_of, at the places of its output."""
    if not is_sparse(grad):
        grad = grad.sparse_mask(output.coalesce())
    c, rank = coalesced(output._array), len(output._array.indices)
    dim = dims_of(dim, len(c.shape))[0]
    g = coalesced(grad._array)
    own, wanted = g.positions(), c.positions()
    x = numpy.zeros(c.values.shape, c.dtype)
    if len(own):
        at = numpy.searchsorted(own, wanted).clip(max=len(own) - 1)
        found = own[at] == wanted
        x[found] = g.values[at[found]]
    y = c.values
    if dim >= rank:
        function = OPS._log_softmax_backward_data if log else OPS._softmax_backward_data
        values = function(tensor(x), tensor(y), dim - rank + 1, output.dtype)._array
        return made(c.indices.copy(), values, c.shape, True)
    group, count = pools(c, dim)
    total = grouped(x if log else x * y, group, count, numpy.add, 0)[group]
    if log:
        values = x - numpy.exp(y.astype(numpy.float64)).astype(y.dtype) * total
    else:
        values = y * (x - total)
    return made(c.indices.copy(), values, c.shape, True)


def _checked_softmax(log: bool) -> Any:
    name = "log_softmax" if log else "softmax"

    def function(self: Any, dim: int, half_to_float: bool = False) -> Any:
        dims_of(dim, self.dim())
        if self.dtype not in (dtypes.float32, dtypes.float64):
            raise NotImplementedError(f"\"{name}\" not implemented for '{self.dtype.scalar_name}'")
        return softmax_of(self, dim, log)

    return function


sparse_softmax = recorded("_sparse_softmax", _checked_softmax(False))
sparse_log_softmax = recorded("_sparse_log_softmax", _checked_softmax(True))
_sparse_sum = recorded("_sparse_sum_dim", lambda self, dim: summed(self.detach(), dim))


def sparse_sum(self: Any, dim: Any) -> Any:
    """torch._sparse_sum along dimensions, which has no derivative for complex numbers."""
    if self.dtype.is_complex and recording() and leads(self):
        refuse_complex(SPARSE_ROWS["_sparse_sum_dim"])
    return _sparse_sum(self, listed(dim))
