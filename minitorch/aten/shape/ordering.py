"""The order of dimensions and of entries: permute, transpose, movedim; flip, roll, rot90."""

from __future__ import annotations

from functools import lru_cache
from operator import index
from typing import Any

from minitorch.aten.creation.copies import copied, strides_in
from minitorch.aten.shape.views import alias, wrapped_dims
from minitorch.core.arrays.layout import channels_last_strides, is_channels_last, strides_of
from minitorch.core.arrays.on_numpy import own
from minitorch.core.declare.calls import READS_BITS, Calls
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import NAMES_DIMS, made_of
from minitorch.core.numbers.dispatch import USUAL, refusing_others
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.warning import warn_once

# ---- views: permute, transpose, t


def permute_forward(self: Any, dims: Any) -> Any:
    try:
        return self.transpose(dims)
    except (ValueError, IndexError):
        pass
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
    vmap=NAMES_DIMS.but(none=True, permutes=True),
    calls=READS_BITS,
)


def transpose_forward(self: Any, dim0: int, dim1: int) -> Any:
    try:
        return self.swapaxes(dim0, dim1)
    except (ValueError, IndexError):
        pass  # no such dimension, or none at all, which torch lets call itself 0
    rank = self.ndim
    a, b = wrap_dim(dim0, rank), wrap_dim(dim1, rank)
    return self.swapaxes(a, b) if rank else self[...]


transpose = operator(
    "transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    node="TransposeBackward0",
    forward=transpose_forward,
    self=lambda F, grad, dim0, dim1: F.transpose(grad, dim0, dim1),
    result=LINEAR,
    vmap=NAMES_DIMS,
    calls=READS_BITS,
)


def t_forward(self: Any) -> Any:
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


t = operator(
    "t(Tensor(a) self) -> Tensor(a)",
    node="TBackward0",
    forward=t_forward,
    self=lambda F, grad: F.t(grad),
    result=LINEAR,
    vmap=made_of(
        lambda self: self.transpose(0, self._array.ndim - 1) if self._array.ndim else self
    ),
    calls=READS_BITS,
)


@composite("swapaxes", calls=READS_BITS)
def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """`input` with two dimensions exchanged."""
    return transpose(input, axis0, axis1)


@composite("swapdims", calls=READS_BITS)
def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """`input` with two dimensions exchanged."""
    return transpose(input, dim0, dim1)


def moved(input: Any, source: Any, destination: Any) -> Any:
    """`input` with the dimensions `source` put at `destination`, the others in their order."""
    rank = input.dim()
    if isinstance(source, int) != isinstance(destination, int):
        raise TypeError("a dim and a list of dims")  # which the parser says better
    source = (source,) if isinstance(source, int) else tuple(source)
    destination = (destination,) if isinstance(destination, int) else tuple(destination)
    dims = order_of_moved(rank, source, destination)
    return permute(input, dims) if rank else alias(input)


@lru_cache(1024)
def order_of_moved(
    rank: int, source: tuple[int, ...], destination: tuple[int, ...]
) -> tuple[int, ...]:
    """The order of dimensions of which some are put elsewhere."""
    if len(source) != len(destination):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(source)} dims) should contain the same number of dims as destination "
            f"({list(destination)} dims)"
        )
    start = [wrap_dim(dim, rank) for dim in source]
    end = [wrap_dim(dim, rank) for dim in destination]
    for name, given, dims in (("source", source, start), ("destination", destination, end)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    rest = iter([dim for dim in range(rank) if dim not in start])
    placed = dict(zip(end, start, strict=True))
    return tuple([placed[dim] if dim in placed else next(rest) for dim in range(rank)])


@composite("movedim", calls=READS_BITS)
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """`input` with dimensions moved, the others in their order."""
    return moved(input, source, destination)


@composite("moveaxis")
def moveaxis(input: Any, source: Any, destination: Any) -> Any:
    """`input` with dimensions moved, the others in their order."""
    return moved(input, source, destination)


def _conj(self: Any) -> Any:
    return self.conj() if self.is_complex() else self


_T_TEXT = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated "
    "and it will throw an error in a future release. Consider `x.mT` to transpose batches of "
    "matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a "
    "tensor."
)


def _numpy_T(self: Any) -> Any:
    """All dimensions reversed."""
    if self._array.ndim == 0:
        warn_of_scalar("Tensor.T")
    elif self._array.ndim != 2:
        warn_once(_T_TEXT)
    return permute(self, dims=tuple(range(self._array.ndim - 1, -1, -1)))


_IDENTITY = "This function is the identity in these cases."


def warn_of_scalar(what: str, instead: str = _IDENTITY) -> None:
    """Warns that a transpose is asked of a 0-D tensor."""
    warn_once(f"{what} is deprecated on 0-D tensors. {instead}")


def matrix_transpose(self: Any, name: str) -> Any:
    """The last two dimensions exchanged; `name` is what refuses other tensors. RuntimeError."""
    if self.dim() < 2:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got "
            f"{self.dim()}-D tensor."
        )
    return transpose(self, -2, -1)


def _mT(self: Any) -> Any:
    """The last two dimensions exchanged."""
    if self._array.ndim == 0:
        warn_of_scalar("Tensor.mT")
        return self
    return matrix_transpose(self, "mT")


