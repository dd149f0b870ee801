"""Tensors of the compressed layouts: sparse_csr, sparse_csc, and those of blocks.

One dimension of the matrix, the compressed one, says where its rows (or columns) of elements begin;
the other, the plain one, says where each element is. Dimensions before the matrix are batches, of
which each has as many elements; those after it are dense ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from minitorch.aten.sparse.coordinates import Parts, SparseNamespace
from minitorch.aten.sparse.refusals import no_blocks, no_size
from minitorch.aten.sparse.tensor import SparseBase, part_text
from minitorch.core.arrays import NAMESPACES
from minitorch.core.base.fields import CLASSES, tensor
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor import printing
from minitorch.core.warning import is_warn_always_enabled, warn_once


class Kind(NamedTuple):
    """The properties of a compressed layout."""

    layout: Any
    by_rows: bool
    blocks: bool
    title: str  # as errors name it: SparseCsr
    short: str  # CSR


KINDS = {
    layout: Kind(layout, by_rows, blocks, f"Sparse{short.capitalize()}", short)
    for layout, by_rows, blocks, short in (
        (devices.sparse_csr, True, False, "CSR"),
        (devices.sparse_csc, False, False, "CSC"),
        (devices.sparse_bsr, True, True, "BSR"),
        (devices.sparse_bsc, False, True, "BSC"),
    )
}
TRANSPOSED = {
    devices.sparse_csr: devices.sparse_csc,
    devices.sparse_csc: devices.sparse_csr,
    devices.sparse_bsr: devices.sparse_bsc,
    devices.sparse_bsc: devices.sparse_bsr,
}
# torch warns once, of the layout that came first.
_BETA: list[str] = []


def warn_of_beta(short: str) -> None:
    """Warns that a layout is in beta state: of the first one alone, or each time if asked for."""
    if _BETA and _BETA[0] != short and not is_warn_always_enabled():
        return
    _BETA[:1] = [_BETA[0] if _BETA else short]
    warn_once(
        f"Sparse {short} tensor support is in beta state. If you miss a functionality in the "
        "sparse tensor support, please submit a feature request to "
        "https://github.com/pytorch/pytorch/issues."
    )


class Compressed(Parts):
    """Where the rows (or columns) of elements begin, (*batch, n + 1), where in them each element
    is, (*batch, elements), and their values, (*batch, elements, *block, *dense dimensions)."""

    __slots__ = ("compressed", "kind", "plain")

    def __init__(self, layout: Any, compressed: Any, plain: Any, values: Any, shape: Any) -> None:
        super().__init__(values, shape)
        self.kind = KINDS[layout]
        self.compressed, self.plain = compressed, plain
        warn_of_beta(self.kind.short)

    @property
    def batch(self) -> tuple[int, ...]:
        """The sizes of the dimensions before the matrix."""
        return tuple(self.compressed.shape[:-1])

    @property
    def block(self) -> tuple[int, int]:
        """The sizes of a block; of single elements, (1, 1)."""
        rank = self.compressed.ndim
        return tuple(self.values.shape[rank : rank + 2]) if self.kind.blocks else (1, 1)

    @property
    def layout(self) -> Any:
        """The layout of the tensor that holds this."""
        return self.kind.layout

    @property
    def blocksize(self) -> tuple[int, int] | None:
        """The sizes of a block; None for a layout without blocks."""
        return self.block if self.kind.blocks else None

    @property
    def dense(self) -> tuple[int, ...]:
        """The sizes of the dimensions after the matrix."""
        return self.shape[len(self.batch) + 2 :]


class SparseCompressedTensor(SparseBase, watched=False):
    """A tensor of one of the compressed layouts."""

    __slots__ = ()
    _memory = "SparseCsrTensorImpl"
    _kind = property(lambda self: self._array.kind.title)
    is_sparse_csr = property(lambda self: self.layout is devices.sparse_csr)
    layout = property(lambda self: self._array.kind.layout)

    @property
    def nbytes(self) -> int:
        return int(self.numel()) * int(self._array.itemsize)

    def _lacks(self, what: str) -> Exception:
        return RuntimeError(f"Sparse {self._array.kind.short} tensors do not have {what}")

    def stride(self, dim: int | None = None) -> Any:
        raise self._lacks("strides")

    def storage_offset(self) -> int:
        return 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        raise self._lacks("is_contiguous")

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        if dtype is None:
            raise RuntimeError("Unimplemented backend SparseCsrCPU")
        return super().type(dtype, non_blocking)

    def _element(self) -> Any:
        raise NotImplementedError("torch.Tensor.item of a tensor of a compressed sparse layout")

    def new(self, *args: Any) -> Any:
        raise NotImplementedError("torch.Tensor.new of a tensor of a compressed sparse layout")

    def __deepcopy__(self, memo: Any) -> Any:
        return self.untyped_storage()  # which torch looks for

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        c = self._array
        names = names_of(c.kind)
        parts = zip((*names, "values"), (c.compressed, c.plain, c.values), strict=True)
        text = ",\n       ".join([f"{name}={part_text(x, len(name) + 1)}" for name, x in parts])
        suffixes = [f"size={c.shape}", f"nnz={c.plain.shape[-1]}"]
        if not printing._goes_without_saying(self.dtype, False):
            suffixes.append(f"dtype={self.dtype}")
        suffixes += [f"layout={self.layout}", *printing._history(self)]
        contents = text if tensor_contents is None else tensor_contents
        return printing.join_suffixes(f"tensor({contents}", suffixes, 7) + ")"

    def _saved_parts(self) -> Any:
        c = self._array
        parts = (tensor(c.compressed), tensor(c.plain), self.values())  # with its history
        return str(self.layout).removeprefix("torch."), parts, c.shape


SparseCompressedTensor.__name__ = SparseCompressedTensor.__qualname__ = "Tensor"
SparseCompressedTensor.__module__ = "torch"
CLASSES[Compressed] = lambda self: setattr(self, "__class__", SparseCompressedTensor)
NAMESPACES[Compressed] = SparseNamespace()


def names_of(kind: Kind) -> tuple[str, str]:
    """The names of a layout's two tensors of indices."""
    return ("crow_indices", "col_indices") if kind.by_rows else ("ccol_indices", "row_indices")


