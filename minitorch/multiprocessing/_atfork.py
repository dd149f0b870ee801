"""torch.multiprocessing._atfork: functions that run in forked processes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["register_after_fork"]


def _register(func: Callable[[], Any]) -> None:
    if sys.platform == "win32":
        import multiprocessing.util

        multiprocessing.util.register_after_fork(_register, lambda _: func())
    else:
        import os

        os.register_at_fork(after_in_child=func)


def register_after_fork(func: Callable[[], Any]) -> None:
    """Has a function called in each process that is forked from this one."""
    _register(func)
