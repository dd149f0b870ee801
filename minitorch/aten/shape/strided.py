"""Tensors described by strides: as_strided and its inverse, and giving a tensor other memory."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Any

from minitorch.aten.in_formulas import options_of, overwrite
from minitorch.aten.shape.slicing import scattered
from minitorch.core.arrays import layout, offset_of
from minitorch.core.arrays.layout import memory_of, reach_of
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.calls import READS_BITS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import VMap
from minitorch.core.numbers import dtype as dtypes

_OUTSIDE = (
    "setStorage: sizes {size}, strides {stride}, storage offset {offset}, and itemsize {itemsize} "
    "requiring a storage size of {needed} are out of bounds for storage of size {nbytes}"
)


@lru_cache(1024)
def reached(size: tuple[int, ...], stride: tuple[int, ...]) -> tuple[int, int, int]:
    """The least stride, the least size, and how many elements of memory they touch."""
    return min(stride, default=0), min(size, default=0), reach_of(size, stride)


def as_strided_forward(xp: Any, self: Any, size: Any, stride: Any, storage_offset: Any) -> Any:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    size, stride = tuple(size), tuple(stride)
    least_stride, least_size, reach = reached(size, stride)
    if least_stride < 0:
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)}"
        )
    if storage_offset is not None and storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if least_size < 0 or reach * self.itemsize >= 2**63:
        raise _overflow(size, stride, self.itemsize, storage_offset or 0)
    owner, itemsize = xp.storage(self), self.itemsize
    start = offset_of(self) if storage_offset is None else storage_offset * itemsize
    needed = start + reach * itemsize
    if reach and needed > owner.nbytes and xp.device_type != "meta":
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
        owner = memory_of(owner, self.dtype)
    out = xp.strided(owner, size, [s * itemsize for s in stride], start)
    return self.like(out) if type(self) is Lazy else out


def _overflow(size: Any, stride: Any, itemsize: int, offset: int) -> RuntimeError:
    """The error for sizes without memory, which torch counts modulo 2**64: one too large for it,
    or one whose number of elements is. As computeStorageNbytes of c10/core/TensorImpl.cpp.
    """
    wrapped = 2**64
    last = offset + 1 if 0 not in size else 0
    over = False
    for n, step in zip(size, stride, strict=True):
        reached = step * ((n - 1) % wrapped)
        over |= reached >= wrapped or last + reached % wrapped >= wrapped
        last = (last + reached) % wrapped
    if 0 not in size and (over or last * itemsize >= wrapped):
        return RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and "
            f"strides={list(stride)}"
        )
    return RuntimeError("numel: integer multiplication overflow")


def check_repeated(xp: Any, self: Any, axis: int, count: int) -> bool:
    """Whether no element of `self` is left with `count` times the first place along `axis`, which
    is how torch lets an index write. RuntimeError with its text where there is no first place."""
    if self.size:
        return not count
    size, stride = list(self.shape), list(layout.strides_of(self))
    size[axis], stride[axis] = count, 0
    return not as_strided_forward(xp, self, size, stride, None).size


@composite("_as_strided_backward", on=("F",))
def gathered(grad: Any, geometry: Any, size: Any, stride: Any, storage_offset: Any) -> Any:
    """The gradient of as_strided: scattered into the memory of the input, then read as the input.

    geometry: the sizes, strides and storage offset of the input.
    Where elements of the input share memory, each gets an equal share of the gradient there. As
    as_strided_backward of torch/csrc/autograd/FunctionsManual.cpp.
    """
    shape, strides, start = geometry
    if 0 in size or 0 in shape:
        return grad.new_zeros(shape)
    offset = start if storage_offset is None else storage_offset
    first = min(start, offset)
    start, offset = start - first, offset - first
    for dim in reversed(range(len(size))):
        if size[dim] == 1:
            grad = grad.squeeze(dim)
        elif stride[dim] == 0:
            grad = grad.sum(dim)
    out = [(n, step) for n, step in zip(size, stride, strict=True) if n != 1 and step]
    own = [(n, step) for n, step in zip(shape, strides, strict=True) if n != 1]
    memory = grad.new_zeros(max(_reach(own, start), _reach(out, offset)))

    def places() -> Any:
        return OPS.arange(0, memory.numel(), **options_of(memory, dtypes.int64))

    if _may_overlap(out):
        found = places().as_strided(*_apart(out), offset)
        flat = grad.reshape(-1)
        memory.index_add_(0, found.reshape(-1), flat)
    else:
        memory.as_strided(*_apart(out), offset).copy_(grad)
    if _may_overlap(own):
        found = places().as_strided(*_apart(own), start).reshape(-1)
        ones = memory.detach().new_ones(1).expand_as(found)
        memory.div_(OPS.zeros_like(memory).index_add_(0, found, ones))
    return memory.as_strided(shape, strides, start)


def _apart(dims: Any) -> tuple[Any, Any]:
    """Pairs of sizes and strides as the sizes and the strides."""
    return tuple([n for n, _ in dims]), tuple([step for _, step in dims])


def _reach(dims: Any, offset: int) -> int:
    return offset + reach_of(*_apart(dims))


def _may_overlap(dims: Any) -> bool:
    """Whether elements may share memory: some dimension steps no further than smaller ones go."""
    last = 0
    for n, step in sorted(dims, key=itemgetter(1)):
        if step <= last:
            return True
        last += step * (n - 1)
    return False


def as_strided_backward(
    F: Any, grad: Any, self_geometry: Any, size: Any, stride: Any, storage_offset: Any
) -> Any:
    return F._as_strided_backward(grad, self_geometry, size, stride, storage_offset)


as_strided = operator(
    "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None)"
    " -> Tensor(a)",
    node="AsStridedBackward0",
    forward=as_strided_forward,
    self=as_strided_backward,
    result=LINEAR,
    vmap=VMap("as_strided"),
    calls=READS_BITS,
)


def as_strided_scatter_backward(
    F: Any, grad: Any, self_geometry: Any, size: Any, stride: Any, storage_offset: Any
) -> Any:
    """The gradient of `self` as torch computes it: that of the overwritten elements, else zeros."""
    shape, strides, _ = self_geometry
    part = F.as_strided(F.contiguous(grad), size, stride, storage_offset)
    memory = F.new_zeros(grad, shape)  # as contiguous as it has to be
    whole = F.as_strided(memory, shape, strides)
    overwrite(F, F.as_strided(memory, size, stride, storage_offset), part)
    return whole


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


@composite("as_strided_scatter", vmap=VMap("special"))
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
