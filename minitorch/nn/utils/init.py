"""Modules that are made without drawing their parameters."""

from __future__ import annotations

import inspect
from typing import Any

from minitorch.nn.modules.module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module whose parameters are uninitialised; the generators stay as they are.

    Args:
        module_cls: a subclass of Module that takes `device`.
        *args, **kwargs: its arguments; `device` is 'cpu' if it is not among them.

    Raises:
        RuntimeError: for another class.

    As torch.nn.utils.skip_init.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
