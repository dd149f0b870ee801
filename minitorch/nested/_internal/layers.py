"""Layers on NestedTensors: softmax, normalization, dropout, embedding, attention."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.core.base.formulas import OPS
from minitorch.nested._internal.nested_tensor import functions_disabled
from minitorch.nested._internal.registry import Reduced, jagged, like
from minitorch.nested._internal.sdpa import jagged_scaled_dot_product_attention
from minitorch.nested._internal.shapes import padded, unpadded


@jagged("_softmax.default", schema="self: jt_all, dim: any, half_to_float: any")
def _softmax_default(operator: Any, self: Any, dim: Any, half_to_float: bool) -> Any:
    if isinstance(dim, tuple):
        raise RuntimeError(
            "softmax(): not supported for dimensions of type 'tuple' for NestedTensor"
        )
    over = Reduced(self, (dim,))
    if over.batch:
        raise RuntimeError(
            "softmax(): not supported when reducing across the batch dimension for NestedTensor"
        )
    if not over.ragged:
        return like(operator(self._values, over.dims[0], half_to_float), self)
    if self._ragged_idx > 1:
        raise RuntimeError(
            "softmax(): not supported when reducing along the ragged dimension for ragged_idx > 1 "
            "for NestedTensor"
        )
    if self._lengths is not None:
        raise RuntimeError(
            "softmax(): not supported where lengths is not None if reducing across the ragged "
            "dimension for NestedTensor"
        )
    flat = self._values.reshape(self._values.shape[0], -1)
    dense = padded(flat, self._offsets, self._max_seqlen, float("-inf"))
    soft = unpadded(torch.softmax(dense, 1), self._offsets, flat.shape[0])
    return like(soft.reshape(-1, *self._values.shape[1:]), self)


@jagged("_log_softmax.default", schema="self: jt_all, dim: any, half_to_float: any")
def _log_softmax_default(operator: Any, self: Any, dim: Any, half_to_float: bool) -> Any:
    if isinstance(dim, tuple):
        raise RuntimeError(
            "log_softmax(): not supported for dimensions of type 'tuple' for NestedTensor"
        )
    over = Reduced(self, (dim,))
    for reduced, text in (
        (over.batch, "across the batch"),
        (over.ragged, "along the ragged"),
    ):
        if reduced:
            raise RuntimeError(
                f"log_softmax(): not supported when reducing {text} dimension for NestedTensor"
            )
    return like(operator(self._values, over.dims[0], half_to_float), self)


@jagged(
    "_softmax_backward_data.default",
    schema="grad_output: jt, output: jt, dim: any, input_dtype: any",
)
def _softmax_backward(
    operator: Any, grad_output: Any, output: Any, dim: Any, input_dtype: Any = None
) -> Any:
    return like(operator(grad_output._values, output._values, dim, input_dtype), grad_output)


@jagged("native_dropout.default", schema="self: jt, float: any, train: any?")
def native_dropout_default(operator: Any, self: Any, p: float, train: Any = None) -> Any:
    kept, mask = operator(self._values, p, train)
    return (like(kept, self), like(mask, self))


@jagged("native_dropout_backward.default", schema="grad_output: jt, mask: jt, scale: any")
def native_dropout_backward_default(
    operator: Any, grad_output: Any, mask: Any, scale: float
) -> Any:
    return like(operator(grad_output._values, mask._values, scale), grad_output)


@jagged(
    "native_layer_norm.default",
    schema="input: jt_all, normalized_shape: any, weight: any?, bias: any?, eps: any",
)
def native_layer_norm_default(
    operator: Any, input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> Any:
    if input.dim() <= 2:
        raise RuntimeError(
            "layer_norm(): not supported for NestedTensor objects with 2 or fewer dimensions"
        )
    if input.dim() == len(normalized_shape):
        raise RuntimeError(
            "layer_norm(): not supported when normalizing over the batch dimension for NestedTensor"
        )
    if any(size == input._size[input._ragged_idx] for size in normalized_shape):
        return _normalized_over_ragged(input, eps)
    output, mean, rstd = operator(input._values, normalized_shape, weight, bias, eps)
    return (like(output, input), mean, rstd)


def _normalized_over_ragged(input: Any, eps: float) -> Any:
    """The layer norm of each of the batch as a whole."""
    if input._lengths is not None:
        raise RuntimeError(
            "layer_norm(): not supported where lengths is not None if operating on the ragged "
            "dimension for NestedTensor"
        )
    offsets, width = input._offsets, input._max_seqlen
    flat = input._values.flatten(start_dim=input._ragged_idx)
    dense = padded(flat, offsets, width, 0.0)
    ones = torch.ones((flat.shape[0], 1), dtype=input.dtype)
    mask = padded(ones, offsets, width, 0.0).expand(dense.shape)
    counts = offsets.diff().unsqueeze(1).unsqueeze(1) * dense.shape[2]
    mean = torch.sum(dense, dim=(1, 2), keepdim=True) / counts
    centred = (dense - mean) * mask
    variance = torch.sum(torch.square(centred), dim=(1, 2), keepdim=True) / counts
    deviation = torch.sqrt(variance + eps)
    values = unpadded(centred / deviation, offsets, flat.shape[0])
    shape = input._values.shape[input._ragged_idx :]
    return (like(values.unflatten(-1, shape), input), mean, deviation)


@jagged(
    "native_layer_norm_backward.default",
    schema="grad_out: jt, input: jt, normalized_shape: any, mean: any, rstd: any, weight: any?, "
    "bias: any?, output_mask: any",
)
def native_layer_norm_backward_default(operator: Any, grad_out: Any, input: Any, *args: Any) -> Any:
    of_input, of_weight, of_bias = operator(grad_out._values, input._values, *args)
    return (None if of_input is None else like(of_input, input), of_weight, of_bias)


@jagged(
    "embedding.default",
    schema="weight: t, indices: jt, padding_idx: any?, scale_grad_by_freq: any?, sparse: any?",
)
def embedding_default(operator: Any, weight: Any, indices: Any, *args: Any) -> Any:
    return like(operator(weight, indices._values, *args), indices)


@jagged(
    "embedding_dense_backward.default",
    schema="grad_output: jt, indices: jt, num_weights: any, padding_idx: any, "
    "scale_grad_by_freq: any",
)
def embedding_dense_backward_default(
    operator: Any, grad_output: Any, indices: Any, *args: Any
) -> Any:
    return operator(grad_output._values, indices._values, *args)


def _rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Any:
    if len(normalized_shape) > input.dim() - input._ragged_idx - 1:
        raise ValueError(
            "rms_norm(): Normalization over the ragged dim not supported for nested tensors"
        )
    places = list(range(input.dim() - len(normalized_shape), input.dim()))
    if list(input.shape[places[0] :]) != list(normalized_shape):
        raise RuntimeError(
            f"Given normalized_shape={list(normalized_shape)}, expected input with shape "
            f"[*{', '.join(map(str, normalized_shape))}], but got input of size{list(input.shape)}"
        )
    least = torch.finfo(input.dtype).eps if eps is None else eps
    with functions_disabled():
        squares = OPS.mean(OPS.pow(input, 2), places, True)
        result = input * OPS.rsqrt(OPS.add_Scalar(squares, least))
        return result if weight is None else result * weight


def _dropout(input: Any, p: float, train: bool) -> Any:
    return torch.native_dropout(input, p, train)[0]


COMPOSED: dict[str, Any] = {"dropout": _dropout}
FUNCTIONS: dict[str, Any] = {
    "rms_norm": _rms_norm,
    "scaled_dot_product_attention": jagged_scaled_dot_product_attention,
}
