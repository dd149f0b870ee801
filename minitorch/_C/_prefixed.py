"""torch._C._fft and the like: functions that torch writes in C++ under the names that they have
there, as the code of traced graphs calls them: torch._C._fft.fft_fft."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

_PUBLIC = {"log_sigmoid": "logsigmoid"}  # of torch.nn.functional, what has another name there


def namespace(name: str) -> ModuleType:
    """The namespace of torch._C that has a name, `_fft` for torch.fft."""
    made = ModuleType(f"torch._C.{name}")
    made.__getattr__ = partial(_function, name[1:])  # type: ignore[method-assign]
    return made


def _function(home: str, name: str) -> Any:
    if home == "nn":  # without a prefix
        public = import_module("minitorch.nn.functional")
        if (found := getattr(public, _PUBLIC.get(name, name), None)) is not None:
            return found
    elif name.startswith(f"{home}_"):
        public = import_module(f"minitorch.{home}")
        if (found := getattr(public, name.removeprefix(f"{home}_"), None)) is not None:
            return found
    raise AttributeError(f"module 'torch._C._{home}' has no attribute '{name}'")
