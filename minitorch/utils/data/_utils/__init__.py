"""torch.utils.data._utils: what the loaders of batches are made of."""

import atexit
import sys
from typing import Any as _Any

import numpy

from minitorch._utils import ExceptionWrapper as ExceptionWrapper

IS_WINDOWS = sys.platform == "win32"
HAS_NUMPY = True
# After so many seconds without news a process looks whether the others are still there.
MP_STATUS_CHECK_INTERVAL = 5.0
# Whether the interpreter is ending; what loaders would tidy may be gone by then.
python_exit_status = False
_MODULES = ("collate", "fetch", "pin_memory", "signal_handling", "worker")


def _set_python_exit_flag() -> None:
    """Notes that the interpreter is ending."""
    global python_exit_status
    python_exit_status = True


atexit.register(_set_python_exit_flag)


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils.data._utils' has no attribute {name!r}")
