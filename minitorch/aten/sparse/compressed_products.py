"""Products of compressed matrices with dense ones, with vectors and with each other.

As ATen/native/sparse/SparseBlas.cpp and SparseBlasImpl.cpp, over SciPy's kernels.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import (
    blocked,
    compressed,
    dense_array,
    elements,
    with_values,
)
from minitorch.aten.sparse.dispatch import COMPRESSED, does, formulas, is_sparse, written_as
from minitorch.aten.sparse.layout_names import layout_name
from minitorch.aten.sparse.products import _sparse_addmm as addmm_of_coordinates
from minitorch.aten.sparse.products import scaled
from minitorch.core.declare.errors import no_kernel
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.tensor.base import tensor

CSR, CSC, BSR, BSC = (
    devices.sparse_csr,
    devices.sparse_csc,
    devices.sparse_bsr,
    devices.sparse_bsc,
)
DENSE, COO = devices.strided, devices.sparse_coo
# What is multiplied: the layouts of the result's own term, and of both factors.
_WITH_DENSE = {(CSR, DENSE), (CSC, DENSE), (BSR, DENSE), (DENSE, CSR), (DENSE, CSC), (DENSE, BSC)}
_SPARSE = {(CSR, CSR), (CSR, CSC), (CSC, CSR), (CSC, CSC)}

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


def _name(layout: Any) -> str:
    return "".join(map(str.capitalize, str(layout).removeprefix("torch.").split("_"))).removesuffix(
        "Coo"
    )


def _not_implemented(own: Any, first: Any, second: Any) -> RuntimeError:
    return RuntimeError(
        "addmm: computation on CPU is not implemented for "
        f"{_name(own)} + {_name(first)} @ {_name(second)}"
    )


def _no_blocks(layout: Any) -> RuntimeError:
    return RuntimeError(
        "zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
        f"{_name(layout)}"
    )


def _check_factors(mat1: Any, mat2: Any) -> None:
    """As torch's checks of sizes and dtypes, in their order."""
    if mat1.dim() > 2 or mat2.dim() > 2:
        if mat1.dim() != 2:
            raise RuntimeError(f"mat1 must be a matrix, got {mat1.dim()}-D tensor")
        raise RuntimeError(f"mat2 must be a matrix, got {mat2.dim()}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})"
        )
    for each in (mat1, mat2):
        if is_sparse(each) and each.layout is not COO and each._array.dense:
            raise NotImplementedError("torch.mm of compressed tensors with dense dimensions")


def _check_dtypes(mat1: Any, mat2: Any) -> None:
    if mat1.dtype is not mat2.dtype:
        raise RuntimeError(
            f"expected scalar type {mat1.dtype.scalar_name} but found {mat2.dtype.scalar_name}"
        )
    if mat1.dtype.scalar_name not in ("Float", "Double", "ComplexFloat", "ComplexDouble"):
        raise NotImplementedError(
            f"\"addmm_out_sparse_csr_impl_mkl\" not implemented for '{mat1.dtype.scalar_name}'"
        )


def matrix(self: Any) -> Any:
    """SciPy's form of a compressed matrix."""
    from scipy import sparse  # start-up: 60 ms

    c = self._array
    forms = {CSR: sparse.csr_array, CSC: sparse.csc_array}
    if c.kind.layout in forms:
        return forms[c.kind.layout]((c.values, c.plain, c.compressed), c.shape)
    found = blocked(elements(c), (1, 1))
    x = found.values.reshape(-1)
    return sparse.csr_array((x, (found.row, found.column)), c.shape)


def _dense_product(mat1: Any, mat2: Any) -> Any:
    """The array of a product of which a factor is dense."""
    for each in (mat1, mat2):
        if is_sparse(each) and each._array.kind.blocks and len(set(each._array.block)) > 1:
            raise RuntimeError("MKL Sparse doesn't support matrices with non-square blocks.")
    if is_sparse(mat1):
        found = matrix(mat1) @ mat2.detach().resolve_conj().resolve_neg()._array
    else:
        found = (matrix(mat2).T @ mat1.detach().resolve_conj().resolve_neg()._array.T).T
    return numpy.ascontiguousarray(found)


def _sparse_product(mat1: Any, mat2: Any, layout: Any) -> Any:
    found = (matrix(mat1).tocsr() @ matrix(mat2).tocsr()).tocsr()
    found.sort_indices()
    if layout is CSC:
        found = found.tocsc()
        found.sort_indices()
    parts = (found.indptr.astype(numpy.int64), found.indices.astype(numpy.int64), found.data)
    return compressed(layout, *parts, found.shape)


