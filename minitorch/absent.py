"""torch.mps, torch.xpu and torch.mtia: devices that are never there."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn

REFUSALS = {
    "mps": (RuntimeError, "Cannot execute {}() without MPS backend."),
    "xpu": (AssertionError, "Torch not compiled with XPU enabled"),
    "mtia": (AssertionError, "Torch not compiled with MTIA enabled."),
}
# What torch calls the question in its refusal.
INNER = {
    "synchronize": "deviceSynchronize",
    "empty_cache": "emptyCache",
    "current_allocated_memory": "getCurrentAllocatedMemory",
    "driver_allocated_memory": "getDriverAllocatedMemory",
}


def is_available() -> bool:
    """Whether there is such a device: no."""
    return False


def device_count() -> int:
    """How many such devices there are: none."""
    return 0


def manual_seed(seed: int) -> None:
    """Seeds the generators of such devices: there are none."""


def _refusing(kind: str, name: str) -> Any:
    error, text = REFUSALS[kind]

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise error(text.format(INNER.get(name, name)))

    refuse.__name__ = name
    refuse.__doc__ = "Refuses: there is no such device."
    return refuse


def _module(kind: str) -> ModuleType:
    module = ModuleType(f"minitorch.{kind}", f"torch.{kind}: there is no such device.")
    names = ["synchronize", "empty_cache"]
    names += list(INNER)[2:] if kind == "mps" else ["current_device", "get_device_name"]
    vars(module).update({name: _refusing(kind, name) for name in names})
    given = [is_available, device_count, manual_seed]
    vars(module).update({each.__name__: each for each in given})
    sys.modules[module.__name__] = module
    return module


mps, xpu, mtia = map(_module, REFUSALS)
