"""Several tensors made one (cat, stack and their kin), and one tensor repeated."""

from __future__ import annotations

from operator import index
from typing import Any

from minitorch.aten.in_formulas import zeros
from minitorch.aten.shape.views import (
    expand_inner,
    flatten,
    reshape,
    unsqueeze_forward,
    view_inner,
)
from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.arrays.on_numpy import own
from minitorch.core.arrays.questions import some
from minitorch.core.arrays.too_large import fresh_error
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.calls import ALWAYS, IN_PYTHON, READS_BITS, Calls
from minitorch.core.declare.codegen.shells import as_list, over
from minitorch.core.declare.families import composite, not_differentiable, operator
from minitorch.core.declare.out import (
    ANYTHING,
    APART,
    BEFORE_DTYPE,
    BEFORE_MEMORY,
    Out,
    castable_as,
)
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import NAMES_DIMS, VMap
from minitorch.core.declare.wording.numpy_spelling import written_out
from minitorch.core.declare.wording.plain_numbers import as_sizes
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import result_type
from minitorch.core.tensor.conversion import native_type_name, wrap_dim
from minitorch.core.tensor.cpp_printing import streamed
from minitorch.core.warning import warn_once

# ---- cat, stack


def is_skipped(shape: Any) -> bool:
    """Whether `cat` passes over a tensor of this shape: an empty vector joins anything."""
    return len(shape) == 1 and shape[0] == 0


def cat_forward(tensors: Any, dim: int) -> Any:
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    x = _joined_plainly(tensors, dim)
    if x is not None:
        return x
    _check_given(tensors)
    for position, x in enumerate(tensors):
        if x.ndim == 0:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated"
            )
    like = next((x for x in tensors if not is_skipped(x.shape)), tensors[0])
    at = 0 if is_skipped(like.shape) else wrap_dim(dim, like.ndim)
    for number, x in enumerate(tensors):
        if x.shape != like.shape and not is_skipped(x.shape):
            _check_fits(like, x, at, number)
    return _joined(tensors, at)


def _check_given(tensors: Any) -> None:
    """TypeError for None among tensors."""
    for position, x in enumerate(tensors):
        if x is None:
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got NoneType"
            )


def _joined_plainly(tensors: Any, dim: int) -> Any:
    """The arrays joined if they are contiguous, of one dtype and fit; None if anything is amiss."""
    first = tensors[0]
    for x in tensors:
        if x is None or x.dtype is not first.dtype or not x.flags.c_contiguous:
            return None
    try:
        return namespace(first).concatenate(tensors, dim)
    except (ValueError, IndexError):
        return None


def _check_fits(like: Any, x: Any, at: int, number: int) -> None:
    if x.ndim != like.ndim:
        raise RuntimeError(
            f"Tensors must have same number of dimensions: got {like.ndim} and {x.ndim}"
        )
    for dim, (expected, got) in enumerate(zip(like.shape, x.shape, strict=True)):
        if dim != at and expected != got:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {at}. Expected size {expected} "
                f"but got size {got} for tensor number {number} in the list."
            )


def _joined(tensors: Any, at: int) -> Any:
    """The arrays one after the other along the dimension `at`, in the memory format they share."""
    xp = namespace(tensors[0])
    dtype = tensors[0].dtype
    if any(x.dtype is not dtype for x in tensors):
        dtype = result_type(*[(dtypes.of(x), x.ndim) for x in tensors]).numpy
        tensors = [x if x.dtype == dtype else cast(x, dtype) for x in tensors]
    parts = [x for x in tensors if not is_skipped(x.shape)] or tensors[:1]
    if all(x.flags.c_contiguous for x in tensors):
        return xp.concatenate(parts, at)
    shape = list(parts[0].shape)
    shape[at] = sum([x.shape[at] for x in parts])
    strides = layout.contiguous_strides(tuple(shape))
    if all(layout.is_channels_last(x.shape, layout.strides_of(x)) for x in tensors):
        strides = layout.channels_last_strides(tuple(shape))
    return xp.concatenate(parts, at, out=xp.empty_strided(shape, strides, dtype))


