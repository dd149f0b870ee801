"""Shapes of strided nested tensors: views, parts, joining, padding."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import minitorch as torch
from minitorch.core.arrays.layout import contiguous_strides
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.nested._internal.functions import called
from minitorch.nested._internal.registry import canonical
from minitorch.nested._strided.kernels import Function, Kernels, filling
from minitorch.nested._strided.tensor import (
    NO_SIZES,
    Geometry,
    buffer_of,
    joined,
    nested,
    parts_of,
    regular_size,
)

KERNELS: Kernels = {}
kernel = filling(KERNELS)
_ISSUE = "if you need this feature, please open an issue on github describing your use case."


def _rank(self: Any) -> int:
    return int(self._array.ndim)


def _changed(self: Any, change: Callable[[Any, Any, int], tuple[Any, Any, int]]) -> Any:
    """A view whose parts have the sizes, strides and offsets that `change` makes of these."""
    place = self._geometry
    changed = [change(*each) for each in zip(place.sizes, place.strides, place.offsets)]
    sizes, strides, offsets = zip(*changed) if changed else ((), (), ())
    return nested(
        self._buffer, Geometry(tuple(map(tuple, sizes)), tuple(map(tuple, strides)), offsets)
    )


@kernel("transpose.int")
def _transpose(self: Any, dim0: int, dim1: int) -> Any:
    first, second = (canonical(_rank(self), dim) for dim in (dim0, dim1))
    if first == second:
        raise RuntimeError(
            "View operation returned a tensor that is the same as the input base tensor.  This is "
            "no longer allowed; you must explicitly create a new tensor (e.g., using .detach()). "
            "As a user, you could have made a mistake implementing __torch_dispatch__ or a Python "
            "operator decomposition or meta registration; if that's not the case, please report a "
            "bug to PyTorch or the backend you are using."
        )
    if 0 in (first, second):
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")

    def swapped(values: Any) -> list[int]:
        result = list(values)
        result[first - 1], result[second - 1] = result[second - 1], result[first - 1]
        return result

    return _changed(self, lambda size, steps, start: (swapped(size), swapped(steps), start))


@kernel("unsqueeze.default")
def _unsqueeze(self: Any, dim: int) -> Any:
    place = canonical(_rank(self) + 1, dim)
    if place == 0:
        raise RuntimeError(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported at the "
            f"moment {_ISSUE}"
        )
    i = place - 1

    def wider(size: Any, steps: Any, start: int) -> Any:
        step = size[i] * steps[i] if i < len(size) else 1
        return (*size[:i], 1, *size[i:]), (*steps[:i], step, *steps[i:]), start

    return _changed(self, wider)


@kernel("squeeze.dim", "squeeze.dims")
def _squeeze(self: Any, dim: Any) -> Any:
    dims = [dim] if isinstance(dim, int) else list(dim)
    places = [canonical(_rank(self), each) for each in dims]
    if 0 in places:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing dimension 0 is not supported at the moment "
            f"{_ISSUE}"
        )
    taken = [i - 1 for i in places if regular_size(self, i) == 1]

    def narrower(size: Any, steps: Any, start: int) -> Any:
        kept = [i for i in range(len(size)) if i not in taken]
        return [size[i] for i in kept], [steps[i] for i in kept], start

    return _changed(self, narrower)


@kernel("squeeze.default")
def _squeeze_all(self: Any) -> Any:
    raise RuntimeError(
        "squeeze(): For nested tensors, squeeze without the dim argument is not supported at the "
        f"moment, however you can use squeeze(Tensor self, int dim) instead {_ISSUE}"
    )


@kernel("view.default")
def _view(self: Any, size: Any) -> Any:
    return _reshaped(self, list(size), "view")


def _reshaped(self: Any, size: list[int], name: str) -> Any:
    if not size or size[0] != len(self._geometry.sizes):
        raise RuntimeError(
            f"{name}: For now nested {name} cannot change or infer the implicit batch dimension"
        )

    def reshaped(own: Any, steps: Any, start: int) -> Any:
        wanted = list(size[1:])
        for i, n in enumerate(wanted):
            if n == -1 and i < len(own):
                wanted[i] = own[i]
        if prod(wanted) != prod(own) or -1 in wanted:
            raise RuntimeError(f"shape '{size}' is invalid for input of size {prod(own)}")
        return wanted, contiguous_strides(tuple(wanted)), start

    if not self._geometry.is_contiguous and name == "view":
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return _changed(self, reshaped)


def _reshape(self: Any, *shape: Any) -> Any:
    size = list(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else list(shape)
    if not size or size[0] != len(self._geometry.sizes):
        raise RuntimeError(
            "reshape: For now nested reshape cannot change or infer the implicit batch dimension"
        )
    source = self if self._geometry.is_contiguous else self.contiguous()
    return source.view(size)


def _reshape_as(self: Any, other: Any) -> Any:
    if not other.is_nested:
        raise RuntimeError("reshape_as: expected other to be a nested tensor")
    size = [len(other._geometry.sizes)]
    size += [-1 if (n := regular_size(other, d)) is None else n for d in range(1, _rank(other))]
    return self.view(size)


# ---- parts


@kernel("unbind.int")
def _unbind(self: Any, dim: int = 0) -> Any:
    place = canonical(_rank(self), dim)
    if place:
        raise RuntimeError(
            f"NestedTensor can only be unbound along dimension 0 got dimension {place} instead."
        )
    return tuple(parts_of(self))


@kernel("select.int")
def _select(self: Any, dim: int, index: int) -> Any:
    place = canonical(_rank(self), dim)
    sizes = self._geometry.sizes
    if place == 0:
        if not -len(sizes) <= index < len(sizes):
            raise IndexError(
                f"index {index} is out of bounds for dimension 0 with size {len(sizes)}"
            )
        return parts_of(self)[index]
    for i, size in enumerate(sizes):
        if not 0 <= index < size[place - 1]:
            raise IndexError(
                f"index {index} is out of bounds for dimension {place - 1} of the {i}th "
                f"constituent tensor with size {size[place - 1]}"
            )

    def chosen(size: Any, steps: Any, start: int) -> Any:
        at = place - 1
        return (
            (*size[:at], *size[at + 1 :]),
            (*steps[:at], *steps[at + 1 :]),
            start + index * steps[at],
        )

    return _changed(self, chosen)


@kernel("_nested_select_backward.default")
def _select_backward(grad_output: Any, self: Any, dim: int, index: int) -> Any:
    result = torch.zeros_like(self)
    part = result.select(dim, index)
    part.copy_(grad_output)
    return result


@kernel("narrow.default")
def _narrow(self: Any, dim: int, start: int, length: int) -> Any:
    if dim != 0:
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    place = self._geometry
    kept = slice(start, start + length)
    return nested(
        self._buffer, Geometry(place.sizes[kept], place.strides[kept], place.offsets[kept])
    )


@kernel("chunk.default")
def _chunk(self: Any, chunks: int, dim: int = 0) -> Any:
    last = _rank(self) - 1
    if canonical(_rank(self), dim) != last:
        raise RuntimeError(
            "Chunk for nested tensors is currently only supported for the last dimension."
        )
    width = self.size(last)
    if width % chunks:
        raise RuntimeError(
            "Chunk for nested tensors is only supported for nested tensors with trailing "
            f"dimension divisible by chunks, got: {width} % {chunks} != 0"
        )
    return _split_with_sizes(self, [width // chunks] * chunks, last)


@kernel("split_with_sizes.default")
def _split_with_sizes(self: Any, split_sizes: Any, dim: int = 0) -> Any:
    last = _rank(self) - 1
    if canonical(_rank(self), dim) != last:
        raise RuntimeError(
            "split_with_sizes for nested tensors is currently only supported for the last "
            "dimension."
        )
    width = self.size(last)
    if sum(split_sizes) != width:
        raise RuntimeError(
            "split_with_sizes expects split_sizes to sum exactly to "
            f"{width} (input tensor's size at dimension -1), but got split_sizes="
            f"{list(split_sizes)}"
        )
    results, begin = [], 0
    for n in split_sizes:

        def part(size: Any, steps: Any, start: int, n: int = n, begin: int = begin) -> Any:
            return (*size[:-1], n), steps, start + begin * steps[-1]

        results.append(_changed(self, part))
        begin += n
    return tuple(results)


def of_parts(grads: Any, self: Any) -> Any:
    """The gradient of a nested tensor from those of its parts, zeros where there is none."""
    pairs = zip(grads, parts_of(self))
    return joined([torch.zeros_like(part) if grad is None else grad for grad, part in pairs])


def split_backward(grads: Any, self: Any, split_sizes: Any) -> Any:
    parts = _split_with_sizes(self, split_sizes, -1)
    columns = [
        [torch.zeros(p.shape, dtype=self.dtype) for p in parts_of(part)]
        if grad is None
        else parts_of(grad)
        for grad, part in zip(grads, parts)
    ]
    return joined([torch.cat(list(each), -1) for each in zip(*columns)])


@kernel("cat.default")
def _cat(tensors: Any, dim: int = 0) -> Any:
    if not all(t.is_nested for t in tensors):
        raise RuntimeError("cat(): expected each tensor in given list to be nested")
    place = canonical(_rank(tensors[0]), dim)
    if place == 0:
        return joined([part for t in tensors for part in parts_of(t)])
    columns = [parts_of(t) for t in tensors]
    return joined([torch.cat(list(each), place - 1) for each in zip(*columns)])


# ---- buffers and padding


@kernel("values.default")
def _values(self: Any) -> Any:
    return buffer_of(self).detach()


@kernel("to_padded_tensor.default")
def _to_padded_tensor(self: Any, padding: float, output_size: Any = None) -> Any:
    sizes = self._geometry.sizes
    least = [len(sizes), *[max(each) for each in zip(*sizes)]]
    size = least if output_size is None else list(output_size)
    if len(size) != len(least):
        raise RuntimeError(
            "Length of output_size does not match NestedTensor dims. Broadcasting is not supported."
        )
    if any(n < m for n, m in zip(size, least)):
        raise RuntimeError(
            "Value in output_size is less than NestedTensor padded size. Truncation is not "
            "supported."
        )
    result = torch.full(size, padding, dtype=self.dtype)
    for i, part in enumerate(parts_of(self)):
        result[(i, *[slice(n) for n in part.shape])] = part
    return result


def _sizes_of(self: Any) -> Any:
    return _table(self._geometry.sizes)


def _table(rows: Any) -> Any:
    if not rows:
        return torch.tensor(1.0)
    return torch.tensor([list(row) for row in rows], dtype=torch.int64).view(len(rows), -1)


def _strides_of(self: Any) -> Any:
    return _table(self._geometry.strides)


def _offsets_of(self: Any) -> Any:
    return torch.tensor(list(self._geometry.offsets), dtype=torch.int64)


def _padded(self: Any, padding: float, output_size: Any = None) -> Any:
    given = () if output_size is None else (list(output_size),)
    return called("to_padded_tensor.default", self, float(padding), *given)


def _chunked(self: Any, chunks: int, dim: int = 0) -> Any:
    return tuple(called("chunk.default", self, chunks, dim))


def _refuse_recorded(self: Any) -> None:
    """RuntimeError where torch would save sizes before it looks for a kernel."""
    if self.requires_grad and torch.is_grad_enabled():
        raise RuntimeError(NO_SIZES)


def _split(self: Any, size: Any, dim: int = 0) -> Any:
    if isinstance(size, int):
        _refuse_recorded(self)
        raise no_kernel("split.Tensor", "NestedTensorCPU")
    return tuple(called("split_with_sizes.default", self, list(size), dim))


def _flatten(self: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    first, last = (canonical(_rank(self), dim) for dim in (start_dim, end_dim))
    if first == last:
        return self
    raise RuntimeError(NO_SIZES)


def _item(self: Any, index: Any) -> Any:
    """A part: by numbers, an ellipsis and None alone."""
    places = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(each, (torch.Tensor, list)) for each in places):
        raise no_kernel("index.Tensor", "NestedTensorCPU")
    named = sum(each is not None and each is not Ellipsis for each in places)
    result, dim = self, 0
    for each in places:
        if each is Ellipsis:
            dim += self._array.ndim - named
        elif each is None:
            result, dim = result.unsqueeze(dim), dim + 1
        elif isinstance(each, slice):
            _refuse_recorded(self)
            raise no_kernel("slice.Tensor", "NestedTensorCPU")
        else:
            result = result.select(dim, each)
    return result


def _ravel(self: Any) -> Any:
    return self.contiguous().view(-1)


def _narrowed(self: Any, dim: int, start: int, length: int) -> Any:
    return called("narrow.default", self, dim, start, length)


def _unflatten(self: Any, dim: int, sizes: Any) -> Any:
    place = canonical(_rank(self), dim)
    if regular_size(self, place) is None:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nGiven dimension {place} is irregular and does "
            "not have a size."
        )
    raise RuntimeError(NO_SIZES)


def _permuted(self: Any) -> Any:
    raise no_kernel("permute", "NestedTensorCPU")


COMPOSED: dict[str, Function] = {
    "T": _permuted,
    "__getitem__": _item,
    "_nested_tensor_size": _sizes_of,
    "_nested_tensor_storage_offsets": _offsets_of,
    "_nested_tensor_strides": _strides_of,
    "chunk": _chunked,
    "flatten": _flatten,
    "narrow": _narrowed,
    "ravel": _ravel,
    "reshape": _reshape,
    "reshape_as": _reshape_as,
    "split": _split,
    "to_padded_tensor": _padded,
    "unflatten": _unflatten,
}
