"""Sums, products and quotients of tensors of coordinates with each other, dense ones and numbers.

As ATen/native/sparse/SparseTensorMath.cpp and SparseBinaryOpIntersectionCommon.h.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.coordinates import Coordinates
from minitorch.aten.sparse.dispatch import does, formulas, into, is_sparse, is_tensor, written_as
from minitorch.aten.sparse.parts import check_result, coalesced, dense_array, emptied
from minitorch.aten.sparse.tensor import alike, made, values_of
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import not_differentiable
from minitorch.core.declare.general.recording import leads
from minitorch.core.declare.out import check_castable
from minitorch.core.graph.views import check_writable, note_write
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import can_cast, promote_types, result_type


def _other(other: Any) -> Any:
    """An operand as a tensor; a number becomes one without dimensions."""
    return other if is_tensor(other) else tensor(numpy.asarray(other))


# ---- sums


@does("add", row="add_Tensor")
def add(self: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(self, other, alpha)


def _check_subtraction(self: Any, other: Any) -> None:
    """RuntimeError with torch's text if one of both is of truth values."""
    kinds = [x.dtype.numpy.kind if is_tensor(x) else type(x) for x in (self, other)]
    if all(kind in ("b", bool) for kind in kinds):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if any(kind in ("b", bool) for kind in kinds):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )


@does("sub", "subtract", row="sub_Tensor")
def sub(self: Any, other: Any, alpha: Any = 1) -> Any:
    _check_subtraction(self, other)
    return _sum(self, other, -alpha)


def _write_sum(name: str, sign: int) -> None:
    def function(self: Any, other: Any, alpha: Any = 1) -> Any:
        """self += alpha * other, where a dense `self` is written at the places of `other` alone."""
        if sign < 0:
            _check_subtraction(self, other)
        _check_sum(self, other)
        _check_cast(promote_types(self.dtype, other.dtype), self.dtype)
        if is_sparse(self):
            result = _sum(self.detach(), other.detach(), sign * alpha, self.dtype)
            return written_as(self, result, f"{name}_Tensor", other, alpha=alpha)
        if recording() and any(map(leads, (self, other))):
            result = _sum(self.detach(), other.detach(), sign * alpha)
            return written_as(self, result, f"{name}_Tensor", other, alpha=alpha)
        other._array.added_to(self._array, sign * alpha)
        note_write(self, None)
        return self

    does(name + "_")(function)


_write_sum("add", 1)
_write_sum("sub", -1)
does("subtract_")(lambda self, other, alpha=1: self.sub_(other, alpha=alpha))


def _check_cast(kind: Any, own: Any, name: str = "add") -> None:
    """RuntimeError unless results of one dtype can be written to a tensor of another."""
    if not can_cast(kind, own):
        raise RuntimeError(
            f"Can't convert result type {kind.scalar_name} to output {own.scalar_name} in {name} "
            "operation"
        )


def _check_sum(self: Any, other: Any) -> None:
    if not is_sparse(other):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    shapes = [list(getattr(t, "shape", ())) for t in (self, other)]
    if shapes[0] == shapes[1]:
        return
    if not is_sparse(self):
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {shapes[0]} "
            f"while other has size {shapes[1]} (FYI: dense-sparse addition does not currently "
            "support broadcasting)"
        )
    raise RuntimeError(
        f"add: expected sizes of 'self' and 'other' to match, but {shapes[0]} != {shapes[1]}"
    )


