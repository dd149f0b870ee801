"""torch._C._autograd: what a node keeps for its backward, and the profiler's kinds."""

from __future__ import annotations

from typing import Any

import minitorch
from minitorch.core.graph.saved_hooks import SavedTensor

__all__ = ["SavedTensor"]


def __getattr__(name: str) -> Any:
    if name in ("DeviceType", "ProfilerActivity"):
        return getattr(minitorch.autograd, name)
    raise AttributeError(f"torch._C._autograd.{name} is not implemented by minitorch")