def compressed(layout: Any, compressed: Any, plain: Any, values: Any, shape: Any) -> Any:
    """A tensor of a compressed layout; it shares the memory of the parts."""
    return tensor(Compressed(layout, compressed, plain, values, shape))


def with_values(self: Any, values: Any) -> Any:
    """A tensor with other values at the same places."""
    c = self._array
    return compressed(c.kind.layout, c.compressed, c.plain, values, c.shape)


def empty_compressed(
    shape: Any, layout: Any, dtype: Any, requires_grad: bool, name: str = "empty"
) -> Any:
    """One without elements."""
    kind, shape = KINDS[layout], tuple(shape)
    if len(shape) < 2:
        raise no_size(list(shape), name)
    if kind.blocks:
        raise no_blocks(layout, name)
    dtype = dtypes.get_default_dtype() if dtype is None else dtype
    count = shape[-2] if kind.by_rows else shape[-1]
    result = compressed(
        layout,
        numpy.zeros((*shape[:-2], count + 1), numpy.int64),
        numpy.zeros((*shape[:-2], 0), numpy.int64),
        numpy.zeros((*shape[:-2], 0), dtype.numpy),
        shape,
    )
    return result.requires_grad_() if requires_grad else result


# ---- elements: where each is, whatever the layout


class Elements(NamedTuple):
    """Blocks of a tensor one by one: in which batch, row and column of blocks, and their values."""

    batch: Any
    row: Any
    column: Any
    values: Any  # (blocks, *block, *dense dimensions)


def elements(c: Any) -> Elements:
    """The blocks of a compressed tensor in their order; elements are blocks of (1, 1)."""
    starts = c.compressed.reshape(-1, c.compressed.shape[-1])
    counts = numpy.diff(starts, axis=1)
    lines = numpy.tile(numpy.arange(counts.shape[1]), len(counts)).repeat(counts.reshape(-1))
    plain = c.plain.reshape(-1)
    batch = numpy.repeat(numpy.arange(len(starts)), c.plain.shape[-1])
    row, column = (lines, plain) if c.kind.by_rows else (plain, lines)
    return Elements(batch, row, column, c.values.reshape(len(plain), *c.block, *c.dense))


