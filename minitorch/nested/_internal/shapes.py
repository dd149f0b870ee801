"""Shapes of NestedTensors: views, parts, joining, padding."""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Any

import minitorch as torch
from minitorch.nested._internal.functions import called
from minitorch.nested._internal.nested_tensor import NestedTensor, nested_from_padded
from minitorch.nested._internal.registry import (
    canonical,
    extract_kwargs,
    inner,
    inner_dim,
    inner_or_batch,
    is_same_raggedness,
    jagged,
    like,
)

# What torch says where a function that knows no ragged sizes is given one.
CONCRETE = "SymIntArrayRef expected to contain only concrete integers"
_FOR_BATCH = "is not supported on the batch dimension for jagged NT"


# ---- views


@jagged("transpose.int", schema="self: jt_all, dim0: any, dim1: any")
def transpose_int(operator: Any, self: Any, dim0: int, dim1: int) -> Any:
    first, second = (canonical(len(self._size), dim) for dim in (dim0, dim1))
    ragged = self._ragged_idx
    if ragged in (first, second):
        if 0 in (first, second):
            raise ValueError(f"Transpose {_FOR_BATCH}")
        swapped = self._values.detach().transpose(inner(first, ragged), inner(second, ragged))
        made = extract_kwargs(self)
        made["_ragged_idx"] = second if first == ragged else first
        return NestedTensor(swapped, **made)
    places = [inner_dim(self, dim, "transpose") for dim in (dim0, dim1)]
    return like(operator(self._values, *places), self)


@jagged("permute.default", schema="self: jt_all, dims: any")
def permute_default(operator: Any, self: Any, dims: Any) -> Any:
    ndim = len(self._size)
    if ndim != len(dims):
        raise ValueError(
            f"permute(): number of dimensions in the tensor input ({ndim}) does not match the "
            f"length of the desired ordering of dimensions ({len(dims)})."
        )
    places = [canonical(ndim, dim) for dim in dims]
    if len(places) != len(set(places)):
        raise ValueError("permute(): duplicate dims are not allowed.")
    if self._lengths is not None:
        raise ValueError("permute(): not supported on jagged layout nested tensor with holes")
    if places[0] != 0:
        raise ValueError(f"Permute {_FOR_BATCH}")
    made = extract_kwargs(self)
    made["_ragged_idx"] = places.index(self._ragged_idx)
    order = [inner(place, self._ragged_idx) for place in places[1:]]
    return NestedTensor(operator(self._values, order), **made)


@jagged("view.default", "_unsafe_view.default", schema="self: jt_all, size: any")
def view_default(operator: Any, self: Any, size: Any) -> Any:
    ragged = self._ragged_idx
    if ragged != 1 and tuple(self._size) != tuple(size):
        raise RuntimeError(
            "view(): does not support ragged_idx != 1 except when inp._size == size. inp._size is "
            f"({self._size}) and size is ({size})."
        )
    if len(size) < 3 or not is_same_raggedness(self, size):
        raise RuntimeError(f"view(): cannot view shape {self._size} as {size}")
    sizes = [self._values.size(i) if i == ragged - 1 else size[i + 1] for i in range(len(size) - 1)]
    with torch.inference_mode(self.is_inference()):
        return like(operator(self._values, sizes), self)


@jagged("unsqueeze.default", schema="self: jt_all, dim: any")
def unsqueeze_default(operator: Any, self: Any, dim: int) -> Any:
    place = inner_dim(self, dim, "unsqueeze", ndim=len(self._size) + 1, ragged=True)
    made = extract_kwargs(self)
    if place <= self._ragged_idx - 1:
        made["_ragged_idx"] += 1
    return NestedTensor(operator(self._values, place), **made)


@jagged("squeeze.dim", schema="self: jt, dim: any")
def squeeze_dim(operator: Any, self: Any, dim: int) -> Any:
    return like(operator(self._values, inner_dim(self, dim, "squeeze")), self)


