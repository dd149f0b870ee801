"""Operators of compressed tensors: on their values where places stay, and those that torch refuses.

As ATen/native/sparse/SparseCsrTensor.cpp and SparseCsrTensorMath.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import (
    KINDS,
    Elements,
    compressed,
    dense_array,
    elements,
    empty_compressed,
    in_layout,
    transposed,
    with_values,
)
from minitorch.aten.sparse.compressed_conversion import coordinates_of
from minitorch.aten.sparse.coordinates import Coordinates
from minitorch.aten.sparse.dispatch import (
    COMPRESSED,
    could_not_run,
    does,
    formulas,
    is_sparse,
    is_tensor,
    recorded,
    written_as,
)
from minitorch.aten.sparse.elementwise import ALIASES, FRESH, WRITABLE
from minitorch.aten.sparse.layout_names import layout_name
from minitorch.aten.sparse.parts import cast_back
from minitorch.aten.sparse.reduction import dims_of
from minitorch.aten.sparse.shapes import select as select_of_coordinates
from minitorch.aten.sparse.tensor import values_of
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.promotion import can_cast, promote_types
from minitorch.core.numbers.size import size_of
from minitorch.core.tensor.base import tensor


def _does(*names: str, row: str = "", view: bool = False) -> Any:
    return does(*names, row=row, table=COMPRESSED, view=view)


# ---- what it is made of


def _index_of(name: str, by_rows: bool, starts: bool) -> None:
    wanted = "row" if by_rows else "column"

    def indices(self: Any) -> Any:
        c = self._array
        if type(c) is Coordinates or c.kind.by_rows is not by_rows:
            raise RuntimeError(
                f"{name} expected sparse {wanted} compressed tensor layout but got "
                f"{layout_name(self)}"
            )
        return tensor(c.compressed if starts else c.plain)

    does(name)(indices)
    _does(name)(indices)
    _does(f"{name}_copy")(lambda self: indices(self).clone())


for _name, _by_rows, _starts in (
    ("crow_indices", True, True),
    ("col_indices", True, False),
    ("ccol_indices", False, True),
    ("row_indices", False, False),
):
    _index_of(_name, _by_rows, _starts)


@_does("values", row="values", view=True)
def values(self: Any) -> Any:
    return tensor(self._array.values)


_does("values_copy")(lambda self: values_of(self).clone())


_does("_nnz")(lambda self: self._array.plain.shape[-1])
_does("sparse_dim")(lambda self: 2)
_does("dense_dim")(lambda self: len(self._array.dense))
_does("resolve_conj", "resolve_neg", "positive")(lambda self: self)


def _of_coordinates_alone(name: str) -> None:
    def refuse(self: Any, *args: Any) -> Any:
        raise RuntimeError(
            f"{name} expected sparse coordinate tensor layout but got {layout_name(self)}"
        )

    _does(name)(refuse)


for _name in ("coalesce", "indices", "is_coalesced"):
    _of_coordinates_alone(_name)


@_does("size")
def size(self: Any, dim: int | None = None) -> Any:
    return size_of(self._array.shape) if dim is None else self._array.shape[dim]


# ---- copies


@_does("clone", row="clone")
def clone(self: Any, *, memory_format: Any = None) -> Any:
    if memory_format not in (None, devices.preserve_format):
        name = {"torch.contiguous_format": "Contiguous", "torch.channels_last": "ChannelsLast"}
        said = name.get(str(memory_format), "ChannelsLast3d")
        raise RuntimeError(f"unsupported memory format option {said}")
    c = self._array
    parts = (c.compressed.copy(), c.plain.copy(), c.values.copy())
    return compressed(c.kind.layout, *parts, c.shape)


@_does("_to_copy")
def _to_copy(self: Any, **options: Any) -> Any:
    return _COPIES[self.layout](self, **options)


def _copied_to(self: Any, *, dtype: Any = None, **options: Any) -> Any:
    c = self._array
    if options.get("layout") not in (None, self.layout):
        raise NotImplementedError("torch.Tensor.to of a compressed tensor to another layout")
    x = OPS._to_copy(tensor(c.values), dtype=dtype or self.dtype)._array
    return compressed(c.kind.layout, c.compressed.copy(), c.plain.copy(), x, c.shape)


def _copies_in(layout: Any) -> Any:
    """The function that copies tensors of a layout, whose gradients have the same."""
    overload = str(layout).removeprefix("torch.")
    formulas(
        f"_to_copy.{overload}(Tensor self, *, ScalarType? dtype=None, Layout? layout=None)"
        " -> Tensor",
        "ToCopyBackward0",
        self=lambda grad, self_options: cast_back(grad, self_options, layout),
    )
    return recorded(f"_to_copy_{overload}", _copied_to)


_COPIES = {layout: _copies_in(layout) for layout in KINDS}


def _like(name: str) -> None:
    def like(self: Any, *, memory_format: Any = None, dtype: Any = None, layout: Any = None,
             device: Any = None, pin_memory: bool = False,
             requires_grad: bool = False) -> Any:  # fmt: skip
        c = self._array
        dtype = dtype or self.dtype
        if layout is devices.strided:
            made = getattr(OPS, name.removesuffix("_like"))
            return made(c.shape, dtype=dtype, requires_grad=requires_grad)
        if layout not in (None, self.layout):
            raise NotImplementedError(f"torch.{name} of a compressed tensor in another layout")
        if name == "empty_like":
            result = clone(with_values(self, numpy.zeros(c.values.shape, dtype.numpy)))
        else:
            result = _emptied(self, c.shape, dtype)
        return result.requires_grad_() if requires_grad else result

    _does(name)(like)


_like("zeros_like")
_like("empty_like")


def _emptied(self: Any, shape: Any, dtype: Any = None) -> Any:
    """One without elements, of the same batches, blocks and dense dimensions."""
    c = self._array
    starts = numpy.zeros_like(c.compressed)
    inner = c.values.shape[c.compressed.ndim :]
    plain = numpy.zeros((*c.batch, 0), c.plain.dtype)
    x = numpy.zeros((*c.batch, 0, *inner), (dtype or self.dtype).numpy)
    return compressed(c.kind.layout, starts, plain, x, shape)


@_does("new_zeros", "new_empty")
def new_zeros(self: Any, *size: Any, dtype: Any = None, layout: Any = None, device: Any = None,
              pin_memory: bool = False, requires_grad: bool = False,
              **named: Any) -> Any:  # fmt: skip
    given = named.get("size", size)
    shape = tuple(given[0]) if len(given) == 1 and not hasattr(given[0], "__index__") else given
    if layout is devices.strided:
        return OPS.zeros(shape, dtype=dtype or self.dtype, requires_grad=requires_grad)
    return empty_compressed(shape, layout or self.layout, dtype or self.dtype, requires_grad)


@_does("zero_")
def zero_(self: Any) -> Any:
    return written_as(self, _emptied(self, self._array.shape), "zero_")


@_does("detach_")
def detach_(self: Any) -> Any:
    self._edge = None
    return self


@_does("copy_")
def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    if not (is_sparse(self) and is_sparse(src)) or self.layout is not src.layout:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different layouts is not "
            f"supported. self layout is {layout_name(self)} and src layout is {layout_name(src)}"
        )
    if self is src:
        return self
    if self._nnz() != src._nnz():
        raise RuntimeError(
            "torch.copy_: only sparse compressed tensors with the same number of specified "
            "elements are supported."
        )
    if self.shape != src.shape or self._array.block != src._array.block:
        raise NotImplementedError("torch.Tensor.copy_ of a compressed tensor of another shape")
    return written_as(self, clone(src.detach().to(self.dtype)), "copy_", src)


# ---- element by element


def _declare(name: str) -> None:
    def function(self: Any, **options: Any) -> Any:
        return _on_values(self, getattr(OPS, name)(values_of(self), **options))

    function.__name__ = name
    _does(name, row=name)(function)


def _on_values(self: Any, found: Any) -> Any:
    c = self._array
    return compressed(c.kind.layout, c.compressed.copy(), c.plain.copy(), found._array, c.shape)


def _declare_written(name: str) -> None:
    def function(self: Any, **options: Any) -> Any:
        x = tensor(self._array.values.copy())
        getattr(x, name + "_")(**options)
        return written_as(self, with_values(self, x._array), name, **options)

    function.__name__ = name + "_"
    _does(name + "_")(function)


for _name in (*WRITABLE, *FRESH, "neg", "angle"):
    _declare(_name)
for _name in (*WRITABLE, "neg"):
    _declare_written(_name)
for _name, _of in {**ALIASES, "negative": "neg"}.items():
    _does(_name)(lambda self, _of=_of: getattr(OPS, _of)(self))
    _does(_name + "_")(lambda self, _of=_of: getattr(self, _of + "_")())


@_does("conj_physical", "_conj_physical", row="_conj_physical")
def conj_physical(self: Any) -> Any:
    return _on_values(self, OPS.conj_physical(values_of(self)))


_does("conj")(lambda self: conj_physical(self) if self.dtype.is_complex else self)


@_does("conj_physical_")
def conj_physical_(self: Any) -> Any:
    x = numpy.conj(self._array.values)
    return written_as(self, with_values(self, x), "conj_physical_")


@_does("resize_")
def resize_(self: Any, *size: Any, memory_format: Any = None, **named: Any) -> Any:
    """More rows and columns without elements; fewer columns are refused, as in torch."""
    given = named.get("size", size)
    shape = tuple(given[0]) if len(given) == 1 and not hasattr(given[0], "__index__") else given
    c = self._array
    if c.kind.blocks or c.dense or len(shape) != 2 or c.batch:
        raise NotImplementedError("torch.Tensor.resize_ of compressed batches and blocks")
    lines, across = (0, 1) if c.kind.by_rows else (1, 0)
    if c.kind.by_rows and shape[1] < c.shape[1]:
        raise RuntimeError(
            "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not "
            f"supported. The original number of columns is {c.shape[1]} while the requested new "
            f"number of columns is {shape[1]}."
        )
    more = shape[lines] - c.shape[lines]
    if more < 0 or shape[across] < c.shape[across]:
        raise NotImplementedError("torch.Tensor.resize_ of compressed tensors to smaller ones")
    ends = numpy.full(more, c.plain.shape[-1], c.compressed.dtype)
    starts = numpy.concatenate([c.compressed, ends])
    return written_as(self, compressed(c.kind.layout, starts, c.plain, c.values, shape))


@_does("resize_as_sparse_")
def resize_as_sparse_(self: Any, other: Any) -> Any:
    if self.layout is not other.layout or self.shape != other.shape or not _alike(self, other):
        raise NotImplementedError("torch.Tensor.resize_as_sparse_ of compressed tensors")
    return self


@_does("fill_")
def fill_(self: Any, value: Any) -> Any:
    """Fills the elements that there are, as torch does."""
    x = values_of(self).clone().fill_(value)
    return written_as(self, with_values(self, x._array), "fill__Scalar", value)


@_does("threshold_backward", row="threshold_backward")
def threshold_backward(grad_output: Any, self: Any, threshold: Any) -> Any:
    if not (is_sparse(grad_output) and is_sparse(self)) or not _alike(grad_output, self):
        raise NotImplementedError(
            "the gradient of torch.relu of compressed tensors of other places"
        )
    x = OPS.threshold_backward(values_of(grad_output), values_of(self), threshold)
    return _on_values(self, x)


def _alike(a: Any, b: Any) -> bool:
    """Whether two tensors have their elements at the same places."""
    x, y = a._array, b._array
    return (
        type(x) is type(y)
        and x.kind is y.kind
        and numpy.array_equal(x.compressed, y.compressed)
        and numpy.array_equal(x.plain, y.plain)
    )


# ---- products with numbers and with each other


def _number(other: Any) -> bool:
    return not is_tensor(other) or (not is_sparse(other) and not other.dim())


def _check_mul(self: Any, other: Any) -> None:
    """RuntimeError unless torch.mul takes these layouts."""
    if _number(other):
        return
    if not is_sparse(self) or self.layout is devices.sparse_coo:
        if self.layout is devices.strided and other.layout is devices.sparse_csr:
            return
        raise RuntimeError("Expected result Tensor to be of format CSR")
    if self._array.kind.blocks:
        raise RuntimeError(
            "empty_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{self._kind}"
        )
    if self.layout is not devices.sparse_csr:
        raise RuntimeError("Expected result Tensor to be of format CSR")


def _product(self: Any, other: Any) -> Any:
    if _number(self) and not is_sparse(self):
        self, other = other, self
    if _number(other):
        given = other.detach() if is_tensor(other) else other
        return _on_values(self, OPS.mul(values_of(self), given))
    _check_mul(self, other)
    if not is_sparse(self):
        self, other = other, self
    if not is_sparse(other):
        kind = promote_types(self.dtype, other.dtype)
        masked = other.detach().sparse_mask(self.detach())
        x = values_of(self).to(kind) * values_of(masked).to(kind)
        return _on_values(self, x)
    if self.dim() != 2 or other.dim() != 2:
        sparse_dims = "for input tensors with sparse_dim()!=2 is not supported"
        if self.dim() == other.dim() and self._array.batch:
            raise RuntimeError(
                f"coo_to_sparse_csr: conversion from Sparse to SparseCsr {sparse_dims}"
            )
        raise NotImplementedError("torch.mul of compressed tensors with dense dimensions")
    first = coordinates_of(self.detach())
    second = other.detach() if type(other._array) is Coordinates else coordinates_of(other.detach())
    return OPS.mul(first, second).coalesce().to_sparse_csr()


mul = _does("mul", "multiply", row="mul_Tensor")(_product)


@_does("mul_", "multiply_")
def mul_(self: Any, other: Any) -> Any:
    if not is_sparse(self):
        raise RuntimeError("Expected result Tensor to be of format CSR")
    result = _product(self.detach(), other.detach() if is_tensor(other) else other)
    if not can_cast(result.dtype, self.dtype):
        kind = "Double" if isinstance(other, float) else result.dtype.scalar_name
        raise RuntimeError(
            f"result type {kind} can't be cast to the desired output type {self.dtype.scalar_name}"
        )
    return written_as(self, result.to(self.dtype), "mul_Tensor", other)


# ---- sums


def _sum(self: Any, other: Any, alpha: Any) -> Any:
    if not is_tensor(other) or not is_tensor(self):
        self = self if is_tensor(self) else other
        _check_no_blocks(self._array)
        raise _sizes_differ((), self.shape)
    if not is_sparse(self) or not is_sparse(other):
        return _sum_with_dense(self, other, alpha)
    if type(other._array) is Coordinates or type(self._array) is Coordinates:
        if type(self._array) is Coordinates:
            raise RuntimeError("memory format option is only supported by strided tensors")
        raise RuntimeError(
            "at::sparse_csr::is_sparse_compressed(other) INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/SparseCsrTensorUtils.h":371, please report a bug '
            "to PyTorch. "
        )
    if self.shape != other.shape:
        raise RuntimeError(
            f"torch.add: Expected input tensors to have the same shape, but got tensor `self` with "
            f"shape {list(self.shape)} and tensor `other` with shape {list(other.shape)}"
        )
    if self.layout is not other.layout:
        if self._array.kind.by_rows and other._array.kind.by_rows:
            raise RuntimeError(
                "MKL error: SPARSE_STATUS_NOT_SUPPORTED when calling "
                "`mkl_sparse_s_add(operation, A, alpha, B, C)`"
            )
        wrong = self if other._array.kind.by_rows else other
        raise RuntimeError(
            "crow_indices expected sparse row compressed tensor layout but got "
            f"{layout_name(wrong)}"
        )
    return _sum_of_both(self, other, alpha)


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


def _check_summed(self: Any) -> None:
    """NotImplementedError unless torch has sums of this dtype."""
    if self.dtype.scalar_name not in ("Float", "Double", "ComplexFloat", "ComplexDouble"):
        raise NotImplementedError(
            f"\"add_out_sparse_csr_impl_mkl\" not implemented for '{self.dtype.scalar_name}'"
        )


def _sum_of_both(self: Any, other: Any, alpha: Any) -> Any:
    a, b = self._array, other._array
    if self.dtype is not other.dtype:
        kind = promote_types(self.dtype, other.dtype)
        found = other if self.dtype is kind else self
        raise RuntimeError(
            f"expected scalar type {kind.scalar_name} but found {found.dtype.scalar_name}"
        )
    _check_summed(self)
    scaled = b.values if alpha == 1 else b.values * b.values.dtype.type(alpha)
    if _alike(self, other):
        return _on_values(self, tensor(a.values + scaled))
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
        raise self._lacks("is_contiguous")
    given = [x.detach() if is_tensor(x) else x for x in (self, other)]
    _check_summed(self)
    return written_as(self, _sum(*given, alpha).to(self.dtype), "add_Tensor", other, alpha=alpha)


@_does("sum")
def sum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return _sum_all(self, dtype=dtype)
    if self.layout is not devices.sparse_csr:
        raise RuntimeError(
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but "
            f"got layout {self._kind}"
        )
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    if self.dim() != 2:
        raise RuntimeError(
            "input_dim == 2 INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp":1320, '
            "please report a bug to PyTorch. "
        )
    return _sum_dims(self, dims_of(dim, 2), True, dtype=dtype)


_sum_all = recorded("sum", lambda self, *, dtype=None: OPS.sum(values_of(self), dtype=dtype))


def _sum_along(self: Any, dim: Any, keepdim: bool = True, *, dtype: Any = None) -> Any:
    """The sums of rows, columns, or both, of those that have elements."""
    c = self._array
    found = elements(c)
    x = OPS.sum(tensor(c.values[:, None]), 1, dtype=dtype)._array
    along = [numpy.zeros_like(each) if i in dim else each for i, each in enumerate(found[1:3])]
    keys, at = numpy.unique(numpy.stack(along), axis=1, return_inverse=True)
    total = numpy.zeros((keys.shape[1], 1, 1), x.dtype)
    numpy.add.at(total, at.reshape(-1), x.reshape(-1, 1, 1))
    shape = tuple([1 if i in dim else n for i, n in enumerate(c.shape)])
    batch = numpy.zeros(keys.shape[1], numpy.int64)
    return in_layout(c.kind.layout, Elements(batch, *keys, total), (), shape)


_sum_dims = recorded("sum_dim_IntList", _sum_along)


# ---- shapes


@_does("t", row="t", view=True)
def t(self: Any) -> Any:
    if self.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.dim()}D")
    return transposed(self)


@_does("transpose", row="transpose_int", view=True)
def transpose(self: Any, dim0: int, dim1: int) -> Any:
    c = self._array
    first, second = (dims_of(dim, len(c.shape))[0] for dim in (dim0, dim1))
    if first == second:
        return compressed(c.kind.layout, c.compressed, c.plain, c.values, c.shape)
    rank = len(c.batch)
    kinds = [
        "Batch" if i < rank else "Sparse" if i < rank + 2 else "Dense" for i in (first, second)
    ]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), "
            f"got {first}({kinds[0]}) and {second}({kinds[1]})"
        )
    if kinds[0] != "Sparse":
        raise NotImplementedError("torch.transpose of batch or dense dimensions of compressed ones")
    return transposed(self)


@_does("select", row="select_int", view=True)
def select(self: Any, dim: int, index: int) -> Any:
    c = self._array
    dim = dims_of(dim, len(c.shape))[0]
    n = c.shape[dim]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(c.shape)} at dimension "
            f"{dim}"
        )
    if dim < len(c.batch):
        where = (slice(None),) * dim + (index,)
        shape = c.shape[:dim] + c.shape[dim + 1 :]
        parts = (c.compressed[where], c.plain[where], c.values[where])
        return compressed(c.kind.layout, *parts, shape)
    if dim >= len(c.batch) + 2:
        raise NotImplementedError("torch.select of dense dimensions of a compressed tensor")
    if c.batch:
        raise RuntimeError(
            "select(): selecting sparse dimensions is not supported for batched sparse compressed "
            "tensors."
        )
    if c.kind.blocks and (dim == 0 or c.kind.by_rows):
        raise RuntimeError(
            "select(): no view exists for the given input, consider using torch.select_copy."
        )
    return select_of_coordinates(coordinates_of(self.detach()), dim, index)


@_does("unbind")
def unbind(self: Any, dim: int = 0) -> Any:
    dim = dims_of(dim, self.dim())[0]
    return tuple([self.select(dim, i) for i in range(self.shape[dim])])


@_does("__getitem__")
def __getitem__(self: Any, index: Any) -> Any:
    result, dim = self, 0
    for number, each in enumerate(index if isinstance(index, tuple) else (index,)):
        if each is Ellipsis:
            after = [x for x in index[number + 1 :] if x is not None]
            dim = result.dim() - len(after)
        elif isinstance(each, slice):
            if each != slice(None):
                raise (
                    result._lacks("strides")
                    if not result.is_sparse
                    else could_not_run("as_strided", result)
                )
            dim += 1
        elif hasattr(each, "__index__") and not is_tensor(each) and type(each) is not bool:
            result = result.select(dim, int(each))
        elif each is None:
            raise (
                result._lacks("strides")
                if not result.is_sparse
                else could_not_run("as_strided", result)
            )
        else:
            raise NotImplementedError("torch.Tensor.__getitem__ of a compressed tensor by tensors")
    return result
