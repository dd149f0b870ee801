"""Products of sparse matrices with dense ones, for the table of minitorch/aten/sparse.py."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse import SparseTensor, does, made
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import tensor
from minitorch.core.tensor.conversion import entry_of


def product(self: Any, mat2: Any) -> Any:
    """The array of a product, row by row of the dense matrix in the order of the coordinates."""
    c, x = self._array, mat2._array
    if c.dtype != x.dtype:
        raise RuntimeError(
            f"expected scalar type {dtypes.of(c).scalar_name} but found {dtypes.of(x).scalar_name}"
        )
    out = numpy.zeros((c.shape[0], x.shape[1]), x.dtype)
    numpy.add.at(out, c.indices[0], c.values[:, None] * x[c.indices[1]])
    return out


def check_dense(name: str, self: Any, mat2: Any) -> None:
    """RuntimeError unless the dense matrix has a row for each column of the sparse one."""
    if mat2.dim() != 2:
        raise RuntimeError(f"{name}: Argument #3: matrices expected, got {mat2.dim()}D tensor")
    if mat2.shape[0] != self.shape[1]:
        raise RuntimeError(
            f"{name}: Argument #3: Expected dim 0 size {self.shape[1]}, got {mat2.shape[0]}"
        )


@does("mm", "spmm", "dsmm")
def mm(self: Any, mat2: Any) -> Any:
    """The dense product of a sparse matrix and a dense one."""
    if not isinstance(self, SparseTensor) or isinstance(mat2, SparseTensor):
        raise NotImplementedError("torch.mm but of a sparse matrix and a dense one")
    entry_of(mat2.shape, 1)
    if mat2.shape[0] != self.shape[1]:
        raise RuntimeError(
            f"addmm: Argument #3 (dense): Expected dim 0 size {self.shape[1]}, got {mat2.shape[0]}"
        )
    return tensor(product(self, mat2))


@does("matmul", "__matmul__")
def matmul(self: Any, other: Any) -> Any:
    if self.dim() != 2 or other.dim() != 2:
        raise NotImplementedError("torch.matmul of a sparse tensor, but of matrices")
    return mm(self, other)


def filled_rows(self: Any) -> Any:
    """The rows of a sparse matrix that have elements."""
    return numpy.unique(self._array.indices[0])


@does("hspmm", "hsmm")
def hspmm(mat1: Any, mat2: Any) -> Any:
    """The product as a sparse vector of dense rows."""
    check_dense("hspmm", mat1, mat2)
    rows, found = filled_rows(mat1), product(mat1, mat2)
    result = made(rows[None], found[rows], found.shape)
    result._array.coalesced = False
    return result


@does("smm")
def smm(self: Any, mat2: Any) -> Any:
    """The product as a sparse matrix."""
    nothing = numpy.empty((2, 0), numpy.int64), numpy.empty(0, self._array.dtype)
    return sspaddmm(made(*nothing, (self.shape[0], entry_of(mat2.shape, -1))), self, mat2)


@does("sspaddmm")
def sspaddmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * mat1 @ mat2 as a sparse matrix, the terms one after the other."""
    if not isinstance(self, SparseTensor):
        raise RuntimeError(
            "self.is_sparse() INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/SparseTensorUtils.h":28, please report a '
            "bug to PyTorch. _internal_get_SparseTensorImpl: not a sparse tensor"
        )
    for wrong, name, wanted, given in (
        (not isinstance(mat1, SparseTensor), "mat1", "sparse", "Strided"),
        (isinstance(mat2, SparseTensor), "mat2", "strided", "Sparse"),
    ):
        if wrong:
            raise RuntimeError(
                f"sspaddmm: expected '{name}' to have {wanted} layout, got '{name}' with layout "
                f"{given}"
            )
    check_dense("sspaddmm", mat1, mat2)
    for dim, size in enumerate((mat1.shape[0], mat2.shape[1])):
        if self.shape[dim] != size:
            raise RuntimeError(
                f"sspaddmm: Argument #1: Expected dim {dim} size {size}, got {self.shape[dim]}"
            )
    c, rows = self._array, filled_rows(mat1)
    found = product(mat1, mat2)[rows]
    places = numpy.indices(found.shape).reshape(2, -1)
    places[0] = rows[places[0]]
    kind = c.dtype.type
    return made(
        numpy.concatenate([c.indices, places], 1),
        numpy.concatenate([c.values * kind(beta), found.reshape(-1) * kind(alpha)]),
        c.shape,
    )
