"""Views taken in place: t_, transpose_, squeeze_, unsqueeze_, as_strided_, and resize_ and set_.

They change how a tensor reads its memory, not the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from minitorch.aten.creation.copies import strides_in
from minitorch.aten.shape.ordering import transpose_forward
from minitorch.aten.shape.strided import as_strided_backward, as_strided_forward
from minitorch.aten.shape.views import (
    squeeze_dim_forward,
    squeeze_dims_forward,
    squeezed,
    unsqueeze_forward,
    unsqueeze_to,
)
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.lazy import bits_of, lazy, raw_of
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import RAW
from minitorch.core.base.modes import recording
from minitorch.core.declare.calls import SELF, Calls
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import resize
from minitorch.core.declare.general.recording import record
from minitorch.core.declare.general.tangents import unsupported
from minitorch.core.declare.out import InPlace
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.wording.numpy_spelling import written_out
from minitorch.core.declare.wording.signatures import overloads, signatures_at, takes_over
from minitorch.core.graph.forward import LEVELS, level_of, tangent_of
from minitorch.core.graph.node import Node, NotImplementedNode
from minitorch.core.graph.views import (
    check_writable,
    edge_of,
    rebase,
    replace_memory,
    requires_grad,
)
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.storage import TypedStorage, UntypedStorage


def in_place(schema: str, **fields: Any) -> Callable[..., Any]:
    """Declares a row `name_(Tensor(a!) self, ...)`; returns the function on tensors."""
    row = operator(schema, on=("F",), result=LINEAR, **fields).row
    names = [argument.name for argument in row.schema.arguments]

    def apply(self: Any, *args: Any) -> Any:
        recorded = recording() and requires_grad(self)
        check_writable(self, recorded)
        array = self._array
        array = array if array.size else layout.with_default_strides(namespace(array), array)
        array = getattr(RAW, row.key)(array, *args)
        node = None
        if recorded:
            bound = dict(zip(names, (self, *args), strict=True))
            node = record(row, bound, tensor(array), written=True)
        if LEVELS:
            for level in range(level_of((self,)) + 1):
                tangent = tangent_of(self, level)
                if tangent is not None:
                    apply(tangent, *args)
        replace_memory(self, array, node)
        return self

    return apply


def t_in_place_forward(self: Any) -> Any:
    if self.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


_t = in_place(
    "t_(Tensor(a!) self) -> Tensor(a!)",
    node="TBackward1",
    forward=t_in_place_forward,
    self=lambda F, grad: F.t(grad),
)

_transpose = in_place(
    "transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
    node="TransposeBackward1",
    forward=transpose_forward,
    self=lambda F, grad, dim0, dim1: F.transpose(grad, dim0, dim1),
)

_unsqueeze = in_place(
    "unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)",
    node="UnsqueezeBackward1",
    forward=unsqueeze_forward,
    self=lambda F, grad, dim: F.squeeze_dim(grad, dim),
)

_squeeze_all = in_place(
    "squeeze_(Tensor(a!) self) -> Tensor(a!)",
    node="SqueezeBackward3",
    forward=lambda xp, self: squeezed(xp, self, range(self.ndim)),
    self=lambda F, grad, self_sym_sizes: unsqueeze_to(F, grad, self_sym_sizes),
)

_squeeze_dim = in_place(
    "squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)",
    node="SqueezeBackward4",
    forward=squeeze_dim_forward,
    self=lambda F, grad, self_sym_sizes, dim: unsqueeze_to(F, grad, self_sym_sizes, (dim,)),
)

_squeeze_dims = in_place(
    "squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)",
    node="SqueezeBackward5",
    forward=squeeze_dims_forward,
    self=lambda F, grad, self_sym_sizes, dim: unsqueeze_to(F, grad, self_sym_sizes, dim),
)

_as_strided = in_place(
    "as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None)"
    " -> Tensor(a!)",
    node="AsStridedBackward1",
    forward=as_strided_forward,
    self=as_strided_backward,
)


@composite("t_", on=("method",), in_place=InPlace(moves=True))
def t_(self: Any) -> Any:
    """Transposes a matrix in place."""
    return _t(self)


@composite("transpose_", on=("method",), in_place=InPlace(moves=True))
def transpose_(self: Any, dim0: int, dim1: int) -> Any:
    """Exchanges two dimensions in place."""
    return _transpose(self, dim0, dim1)


@composite("swapaxes_", on=("method",), in_place=InPlace(moves=True))
def swapaxes_(self: Any, axis0: int, axis1: int) -> Any:
    """Exchanges two dimensions in place."""
    return _transpose(self, axis0, axis1)


@composite("swapdims_", on=("method",), in_place=InPlace(moves=True))
def swapdims_(self: Any, dim0: int, dim1: int) -> Any:
    """Exchanges two dimensions in place."""
    return _transpose(self, dim0, dim1)


@composite("unsqueeze_", on=("method",), in_place=InPlace(moves=True))
def unsqueeze_(self: Any, dim: int) -> Any:
    """Puts a dimension of size 1 at `dim`, in place."""
    return _unsqueeze(self, dim)


@composite("squeeze_", on=("method",), in_place=InPlace(moves=True, squeezes=True))
def squeeze_(self: Any, *numbers: Any, dim: Any = None) -> Any:
    """Takes dimensions of size 1 out, in place."""
    if dim is None:
        if not numbers:
            return _squeeze_all(self)
        dim = numbers[0] if len(numbers) == 1 else numbers
    several = isinstance(dim, (tuple, list))
    if not several and type(dim) is not int:
        raise TypeError("an int is wanted")  # which the parser says better, or finds in a tensor
    return _squeeze_dims(self, tuple(dim)) if several else _squeeze_dim(self, dim)


@composite("as_strided_")
def as_strided_(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Reads the memory of `input` with another shape and strides from now on."""
    return _as_strided(input, tuple(size), tuple(stride), storage_offset)


