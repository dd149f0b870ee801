"""Views of a part (select, slice, narrow, diagonal, unfold), and copies with a part replaced."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from minitorch.aten.in_formulas import zeros
from minitorch.core.arrays import layout, offset_of
from minitorch.core.arrays.floating_point import cast
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import RAW
from minitorch.core.declare.calls import READS_BITS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import BEFORE_DTYPE, EXACT, Out
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import NAMES_DIMS
from minitorch.core.numbers.dispatch import USUAL, refusing_others
from minitorch.core.tensor.conversion import wrap_dim

_LAST = (1 << 63) - 1

# ---- select, slice, narrow


def select_forward(self: Any, dim: int, index: int) -> Any:
    if dim == 0:
        try:
            return self[index] if self.ndim > 1 else self[index, ...]
        except (IndexError, TypeError):
            pass  # the error comes below
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
    vmap=NAMES_DIMS,
    calls=READS_BITS,
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
    on=("F",),
    vmap=NAMES_DIMS,
)


def slice_forward(xp: Any, self: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    if self.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, self.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    cut = slice(start, end, step)
    x = self[(slice(None),) * at + (cut,)] if at else self[cut]
    if x.size:
        return x
    # NumPy gives an empty slice another offset and step.
    first = slice(start, end, step).indices(self.shape[at])[0]
    strides = [n * self.itemsize for n in layout.strides_of(self)]
    return xp.strided(
        self,
        x.shape,
        layout.repeated((*strides[:at], strides[at] * step, *strides[at + 1 :])),
        first * strides[at],
    )


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
    vmap=NAMES_DIMS,
)


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
    on=("F",),
    vmap=NAMES_DIMS,
)


def _narrow_array(x: Any, dim: int, start: int, length: int) -> Any:
    part = x[(slice(None),) * (dim % x.ndim) + (slice(start, start + length),)]
    return part if part.size else RAW.slice(x, dim, start, start + length, 1)


@composite("narrow", raw=_narrow_array, calls=READS_BITS)
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """`length` entries of a dimension from `start` on."""
    shape = input._array.shape
    if isinstance(start, TensorBase) and (start.dim() or start._array.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    start = start_of(shape, dim, start, length)
    return slice_tensor(input, dim, start, start + length, 1)


def start_of(shape: Any, dim: int, start: Any, length: int) -> int:
    """`start` counted from the front. torch's errors where `length` entries do not fit."""
    if type(start) is bool:
        raise TypeError  # worded by the signature
    if isinstance(start, TensorBase):
        if start.dim() or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = start.item()
    size = shape[wrap_dim(dim, len(shape))]
    if not -size <= start <= size:
        raise IndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return int(start)


# ---- diagonal


@lru_cache(1024, typed=True)
def diagonal_geometry(
    shape: tuple[int, ...], strides: tuple[int, ...], offset: int, dim1: int, dim2: int
) -> tuple[list[int], list[int], int]:
    """The shape of a diagonal, its strides, and where it begins, the latter in bytes."""
    rank = len(shape)
    first, second = wrap_dim(dim1, rank), wrap_dim(dim2, rank)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, columns = shape[first], shape[second]
    size = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    start = 0
    if size:
        start = offset * strides[second] if offset >= 0 else -offset * strides[first]
    kept = [dim for dim in range(rank) if dim not in (first, second)]
    return (
        [*[shape[dim] for dim in kept], size],
        [*[strides[dim] for dim in kept], strides[first] + strides[second]],
        start,
    )


def diagonal_forward(xp: Any, self: Any, offset: int, dim1: int, dim2: int) -> Any:
    return xp.strided(self, *diagonal_geometry(self.shape, self.strides, offset, dim1, dim2))


diagonal = operator(
    "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
    node="DiagonalBackward0",
    forward=diagonal_forward,
    self=lambda F, grad, self_sym_sizes, offset, dim1, dim2: F.diagonal_backward(
        grad, self_sym_sizes, offset, dim1, dim2
    ),
    result=LINEAR,
    vmap=NAMES_DIMS,
    calls=READS_BITS,
)

diagonal_copy = operator(
    "diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    node="DiagonalBackward0_copy",
    forward=lambda xp, self, offset, dim1, dim2: xp.as_array(
        diagonal_forward(xp, self, offset, dim1, dim2).copy()
    ),
    self=lambda F, grad, self_sym_sizes, offset, dim1, dim2: F.diagonal_backward(
        grad, self_sym_sizes, offset, dim1, dim2
    ),
    result=LINEAR,
    on=("function",),
    variants=("out",),
    out=Out(EXACT, shaped=BEFORE_DTYPE, autograd=False),
    vmap=NAMES_DIMS,
)


def diagonal_backward_forward(
    xp: Any, grad_output: Any, input_sizes: Any, offset: int, dim1: int, dim2: int
) -> Any:
    out = xp.zeros(input_sizes, grad_output.dtype)
    diagonal_forward(xp, out, offset, dim1, dim2)[...] = grad_output
    return out


diagonal_backward = operator(
    "diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2)"
    " -> Tensor",
    node="DiagonalBackwardBackward0",
    forward=diagonal_backward_forward,
    grad_output=lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
    result=LINEAR,
    on=("F",),
    vmap=NAMES_DIMS,
)

