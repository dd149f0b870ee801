"""Functions that torch writes in C++, by their names in modules such as torch._C._fft.

Traced graphs and pickles use these names: torch._C._fft.fft_fft.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PUBLIC = {"log_sigmoid": "logsigmoid"}  # of torch.nn.functional, what has another name there


def function(home: str, name: str) -> Any:
    """A function of torch._C._`home`. AttributeError if it has none of that name."""
    found = None
    if home == "nn":  # without a prefix
        public = import_module("minitorch.nn.functional")
        found = getattr(public, _PUBLIC.get(name, name), None)
    elif name.startswith(f"{home}_"):
        public = import_module(f"minitorch.{home}")
        found = getattr(public, name.removeprefix(f"{home}_"), None)
    if found is None:
        raise AttributeError(f"module 'torch._C._{home}' has no attribute '{name}'")
    return found
