"""SparseTensor, whose `_array` is a Coordinates.

Every operator that is given one comes to `SparseTensor.__torch_function__`, which looks the
operator up among those that are here, and refuses the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy

from minitorch.core.arrays import NAMESPACES
from minitorch.core.graph.formulas import OPS
from minitorch.core.graph.modes import recording, watch
from minitorch.core.graph.views import check_writable, requires_grad, written
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.promotion import can_cast, promote_types
from minitorch.core.numbers.size import size_of
from minitorch.core.tensor import printing
from minitorch.core.tensor.base import STRIDED, TensorBase, tensor, version_of
from minitorch.core.tensor.tensor import Tensor


class Coordinates:
    """Where the elements are, (sparse dimensions, n), and their values, (n, *dense dimensions).

    coalesced: whether they are in order, each place once.
    """

    __slots__ = ("__weakref__", "coalesced", "indices", "shape", "values")
    flags = SimpleNamespace(c_contiguous=False)

    def __init__(self, indices: Any, values: Any, shape: Any, coalesced: bool = False) -> None:
        self.indices, self.values, self.shape = indices, values, tuple(shape)
        self.coalesced = coalesced or len(values) < 2

    dtype = property(lambda self: self.values.dtype)
    itemsize = property(lambda self: self.values.itemsize)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))

    def positions(self) -> Any:
        """Where each element is, as one number."""
        sizes = self.shape[: len(self.indices)]
        steps = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
        return (self.indices * numpy.array(steps, numpy.int64)[:, None]).sum(0)

    def added_to(self, x: Any, alpha: Any = 1) -> None:
        """Adds alpha times the values to the array `x`, in their order."""
        values = self.values if alpha == 1 else self.values * x.dtype.type(alpha)
        if self.coalesced:
            x[tuple(self.indices)] += values if len(self.indices) else values.sum(0)
        else:
            numpy.add.at(x, tuple(self.indices), values.astype(x.dtype, copy=False))


class _Namespace:
    """What stands where others have NumPy: arrays of this kind are for nobody else."""

    device_type, device_index = "cpu", None

    def __getattr__(self, name: str) -> NoReturn:
        raise NotImplementedError("what this asks of sparse tensors")


NAMESPACES[Coordinates] = _Namespace()


def made(indices: Any, values: Any, shape: Any, coalesced: bool = False) -> Any:
    """A SparseTensor; it shares the memory of both arrays."""
    self = tensor(numpy.empty(0))
    watch(+1)
    self.__class__ = SparseTensor
    self._array, self._view = Coordinates(indices, values, shape, coalesced), STRIDED
    return self


def alike(self: Any, values: Any) -> Any:
    """A SparseTensor with other values at the same places."""
    c = self._array
    return made(c.indices, values, c.shape, c.coalesced)


def refuse_history(name: str, *tensors: Any) -> None:
    """NotImplementedError if autograd would have to record what the function does."""
    if recording() and any(isinstance(t, TensorBase) and requires_grad(t) for t in tensors):
        raise NotImplementedError(f"the gradient of {name} with sparse tensors")


# What is done with sparse tensors, by the names of torch's operators.
TABLE: dict[str, Callable[..., Any]] = {}


def does(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Puts a function into the table, and those of torch's methods that have its name."""

    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        TABLE.update(dict.fromkeys(names, function))
        return function

    return put


