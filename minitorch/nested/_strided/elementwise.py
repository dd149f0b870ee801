"""Element-wise operators of strided nested tensors, copies, and tensors like them."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.nested._strided.kernels import Function, Kernels, filling
from minitorch.nested._strided.tensor import (
    buffer_of,
    in_rows,
    joined,
    nested,
    parts_of,
)

KERNELS: Kernels = {}
kernel = filling(KERNELS)
COMPOSED: dict[str, Function] = {}

_UNARY = """
abs.default cos.default gelu.default gelu_backward.default isinf.default isnan.default
isneginf.default isposinf.default logical_not.default neg.default relu.default sgn.default
silu.default sin.default sqrt.default tanh.default eq.Scalar ge.Scalar gt.Scalar
"""
_WRITING = """
abs_.default gelu_.default logical_not_.default neg_.default relu_.default sgn_.default
silu_.default tanh_.default
"""
_BINARY = "add.Tensor sub.Tensor mul.Tensor div.Tensor"


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload)


def _unary(name: str) -> None:
    def on_buffer(self: Any, *args: Any, **kwargs: Any) -> Any:
        return nested(_overload(name)(self._buffer, *args, **kwargs), self._geometry)

    KERNELS[name] = on_buffer


def _writing(name: str) -> None:
    plain = name.partition(".")[0]

    def on_buffer(self: Any, *args: Any, **kwargs: Any) -> Any:
        getattr(torch.Tensor, plain)(buffer_of(self), *args, **kwargs)
        return self

    KERNELS[name] = on_buffer


def _binary(name: str) -> None:
    plain = name.partition(".")[0]

    def computed(self: Any, other: Any, **kwargs: Any) -> Any:
        function = getattr(torch, plain)
        if not isinstance(other, torch.Tensor):
            return nested(function(self._buffer, other, **kwargs), self._geometry)
        left, right, geometry = operands(plain, self, other)
        return nested(function(left, right, **kwargs), geometry)

    def written(self: Any, other: Any, **kwargs: Any) -> Any:
        function = getattr(torch.Tensor, f"{plain}_")
        if not isinstance(other, torch.Tensor):
            function(buffer_of(self), other, **kwargs)
        else:
            left, right, _ = operands(f"{plain}_", self, other)
            buffer_of(self)
            function(left, right, **kwargs)
        return self

    KERNELS[name] = KERNELS[f"{plain}.Scalar"] = computed
    if plain in ("add", "mul"):
        KERNELS[f"{plain}_.Tensor"] = KERNELS[f"{plain}_.Scalar"] = written


def operands(name: str, self: Any, other: Any) -> tuple[Any, Any, Any]:
    """The buffers of two operands and their geometry; one may be a number in a tensor.

    RuntimeError with torch's texts if they do not fit.
    """
    if not other.is_nested and other.dim() == 0:
        return self._buffer, other, self._geometry
    if not self.is_nested and self.dim() == 0:
        return self, other._buffer, other._geometry
    if not (self.is_nested and other.is_nested):
        kinds = [("a nested" if x.is_nested else "non-nested") for x in (self, other)]
        first = "a nested" if self.is_nested else "a non-nested"
        raise RuntimeError(
            f"Expected both self and other to be nested, but got {first} self and "
            f"{kinds[1].removeprefix('a ')} other"
        )
    if self._geometry.sizes != other._geometry.sizes:
        raise RuntimeError(f"{name} does not support broadcasting when given a NestedTensor")
    if self._geometry == other._geometry and self._geometry.is_contiguous:
        return self._buffer, other._buffer, self._geometry
    rows = in_rows(self._geometry.sizes)
    return joined(parts_of(self))._buffer, joined(parts_of(other))._buffer, rows


for _names, _make in ((_UNARY, _unary), (_WRITING, _writing), (_BINARY, _binary)):
    for _name in _names.split():
        _make(_name)


@kernel("eq.Tensor")
def _equal(self: Any, other: Any) -> Any:
    raise RuntimeError("eq does not support nested tensor as other value.")


@kernel("where.self")
def _where(condition: Any, self: Any, other: Any) -> Any:
    raise RuntimeError("self must not be nested")


@kernel("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(self: Any, mask: Any, value: Any) -> Any:
    left, right, geometry = operands("masked_fill", self, mask)
    return nested(left.masked_fill(right, value), geometry)


@kernel("threshold_backward.default")
def _threshold_backward(grad_output: Any, self: Any, threshold: float) -> Any:
    grad, own, geometry = operands("threshold_backward", grad_output, self)
    return nested(torch.ops.aten.threshold_backward.default(grad, own, threshold), geometry)


@kernel("clone.default")
def _clone(self: Any, memory_format: Any = None) -> Any:
    if memory_format == torch.contiguous_format and not self._geometry.is_contiguous:
        return joined(parts_of(self))
    return nested(self._buffer.clone(), self._geometry)


@kernel("detach.default", "alias.default")
def _detach(self: Any) -> Any:
    return nested(self._buffer.detach(), self._geometry)


@kernel("_to_copy.default")
def _to_copy(self: Any, **options: Any) -> Any:
    options.pop("layout", None)
    return nested(torch.ops.aten._to_copy.default(self._buffer, **options), self._geometry)


def _like(name: str) -> None:
    def made(self: Any, **options: Any) -> Any:
        options.pop("layout", None)
        return nested(getattr(torch, name)(self._buffer, **options), self._geometry)

    KERNELS[f"{name}.default"] = made


for _name in ("zeros_like", "ones_like", "empty_like", "randn_like"):
    _like(_name)


@kernel("copy_.default")
def _copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    if not src.is_nested:
        raise RuntimeError("get_nested_tensor_impl requires a NestedTensor.")
    if self._geometry.sizes != src._geometry.sizes:
        raise RuntimeError(
            "copy_ only supports tensors that are the same size for Nested implementations"
        )
    buffer_of(self).copy_(buffer_of(src))
    return self


@kernel("zero_.default")
def _zero_(self: Any) -> Any:
    buffer_of(self).zero_()
    return self


@kernel("fill_.Scalar", "fill_.Tensor")
def _fill_(self: Any, value: Any) -> Any:
    buffer_of(self).fill_(value)
    return self


@kernel("normal_.default")
def _normal_(self: Any, mean: float = 0, std: float = 1, *, generator: Any = None) -> Any:
    buffer_of(self).normal_(mean, std, generator=generator)
    return self


def _tensor(data: Any, *, dtype: Any = None, device: Any = None, **options: Any) -> Any:
    return data.detach().clone().to(dtype or data.dtype)


def _where_of(condition: Any, *args: Any) -> Any:
    return _where(condition, None, None)


def _positive(self: Any) -> Any:
    return self


COMPOSED.update(tensor=_tensor, where=_where_of, positive=_positive)
