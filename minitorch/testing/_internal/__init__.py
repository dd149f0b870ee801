"""torch.testing._internal: what torch tests itself with, as far as packages take it."""

from __future__ import annotations

from importlib import import_module


def __getattr__(name: str) -> object:
    if name in ("common_dtype", "logging_tensor"):
        return import_module(f"minitorch.testing._internal.{name}")
    raise AttributeError(f"module 'torch.testing._internal' has no attribute '{name}'")