class SparseTensor(Tensor, watched=False):
    """A tensor of layout torch.sparse_coo. Calls are watched while there is one."""

    __slots__ = ()

    def __del__(self) -> None:
        watch(-1)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.__name__
        if name not in TABLE:
            raise NotImplementedError(f"torch.{name} of sparse tensors")
        refuse_history(f"torch.{name}", *args)
        named = {key: value for key, value in (kwargs or {}).items() if value is not None}
        if "out" in named:
            raise NotImplementedError(f"torch.{name} of sparse tensors with out=")
        return TABLE[name](*args, **named)

    is_sparse = property(lambda self: True)
    layout = property(lambda self: devices.sparse_coo)
    data = property(lambda self: _shared(self))

    @property
    def nbytes(self) -> int:
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent "
            "tensors, add the nbytes of the indices and values.  If you want the size of the  "
            "equivalent dense tensor, multiply numel() by element_size()"
        )

    def stride(self, dim: int | None = None) -> Any:
        return (0,) * self.dim() if dim is None else 0

    def storage_offset(self) -> int:
        return 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return False

    def data_ptr(self) -> int:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def tolist(self) -> Any:
        return self.data_ptr()

    def untyped_storage(self) -> Any:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")

    storage = untyped_storage

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self.numpy()
        raise AssertionError

    def item(self) -> Any:
        if self.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar"
            )
        return to_dense(self).item()

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    def __len__(self) -> int:
        return int(self.shape[0])

    def detach(self) -> Any:
        result = _shared(self)
        result._cell = version_of(self)
        return result

    def new(self, *args: Any) -> Any:
        """An empty one, one of a size, or one of indices, values and a size; of the same dtype."""
        if args and isinstance(args[0], TensorBase):
            indices, values, *size = args
            from minitorch.aten.sparse_gradients import sparse_coo_tensor

            return sparse_coo_tensor(indices, values, *size, check_invariants=False)
        if args and not isinstance(args[0], int):
            raise TypeError(
                "SparseTensor.new(sequence) only accepts sizes.  Please use "
                "torch.sparse_coo_tensor() or construct a strided tensor and convert it to sparse "
                "via to_sparse."
            )
        shape = args or (0,)
        return made(numpy.empty((len(shape), 0), int), numpy.empty(0, self._array.dtype), shape)

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        c = self._array
        text = f"indices={_text(c.indices, 8)},\n       values={_text(c.values, 7)}"
        suffixes = [f"size={c.shape}", f"nnz={len(c.values)}"]
        if not printing._goes_without_saying(self.dtype, False):
            suffixes.append(f"dtype={self.dtype}")
        suffixes += [f"layout={self.layout}", *printing._history(self)]
        contents = text if tensor_contents is None else tensor_contents
        return printing._joined(f"tensor({contents}", suffixes, 7, newline=True) + ")"

    def __deepcopy__(self, memo: Any) -> Any:
        result = memo[id(self)] = clone(self)
        result._edge = self._edge
        return result

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise NotImplementedError("pickling a tensor of layout torch.sparse_coo")


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"
SparseTensor.__module__ = "torch"


def _text(x: Any, indent: int) -> str:
    """The text of a part: indent is that of the tensor and of the part's own name."""
    if not x.size:
        return f"tensor([], size={x.shape})"
    return f"tensor({printing._contents(x, 7 + indent + 7)})"


def _shared(self: Any) -> Any:
    return alike(self, self._array.values)


# ---- what it is made of


@does("_nnz")
def _nnz(self: Any) -> int:
    return len(self._array.values)


@does("sparse_dim")
def sparse_dim(self: Any) -> int:
    return len(self._array.indices)


@does("dense_dim")
def dense_dim(self: Any) -> int:
    return self._array.values.ndim - 1


@does("_indices")
def _indices(self: Any) -> Any:
    return tensor(self._array.indices)


@does("_values")
def _values(self: Any) -> Any:
    return tensor(self._array.values)


@does("is_coalesced")
def is_coalesced(self: Any) -> bool:
    return self._array.coalesced


def _of_coalesced(name: str) -> None:
    def part(self: Any) -> Any:
        if not self._array.coalesced:
            raise RuntimeError(
                f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first"
            )
        part = TABLE[f"_{name}"](self)
        return part if name == "indices" else part.view(part.shape)

    TABLE[name] = part


_of_coalesced("indices")
_of_coalesced("values")


@does("coalesce")
def coalesce(self: Any) -> Any:
    """The same with the places in order, each once."""
    c = self._array
    if c.coalesced:
        return self
    positions = c.positions()
    order = positions.argsort(kind="stable")
    ordered = positions[order]
    first = numpy.concatenate([[True], ordered[1:] != ordered[:-1]])
    values = c.values[order[first]]
    more = order[~first]
    numpy.add.at(values, (first.cumsum() - 1)[~first], c.values[more])
    indices = numpy.empty_like(c.indices)[:, : len(values)]  # in memory for all of them, as there
    indices[...] = c.indices[:, order[first]]
    return made(indices, values, c.shape, coalesced=True)


@does("to_dense")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")
    c = self._array
    out = numpy.zeros(c.shape, c.dtype)
    c.added_to(out)
    return tensor(out)