def cat_backward(F: Any, grad: Any, sizes: Any, dim: int) -> Any:
    """The part of `grad` that belongs to each tensor."""
    at = dim % max(map(len, sizes))
    parts, start = [], 0
    for shape in sizes:
        if is_skipped(shape):
            parts.append(zeros(F, grad, shape))
            continue
        parts.append(F.narrow(grad, at, start, shape[at]))
        start += shape[at]
    return parts


_CONCATENATED = Out(
    castable_as(
        "torch.cat(): input types can't be cast to the desired output type {out.scalar_name}",
        TypeError,
    ),
    overlap=APART,
    shaped=BEFORE_MEMORY,
    looked_at=lambda tensors: [] if all(is_skipped(x._array.shape) for x in tensors) else tensors,
)

cat = operator(
    "cat(Tensor[] tensors, int dim=0) -> Tensor",
    node="CatBackward0",
    forward=cat_forward,
    tensors=lambda F, grad, tensors_args_sizes, dim: cat_backward(F, grad, tensors_args_sizes, dim),
    result=LINEAR,
    variants=("out",),
    on=("function",),
    out=_CONCATENATED,
    vmap=NAMES_DIMS.but(one_rank=True),
)


def stack_forward(tensors: Any, dim: int) -> Any:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    _check_given(tensors)
    first = tensors[0]
    at = wrap_dim(dim, first.ndim + 1)
    for entry, x in enumerate(tensors):
        if x.shape != first.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry "
                f"0 and {list(x.shape)} at entry {entry}"
            )
    if at == first.ndim:
        x = _joined_plainly([x[..., None] for x in tensors], at)
        if x is not None:
            return x
        return _joined([unsqueeze_forward(namespace(x), x, at) for x in tensors], at)
    x = _joined_plainly(tensors, at)
    if x is None:
        x = _joined(tensors, at)
    shape = (*first.shape[:at], len(tensors), *first.shape[at:])
    if x.flags.c_contiguous:
        return own(x.reshape(shape))
    strides = layout.view_strides(x.shape, layout.strides_of(x), shape) or ()
    return own(namespace(x).strided(x, shape, [s * x.itemsize for s in strides]))


stack = operator(
    "stack(Tensor[] tensors, int dim=0) -> Tensor",
    node="StackBackward0",
    forward=stack_forward,
    tensors=lambda F, grad, dim: [F.select(grad, dim, i) for i in range(grad.shape[dim])],
    result=LINEAR,
    variants=("out",),
    on=("function",),
    out=_CONCATENATED.but(shaped=BEFORE_DTYPE),
    vmap=NAMES_DIMS.but(grows=1, views=True),
)


@composite("concat", on=("function",), out=_CONCATENATED.but(error_name="cat"))
def concat(tensors: Any, dim: int = 0) -> Any:
    """The tensors one after the other along a dimension. As torch.cat."""
    return cat(tensors, dim)


@composite("concatenate", on=("function",), out=_CONCATENATED.but(error_name="cat"))
def concatenate(tensors: Any, dim: int = 0) -> Any:
    """The tensors one after the other along a dimension. As torch.cat."""
    return cat(tensors, dim)


def at_least(rank: int) -> Any:
    """A function that gives a tensor at least `rank` dimensions, where NumPy would put them."""

    def raised(x: Any) -> Any:
        shape = tuple(x._array.shape)
        if len(shape) >= rank:
            return x
        if len(shape) == 0:
            return reshape(x, (1,) * rank)
        if rank == 2:
            return x.unsqueeze(0)
        return x.unsqueeze(0).unsqueeze(-1) if len(shape) == 1 else x.unsqueeze(-1)

    def function(*tensors: Any) -> Any:
        if len(tensors) == 1:
            if isinstance(tensors[0], TensorBase):
                return raised(tensors[0])
            tensors = tensors[0]
        return tuple([raised(each) for each in tensors])

    function.__name__ = function.__qualname__ = f"atleast_{rank}d"
    function.__doc__ = f"The tensors with at least {rank} dimensions. As torch.atleast_{rank}d."
    name = function.__name__
    handed = over(lambda *tensors: (f"_VF.{name}", tensors[0] if len(tensors) == 1 else tensors))
    said = Calls(in_python=ALWAYS, lists=True, falls_back=True)
    return composite(name, on=("function",), calls=said)(handed(function))


