"""Products of compressed matrices with dense ones, with vectors and with each other.

As ATen/native/sparse/SparseBlas.cpp and SparseBlasImpl.cpp, over SciPy's kernels.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import dense_array, elements, with_values
from minitorch.aten.sparse.compressed_matrix import (
    BSC,
    BSR,
    COO,
    CSC,
    CSR,
    DENSE,
    KERNELS,
    check_kernel,
    check_square_blocks,
    check_written,
    dense_product,
    refuse_blocks,
    sum_with,
)
from minitorch.aten.sparse.dispatch import (
    COMPRESSED,
    does,
    formulas,
    into,
    is_sparse,
    written_as,
)
from minitorch.aten.sparse.layouts import layout_name
from minitorch.aten.sparse.parts import type_text
from minitorch.aten.sparse.products import _sparse_addmm as addmm_of_coordinates
from minitorch.aten.sparse.products import mm_mat2_backward, mm_self_backward, scaled
from minitorch.aten.sparse.refusals import no_size
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.tensor.conversion import entry_of

formulas(
    "sparse_sampled_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, "
    "Scalar alpha=1) -> Tensor",
    "SparseSampledAddmmBackward0",
    self=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, self, mat2, alpha: scaled(grad.sparse_mask(self) @ mat2.mH, alpha),
    mat2=lambda grad, self, mat1, alpha: scaled(mat1.mH @ grad.sparse_mask(self), alpha),
)


def _does(*names: str, row: str = "") -> Any:
    return does(*names, row=row, table=COMPRESSED)


def _zeros(shape: Any, like: Any) -> Any:
    """The zeros to which torch adds a product, of this layout and dtype."""
    refuse_blocks("zeros", like.layout)
    return OPS.zeros(shape, dtype=like.dtype, layout=like.layout)


@_does("mm", row="mm")
def mm(self: Any, mat2: Any) -> Any:
    self, mat2 = self.detach(), mat2.detach()
    pair = self.layout, mat2.layout
    if pair != (CSR, CSR) and set(pair) <= {CSR, CSC}:
        self, mat2 = self.to_sparse_csr(), mat2.to_sparse_csr()
    elif pair == (CSC, DENSE):
        self = self.to_sparse_csr()
    entry_of(mat2.shape, 1)
    shape = (self.shape[0], mat2.shape[1])
    if mat2.layout is DENSE and is_sparse(self):
        own = OPS.zeros(shape, dtype=self.dtype)
    else:
        own = _zeros(shape, mat2 if pair == (CSR, CSR) else self)
    return sum_of(own, self, mat2, beta=0)


def sum_of(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """addmm without history."""
    refuse_blocks("empty", self.layout)
    return sum_with(self, mat1, mat2, beta, alpha)


for _alias in ("spmm", "dsmm"):
    _does(_alias)(lambda self, mat2: OPS.mm(self, mat2))


_does("mm_self_backward")(mm_self_backward)
_does("mm_mat2_backward")(mm_mat2_backward)


@_does("mv", row="mv")
def mv(self: Any, vec: Any) -> Any:
    if not self.dim():
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if is_sparse(vec) and vec.layout is not COO:
        raise no_size([self.shape[0]])
    return _with_vector(OPS.zeros(self.shape[0], dtype=vec.dtype), self, vec, 0, 1)


def _with_vector(self: Any, mat: Any, vec: Any, beta: Any, alpha: Any) -> Any:
    """beta * self + alpha * mat @ vec. As addmv_out_sparse_compressed."""
    own = tuple(self.shape)
    if mat.dim() != 2 or vec.dim() != 1 or len(own) > 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {len(own)}, {mat.dim()}, {vec.dim()}"
        )
    if mat.shape[1] != vec.shape[0] or own not in ((mat.shape[0],), (1,), ()):
        raise RuntimeError(
            f"size mismatch, got input ({own[0] if own else 1}), mat "
            f"({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        )
    if not self.dtype is mat.dtype is vec.dtype:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {self.dtype.scalar_name}, "
            f"{mat.dtype.scalar_name}, and {vec.dtype.scalar_name}"
        )
    if mat.layout is BSC:
        raise RuntimeError(
            f"torch.addmv: operation not supported for mat with {layout_name(mat)} layout"
        )
    if not is_sparse(mat) or is_sparse(self) or mat._array.dense:
        raise NotImplementedError("torch.addmv of tensors of these sparse layouts")
    mat, vec, self = mat.detach(), vec.detach(), self.detach().expand(mat.shape[0])
    if mat.layout is CSC:
        mat = mat.to_sparse_csr()
    if not mat._nnz():
        return scaled(self, beta) if beta != 0 else OPS.zeros_like(self)
    check_kernel(mat.dtype, "addmv_out_sparse_csr_impl_mkl")
    if is_sparse(vec):
        vec.untyped_storage()  # which refuses
    check_square_blocks(mat)
    found = scaled(tensor(dense_product(mat, vec)), alpha)
    return found if beta == 0 else scaled(self, beta) + found


@_does("addmv", row="addmv")
def addmv(self: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _with_vector(self, mat, vec, beta, alpha)


@_does("addmv_")
def addmv_(self: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    result = _with_vector(self, mat, vec, beta, alpha)
    return written_as(self, result, "addmv", mat, vec, beta=beta, alpha=alpha)


addmm = _does("addmm", row="addmm")(sum_of)


@_does("addmm_")
def addmm_(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    check_written(self, mat1, mat2)
    result = sum_with(self, mat1, mat2, beta, alpha)
    return written_as(self, result, "addmm", mat1, mat2, beta=beta, alpha=alpha)


_sparse_addmm = _does("_sparse_addmm", row="_sparse_addmm")(sum_of)


def sparse_addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """torch.sparse.addmm of operands of which any is sparse."""
    of = any(is_sparse(x) and x.layout is not COO for x in (self, mat1, mat2))
    return (_sparse_addmm if of else addmm_of_coordinates)(self, mat1, mat2, beta=beta, alpha=alpha)


def sparse_mm(mat1: Any, mat2: Any) -> Any:
    """torch.sparse.mm of operands of which one is of a compressed layout. As _sparse_mm."""
    if not is_sparse(mat1):
        return sparse_mm(mat2.transpose(-2, -1), mat1.transpose(-2, -1)).transpose(-2, -1)
    zeros = _zeros((entry_of(mat1.shape, -2), entry_of(mat2.shape, -1)), mat2)
    return _sparse_addmm(zeros, mat1, mat2, beta=0, alpha=1)


# ---- torch.sparse.mm(..., reduce)


def _require_compressed(name: str, *operands: Any) -> None:
    """NotImplementedError with torch's text if no operand is of a compressed layout."""
    sparse = [x for x in operands if is_sparse(x)]
    if all(x.layout is COO for x in sparse):
        raise no_kernel(name, "SparseCPU" if sparse else "CPU")


