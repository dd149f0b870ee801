"""torch.multiprocessing: Python's multiprocessing, through which tensors cross as shared memory.

What a process writes into a tensor that it was sent, the sender sees. As torch's on the CPU.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
from multiprocessing import *  # noqa: F403
from typing import Any

from minitorch.multiprocessing.reductions import init_reductions

__all__ = "set_sharing_strategy get_sharing_strategy get_all_sharing_strategies".split()
__all__ += multiprocessing.__all__  # type: ignore[attr-defined]

_all_sharing_strategies = {"file_descriptor", "file_system"}
_sharing_strategy = "file_descriptor"

init_reductions()


def set_sharing_strategy(new_strategy: str) -> None:
    """Chooses how memory is handed over: 'file_descriptor' or 'file_system'.

    Descriptors are handed over for either; a file in memory without a name cannot be left behind.
    """
    global _sharing_strategy
    if new_strategy not in _all_sharing_strategies:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {_all_sharing_strategies}"
        )
    _sharing_strategy = new_strategy


def get_sharing_strategy() -> str:
    """The strategy for handing memory over, as it was set."""
    return _sharing_strategy


def get_all_sharing_strategies() -> set[str]:
    """The names that set_sharing_strategy takes."""
    return _all_sharing_strategies


def _set_thread_name(name: str) -> None:
    """Names this thread for the tools of the system, where it can be named."""
    try:
        with open(f"/proc/self/task/{_thread_id()}/comm", "w") as file:
            file.write(name[:15])
    except OSError:
        pass


def _get_thread_name() -> str:
    """The name of this thread as the tools of the system show it."""
    try:
        with open(f"/proc/self/task/{_thread_id()}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def _thread_id() -> int:
    import threading

    return threading.get_native_id()


from minitorch._public.later import names_of as _names_of  # noqa: E402
from minitorch.multiprocessing.spawn import (  # noqa: E402
    ENV_VAR_PARALLEL_START,
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    _prctl_pr_set_pdeathsig,
    spawn,
    start_processes,
)

__getattr__ = _names_of("torch.multiprocessing")
