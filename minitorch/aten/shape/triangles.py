"""Triangles and diagonals of matrices: tril, triu, diag, diag_embed, trace."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy

from minitorch.aten.in_formulas import is_seen, options_of, zeros
from minitorch.aten.shape.slicing import diagonal_copy, diagonal_forward
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import ALONE, EXACT, InPlace, Out
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import KEEPS_DIMS, NAMES_DIMS, VMap, made_of
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import BOOL, EVERY, LATE_UNSIGNED, USUAL, refusing_others
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.tensor.conversion import wrap_dim


def triangle(xp: Any, x: Any, diagonal: int, name: str) -> Any:
    """`x` with zeros on one side of a diagonal."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    rows, columns = x.shape[-2:]
    small = type(x) is numpy.ndarray and rows * columns <= 1 << 14
    if small and x.size >= _MANY and x.dtype.itemsize in _BITS and x.flags.c_contiguous:
        bits = _BITS[x.dtype.itemsize]
        mask = _kept_bits(rows, columns, diagonal, name == "tril", bits)
        flat = x.reshape(-1, rows * columns).view(bits)
        return numpy.bitwise_and(flat, mask, out=...).view(x.dtype).reshape(x.shape)
    if x.ndim == 2 and type(x) is numpy.ndarray and x.size >= _MANY and x.dtype.kind == "f":
        return xp.zeroed(x, ~_in_triangle(xp, rows, columns, diagonal, name == "tril"))
    kept = (_kept if small else _in_triangle)(xp, rows, columns, diagonal, name == "tril")
    out = xp.zeros(x.shape, x.dtype)
    xp.copyto(out, x, where=kept)
    return out


def _in_triangle(xp: Any, rows: int, columns: int, diagonal: int, lower: bool) -> Any:
    """A mask of the elements of a matrix on the side of a diagonal that is kept."""
    diagonal = max(-rows - 1, min(diagonal, columns + 1))
    column, row = xp.arange(columns), xp.arange(diagonal, rows + diagonal)[:, None]
    return column <= row if lower else column >= row


_kept = lru_cache(64)(_in_triangle)
_MANY = 1 << 12  # elements, from which on bits are combined: 40 us for 100,000, not 220
_BITS = {4: numpy.dtype("int32"), 8: numpy.dtype("int64")}  # by bytes of an element


@lru_cache(16)
def _kept_bits(rows: int, columns: int, diagonal: int, lower: bool, bits: Any) -> Any:
    """All bits of the part of a matrix that stays, one row after another."""
    return -_kept(numpy, rows, columns, diagonal, lower).reshape(-1).astype(bits)


tril = operator(
    "tril(Tensor self, SymInt diagonal=0) -> Tensor",
    node="TrilBackward0",
    forward=lambda xp, self, diagonal: triangle(xp, self, diagonal, "tril"),
    kernel="tril",
    knows=EVERY - LATE_UNSIGNED,
    self=lambda F, grad, diagonal: F.tril(grad, diagonal),
    result=LINEAR,
    variants=("inplace", "out"),
    in_place=InPlace(falls_back=ALONE, triangle=True),
    out=Out(EXACT),
    vmap=KEEPS_DIMS,
)

triu = operator(
    "triu(Tensor self, SymInt diagonal=0) -> Tensor",
    node="TriuBackward0",
    forward=lambda xp, self, diagonal: triangle(xp, self, diagonal, "triu"),
    kernel="triu",
    knows=EVERY - LATE_UNSIGNED,
    self=lambda F, grad, diagonal: F.triu(grad, diagonal),
    result=LINEAR,
    variants=("inplace", "out"),
    in_place=InPlace(falls_back=ALONE, triangle=True),
    out=Out(EXACT),
    vmap=KEEPS_DIMS,
)


def diag_embed_forward(xp: Any, self: Any, offset: int, dim1: int, dim2: int) -> Any:
    rank = self.ndim + 1
    first, second = wrap_dim(dim1, rank), wrap_dim(dim2, rank)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    length = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for dim in sorted((first, second)):
        shape.insert(dim, length)
    out = xp.zeros(shape, self.dtype)
    diagonal_forward(xp, out, offset, first, second)[...] = self
    return out


diag_embed = operator(
    "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
    node="DiagEmbedBackward0",
    forward=diag_embed_forward,
    self=lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
    result=LINEAR,
    out=Out(EXACT, autograd=False),
    vmap=NAMES_DIMS.but(grows=1),
)


@composite("diag")
def diag(input: Any, diagonal: int = 0, *, out: Any = None) -> Any:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    if input.dim() not in (1, 2):
        called = "" if isinstance(out, TensorBase) else "diag(): "  # which out= leaves out
        raise RuntimeError(f"{called}Supports 1D or 2D tensors. Got {input.dim()}D")
    if input.dim() == 2:
        return diagonal_copy(input, diagonal, 0, 1, out=out)
    if out is None:
        return diag_embed(input, diagonal)
    if isinstance(out, TensorBase) and not can_cast(input.dtype, out.dtype):
        raise RuntimeError(
            f"diag: result type {input.dtype.scalar_name} can't be cast to the desired out= type "
            f"{out.dtype.scalar_name}"
        )
    return deliver("diag_embed", diag_embed, out, ((input, diagonal), {}))


@composite(
    "diagflat",
    vmap=VMap("warned"),
)
def diagflat(input: Any, offset: int = 0) -> Any:
    """The matrix with all elements of `input` on its diagonal."""
    return diag(input.contiguous().view(-1), offset)


# ---- trace


# Raises what torch says of the dtypes that have no trace, before it looks at the shape.
_refuse_dtype = refusing_others(USUAL - BOOL)


def trace_forward(xp: Any, self: Any) -> Any:
    _refuse_dtype(self, "trace")
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    # Half types are added up in float32, integers in int64.
    diagonal = self.diagonal()
    if self.dtype.kind in "iu":
        return xp.as_array(diagonal.sum(dtype=xp.int64))
    wide = diagonal if self.dtype.itemsize > 2 else diagonal.astype(xp.float32)
    if xp.device_type == "cpu" and wide.size:  # one after another, from 0 on
        return xp.asarray(xp.add.accumulate(wide)[-1] + 0, dtype=self.dtype)
    total = 0
    for element in wide:
        total = element + total
    return xp.asarray(total, dtype=self.dtype)


trace = operator(
    "trace(Tensor self) -> Tensor",
    node="TraceBackward0",
    forward=trace_forward,
    self=lambda F, grad, self_sym_sizes: trace_backward(F, grad, self_sym_sizes),
    result=LINEAR,
    vmap=made_of(lambda self: self.diagonal().sum()),
)


def trace_backward(F: Any, grad: Any, sizes: Any) -> Any:
    """The gradient of a trace: along the diagonal, zero elsewhere."""
    rows, columns = sizes
    flat = zeros(F, grad, (rows * columns,))
    if is_seen(F, grad):
        end = min(rows, columns) * (columns + 1)
        options = options_of(grad, dtypes.int64)
        places = OPS.arange(0, end, columns + 1, **options)
    else:
        places = F.positions(grad, rows * columns)[:: columns + 1][: min(sizes)]
    return F.reshape(F.index_fill_int_Tensor(flat, 0, places, grad), sizes)
