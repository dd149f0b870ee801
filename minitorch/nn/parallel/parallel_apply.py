"""torch.nn.parallel.parallel_apply: modules on several devices at once, which refuses."""

from __future__ import annotations

from typing import Any

from minitorch.core.tensor.tensor import Tensor

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj: Any) -> Tensor | None:
    """The first tensor in a list, tuple or dictionary; None if there is none."""
    if isinstance(obj, Tensor):
        return obj
    items = obj.items() if isinstance(obj, dict) else obj if isinstance(obj, (list, tuple)) else ()
    for each in map(get_a_var, items):
        if each is not None:
            return each
    return None


def parallel_apply(
    modules: Any, inputs: Any, kwargs_tup: Any = None, devices: Any = None
) -> list[Any]:
    """The outputs of modules, each for its inputs on its GPU: always refused.

    Raises:
        AssertionError: for other numbers of inputs, keyword arguments or devices than of modules.
        RuntimeError: without a GPU.
    """
    for what, listed in (("inputs", inputs), ("kwargs", kwargs_tup), ("devices", devices)):
        if listed is not None and len(listed) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {what} "
                f"{len(listed)}"
            )
    raise RuntimeError("Cannot access accelerator device when none is available.")
