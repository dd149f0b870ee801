"""Kernels of operators behind dispatch keys, as torch.library.get_kernel gives them."""

from __future__ import annotations

from typing import Any

from minitorch._ops import ops
from minitorch._public.custom_operators import WAITING


class SafeKernelFunction:
    """The kernel of an operator behind a dispatch key: here what the operator does itself."""

    __module__, __qualname__ = "torch._C", "_SafeKernelFunction"

    def __init__(self, overload: Any) -> None:
        self._overload = overload

    def call_boxed(self, keyset: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The result for these arguments, whatever the set of dispatch keys."""
        return self._overload(*args, **kwargs)


def overload_named(name: str) -> Any:
    """The overload of an operator such as "aten::add.Tensor". RuntimeError if there is none."""
    namespace, _, rest = name.partition("::")
    packet, _, kind = rest.partition(".")
    try:
        return getattr(getattr(getattr(ops, namespace), packet), kind or "default")
    except AttributeError:
        words = f"operator {name} does not exist"
        if name in WAITING:
            words = (
                f"Could not find schema for {name}. but we found an implementation; did you "
                "forget to def() the operator?"
            )
        raise RuntimeError(words) from None
