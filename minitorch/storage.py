"""torch.storage: the memory behind tensors."""

from __future__ import annotations

import io
from typing import Any

import minitorch
from minitorch.core.tensor.storage import (
    TypedStorage,
    UntypedStorage,
    _reset_warn_typed_storage_removal,  # noqa: F401
)

__all__ = ["TypedStorage", "UntypedStorage"]


def _load_from_bytes(b: bytes) -> Any:
    """The storage that `torch.save` has written, as plain pickles of tensors hold it."""
    return minitorch.load(io.BytesIO(b), weights_only=False)