def dense_array(c: Any) -> Any:
    """The array of all elements."""
    (rows, columns), (height, width) = c.shape[len(c.batch) : len(c.batch) + 2], c.block
    shape = (len(c.compressed.reshape(-1, c.compressed.shape[-1])), rows // height, height,
             columns // width, width, *c.dense)  # fmt: skip
    out = numpy.zeros(shape, c.dtype)
    found = elements(c)
    where = (found.batch, found.row, slice(None), found.column)
    add = numpy.logical_or if c.dtype.kind == "b" else numpy.add
    add.at(out, where, found.values)
    return out.reshape(c.shape)


def in_layout(layout: Any, found: Elements, batch: Any, shape: Any, of_places: bool = False) -> Any:
    """The tensor of blocks that are each at another place.

    of_places: whether torch takes the plain indices from a tensor of rows and columns, of whose
    memory they are the second half.
    """
    kind = KINDS[layout]
    sizes = found.values.shape[1:3]
    lines = shape[len(batch)] // sizes[0] if kind.by_rows else shape[len(batch) + 1] // sizes[1]
    along, across = (found.row, found.column) if kind.by_rows else (found.column, found.row)
    order = numpy.lexsort((across, along, found.batch))
    number = int(numpy.prod(batch, dtype=int))
    each = numpy.bincount(found.batch, minlength=number)
    if len(each) and (each != each[0]).any():
        raise RuntimeError("Expect the same number of specified elements per batch.")
    counts = numpy.zeros((number, lines + 1), numpy.int64)
    numpy.add.at(counts, (found.batch, along + 1), 1)
    count = int(each[0]) if len(each) else 0
    values = found.values[order]
    inner = values.shape[1:] if kind.blocks else values.shape[3:]
    plain = across[order].astype(numpy.int64)
    if of_places:
        plain = numpy.stack([along[order].astype(numpy.int64), plain])[1]
    return compressed(
        layout,
        counts.cumsum(1).reshape(*batch, lines + 1),
        plain.reshape(*batch, count),
        values.reshape(*batch, count, *inner),
        shape,
    )


def blocks_of(x: Any, rank: int, block: Any) -> Any:
    """A dense array as (batches, rows, columns, *block, *dense): of blocks."""
    (rows, columns), (height, width) = x.shape[rank : rank + 2], block
    count = int(numpy.prod(x.shape[:rank], dtype=int))
    sizes = (count, rows // height, height, columns // width, width)
    return x.reshape(*sizes, *x.shape[rank + 2 :]).swapaxes(2, 3)


def one_by_one(found: Elements) -> Elements:
    """The elements of blocks in the order of their memory."""
    height, width, *dense = found.values.shape[1:]
    down, right = numpy.indices((height, width)).reshape(2, 1, -1)
    rows = (found.row[:, None] * height + down).reshape(-1)
    columns = (found.column[:, None] * width + right).reshape(-1)
    batch = found.batch.repeat(height * width)
    return Elements(batch, rows, columns, found.values.reshape(-1, 1, 1, *dense))


def blocked(found: Elements, block: Any) -> Elements:
    """These elements in blocks of another size; places without an element are 0."""
    if found.values.shape[1:3] == tuple(block):
        return found
    batch, rows, columns, single = one_by_one(found)
    dense = found.values.shape[3:]
    key = numpy.stack([batch, rows // block[0], columns // block[1]])
    keys, at = numpy.unique(key, axis=1, return_inverse=True)
    values = numpy.zeros((keys.shape[1], *block, *dense), found.values.dtype)
    values[at.reshape(-1), rows % block[0], columns % block[1]] = single.reshape(-1, *dense)
    return Elements(*keys, values)


def transposed(self: Any, layout: Any = None) -> Any:
    """The matrices transposed, on the same memory: rows become columns."""
    c = self._array
    rank = len(c.batch)
    shape = (*c.batch, c.shape[rank + 1], c.shape[rank], *c.dense)
    values = c.values
    if c.kind.blocks:
        values = values.swapaxes(rank + 1, rank + 2)
    return compressed(TRANSPOSED[c.kind.layout], c.compressed, c.plain, values, shape)