def _sum(self: Any, other: Any, alpha: Any, into: Any = None) -> Any:
    """self + alpha * other."""
    self = _other(self)
    _check_sum(self, other)
    kind = promote_types(self.dtype, other.dtype)
    if not is_sparse(self):
        out = self.detach().clone().to(kind)
        other._array.added_to(out._array, alpha)
        return out
    _check_cast(kind, into or kind)
    a, b = self._array, other._array
    dtype = (into or kind).numpy
    if not len(b.values):
        return self.detach().clone().to(into or kind)
    if not len(a.values):
        if kind is dtypes.bool:
            check_result(dtypes.int64, kind)
        return OPS.mul(other.detach(), alpha).to(into or kind)
    if len(a.indices) != len(b.indices):
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same density, but 'self' has "
            f"{len(a.indices)} sparse dimensions while 'other' has {len(b.indices)} sparse "
            "dimensions"
        )
    if kind is dtypes.bool:
        raise NotImplementedError("\"cadd_sparse\" not implemented for 'Bool'")
    first = a.values.astype(kind.numpy, copy=False)
    second = b.values.astype(kind.numpy, copy=False)
    second = second if alpha == 1 else second * second.dtype.type(alpha)
    if not (a.values.flags.c_contiguous and b.values.flags.c_contiguous):
        indices = numpy.concatenate([a.indices, b.indices], 1)
        both = Coordinates(indices, numpy.concatenate([first, second]).astype(dtype), a.shape)
        return tensor(coalesced(both) if len(first) + len(second) > a.size else both)
    places: Any = [], []
    _merge(a.positions().tolist(), b.positions().tolist(), *places)
    count = max(places[0][-1], places[1][-1]) + 1
    most = len(first) + len(second)
    indices = numpy.empty((len(a.indices), most), numpy.int64)[:, :count]
    values = numpy.zeros((count, *first.shape[1:]), kind.numpy)
    for where, c, part in zip(places, (a, b), (first, second), strict=True):
        indices[:, where] = c.indices
        values[where] += part
    return made(indices, values.astype(dtype, copy=False), a.shape, a.coalesced and b.coalesced)


def _merge(first: list[int], second: list[int], into: list[int], other: list[int]) -> None:
    """Where the elements of two lists come to lie when both are walked together; equal ones meet.
    Lists in order become one in order."""
    i = j = n = 0
    while i < len(first) or j < len(second):
        ahead = j == len(second) or (i < len(first) and first[i] < second[j])
        behind = i == len(first) or (j < len(second) and first[i] > second[j])
        if not behind:
            into.append(n)
            i += 1
        if not ahead:
            other.append(n)
            j += 1
        n += 1


@does("rsub", "__rsub__")
def rsub(self: Any, other: Any, alpha: Any = 1) -> Any:
    return sub(_other(other), self, alpha=alpha)


# ---- products


@does("mul", "multiply", row="mul_Tensor")
def mul(self: Any, other: Any) -> Any:
    return _product(self, other)


@does("mul.out", "multiply.out")
def mul_out(out: Any, self: Any, other: Any) -> Any:
    result = _product(self.detach(), other.detach() if is_tensor(other) else other)
    if is_sparse(out) and _are_sparse(self, other):
        _check_cast(result.dtype, out.dtype, "mul")
    return into(out, result)


@does("mul_", "multiply_")
def mul_(self: Any, other: Any) -> Any:
    check_writable(self, recording() and any(map(leads, (self, other))))
    result = _product(self.detach(), other.detach() if is_tensor(other) else other)
    if not is_sparse(self):
        _check_sum(self, result)
        _check_cast(promote_types(self.dtype, other.dtype), self.dtype)
        return written_as(self, tensor(dense_array(result._array)), "mul_Tensor", other)
    if _are_sparse(self, other):
        _check_cast(result.dtype, self.dtype, "mul")
    elif not is_sparse(other) or (self._nnz() and other._nnz()):
        _check_values(result.dtype, self.dtype)
    return written_as(self, result.to(self.dtype), "mul_Tensor", other)


def _are_sparse(self: Any, other: Any) -> bool:
    """Whether torch intersects the places of both: neither is dense, empty, or a single number."""
    return all(is_tensor(x) and is_sparse(x) and x.dim() and x._nnz() for x in (self, other))


def _check_values(kind: Any, own: Any) -> None:
    """RuntimeError unless values have the dtype of the tensor that gets them."""
    if kind is not own:
        raise RuntimeError(
            f"dtype of values ({kind.scalar_name}) must match dtype of sparse tensor "
            f"({own.scalar_name})"
        )