atleast_1d, atleast_2d, atleast_3d = at_least(1), at_least(2), at_least(3)


def check_list(name: str, tensors: Any) -> None:
    """RuntimeError unless there is a tensor in the list."""
    if not len(tensors):
        raise RuntimeError(f"{name} expects a non-empty TensorList")


@composite("hstack", on=("function",), own_out=_CONCATENATED)
def hstack(tensors: Any, *, out: Any = None) -> Any:
    """The tensors side by side: along the second dimension, vectors along their own."""
    check_list("hstack", tensors)
    tensors = atleast_1d(tensors)
    return cat(tensors, 0 if tensors[0].dim() == 1 else 1, out=out)


@composite("vstack", on=("function",), own_out=_CONCATENATED)
def vstack(tensors: Any, *, out: Any = None) -> Any:
    """The tensors one below the other; vectors are rows."""
    check_list("vstack", tensors)
    return cat(atleast_2d(tensors), 0, out=out)


@composite("row_stack", on=("function",), own_out=_CONCATENATED)
def row_stack(tensors: Any, *, out: Any = None) -> Any:
    """The tensors one below the other; vectors are rows."""
    return vstack(tensors, out=out)


@composite("dstack", on=("function",), own_out=_CONCATENATED)
def dstack(tensors: Any, *, out: Any = None) -> Any:
    """The tensors one behind the other, along the third dimension."""
    check_list("dstack", tensors)
    return cat(atleast_3d(tensors), 2, out=out)


@composite("column_stack", on=("function",), own_out=_CONCATENATED, vmap=VMap("without_rule"))
def column_stack(tensors: Any, *, out: Any = None) -> Any:
    """The tensors side by side; vectors are columns."""
    check_list("column_stack", tensors)
    columns = [reshape(x, (x.numel(), 1)) if x.dim() <= 1 else x for x in tensors]
    return hstack(columns, out=out)


def block_diag_forward(tensors: Any) -> Any:
    for i, x in enumerate(tensors):
        if x.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{i} has {x.ndim} dimensions"
            )
    blocks = [x.reshape((1,) * (2 - x.ndim) + x.shape) for x in tensors]
    dtype = result_type(*[(dtypes.of(x), x.ndim) for x in tensors]).numpy
    xp = namespace(blocks[0])
    out = xp.zeros([sum([x.shape[axis] for x in blocks]) for axis in (0, 1)], dtype)
    row = column = 0
    for x in blocks:
        out[row : row + x.shape[0], column : column + x.shape[1]] = cast(x, dtype)
        row, column = row + x.shape[0], column + x.shape[1]
    return out


def block_diag_backward(F: Any, grad: Any, sizes: Any) -> Any:
    parts, row, column = [], 0, 0
    for shape in sizes:
        height, width = ((1,) * (2 - len(shape)) + tuple(shape))[-2:]
        if tuple(shape) == (0,):
            part = zeros(F, grad, (0,))
        else:
            part = F.narrow(F.narrow(grad, 0, row, height), 1, column, width)
            for _ in range(2 - len(shape)):
                part = F.squeeze_dim(part, -1)
        parts.append(part)  # a vector's is a row, which the engine sums to a vector
        row, column = row + height, column + width
    return parts


block_diag_row = operator(
    "block_diag(Tensor[] tensors) -> Tensor",
    node="BlockDiagBackward0",
    forward=block_diag_forward,
    tensors=lambda F, grad, tensors_args_sizes: block_diag_backward(F, grad, tensors_args_sizes),
    result=LINEAR,
    on=("F",),
)


@composite("block_diag", on=("function",), calls=IN_PYTHON)
@over(lambda *tensors: ("_VF.block_diag", tensors))
def block_diag(*tensors: Any) -> Any:
    """The matrices along the diagonal of one that is 0 elsewhere."""
    return block_diag_row(tensors) if tensors else OPS.empty(1, 0)


