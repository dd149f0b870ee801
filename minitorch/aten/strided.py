"""Tensors described by strides: as_strided and its inverse, and giving a tensor other memory."""

from __future__ import annotations

from typing import Any

from minitorch.aten.parts import scattered
from minitorch.core.arrays import layout
from minitorch.core.arrays.layout import reach_of
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR

_OUTSIDE = (
    "setStorage: sizes {size}, strides {stride}, storage offset {offset}, and itemsize {itemsize} "
    "requiring a storage size of {needed} are out of bounds for storage of size {nbytes}"
)


def as_strided_forward(xp: Any, self: Any, size: Any, stride: Any, storage_offset: Any) -> Any:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)}"
        )
    if storage_offset is not None and storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if min(size, default=0) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and "
            f"strides={list(stride)}"
        )
    owner, itemsize = xp.storage(self), self.itemsize
    start = xp.pointer(self) - xp.pointer(owner)
    if storage_offset is not None:
        start = storage_offset * itemsize
    reach = reach_of(size, stride)
    needed = start + reach * itemsize
    if reach and needed > owner.nbytes:
        raise RuntimeError(
            _OUTSIDE.format(
                size=list(size),
                stride=list(stride),
                offset=start // itemsize,
                itemsize=itemsize,
                needed=needed,
                nbytes=owner.nbytes,
            )
        )
    if owner.dtype != self.dtype:
        owner = owner.reshape(-1).view(self.dtype)
    out = xp.strided(owner, size, [s * itemsize for s in stride], start)
    return self.like(out) if type(self) is Lazy else out


def check_repeated(xp: Any, self: Any, axis: int, count: int) -> bool:
    """Whether no element of `self` is left with `count` times the first place along `axis`, which
    is how torch lets an index write. RuntimeError with its text where there is no first place."""
    if self.size:
        return not count
    size, stride = list(self.shape), list(layout.strides_of(self))
    size[axis], stride[axis] = count, 0
    return not as_strided_forward(xp, self, size, stride, None).size


def as_strided_backward(
    F: Any, grad: Any, self_geometry: Any, size: Any, stride: Any, storage_offset: Any
) -> Any:
    """The gradient of as_strided: scattered into the memory of the input, then read as the input.

    Where elements of the input share memory, each gets an equal share of the gradient there. As
    as_strided_backward of torch/csrc/autograd/FunctionsManual.cpp.
    """
    shape, strides, start = self_geometry
    offset = start if storage_offset is None else storage_offset
    first = min(start, offset)
    memory = F._scatter_strided(grad, shape, strides, start - first, size, stride, offset - first)
    return F.as_strided(memory, shape, strides, start - first)


as_strided = operator(
    "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None)"
    " -> Tensor(a)",
    node="AsStridedBackward0",
    forward=as_strided_forward,
    self=as_strided_backward,
    result=LINEAR,
)


def places(xp: Any, size: Any, stride: Any, offset: int) -> Any:
    """Where in memory the elements of a strided tensor lie, in logical order."""
    at = xp.full(size, offset)
    for dim, (n, step) in enumerate(zip(size, stride, strict=True)):
        along = [1] * len(size)
        along[dim] = n
        at += (xp.arange(n) * step).reshape(along)
    return at.reshape(-1)


def scatter_strided_forward(
    xp: Any, grad: Any, shape: Any, strides: Any, start: int, size: Any, stride: Any, offset: int
) -> Any:
    reach = max(start + reach_of(shape, strides), offset + reach_of(size, stride))
    memory = xp.zeros(reach, grad.dtype)
    xp.add.at(memory, places(xp, size, stride, offset), grad.reshape(-1))
    return _shared(xp, memory, shape, strides, start)


def _shared(xp: Any, memory: Any, shape: Any, strides: Any, start: int) -> Any:
    """`memory` divided by the number of elements of a tensor that lie at each place."""
    if not layout.is_dense(shape, strides):
        counts = xp.zeros(memory.size, memory.real.dtype)
        xp.add.at(counts, places(xp, shape, strides, start), 1)
        memory /= xp.maximum(counts, counts.dtype.type(1))
    return memory


def scatter_strided_backward(
    F: Any, grad: Any, shape: Any, strides: Any, start: int, size: Any, stride: Any, offset: int
) -> Any:
    shared = F._share_strided(grad, shape, strides, start)
    return F.contiguous(F.as_strided(shared, size, stride, offset))


_scatter_strided = operator(
    "_scatter_strided(Tensor grad, SymInt[] shape, SymInt[] strides, SymInt start, SymInt[] size,"
    " SymInt[] stride, SymInt offset) -> Tensor",
    node="AsStridedScatterBackward0",
    forward=scatter_strided_forward,
    grad=scatter_strided_backward,
    on=("F",),
)

_share_strided = operator(
    "_share_strided(Tensor memory, SymInt[] shape, SymInt[] strides, SymInt start) -> Tensor",
    node="DivBackward0",
    forward=lambda xp, memory, shape, strides, start: _shared(
        xp, memory.copy(), shape, strides, start
    ),
    memory=lambda F, grad, shape, strides, start: F._share_strided(grad, shape, strides, start),
    on=("F",),
)


def as_strided_scatter_backward(
    F: Any, grad: Any, self_geometry: Any, size: Any, stride: Any, storage_offset: Any
) -> Any:
    """What torch takes for the gradient of `self`: that of the overwritten elements, else zeros."""
    shape, strides, _ = self_geometry
    part = F.as_strided(F.contiguous(grad), size, stride, storage_offset)
    zeros = F.as_strided(F.new_zeros(grad, (reach_of(shape, strides),)), shape, strides)
    return F.as_strided_scatter(zeros, part, size, stride, storage_offset)


as_strided_scatter_row = operator(
    "as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride,"
    " SymInt? storage_offset=None) -> Tensor",
    node="AsStridedScatterBackward0",
    forward=lambda xp, self, src, size, stride, storage_offset: scattered(
        xp, self, src, lambda x: as_strided_forward(xp, x, size, stride, storage_offset)
    ),
    self=as_strided_scatter_backward,
    src=lambda F, grad, size, stride, storage_offset: F.as_strided(
        F.contiguous(grad), size, stride, storage_offset
    ),
    result=LINEAR,
    on=("F",),
)


@composite("as_strided_scatter")
def as_strided_scatter(
    input: Any, src: Any, size: Any, stride: Any, storage_offset: int | None = None
) -> Any:
    """A copy of `input` with what as_strided reads overwritten by `src`. As torch."""
    if input.requires_grad and not input.is_contiguous():
        raise RuntimeError(  # an assertion of torch's, which names its place in torch's source
            "!self.requires_grad() || self.is_contiguous() INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp":4754, please report a bug '
            "to PyTorch. as_strided_scatter is currently only supported for contiguous inputs"
        )
    return as_strided_scatter_row(input, src, tuple(size), tuple(stride), storage_offset)
