"""How tensors of compressed layouts are made of dense ones, of coordinates, and of each other."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import (
    KINDS,
    Elements,
    blocked,
    blocks_of,
    compressed,
    dense_array,
    elements,
    in_layout,
    one_by_one,
    warn_of_beta,
)
from minitorch.aten.sparse.coordinates import Coordinates
from minitorch.aten.sparse.dispatch import (
    COMPRESSED,
    COORDINATES,
    does,
    formulas,
    is_sparse,
    recorded,
)
from minitorch.aten.sparse.layouts import check_conversion, layout_name, name_of, pair_of
from minitorch.aten.sparse.parts import coalesced, in_layout_again, sparse_like
from minitorch.aten.sparse.tensor import made
from minitorch.core.arrays import on_numpy
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.tensor.conversion import wrap_dim


def _name(layout: Any) -> str:
    """A layout's name in those of conversions: sparse_csr."""
    return str(layout).removeprefix("torch.")


def _steps(first: Any, layout: Any) -> None:
    """Warns of the layouts that torch makes tensors of on the way from one layout to another."""
    if layout is devices.sparse_bsr and first is devices.sparse_csc:
        warn_of_beta("CSR")
    if first is devices.sparse_coo and layout is not devices.sparse_csr:
        warn_of_beta("CSR")
    if layout is devices.sparse_bsc and first in (devices.sparse_coo, devices.sparse_csr):
        warn_of_beta("CSC")


def _way(self: Any, layout: Any) -> str:
    """The beginning of the names of conversions to `layout` in errors."""
    if not is_sparse(self):
        return "dense_to_"
    if self.layout is layout:
        return "to_"
    return "coo_to_" if self.is_sparse else "sparse_compressed_to_"


def _of_dense(self: Any, layout: Any, block: Any, dense_dim: int | None) -> Any:
    x = on_numpy.as_array(self.detach().resolve_conj().resolve_neg()._array)
    dense = dense_dim or 0
    if x.ndim < 2:  # torch looks at the places of all elements
        if not KINDS[layout].by_rows:
            wrap_dim(1, x.ndim)
        raise IndexError(
            f"select(): index 1 out of range for tensor of size [{numpy.count_nonzero(x)}, "
            f"{x.ndim}] at dimension 1"
        )
    rank = x.ndim - 2 - dense
    batch = x.shape[:rank]
    blocks = blocks_of(x, rank, block or (1, 1))
    there = (blocks != 0).any(tuple(range(3, blocks.ndim)))
    places = there.nonzero()
    return in_layout(layout, Elements(*places, blocks[places]), batch, x.shape, True)


def _of_coordinates(self: Any, layout: Any, block: Any) -> Any:
    c = coalesced(self._array)
    values = c.values.reshape(len(c.values), 1, 1, *c.values.shape[1:])
    found = Elements(numpy.zeros(len(c.values), numpy.int64), *c.indices, values)
    _steps(self.layout, layout)
    of_places = not KINDS[layout].blocks
    return in_layout(layout, blocked(found, block or (1, 1)), (), c.shape, of_places)


def _of_compressed(self: Any, layout: Any, block: Any) -> Any:
    c, kind = self._array, KINDS[layout]
    if c.kind.blocks and not kind.blocks:
        own = _way(self, layout) + _name(layout)
        raise RuntimeError(f"{own}: expected SparseCsr or SparseCsc layout but got {c.kind.title}")
    if c.kind.layout is layout:
        return self
    sizes = (block or c.block) if kind.blocks else (1, 1)
    _steps(c.kind.layout, layout)
    of_places = kind.blocks is c.kind.blocks
    return in_layout(layout, blocked(elements(c), sizes), c.batch, c.shape, of_places)


def converted(
    self: Any, layout: Any, block: Any, dense_dim: int | None, name: str | None = None
) -> Any:
    """A tensor of any layout in a compressed one. name: of the conversion in errors."""
    block = pair_of(block)
    check_conversion(self, layout, block, dense_dim, name or _way(self, layout) + _name(layout))
    if not is_sparse(self):
        return _of_dense(self, layout, block, dense_dim)
    if type(self._array) is Coordinates:
        return _of_coordinates(self, layout, block)
    return _of_compressed(self, layout, block)


