"""Products, reductions and layers on strided nested tensors."""

from __future__ import annotations

import math
from typing import Any

import minitorch as torch
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.nested._internal.functions import called
from minitorch.nested._internal.registry import canonical
from minitorch.nested._strided.elementwise import operands
from minitorch.nested._strided.kernels import Function, Kernels, filling
from minitorch.nested._strided.tensor import (
    NO_SIZES,
    buffer_of,
    in_rows,
    joined,
    nested,
    parts_of,
    regular_size,
)

KERNELS: Kernels = {}
kernel = filling(KERNELS)


# ---- products


def _column(values: list[int]) -> str:
    """Numbers as torch prints a tensor of them in errors."""
    return "".join([f" {n}\n" for n in values]) + f"[ torch.LongTensor{{{len(values)}}} ]"


@kernel("matmul.default")
def _matmul(self: Any, other: Any) -> Any:
    if not (self.is_nested and other.is_nested):
        kinds = ["a nested" if self.is_nested else "a non-nested"]
        second = "nested" if other.is_nested else "non-nested"
        raise RuntimeError(
            f"Expected both to be nested, but got {kinds[0]} self and {second} other"
        )
    for number, x in (("1st", self), ("2nd", other)):
        if x._array.ndim < 3:
            raise RuntimeError(
                "matmul: For nested tensors, only inputs with >= 3 dims are currently supported. "
                f"{number} input has rank: {x._array.ndim}"
            )
    inner = [size[-1] for size in self._geometry.sizes]
    outer = [size[-2] for size in other._geometry.sizes]
    if inner != outer:
        raise RuntimeError(
            "matmul: Nested tensors cannot be matrix multiplied, last dimension of self has sizes"
            f"{_column(inner)}second last dimension of mat2 has sizes{_column(outer)}"
        )
    pairs = zip(parts_of(self), parts_of(other))
    return joined([torch.matmul(a, b) for a, b in pairs])


@kernel("matmul_backward.default")
def _matmul_backward(grad: Any, self: Any, other: Any, mask: Any) -> Any:
    return (
        torch.matmul(grad, other.transpose(-1, -2)) if mask[0] else None,
        torch.matmul(self.transpose(-1, -2), grad) if mask[1] else None,
    )


@kernel("bmm.default")
def _bmm(self: Any, mat2: Any) -> Any:
    others = parts_of(mat2) if mat2.is_nested else list(mat2.unbind())
    own = parts_of(self) if self.is_nested else list(self.unbind())
    return joined([torch.mm(a, b) for a, b in zip(own, others)])


@kernel("linear.default")
def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    if input._array.ndim != 3 or weight.dim() != 2:
        raise RuntimeError(
            "Linear requires nested_tensor.dim == 3 and dense_matrix.dim == 2. Nested tensor dim: "
            f"{input._array.ndim}. Dense tensor dim: {weight.dim()}"
        )
    width = input.size(2)
    if width != weight.size(1):
        raise RuntimeError(
            "Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) "
            f"'last_dim' to equal 'weight.size(1), but got: last_dim = {width}, and "
            f"weight.size(1) = {weight.size(1)}"
        )
    rows = torch.nn.functional.linear(buffer_of(input).reshape(-1, width), weight, bias)
    sizes = [(*size[:-1], weight.size(0)) for size in input._geometry.sizes]
    return nested(rows.reshape(-1), in_rows(sizes))


@kernel("linear_backward.default")
def _linear_backward(self: Any, grad_output: Any, weight: Any, output_mask: Any) -> Any:
    grad = buffer_of(grad_output).reshape(-1, weight.size(0))
    own = buffer_of(self).reshape(-1, weight.size(1))
    of_input = nested(torch.mm(grad, weight).view(-1), self._geometry) if output_mask[0] else None
    return (
        of_input,
        torch.mm(grad.t(), own) if output_mask[1] else None,
        grad.sum(0) if output_mask[2] else None,
    )


# ---- reductions