def _product(mat1: Any, mat2: Any, layout: Any) -> Any:
    """The product without history, in a layout that the factors allow."""
    _check_dtypes(mat1, mat2)
    mat1, mat2 = mat1.detach(), mat2.detach()
    if is_sparse(mat1) and is_sparse(mat2):
        return _sparse_product(mat1, mat2, layout)
    return tensor(_dense_product(mat1, mat2))


@_does("mm", row="mm")
def mm(self: Any, mat2: Any) -> Any:
    if self.dim() == 2 and mat2.dim() < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    pair = self.layout, mat2.layout
    if pair in _WITH_DENSE:
        _check_factors(self, mat2)
        return _product(self, mat2, DENSE)
    if self.layout in (BSR, BSC) and mat2.layout is not DENSE:
        raise _no_blocks(self.layout)
    if pair not in _SPARSE:
        raise _not_implemented(DENSE if DENSE in pair else self.layout, *pair)
    _check_factors(self, mat2)
    return _product(self, mat2, CSR)


for _alias in ("spmm", "dsmm"):
    _does(_alias)(lambda self, mat2: OPS.mm(self, mat2))


@_does("mm_self_backward")
def mm_self_backward(grad: Any, mat2: Any, sizes: Any, strides: Any, *rest: Any) -> Any:
    return grad.mm(mat2.t().conj())


@_does("mm_mat2_backward")
def mm_mat2_backward(grad: Any, self: Any, sizes: Any, strides: Any, *rest: Any) -> Any:
    return self.t().conj().mm(grad)


@_does("mv", row="mv")
def mv(self: Any, vec: Any) -> Any:
    return _with_vector(None, self, vec, 0, 1)


