"""torch.jit._state: whether functions are compiled, and the compiled ones: none."""

from __future__ import annotations

import os
from typing import Any

from minitorch._public import outlines


class EnabledProxy:
    """Whether torch.jit compiles; the environment variable PYTORCH_JIT=0 says no.

    Packages write into it. minitorch's scripts are the functions themselves either way.
    """

    __module__ = "torch.jit._state"

    def __init__(self) -> None:
        self.enabled = self.parse_env("PYTORCH_JIT", True, "> Using PyTorch JIT", "> disabled")

    def parse_env(self, name: str, default: bool, true_message: str, false_message: str) -> bool:
        """The setting in an environment variable; the default if it is not set.

        Raises:
            ValueError: the variable is neither true nor false.
        """
        value = os.environ.get(name)
        if value is None:
            return default
        if value.lower() in {"1", "true", "yes"}:
            return True
        if value.lower() in {"0", "false", "no"}:
            return False
        if value == "1v":
            print(true_message)
            return True
        if value == "0v":
            print(false_message)
            return False
        raise ValueError(f"Unknown setting of {name}. Try using 0 or 1.")

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()
_script_classes: dict[type[Any], Any] = {}
_name_to_pyclass: dict[str, type[Any]] = {}


def disable() -> None:
    """Sets that nothing is compiled."""
    _enabled.enabled = False


def enable() -> None:
    """Sets that functions are compiled, which minitorch does not do."""
    _enabled.enabled = True


__getattr__, __dir__ = outlines.rest_of("torch.jit._state")