@does("to_sparse", "to_sparse_coo")
def to_sparse(self: Any, sparse_dim: int | None = None, *, layout: Any = None) -> Any:
    if sparse_dim not in (None, len(self._array.indices)):
        raise RuntimeError(
            "to_sparse: conversion from Sparse to Sparse with sparse_dim argument "
            "!=self.sparse_dim() is not supported"
        )
    return self


@does("sparse_mask")
def sparse_mask(self: Any, mask: Any) -> Any:
    from minitorch.aten.sparse_gradients import masked

    if isinstance(self, SparseTensor):
        raise NotImplementedError("torch.sparse_mask of sparse tensors")
    return masked(self, mask)


# ---- copies


@does("clone")
def clone(self: Any, *, memory_format: Any = None) -> Any:
    c = self._array
    return made(c.indices.copy(), c.values.copy(), c.shape, c.coalesced)


@does("zeros_like", "empty_like")
def zeros_like(self: Any, *, memory_format: Any = None) -> Any:
    c = self._array
    nowhere = numpy.empty((len(c.indices), 0), numpy.int64)
    return made(nowhere, numpy.empty((0, *c.values.shape[1:]), c.dtype), c.shape)


def _become(self: Any, other: Any) -> Any:
    """`self` after a write that leaves it as `other`."""
    check_writable(self, requires_grad(self))
    self._array = other._array
    written(self, None)
    return self


@does("zero_")
def zero_(self: Any) -> Any:
    return _become(self, zeros_like(self))


@does("copy_")
def copy_(self: Any, other: Any, non_blocking: bool = False) -> Any:
    kinds = [f"torch.{'sparse.' * t.is_sparse}{t.dtype.scalar_name}Tensor" for t in (self, other)]
    if self.is_sparse != other.is_sparse:
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{kinds[0]} and src type = {kinds[1]}"
        )
    return _become(self, clone(other.to(self.dtype)))


# ---- arithmetic


@does("add")
def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return _sum(self, other, alpha)


@does("sub", "subtract")
def sub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return _sum(self, other, -alpha)


@does("add_")
def add_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """self += alpha * other, where a dense `self` is written at the places of `other` alone."""
    if isinstance(self, SparseTensor):
        return _become(self, _sum(self, other, alpha, self.dtype))
    _check_sum(self, other)
    check_writable(self, requires_grad(self))
    refuse_history("torch.Tensor.add_", self)
    _check_cast(promote_types(self.dtype, other.dtype), self.dtype)
    other._array.added_to(self._array, alpha)
    written(self, None)
    return self


@does("sub_", "subtract_")
def sub_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return add_(self, other, alpha=-alpha)


def _check_cast(kind: Any, into: Any) -> None:
    if not can_cast(kind, into):
        raise RuntimeError(
            f"Can't convert result type {kind.scalar_name} to output {into.scalar_name} in add "
            "operation"
        )


def _check_sum(self: Any, other: Any) -> None:
    sparse = [isinstance(t, SparseTensor) for t in (self, other)]
    if not sparse[1]:
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    shapes = [list(getattr(t, "shape", ())) for t in (self, other)]
    if shapes[0] == shapes[1]:
        return
    if not sparse[0]:
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {shapes[0]} "
            f"while other has size {shapes[1]} (FYI: dense-sparse addition does not currently "
            "support broadcasting)"
        )
    raise RuntimeError(
        f"add: expected sizes of 'self' and 'other' to match, but {shapes[0]} != {shapes[1]}"
    )