@kernel("sum.dim_IntList")
def _sum(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    dims = [] if dim is None else list(dim)
    if len(dims) != 1:
        raise RuntimeError("NestedTensor only allows reduction of a single dimension for now.")
    ndim = self._array.ndim
    place = canonical(ndim, dims[0])
    if place != ndim - 1:
        raise RuntimeError(
            "NestedTensor can only be reduced across the last dimension for now got dimension "
            f"{place} instead."
        )
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    return joined([part.sum(-1, keepdim=True, dtype=dtype) for part in parts_of(self)])


@kernel("_nested_sum_backward.default")
def _sum_backward(grad: Any, self: Any, dim: Any, keepdim: bool = False) -> Any:
    pairs = zip(parts_of(grad), self._geometry.sizes)
    return joined([part.expand(size) for part, size in pairs])


@kernel("all.dim", "all.dims")
def _all(self: Any, dim: Any, keepdim: bool = False) -> Any:
    if not isinstance(dim, int) and len(dim) != 1:
        raise no_kernel("all.dims" if dim else "all", "NestedTensorCPU")
    place = canonical(self._array.ndim, dim if isinstance(dim, int) else dim[0])
    if place == 0:
        raise RuntimeError("Cannot apply all across nested dimension 0")
    if self.dtype != torch.bool:
        name = self.dtype.scalar_name
        raise RuntimeError(f"all only supports bool tensor for result, got: {name}")
    return joined([part.all(place - 1, keepdim=keepdim) for part in parts_of(self)])


# ---- layers


def _softmax_place(self: Any, dim: int) -> int:
    place = canonical(self._array.ndim, dim)
    if place == 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return place - 1


@kernel("_softmax.default", "_safe_softmax.default")
def _softmax(self: Any, dim: int, half_to_float: Any = False) -> Any:
    place = _softmax_place(self, dim)
    return joined([torch.softmax(part, place) for part in parts_of(self)])


@kernel("_softmax_backward_data.default")
def _softmax_backward(grad_output: Any, output: Any, dim: int, input_dtype: Any = None) -> Any:
    place = _softmax_place(output, dim)
    function = torch.ops.aten._softmax_backward_data.default
    pairs = zip(parts_of(grad_output), parts_of(output))
    return joined([function(g, y, place, input_dtype) for g, y in pairs])


@kernel("native_dropout.default")
def _native_dropout(input: Any, p: float, train: Any = None) -> Any:
    if train is False:  # torch then gives a copy, and ones
        return nested(input._buffer.clone(), input._geometry), torch.ones_like(input)
    kept, mask = torch.native_dropout(input._buffer, p, train)
    return nested(kept, input._geometry), nested(mask, input._geometry)


@kernel("native_dropout_backward.default")
def _native_dropout_backward(grad_output: Any, mask: Any, scale: float) -> Any:
    grad, kept, geometry = operands("native_dropout_backward", grad_output, mask)
    return nested(torch.ops.aten.native_dropout_backward.default(grad, kept, scale), geometry)


@kernel("native_layer_norm.default")
def _native_layer_norm(
    input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> Any:
    _check_normalized(input, normalized_shape)
    rows = buffer_of(input).reshape(-1, *normalized_shape)
    output, mean, rstd = torch.native_layer_norm(rows, normalized_shape, weight, bias, eps)
    return nested(output.reshape(-1), input._geometry), mean, rstd


def _check_normalized(input: Any, normalized_shape: Any) -> None:
    ndim = input._array.ndim
    first = ndim - len(normalized_shape)
    if any(regular_size(input, d) is None for d in range(max(first, 0), ndim)) or first < 1:
        raise RuntimeError(
            "normalized_shape extends into irregular dimensions for the nested tensor"
        )


@kernel("native_layer_norm_backward.default")
def _native_layer_norm_backward(
    grad_out: Any, input: Any, normalized_shape: Any, *args: Any
) -> Any:
    rows = [buffer_of(x).reshape(-1, *normalized_shape) for x in (grad_out, input)]
    function = torch.ops.aten.native_layer_norm_backward.default
    of_input, of_weight, of_bias = function(*rows, normalized_shape, *args)
    if of_input is not None:
        of_input = nested(of_input.reshape(-1), input._geometry)
    return of_input, of_weight, of_bias


@kernel("embedding.default")
def _embedding(weight: Any, indices: Any, *args: Any) -> Any:
    if indices._array.ndim >= 3:
        raise RuntimeError(
            "Expected indices.dim() < 3 to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    rows = torch.embedding(weight, buffer_of(indices), *args)
    sizes = [(*size, weight.shape[1]) for size in indices._geometry.sizes]
    return nested(rows.reshape(-1), in_rows(sizes))


def _layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, *args: Any
) -> Any:
    if weight is None or bias is None:
        raise ValueError("NestedTensor layer_norm requires weight and bias")
    shape = list(normalized_shape)
    eps = args[0] if args else 1e-5
    return torch.native_layer_norm(input, shape, weight, bias, eps)[0]


def _loss(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError(NO_SIZES)


def attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """The attention of each of the batch: torch.nn.functional.scaled_dot_product_attention."""
    if attn_mask is not None:
        raise RuntimeError(
            "Scaled_dot_product_attention: Nested tensors for query / key are not supported when "
            "an explicit attn_mask is set"
        )
    if not all(x._geometry.is_contiguous for x in (query, key, value)):
        raise RuntimeError(
            "scaled_dot_product_attention: If inputs are nested tensors they must be contiguous"
        )
    if is_causal:
        raise RuntimeError("Nested tensors for query / key are not supported when is_causal=True")
    factor = math.sqrt(1 / math.sqrt(query.size(-1)) if scale is None else scale)
    turned = OPS.mul_Scalar(key.transpose(-2, -1), factor)
    scores = torch.matmul(OPS.mul_Scalar(query, factor), turned)
    weights = OPS._safe_softmax(scores, -1)
    if dropout_p:
        weights = torch.dropout(weights, dropout_p, True)
    return torch.matmul(weights, value)


def _linear_of(input: Any, weight: Any, bias: Any = None) -> Any:
    given = () if bias is None else (bias,)
    return called("linear.default", input, weight, *given)


def _matmul_of(input: Any, other: Any) -> Any:
    return called("matmul.default", input, other)


def _dropout(input: Any, p: float, train: bool) -> Any:
    return torch.native_dropout(input, p, train)[0]


COMPOSED: dict[str, Function] = {
    **dict.fromkeys(("huber_loss", "mse_loss", "smooth_l1_loss"), _loss),
    "dropout": _dropout,
    "scaled_dot_product_attention": attention,
    "layer_norm": _layer_norm,
    "linear": _linear_of,
    "matmul": _matmul_of,
}