@composite("cartesian_prod", on=("function",), calls=IN_PYTHON)
@over(lambda *tensors: ("_VF.cartesian_prod", tensors))
def cartesian_prod(*tensors: Any) -> Any:
    """Every combination of one entry of each vector."""
    for each in tensors:
        if each.dim() != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(each.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return stack([flatten(grid) for grid in grids], 1)


# ---- repetition


def repeat_forward(xp: Any, self: Any, repeats: Any) -> Any:
    lead = len(repeats) - self.ndim
    if lead < 0:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    shape = (1,) * lead + self.shape
    target = [n * times for n, times in zip(shape, repeats, strict=True)]
    for size in target:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {target}")
    out = xp.empty(target, self.dtype)
    pairs = [n for each in zip(repeats, shape, strict=True) for n in each]
    along = [n for size in shape for n in (1, size)]
    out.reshape(pairs)[...] = self.reshape(along)
    return out


def repeat_backward(F: Any, grad: Any, repeats: Any, sizes: Any) -> Any:
    """The sum over all repetitions. As repeat_backward of FunctionsManual.cpp."""
    lead = len(repeats) - len(sizes)
    if 0 in repeats:
        return zeros(F, grad, sizes)
    for _ in range(lead):
        grad = F.sum_dim_IntList(grad, (0,))
    shape, dims = [], []
    for times, size in zip(repeats[lead:], sizes, strict=True):
        if times != 1:
            dims.append(len(shape))
            shape.append(times)
        shape.append(size)
    return F.sum_dim_IntList(F.reshape(grad, tuple(shape)), tuple(dims)) if dims else grad


repeat = operator(
    "repeat(Tensor self, SymInt[] repeats) -> Tensor",
    node="RepeatBackward0",
    forward=repeat_forward,
    self=lambda F, grad, repeats, self_sym_sizes: repeat_backward(F, grad, repeats, self_sym_sizes),
    result=LINEAR,
    on=("method",),
    varargs="repeats",
    vmap=VMap("repeat"),
)


@composite("tile")
def tile(input: Any, *numbers: Any, dims: Any = None) -> Any:
    """`input` repeated as NumPy's tile does it."""
    sizes = written_out("tile", "dims", numbers, dims)
    if not {int}.issuperset(map(type, sizes)):
        sizes = as_sizes(sizes)
    return repeat(input, repeats=(1,) * (input.dim() - len(sizes)) + sizes)


def repeat_interleave_forward(xp: Any, repeats: Any, output_size: Any) -> Any:
    if output_size is not None and is_numberless(repeats):
        return xp.empty((output_size,), repeats.dtype)
    if is_numberless(repeats):
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
    if repeats.dtype not in dtypes.POSITIONS:
        raise dtypes.unknown_to("repeat_interleave_cpu", repeats)
    if repeats.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if output_size is not None:
        if output_size < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {output_size}: [{output_size}]"
            )
        if output_size != int(repeats.sum()):
            raise RuntimeError("allocated size does not match required size")
    if repeats.size and some(repeats < 0):
        raise RuntimeError("repeats can not be negative")
    try:
        return xp.repeat(xp.arange(repeats.size, dtype=repeats.dtype), repeats)
    except (ValueError, MemoryError) as error:
        raise fresh_error(error, (repeats.sum(),), repeats.dtype) from None


repeat_interleave_row = operator(
    "repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor",
    forward=repeat_interleave_forward,
    on=("F",),
)


@composite("repeat_interleave", calls=READS_BITS)
def repeat_interleave(
    input: Any = None,
    repeats: Any = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Any:
    """`input` with each entry of a dimension repeated."""
    if repeats is None or input is None:  # the repeats alone, by place or by name
        counts = input if repeats is None else repeats
        return repeat_interleave_row(counts, output_size=output_size)
    if isinstance(repeats, int):
        return _repeat_each(input, repeats, dim, output_size)
    if dim is None:
        input, dim = flatten(input), 0
    if repeats.dim() > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    size = input.size(dim)
    if repeats.dim() == 0 or (repeats.dim() == 1 and repeats.size(0) == 1):
        repeats = expand_inner(reshape(repeats, (1,)), (size,))
    elif repeats.size(0) != size:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.size(0)} and input.size({dim}) = {size}"
        )
    return input.index_select(dim, repeat_interleave_row(repeats, output_size=output_size))


