"""torch._tensor: where torch's Python side has Tensor."""

from __future__ import annotations

from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.serialization.storages import (
    rebuild_from_type_v2 as _rebuild_from_type_v2,  # noqa: F401
)

__all__ = ["Tensor"]


def _rebuild_from_type(func: Any, type: Any, args: Any, dict: Any) -> Any:
    """The result of `func`, as a tensor of a class with these attributes."""
    if type is Tensor:
        return func(*args)
    made = func(*args).as_subclass(type)
    made.__dict__ = dict
    return made
