"""torch.utils.data._utils.signal_handling: how a loader learns at once that a worker has died.

The system sends SIGCHLD to the process whose child ends. The handler looks at the workers that
loaders have registered, and raises where one did not end well; else a loader would find it out when
it next waits in vain.
"""

from __future__ import annotations

import atexit
import operator
import os
import signal
import threading
from collections.abc import Iterable
from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.utils.data import _utils
from minitorch.utils.data._utils import IS_WINDOWS

_SIGCHLD_handler_set = False
_pids: dict[int, set[int]] = {}  # the loaders' processes, by what the loader gave as its key


def _set_worker_pids(key: int, child_pids: Iterable[int]) -> None:
    """Registers the processes of a loader.

    Raises:
        ValueError: there are some for that key already.
        TypeError: they are not a tuple.
    """
    key = operator.index(key)
    if key in _pids:
        raise ValueError(
            "_set_worker_pids should be called only once for each _BaseDataLoaderIter."
        )
    if not isinstance(child_pids, tuple):
        raise TypeError(
            f"_set_worker_pids expects a tuple for child_pids, but got {type(child_pids).__name__}."
        )
    _pids[key] = {operator.index(pid) for pid in child_pids}


def _remove_worker_pids(loader_id: int) -> None:
    """Forgets the processes of a loader. ValueError if it has none."""
    loader_id = operator.index(loader_id)
    if loader_id not in _pids:
        raise ValueError(
            f"Cannot find worker information for _BaseDataLoaderIter with id {loader_id}"
        )
    del _pids[loader_id]


def _error_if_any_worker_fails() -> None:
    """Raises RuntimeError if a registered process ended with an error or by a signal."""
    if IS_WINDOWS:
        return
    for pids in _pids.values():
        for pid in pids:
            try:
                # WNOWAIT leaves the process to be waited for by its own object.
                end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except OSError:  # waited for already, or not a child of this process
                continue
            text = _failure(pid, end) if end is not None else None
            if text is not None:
                pids.clear()  # one report a loader
                raise RuntimeError(text)


def _failure(pid: int, end: Any) -> str | None:
    """The text for the end of a process; None if it ended well."""
    if end.si_code == os.CLD_EXITED and end.si_status != 0:
        return (
            f"DataLoader worker (pid {pid}) exited unexpectedly with exit code {end.si_status}. "
            "Details are lost due to multiprocessing. Rerunning with num_workers=0 may give better "
            "error trace."
        )
    if end.si_code not in (os.CLD_KILLED, os.CLD_DUMPED):
        return None
    text = f"DataLoader worker (pid {pid}) is killed by signal: {signal.strsignal(end.si_status)}. "
    if end.si_status == signal.SIGBUS:
        text += (
            "It is possible that dataloader's workers are out of shared memory. Please try to "
            "raise your shared memory limit."
        )
    return text


def _set_worker_signal_handlers() -> None:
    """Has signals end a worker as the system has it, not by its parent's handlers in Python.

    The parent reports the signal. Torch's workers also print a line when they crash, for which
    Python is too late.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if not IS_WINDOWS:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _set_SIGCHLD_handler() -> None:
    """Has this process look at its workers whenever a child ends; once, and in the main thread."""
    global _SIGCHLD_handler_set
    in_main = threading.current_thread() is threading.main_thread()
    if IS_WINDOWS or not in_main or _SIGCHLD_handler_set:
        return
    before = signal.getsignal(signal.SIGCHLD)

    # Registered again, behind the function of multiprocessing that ends workers which are left at
    # exit: functions registered last run first, and those ends are not worth a report.
    atexit.register(_utils._set_python_exit_flag)

    def look(number: int, frame: Any) -> None:
        if not _utils.python_exit_status:
            _error_if_any_worker_fails()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGCHLD, look)
    _SIGCHLD_handler_set = True


__getattr__ = _names_of("torch.utils.data._utils.signal_handling")
