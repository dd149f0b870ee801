"""One tensor as several views of its parts: unbind, split, chunk, tensor_split and their kin."""

from __future__ import annotations

from typing import Any

from minitorch.aten.in_formulas import zeros
from minitorch.aten.shape.slicing import slice_tensor
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.calls import ALWAYS, BITS, READS_BITS, Calls
from minitorch.core.declare.codegen.runtime import ints_of
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.registry import FUNCTIONS
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import NAMES_DIMS
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import wrap_dim


def unbind_forward(self: Any, dim: int) -> Any:
    at = wrap_dim(dim, self.ndim)
    if self.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if dim == 0 and self.ndim > 1 and self.size:
        return list(self)
    lead = (slice(None),) * at
    return [self[(*lead, i, ...)] for i in range(self.shape[len(lead)])]


def unbind_backward(F: Any, grads: Any, dim: int) -> Any:
    like = next(grad for grad in grads if grad is not None)
    none = zeros(F, like, like.shape) if None in map(type_or_none, grads) else None
    return F.stack([none if grad is None else grad for grad in grads], dim)


def type_or_none(grad: Any) -> Any:
    """None for None, else the type: arrays must not be compared with None."""
    return None if grad is None else type(grad)


unbind = operator(
    "unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
    node="UnbindBackward0",
    forward=unbind_forward,
    self=unbind_backward,
    result=LINEAR,
    vmap=NAMES_DIMS,
    calls=READS_BITS,
)


def parts_of(xp: Any, self: Any, sizes: Any, at: int) -> list[Any]:
    """Views of `self`: parts of these sizes along one dimension."""
    lead = (slice(None),) * at
    parts, start = [], 0
    for size in sizes:
        part = self[(*lead, slice(start, start + size))]
        if not part.size and self.size:  # NumPy forgets where an empty slice starts
            part = xp.strided(self, part.shape, self.strides, start * self.strides[at])
        parts.append(part)
        start += size
    return parts


def split_forward(xp: Any, self: Any, split_size: int, dim: int) -> Any:
    if self.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={split_size}"
        )
    at = wrap_dim(dim, self.ndim)
    size = self.shape[at]
    if split_size == 0 and size:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}"
        )
    return parts_of(xp, self, split_sizes_of(size, split_size), at)


def split_sizes_of(size: int, split_size: int) -> list[int]:
    """The sizes of parts of `split_size` each, the last of them what is left."""
    if size == 0:
        return [0]
    return [min(split_size, size - start) for start in range(0, size, split_size)]


def split_backward(F: Any, grads: Any, parts: Any, dim: int, sizes: Any) -> Any:
    """The gradients of the parts one after the other, zeros where none arrived."""
    at = dim % len(sizes)
    like = next(grad for grad in grads if grad is not None)
    shape = [*sizes]
    filled = []
    for size, grad in zip(parts, grads, strict=True):
        shape[at] = size
        filled.append(zeros(F, like, tuple(shape)) if grad is None else grad)
    return F.cat(filled, at)


split_tensor = operator(
    "split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
    node="SplitBackward0",
    forward=split_forward,
    self=lambda F, grads, split_size, dim, self_sym_sizes: split_backward(
        F, grads, split_sizes_of(self_sym_sizes[dim], split_size), dim, self_sym_sizes
    ),
    result=LINEAR,
    on=("F",),
    vmap=NAMES_DIMS,
)


def split_with_sizes_forward(xp: Any, self: Any, split_sizes: Any, dim: int) -> Any:
    if self.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    at = wrap_dim(dim, self.ndim)
    if min(split_sizes, default=0) < 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    if sum(split_sizes) != self.shape[at]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self.shape[at]} (input "
            f"tensor's size at dimension {dim}), but got split_sizes={list(split_sizes)}"
        )
    return parts_of(xp, self, split_sizes, at)


split_with_sizes = operator(
    "split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
    node="SplitWithSizesBackward0",
    forward=split_with_sizes_forward,
    self=lambda F, grads, split_sizes, dim, self_sym_sizes: split_backward(
        F, grads, split_sizes, dim, self_sym_sizes
    ),
    result=LINEAR,
    vmap=NAMES_DIMS,
    calls=READS_BITS,
)


unsafe_split = operator(
    "unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
    node="UnsafeSplitBackward0",
    forward=split_forward,
    self=lambda F, grads, split_size, dim, self_sym_sizes: split_backward(
        F, grads, split_sizes_of(self_sym_sizes[dim], split_size), dim, self_sym_sizes
    ),
    result=LINEAR,
    vmap=NAMES_DIMS,
)

unsafe_split_with_sizes = operator(
    "unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
    node="UnsafeSplitWithSizesBackward0",
    forward=split_with_sizes_forward,
    self=lambda F, grads, split_sizes, dim, self_sym_sizes: split_backward(
        F, grads, split_sizes, dim, self_sym_sizes
    ),
    result=LINEAR,
    vmap=NAMES_DIMS,
)


