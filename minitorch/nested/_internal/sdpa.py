"""Scaled dot product attention of NestedTensors."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.nested._internal.nested_tensor import (
    NestedTensor,
    nested_view_from_values_offsets_lengths,
)
from minitorch.nested._strided.layers import attention


def _check(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    """ValueError with torch's texts unless the operands fit."""
    three = {"query": query, "key": key, "value": value}
    if not all(isinstance(x, NestedTensor) for x in three.values()):
        raise ValueError(
            "Expected query, key, and value to be nested tensors, but got query.is_nested: "
            f"{query.is_nested}, key.is_nested: {key.is_nested}, and value.is_nested: "
            f"{value.is_nested} instead."
        )
    if len({x.dtype for x in three.values()}) > 1:
        raise ValueError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype}, key.dtype: {key.dtype}, and value.dtype: {value.dtype} instead."
        )
    if min(x.dim() for x in three.values()) < 3:
        raise ValueError(
            "Expected query, key, and value to all be at least 3 dimensional, but got query.dim: "
            f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    ragged = [x._ragged_idx for x in three.values()]
    if len(set(ragged)) > 1:
        raise ValueError(
            "Expected query, key, and value to all be ragged on the same dimension, but got "
            f"ragged dims {ragged[0]}, {ragged[1]}, and {ragged[2]}, respectively."
        )
    if attn_mask is not None:
        raise ValueError("Masks are not yet supported!")


def _as_strided(nt: Any) -> Any:
    """A jagged (B, heads, ragged, D) as a contiguous strided nested tensor."""
    lengths = (nt._offsets[1:] - nt._offsets[:-1]).tolist()
    parts = nt.transpose(1, 2).values().split(lengths, dim=0)
    return torch.nested.as_nested_tensor(list(parts)).transpose(1, 2).contiguous()


def jagged_scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """The attention of each of the batch: torch.nn.functional.scaled_dot_product_attention.

    ValueError or RuntimeError with torch's texts for what it has no kernel for.
    """
    _check(query, key, value, attn_mask)
    extremes = {"min_seqlen": query._maybe_min_seqlen, "max_seqlen": query._maybe_max_seqlen}
    if min(query.dim(), key.dim(), value.dim()) > 3 and query._ragged_idx == 1:
        output = torch.nn.functional.scaled_dot_product_attention(
            query.values(),
            key.values(),
            value.values(),
            dropout_p=dropout_p,
            is_causal=is_causal,
            scale=scale,
        )
        return nested_view_from_values_offsets_lengths(
            output, query.offsets(), query.lengths(), **extremes
        )
    rows = [x.detach().transpose(1, 2).is_contiguous() for x in (query, key, value)]
    if not all(rows) or is_causal:
        raise RuntimeError("No viable backend for scaled_dot_product_attention was found.")
    output = attention(*map(_as_strided, (query, key, value)), dropout_p=dropout_p, scale=scale)
    values = output.transpose(1, 2).contiguous().values()
    values = values.view(-1, query._size[1], value._size[-1])
    return nested_view_from_values_offsets_lengths(
        values, query.offsets(), query.lengths(), **extremes
    ).transpose(1, 2)
