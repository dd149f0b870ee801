"""Products of sparse matrices with dense ones and with each other."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import warn_of_beta
from minitorch.aten.sparse.dispatch import (
    composed,
    could_not_run,
    does,
    formulas,
    into,
    is_sparse,
    written_as,
)
from minitorch.aten.sparse.layouts import layout_name
from minitorch.aten.sparse.parts import coalesced
from minitorch.aten.sparse.tensor import made, values_of
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import not_differentiable
from minitorch.core.graph.views import note_write
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import entry_of, wrap_dim

composed("matmul", "__matmul__", "__rmatmul__", "linear")

formulas(
    "_sparse_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1)"
    " -> Tensor",
    "SparseAddmmBackward0",
    self=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat1, mat2, alpha: mat1_sparse_backward(grad, mat1, mat2, alpha),
    mat2=lambda grad, mat1, alpha, mat2_sym_sizes, mat2_sym_strides: scaled(
        mat1.t().conj() @ grad, alpha
    ),
)
formulas(
    "_sparse_sparse_matmul(Tensor self, Tensor other) -> Tensor",
    "SparseSparseMatmulBackward0",
    self=lambda grad, self, other: sparse_matmul_backward(grad, self, other, 0),
    other=lambda grad, self, other: sparse_matmul_backward(grad, self, other, 1),
)
formulas(
    "hspmm(Tensor mat1, Tensor mat2) -> Tensor",
    "NotImplemented",
    mat1=not_differentiable("hspmm"),
    mat2=not_differentiable("hspmm"),
)
formulas(
    "sspaddmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    "NotImplemented",
    self=not_differentiable("sspaddmm"),
    mat1=not_differentiable("sspaddmm"),
    mat2=not_differentiable("sspaddmm"),
)


def scaled(x: Any, number: Any) -> Any:
    return x if number == 1 else x * number


def mat1_sparse_backward(grad: Any, mat1: Any, mat2: Any, alpha: Any) -> Any:
    """The gradient of a sparse factor, at its places. As mm_mat1_sparse_backward."""
    if not is_sparse(mat1):
        return scaled(grad.mm(mat2.t().conj()), alpha)
    dense = not is_sparse(grad) and not is_sparse(mat2)
    if dense and mat1.layout is devices.sparse_csr:
        values = OPS.zeros_like(values_of(mat1))
        nothing = OPS._sparse_like(mat1.detach(), values)
        return OPS.sparse_sampled_addmm(nothing, grad, mat2.mH, beta=1, alpha=alpha)
    if not mat1.is_sparse:
        raise RuntimeError(
            "sparse_addmm_sparse_backward: unsupported combination of layouts, grad: "
            f"{layout_name(grad)}, mat1: {layout_name(mat1)}, mat2: {layout_name(mat2)}"
        )
    if is_sparse(grad) and not is_sparse(mat2):
        return scaled(grad.mm(mat2.t().conj()), alpha)
    found = grad.mm(mat2.t().conj())
    return scaled(found.sparse_mask(mat1.coalesce()), alpha)


def sparse_matmul_backward(grad: Any, self: Any, other: Any, place: int) -> Any:
    """The gradient of a product of sparse matrices, at the places of the factor."""
    if place == 0:
        found = OPS._sparse_sparse_matmul(grad, other.conj().t())
        return found.sparse_mask(self.coalesce())
    found = OPS._sparse_sparse_matmul(self.conj().t(), grad)
    return found.sparse_mask(other.coalesce())


def product(self: Any, mat2: Any) -> Any:
    """The array of a product, row by row of the dense matrix in the order of the coordinates."""
    c, x = self._array, mat2.resolve_conj()._array
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


def _check_sparse(self: Any, mat2: Any) -> None:
    c = self._array
    if len(c.indices) != 2:
        raise RuntimeError(f"addmm: matrices expected, got {len(c.indices)}D tensor")
    if c.values.ndim != 1:
        raise RuntimeError(f"addmm: scalar values expected, got {c.values.ndim - 1}D values")
    if mat2.dim() != 2:
        raise RuntimeError(f"addmm: matrices expected, got {mat2.dim()}D tensor")
    if mat2.shape[0] != self.shape[1]:
        raise RuntimeError(
            f"addmm: Argument #3 (dense): Expected dim 0 size {self.shape[1]}, got {mat2.shape[0]}"
        )


def multiplied(self: Any, mat2: Any) -> Any:
    """The product of two matrices of which at least one is sparse, without history."""
    self, mat2 = self.detach(), mat2.detach()
    if not is_sparse(self) and not is_sparse(mat2):
        return OPS.mm(self, mat2)
    if is_sparse(self) and is_sparse(mat2):
        return sparse_product(self, mat2)
    if is_sparse(self):
        entry_of(mat2.shape, 1)
        _check_sparse(self, mat2)
        return tensor(product(self, mat2))
    wrap_dim(-2, mat2.dim())
    if mat2.dense_dim():
        raise RuntimeError(
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim: "
            f"{mat2.sparse_dim()}, d0: {mat2.dim() - 2}, d1: {mat2.dim() - 1}"
        )
    transposed = (mat2.t(), self.t())
    _check_sparse(*transposed)
    return tensor(product(*transposed).T)


def sparse_product(self: Any, other: Any) -> Any:
    """The product of two sparse matrices, sparse and in order."""
    for name, each in (("mat1_", self), ("mat2_", other)):
        if each.dim() != 2:
            raise RuntimeError(
                f"Expected {name}.dim() == 2 to be true, but got false.  (Could this error message "
                "be improved?  If so, please report an enhancement request to PyTorch.)"
            )
    for each in (self, other):
        if each.dense_dim():
            raise RuntimeError(
                f"sparse_sparse_matmul_cpu: scalar values expected, got {each.dense_dim()}D values"
            )
    if self.shape[1] != other.shape[0]:
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({self.shape[0]}x{self.shape[1]} and {other.shape[0]}x{other.shape[1]})"
        )
    if self.dtype is not other.dtype:
        raise RuntimeError(
            "mat1 dtype "
            + self.dtype.scalar_name
            + " does not match mat2 dtype "
            + other.dtype.scalar_name
        )
    if self.dtype.scalar_name not in ("Float", "Double", "ComplexFloat", "ComplexDouble"):
        raise NotImplementedError(
            f"\"sparse_matmul\" not implemented for '{self.dtype.scalar_name}'"
        )
    warn_of_beta("CSR")  # as torch, which multiplies them in this layout
    shape = (self.shape[0], other.shape[1])
    a, b = coalesced(self._array), coalesced(other._array)
    if not len(a.values) or not len(b.values):
        return made(numpy.empty((2, 0), numpy.int64), numpy.empty(0, a.dtype), shape)
    starts = numpy.searchsorted(b.indices[0], numpy.arange(b.shape[0] + 1))
    low = starts[a.indices[1]]
    counts = starts[a.indices[1] + 1] - low
    within = numpy.arange(counts.sum()) - numpy.repeat(counts.cumsum() - counts, counts)
    at = numpy.repeat(low, counts) + within  # the row of b that each element of a meets
    where = numpy.repeat(a.indices[0], counts) * max(shape[1], 1) + b.indices[1][at]
    keys, into = numpy.unique(where, return_inverse=True)
    values = numpy.zeros(len(keys), a.dtype)
    numpy.add.at(values, into, numpy.repeat(a.values, counts) * b.values[at])
    return made(numpy.stack(divmod(keys, max(shape[1], 1))), values, shape, True)


_sparse_sparse_matmul = does("_sparse_sparse_matmul", row="_sparse_sparse_matmul")(
    lambda self, other: sparse_product(self.detach(), other.detach())
)
OPS.__dict__["_sparse_sparse_matmul"] = _sparse_sparse_matmul


@does("mm", "spmm", "dsmm", row="mm")
def mm(self: Any, mat2: Any) -> Any:
    return multiplied(self, mat2)


@does("mm.out", "spmm.out", "dsmm.out")
def mm_out(out: Any, self: Any, mat2: Any) -> Any:
    entry_of(self.shape, 0)
    if is_sparse(mat2):
        raise RuntimeError("expand is unsupported for Sparse tensors")
    if is_sparse(out):
        raise _no_sparse_result()
    return into(out, multiplied(self, mat2))


def _no_sparse_result() -> RuntimeError:
    return RuntimeError(
        "addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse"
    )


@does("mm_self_backward")
def mm_self_backward(grad: Any, mat2: Any, sizes: Any, strides: Any, *rest: Any) -> Any:
    return grad.mm(mat2.t().conj())


@does("mm_mat2_backward")
def mm_mat2_backward(grad: Any, self: Any, sizes: Any, strides: Any, *rest: Any) -> Any:
    return self.t().conj().mm(grad)


@does("mv", row="mv")
def mv(self: Any, vec: Any) -> Any:
    if self.dim() != 2 or vec.dim() != 1:
        raise RuntimeError("mv: two tensor dim should be 2 and 1, but got "
                           f"SparseTensor Dim: {self.dim()}Tensor Dim: {vec.dim()}")  # fmt: skip
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    return multiplied(self, vec.detach().unsqueeze(1)).squeeze(1).detach()


@does("mv.out")
def mv_out(out: Any, self: Any, vec: Any) -> Any:
    entry_of(self.shape, 0)
    raise could_not_run("addmv.out", self)


def _sum_with(self: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    """beta * self + alpha * mat1 @ mat2, dense."""
    shape = entry_of(mat1.shape, 0), entry_of(mat2.shape, 1)
    if is_sparse(self):
        if tuple(self.shape) != shape:
            raise RuntimeError("expand is unsupported for Sparse tensors")
        raise _no_sparse_result()
    own = self.detach().expand(shape)
    _check_layouts(mat1, mat2)
    found = multiplied(mat1, mat2)
    if found.dtype is not self.dtype:
        raise RuntimeError(
            f"expected scalar type {found.dtype.scalar_name} but found {self.dtype.scalar_name}"
        )
    found = scaled(found, alpha)
    return found if beta == 0 else scaled(own, beta) + found


def _check_layouts(mat1: Any, mat2: Any) -> None:
    if is_sparse(mat2):
        raise RuntimeError(
            "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have "
            f"strided layout, got 'mat1' with layout {layout_name(mat1)} and 'mat2' with layout "
            f"{layout_name(mat2)}"
        )


@does("addmm", row="addmm")
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _sum_with(self, mat1, mat2, beta, alpha)


@does("addmm_")
def addmm_(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    if not is_sparse(self):
        _check_layouts(mat1, mat2)
        if is_sparse(mat1):
            _check_sparse(mat1, mat2)
    result = _sum_with(self, mat1, mat2, beta, alpha)
    return written_as(self, result, "addmm", mat1, mat2, beta=beta, alpha=alpha)


@does("_sparse_addmm", row="_sparse_addmm")
def _sparse_addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _sum_with(self, mat1, mat2, beta, alpha)


@does("bmm", row="bmm")
def bmm(self: Any, mat2: Any) -> Any:
    if is_sparse(mat2):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if self.dense_dim():
        raise RuntimeError(
            f"bmm_sparse: Tensor 'self' must have 0 dense dims, but has {self.dense_dim()}"
        )
    if self.sparse_dim() != 3:
        raise RuntimeError(
            f"bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {self.sparse_dim()}"
        )
    if mat2.dim() != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'mat2' must have 3 dims, but has {mat2.dim()}")
    if self.shape[0] != mat2.shape[0]:
        raise RuntimeError("bmm_sparse: 'self.size(0)' and 'mat2.size(0)' must match")
    if self.shape[2] != mat2.shape[1]:
        raise RuntimeError("bmm_sparse: 'self.size(2)' and 'mat2.size(1)' must match")
    c, x = coalesced(self._array), mat2.detach().resolve_conj()._array
    out = numpy.zeros((c.shape[0], c.shape[1], x.shape[2]), x.dtype)
    numpy.add.at(out, tuple(c.indices[:2]), c.values[:, None] * x[c.indices[0], c.indices[2]])
    return tensor(out)


def filled_rows(self: Any) -> Any:
    """The rows of a sparse matrix that have elements."""
    return numpy.unique(self._array.indices[0])


@does("hspmm", "hsmm", row="hspmm")
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


@does("sspaddmm", row="sspaddmm")
def sspaddmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * mat1 @ mat2 as a sparse matrix, the terms one after the other."""
    if not is_sparse(self):
        raise RuntimeError(
            "self.is_sparse() INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/SparseTensorUtils.h":28, please report a '
            "bug to PyTorch. _internal_get_SparseTensorImpl: not a sparse tensor"
        )
    for wrong, name, wanted, given in (
        (not is_sparse(mat1), "mat1", "sparse", "Strided"),
        (is_sparse(mat2), "mat2", "strided", "Sparse"),
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
    result = made(
        numpy.concatenate([c.indices, places], 1),
        numpy.concatenate([c.values * kind(beta), found.reshape(-1) * kind(alpha)]),
        c.shape,
    )
    note_write(result, None)  # it was written, as torch counts it
    return result


does("saddmm")(lambda self, mat1, mat2, **named: sspaddmm(self, mat1, mat2, **named))


def sparse_mm(self: Any, mat2: Any) -> Any:
    """torch.sparse.mm: sparse if both are. As _sparse_mm of SparseTensorMath.cpp."""
    if is_sparse(self) and is_sparse(mat2):
        return _sparse_sparse_matmul(self, mat2)
    if not is_sparse(self):
        return sparse_mm_of(mat2.transpose(-2, -1), self.transpose(-2, -1)).transpose(-2, -1)
    return sparse_mm_of(self, mat2)


def sparse_mm_of(self: Any, mat2: Any) -> Any:
    """The product of two matrices with the node of torch.sparse.mm."""
    zeros = OPS.zeros((self.shape[0], mat2.shape[1]), dtype=self.dtype)
    return _sparse_addmm(zeros, self, mat2, beta=0, alpha=1)