def _product(self: Any, other: Any) -> Any:
    if not is_sparse(self):
        self, other = other, self
    if is_sparse(other):
        return _intersection(self, other)
    c = self._array
    if not is_tensor(other) or not other.dim():
        values = OPS.mul(values_of(self), other.detach() if is_tensor(other) else other)
        return alike(self, values._array)
    shape = OPS.broadcast_shapes_of(self.shape, other.shape)
    if tuple(shape) != c.shape:
        c = broadcast(c, tuple(shape))
    kind = _common_type(self, other)
    _check_values(promote_types(self.dtype, other.dtype), kind)
    x = OPS.broadcast_to(other.detach(), shape)._array
    values = x[tuple(c.indices)] if len(c.indices) else x[None].repeat(len(c.values), 0)
    product = c.values.astype(kind.numpy, copy=False) * values.astype(kind.numpy, copy=False)
    return made(c.indices.copy(), product, c.shape, c.coalesced)


def _broadcast_shapes(first: Any, second: Any) -> tuple[int, ...]:
    """The shape that both are broadcast to. RuntimeError with torch's text."""
    rank = max(len(first), len(second))
    one, two = ((1,) * (rank - len(each)) + tuple(each) for each in (first, second))
    for i in reversed(range(rank)):
        if one[i] != two[i] and 1 not in (one[i], two[i]):
            raise RuntimeError(
                f"The size of tensor a ({two[i]}) must match the size of tensor b ({one[i]}) at "
                f"non-singleton dimension {i}"
            )
    return tuple([b if a == 1 else a for a, b in zip(one, two)])


OPS.__dict__["broadcast_shapes_of"] = _broadcast_shapes


def _common_type(a: Any, b: Any) -> Any:
    """The dtype of results of two tensors: one without dimensions decides none that has some."""
    return result_type((a.dtype, a.dim()), (b.dtype, b.dim()))


OPS.__dict__["result_type_of"] = _common_type


def broadcast(c: Any, shape: tuple[int, ...]) -> Any:
    """Coordinates repeated along new dimensions and those of size 1. As sparse_broadcast_to."""
    lead = len(shape) - len(c.shape)
    rank = len(c.indices)
    c = coalesced(c)
    values = numpy.broadcast_to(c.values, (len(c.values), *shape[lead + rank :]))
    own = (*(1,) * lead, *c.shape)
    repeated = [i for i in range(lead + rank) if own[i] != shape[i] or i < lead]
    count = int(numpy.prod([shape[i] for i in repeated], dtype=int))
    places = numpy.indices([shape[i] for i in repeated]).reshape(len(repeated), -1)
    full = numpy.concatenate([numpy.zeros((lead, len(c.values)), numpy.int64), c.indices])
    indices = numpy.tile(full, count)
    for row, i in enumerate(repeated):
        indices[i] = numpy.repeat(places[row], len(c.values))
    made_of = Coordinates(indices, numpy.concatenate([values] * count), shape)
    return coalesced(made_of)


