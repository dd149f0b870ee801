"""The sum beta * self + alpha * mat1 @ mat2 that all products of compressed matrices come to.

As ATen/native/sparse/SparseBlasImpl.cpp and mkl/SparseBlasImpl.cpp, over SciPy's kernels: which
layouts are brought into others first, what is checked when, and where the elements of a product of
two sparse matrices are.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import (
    KINDS,
    blocked,
    compressed,
    dense_array,
    elements,
    transposed,
    warn_of_beta,
)
from minitorch.aten.sparse.dispatch import is_sparse
from minitorch.aten.sparse.layouts import layout_name, title_of
from minitorch.aten.sparse.products import scaled
from minitorch.aten.sparse.refusals import no_blocks
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import device as devices

CSR, CSC, BSR, BSC = (
    devices.sparse_csr,
    devices.sparse_csc,
    devices.sparse_bsr,
    devices.sparse_bsc,
)
DENSE, COO = devices.strided, devices.sparse_coo
KERNELS = ("Float", "Double", "ComplexFloat", "ComplexDouble")


def refuse_blocks(name: str, layout: Any) -> None:
    """RuntimeError if torch would make a tensor without elements in a layout of blocks; else the
    warning that it gives of another layout."""
    if layout not in KINDS:
        return
    if KINDS[layout].blocks:
        raise no_blocks(layout, name)
    warn_of_beta(KINDS[layout].short)


def check_square_blocks(*operands: Any) -> None:
    """RuntimeError for blocks that are not square."""
    for each in operands:
        if is_sparse(each) and not each.is_sparse and len(set(each._array.block)) > 1:
            raise RuntimeError("MKL Sparse doesn't support matrices with non-square blocks.")


def check_factors(mat1: Any, mat2: Any) -> None:
    """RuntimeError unless both are matrices that can be multiplied."""
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        if each.dim() != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.dim()}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})"
        )
    for each in (mat1, mat2):
        if is_sparse(each) and each.layout is not COO and each._array.dense:
            raise NotImplementedError("torch.mm of compressed tensors with dense dimensions")


def check_written(self: Any, mat1: Any, mat2: Any) -> None:
    """Checks as torch does where `self` is written in place, before it looks at layouts."""
    for name, each in (("self", self), ("mat1", mat1)):
        if each.dtype is not mat2.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {each.dtype.scalar_name} and "
                f"{mat2.dtype.scalar_name}"
            )
    check_factors(mat1, mat2)
    shape = [mat1.shape[0], mat2.shape[1]]
    if list(self.shape) != shape:
        raise RuntimeError(
            f"Bad in-place call: input tensor size {list(self.shape)} and output tensor size "
            f"{shape} should match"
        )


def sum_with(self: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    """beta * self + alpha * mat1 @ mat2 in the layout of `self`."""
    self, mat1, mat2 = (x.detach() for x in (self, mat1, mat2))
    check_factors(mat1, mat2)
    shape = (mat1.shape[0], mat2.shape[1])
    if is_sparse(self):
        if tuple(self.shape) != shape:
            raise RuntimeError(f"expand is unsupported for {layout_name(self)} tensors")
    else:
        self = self.expand(shape)
    if any(is_sparse(x) and not x._nnz() for x in (mat1, mat2)):
        return scaled(self, beta) if beta != 0 else OPS.zeros_like(self)
    found = _product(self, mat1, mat2)
    if not is_sparse(self):
        found = scaled(found, alpha)
        return found if beta == 0 else scaled(self, beta) + found
    found = found if alpha == 1 else OPS.mul(found, alpha)
    return found if beta == 0 else OPS.add(found, OPS.mul(self, beta))


def _product(self: Any, mat1: Any, mat2: Any) -> Any:
    """mat1 @ mat2 in the layout of `self`. RuntimeError with torch's text for other layouts."""
    own, pair = self.layout, (mat1.layout, mat2.layout)
    kind = self.dtype
    if own is DENSE and pair == (DENSE, CSR):
        return _dense_product(
            mat2.transpose(0, 1).to_sparse_csr(), mat1.transpose(0, 1), kind, True
        )
    if own is DENSE and pair in ((DENSE, CSC), (DENSE, BSC)):
        return _dense_product(mat2.transpose(0, 1), mat1.transpose(0, 1), kind, True)
    if own is DENSE and pair in ((CSR, DENSE), (CSC, DENSE), (BSR, DENSE)):
        return _dense_product(mat1.to_sparse_csr() if pair[0] is CSC else mat1, mat2, kind)
    if own is CSC and pair == (CSC, CSC):
        _check_dtypes(kind, mat1, mat2)
        found = _sparse_product(mat2.transpose(0, 1), mat1.transpose(0, 1))
        return transposed(found)
    if own in (DENSE, CSR) and set(pair) <= {CSR, CSC}:
        _check_dtypes(kind, mat1, mat2)
        found = _sparse_product(mat1.to_sparse_csr(), mat2.to_sparse_csr())
        return tensor(dense_array(found._array)) if own is DENSE else found
    raise RuntimeError(
        "addmm: computation on CPU is not implemented for "
        f"{title_of(own)} + {title_of(pair[0])} @ {title_of(pair[1])}"
    )


