"""Scaled dot product attention of NestedTensors."""

from __future__ import annotations

from typing import Any


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
    """The attention of each of the batch."""
    raise NotImplementedError("scaled_dot_product_attention of jagged nested tensors")
