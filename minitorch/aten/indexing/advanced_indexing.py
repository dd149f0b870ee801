"""The operators behind indexing with tensors: index, which reads at positions, and index_put.

`indices` holds positions or a mask for each dimension, or None where all of it is meant.
As ATen/native/TensorAdvancedIndexing.cpp.
"""

from __future__ import annotations

from typing import Any

from minitorch.aten.creation.copies import copied
from minitorch.aten.creation.filling import as_element
from minitorch.aten.in_formulas import is_seen, new_zeros_as, zeros
from minitorch.core.arrays import NAMESPACES, layout, namespace, on_numpy, scatter
from minitorch.core.arrays.lazy import raw_of
from minitorch.core.arrays.missing import NONZERO, is_numberless, of_two_devices, refuses_with
from minitorch.core.arrays.overlap import check_apart, check_same_or_apart, overlaps_itself
from minitorch.core.arrays.positions import bounds_error
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.in_place import rewrite, warn_of_expanded
from minitorch.core.declare.out import IN_PLACE, InPlace
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import VMap
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import (
    EVERY,
    FLOAT8,
    LATE_UNSIGNED,
    in_numpy,
    refuse_late_unsigned,
    refusing_others,
)
from minitorch.core.tensor.conversion import wrap_dim
from minitorch.core.warning import warn

_BYTE_TEXT = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
)


def is_mask(index: Any) -> bool:
    """Whether an index is one of truth, not of positions."""
    return index.dtype.kind == "b" or index.dtype == dtypes.uint8.numpy


def check_mask_shape(mask: Any, shape: tuple[int, ...], first: int) -> None:
    """IndexError with torch's texts unless `mask` has the sizes of `shape` from `first` on."""
    for dim, n in enumerate(mask.shape):
        if n != shape[wrap_dim(first + dim, len(shape))]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {dim} does not match the shape "
                f"of the indexed tensor {list(shape)} at index {first + dim}"
            )


def locate(xp: Any, shape: tuple[int, ...], indices: Any) -> tuple[Any, ...]:
    """`indices` as NumPy takes them: masks replaced by positions, None by whole slices.

    IndexError with torch's texts for indices that do not fit an array of `shape`.
    """
    if len(indices) > len(shape):
        raise IndexError(
            f"too many indices for tensor of dimension {len(shape)} (got {len(indices)})"
        )
    if any([x is not None and x.dtype not in dtypes.POSITIONS and not is_mask(x) for x in indices]):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    places: list[Any] = []
    for index in indices:
        if index is not None and is_mask(index):
            if index.dtype.kind != "b":
                warn(_BYTE_TEXT)
            check_mask_shape(index, shape, len(places))
            if is_numberless(index):
                raise NotImplementedError(NONZERO)
            places.extend(index.nonzero() if index.ndim else ())  # which names no dimension
        else:
            places.append(index)
    chosen = [place for place in places if place is not None]
    if len(chosen) > 1:
        try:
            layout.broadcast(*[place.shape for place in chosen])
        except RuntimeError:
            shapes = ", ".join([str(list(place.shape)) for place in chosen])
            raise IndexError(
                "shape mismatch: indexing tensors could not be broadcast together with shapes "
                + shapes
            ) from None
    if len(places) > len(shape):
        wrap_dim(len(shape), len(shape))
    return tuple([slice(None) if place is None else place for place in places])


def beside(xp: Any, indices: Any) -> Any:
    """The indices where the indexed array is; those in memory of the host may be anywhere.

    RuntimeError with torch's text for others.
    """
    if len(NAMESPACES) == 1:
        return indices
    if xp is not on_numpy:
        return [None if index is None else xp.asarray(index) for index in indices]
    if any(index is not None and namespace(raw_of(index)) is not xp for index in indices):
        raise RuntimeError(
            "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
        )
    return indices


def names_nothing(places: tuple[Any, ...]) -> bool:
    """Whether one of the indices is empty, beside which the others name no position either."""
    return any([type(place) is not slice and not place.size for place in places])


