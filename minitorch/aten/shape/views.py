"""Views of another shape: squeeze, unsqueeze, view, reshape, expand and their kin."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from minitorch.core.arrays import layout, namespace, offset_of, retyped, summation
from minitorch.core.arrays.lazy import bits_of
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.calls import ALWAYS, AS_METHOD, BITS, READS_BITS, Calls
from minitorch.core.declare.codegen.shells import as_list, over
from minitorch.core.declare.expose import inner_of
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.protocols.mode_stack import is_seen_by
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import KEEPS_DIMS, NAMES_DIMS, VMap, made_of
from minitorch.core.declare.wording.numpy_spelling import written_out
from minitorch.core.declare.wording.plain_numbers import as_sizes
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.graph.views import view_of
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import entry_of, native_type_name, wrap_dim

# ---- dimensions of size 1: squeeze, unsqueeze


def unsqueeze_forward(xp: Any, self: Any, dim: int) -> Any:
    at = wrap_dim(dim, self.ndim + 1)
    shape = self.shape
    if self.flags.c_contiguous and 1 not in shape and self.size:
        return self.reshape((*shape[:at], 1, *shape[at:]))  # half the time of `strided`
    strides, step = self.strides, self.itemsize
    if at < self.ndim:  # a single byte is what stands for 0 where it is empty
        step *= strides[at] // step * shape[at]
    return xp.strided(self, (*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:]))


unsqueeze = operator(
    "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
    node="UnsqueezeBackward0",
    forward=unsqueeze_forward,
    self=lambda F, grad, dim: F.squeeze_dim(grad, dim),
    result=LINEAR,
    vmap=NAMES_DIMS.but(grows=1),
    calls=READS_BITS,
)


def squeezed(xp: Any, self: Any, dims: Any) -> Any:
    """`self` without those of `dims` that have size 1."""
    shape = self.shape
    gone = tuple([dim for dim in dims if shape[dim] == 1])
    return self.squeeze(gone) if gone else self[...]


def squeeze_dim_forward(xp: Any, self: Any, dim: int) -> Any:
    at = wrap_dim(dim, self.ndim)
    return squeezed(xp, self, (at,) if self.ndim else ())


def squeeze_dims_forward(xp: Any, self: Any, dim: Any) -> Any:
    dims = wrapped_dims(dim, self.ndim)
    return squeezed(xp, self, dims if self.ndim else ())


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
    vmap=VMap("squeeze"),
)

squeeze_dim = operator(
    "squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
    node="SqueezeBackward1",
    forward=squeeze_dim_forward,
    self=lambda F, grad, self_sym_sizes, dim: unsqueeze_to(F, grad, self_sym_sizes, (dim,)),
    result=LINEAR,
    on=("F",),
    vmap=made_of(lambda self, dim: OPS.squeeze_dims(self, [dim])),
)

squeeze_dims = operator(
    "squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
    node="SqueezeBackward2",
    forward=squeeze_dims_forward,
    self=lambda F, grad, self_sym_sizes, dim: unsqueeze_to(F, grad, self_sym_sizes, dim),
    result=LINEAR,
    on=("F",),
    vmap=NAMES_DIMS.but(none=True),
)


@composite("squeeze", calls=READS_BITS)
def squeeze(input: Any, *numbers: Any, dim: Any = UNSET) -> Any:
    """`input` without its dimensions of size 1, or without those among `dim`."""
    if dim is UNSET:
        if not numbers:
            return squeeze_all(input)
        dim = numbers[0] if len(numbers) == 1 else numbers
    if type(dim) is int:
        return squeeze_dim(input, dim)
    if isinstance(dim, (TensorBase, bool)):
        raise TypeError  # an int is wanted, which the parser says better, or finds in a tensor
    if not isinstance(dim, (tuple, list)):
        return squeeze_dim(input, dim)
    if dim and type(dim[0]) is bool:
        raise TypeError
    return squeeze_dims(input, tuple(dim))


# ---- another shape: view, reshape, flatten


def view_forward(xp: Any, self: Any, size: Any) -> Any:
    plain = 1 not in self.shape or layout.is_plain(self)
    if plain and self.flags.c_contiguous and self.size:
        try:
            x = self.reshape(size)
        except ValueError:
            x = None
        # NumPy takes any negative size for -1.
        if x is not None and (x.shape == size or -1 in size):
            return x
    shape = layout.infer_size(size, self.size)
    strides = layout.view_strides(self.shape, layout.strides_of(self), shape)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    steps = [s * self.itemsize for s in strides]
    return xp.strided(self, shape, steps if self.size else layout.repeated(steps))


def view_as_dtype(self: Any, dtype: Any) -> Any:
    """The memory of `self` read as numbers of another dtype; autograd does not see it as a view."""
    dtype = dtypes.meant("view", "dtype", dtype, 1)
    x = self._array
    if True in bits_of(x):
        kind = "conjugate view tensors" if bits_of(x)[0] else "tensors with negative bit set"
        raise RuntimeError(
            f"torch.Tensor.view is not supported for {kind} when converting to a different dtype."
        )
    own, wanted = x.itemsize, dtype.numpy.itemsize
    if own != wanted:
        _check_retyped(self, dtype, own, wanted)
    result = view_of(self, retyped(x, dtype.numpy), None)
    result._view = None if result._array.flags.c_contiguous else (None, 0, None)
    return result


def _check_retyped(self: Any, dtype: Any, own: int, wanted: int) -> None:
    x = self._array
    kinds = f"to view {dtypes.of(x).scalar_name} as {dtype.scalar_name} (different element sizes)"
    if x.ndim == 0:
        raise RuntimeError(f"self.dim() cannot be 0 {kinds}")
    strides = layout.strides_of(x)
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {kinds}, but got {strides[-1]}")
    if wanted > own and x.shape[-1] % (wanted // own):
        raise RuntimeError(
            f"self.size(-1) must be divisible by {wanted // own} {kinds}, but got {x.shape[-1]}"
        )
    offset = self.storage_offset()
    if wanted > own and offset % (wanted // own):
        raise RuntimeError(
            f"self.storage_offset() must be divisible by {wanted // own} {kinds}, but got {offset}"
        )
    for dim, stride in enumerate(strides[:-1]):
        if wanted > own and stride % (wanted // own):
            raise RuntimeError(
                f"self.stride({dim}) must be divisible by {wanted // own} {kinds}, but got {stride}"
            )


view = operator(
    "view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
    node="ViewBackward0",
    forward=view_forward,
    self=lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes),
    result=LINEAR,
    on=("method",),
    varargs="size",
    overloads={dtypes.dtype: view_as_dtype, type: view_as_dtype, "dtype": view_as_dtype},
    vmap=VMap("view"),
    calls=READS_BITS,
)
view_inner = inner_of(view)

_unsafe_view = operator(
    "_unsafe_view(Tensor self, SymInt[] size) -> Tensor",
    node="UnsafeViewBackward0",
    preserves=True,
    forward=view_forward,
    self=lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes),
    result=LINEAR,
    on=("F",),
    vmap=VMap("unsafe_view"),
    calls=READS_BITS,
)

_reshape_alias = operator(
    "_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)",
    node="ReshapeAliasBackward0",
    forward=lambda xp, self, size, stride: xp.strided(
        self, size, [s * self.itemsize for s in stride]
    ),
    self=lambda F, grad, self_sym_sizes: F.reshape(grad, self_sym_sizes),
    result=LINEAR,
    on=("F",),
)

alias = operator(
    "alias(Tensor(a) self) -> Tensor(a)",
    node="AliasBackward0",
    forward=lambda self: self[...],
    self=lambda grad: grad,
    result=LINEAR,
    on=("F",),
    vmap=KEEPS_DIMS,
    calls=READS_BITS,
)


def reshaped(x: Any, shape: Any) -> Any:
    """The array `x` with another shape, as formulas ask for it."""
    if 1 not in shape and 0 not in shape:  # the others may have any stride
        return x.reshape(shape)
    if x.size and (1 not in x.shape or not x.flags.c_contiguous or layout.is_plain(x)):
        return x.reshape(shape)
    return view_forward(namespace(x), x, shape)


@composite("reshape", raw=reshaped, calls=READS_BITS)
def reshape(input: Any, *numbers: Any, shape: Any = None) -> Any:
    """`input` with another shape: a view where its strides allow one, else a copy."""
    size = numbers
    if shape is not None or not numbers or type(numbers[0]) is not int:
        only = numbers[0] if len(numbers) == 1 and shape is None else None
        if type(only) is tuple and only and type(only[0]) is int:
            size = only  # the ordinary case of `written_out`
        else:
            size = written_out("reshape", "shape", numbers, shape)
    x = input._array
    if x.flags.c_contiguous:
        return view_inner(input, size)
    size = layout.infer_size(size, x.size)
    strides = layout.view_strides(x.shape, layout.strides_of(x), size)
    if strides is None:
        return _unsafe_view(input.clone(memory_format=devices.contiguous_format), size)
    if input._level is not None or is_seen_by(input):  # torch asks all that is like a subclass
        return view_inner(input, size)
    return _reshape_alias(input, size, strides)


@composite("detach", on=("function",), calls=READS_BITS)
def detach(input: Any) -> Any:
    """The memory of `input` without history. As Tensor.detach."""
    return input.detach()


@composite("detach_", on=("function",))
def detach_(input: Any) -> Any:
    """Cuts `input` off its history, in place. As Tensor.detach_."""
    return input.detach_()


@composite("view_as", on=("method",), calls=READS_BITS)
def view_as(self: Any, other: Any) -> Any:
    """`self` viewed with the shape of `other`."""
    return view_inner(self, other._array.shape)


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


@composite("ravel")
def ravel(input: Any) -> Any:
    """All elements in one dimension."""
    if not input._array.flags.c_contiguous:
        input = input.contiguous()
    return reshape(input, (-1,))


@composite("unflatten", calls=Calls(in_python=AS_METHOD, reads=BITS))
def unflatten(input: Any, dim: int, sizes: Any) -> Any:
    """`input` with one dimension split into several, one of which may be -1."""
    at = wrap_dim(dim, input.dim())
    sizes = tuple(sizes)
    shape = input._array.shape
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        parts = layout.infer_size(sizes, entry_of(shape, at))
    except (RuntimeError, IndexError) as error:
        if "is invalid for input of size" not in str(error):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} "
            f"({shape[at]}) in the input tensor"
        ) from None
    return view_inner(input, (*shape[:at], *parts, *shape[at + 1 :]))


# ---- complex numbers as pairs


def view_as_real_forward(xp: Any, self: Any) -> Any:
    if not dtypes.of(self).is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if bits_of(self)[0]:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
            "tensor so you can view it as real, use self.resolve_conj(); however, be warned that "
            "the resulting tensor will NOT alias the original."
        )
    if self.dtype.names:
        part = self["real"]
        return xp.strided(part, (*self.shape, 2), (*self.strides, part.itemsize))
    part = self.real.dtype
    return xp.strided(
        xp.strided(self, self.shape, self.strides).view(part)
        if self.flags.c_contiguous and self.ndim
        else self.real,
        (*self.shape, 2),
        (*self.strides, part.itemsize),
    )


view_as_real = operator(
    "view_as_real(Tensor(a) self) -> Tensor(a)",
    node="ViewAsRealBackward0",
    forward=view_as_real_forward,
    self=lambda F, grad: F.view_as_complex(F.contiguous(grad)),
    result=LINEAR,
    on=("function",),
    retypes=True,
    vmap=KEEPS_DIMS,
    calls=READS_BITS,
)


def check_even_offset(x: Any) -> None:
    if offset_of(x) // x.itemsize % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")


def view_as_complex_forward(xp: Any, self: Any) -> Any:
    if self.dtype.kind != "f":
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {dtypes.of(self).scalar_name}"
        )
    if self.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    shape = self.shape
    if shape[-1] == 2 and self.flags.c_contiguous and 1 not in shape and self.size:
        check_even_offset(self)  # all else that is asked below holds: 1 us less
        return self.view(dtypes.of(self).to_complex().numpy)[..., 0]
    strides = layout.strides_of(self)
    if self.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if strides[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any([n != 1 and stride % 2 for n, stride in zip(self.shape, strides[:-1], strict=False)]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    check_even_offset(self)
    pairs = self.view(dtypes.of(self).to_complex().numpy)[..., 0]
    return xp.strided(pairs, pairs.shape, [stride // 2 * pairs.itemsize for stride in strides[:-1]])


view_as_complex = operator(
    "view_as_complex(Tensor(a) self) -> Tensor(a)",
    node="ViewAsComplexBackward0",
    forward=view_as_complex_forward,
    self=lambda F, grad: F.view_as_real(F.resolve_conj(F.contiguous(grad))),
    result=LINEAR,
    on=("function",),
    retypes=True,
    vmap=KEEPS_DIMS,
)

# ---- repeated without a copy: expand, broadcast


def refuse_rank(x: Any, size: Any) -> RuntimeError:
    """The error for fewer sizes than the array has dimensions."""
    return RuntimeError(
        f"expand({native_type_name(tensor(x))}{{{list(x.shape)}}}, size={list(size)}): the number "
        f"of sizes provided ({len(size)}) must be greater or equal to the number of dimensions in "
        f"the tensor ({x.ndim})"
    )


def expand_forward(xp: Any, self: Any, size: Any) -> Any:
    if len(size) < self.ndim:
        raise refuse_rank(self, size)
    return xp.strided(self, *expanded_geometry(self.shape, self.strides, tuple(size)))


@lru_cache(4096)
def expanded_geometry(shape: Any, strides: Any, size: Any) -> tuple[Any, Any]:
    """The shape and the strides, in bytes, of an array expanded to `size`, in which -1 keeps.

    RuntimeError with torch's texts where it does not fit. As ATen/ExpandUtils.cpp.
    """
    if not all([hasattr(each, "__index__") for each in size]):
        raise TypeError("no float is a size")  # which would be kept for the integers it equals
    lead = len(size) - len(shape)
    new_shape, new_strides = list(size), [0] * lead + list(strides)
    for dim in range(len(size) - 1, -1, -1) if shape else ():
        wanted = size[dim]
        if dim >= lead:
            own = shape[dim - lead]
        elif wanted == -1:
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, "
                f"non-existing dimension {dim}"
            )
        else:  # a new dimension gets the stride of a block around what it repeats
            own, new_strides[dim] = 1, new_shape[dim + 1] * new_strides[dim + 1]
        if wanted == -1:
            new_shape[dim] = own
        elif own != wanted:
            if own != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) must match the existing size "
                    f"({own}) at non-singleton dimension {dim}.  Target sizes: {list(size)}.  "
                    f"Tensor sizes: {list(shape)}"
                )
            new_strides[dim] = 0
    if min(new_shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if 0 in new_shape:
        new_strides = layout.repeated(new_strides)
    return tuple(new_shape), tuple(new_strides)


expand = operator(
    "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
    node="ExpandBackward0",
    forward=expand_forward,
    self=lambda F, grad, self_sym_sizes: F.sum_to_size(grad, self_sym_sizes),
    result=LINEAR,
    on=("method",),
    varargs="size",
    vmap=VMap("expand"),
    calls=READS_BITS,
)
expand_inner = inner_of(expand)


@composite("expand_as", on=("method",), calls=READS_BITS)
def expand_as(self: Any, other: Any) -> Any:
    """`self` expanded to the shape of `other`."""
    return expand_inner(self, other._array.shape)


@composite("broadcast_to")
def broadcast_to(input: Any, *numbers: Any, size: Any = None) -> Any:
    """`input` expanded to `size`."""
    wanted = written_out("broadcast_to", "size", numbers, size)
    if not {int}.issuperset(map(type, wanted)):
        wanted = as_sizes(wanted)
    return expand_inner(input, wanted)


@composite("broadcast_tensors", on=("function",), calls=Calls(in_python=ALWAYS, falls_back=True))
@over(lambda *tensors: ("_VF.broadcast_tensors", as_list(tensors)))
def broadcast_tensors(*tensors: Any) -> Any:
    """The tensors expanded to the shape they broadcast to."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if not tensors:
        return ()
    shape = layout.broadcast(*[each._array.shape for each in tensors])
    return tuple(
        [each if each._array.shape == shape else expand_inner(each, shape) for each in tensors]
    )


@composite(
    "sum_to_size",
    on=("method",),
    raw=lambda x, size: summation.sum_to(namespace(x), x, tuple(size)),
)
def sum_to_size(self: Any, *numbers: Any, size: Any = None) -> Any:
    """`self` summed over the dimensions in which it is larger than `size`. As Tensor.sum_to_size.

    As sum_to of ATen/ExpandUtils.h.
    """
    wanted = written_out("sum_to_size", "size", numbers, size)
    if any([type(each) is not int and not hasattr(each, "node") for each in wanted]):
        raise TypeError  # worded by the signature; a SymInt has a node
    shape = self._array.shape
    lead = len(shape) - len(wanted)
    if lead < 0 or any([n not in (1, m) for n, m in zip(wanted, shape[lead:], strict=True)]):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(shape)}}}.")
    dims = [dim for dim in range(len(shape)) if dim < lead or wanted[dim - lead] == 1 != shape[dim]]
    if not wanted:
        return self.sum()
    if dims:
        self = OPS.sum_dim_IntList(self, tuple(dims), True)
    return view_inner(self, wanted) if lead else self
