"""torch.ao.pruning._mappings: layers of sparse integers by plain ones; they are names alone."""

from __future__ import annotations

from typing import Any

import minitorch as torch

__all__ = ["get_static_sparse_quantized_mapping", "get_dynamic_sparse_quantized_mapping"]


def get_static_sparse_quantized_mapping() -> dict[Any, Any]:
    """The layers of sparse integers by plain ones."""
    return {torch.nn.Linear: torch.ao.nn.sparse.quantized.Linear}


def get_dynamic_sparse_quantized_mapping() -> dict[Any, Any]:
    """The layers with sparse weights of integers by plain ones."""
    return {torch.nn.Linear: torch.ao.nn.sparse.quantized.dynamic.Linear}
