"""Starting several processes with one function, and raising here what ends one of them."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

__all__ = "ProcessContext ProcessException ProcessExitedException ProcessRaisedException".split()
__all__ += ["spawn", "SpawnContext", "start_processes"]  # in torch's order

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
log = logging.getLogger(__name__)


class ProcessException(Exception):
    """A process that was started here did not end well."""

    __slots__ = ("error_index", "error_pid")
    __module__ = "torch.multiprocessing.spawn"

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """An exception ended a process; the text has its traceback."""

    __module__ = "torch.multiprocessing.spawn"


class ProcessExitedException(ProcessException):
    """A signal or an exit code ended a process."""

    __slots__ = ("exit_code",)
    __module__ = "torch.multiprocessing.spawn"

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        own = self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name
        return type(self), own


def _prctl_pr_set_pdeathsig(signal: int) -> None:
    """Has the system send this process a signal when its parent ends, where the system can."""
    if sys.platform == "linux":
        import ctypes  # start-up: 5 ms, in processes that are started here alone

        ctypes.CDLL(None).prctl(1, signal)


def _wrap(fn: Any, i: int, args: tuple[Any, ...], error_file: str) -> None:
    """Calls fn(i, *args) in its process; writes the text of an exception into a file."""
    _prctl_pr_set_pdeathsig(signal.SIGINT)  # a process that is no daemon ends with its parent, too
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass  # the parent was interrupted as well
    except Exception:
        import traceback

        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


class ProcessContext:
    """The processes that start_processes started."""

    __module__ = "torch.multiprocessing.spawn"

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        self.error_files = error_files
        self.processes = processes
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [int(process.pid) for process in self.processes]

    def _join_procs_with_timeout(self, timeout: float) -> None:
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until a process ends, and returns whether all have.

        Args:
            timeout: after how many seconds it returns in any case.
            grace_period: how many seconds the others get where one did not end well, before they
                are killed.

        Raises:
            ProcessRaisedException: an exception ended a process; the others were ended.
            ProcessExitedException: a signal or an exit code did.
        """
        if not self.sentinels:
            return True
        ready = multiprocessing.connection.wait(list(self.sentinels), timeout=timeout)
        failed = None
        for sentinel in ready:
            index = self.sentinels.pop(sentinel)  # type: ignore[call-overload]
            process = self.processes[index]
            process.join()
            if process.exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self.sentinels
        self._end_all(grace_period)
        raise self._error(failed)

    def _end_all(self, grace_period: float | None) -> None:
        if grace_period is not None:
            self._join_procs_with_timeout(grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Terminating process %s via signal SIGTERM", process.pid)
                process.terminate()
        self._join_procs_with_timeout(30 if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning(
                    "Unable to shutdown process %s via SIGTERM , forcefully exiting via SIGKILL",
                    process.pid,
                )
                process.kill()
            process.join()

    def _error(self, index: int) -> ProcessException:
        process, file = self.processes[index], self.error_files[index]
        if not os.access(file, os.R_OK):
            code = process.exitcode
            if code >= 0:
                text = f"process {index} terminated with exit code {code}"
                return ProcessExitedException(text, index, process.pid, code)
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"<Unknown signal {-code}>"
            text = f"process {index} terminated with signal {name}"
            return ProcessExitedException(text, index, process.pid, code, name)
        with open(file, "rb") as stream:
            original = pickle.load(stream)
        text = f"\n\n-- Process {index} terminated with the following error:\n{original}"
        return ProcessRaisedException(text, index, process.pid)


class SpawnContext(ProcessContext):
    """The processes that spawn started."""

    __module__ = "torch.multiprocessing.spawn"

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, error_files)


def start_processes(
    fn: Any,
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Starts `nprocs` processes that call fn(i, *args), i from 0 on.

    Args:
        join: whether to wait until all end; else their ProcessContext is returned.
        daemon: whether they end with this process.
        start_method: 'spawn', 'fork' or 'forkserver'.

    Raises:
        ProcessRaisedException, ProcessExitedException: one of them did not end well.

    As torch.multiprocessing.start_processes.
    """
    context: Any = multiprocessing.get_context(start_method)
    parallel = start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START, "0") == "1"
    processes: list[Any] = [None] * nprocs
    files: list[str] = [""] * nprocs

    def start(i: int) -> int:
        # A name that is not taken: the file is there only if the process failed.
        handle, name = tempfile.mkstemp(prefix="pytorch-errorfile-", suffix=".pickle")
        os.close(handle)
        os.unlink(name)
        process = context.Process(target=_wrap, args=(fn, i, args, name), daemon=daemon)
        process.start()
        processes[i], files[i] = process, name
        return i

    if parallel:
        with ThreadPoolExecutor(max_workers=nprocs) as executor:
            for done in as_completed([executor.submit(start, i) for i in range(nprocs)]):
                done.result()
    else:
        for i in range(nprocs):
            start(i)
    started = ProcessContext(processes, files)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Any,
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Starts `nprocs` processes by 'spawn'. As start_processes and torch.multiprocessing.spawn."""
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\nTo use a "
            "different start_method use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