@composite("adjoint")
def adjoint(input: Any) -> Any:
    """The last two dimensions exchanged, and the elements conjugated."""
    if input._array.ndim == 0:
        warn_of_scalar("adjoint()", "Consider using x.conj().")
        return _conj(input)
    return _conj(matrix_transpose(input, "adjoint()"))


Tensor.T = property(_numpy_T)
Tensor.mT = property(_mT)

# ---- copies: flip, roll, rot90


# Raises what torch says of the dtypes that it flips line by line alone.
_refuse_dtype = refusing_others(USUAL)


def flips_lines(x: Any, dims: Any) -> bool:
    """Whether elements that lie side by side change places; else torch moves memory as it is."""
    strides = strides_of(x)
    inner = min((d for d in range(x.ndim) if x.shape[d] > 1), key=strides.__getitem__, default=None)
    return x.size > 1 and inner in dims


def flip_forward(xp: Any, self: Any, dims: Any) -> Any:
    wrapped = wrapped_dims(dims, self.ndim)
    if self.dtype.kind in "uV" and flips_lines(self, wrapped):
        _refuse_dtype(self, "flip_cpu")
    steps = [slice(None)] * self.ndim
    for dim in wrapped if self.ndim else ():
        steps[dim] = slice(None, None, -1)
    if self.flags.c_contiguous and self.size and self.ndim and 1 not in self.shape:
        return self[tuple(steps)].copy(order="C")
    out = xp.empty_strided(self.shape, strides_in(self, None), self.dtype)
    out[...] = self[tuple(steps)]
    return out


flip = operator(
    "flip(Tensor self, int[] dims) -> Tensor",
    node="FlipBackward0",
    preserves=True,
    forward=flip_forward,
    self=lambda F, grad, dims: F.flip(grad, dims),
    result=LINEAR,
    varargs="dims",
    vmap=NAMES_DIMS.but(none=True),
)


@composite("fliplr")
def fliplr(input: Any) -> Any:
    """`input` with its columns in reverse order."""
    if input.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@composite("flipud")
def flipud(input: Any) -> Any:
    """`input` with its rows in reverse order."""
    if input.dim() < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


def roll_forward(xp: Any, self: Any, shifts: Any, dims: Any) -> Any:
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) != 1):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}"
        )
    if not self.size:
        return copied(self) if dims or self.ndim == 1 else xp.empty(self.shape, self.dtype)
    if dims and not self.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if not dims:
        return own(rolled(xp, self.reshape(-1), shifts[0], 0).reshape(self.shape))
    x, axes = self, [wrap_dim(dim, self.ndim) for dim in dims]
    for shift, axis in zip(shifts, axes, strict=True):
        x = rolled(xp, x, shift, axis)
    return x


def rolled(xp: Any, x: Any, shift: int, axis: int) -> Any:
    """A copy whose last `shift` slices along an axis stand before the others.

    In rows, or with its channels last if both parts have them there, as torch joins them.
    """
    shift %= x.shape[axis]
    if not shift:
        return x.copy(order="C")
    before = (slice(None),) * axis
    last, first = x[(*before, slice(-shift, None))], x[(*before, slice(-shift))]
    if all(is_channels_last(part.shape, strides_of(part)) for part in (last, first)):
        out = xp.empty_strided(x.shape, channels_last_strides(x.shape), x.dtype)
    else:
        out = xp.empty(x.shape, x.dtype)
    out[(*before, slice(shift))] = last
    out[(*before, slice(shift, None))] = first
    return out


roll_row = operator(
    "roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
    node="RollBackward0",
    forward=roll_forward,
    self=lambda F, grad, shifts, dims: F.roll(
        grad, tuple([-shift for shift in reversed(shifts)]), tuple(reversed(dims))
    ),
    result=LINEAR,
    on=("F",),
    vmap=NAMES_DIMS.but(named=True),
    calls=Calls(joins=lambda self, *args, **kwargs: self.numel()),
)


def listed(dims: Any) -> tuple[int, ...]:
    """An int, or a sequence of them, as a tuple."""
    return (dims,) if isinstance(dims, int) else tuple(map(index, dims))


@composite("roll")
def roll(input: Any, shifts: Any, dims: Any = ()) -> Any:
    """`input` rolled along dimensions, or as one row of all elements."""
    steps = listed(shifts)
    if not all([-(2**63) <= step < 2**63 for step in steps]):
        raise TypeError  # worded by the signature
    return roll_row(input, steps, () if dims is None else listed(dims))


def rot90_forward(xp: Any, self: Any, k: int, dims: Any) -> Any:
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if self.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {self.ndim}")
    a, b = wrap_dim(dims[0], self.ndim), wrap_dim(dims[1], self.ndim)
    if a == b:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    turn = k % 4
    if turn == 0:
        return self.copy(order="C")
    if turn == 2:
        return flip_forward(xp, self, (a, b))
    flipped = flip_forward(xp, self, (b if turn == 1 else a,))
    return own(flipped.swapaxes(a, b))


rot90 = operator(
    "rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor",
    node="Rot90Backward0",
    preserves=True,
    forward=rot90_forward,
    self=lambda F, grad, k, dims: F.rot90(grad, -k, dims),
    result=LINEAR,
    vmap=NAMES_DIMS,
)