def check_room(shape: tuple[int, ...], places: tuple[Any, ...]) -> None:
    """IndexError with torch's text for a position in a dimension without any."""
    if names_nothing(places):
        return
    for length, place in zip(shape, places, strict=False):
        if length == 0 and type(place) is not slice:
            raise IndexError("index is out of bounds for dimension with size 0")


def check_bounds(shape: tuple[int, ...], places: tuple[Any, ...]) -> None:
    """IndexError with torch's text for a position outside `shape`, unless nothing is read."""
    if names_nothing(places):
        return
    check_room(shape, places)
    rest = [n for at, n in enumerate(shape) if at >= len(places) or type(places[at]) is slice]
    if 0 not in rest:
        chosen = [(n, p) for n, p in zip(shape, places, strict=False) if type(p) is not slice]
        for number, (n, place) in enumerate(chosen):  # counted as ATen has them, in front
            if is_numberless(place):
                continue
            wrong = place[(place < -n) | (place >= n)]
            if wrong.size:
                raise bounds_error(wrong.reshape(-1)[0], number, n)


def places_within(xp: Any, shape: tuple[int, ...], places: tuple[Any, ...]) -> tuple[Any, ...]:
    """The places, each within `shape`, where a device looks at them: it wraps around silently what
    NumPy refuses. With CUDA_LAUNCH_BLOCKING=1 an IndexError as on the host."""
    if xp.fused is None or names_nothing(places):
        return places
    if xp.fused.blocking:
        check_bounds(shape, places)
        return places
    check_room(shape, places)
    return tuple(
        [
            place if type(place) is slice else scatter.looked_at(xp, place, n, -n)[0]
            for place, n in zip(places, shape, strict=False)
        ]
    )


def index_plainly(xp: Any, self: Any, index: Any) -> Any:
    """self[index] for the usual cases, one index and everything in row-major order: a fifth of the
    time of the general way. None if it is not one of them."""
    kind = index.dtype
    if kind.kind == "b":
        return self[index] if index.shape == self.shape and self.ndim else None
    if kind.char == "l" and self.ndim and index.flags.c_contiguous:  # kind.name costs 0.6 us
        if xp.fused is not None:
            (index,) = places_within(xp, self.shape, (index,))
        try:
            return self.take(index, 0)
        except IndexError:
            pass  # the error comes from the general way
    return None


def index_forward(xp: Any, self: Any, indices: Any) -> Any:
    indices = beside(xp, indices)
    contiguous = self.flags.c_contiguous and layout.is_plain(self)
    if len(indices) == 1 and self.size and contiguous and indices[0].size:
        out = index_plainly(xp, self, indices[0])
        if out is not None:
            return xp.as_array(out)
    places = locate(xp, self.shape, indices)
    if not self.size:
        check_bounds(self.shape, places)
        places = tuple([p if type(p) is slice else xp.zeros_like(p) for p in places])
    taken = places_within(xp, self.shape, places)
    try:
        if len(places) == 1 and self.ndim == 1:
            out = self.take(taken[0])
        else:
            out = xp.as_array(self[taken])
    except IndexError:
        check_bounds(self.shape, places)
        if self.size:
            raise
        return xp.empty(result_shape(self.shape, places), self.dtype)
    if out.ndim == 1 and out.flags.c_contiguous:
        return out  # which can lie in one way alone
    contiguous = contiguous and all(type(p) is slice or p.flags.c_contiguous for p in places)
    if contiguous and out.flags.c_contiguous and 1 not in out.shape:
        return out
    shape = out.shape
    strides = layout.contiguous_strides(shape)
    if not contiguous:
        strides = layout.elementwise_strides(shape, operands_of(self, places, shape))
    if layout.strides_of(out) == strides:
        return out
    laid = xp.empty_strided(shape, strides, out.dtype)
    laid[...] = out
    return laid


