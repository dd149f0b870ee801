"""torch._VF: the functions of torch, as torch's own Python code calls them."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch._VF' has no attribute '{name}'")
    import minitorch

    return getattr(minitorch, name)
