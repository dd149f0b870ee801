"""torch._C._autograd: what a node keeps for its backward, and the profiler's kinds."""

from __future__ import annotations

from typing import Any

import minitorch
from minitorch.core.graph.saved_hooks import DISABLED, SavedTensor

__all__ = ["SavedTensor"]


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether hooks on saved tensors may be entered."""
    return DISABLED.get() is None


def _saved_tensors_hooks_get_disabled_error_message() -> str | None:
    """The error text for entering hooks on saved tensors; None where that is allowed."""
    return DISABLED.get()


def __getattr__(name: str) -> Any:
    if name in ("DeviceType", "ProfilerActivity"):
        return getattr(minitorch.autograd, name)
    raise AttributeError(f"torch._C._autograd.{name} is not implemented by minitorch")
