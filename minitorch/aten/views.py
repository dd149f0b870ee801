"""Views: operators whose result shares the memory of their input."""

from __future__ import annotations

from math import prod
from typing import Any

from minitorch.core.arrays import layout
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.core.tensor.tensor import Tensor

# ---- one dimension: select, slice, squeeze, unsqueeze --------------------------------------------


def select_forward(self: Any, dim: int, index: int) -> Any:
    rank = self.ndim
    if rank == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, rank)
    size = self.shape[at]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at "
            f"dimension {at}"
        )
    return self[(slice(None),) * at + (index, ...)]


select = operator(
    "select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
    node="SelectBackward0",
    forward=select_forward,
    self=lambda F, grad, self_sym_sizes, dim, index: F.select_backward(
        grad, self_sym_sizes, dim, index
    ),
    result=LINEAR,
)


def select_backward_forward(
    xp: Any, grad_output: Any, input_sizes: Any, dim: int, index: int
) -> Any:
    out = xp.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * wrap_dim(dim, out.ndim) + (index,)] = grad_output
    return out


select_backward = operator(
    "select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor",
    node="SelectBackwardBackward0",
    forward=select_backward_forward,
    grad_output=lambda F, grad, dim, index: F.select(grad, dim, index),
    result=LINEAR,
    on=("function",),
)


def slice_forward(self: Any, dim: int, start: int | None, end: int | None, step: int) -> Any:
    if self.ndim == 0:
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return self[(slice(None),) * wrap_dim(dim, self.ndim) + (slice(start, end, step),)]


slice_tensor = operator(
    "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1)"
    " -> Tensor(a)",
    node="SliceBackward0",
    forward=slice_forward,
    self=lambda F, grad, self_sym_sizes, dim, start, end, step: F.slice_backward(
        grad,
        self_sym_sizes,
        dim,
        0 if start is None else start,
        _LAST if end is None else end,
        step,
    ),
    result=LINEAR,
    on=("F",),
)

_LAST = (1 << 63) - 1


def slice_backward_forward(
    xp: Any, grad_output: Any, input_sizes: Any, dim: int, start: int, end: int, step: int
) -> Any:
    out = xp.zeros(input_sizes, grad_output.dtype)
    out[(slice(None),) * wrap_dim(dim, out.ndim) + (slice(start, end, step),)] = grad_output
    return out


slice_backward = operator(
    "slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end,"
    " SymInt step) -> Tensor",
    node="SliceBackwardBackward0",
    forward=slice_backward_forward,
    grad_output=lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
    result=LINEAR,
    on=("function",),
)


def unsqueeze_forward(xp: Any, self: Any, dim: int) -> Any:
    at = wrap_dim(dim, self.ndim + 1)
    shape, strides = self.shape, self.strides
    step = strides[at] * shape[at] if at < self.ndim else self.itemsize
    return xp.strided(
        self, (*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:])
    )


unsqueeze = operator(
    "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
    node="UnsqueezeBackward0",
    forward=unsqueeze_forward,
    self=lambda F, grad, dim: F.squeeze_dim(grad, dim),
    result=LINEAR,
)


def squeezed(xp: Any, self: Any, dims: Any) -> Any:
    """`self` without those of `dims` that have size 1."""
    gone = {dim for dim in dims if self.shape[dim] == 1}
    kept = [dim for dim in range(self.ndim) if dim not in gone]
    return xp.strided(self, [self.shape[d] for d in kept], [self.strides[d] for d in kept])


def wrapped_dims(dims: Any, rank: int) -> list[int]:
    """`dims` counted from the front. RuntimeError if one appears twice."""
    wrapped: list[int] = []
    for dim in dims:
        at = wrap_dim(dim, rank)
        if at in wrapped:
            raise RuntimeError(f"dim {at} appears multiple times in the list of dims")
        wrapped.append(at)
    return wrapped


def unsqueeze_to(F: Any, grad: Any, sizes: Any, dims: Any = None) -> Any:
    """`grad` with the dimensions of size 1 back that `squeeze` took out of a tensor of `sizes`."""
    chosen = range(len(sizes)) if dims is None else wrapped_dims(dims, len(sizes))
    for dim in sorted(chosen):
        if sizes and sizes[dim] == 1:
            grad = F.unsqueeze(grad, dim)
    return grad