def _intersection(x: Any, y: Any) -> Any:
    """The product of two sparse tensors, at the places that both have."""
    a, b = x._array, y._array
    if not (len(a.values) and len(b.values)):
        if a.shape != b.shape and len(a.shape) and len(b.shape):
            _check_alike(a, b)
        kind = _common_type(x, y)
        shape = _broadcast_shapes(a.shape, b.shape)
        c = a if len(a.shape) else b
        return emptied(c, shape, len(c.indices), kind)
    if not (len(a.shape) and len(b.shape)):
        c, number = (a, b) if len(a.shape) else (b, a)
        kind = _common_type(x, y).numpy
        total = coalesced(number).values.astype(kind)[0]
        return made(c.indices.copy(), c.values.astype(kind) * total, c.shape, c.coalesced)
    _check_alike(a, b)
    if a.coalesced != b.coalesced:
        held, source = (a, b) if a.coalesced else (b, a)
    else:
        held, source = (a, b) if len(a.values) >= len(b.values) else (b, a)
        places = int(numpy.prod(held.shape[: len(held.indices)], dtype=int))
        if len(held.values) // max(places, 1) > 50:
            held = coalesced(held)
    kind = promote_types(x.dtype, y.dtype).numpy
    own = held.positions()
    order = own.argsort(kind="stable")
    keys, wanted = own[order], source.positions()
    low, high = (numpy.searchsorted(keys, wanted, side) for side in ("left", "right"))
    counts = high - low
    if a.coalesced and b.coalesced:
        if kind.kind == "b":
            raise NotImplementedError("\"mul_out_sparse\" not implemented for 'Bool'")
        there = counts > 0
        source = made(source.indices[:, there], source.values[there], source.shape, True)._array
        low, counts = low[there], counts[there]
        wanted = wanted[there]
    at = numpy.repeat(low, counts)
    starts = numpy.repeat(counts.cumsum() - counts, counts)
    at = order[at + numpy.arange(len(at)) - starts]
    first = numpy.repeat(source.values.astype(kind), counts, 0)
    found = first * held.values[at].astype(kind)
    values = numpy.zeros((len(wanted), *found.shape[1:]), kind)
    add = numpy.logical_or if values.dtype.kind == "b" else numpy.add
    if a.coalesced and b.coalesced:
        values = found
    else:
        add.at(values, numpy.repeat(numpy.arange(len(wanted)), counts), found)
    shape = _broadcast_shapes(a.shape, b.shape)
    return made(source.indices.copy(), values, shape, source.coalesced)


def _check_alike(a: Any, b: Any) -> None:
    rank = len(a.indices)
    if len(b.indices) != rank or a.shape[:rank] != b.shape[:rank] or len(a.shape) != len(b.shape):
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal "
            "dimensionality, number of sparse dimensions, and shape of sparse dimensions"
        )


# ---- quotients


def _divisor(other: Any) -> Any:
    if is_tensor(other) and (is_sparse(other) or other.dim()):
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other.shape)} for divisor)"
        )
    return other.detach() if is_tensor(other) else other


def _quotient(self: Any, other: Any, rounding_mode: str | None) -> Any:
    other = _divisor(other)
    c = self._array
    if rounding_mode is None:
        return alike(self, OPS.div(values_of(self), other)._array)
    c = coalesced(c)
    values = tensor(c.values).div(other, rounding_mode=rounding_mode)
    return made(c.indices, values._array, c.shape, True)


@does("_div", row="div_Tensor")
def _div(self: Any, other: Any) -> Any:
    return _quotient(self, other, None)


@does("_div_mode", row="div_Tensor_mode")
def _div_mode(self: Any, other: Any, *, rounding_mode: str) -> Any:
    return _quotient(self, other, rounding_mode)


@does("div", "divide", "true_divide")
def div(self: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    if rounding_mode is None:
        return _div(self, other)
    return _div_mode(self, other, rounding_mode=rounding_mode)


@does("div_", "divide_", "true_divide_")
def div_(self: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    result = _quotient(self.detach(), other, rounding_mode)
    check_castable("", result.dtype, self.dtype)
    result = result.to(self.dtype)
    if rounding_mode is None:
        return written_as(self, result, "div_Tensor", other)
    return written_as(self, result, "div_Tensor_mode", other, rounding_mode=rounding_mode)


@does("floor_divide", row="floor_divide")
def floor_divide(self: Any, other: Any) -> Any:
    c = coalesced(self._array)
    values = OPS.floor_divide(tensor(c.values), _divisor(other))
    return made(c.indices, values._array, c.shape, True)


formulas(
    "floor_divide_.sparse(Tensor(a!) self, Tensor other) -> Tensor(a!)",
    "NotImplemented",
    self=not_differentiable("floor_divide_"),
    other=not_differentiable("floor_divide_"),
)


@does("floor_divide_")
def floor_divide_(self: Any, other: Any) -> Any:
    result = OPS.floor_divide(self.detach(), _divisor(other))
    check_result(result.dtype, self.dtype)
    result = result.to(self.dtype)
    return written_as(self, result, "floor_divide_", _other(other))
