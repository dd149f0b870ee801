"""Bags: runs of indices whose rows embedding_bag adds up."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays.positions import range_error
from minitorch.core.arrays.questions import least_of


def bags_of(xp: Any, indices: Any, offsets: Any) -> Any:
    """The number of the bag of each index."""
    if offsets.size and least_of(offsets) < 0:
        raise range_error()
    starts = xp.zeros(indices.size + 1, indices.dtype)
    xp.add.at(starts, offsets, 1)
    return (xp.cumsum(starts, dtype=starts.dtype) - 1)[:-1].copy()
