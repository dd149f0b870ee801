"""Elements of sparse tensors at the places where a sparse mask is true."""

from __future__ import annotations

from typing import Any

import minitorch as torch


def _sparse_coo_where(mask: Any, input: Any, fill_value: Any) -> Any:
    """The elements of `input` at the places of a sparse mask where that is true."""
    places = mask.indices()[:, mask.values()]
    values = input.to_dense()[tuple(places)]
    return torch.sparse_coo_tensor(places, values, input.shape).coalesce()


def _sparse_csr_where(mask: Any, input: Any, fill_value: Any) -> Any:
    """The elements of `input` where a mask of layout torch.sparse_csr is true."""
    places, elements = mask.to_sparse_coo().coalesce(), input.to_sparse_coo().coalesce()
    return _sparse_coo_where(places, elements, fill_value).to_sparse_csr()
