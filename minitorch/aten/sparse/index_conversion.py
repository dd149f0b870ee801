"""Indices of sparse layouts as numbers of their own: from rows to where rows start, and back.

As ATen/native/TensorConversions.cpp: what sparse tensors do inside, for programs that keep
indices in dense tensors.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from minitorch.core.declare.families import operator
from minitorch.core.declare.out import EXACT, Out
from minitorch.core.numbers import dtype as dtypes


def coo_to_csr_forward(xp: Any, self: Any, size: int, out_int32: bool) -> Any:
    if self.ndim > 1:
        raise RuntimeError(
            f"Input is supposed to be a vector, but got {self.ndim} dimensional tensor."
        )
    if self.dtype.kind not in "iu":
        raise dtypes.unknown_to("convert_indices_from_coo_to_csr_cpu", self)
    rows = self.reshape(-1)
    # Rows should be sorted; of others torch sees the largest so far, and the last for the rest.
    seen = xp.maximum.accumulate(rows)
    starts = xp.searchsorted(seen, xp.arange(size + 1)).astype(xp.int32 if out_int32 else xp.int64)
    if rows.size:
        starts[int(rows[-1]) + 1 :] = rows.size
    return starts


_convert_indices_from_coo_to_csr = operator(
    "_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor",
    forward=coo_to_csr_forward,
    on=("function",),
    variants=("out",),
    out=Out(EXACT),
)


def csr_to_coo_forward(
    xp: Any, crow_indices: Any, col_indices: Any, out_int32: bool, transpose: bool
) -> Any:
    if crow_indices.ndim != col_indices.ndim or not crow_indices.ndim:
        raise RuntimeError(
            "crow_indices and col_indices are supposed to have the same dimensionality, but got "
            f"{crow_indices.ndim} and {crow_indices.ndim} dimensional tensors, respectively."
        )
    if crow_indices.dtype.kind not in "iu":
        raise dtypes.unknown_to("convert_indices_from_csr_to_coo_cpu", crow_indices)
    rank, count = col_indices.ndim - 1, col_indices.shape[-1]
    out = xp.zeros((rank + 2, col_indices.size), xp.int32 if out_int32 else xp.int64)
    if not col_indices.size:
        return out
    starts = crow_indices.reshape(-1, crow_indices.shape[-1])
    out[:rank] = xp.indices(col_indices.shape).reshape(rank + 1, -1)[:rank]
    row, column = (rank + 1, rank) if transpose else (rank, rank + 1)
    out[column] = col_indices.reshape(-1)
    rows = out[row].reshape(-1, count)
    for lines, bounds in zip(rows, starts.tolist(), strict=True):
        for line, (first, end) in enumerate(pairwise(bounds)):
            lines[first:end] = line
    return out


_convert_indices_from_csr_to_coo = operator(
    "_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *,"
    " bool out_int32=False, bool transpose=False) -> Tensor",
    forward=csr_to_coo_forward,
    on=("function",),
    variants=("out",),
    out=Out(EXACT),
)
