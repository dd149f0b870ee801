"""The level of checks and reports of a program of several ranks: TORCH_DISTRIBUTED_DEBUG."""

from __future__ import annotations

import enum
import os
from typing import Any


class DebugLevel(enum.IntEnum):
    """OFF, INFO (names of parameters in errors) or DETAIL (shapes compared before each operation).

    Source: torch/csrc/distributed/c10d/debug.h.
    """

    OFF = 0
    INFO = 1
    DETAIL = 2

    __module__ = "torch.distributed.distributed_c10d"

    def __str__(self) -> str:
        return f"DebugLevel.{self.name}"


_level = DebugLevel.OFF


def get_debug_level() -> DebugLevel:
    """The debug level that is in force."""
    return _level


def set_debug_level(*args: Any) -> None:
    """Puts a debug level in force.

    Args:
        args: the level, a DebugLevel.

    Raises:
        TypeError: for anything else.
    """
    global _level
    if len(args) != 1 or type(args[0]) is not DebugLevel:
        raise TypeError(
            "set_debug_level(): incompatible function arguments. The following argument types are "
            "supported:\n    1. (arg0: torch._C._distributed_c10d.DebugLevel) -> None\n\n"
            f"Invoked with: {', '.join(map(repr, args))}"
        )
    _level = args[0]


def set_debug_level_from_env() -> None:
    """Puts the level in force that TORCH_DISTRIBUTED_DEBUG names; OFF where it is not set.

    Raises:
        ValueError: the variable is set to something else.
    """
    global _level
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if name not in DebugLevel.__members__:
        raise ValueError("The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.")
    _level = DebugLevel[name]


set_debug_level_from_env()