squeeze_all = operator(
    "squeeze(Tensor(a) self) -> Tensor(a)",
    node="SqueezeBackward0",
    forward=lambda xp, self: squeezed(xp, self, range(self.ndim)),
    self=lambda F, grad, self_sym_sizes: unsqueeze_to(F, grad, self_sym_sizes),
    result=LINEAR,
    on=("F",),
)

squeeze_dim = operator(
    "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
    node="SqueezeBackward1",
    forward=lambda xp, self, dim: squeezed(
        xp, self, [d for d in [wrap_dim(dim, self.ndim)] if self.ndim]
    ),
    self=lambda F, grad, self_sym_sizes, dim: unsqueeze_to(F, grad, self_sym_sizes, (dim,)),
    result=LINEAR,
    on=("F",),
)

squeeze_dims = operator(
    "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
    node="SqueezeBackward2",
    forward=lambda xp, self, dim: squeezed(
        xp, self, [d for d in wrapped_dims(dim, self.ndim) if self.ndim]
    ),
    self=lambda F, grad, self_sym_sizes, dim: unsqueeze_to(F, grad, self_sym_sizes, dim),
    result=LINEAR,
    on=("F",),
)


@composite("squeeze")
def squeeze(input: Any, dim: Any = None) -> Any:
    """`input` without its dimensions of size 1, or without those among `dim`."""
    if dim is None:
        return squeeze_all(input)
    return squeeze_dims(input, dim) if isinstance(dim, (tuple, list)) else squeeze_dim(input, dim)


# ---- order: permute, transpose, t ----------------------------------------------------------------


def permute_forward(self: Any, dims: Any) -> Any:
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {self.ndim} is not "
            f"equal to len(dims) = {len(dims)}"
        )
    wrapped = [wrap_dim(dim, self.ndim) for dim in dims]
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(wrapped)


def permute_backward(F: Any, grad: Any, dims: Any) -> Any:
    rank = len(dims)
    wrapped = [dim % rank for dim in dims]
    return F.permute(grad, tuple(sorted(range(rank), key=wrapped.__getitem__)))


permute = operator(
    "permute(Tensor(a) self, int[] dims) -> Tensor(a)",
    node="PermuteBackward0",
    forward=permute_forward,
    self=permute_backward,
    result=LINEAR,
    varargs="dims",
)


def transpose_forward(self: Any, dim0: int, dim1: int) -> Any:
    rank = self.ndim
    a, b = wrap_dim(dim0, rank), wrap_dim(dim1, rank)
    return self.swapaxes(a, b) if rank else self[...]


transpose = operator(
    "transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    node="TransposeBackward0",
    forward=transpose_forward,
    self=lambda F, grad, dim0, dim1: F.transpose(grad, dim0, dim1),
    result=LINEAR,
)


def t_forward(self: Any) -> Any:
    if self.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D"
        )
    return self.T


t = operator(
    "t(Tensor(a) self) -> Tensor(a)",
    node="TBackward0",
    forward=t_forward,
    self=lambda F, grad: F.t(grad),
    result=LINEAR,
)


def _numpy_T(self: Any) -> Any:
    """All dimensions reversed."""
    return permute(self, tuple(range(self.dim() - 1, -1, -1)))


def _mT(self: Any) -> Any:
    """The last two dimensions exchanged."""
    if self.dim() < 2:
        raise RuntimeError(
            "tensor.mT is only supported on matrices or batches of matrices. Got "
            f"{self.dim()}-D tensor."
        )
    return transpose(self, -2, -1)


Tensor.T = property(_numpy_T)
Tensor.mT = property(_mT)

# ---- shape: view, expand, as_strided -------------------------------------------------------------


def view_forward(xp: Any, self: Any, size: Any) -> Any:
    shape = layout.infer_size(size, self.size) if -1 in size else size
    if self.flags.c_contiguous and prod(shape) == self.size and self.size:
        return self.reshape(shape)
    shape = layout.infer_size(shape, self.size)
    strides = layout.view_strides(self.shape, layout.strides_of(self), shape)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return xp.strided(self, shape, [s * self.itemsize for s in strides])