@composite("resize_", on=("method",), calls=Calls(counted=False))
def resize_(self: Any, *numbers: Any, size: Any = None, memory_format: Any = None) -> Any:
    """Gives `self` another shape in place; numbers beyond its memory are uninitialised.

    As Tensor.resize_, but where the memory must grow, views that were taken keep the old one.
    """
    shape = written_out("resize_", "size", numbers, size)
    if edge_of(self) is not None:
        raise RuntimeError("cannot resize variables that require grad")
    if level_of((self,)) >= 0:
        raise RuntimeError("cannot resize variables that has a forward grad")
    if min(shape, default=0) < 0 or prod(shape) >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")
    if tuple(shape) == self._array.shape and memory_format is None:
        return self
    strides = None
    if memory_format is not None:
        like = namespace(self._array).empty(shape, self._array.dtype)
        strides = strides_in(like, memory_format)
    before, view = self._array, self._view
    resize(self, tuple(shape), strides)
    after, self._array, self._view = self._array, before, view
    replace_memory(self, after, None)
    return self


@composite("resize_as_")
def resize_as_(input: Any, the_template: Any, *, memory_format: Any = None) -> Any:
    """Gives `input` the shape of another tensor in place. As Tensor.resize_as_."""
    return resize_(input, the_template._array.shape, memory_format=memory_format)


class _Set(NotImplementedNode):
    """The history of a tensor that reads other memory than the one it was computed in."""

    __slots__ = ()

    next_functions = Node.next_functions


_Set.__name__ = "NotImplemented"


_NOTHING = object()


@composite("set_", on=("method",), calls=Calls(asks=SELF))
@overloads(*signatures_at("Tensor.set_") or ())
def set_(
    self: Any,
    source: Any = _NOTHING,
    storage_offset: Any = None,
    size: Any = None,
    stride: Any = None,
) -> Any:
    """Makes `self` read the memory of a tensor or a storage. As Tensor.set_."""
    if (storage_offset is None) is not (size is None) or (size is None and stride is not None):
        raise TypeError
    if source is _NOTHING and size is not None:
        raise TypeError
    if takes_over(source):  # which torch's parser takes for anything
        raise RuntimeError(f"not a storage '{type(source).__name__}'")
    check_writable(self, requires_grad(self))
    inputs = (self, source) if isinstance(source, TensorBase) else (self,)
    x = raw_of(_memory_of(self._array, source, storage_offset, size, stride))
    x = lazy(x, *bits_of(self._array))
    node = None
    if recording() and any(map(requires_grad, inputs)):
        node = _Set("set_", inputs, tensor(x))
    replace_memory(self, x, node)
    base = self._view and self._view[0]
    if node is not None and base is not None:
        rebase(self, node)  # for torch that is a write into the base, though it wrote no number
        base._edge.offset = (self.storage_offset() - base.storage_offset()) * x.itemsize
    if level_of((self,)) >= 0:
        raise unsupported("set_")
    return self


def check_place(xp: Any, owner: Any) -> None:
    """RuntimeError with torch's text unless the memory of an array lies where `xp` computes."""
    kinds = xp.device_type, namespace(raw_of(owner)).device_type
    if kinds[0] != kinds[1]:
        here, there = (f"{kind}:0" if kind == "cuda" else kind for kind in kinds)
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{here}" to a storage on '
            f'different device "{there}".  This is no longer allowed; the devices must match.'
        )


def _memory_of(x: Any, source: Any, storage_offset: Any, size: Any, stride: Any) -> Any:
    """The array over the memory of a tensor or a storage that is to stand for `x`."""
    xp, dtype = namespace(x), x.dtype
    if source is _NOTHING:
        return xp.empty_strided((0,), layout.strides_of(x) if x.shape == (0,) else (1,), dtype)
    if isinstance(source, TensorBase):
        if source._array.dtype != dtype:
            raise RuntimeError(
                f"Could not set tensor of type {source.dtype.c_name} to a tensor of type "
                f"{dtypes.of(x).c_name}"
            )
        if size is None:
            check_place(xp, source._array)
            return source._array
        owner = source._array
    elif isinstance(source, (UntypedStorage, TypedStorage)):
        owner = source.untyped()._owner
    else:
        raise TypeError
    check_place(xp, owner)
    memory = layout.memory_of(xp.storage(owner), dtype)
    shape = (memory.size,) if size is None else tuple(size)
    steps = layout.contiguous_strides(shape) if not stride else tuple(stride)
    if len(shape) != len(steps):
        raise RuntimeError(f"unequal size length ({len(shape)}) and stride length ({len(steps)})")
    start = storage_offset or 0
    reach = sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    if 0 not in shape and reach >= 0 and start + reach >= memory.size and start >= 0:
        wanted = (start + reach + 1) * dtype.itemsize
        storage = source.untyped_storage() if isinstance(source, TensorBase) else source.untyped()
        storage.resize_(wanted)  # as torch: a storage that is too small grows
        memory = layout.memory_of(xp.storage(storage._owner), dtype)
    return as_strided_forward(xp, memory, shape, steps, start)