@jagged("expand.default", schema="self: jt_all, size: any, implicit: any?")
def expand_default(operator: Any, self: Any, size: Any, implicit: bool = False) -> Any:
    if implicit:
        raise AssertionError("implicit expand is not supported")
    if not is_same_raggedness(self, size):
        raise RuntimeError(f"expand(): cannot expand shape {self._size} -> {size}")
    ndim = len(self._size)
    sizes = [-1 if d == self._ragged_idx else size[d] for d in range(1, ndim)]
    return like(operator(self._values, sizes), self)


@jagged("expand_as.default", schema="self: t, other: jt")
def expand_as_default(operator: Any, self: Any, other: Any) -> Any:
    return like(self.expand_as(other._values), other)


@jagged("broadcast_to.default", schema="self: jt_all, size: any")
def broadcast_to(operator: Any, self: Any, size: Any) -> Any:
    missing = self.dim() - len(size)
    if missing < 0:
        raise ValueError(
            "broadcast_to(): broadcasting to a higher-dim shape is currently not supported for "
            "nested tensors with the jagged layout"
        )
    wanted = [*[1] * missing, *size]
    return self if list(self._size) == wanted else called("expand.default", self, wanted)


def _broadcast_shape(shapes: Any) -> list[Any]:
    """As torch.broadcast_shapes, of shapes with ragged sizes."""
    width = max(map(len, shapes))
    result: list[Any] = [1] * width
    for shape in shapes:
        for i in range(-len(shape), 0):
            if result[i] == 1:
                result[i] = shape[i]
            elif shape[i] != 1 and shape[i] != result[i]:
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
    return result


@jagged("broadcast_tensors.default", schema="tensors: any")
def broadcast_tensors(operator: Any, tensors: Any) -> Any:
    if not tensors:
        raise ValueError("broadcast_tensors(): expected at least one tensor input")
    if len(tensors) == 1:
        return tensors[0]
    shape = _broadcast_shape([t.shape for t in tensors])
    first = next(t for t in tensors if isinstance(t, NestedTensor))
    results = []
    for t in tensors:
        if t.is_nested:
            results.append(broadcast_to_default(t, shape))
        elif t.dim() < len(shape):
            results.append(like(t.broadcast_to(first._values.shape), first))
        else:
            raise ValueError(
                "broadcast_tensors(): broadcasting nested tensors with dense tensors of equal or "
                "higher dim is not currently supported"
            )
    return tuple(results)


def broadcast_to_default(self: Any, size: Any) -> Any:
    """A NestedTensor expanded to a shape as ragged as it is."""
    return broadcast_to(None, self, size)


@jagged("where.self", schema="condition: jt_all, self: any, other: any")
def where_self(operator: Any, condition: Any, self: Any, other: Any) -> Any:
    condition, self, other = broadcast_tensors(None, [condition, self, other])
    return like(operator(condition._values, self._values, other._values), condition)


# ---- parts


@jagged("split.Tensor", schema="self: jt, split_size: any, dim: any?")
def split_tensor(operator: Any, self: Any, split_size: int, dim: int = 0) -> Any:
    place = inner_dim_of_split(self, dim, "split")
    return tuple([like(x, self) for x in self._values.split(split_size, place)])


@jagged("split_with_sizes.default", schema="self: jt, split_sizes: any, dim: any?")
def split_with_sizes_default(operator: Any, self: Any, split_sizes: Any, dim: int = 0) -> Any:
    place = inner_dim_of_split(self, dim, "split_with_sizes")
    return tuple([like(x, self) for x in self._values.split(list(split_sizes), place)])


def inner_dim_of_split(self: Any, dim: int, name: str) -> int:
    """The dimension of the values for parts along one. RuntimeError for the ragged one, which is
    named there as `name`."""
    return inner_dim(self, dim, name)


@jagged("narrow.default", schema="self: jt, dim: any, start: any, length: any")
def narrow(operator: Any, self: Any, dim: int, start: int, length: int) -> Any:
    return like(self._values.narrow(inner_dim(self, dim, "narrow"), start, length), self)