def mm_reduce(mat1: Any, mat2: Any, reduce: str) -> Any:
    """torch.sparse.mm(mat1, mat2, reduce), of rows that have elements."""
    _require_compressed("_sparse_mm_reduce_impl", mat1, mat2)
    if mat1.layout is not CSR:
        raise RuntimeError(
            f"sparse_mm_reduce: expect self to be SparseCsr, got {layout_name(mat1)}"
        )
    if mat1.dim() != 2:
        raise RuntimeError(
            f"sparse_mm_reduce: expected self to be a 2-D tensor, got {mat1.dim()}-D tensor."
        )
    if is_sparse(mat2):
        raise RuntimeError(
            f"Expected tensor to have Strided Layout, but got tensor with {layout_name(mat2)} "
            "Layout (while checking arguments for sparse_mm_reduce)"
        )
    if mat1.dtype is not mat2.dtype:
        raise RuntimeError(
            f"Expected tensor for argument #1 'other' to have scalar type "
            f"{mat1.dtype.scalar_name}; but got {type_text(mat2)} instead (while checking "
            "arguments for sparse_mm_reduce)"
        )
    rows = entry_of(mat2.shape, 0)
    if mat2.dim() != 2 or rows != mat1.shape[1]:
        raise RuntimeError(
            f"Expected a tensor of dimension 2 and tensor.size[0] == {mat1.shape[1]} but got: "
            f"dimension {mat2.dim()} and tensor.size[0] = {rows}"
        )
    if reduce not in ("sum", "prod", "mean", "amax", "amin", "max", "min"):
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if reduce == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    if (mat1.requires_grad or mat2.requires_grad) and reduce.endswith(("max", "min")):
        raise NotImplementedError(f"the gradient of torch.sparse.mm with reduce={reduce!r}")
    if not mat1.dtype.is_floating_point:
        raise NotImplementedError(
            f"\"spmm_reduce_kernel\" not implemented for '{mat1.dtype.scalar_name}'"
        )
    return _reduced_recorded(mat1, mat2, reduce)


def _reduced(mat1: Any, mat2: Any, reduce: str) -> Any:
    c, x = mat1._array, mat2.detach().resolve_conj()._array
    found = elements(c)
    each = c.values[:, None] * x[found.column]
    out = numpy.zeros((c.shape[0], x.shape[1]), each.dtype)
    counts = numpy.diff(c.compressed)
    if reduce in ("sum", "mean"):
        numpy.add.at(out, found.row, each)
        if reduce == "mean":
            out /= numpy.maximum(counts, 1)[:, None].astype(out.dtype)
        return tensor(out)
    largest = reduce.endswith("max")
    out[counts > 0] = -numpy.inf if largest else numpy.inf
    (numpy.maximum if largest else numpy.minimum).at(out, found.row, each)
    return tensor(out)


def shared(grad: Any, self: Any, reduce: str) -> Any:
    """The gradient of each sum of a row: that of a mean is divided by its elements."""
    if reduce == "sum":
        return grad
    counts = numpy.maximum(numpy.diff(self._array.compressed), 1)[:, None]
    return grad / tensor(counts.astype(grad.dtype.numpy))


