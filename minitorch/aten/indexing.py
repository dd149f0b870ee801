"""Indexing: x[...] and x[...] = value."""

from __future__ import annotations

from typing import Any

from minitorch.aten.views import select
from minitorch.core.tensor.tensor import Tensor


def getitem(self: Any, index: Any) -> Any:
    """x[index]."""
    if type(index) is int:
        return select(self, 0, index)
    raise NotImplementedError


Tensor.__getitem__ = getitem