def _conversion(name: str, layout: Any, blocks: bool) -> Any:
    first = "int[2] blocksize, " if blocks else ""
    formulas(
        f"_to_{name}(Tensor self, {first}int? dense_dim=None) -> Tensor",
        f"ToSparse{name.removeprefix('sparse_').capitalize()}Backward0",
        self=lambda grad, self_layout, self_self_sym_blocksize_opt: in_layout_again(
            grad, self_layout, self_self_sym_blocksize_opt
        ),
    )

    def of_blocks(self: Any, blocksize: Any, dense_dim: Any = None) -> Any:
        return converted(self, layout, blocksize, dense_dim)

    def of_elements(self: Any, dense_dim: Any = None) -> Any:
        return converted(self, layout, None, dense_dim)

    convert = recorded(f"_to_{name}", of_blocks if blocks else of_elements)

    def unless_there(self: Any, *args: Any, **kwargs: Any) -> Any:
        """`self` where it has the layout already, as torch gives it."""
        if is_sparse(self) and self.layout is layout and kwargs.get("dense_dim") is None:
            block = (args[0] if args else kwargs.get("blocksize")) if blocks else (1, 1)
            if self._array.block == pair_of(block):
                return self
        found = convert(self, *args, **kwargs)
        if found.dtype.is_complex and found._edge is not None:
            raise RuntimeError(
                f"_to_{name} does not support automatic differentiation for outputs with complex "
                "dtype."
            )
        return found

    for table in (COORDINATES, COMPRESSED):
        table[f"to_{name}"] = unless_there
    return unless_there


CONVERSIONS = {
    "to_sparse_csr": _conversion("sparse_csr", devices.sparse_csr, False),
    "to_sparse_csc": _conversion("sparse_csc", devices.sparse_csc, False),
    "to_sparse_bsr": _conversion("sparse_bsr", devices.sparse_bsr, True),
    "to_sparse_bsc": _conversion("sparse_bsc", devices.sparse_bsc, True),
}


def _to_layout(
    self: Any, *, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None
) -> Any:
    if layout in KINDS:
        return converted(self, layout, blocksize, dense_dim, name_of(self.layout, layout))
    return coordinates_of(self)


_to_layout_recorded = recorded("_to_sparse", _to_layout)


def to_layout(self: Any, layout: Any, blocksize: Any, dense_dim: Any) -> Any:
    """A tensor in a compressed layout, with torch.Tensor.to_sparse's history."""
    blocksize = pair_of(blocksize)
    check_conversion(self, layout, blocksize, dense_dim)
    if self.layout is layout:
        return self
    return _to_layout_recorded(self, layout=layout, blocksize=blocksize, dense_dim=dense_dim)


def coordinates_of(self: Any) -> Any:
    """The elements of a compressed tensor as one of coordinates."""
    c = self._array
    found = one_by_one(elements(c))
    rows = [found.row, found.column]
    if c.batch:
        rows = [*numpy.unravel_index(found.batch, c.batch), *rows]
    indices = numpy.stack([each.astype(numpy.int64) for each in rows])
    values = found.values.reshape(-1, *c.dense).copy()
    result = made(indices, values, c.shape)
    result._array.coalesced |= c.kind.layout is devices.sparse_csr
    return result


_to_coordinates_recorded = recorded(
    "_to_sparse_sparse_dim", lambda self, sparse_dim: coordinates_of(self)
)


@does("to_sparse", "to_sparse_coo", table=COMPRESSED)
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
    if sparse_dim is not None and sparse_dim != 2:
        raise RuntimeError(
            f"sparse_compressed_to_sparse: conversion from {self._kind} to Sparse with sparse_dim "
            "argument !=2 is not supported"
        )
    check_conversion(self, layout or devices.sparse_coo, pair_of(blocksize), dense_dim)
    if layout is devices.strided:
        return self.to_dense()
    if layout in KINDS:
        return to_layout(self, layout, blocksize, dense_dim)
    if sparse_dim is not None:
        return _to_coordinates_recorded(self, sparse_dim)
    return _to_layout_recorded(self, layout=devices.sparse_coo)


@does("to_dense", "_to_dense", row="_to_dense", table=COMPRESSED)
def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_csr_to_dense")
    return tensor(dense_array(self._array))


@does("sparse_mask", table=COMPRESSED)
def sparse_mask(self: Any, mask: Any) -> Any:
    """The elements of `self` where the compressed tensor `mask` has some."""
    return _masked_sparse(self, mask) if is_sparse(self) else _masked_dense(self, mask)


def _masked(self: Any, mask: Any) -> Any:
    c = mask._array
    if type(c) is Coordinates or not is_sparse(mask):
        raise RuntimeError(
            "sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got "
            f"{layout_name(mask)}"
        )
    if self.shape != mask.shape:
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(self.shape)} but mask has size {list(c.shape)}"
        )
    if self is mask:
        return self
    if is_sparse(self) and self.layout is mask.layout:
        ones = sparse_like(mask.detach(), OPS.ones(c.values.shape, dtype=self.dtype))
        return OPS.mul(self.detach(), ones)
    if is_sparse(self):
        found = self.detach().sparse_mask(coordinates_of(mask.detach()))
        return found.to_sparse(layout=mask.layout, blocksize=c.blocksize)
    x = self.detach().resolve_conj().resolve_neg()._array
    found = elements(c)
    values = blocks_of(x, len(c.batch), c.block)[found.batch, found.row, found.column]
    values = values.reshape(c.values.shape)
    return compressed(c.kind.layout, c.compressed, c.plain, values, c.shape)


_masked_sparse = recorded("sparse_mask", _masked)
_masked_dense = recorded("sparse_mask_dense", _masked)