formulas(
    "_sparse_mm_reduce_impl(Tensor self, Tensor other, str reduce) -> Tensor",
    "SparseMmReduceImplBackward0",
    self=lambda grad, self, other, reduce: (shared(grad, self, reduce) @ other.mH).sparse_mask(
        self
    ),
    other=lambda grad, self, reduce: self.mH @ shared(grad, self, reduce),
)
_reduced_recorded = _does("_sparse_mm_reduce_impl", row="_sparse_mm_reduce_impl")(_reduced)


# ---- torch.sparse.sampled_addmm


def _check_sampled(self: Any, mat1: Any, mat2: Any, out: Any = None) -> None:
    _require_compressed("sparse_sampled_addmm", self, mat1, mat2)
    if out is None:
        refuse_blocks("empty", self.layout)
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        if is_sparse(each):
            raise RuntimeError(
                f"sampled_addmm: Expected {name} to have strided layout, but got "
                f"{layout_name(each)}"
            )
    for name, each in (("result", self if out is None else out), ("self", self)):
        if each.layout is not CSR:
            raise RuntimeError(
                f"sampled_addmm: Expected {name} to have sparse csr layout, but got "
                f"{layout_name(each)}"
            )
    if mat1.dtype is not mat2.dtype or self.dtype is not mat1.dtype:
        names = ("mat1", "mat2") if mat1.dtype is not mat2.dtype else ("mat1", "self")
        kinds = (mat1, mat2) if mat1.dtype is not mat2.dtype else (mat1, self)
        raise RuntimeError(
            f"sampled_addmm: Expected {names[0]} and {names[1]} to have the same dtype, but got "
            f"{kinds[0].dtype.scalar_name} and {kinds[1].dtype.scalar_name}"
        )
    if self.dtype.scalar_name not in KERNELS:
        raise RuntimeError(
            "sparse_sampled_addmm: Expected self to be a floating-point or complex tensor, but got "
            f"{self.dtype.scalar_name}"
        )
    if mat1.dim() != 2 or mat2.dim() != 2 or self.dim() != 2:
        raise NotImplementedError("torch.sparse.sampled_addmm of batches")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            "sampled_addmm: mat1 and mat2 shapes cannot be multiplied "
            f"({mat1.shape[0]}x{mat1.shape[1]} and {mat2.shape[0]}x{mat2.shape[1]})"
        )
    for dim, name, each in ((-2, "mat1", mat1), (-1, "mat2", mat2)):
        if self.shape[dim] != each.shape[dim]:
            raise RuntimeError(f"sampled_addmm: self.shape[{dim}] must match {name}.shape[{dim}]")


def _sampled(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    c = self._array
    whole = OPS.mm(mat1.detach(), mat2.detach())._array
    found = elements(c)
    x = tensor(whole[found.row, found.column])
    x = scaled(x, alpha)
    x = x if beta == 0 else scaled(tensor(c.values), beta) + x
    return with_values(self, x._array)


_sampled_recorded = _does("sparse_sampled_addmm", row="sparse_sampled_addmm")(_sampled)
OPS.__dict__["sparse_sampled_addmm"] = _sampled_recorded


def sampled_addmm(
    input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1, out: Any = None
) -> Any:
    """beta * input + alpha * (mat1 @ mat2) at the places where `input` has elements.

    Args:
        input: of layout torch.sparse_csr.
        mat1, mat2: dense matrices.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse.sampled_addmm.html.
    """
    _check_sampled(input, mat1, mat2, out)
    if out is not None:
        return into(out, _sampled(input, mat1, mat2, beta=beta, alpha=alpha))
    return _sampled_recorded(input, mat1, mat2, beta=beta, alpha=alpha)


# ---- triangles


@_does("triangular_solve")
def triangular_solve(
    self: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The solution of A @ x = self, where A is a compressed triangle."""
    if is_sparse(self):
        raise NotImplementedError("torch.triangular_solve of a sparse right-hand side")
    if A.layout not in (CSR, BSR):
        raise ValueError("triangular_solve: unsupported sparse layout.")
    if self.requires_grad or A.requires_grad:
        raise NotImplementedError("the gradient of torch.triangular_solve of compressed tensors")
    if A.dim() != 2 or self.dim() != 2:
        raise NotImplementedError("torch.triangular_solve of compressed batches")
    x = dense_array(A._array)
    x = numpy.triu(x) if upper else numpy.tril(x)
    singular = not unitriangular and not (numpy.diagonal(x) != 0).all()
    solved = OPS.triangular_solve(
        self.detach(), tensor(x), upper, transpose, unitriangular or singular
    )
    if singular:
        found = OPS.full(self.shape, float("nan"), dtype=self.dtype)
    else:  # row by row, unlike the solution of a dense triangle
        found = tensor(numpy.array(solved[0]._array, order="C"))
    return type(solved)((found, OPS.empty(0, dtype=self.dtype)))