def _with_vector(self: Any, mat: Any, vec: Any, beta: Any, alpha: Any) -> Any:
    own = (mat.shape[0],) if self is None else tuple(self.shape)
    if mat.dim() != 2 or vec.dim() != 1 or len(own) > 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {len(own)}, {mat.dim()}, {vec.dim()}"
        )
    if mat.shape[1] != vec.shape[0] or own not in ((mat.shape[0],), (1,), ()):
        raise RuntimeError(
            f"size mismatch, got input ({own[0] if own else 1}), mat "
            f"({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        )
    if not is_sparse(mat) or is_sparse(vec) or mat.layout is BSC:
        raise NotImplementedError("torch.addmv of tensors of these sparse layouts")
    found = _product(mat, vec.detach().unsqueeze(1), DENSE).squeeze(1)
    found = scaled(found, alpha)
    return found if self is None or beta == 0 else scaled(self.detach(), beta) + found


@_does("addmv", row="addmv")
def addmv(self: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    if is_sparse(self):
        raise NotImplementedError("torch.addmv with a sparse input")
    return _with_vector(self, mat, vec, beta, alpha)


@_does("addmv_")
def addmv_(self: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    result = _with_vector(self, mat, vec, beta, alpha)
    return written_as(self, result, "addmv", mat, vec, beta=beta, alpha=alpha)


def _sum_with(self: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    """beta * self + alpha * mat1 @ mat2."""
    pair, own = (mat1.layout, mat2.layout), self.layout
    if self.dim() == 2 or not is_sparse(self):
        _check_factors(mat1, mat2)
    shape = (mat1.shape[0], mat2.shape[1])
    if is_sparse(self):
        if own is COO or pair not in _SPARSE or own not in (CSR, CSC):
            if tuple(self.shape) != shape:
                raise RuntimeError(f"expand is unsupported for {layout_name(self)} tensors")
            raise _not_implemented(own, *pair)
        if (own is CSC and pair != (CSC, CSC)) or (own is CSR and pair == (CSC, CSC)):
            raise NotImplementedError("torch.addmm of these sparse layouts")
        if tuple(self.shape) != shape:
            raise RuntimeError(f"expand is unsupported for {layout_name(self)} tensors")
        found = _product(mat1, mat2, own)
        found = found if alpha == 1 else OPS.mul(found, alpha)
        return found if beta == 0 else OPS.add(found, OPS.mul(self.detach(), beta))
    if pair not in _WITH_DENSE and pair not in _SPARSE:
        raise _not_implemented(own, *pair)
    term = OPS.broadcast_to(self.detach(), shape)
    found = _product(mat1, mat2, CSR)
    found = scaled(tensor(dense_array(found._array)) if is_sparse(found) else found, alpha)
    return found if beta == 0 else scaled(term, beta) + found


@_does("addmm", row="addmm")
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _sum_with(self, mat1, mat2, beta, alpha)


@_does("addmm_")
def addmm_(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    result = _sum_with(self, mat1, mat2, beta, alpha)
    return written_as(self, result, "addmm", mat1, mat2, beta=beta, alpha=alpha)


@_does("_sparse_addmm", row="_sparse_addmm")
def _sparse_addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _sum_with(self, mat1, mat2, beta, alpha)


def sparse_addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """torch.sparse.addmm of operands of which any is sparse."""
    of = any(is_sparse(x) and x.layout is not COO for x in (self, mat1, mat2))
    return (_sparse_addmm if of else addmm_of_coordinates)(self, mat1, mat2, beta=beta, alpha=alpha)


def sparse_mm(mat1: Any, mat2: Any) -> Any:
    """torch.sparse.mm of operands of which one is of a compressed layout. As _sparse_mm."""
    pair = mat1.layout, mat2.layout
    if DENSE in pair and is_sparse(mat2):
        return sparse_mm(mat2.transpose(0, 1), mat1.transpose(0, 1)).transpose(0, 1)
    if DENSE in pair:
        zeros = OPS.zeros((mat1.shape[0], mat2.shape[1]), dtype=mat1.dtype)
        return _sparse_addmm(zeros, mat1, mat2, beta=0, alpha=1)
    if mat2.layout in (BSR, BSC):
        raise _no_blocks(mat2.layout)
    if pair not in _SPARSE or pair == (CSR, CSC):
        raise _not_implemented(mat2.layout, *pair)
    _check_factors(mat1, mat2)
    layout = CSC if pair == (CSC, CSC) else CSR
    if mat1.requires_grad or mat2.requires_grad:
        raise NotImplementedError("the gradient of torch.sparse.mm of two compressed tensors")
    return _product(mat1, mat2, layout)


# ---- torch.sparse.mm(..., reduce)


def mm_reduce(mat1: Any, mat2: Any, reduce: str) -> Any:
    """torch.sparse.mm(mat1, mat2, reduce), of rows that have elements."""
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if not is_sparse(mat1) or mat1.layout is COO or is_sparse(mat2):
        sparse = any(is_sparse(x) for x in (mat1, mat2))
        raise no_kernel("_sparse_mm_reduce_impl", "SparseCPU" if sparse else "CPU")
    if mat1.layout is not CSR:
        raise RuntimeError("sparse_mm_reduce: Expect self to be SparseCsr")
    if reduce == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    if (mat1.requires_grad or mat2.requires_grad) and reduce in ("amax", "amin"):
        raise NotImplementedError(f"the gradient of torch.sparse.mm with reduce={reduce!r}")
    _check_factors(mat1, mat2)
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
    out[counts > 0] = -numpy.inf if reduce == "amax" else numpy.inf
    (numpy.maximum if reduce == "amax" else numpy.minimum).at(out, found.row, each)
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


def _check_sampled(self: Any, mat1: Any, mat2: Any) -> None:
    if not is_sparse(self) or self.layout is COO:
        raise no_kernel("sparse_sampled_addmm", "SparseCPU" if is_sparse(self) else "CPU")
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        if is_sparse(each):
            raise RuntimeError(
                f"sampled_addmm: Expected {name} to have strided layout, but got "
                f"{layout_name(each)}"
            )
    if self.layout is not CSR:
        raise RuntimeError(
            f"sampled_addmm: Expected self to have sparse csr layout, but got {layout_name(self)}"
        )
    if mat1.dtype is not mat2.dtype or self.dtype is not mat1.dtype:
        names = ("mat1", "mat2") if mat1.dtype is not mat2.dtype else ("self", "mat1")
        kinds = (mat1, mat2) if mat1.dtype is not mat2.dtype else (self, mat1)
        raise RuntimeError(
            f"sampled_addmm: Expected {names[0]} and {names[1]} to have the same dtype, but got "
            f"{kinds[0].dtype.scalar_name} and {kinds[1].dtype.scalar_name}"
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


@_does("sparse_sampled_addmm", row="sparse_sampled_addmm")
def _sampled(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    c = self._array
    whole = OPS.mm(mat1.detach(), mat2.detach())._array
    found = elements(c)
    x = tensor(whole[found.row, found.column])
    x = scaled(x, alpha)
    x = x if beta == 0 else scaled(tensor(c.values), beta) + x
    return with_values(self, x._array)


def sampled_addmm(
    input: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0, out: Any = None
) -> Any:
    """beta * input + alpha * (mat1 @ mat2) at the places where `input` has elements.

    Args:
        input: of layout torch.sparse_csr.
        mat1, mat2: dense matrices.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse.sampled_addmm.html.
    """
    _check_sampled(input, mat1, mat2)
    if out is not None:
        raise NotImplementedError("torch.sparse.sampled_addmm with out")
    return _sampled(input, mat1, mat2, beta=beta, alpha=alpha)


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
    found = OPS.full(self.shape, float("nan"), dtype=self.dtype) if singular else solved[0]
    return type(solved)((found, OPS.empty(0, dtype=self.dtype)))