def _repeat_each(input: Any, repeats: int, dim: int | None, output_size: int | None) -> Any:
    if dim is None:
        input, dim = flatten(input), 0
    at = wrap_dim(dim, input.dim())
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = tuple(input._array.shape) or (1,)
    if output_size is not None and output_size != shape[at] * repeats:
        raise RuntimeError(
            f"repeat_interleave: Invalid output_size, expected {shape[at] * repeats} but got "
            f"{output_size}"
        )
    wide = expand_inner(input.unsqueeze(at + 1), (*shape[: at + 1], repeats, *shape[at + 1 :]))
    joined = wide.clone(memory_format=devices.contiguous_format)
    return view_inner(joined, (*shape[:at], shape[at] * repeats, *shape[at + 1 :]))


@composite("meshgrid", on=("function",), calls=Calls(in_python=ALWAYS, lists=True, falls_back=True))
@over(
    lambda *tensors, indexing=None: (
        "_VF.meshgrid",
        as_list(tensors),
        {} if indexing is None else {"indexing": indexing},
    )
)
def meshgrid(*tensors: Any, indexing: str | None = None) -> Any:
    """The coordinates of a grid, a tensor of its shape for each vector."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing is None:
        warn_once(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            "argument.",
            in_python=True,
        )
        indexing = "ij"
    first = tensors[0]
    if any(each._array.dtype != first._array.dtype for each in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    for each in tensors:
        if each.dim() > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                f"{streamed(each._array, native_type_name(each))}"
            )
    # Cartesian indexing: the first vector runs along the second dimension, and the other way round.
    order = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        order[:2] = 1, 0
    shape = tuple([tensors[i].numel() for i in order])
    grids: list[Any] = [None] * len(tensors)
    for at in order:
        lengths = tuple([-1 if i == at else 1 for i in order])
        grids[at] = expand_inner(view_inner(tensors[at], lengths), shape)
    return tuple(grids)


# ---- _chunk_cat


def chunk_cat_forward(xp: Any, tensors: Any, dim: int, num_chunks: int) -> Any:
    ranks = {x.ndim for x in tensors}
    if dim < 0 and len(ranks) > 1:
        raise RuntimeError(
            "_chunk_cat expects non-negative dim when input tensors have different ndims"
        )
    axis = wrap_dim(dim, tensors[0].ndim)
    if axis >= min(ranks):
        raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    before = tensors[0].shape[:axis]
    parts = []
    for x in tensors:
        if not x.size:
            raise RuntimeError("_chunk_cat expects non-empty tensor")
        if x.dtype != tensors[0].dtype:
            raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
        if x.shape[:axis] != before:
            raise RuntimeError(
                "_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors"
            )
        missing = -x.shape[axis] % num_chunks
        padded = xp.zeros((*before, x.shape[axis] + missing, *x.shape[axis + 1 :]), x.dtype)
        padded[(slice(None),) * axis + (slice(x.shape[axis]),)] = x
        parts.append(padded.reshape(*before, num_chunks, -1))
    return xp.concatenate(parts, axis + 1)


_chunk_cat_row = operator(
    "_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor",
    node="NotImplemented",
    forward=chunk_cat_forward,
    tensors=not_differentiable("_chunk_cat"),
    on=("F",),
    calls=Calls(joins=lambda *args, **kwargs: True),
)


@composite(
    "_chunk_cat",
    on=("function",),
    out=_CONCATENATED.but(overlap=ANYTHING, autograd=False),
    vmap=VMap("without_rule"),
)
@overloads("tuple of Tensors tensors, int dim, int num_chunks, *, Tensor out = None")
def _chunk_cat(tensors: Any, dim: int, num_chunks: int) -> Any:
    """Tensors in `num_chunks` rows each, padded with zeros, side by side."""
    for each in (dim, num_chunks):
        if type(each) is bool or (isinstance(each, TensorBase) and each.dim()):
            raise TypeError  # worded by the signature
    dim, num_chunks = index(dim), index(num_chunks)
    if not len(tensors):
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    return _chunk_cat_row(tensors, dim, num_chunks)