def _sum(self: Any, other: Any, alpha: Any, into: Any = None) -> Any:
    """self + alpha * other. As ATen/native/sparse/SparseTensorMath.cpp."""
    _check_sum(self, other)
    kind = promote_types(self.dtype, other.dtype)
    if not isinstance(self, SparseTensor):
        out = self.detach().clone().to(kind)
        other._array.added_to(out._array, alpha)
        return out
    _check_cast(kind, into or kind)
    a, b = self._array, other._array
    dtype = (into or kind).numpy
    if not len(b.values):
        return clone(self).to(into or kind)
    if not len(a.values):
        return OPS.mul(other, alpha).to(into or kind)
    if len(a.indices) != len(b.indices):
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same density, but 'self' has "
            f"{len(a.indices)} sparse dimensions while 'other' has {len(b.indices)} sparse "
            "dimensions"
        )
    first = a.values.astype(kind.numpy, copy=False)
    second = b.values.astype(kind.numpy, copy=False)
    second = second if alpha == 1 else second * second.dtype.type(alpha)
    if not (a.values.flags.c_contiguous and b.values.flags.c_contiguous):
        indices = numpy.concatenate([a.indices, b.indices], 1)
        both = made(indices, numpy.concatenate([first, second]).astype(dtype), a.shape)
        return coalesce(both) if len(first) + len(second) > a.size else both
    places = [], []
    _merge(a.positions().tolist(), b.positions().tolist(), *places)
    count = max(places[0][-1], places[1][-1]) + 1
    most = len(first) + len(second)
    indices = numpy.empty((len(a.indices), most), numpy.int64)[:, :count]
    values = numpy.zeros((count, *first.shape[1:]), kind.numpy)
    for where, c, part in zip(places, (a, b), (first, second), strict=True):
        indices[:, where] = c.indices
        values[where] += part
    return made(indices, values.astype(dtype, copy=False), a.shape, a.coalesced and b.coalesced)


def _merge(first: list[int], second: list[int], into: list[int], other: list[int]) -> None:
    """Where the elements of two lists come to lie when both are walked together; equal ones meet.
    Lists in order become one in order."""
    i = j = n = 0
    while i < len(first) or j < len(second):
        ahead = j == len(second) or (i < len(first) and first[i] < second[j])
        behind = i == len(first) or (j < len(second) and first[i] > second[j])
        if not behind:
            into.append(n)
            i += 1
        if not ahead:
            other.append(n)
            j += 1
        n += 1


@does("mul", "multiply")
def mul(self: Any, other: Any) -> Any:
    """A product with a number, or with a dense tensor of the same shape."""
    if not isinstance(self, SparseTensor):
        self, other = other, self
    if isinstance(other, SparseTensor):
        raise NotImplementedError("torch.mul of two sparse tensors")
    values, c = _values(self), self._array
    if isinstance(other, TensorBase) and other.dim():
        other = tensor(OPS.broadcast_to(other, c.shape)._array[tuple(c.indices)])
    return alike(self, OPS.mul(values, other)._array)


@does("mul_", "multiply_")
def mul_(self: Any, other: Any) -> Any:
    if not isinstance(self, SparseTensor):
        raise NotImplementedError("torch.Tensor.mul_ by a sparse tensor")
    return _become(self, mul(self, other).to(self.dtype))


def _divisor(other: Any) -> Any:
    if isinstance(other, TensorBase) and (other.is_sparse or other.dim()):
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other.shape)} for divisor)"
        )
    return other


@does("div", "divide", "true_divide")
def div(self: Any, other: Any) -> Any:
    return alike(self, OPS.div(_values(self), _divisor(other))._array)


@does("div_", "divide_", "true_divide_")
def div_(self: Any, other: Any) -> Any:
    return _become(self, div(self, other))


@does("sum")
def sum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is not None:
        raise NotImplementedError("torch.sum of sparse tensors along dimensions")
    return _values(self).sum(dtype=dtype)


@does("norm")
def norm(self: Any, p: Any = 2) -> Any:
    return _values(coalesce(self)).norm(p)


@does("pow")
def pow(self: Any, exponent: Any) -> Any:
    self = coalesce(self)
    return alike(self, OPS.pow(_values(self), exponent)._array)


def _elementwise(name: str) -> None:
    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        if name not in _LINEAR:
            self = coalesce(self)
        return alike(self, getattr(_values(self), name)(*args, **kwargs)._array)

    TABLE[name] = function


_LINEAR = "neg positive conj to cpu double float half bfloat16 long int short bool type_as".split()
_CONVEX = """abs sqrt sign sgn sin tan tanh asin atan sinh asinh atanh log1p expm1 floor ceil round
    trunc relu erf isnan isinf square frac deg2rad rad2deg signbit""".split()
for _name in (*_LINEAR, *_CONVEX):
    _elementwise(_name)


@does("_cast_gradient")
def cast_gradient(*_: Any, **options: Any) -> NoReturn:
    """A gradient of what was cast. Refused, as in torch."""
    raise RuntimeError(
        "to(options) doesn't support converting to a different layout, but got self.layout being "
        "Sparse and options.layout set as Strided"
    )


@does("size")
def size(self: Any, dim: int | None = None) -> Any:
    return size_of(self._array.shape) if dim is None else self._array.shape[dim]
