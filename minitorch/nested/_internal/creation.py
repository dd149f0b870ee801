"""Copies of NestedTensors, casts, and tensors like them."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.nested._internal.nested_tensor import jagged_from_list
from minitorch.nested._internal.registry import extract_kwargs, jagged, like


@jagged("clone.default", schema="input: jt_all, memory_format: any?")
def clone_default(operator: Any, self: Any, memory_format: Any = None) -> Any:
    if self._lengths is not None and memory_format == torch.contiguous_format:
        if self._ragged_idx != 1:
            raise AssertionError("NJT with ragged_idx != 1 not supported for contiguous clone")
        return jagged_from_list(list(self.unbind()), offsets=None)[0]
    return like(operator(self._values, memory_format=memory_format), self)


@jagged("detach.default", "alias.default", schema="self: jt_all")
def jagged_unary_pointwise(operator: Any, self: Any) -> Any:
    return like(self._values.detach(), self)


@jagged("to.dtype", schema="input: jt_all, dtype: any")
def to_dtype(operator: Any, self: Any, dtype: Any, **options: Any) -> Any:
    return like(self._values.to(dtype, **options), self)


@jagged("_to_copy.default", schema="self: jt_all")
def to_copy_default(operator: Any, self: Any, **options: Any) -> Any:
    options.pop("layout", None)
    return like(operator(self._values, **options), self)


@jagged("copy_.default", schema="self: jt_all, src: jt_all, non_blocking: any?")
def copy_default(operator: Any, self: Any, src: Any, non_blocking: bool = False) -> Any:
    if self._size != src._size:
        own, others = self.unbind(), src.unbind()
        if [each.shape for each in own] != [each.shape for each in others]:
            raise RuntimeError(
                f"copy_(): expected compatible input and src shapes, but got: {self.shape} and "
                f"{src.shape}"
            )
    self._values.copy_(src._values)
    return self


def _like(operator: Any, self: Any, *args: Any, **options: Any) -> Any:
    options["layout"] = torch.strided
    return like(operator(self._values, *args, **options), self)


@jagged(
    "empty_like.default",
    "ones_like.default",
    "zeros_like.default",
    "rand_like.default",
    "randn_like.default",
    schema="self: jt_all",
)
def like_factory_default(operator: Any, self: Any, **options: Any) -> Any:
    return _like(operator, self, **options)


def _named_as_factories(schema: str, *names: str) -> None:
    def function(operator: Any, self: Any, *args: Any, **options: Any) -> Any:
        return _like(operator, self, *args, **options)

    function.__name__ = "like_factory_default"
    jagged(*names, schema=schema)(function)


_named_as_factories("self: jt_all, fill_value: any", "full_like.default")
_named_as_factories("self: jt_all, high: any", "randint_like.default")
_named_as_factories("self: jt_all, low: any, high: any", "randint_like.low_dtype")


@jagged("zero_.default", schema="self: jt_all")
def zero__default(operator: Any, self: Any) -> Any:
    self._values.zero_()
    return self


@jagged("fill.Scalar", schema="self: jt_all, value: any")
def fill_Scalar(operator: Any, self: Any, value: Any) -> Any:
    return like(torch.full_like(self._values, value), self)


@jagged("fill_.Scalar", schema="self: jt_all, value: any")
def fill__Scalar(operator: Any, self: Any, value: Any) -> Any:
    self._values.fill_(value)
    return self


@jagged("_pin_memory.default", schema="self: jt, device: any?")
def _pin_memory_default(operator: Any, self: Any, device: Any = None) -> Any:
    return like(self._values.pin_memory(), self)


@jagged("is_pinned.default", schema="self: jt, device: any?")
def is_pinned_default(operator: Any, self: Any, device: Any = None) -> Any:
    return self._values.is_pinned()


@jagged("is_same_size.default", schema="self: jt_all, other: jt_all")
def is_same_size_default(operator: Any, self: Any, other: Any) -> bool:
    return bool(self._size == other._size)


@jagged(
    "new_empty.default",
    "new_zeros.default",
    "new_ones.default",
    schema="self: jt_all, size: any, dtype: any?, layout: any?, device: any?, pin_memory: any?",
)
def new_empty_default(operator: Any, self: Any, size: Any, **options: Any) -> Any:
    if len(size):
        raise RuntimeError("new_empty() not supported for NJT with shape != ()")
    return operator(self._values, size, **options)


@jagged("frexp.Tensor", schema="self: jt_all")
def frexp_Tensor(operator: Any, self: Any) -> Any:
    mantissa, exponent = torch.frexp(self._values)
    return like(mantissa, self), like(exponent, self)


@jagged("values.default", "_nested_get_values.default", schema="self: jt_all")
def values_default(operator: Any, self: Any) -> Any:
    return self._values.detach()


@jagged("_nested_get_offsets.default", schema="self: jt_all")
def _nested_get_offsets(operator: Any, self: Any) -> Any:
    return self._offsets


@jagged("_nested_get_lengths.default", schema="self: jt_all")
def _nested_get_lengths(operator: Any, self: Any) -> Any:
    return self._lengths


@jagged("_nested_get_ragged_idx.default", schema="self: jt_all")
def _nested_get_ragged_idx(operator: Any, self: Any) -> Any:
    return self._ragged_idx


@jagged("_nested_get_min_seqlen.default", schema="self: jt_all")
def _nested_get_min_seqlen(operator: Any, self: Any) -> Any:
    return self._metadata_cache.get("min_seqlen", None)


@jagged("_nested_get_max_seqlen.default", schema="self: jt_all")
def _nested_get_max_seqlen(operator: Any, self: Any) -> Any:
    return self._metadata_cache.get("max_seqlen", None)


@jagged("masked_select.default", schema="self: jt, mask: any")
def masked_select_default(operator: Any, self: Any, mask: Any) -> Any:
    if self.ndim > 2:
        raise RuntimeError("masked_select only support 2-D selections currently")
    if self.shape != mask.shape:
        raise RuntimeError(
            f"Mask with shape {mask.shape} is not compatible with input's shape {self.shape}"
        )
    chosen = mask._values
    counts = torch.nn.functional.pad(chosen.cumsum(dim=0), (1, 0))
    made = {**extract_kwargs(self), "offsets": counts[self._offsets]}
    return type(self)(values=self._values.masked_select(chosen), **made)


def _sizes_of_strided(name: str) -> Any:
    def refuse(self: Any) -> Any:
        raise NotImplementedError(f"aten.{name}.default")

    return refuse


def _to_dense(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("to_dense does not support layout Jagged")


COMPOSED: dict[str, Any] = {
    name: _sizes_of_strided(name)
    for name in ("_nested_tensor_size", "_nested_tensor_strides", "_nested_tensor_storage_offsets")
}


def _tensor(data: Any, *, dtype: Any = None, device: Any = None, **options: Any) -> Any:
    return data.detach().clone().to(dtype or data.dtype)


COMPOSED["tensor"] = _tensor
FUNCTIONS: dict[str, Any] = {"to_dense": _to_dense}
