"""Tensors of the compressed layouts, which are not here yet."""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(layout: Any) -> NoReturn:
    raise NotImplementedError(f"sparse tensors of layout {layout}: only torch.sparse_coo")


def compressed(layout: Any, *parts: Any) -> Any:
    """A tensor of a compressed layout."""
    _refuse(layout)


def empty_compressed(shape: Any, layout: Any, dtype: Any, requires_grad: bool) -> Any:
    """One without elements."""
    _refuse(layout)


def to_layout(self: Any, layout: Any, blocksize: Any, dense_dim: Any) -> Any:
    """A tensor in a compressed layout."""
    _refuse(layout)