view = operator(
    "view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
    node="ViewBackward0",
    forward=view_forward,
    self=lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes),
    result=LINEAR,
    on=("method",),
    varargs="size",
)

_unsafe_view = operator(
    "_unsafe_view(Tensor self, SymInt[] size) -> Tensor",
    node="UnsafeViewBackward0",
    forward=view_forward,
    self=lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes),
    result=LINEAR,
    on=("function",),
)

_reshape_alias = operator(
    "_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)",
    node="ReshapeAliasBackward0",
    forward=lambda xp, self, size, stride: xp.strided(
        self, size, [s * self.itemsize for s in stride]
    ),
    self=lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes),
    result=LINEAR,
    on=("function",),
)

alias = operator(
    "alias(Tensor(a) self) -> Tensor(a)",
    node="AliasBackward0",
    forward=lambda self: self[...],
    self=lambda grad: grad,
    result=LINEAR,
    on=("function",),
)


def expand_forward(xp: Any, self: Any, size: Any) -> Any:
    lead = len(size) - self.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({_kind(self)}{list(self.shape)}, size={list(size)}): the number of sizes "
            f"provided ({len(size)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({self.ndim})"
        )
    shape = list(size)
    for dim, wanted in enumerate(shape):
        own = self.shape[dim - lead] if dim >= lead else 1
        if wanted == -1:
            if dim < lead:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, "
                    f"non-existing dimension {dim}"
                )
            shape[dim] = own
        elif own not in (1, wanted):
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({own}) "
                f"at non-singleton dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: "
                f"{list(self.shape)}"
            )
    strides = [0] * lead + [
        0 if own == 1 and wanted != 1 else stride
        for own, wanted, stride in zip(self.shape, shape[lead:], self.strides, strict=True)
    ]
    for dim in range(lead - 1, -1, -1):
        # ATen gives a new dimension of size 1 the stride of a fresh block.
        if shape[dim] == 1:
            following = dim + 1 < len(shape)
            strides[dim] = shape[dim + 1] * strides[dim + 1] if following else self.itemsize
    return xp.strided(self, shape, strides)


def _kind(x: Any) -> str:
    from minitorch.core.numbers import dtype as dtypes

    return f"torch.{dtypes.of(x).scalar_name}Tensor"


expand = operator(
    "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
    node="ExpandBackward0",
    forward=expand_forward,
    self=lambda F, grad, self_sym_sizes: F.sum_to_size(grad, self_sym_sizes),
    result=LINEAR,
    on=("method",),
    varargs="size",
)


@composite("expand_as", on=("method",))
def expand_as(self: Any, other: Any) -> Any:
    """`self` expanded to the shape of `other`."""
    return expand(self, size=other._array.shape)


def as_strided_forward(xp: Any, self: Any, size: Any, stride: Any, storage_offset: Any) -> Any:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)}"
        )
    owner = xp.storage(self)
    itemsize = self.itemsize
    if storage_offset is None:
        start = xp.pointer(self) - xp.pointer(owner) if self.size else 0
    else:
        start = storage_offset * itemsize
    reach = sum((n - 1) * s for n, s in zip(size, stride, strict=True)) + 1 if prod(size) else 0
    if start + reach * itemsize > owner.nbytes and reach:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset "
            f"{start // itemsize}, and itemsize {itemsize} requiring a storage size of "
            f"{start + reach * itemsize} are out of bounds for storage of size {owner.nbytes}"
        )
    if owner.dtype != self.dtype:
        owner = owner.reshape(-1).view(self.dtype)
    return xp.strided(owner, size, [s * itemsize for s in stride], start)


def as_strided_backward(
    F: Any,
    grad: Any,
    self_geometry: Any,
    size: Any,
    stride: Any,
    storage_offset: Any,
) -> Any:
    """The gradient of as_strided: scattered into the memory of the input, then read as the input.

    As as_strided_backward of torch/csrc/autograd/FunctionsManual.cpp, for inputs that do not
    overlap themselves.
    """
    shape, strides, start = self_geometry
    offset = start if storage_offset is None else storage_offset
    return F.as_strided_scatter_zeros(grad, shape, strides, size, stride, offset - start)


