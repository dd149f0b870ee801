"""The kind of a thing, in either library: a tensor, a node of a graph, a module.

Real torch is never imported here. It is met where a program has imported it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from minitorch.core.base.fields import TensorBase


def real_torch() -> ModuleType | None:
    """The module `torch` if a program has imported it and it is not minitorch."""
    torch = sys.modules.get("torch")
    is_real = torch is not None and getattr(torch, "__name__", "") == "torch"
    return torch if is_real and hasattr(torch, "Tensor") else None


def is_tensor(value: Any) -> bool:
    """Whether `value` is a tensor of either library."""
    if isinstance(value, TensorBase):
        return True
    torch = real_torch()
    return torch is not None and isinstance(value, torch.Tensor)


def is_node(value: Any) -> bool:
    """Whether `value` is a node of either library's graphs."""
    return hasattr(value, "next_functions") and not isinstance(value, type)


def is_function(node: Any) -> bool:
    """Whether a node is the ctx of a Function."""
    return hasattr(type(node), "save_for_backward")


def is_module(value: Any) -> bool:
    """Whether `value` is a module of either library."""
    return hasattr(value, "named_parameters") and hasattr(value, "named_buffers")


def node_name(node: Any) -> str:
    """A node's name without the namespace that some of torch's have: "AddBackward0"."""
    return type(node).__name__