# ---- windows: unfold


def unfold_forward(xp: Any, self: Any, dimension: int, size: int, step: int) -> Any:
    at = wrap_dim(dimension, self.ndim)
    length = self.shape[at] if self.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(
            f"maximum size for tensor at dimension {at} is {length} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    shape, strides = list(self.shape), list(self.strides)
    stride = strides[at] if self.ndim else self.itemsize
    if self.ndim:
        shape[at] = (length - size) // step + 1
        strides[at] = stride * step
    return xp.strided(self, (*shape, size), (*strides, stride))


unfold = operator(
    "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
    node="UnfoldBackward0",
    forward=unfold_forward,
    self=lambda F, grad, self_sym_sizes, dimension, size, step: F.unfold_backward(
        grad, self_sym_sizes, dimension, size, step
    ),
    result=LINEAR,
    on=("method",),
    vmap=NAMES_DIMS,
    calls=READS_BITS,
)


_refuse_dtype = refusing_others(USUAL)


def unfold_backward_forward(
    xp: Any, grad_in: Any, input_sizes: Any, dim: int, size: int, step: int
) -> Any:
    out = xp.zeros(input_sizes, grad_in.dtype)
    if not out.ndim:
        return xp.as_array(out + grad_in.sum()) if size else out
    _refuse_dtype(grad_in, "unfold_backward_cpu")
    at = wrap_dim(dim, out.ndim)
    windows = unfold_forward(xp, out, at, size, step)
    for i in range(size):
        windows[..., i] += grad_in[..., i]
    return out


unfold_backward = operator(
    "unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor",
    node="UnfoldBackwardBackward0",
    forward=unfold_backward_forward,
    grad_in=lambda F, grad, dim, size, step: F.unfold(grad, dim, size, step),
    result=LINEAR,
    on=("F",),
    vmap=NAMES_DIMS,
)

# ---- a copy with one part replaced


def copied_in_place(xp: Any, x: Any) -> Any:
    """A copy of `x` with its strides and offset. As clone_preserve_strides."""
    strides = layout.strides_of(x)
    if 0 in strides and any([n > 1 and not step for n, step in zip(x.shape, strides, strict=True)]):
        return x.copy(order="C")
    start = offset_of(x) // x.itemsize
    if not start and x.flags.c_contiguous and x.size and layout.is_plain(x):
        return x.copy()
    memory = xp.empty_strided((start + layout.reach_of(x.shape, strides),), (1,), x.dtype)
    out = xp.strided(memory, x.shape, x.strides, start * x.itemsize)
    out[...] = x
    return out


def scattered(xp: Any, self: Any, src: Any, part: Callable[..., Any]) -> Any:
    """A copy of `self` with the part that `part` takes overwritten by `src`."""
    out = copied_in_place(xp, self)
    written = part(out)
    if written.shape != src.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(written.shape)}"
        )
    both = written.dtype.names or src.dtype.names  # of which NumPy would write the fields
    written[...] = cast(src, written.dtype) if both and src.dtype != written.dtype else src
    return out


def zeros_of(F: Any, grad: Any, geometry: Any) -> Any:
    """Zeros of the shape of a (shape, strides, offset), in the dtype of `grad`."""
    return zeros(F, grad, geometry[0])


select_scatter = operator(
    "select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
    node="SelectScatterBackward0",
    forward=lambda xp, self, src, dim, index: scattered(
        xp, self, src, lambda x: select_forward(x, dim, index)
    ),
    self=lambda F, grad, src_geometry, dim, index: F.select_scatter(
        grad, zeros_of(F, grad, src_geometry), dim, index
    ),
    src=lambda F, grad, dim, index: F.select(grad, dim, index),
    result=LINEAR,
    real_gradients=True,
    vmap=NAMES_DIMS,
)

slice_scatter = operator(
    "slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None,"
    " SymInt step=1) -> Tensor",
    node="SliceScatterBackward0",
    forward=lambda xp, self, src, dim, start, end, step: scattered(
        xp, self, src, lambda x: slice_forward(xp, x, dim, start, end, step)
    ),
    self=lambda F, grad, src_geometry, dim, start, end, step: F.slice_scatter(
        grad, zeros_of(F, grad, src_geometry), dim, start, end, step
    ),
    src=lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
    result=LINEAR,
    variants=("out",),
    real_gradients=True,
    out=Out(EXACT, shaped=BEFORE_DTYPE, autograd=False),
    vmap=NAMES_DIMS,
)

diagonal_scatter = operator(
    "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    node="DiagonalScatterBackward0",
    complex_only=True,
    forward=lambda xp, self, src, offset, dim1, dim2: scattered(
        xp, self, src, lambda x: diagonal_forward(xp, x, offset, dim1, dim2)
    ),
    self=lambda F, grad, src_geometry, offset, dim1, dim2: F.diagonal_scatter(
        grad, zeros_of(F, grad, src_geometry), offset, dim1, dim2
    ),
    src=lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
    result=LINEAR,
    vmap=NAMES_DIMS,
)