@jagged("chunk.default", schema="self: jt, chunks: any, dim: any?")
def chunk_default(operator: Any, self: Any, chunks: int, dim: int = 0) -> Any:
    place, of_batch = inner_or_batch(self, dim, "chunk")
    if not of_batch:
        return [like(x, self) for x in self._values.chunk(chunks, place)]
    lengths = self._offsets.diff().chunk(chunks)
    values = self._values.split([each.sum().item() for each in lengths])
    offsets = [torch.nn.functional.pad(each.cumsum(dim=0), (1, 0)) for each in lengths]
    return [
        NestedTensor(values=part, offsets=each, _ragged_idx=self._ragged_idx)
        for part, each in zip(values, offsets)
    ]


@jagged("unbind.int", schema="self: jt_all, dim: any?")
def unbind_int(operator: Any, self: Any, dim: int = 0) -> Any:
    if dim != 0:
        raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
    values, place = self._values.detach(), self._ragged_idx - 1
    if self._lengths is None:
        return values.split(self._offsets.diff().tolist(), dim=place)
    starts, lengths = self._offsets.tolist(), self._lengths.tolist()
    total = values.shape[place]
    for start, length in zip(starts, lengths):
        if start + length > total:
            raise RuntimeError(
                "unbind(): nested tensor offsets and lengths do not match ragged_idx dimension"
            )
    return tuple([values.narrow(place, start, n) for start, n in zip(starts, lengths)])


@jagged("select.int", schema="self: jt_all, dim: any, index: any")
def select_int(operator: Any, self: Any, dim: int, index: int) -> Any:
    place, of_batch = inner_or_batch(self, dim, "select")
    if of_batch:
        return self.unbind()[index]
    if self._lengths is not None:
        raise ValueError(
            "select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes"
        )
    made = extract_kwargs(self)
    if place < self._ragged_idx - 1:
        made["_ragged_idx"] -= 1
    return NestedTensor(operator(self._values, place, index), **made)


