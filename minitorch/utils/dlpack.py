"""torch.utils.dlpack: sharing memory with other libraries."""

from __future__ import annotations

from typing import Any

from minitorch import from_dlpack

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Any, /) -> Any:
    """A DLPack capsule of the memory of a tensor."""
    return tensor.detach().__dlpack__()
