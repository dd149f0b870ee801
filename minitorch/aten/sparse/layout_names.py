"""Layouts as torch's errors write them."""

from __future__ import annotations

from typing import Any


def layout_name(self: Any) -> str:
    """The layout of a tensor as torch's errors write it: Strided, Sparse, SparseCsr."""
    return title_of(self.layout)


def title_of(layout: Any) -> str:
    """A layout as torch's errors write it."""
    parts = str(layout).removeprefix("torch.").split("_")
    return "".join(map(str.capitalize, parts)).removesuffix("Coo")
