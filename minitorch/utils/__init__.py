"""torch.utils."""

from importlib import import_module as _import_module
from typing import Any as _Any

# Sub-modules that are imported when first asked for.
_LAZY = (
    "_contextlib",
    "_pytree",
    "_python_dispatch",
    "benchmark",
    "checkpoint",
    "data",
    "deterministic",
    "dlpack",
    "flop_counter",
    "hooks",
    "model_zoo",
    "module_tracker",
    "weak",
)


def __getattr__(name: str) -> _Any:
    from minitorch.namespace import missing

    if name in _LAZY:
        return _import_module(f"minitorch.utils.{name}")
    if name.startswith("_"):
        return missing("torch.utils", name)
    from minitorch.outlines import outline

    if outline(f"torch.utils.{name}") is not None:
        return _import_module(f"minitorch.utils.{name}")
    return missing("torch.utils", name)