@composite("split", on=("method",), calls=Calls(in_python=ALWAYS, reads=BITS))
def split(self: Any, split_size: Any, dim: int = 0) -> Any:
    """`self` in parts of one size, or of the sizes in a list. As Tensor.split."""
    if type(dim) is not int:
        path = "_VF.split" if isinstance(split_size, int) else "torch.split_with_sizes"
        refuse_handed(path, self, split_size, dim)
    if isinstance(split_size, TensorBase) and split_size.numel() == 1:  # type: ignore[attr-defined]
        split_size = int(split_size)  # type: ignore[call-overload]
    if isinstance(split_size, int):
        return split_tensor(self, split_size, dim)
    if not isinstance(split_size, (list, tuple)):
        return FUNCTIONS["split_with_sizes"](self, split_size, dim)
    return split_with_sizes(self, tuple(split_size), dim)


@composite("split", on=("function",))
def split_function(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """`tensor` in parts of one size, or of the sizes in a list. As torch.split."""
    return tensor.split(split_size_or_sections, dim)


split_function.__name__ = split_function.__qualname__ = "split"


@composite("unsafe_chunk")
def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """`chunk` whose parts autograd does not take for views."""
    return chunked(input, chunks, dim, unsafe_split, unsafe_split_with_sizes)


@composite("chunk", calls=READS_BITS)
def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """`input` in at most `chunks` parts of one size."""
    return chunked(input, chunks, dim, split_tensor, split_with_sizes)


def chunked(input: Any, chunks: int, dim: int, split_evenly: Any, split_by_sizes: Any) -> Any:
    """`input` in at most `chunks` parts, cut by these operators."""
    if input.dim() == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input._array.shape[wrap_dim(dim, input.dim())]
    part = -(-size // chunks)
    if part == 0:
        return split_by_sizes(input, (0,) * chunks, dim)
    return split_evenly(input, part, dim)


@composite("tensor_split")
def tensor_split(
    input: Any,
    indices_or_sections: Any = None,
    dim: int = 0,
    *,
    sections: Any = None,
    indices: Any = None,
    tensor_indices_or_sections: Any = None,
) -> Any:
    """`input` in that many parts, or cut at these indices."""
    named = (indices_or_sections, sections, indices, tensor_indices_or_sections)
    given = [each for each in named if each is not None]
    if len(given) != 1:
        raise TypeError  # worded by the signatures
    indices_or_sections = given[0]
    if input.dim() == 0:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    if isinstance(indices_or_sections, TensorBase):
        if indices_or_sections.dim() > 1 or indices_or_sections._array.dtype != dtypes.int64.numpy:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{indices_or_sections.dtype.scalar_name}"
                if indices_or_sections._array.dtype != dtypes.int64.numpy
                else "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                "one-dimensional tensor, but got a tensor with "
                f"{indices_or_sections.dim()} dims"
            )
        if is_numberless(indices_or_sections._array):
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on meta"
            )
        indices_or_sections = indices_or_sections.tolist()
    at = wrap_dim(dim, input.dim())
    size = input._array.shape[at]
    if isinstance(indices_or_sections, int):
        sections = indices_or_sections
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        least, longer = divmod(size, sections)
        cuts = [0]
        for i in range(sections):
            cuts.append(cuts[-1] + least + (i < longer))
        return tuple([slice_tensor(input, at, cuts[i], cuts[i + 1], 1) for i in range(sections)])
    if not isinstance(indices_or_sections, (tuple, list)):
        raise TypeError  # worded by the signature
    starts = [0, *indices_or_sections]
    ends = [*indices_or_sections, size]
    return tuple([slice_tensor(input, at, i, j, 1) for i, j in zip(starts, ends, strict=True)])


def _cut(name: str, rank: int, dim: int) -> Any:
    @overloads("Tensor input, int sections", "Tensor input, tuple of ints indices")
    def function(input: Any, *numbers: Any, sections: Any = None, indices: Any = None) -> Any:
        if bool(numbers) + (sections is not None) + (indices is not None) > 1:
            raise TypeError  # worded by the signatures
        if numbers:
            sections = numbers[0] if len(numbers) == 1 else ints_of(numbers)
            if type(sections) is bool:
                raise TypeError  # worded by the signature
        elif sections is None:
            sections = tuple(indices)
        if input.dim() < rank:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {rank} dimension, but got a tensor "
                f"with {input.dim()} dimensions!"
            )
        if isinstance(sections, TensorBase) and sections.dim():  # type: ignore[attr-defined]
            raise TypeError("no tensor stands for a list")
        at = 0 if name == "hsplit" and input.dim() == 1 else dim
        size = input._array.shape[at]
        if isinstance(sections, int) and (sections == 0 or size % sections):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {at}, but the size of the "
                f"dimension {size} is not divisible by the split_size {sections}!"
            )
        return tensor_split(input, sections, at)

    function.__doc__ = f"`input` cut along dimension {dim}. As torch.{name}."
    return composite(name, calls=READS_BITS)(function)


hsplit, vsplit, dsplit = _cut("hsplit", 1, 1), _cut("vsplit", 2, 0), _cut("dsplit", 3, 2)
