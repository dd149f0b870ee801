"""Indexing where a mask allows it: the other places are read as a number, or not written."""

from __future__ import annotations

from typing import Any

from minitorch.aten.in_formulas import new_zeros_as
from minitorch.aten.indexing.advanced_indexing import index_forward, index_put_forward
from minitorch.core.arrays.scatter import are_within
from minitorch.core.base.formulas import RAW
from minitorch.core.declare.families import operator
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import EVERY, LATE_UNSIGNED


def within(xp: Any, shape: tuple[int, ...], indices: Any) -> list[Any]:
    """`indices` moved into an array of `shape`. RuntimeError for masks."""
    for index in indices:
        if index is not None and index.dtype not in dtypes.POSITIONS:
            raise RuntimeError(
                f"_unsafe_masked_index found unexpected index type {dtypes.of(index).scalar_name}"
            )
    return [
        index
        if index is None or at >= len(shape) or are_within(index, shape[at])
        else xp.minimum(xp.maximum(index, -shape[at], out=...), shape[at] - 1, out=...)
        for at, index in enumerate(indices)
    ]


def masked_index_forward(xp: Any, self: Any, mask: Any, indices: Any, fill: Any) -> Any:
    if not indices:
        raise IndexError("at least one index must be provided")
    if not self.size:
        sizes = [0] * self.ndim  # as torch: what no index is for has none
        for at, index in enumerate(indices):
            sizes[at] = self.shape[at] if index is None else self.shape[at] or 1
        filled = xp.full(sizes, fill, self.dtype)
        return index_forward(xp, filled, within(xp, self.shape, indices))
    found = index_forward(xp, self, within(xp, self.shape, indices))
    return RAW.masked_fill(found, RAW.logical_not(mask), fill)


def masked_put_forward(xp: Any, self: Any, mask: Any, indices: Any, values: Any) -> Any:
    if not self.size:
        return self.copy()
    values = RAW.masked_fill(values, RAW.logical_not(mask), 0)
    return index_put_forward(xp, self, within(xp, self.shape, indices), values, True)


_unsafe_masked_index = operator(
    "_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
    node="UnsafeMaskedIndexBackward0",
    forward=masked_index_forward,
    kernel="masked_fill",
    knows=EVERY - LATE_UNSIGNED,
    self=lambda F, grad, self_sym_sizes, mask, indices: F._unsafe_masked_index_put_accumulate(
        new_zeros_as(F, grad, self_sym_sizes), mask, indices, grad
    ),
    result=lambda F, self_t, mask, indices: F._unsafe_masked_index(self_t, mask, indices, 0),
    on=("function",),
)

_unsafe_masked_index_put_accumulate = operator(
    "_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices,"
    " Tensor values) -> Tensor",
    node="UnsafeMaskedIndexPutAccumulateBackward0",
    forward=masked_put_forward,
    kernel="masked_fill",
    knows=EVERY - LATE_UNSIGNED,
    self=lambda F, grad: grad,
    values=lambda F, grad, mask, indices: F._unsafe_masked_index(grad, mask, indices, 0),
    result=lambda F, self_t, mask, indices, values_t: F._unsafe_masked_index_put_accumulate(
        self_t, mask, indices, values_t
    ),
    on=("function",),
)
