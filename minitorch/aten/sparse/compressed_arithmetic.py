"""Sums and products of compressed tensors with numbers, with dense ones and with each other.

As ATen/native/sparse/SparseCsrTensorMath.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import Elements, dense_array, elements, in_layout
from minitorch.aten.sparse.compressed_conversion import coordinates_of
from minitorch.aten.sparse.compressed_matrix import check_read, refuse_blocks
from minitorch.aten.sparse.compressed_operators import alike_places, on_values
from minitorch.aten.sparse.coordinates import Coordinates
from minitorch.aten.sparse.dispatch import COMPRESSED, does, into, is_sparse, is_tensor, written_as
from minitorch.aten.sparse.layouts import layout_name
from minitorch.aten.sparse.tensor import values_of
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import can_cast, promote_types


def _does(*names: str, row: str = "") -> Any:
    return does(*names, row=row, table=COMPRESSED)


# ---- products with numbers and with each other


def _number(other: Any) -> bool:
    return not is_tensor(other) or (not is_sparse(other) and not other.dim())


def _product(self: Any, other: Any) -> Any:
    if _number(self) and not is_sparse(self):
        self, other = other, self
    if _number(other):
        given = other.detach() if is_tensor(other) else other
        return on_values(self, OPS.mul(values_of(self), given))
    refuse_blocks("empty", self.layout)
    return multiplied(self.layout, self, other)


def multiplied(layout: Any, self: Any, other: Any) -> Any:
    """The product of two tensors in CSR. As mul_out_sparse_csr.

    layout: of the tensor that torch writes it into. RuntimeError with torch's text unless that is
    CSR, or one factor is dense and the other in CSR.
    """
    self, other = self.detach(), other.detach()
    pair = self.layout, other.layout
    if pair == (devices.strided, devices.sparse_csr):
        return _product_with_dense(other, self)
    if pair == (devices.sparse_csr, devices.strided):
        return _product_with_dense(self, other)
    if layout is not devices.sparse_csr:
        raise RuntimeError("Expected result Tensor to be of format CSR")
    if any(each.layout is devices.strided for each in (self, other)):
        raise NotImplementedError("torch.mul of these layouts")
    first, second = (x if x.is_sparse else coordinates_of(x) for x in (self, other))
    return OPS.mul(first, second).coalesce().to_sparse_csr()


def _product_with_dense(self: Any, dense: Any) -> Any:
    kind = promote_types(self.dtype, dense.dtype)
    masked = dense.sparse_mask(self)
    if self._array.batch or kind is dtypes.bool:  # torch multiplies tensors of coordinates
        return OPS.mul(coordinates_of(self), coordinates_of(masked)).to_sparse_csr()
    return on_values(self, values_of(self).to(kind) * values_of(masked).to(kind))


mul = _does("mul", "multiply", row="mul_Tensor")(_product)


@_does("mul.out", "multiply.out")
def mul_out(out: Any, self: Any, other: Any) -> Any:
    """The product written into `out`; a number counts as a tensor without dimensions."""
    factors = (x if is_tensor(x) else OPS.scalar_tensor(x) for x in (self, other))
    return into(out, multiplied(out.layout, *factors))


@_does("mul_", "multiply_")
def mul_(self: Any, other: Any) -> Any:
    if _number(other) and is_sparse(self):
        result = _product(self.detach(), other)
    else:
        result = multiplied(self.layout, self, other if is_tensor(other) else tensor(other))
    if not is_sparse(self):
        raise RuntimeError("Expected result Tensor to be of format CSR")
    if not can_cast(result.dtype, self.dtype):
        kind = "Double" if isinstance(other, float) else result.dtype.scalar_name
        raise RuntimeError(
            f"result type {kind} can't be cast to the desired output type {self.dtype.scalar_name}"
        )
    return written_as(self, result.to(self.dtype), "mul_Tensor", other)


# ---- sums


def _check_shapes(self: Any, other: Any) -> None:
    if self.shape != other.shape:
        raise RuntimeError(
            f"torch.add: Expected input tensors to have the same shape, but got tensor `self` with "
            f"shape {list(self.shape)} and tensor `other` with shape {list(other.shape)}"
        )


def _sum(self: Any, other: Any, alpha: Any, kind: Any = None) -> Any:
    """self + alpha * other of dtype `kind`: what both are promoted to if it is None."""
    if not is_tensor(other) or not is_tensor(self):
        self = self if is_tensor(self) else other
        _check_no_blocks(self._array)
        raise _sizes_differ((), self.shape)
    if not is_sparse(self) or not is_sparse(other):
        return _sum_with_dense(self, other, alpha)
    if type(other._array) is Coordinates or type(self._array) is Coordinates:
        if type(self._array) is Coordinates:
            raise RuntimeError("memory format option is only supported by strided tensors")
        _check_shapes(self, other)
        raise RuntimeError(
            "at::sparse_csr::is_sparse_compressed(other) INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/SparseCsrTensorUtils.h":371, please report a bug '
            "to PyTorch. "
        )
    _check_shapes(self, other)
    if self is other:
        return on_values(self, OPS.add(values_of(self), values_of(self), alpha=alpha))
    kind = kind or promote_types(self.dtype, other.dtype)
    counts = self._nnz(), other._nnz()
    _check_rows(self, other, "crow" if all(counts) else "col")
    if not all(counts):
        return _sum_with_none(self, other, alpha, kind)
    check_read(kind, "add_out_sparse_csr_impl_mkl", self, other)
    if self.layout is not other.layout:
        raise RuntimeError(
            "MKL error: SPARSE_STATUS_NOT_SUPPORTED when calling "
            "`mkl_sparse_s_add(operation, A, alpha, B, C)`"
        )
    if self._array.kind.blocks:
        raise _no_export(kind)
    return _sum_of_both(self, other, alpha)


def _no_export(kind: Any) -> RuntimeError:
    """The error of MKL for sums of blocks, which it cannot bring back into rows."""
    letter = {"Float": "s", "Double": "d", "ComplexFloat": "c"}.get(kind.scalar_name, "z")
    values = "values"
    if kind.is_complex:
        values = f"reinterpret_cast<MKL_Complex{8 * kind.itemsize // 8}**>(values)"
    return RuntimeError(
        "MKL error: SPARSE_STATUS_INVALID_VALUE when calling "
        f"`mkl_sparse_{letter}_export_csr( source, indexing, rows, cols, rows_start, rows_end, "
        f"col_indx, {values})`"
    )


def _check_rows(self: Any, other: Any, name: str) -> None:
    """RuntimeError unless both are compressed by rows."""
    for each in (other, self):
        if not each._array.kind.by_rows:
            raise RuntimeError(
                f"{name}_indices expected sparse row compressed tensor layout but got "
                f"{layout_name(each)}"
            )


def _sum_with_none(self: Any, other: Any, alpha: Any, kind: Any) -> Any:
    """The sum of two tensors of which one has no elements, or both."""
    if self.layout is not other.layout:
        raise NotImplementedError("torch.add of compressed tensors of two layouts without elements")
    if self._array.kind.blocks:  # torch copies into a tensor whose blocks have another size
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different block sizes is not "
            f"supported. self and src block sizes are [1, {max(self._nnz(), other._nnz())}] and "
            f"{list(self._array.block)}, respectively."
        )
    if self._nnz():
        return self.detach().clone().to(kind)
    return OPS.mul(other.detach(), alpha).to(kind)


def _check_no_blocks(c: Any) -> None:
    if c.kind.blocks:
        raise RuntimeError(
            "src.layout() == kSparseCsr || src.layout() == kSparseCsc INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp":835, '
            "please report a bug to PyTorch. "
        )


def _sizes_differ(own: Any, other: Any) -> RuntimeError:
    return RuntimeError(
        f"add: expected 'self' and 'other' to have same size, but self has size {list(own)} while "
        f"other has size {list(other)} (FYI: op2-sparse addition does not currently support "
        "broadcasting)"
    )


def _sum_with_dense(self: Any, other: Any, alpha: Any) -> Any:
    c = (self if is_sparse(self) else other)._array
    dense = other if is_sparse(self) else self
    _check_no_blocks(c)
    if dense.shape != tuple(c.shape):
        raise _sizes_differ(dense.shape, c.shape)
    first, second = (
        tensor(dense_array(x._array)) if is_sparse(x) else x.detach() for x in (self, other)
    )
    return OPS.add(first, second, alpha=alpha)


def _sum_of_both(self: Any, other: Any, alpha: Any) -> Any:
    a, b = self._array, other._array
    scaled = b.values if alpha == 1 else b.values * b.values.dtype.type(alpha)
    if alike_places(self, other):
        return on_values(self, tensor(a.values + scaled))
    if a.batch or a.dense or a.block != b.block:
        raise NotImplementedError("torch.add of compressed batches whose elements lie elsewhere")
    parts = elements(a), elements(b)
    joined = Elements(*map(numpy.concatenate, zip(*parts, strict=True)))
    x = numpy.concatenate([parts[0].values, scaled.reshape(parts[1].values.shape)])
    keys, at = numpy.unique(numpy.stack(joined[:3]), axis=1, return_inverse=True)
    total = numpy.zeros((keys.shape[1], *x.shape[1:]), x.dtype)
    numpy.add.at(total, at.reshape(-1), x)
    return in_layout(a.kind.layout, Elements(*keys, total), a.batch, a.shape)


@_does("add", row="add_Tensor")
def add(self: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(self, other, alpha)


@_does("add_")
def add_(self: Any, other: Any, alpha: Any = 1) -> Any:
    if is_sparse(self) and not is_sparse(other):
        _check_no_blocks(self._array)
        raise self._lacks("is_contiguous")
    if type(self._array) is Coordinates:
        _check_shapes(self, other)
        raise RuntimeError(
            "at::sparse_csr::is_sparse_compressed(self) INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/SparseCsrTensorUtils.h":370, please report a bug '
            "to PyTorch. "
        )
    given = self.detach()
    addend = given if other is self else other.detach()
    alike = self.layout is other.layout and self.shape == other.shape
    if alike and self._array.kind.by_rows and not other._nnz():
        return written_as(self, given, "add_Tensor", other, alpha=alpha)
    result = _sum(given, addend, alpha, self.dtype)
    return written_as(self, result, "add_Tensor", other, alpha=alpha)