def _check_dtypes(kind: Any, mat1: Any, mat2: Any) -> None:
    both = is_sparse(mat1) and is_sparse(mat2)
    check_read(kind, f"addmm_out_sparse_csr_impl_mkl{'_sparse' * both}", mat1, mat2)


def check_read(kind: Any, kernel: str, *operands: Any) -> None:
    """Checks dtypes and blocks of a computation by a kernel of MKL, in torch's order."""
    check_kernel(kind, kernel)
    for each in operands:
        if each.dtype is not kind:
            raise RuntimeError(
                f"expected scalar type {kind.scalar_name} but found {each.dtype.scalar_name}"
            )
        check_square_blocks(each)


def check_kernel(kind: Any, name: str) -> None:
    """NotImplementedError unless MKL has kernels for this dtype."""
    if kind.scalar_name not in KERNELS:
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind.scalar_name}'")


def _dense_product(mat1: Any, mat2: Any, kind: Any, transposed: bool = False) -> Any:
    _check_dtypes(kind, mat1, mat2)
    found = dense_product(mat1, mat2)
    return tensor(numpy.ascontiguousarray(found.T if transposed else found))


def dense_product(mat1: Any, mat2: Any) -> Any:
    """The array of a compressed matrix times a dense tensor."""
    return matrix(mat1) @ mat2.detach().resolve_conj().resolve_neg()._array


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


def _sparse_product(mat1: Any, mat2: Any) -> Any:
    """The product of two matrices in CSR. Each row has its elements in the order in which their
    first terms come, as MKL leaves them, those that add up to 0 among them."""
    found = matrix(mat1) @ matrix(mat2)
    there = _places(mat1) @ _places(mat2)
    rows = _rows(there)
    values = found.data
    if there.nnz != found.nnz:  # SciPy leaves out what adds up to 0
        width = max(found.shape[1], 1)
        kept = numpy.isin(rows * width + there.indices, _rows(found) * width + found.indices)
        values = numpy.zeros(there.nnz, found.dtype)
        values[kept] = found.data
    backwards = numpy.lexsort((-numpy.arange(there.nnz), rows))  # as SciPy lists each row
    return compressed(
        CSR,
        there.indptr.astype(numpy.int64),
        there.indices[backwards].astype(numpy.int64),
        values[backwards],
        there.shape,
    )


def _places(self: Any) -> Any:
    """SciPy's form of a matrix in CSR that says where its elements are."""
    from scipy import sparse  # start-up: 60 ms

    c = self._array
    return sparse.csr_array((numpy.ones(len(c.plain), bool), c.plain, c.compressed), c.shape)


def _rows(matrix: Any) -> Any:
    """The row of each element of SciPy's form of a matrix."""
    return numpy.repeat(numpy.arange(matrix.shape[0]), numpy.diff(matrix.indptr))
