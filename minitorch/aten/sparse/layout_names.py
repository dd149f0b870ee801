"""Layouts as torch's errors write them."""

from __future__ import annotations

from typing import Any

from minitorch.core.numbers.device import title_of as title_of


def layout_name(self: Any) -> str:
    """The layout of a tensor as torch's errors write it: Strided, Sparse, SparseCsr."""
    return title_of(self.layout)
