"""Operators of compressed tensors: on their values if places stay, and operators torch refuses.

As ATen/native/sparse/SparseCsrTensor.cpp and SparseCsrTensorMath.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import (
    KINDS,
    Elements,
    compressed,
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
    into,
    is_sparse,
    is_tensor,
    recorded,
    written_as,
)
from minitorch.aten.sparse.elementwise import ALIASES, FRESH, WRITABLE
from minitorch.aten.sparse.layouts import layout_name
from minitorch.aten.sparse.parts import cast_back, size
from minitorch.aten.sparse.reduction import dims_of
from minitorch.aten.sparse.shapes import select as select_of_coordinates
from minitorch.aten.sparse.tensor import values_of
from minitorch.core.arrays.layout import broadcast
from minitorch.core.arrays.positions import bounds_error
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import recording
from minitorch.core.declare.out import check_castable
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import wrap_dim


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


@_does("real")
def real(self: Any) -> Any:
    if self.dtype.is_complex:
        raise could_not_run("view_as_real", self)
    return self


for _rank in (1, 2):
    _does(f"atleast_{_rank}d")(lambda *given: given[0] if len(given) == 1 else given)


@_does("broadcast_tensors")
def broadcast_tensors(*tensors: Any) -> Any:
    given = tensors[0] if isinstance(tensors[0], (list, tuple)) else tensors
    if {broadcast(*[tuple(each.shape) for each in given])} != {tuple(x.shape) for x in given}:
        raise RuntimeError(f"expand is unsupported for {layout_name(given[0])} tensors")
    return tuple(given)


def _of_coordinates_alone(name: str) -> None:
    def refuse(self: Any, *args: Any) -> Any:
        raise RuntimeError(
            f"{name} expected sparse coordinate tensor layout but got {layout_name(self)}"
        )

    _does(name)(refuse)


for _name in ("coalesce", "indices", "is_coalesced"):
    _of_coordinates_alone(_name)


_does("size")(size)


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


def _filled_like(name: str, fixed: Any = None) -> None:
    def like(self: Any, fill_value: Any = fixed, **options: Any) -> Any:
        wanted = options.pop("requires_grad", False)
        result = OPS.empty_like(self.detach(), **options)
        if is_sparse(result):
            values = OPS.full_like(values_of(result), fill_value)
            result = with_values(result, values._array)
        else:
            result.fill_(fill_value)
        return result.requires_grad_() if wanted else result

    _does(name)(like)


_filled_like("ones_like", 1)
_filled_like("full_like")


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


@_does("new_ones", "new_full")
def new_full(self: Any, *size: Any, layout: Any = None, **options: Any) -> Any:
    """Raises an error: torch leaves the indices of the tensor that it fills unwritten."""
    given = options.get("size", size)
    shape = tuple(given[0]) if not hasattr(given[0], "__index__") else given
    if layout is devices.strided:
        raise NotImplementedError("torch.Tensor.new_full of a compressed tensor in another layout")
    empty_compressed(shape, layout or self.layout, self.dtype, False)
    raise could_not_run("fill_.Scalar", self)


@_does("zero_")
def zero_(self: Any) -> Any:
    return written_as(self, _emptied(self, self._array.shape), "zero_")


@_does("detach_")
def detach_(self: Any) -> Any:
    self._edge = None
    return self


@_does("copy_")
def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    if not is_sparse(self):
        raise RuntimeError(
            "copy_sparse_compressed_ expected sparse compressed tensor layout but got Strided"
        )
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
    if self._array.block != src._array.block:
        raise RuntimeError(
            "torch.copy_: copy of sparse compressed tensors having different block sizes is not "
            f"supported. self and src block sizes are {list(self._array.block)} and "
            f"{list(src._array.block)}, respectively."
        )
    if self.shape != src.shape:
        raise NotImplementedError("torch.Tensor.copy_ of a compressed tensor of another shape")
    return written_as(self, clone(src.detach().to(self.dtype)), "copy_", src)


# ---- element by element


def _check_round(self: Any, name: str, options: Any) -> None:
    """RuntimeError for what torch does not round: to decimals, and in place but for CSR."""
    if options:
        raise RuntimeError(f"unsupported tensor layout: {layout_name(self)}")
    if name == "round_" and self.layout is not devices.sparse_csr:
        raise RuntimeError(
            "self.is_sparse_csr() INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp":489, '
            "please report a bug to PyTorch. "
        )


def _declare(name: str) -> None:
    def function(self: Any, **options: Any) -> Any:
        if name == "round":
            _check_round(self, name, options)
        return on_values(self, getattr(OPS, name)(values_of(self), **options))

    function.__name__ = name
    _does(name, row=name)(function)


def on_values(self: Any, found: Any) -> Any:
    c = self._array
    return compressed(c.kind.layout, c.compressed.copy(), c.plain.copy(), found._array, c.shape)


def _declare_written(name: str) -> None:
    def function(self: Any, **options: Any) -> Any:
        if name == "round":
            _check_round(self, name + "_", options)
        x = tensor(self._array.values.copy())
        getattr(x, name + "_")(**options)
        return written_as(self, with_values(self, x._array), name, **options)

    function.__name__ = name + "_"
    _does(name + "_")(function)


def _declare_out(name: str) -> None:
    def write(out: Any, self: Any) -> Any:
        for line, (which, each) in enumerate({"self": self, "result": out}.items(), 170):
            if each.layout is not devices.sparse_csr:
                raise RuntimeError(
                    f"{which}.is_sparse_csr() INTERNAL ASSERT FAILED at "
                    '"/__w/pytorch/pytorch/aten/src/ATen/native/sparse/SparseCsrTensorMath.cpp":'
                    f"{line}, please report a bug to PyTorch. "
                )
        result = getattr(OPS, name)(self.detach())
        check_castable("", result.dtype, out.dtype)
        return into(out, result)

    _does(f"{name}.out")(write)


for _name in (*WRITABLE, *FRESH, "neg", "angle"):
    _declare(_name)
    _declare_out(_name)
for _name in (*WRITABLE, "neg"):
    _declare_written(_name)
for _name, _of in {**ALIASES, "negative": "neg"}.items():
    _does(_name)(lambda self, _of=_of: getattr(OPS, _of)(self))
    _does(_name + "_")(lambda self, _of=_of: getattr(self, _of + "_")())


@_does("_conj_physical", row="_conj_physical")
def _conj_physical(self: Any) -> Any:
    return on_values(self, OPS.conj_physical(values_of(self)))


_does("conj", "conj_physical")(lambda self: _conj_physical(self) if self.dtype.is_complex else self)


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
    if self.requires_grad and recording():
        raise RuntimeError("cannot resize variables that require grad")
    lines, across = (0, 1) if c.kind.by_rows else (1, 0)
    if len(shape) == 2 and not c.dense and shape[1] < c.shape[-1]:
        raise RuntimeError(
            "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not "
            f"supported. The original number of columns is {c.shape[-1]} while the requested new "
            f"number of columns is {shape[1]}."
        )
    if c.kind.blocks:
        wrap_dim(len(shape), len(shape))  # where torch looks for the sizes of the blocks
    if c.dense or len(shape) != 2 or c.batch:
        raise NotImplementedError("torch.Tensor.resize_ of compressed batches and blocks")
    more = shape[lines] - c.shape[lines]
    if more < 0 or shape[across] < c.shape[across]:
        raise NotImplementedError("torch.Tensor.resize_ of compressed tensors to smaller ones")
    ends = numpy.full(more, c.plain.shape[-1], c.compressed.dtype)
    starts = numpy.concatenate([c.compressed, ends])
    return written_as(self, compressed(c.kind.layout, starts, c.plain, c.values, shape))


@_does("resize_as_sparse_")
def resize_as_sparse_(self: Any, other: Any) -> Any:
    if (
        self.layout is not other.layout
        or self.shape != other.shape
        or not alike_places(self, other)
    ):
        raise NotImplementedError("torch.Tensor.resize_as_sparse_ of compressed tensors")
    return written_as(self, self.detach())


@_does("normal_")
def normal_(self: Any, mean: Any = 0, std: Any = 1, *, generator: Any = None) -> Any:
    """Draws the elements that there are."""
    x = values_of(self).clone().normal_(mean, std, generator=generator)
    return written_as(self, with_values(self, x._array), "normal_", mean, std)


@_does("fill_")
def fill_(self: Any, value: Any) -> Any:
    """Fills the elements that there are, as torch does."""
    x = values_of(self).clone().fill_(value)
    return written_as(self, with_values(self, x._array), "fill__Scalar", value)


@_does("threshold_backward", row="threshold_backward")
def threshold_backward(grad_output: Any, self: Any, threshold: Any) -> Any:
    if not (is_sparse(grad_output) and is_sparse(self)) or not alike_places(grad_output, self):
        raise NotImplementedError(
            "the gradient of torch.relu of compressed tensors of other places"
        )
    x = OPS.threshold_backward(values_of(grad_output), values_of(self), threshold)
    return on_values(self, x)


def alike_places(a: Any, b: Any) -> bool:
    """Whether two tensors have their elements at the same places."""
    x, y = a._array, b._array
    return (
        type(x) is type(y)
        and x.kind is y.kind
        and numpy.array_equal(x.compressed, y.compressed)
        and numpy.array_equal(x.plain, y.plain)
    )


# ---- sums of elements


@_does("sum")
def sum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None:
        return _sum_all(self, dtype=dtype)
    if self.layout is not devices.sparse_csr:
        raise RuntimeError(
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but "
            f"got layout {self._kind}"
        )
    if self.dtype is dtypes.bool:
        raise NotImplementedError("\"_sparse_csr_sum_cpu\" not implemented for 'Bool'")
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
    """The sums of rows, columns, or both, for rows and columns that have elements."""
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


@_does("sum_to_size")
def sum_to_size(self: Any, *size: Any) -> Any:
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
    lead = self.dim() - len(shape)
    if lead < 0 or any(n not in (1, self.shape[lead + i]) for i, n in enumerate(shape)):
        raise RuntimeError(
            f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}."
        )
    dims = [i for i, n in enumerate(self.shape) if i < lead or shape[i - lead] != n]
    total = sum(self, dims, keepdim=True) if dims else self
    if lead:
        raise could_not_run("view", total)
    return total


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
    if c.dense:
        raise RuntimeError(
            "transpose(): hybrid sparse compressed tensors with dense dimensions are not supported"
        )
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
        axis = dim - 1 + (2 if c.kind.blocks else 0)  # of the values, which have one for places
        values = c.values[(slice(None),) * axis + (index,)]
        shape = c.shape[:dim] + c.shape[dim + 1 :]
        return compressed(c.kind.layout, c.compressed, c.plain, values, shape)
    if c.batch:
        raise RuntimeError(
            "select(): selecting sparse dimensions is not supported for batched sparse compressed "
            "tensors."
        )
    if not _is_view(c, dim, index % n):
        raise RuntimeError(
            "select(): no view exists for the given input, consider using torch.select_copy."
        )
    return select_of_coordinates(coordinates_of(self.detach()), dim, index)


def _is_view(c: Any, dim: int, index: int) -> bool:
    """Whether the values of a row or column lie at equal distances."""
    place = index // c.block[dim]
    if (dim == 0) is c.kind.by_rows:
        found = numpy.arange(c.compressed[place], c.compressed[place + 1])
    else:
        found = (c.plain == place).nonzero()[0]
    steps = numpy.diff(found)
    if (steps != steps[:1]).any():
        return False
    height, width = c.block
    across = c.block[1 - dim]
    if across == 1 or not len(steps):
        return True
    return int(steps[0]) * height * width == across * (1 if dim == 0 else width)


@_does("unbind", row="unbind_int", view=True)
def unbind(self: Any, dim: int = 0) -> Any:
    dim = dims_of(dim, self.dim())[0]
    return tuple([select(self.detach(), dim, i) for i in range(self.shape[dim])])


@_does("__getitem__")
def __getitem__(self: Any, index: Any) -> Any:
    result, dim = self, 0
    given = index if isinstance(index, tuple) else (index,)
    if len([x for x in given if x is not None and x is not Ellipsis]) > self.dim():
        raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
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
            at, n = int(each), result.shape[dim] if dim < result.dim() else 0
            if dim < result.dim() and not -n <= at < n:
                raise bounds_error(at, dim, n)
            result = result.select(dim, at)
        elif not result.is_sparse:
            raise result._lacks("strides")
        elif each is None:
            result, dim = result.unsqueeze(dim), dim + 1
        else:
            raise could_not_run("index.Tensor", result)
    return result