as_strided = operator(
    "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None)"
    " -> Tensor(a)",
    node="AsStridedBackward0",
    forward=as_strided_forward,
    self=as_strided_backward,
    result=LINEAR,
)


def scatter_zeros_forward(
    xp: Any, grad: Any, shape: Any, strides: Any, size: Any, stride: Any, offset: int
) -> Any:
    reach = max(
        offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) + 1,
        sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1,
    )
    memory = xp.zeros(max(reach, 1), grad.dtype)
    places = xp.full(size, offset) if size else xp.asarray(offset)
    for dim, (n, step) in enumerate(zip(size, stride, strict=True)):
        along = [1] * len(size)
        along[dim] = n
        places = places + (xp.arange(n) * step).reshape(along)
    xp.add.at(memory, places.reshape(-1), grad.reshape(-1))
    itemsize = grad.itemsize
    return xp.strided(memory, shape, [s * itemsize for s in strides])


as_strided_scatter_zeros = operator(
    "as_strided_scatter_zeros(Tensor grad, SymInt[] shape, SymInt[] strides, SymInt[] size,"
    " SymInt[] stride, SymInt offset) -> Tensor",
    node="AsStridedScatterBackward0",
    forward=scatter_zeros_forward,
    grad=lambda F, grad, size, stride, offset: F.as_strided(
        F.contiguous(grad), size, stride, offset
    ),
    on=("F",),
)


@composite("reshape", raw=lambda x, shape: x.reshape(shape))
def reshape(input: Any, *shape: Any) -> Any:
    """`input` with another shape: a view where its strides allow one, else a copy."""
    if len(shape) != 1 or type(shape[0]) is int:
        size: Any = shape
    else:
        size = shape[0]
    x = input._array
    if x.flags.c_contiguous and x.size:
        return view(input, size=tuple(size))
    size = layout.infer_size(tuple(size), x.size)
    strides = layout.view_strides(x.shape, layout.strides_of(x), size)
    if strides is None:
        return _unsafe_view(input.clone(memory_format=_contiguous()), size)
    return view(input, size=size)


def _contiguous() -> Any:
    from minitorch.core.numbers.device import contiguous_format

    return contiguous_format


@composite("view_as", on=("method",))
def view_as(self: Any, other: Any) -> Any:
    """`self` viewed with the shape of `other`."""
    return view(self, size=other._array.shape)


@composite("reshape_as", on=("method",))
def reshape_as(self: Any, other: Any) -> Any:
    """`self` with the shape of `other`."""
    return reshape(self, other._array.shape)


@composite("flatten")
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """`input` with the dimensions from start_dim to end_dim made one."""
    rank = input.dim()
    start, end = wrap_dim(start_dim, rank), wrap_dim(end_dim, rank)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if rank == 0:
        return reshape(input, (1,))
    if start == end:
        return input
    shape = input._array.shape
    return reshape(input, (*shape[:start], prod(shape[start : end + 1]), *shape[end + 1 :]))


# ---- several views: unbind, split, chunk ---------------------------------------------------------


unbind = operator(
    "unbind.int(Tensor(a) self, int dim=0) -> Tensor(a)[]",
    node="UnbindBackward0",
    forward=lambda self, dim: unbind_forward(self, dim),
    self=lambda F, grads, dim, self_sym_sizes: unbind_backward(F, grads, dim, self_sym_sizes),
    result=LINEAR,
)


def unbind_forward(self: Any, dim: int) -> Any:
    if self.ndim == 0:
        raise IndexError(
            "Dimension specified as 0 but tensor has no dimensions"
        )
    at = wrap_dim(dim, self.ndim)
    lead = (slice(None),) * at
    return [self[(*lead, i, ...)] for i in range(self.shape[at])]


def unbind_backward(F: Any, grads: Any, dim: int, sizes: Any) -> Any:
    shape = [n for i, n in enumerate(sizes) if i != dim % len(sizes)]
    first = next(grad for grad in grads if grad is not None)
    return F.stack([_zeros_like(F, first, shape) if g is None else g for g in grads], dim)


def _zeros_like(F: Any, like: Any, shape: Any) -> Any:
    return F.new_zeros(like, shape)