@jagged("slice.Tensor", schema="self: jt, dim: any?, start: any?, end: any?, step: any?")
def slice_tensor(
    operator: Any, self: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    return like(operator(self._values, inner_dim(self, dim, "slice"), start, end, step), self)


# ---- joining


@jagged("cat.default", schema="tensors: any, dim: any?")
def cat_default(operator: Any, tensors: Any, dim: int = 0) -> Any:
    first = next(t for t in tensors if t.is_nested)
    ragged = [t if t.is_nested else called("expand_as.default", t, first) for t in tensors]
    place = inner_dim(first, dim, "cat")
    return like(operator([t._values for t in ragged], place), ragged[0])


@jagged("stack.default", schema="tensors: any, dim: any?")
def stack_default(operator: Any, tensors: Any, dim: int = 0) -> Any:
    for t in tensors:
        if not isinstance(t, NestedTensor):
            raise RuntimeError("stack(): expected all nested tensors inputs")
        if t.dim() != tensors[0].dim():
            raise RuntimeError("stack(): expected all nested tensors to have the same dim")
        if not is_same_raggedness(t, tensors[0].shape):
            raise RuntimeError(
                "stack(): expected all nested tensors to have the same nested structure"
            )
    first = tensors[0]
    place = inner_dim(first, dim, "stack", ndim=first.dim() + 1)
    return like(operator([t._values for t in tensors], place), first)


# ---- padding


def padded(values: Any, offsets: Any, width: int, padding: Any) -> Any:
    """The rows of `values` between offsets, each as far as `width`, beyond its end `padding`."""
    batch = offsets.shape[0] - 1
    result = values.new_full((batch, width, *values.shape[1:]), padding)
    ends = offsets.tolist()
    for i in range(batch):
        length = min(ends[i + 1] - ends[i], width)
        result[i, :length] = values[ends[i] : ends[i] + length]
    return result


def unpadded(dense: Any, offsets: Any, total: int | None) -> Any:
    """The values between offsets, out of the rows of `dense`."""
    ends = offsets.tolist()
    rows = ends[-1] if total is None else total
    if rows != ends[-1]:
        raise RuntimeError(
            "_padded_dense_to_jagged_forward(): final offset should match total_L value"
        )
    values = dense.new_zeros((rows, *dense.shape[2:]))
    for i in range(len(ends) - 1):
        length = min(ends[i + 1] - ends[i], dense.shape[1])
        values[ends[i] : ends[i] + length] = dense[i, :length]
    return values


@jagged("to_padded_tensor.default", schema="self: jt_all, padding: any, output_size: any?")
def to_padded_tensor_default(
    operator: Any, self: Any, padding: Any, output_size: Any = None
) -> Any:
    if self._lengths is not None:
        raise RuntimeError("to_padded_tensor(): not supported for nested tensors with holes")
    ragged = self._ragged_idx
    if output_size is not None:
        width = output_size[ragged]
    elif self._max_seqlen_tensor is not None:
        width = self._max_seqlen
    else:
        width = self._values.size(0)
    values = self._values.detach()
    if ragged > 1:
        values = values.transpose(ragged - 1, 0)
    result = padded(values, self._offsets, width, padding)
    return result.transpose(ragged, 1) if ragged > 1 else result


@jagged(
    "_nested_from_padded_tensor.default",
    schema="padded: t, offsets: t, dummy: jt, ragged_idx: any?, min_seqlen: any?, "
    "max_seqlen: any?, sum_S: any?",
)
def _nested_from_padded_tensor_default(
    operator: Any,
    padded: Any,
    offsets: Any,
    dummy: Any,
    ragged_idx: int = 1,
    min_seqlen: Any = None,
    max_seqlen: Any = None,
    sum_S: Any = None,
) -> Any:
    if ragged_idx > 1:
        padded = padded.transpose(ragged_idx, 1)
    values = unpadded(padded, offsets, sum_S)
    if ragged_idx > 1:
        values = values.transpose(ragged_idx - 1, 0)
    cache = {"min_seqlen": min_seqlen, "max_seqlen": max_seqlen}
    return NestedTensor(
        values,
        offsets,
        _ragged_idx=ragged_idx,
        _metadata_cache={name: each for name, each in cache.items() if each is not None},
    )


@jagged(
    "_nested_view_from_jagged.default",
    schema="values: t, offsets: t, dummy: jt_all, lengths: t?, ragged_idx: any?, min_seqlen: t?, "
    "max_seqlen: t?",
)
def _nested_view_from_jagged_default(
    operator: Any,
    values: Any,
    offsets: Any,
    dummy: Any,
    lengths: Any = None,
    ragged_idx: int = 1,
    min_seqlen: Any = None,
    max_seqlen: Any = None,
) -> Any:
    cache = {"min_seqlen": min_seqlen, "max_seqlen": max_seqlen}
    return NestedTensor(
        values,
        offsets,
        lengths=lengths,
        _ragged_idx=ragged_idx,
        _metadata_cache={name: each for name, each in cache.items() if each is not None},
    )


def to_padded(nt: Any) -> Any:
    """A NestedTensor as a dense tensor that is wide enough, zeros where it ends."""
    width = nt._maybe_max_seqlen
    if width is None:
        width = nt._values.shape[nt._ragged_idx - 1]
    shape = (*nt.shape[: nt._ragged_idx], width, *nt.shape[nt._ragged_idx + 1 :])
    return to_padded_tensor_default(None, nt, 0.0, shape)


def from_padded_like(dense: Any, nt: Any) -> Any:
    """A NestedTensor with the rows of `nt`, cut out of a padded dense tensor."""
    return nested_from_padded(
        dense,
        offsets=nt._offsets,
        ragged_idx=nt._ragged_idx,
        sum_S=nt._values.shape[nt._ragged_idx - 1],
        min_seqlen=nt._maybe_min_seqlen,
        max_seqlen=nt._maybe_max_seqlen,
    )


@jagged(
    "_nested_select_backward.default",
    schema="grad_output: t, self: jt_all, dim: any, index: any",
)
def _nested_select_backward_default(
    operator: Any, grad_output: Any, self: Any, dim: int, index: int
) -> Any:
    result = torch.zeros_like(self, dtype=grad_output.dtype)
    result.select(dim, index).copy_(grad_output)
    return result


@jagged(
    "index_put.default",
    "index_put_.default",
    schema="input: jt_all, indices: any, values: t, accumulate: any?",
)
def index_put_(
    operator: Any, self: Any, indices: Any, values: Any, accumulate: bool = False
) -> Any:
    if len(indices) > self.dim():
        raise AssertionError(
            f"Too many indices: got {len(indices)} but tensor has {self.dim()} dimensions"
        )
    written = operator.name == "index_put_.default"
    if len(indices) < self._ragged_idx + 1:
        if not self.is_contiguous():
            raise RuntimeError(
                "index_put(): If ragged dimension is not part of indices, this only works on "
                "contiguous NJTs"
            )
        dense = torch.index_put(to_padded(self), indices, values, accumulate)
        result = from_padded_like(dense, self)
        if written:
            self._values.copy_(result._values)
        return self if written else result
    lengths = self._lengths_or_distances()
    if not torch.all(indices[self._ragged_idx] < lengths):
        raise RuntimeError("Some indices in the ragged dimension are out of bounds!")
    ragged = self._offsets[indices[0]] + indices[self._ragged_idx]
    places = [*indices[1 : self._ragged_idx], ragged, *indices[self._ragged_idx + 1 :]]
    result = torch.index_put(self._values, places, values, accumulate)
    if written:
        self._values.copy_(result)
    return self if written else like(result, self)


# ---- public functions


def _flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    ends = []
    for dim in (start_dim, end_dim):
        inner_dim(input, dim, "flatten")
        ends.append(canonical(input.dim(), dim))
    start, end = ends
    if start == end:
        return input
    product = reduce(mul, input.shape[start : end + 1])
    return input.reshape(*input.shape[:start], product, *input.shape[end + 1 :])


def _narrow(input: Any, dim: int, start: int, length: int) -> Any:
    return called("narrow.default", input, dim, start, length)


def _chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    if dim == 0:
        return tuple(called("chunk.default", input, chunks))
    return tuple(called("chunk.default", input, chunks, dim))


def _to_padded_tensor(input: Any, padding: Any, output_size: Any = None) -> Any:
    given = () if output_size is None else (list(output_size),)
    return called("to_padded_tensor.default", input, float(padding), *given)


def _broadcast_tensors(*tensors: Any) -> Any:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    if not all(isinstance(t, NestedTensor) for t in given):
        raise RuntimeError(CONCRETE)
    shape = _broadcast_shape([t.shape for t in given])
    return tuple([broadcast_to_default(t, shape) for t in given])


def _where(condition: Any, input: Any = None, other: Any = None) -> Any:
    if input is None:
        raise NotImplementedError("aten.nonzero.default")
    kinds = [x.dtype for x in (input, other) if isinstance(x, torch.Tensor)]
    both = [
        x if isinstance(x, torch.Tensor) else torch.scalar_tensor(x, dtype=kinds[0])
        for x in (input, other)
    ]
    return called("where.self", condition, *both)


def _expand_as(self: Any, other: Any) -> Any:
    if isinstance(self, NestedTensor):
        return called("expand.default", self, list(other.shape))
    raise RuntimeError(CONCRETE)


def _item(self: Any, index: Any) -> Any:
    """A part of a NestedTensor: by numbers, slices, an ellipsis and None alone."""
    places = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(each, (torch.Tensor, list)) for each in places):
        raise NotImplementedError("aten.index.Tensor")
    named = sum(each is not None and each is not Ellipsis for each in places)
    result, dim = self, 0
    for each in places:
        if each is Ellipsis:
            dim += self.dim() - named
        elif each is None:
            result, dim = result.unsqueeze(dim), dim + 1
        elif isinstance(each, slice):
            start, stop, step = (each.start or 0, each.stop, each.step or 1)
            result = called("slice.Tensor", result, dim, start, stop, step)
            dim += 1
        else:
            result = result.select(dim, each)
    return result


FUNCTIONS: dict[str, Any] = {
    "__getitem__": _item,
    "broadcast_tensors": _broadcast_tensors,
    "flatten": _flatten,
    "where": _where,
}
COMPOSED: dict[str, Any] = {
    "chunk": _chunk,
    "expand_as": _expand_as,
    "narrow": _narrow,
    "to_padded_tensor": _to_padded_tensor,
    "where": _where,
}