def split_dims(shape: tuple[int, ...], places: tuple[Any, ...]) -> tuple[int, list[int], list[int]]:
    """Where the dimensions of the positions go in the result, what is indexed and what is not.

    They go in place of the first indexed dimension if those are neighbours, else in front.
    """
    indexed = [at for at, place in enumerate(places) if type(place) is not slice]
    kept = [at for at in range(len(shape)) if at not in indexed]
    adjacent = indexed[-1] - indexed[0] == len(indexed) - 1
    return (indexed[0] if adjacent else 0), indexed, kept


def result_shape(shape: tuple[int, ...], places: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape of the elements that `places` select from an array of `shape`."""
    where, indexed, kept = split_dims(shape, places)
    middle = layout.broadcast(*[places[at].shape for at in indexed])
    return (
        *[shape[d] for d in kept[:where]],
        *middle,
        *[shape[d] for d in kept[where:]],
    )


def operands_of(
    self: Any, places: tuple[Any, ...], shape: tuple[int, ...], *others: Any
) -> list[tuple[Any, Any]]:
    """Shapes and strides of what torch's kernel goes through for self[places]: the array, which
    repeats along the dimensions of the positions, others of its shape, and the positions."""
    where, indexed, kept = split_dims(self.shape, places)
    strides = layout.strides_of(self)
    steps = [strides[d] for d in kept]
    steps[where:where] = [0] * (len(shape) - len(kept))
    inputs: list[tuple[Any, Any]] = [(shape, tuple(steps))]
    inputs += [(shape, layout.strides_of(each)) for each in others]
    after = len(kept) - where
    for place in [places[at] for at in indexed]:
        steps = (*layout.strides_of(place), *[0] * after)
        inputs.append(((*place.shape, *[1] * after), steps))
    return inputs


refuses_with(NONZERO, index_forward)
index_tensor = operator(
    "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
    node="IndexBackward0",
    preserves=True,
    forward=index_forward,
    self=lambda F, grad, self_sym_sizes, indices: index_backward(F, grad, self_sym_sizes, indices),
    result=LINEAR,
    on=("F",),
    vmap=VMap("index"),
)


def index_backward(F: Any, grad: Any, sizes: Any, indices: Any) -> Any:
    """`grad` added up where it was taken from. As index_backward of FunctionsManual.cpp."""
    whole = new_zeros_as(F, grad, sizes)
    if is_seen(F, grad):
        return F.index_put(whole, indices, grad, True)
    return F._index_put_impl_(whole, indices, grad, True)


def index_put_forward(xp: Any, self: Any, indices: Any, values: Any, accumulate: bool) -> Any:
    out = copied(self)
    store_at(xp, out, indices, values, accumulate)
    return out


_REFUSED = in_numpy(dtypes.LATE_UNSIGNED)
# Raises what the kernel says of dtypes that it does not know.
_refuse_others = refusing_others(EVERY - LATE_UNSIGNED | FLOAT8)


def are_plain(out: Any, indices: Any, values: Any) -> bool:
    """Whether `indices` are vectors of positions in the first dimensions of an array of NumPy's,
    none negative, and `values`, several, of the shape and dtype of what they name."""
    if values.dtype is not out.dtype or values.size < 2 or not indices:
        return False
    if out.dtype in _REFUSED or out.dtype.names:
        return False
    first = indices[0]
    sizes = getattr(first, "shape", None)
    if sizes is None or values.shape != (*sizes, *out.shape[len(indices) :]):
        return False
    for n, index in zip(out.shape, indices, strict=False):
        if index is None or not (index.shape == sizes and scatter.are_within(index, n)):
            return False
    return len(indices) <= out.ndim


def store_at(xp: Any, out: Any, indices: Any, values: Any, accumulate: bool) -> None:
    """Writes `values` at out[indices], or adds them one after the other."""
    if xp is on_numpy and are_plain(out, indices, values):
        store_places(xp, out, tuple(indices), values, accumulate, values.shape)
        return
    if xp.device_type == "meta":
        return  # torch's kernel for meta tensors checks nothing either
    if xp.fused is not None and values.ndim and namespace(values) is not xp:
        raise RuntimeError(of_two_devices("cuda:0", "cpu"))
    if not indices and values.size == 1 and not accumulate:
        raise RuntimeError("sym_strides() called on an undefined Tensor")
    masks = [index for index in indices if index is not None]
    if values.size == 1 and not accumulate and len(indices) <= out.ndim:
        check_first_mask(indices, out.shape)
    if fills(masks, values, accumulate):
        if masks[0].dtype.kind == "b":
            refuse_late_unsigned(out, "masked_fill")
            store_one(xp, out, indices, values)
            return
        if masks[0].dtype == dtypes.uint8.numpy:
            raise RuntimeError(
                "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
            )
    places = locate(xp, out.shape, beside(xp, indices))
    check_room(out.shape, places)
    shape = result_shape(out.shape, places) if indices else out.shape
    if values.ndim > len(shape) or any(
        n not in (1, m) for n, m in zip(values.shape[::-1], shape[::-1], strict=False)
    ):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        )
    if values.dtype != out.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{dtypes.of(out).scalar_name} for the destination and {dtypes.of(values).scalar_name} "
            "for the source."
        )
    _refuse_others(out, "index_put")
    try:
        if xp.fused is None:
            check_bounds(out.shape, places)
        else:
            places = places_within(xp, out.shape, places)
    except IndexError:
        places, values = before_failure(xp, out, places, values, shape)
        store_places(xp, out, places, values, accumulate, values.shape)
        raise
    if 0 in shape:
        return
    if not indices:
        raise RuntimeError(  # an assertion of torch's, which names its place in torch's source
            "ntensor >= 3 INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/aten/src/ATen/native/cpu/IndexKernelUtils.h":8, please report a '
            "bug to PyTorch. "
        )
    store_places(xp, out, places, values, accumulate, shape)


def check_first_mask(indices: Any, shape: tuple[int, ...]) -> None:
    """Checks the shape of a mask that no other index precedes, as torch does where it asks if one
    value can be filled in by it. As canDispatchToMaskedFill of ATen/native/IndexingUtils.h."""
    for first, index in enumerate(indices):
        if index is not None:
            if is_mask(index):
                check_mask_shape(index, shape, first)
            return


def store_places(
    xp: Any, out: Any, places: Any, values: Any, accumulate: bool, shape: tuple[int, ...]
) -> None:
    """Writes `values` at out[places], which has this shape, or adds them one after the other."""
    if accumulate:
        add_at(xp, out, places, values, shape)
    else:
        out[places] = values


def before_failure(
    xp: Any, out: Any, places: tuple[Any, ...], values: Any, shape: tuple[int, ...]
) -> tuple[Any, Any]:
    """The places that torch's kernel writes before it comes to one outside of `out`, and what."""
    where, indexed, kept = split_dims(out.shape, places)
    wrong: Any = False
    inside = list(places)
    for at in indexed:
        n, place = out.shape[at], places[at]
        wrong = wrong | (place < -n) | (place >= n)
        inside[at] = place % n
    wrong = wrong.reshape(*wrong.shape, *[1] * (len(kept) - where))
    values = xp.expand(values, shape)
    order = layout.slowest_first(shape, operands_of(out, places, shape, values))
    rows = [
        xp.broadcast_to(x, shape).transpose(order).reshape(-1)
        for x in (wrong, xp.arange(out.size).reshape(out.shape)[tuple(inside)], values)
    ]
    count = int(rows[0].argmax())
    return xp.unravel_index(rows[1][:count], out.shape), rows[2][:count]


def store_one(xp: Any, out: Any, indices: Any, value: Any) -> None:
    """Writes one value where a mask is true."""
    places = tuple([slice(None) if index is None else index for index in beside(xp, indices)])
    locate(xp, out.shape, indices)
    if overlaps_itself(out):
        warn_of_expanded("masked_fill_", IN_PLACE["masked_fill_"].fills)
    value = value.reshape(())
    out[places] = value if value.dtype == out.dtype else as_element(value, out)


def add_at(xp: Any, out: Any, places: Any, values: Any, shape: Any) -> None:
    """Adds `values`, one after the other, at out[places]."""
    values = xp.expand(values, shape) if values.shape != shape else values
    if out.dtype.names:
        where = xp.arange(out.size).reshape(out.shape)[places]
        scatter.add_rounded(xp, out, where.reshape(-1), values.reshape(-1))
        return
    if not out.flags.c_contiguous:
        xp.add.at(out, places, values)
        return
    indices = tuple([None if type(place) is slice else place for place in places])
    scatter.add_at(xp, out, indices, values)


def index_put_self(F: Any, grad: Any, indices: Any, accumulate: bool, values_info: Any) -> Any:
    """The gradient of the array that was written into: none where it was overwritten."""
    if accumulate:
        return grad
    shape = values_info if is_seen(F, grad) else ()
    return F.index_put(grad, indices, zeros(F, grad, shape), False)


index_put = operator(
    "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
    node="IndexPutBackward0",
    forward=index_put_forward,
    self=index_put_self,
    values=lambda F, grad, indices: F.index(grad, indices),
    result=lambda F, self_t, indices, values_t, accumulate: F.index_put(
        self_t, indices, values_t, accumulate
    ),
    vmap=VMap("index"),
)

_index_put_impl = operator(
    "_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False,"
    " bool unsafe=False) -> Tensor(a!)",
    node="IndexPutImplBackward0",
    forward=index_put_forward,
    self=index_put_self,
    values=lambda F, grad, indices: F.index(grad, indices),
    result=lambda F, self_t, indices, values_t, accumulate: F.index_put(
        self_t, indices, values_t, accumulate
    ),
    on=("F",),
)


def check_writes(x: Any, self: Any, indices: Any, values: Any, accumulate: bool) -> None:
    """RuntimeError with torch's text if `x`, the array of `self`, overlaps what is read; a warning
    if itself."""
    if overlaps_itself(x):
        warn_of_expanded("index_put_", "tensor[indices] = tensor")
    read = [each for each in indices if each is not None]
    if fills(read, values._array, accumulate) and read[0].dtype is dtypes.bool:
        try:
            check_same_or_apart(x, read[0]._array)
        except RuntimeError:  # that a mask does not fit is said first
            locate(None, x.shape, [None if each is None else each._array for each in indices])
            raise
        return
    for each in (values, *read):
        check_apart(x, raw_of(each._array), each is self)


def fills(indices: list[Any], values: Any, accumulate: bool) -> bool:
    """Whether torch leaves such a write to masked_fill_ if the index is a mask."""
    return not accumulate and values.size == 1 and len(indices) == 1


@composite("index_put_", in_place=InPlace(overlaps=True, through=True))
def index_put_(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Writes `values` at input[indices], or adds them one after the other, in place."""
    arrays = [None if i is None else i._array for i in indices]

    def write(xp: Any, x: Any) -> None:
        check_writes(x, input, indices, values, accumulate)
        store_at(xp, x, arrays, values._array, accumulate)

    bound = {"self": input, "indices": indices, "values": values, "accumulate": accumulate}
    return rewrite(index_put.row, bound, write)


@composite("_index_put_impl_", on=("function",))
def index_put_impl_(
    self: Any, indices: Any, values: Any, accumulate: bool = False, unsafe: bool = False
) -> Any:
    """Writes `values` at self[indices], or adds them one after the other, in place."""
    return rewrite(
        _index_put_impl.row,
        {
            "self": self,
            "indices": indices,
            "values": values,
            "accumulate": accumulate,
            "unsafe": unsafe,
        },
        lambda xp, x: store_at(
            xp, x, [None if i is None else i._array for i in indices], values._array, accumulate
        ),
    )
