"""torch.distributed.elastic.multiprocessing.errors: how processes of a launcher fail.

`record` has the entry point of a process write its exception to a file; the launcher shows it in
the table of ChildFailedError.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from minitorch._public import outlines
from minitorch.distributed.elastic.multiprocessing.errors.error_handler import ErrorHandler
from minitorch.distributed.elastic.multiprocessing.errors.handlers import get_error_handler

__all__ = ["ChildFailedError", "ErrorHandler", "ProcessFailure", "get_error_handler", "record"]

logger = logging.getLogger("torch.distributed.elastic.multiprocessing.errors")
_NOT_AVAILABLE = "<N/A>"
_WIDEST = 60


class ProcessFailure:
    """A process that did not end well.

    Args:
        local_rank, pid, exitcode: of the process.
        error_file: where it wrote its exception, if it did.

    Attributes:
        message: a text, or what the file says.
        timestamp: when it failed, in seconds since 1970.

    As torch.distributed.elastic.multiprocessing.errors.ProcessFailure.
    """

    def __init__(self, local_rank: int, pid: int, exitcode: int, error_file: str) -> None:
        self.local_rank, self.pid, self.exitcode = local_rank, pid, exitcode
        self.error_file = error_file
        self.error_file_data: dict[str, Any] = {"message": "<NONE>"}
        self.message: Any = ""
        self.timestamp = int(time.time())
        if os.path.isfile(error_file):
            with open(error_file) as file:
                self.error_file_data = json.load(file)
            self.message = self.error_file_data["message"]
            plain = isinstance(self.message, str)
            told = self.error_file_data if plain else self.message["extraInfo"]
            self.timestamp = int(told.get("timestamp", 0))
        else:
            self.error_file = _NOT_AVAILABLE
        if not self.message and exitcode < 0:
            self.message = f"Signal {-exitcode} ({self.signal_name()}) received by PID {pid}"
        elif not self.message:
            self.message = (
                "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
            )

    def signal_name(self) -> str:
        """The name of the signal that ended the process."""
        known = {each.value: each.name for each in signal.Signals}
        return known.get(-self.exitcode, _NOT_AVAILABLE)

    def timestamp_isoformat(self) -> str:
        """The time of the failure, as "2026-01-31_12:00:00"."""
        return datetime.fromtimestamp(self.timestamp).isoformat(sep="_")

    def lines(self, index: int, rank: int) -> str:
        """The failure as the table shows it."""
        message = self.message
        if isinstance(message, dict):
            told = message.get("message", _NOT_AVAILABLE)
            message = message.get("extraInfo", {}).get("py_callstack", told)
            message = message.replace("\n", "\n  ")
        name = self.signal_name()
        return (
            f"[{index}]:\n  time      : {self.timestamp_isoformat()}\n"
            f"  host      : {socket.getfqdn()}\n"
            f"  rank      : {rank} (local_rank: {self.local_rank})\n"
            f"  exitcode  : {self.exitcode} (pid: {self.pid}) "
            f"{'' if name == _NOT_AVAILABLE else f' ({name})'}\n"
            f"  error_file: {self.error_file}\n  traceback : {message}"
        )


class ChildFailedError(Exception):
    """Processes that a launcher started failed; the text has the table of all that did.

    Args:
        name: what they ran.
        failures: their failures by rank.

    As torch.distributed.elastic.multiprocessing.errors.ChildFailedError.
    """

    __module__ = "torch.distributed.elastic.multiprocessing.errors"

    def __init__(self, name: str, failures: dict[int, ProcessFailure]) -> None:
        self.name, self.failures = name, failures
        if not failures:
            raise AssertionError
        super().__init__(self.format_msg())

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """The rank and the failure of the process that failed first."""
        rank = min(self.failures, key=lambda each: self.failures[each].timestamp)
        return rank, self.failures[rank]

    def format_msg(self, boarder_delim: str = "=", section_delim: str = "-") -> str:
        """The table of failures: the first one last."""
        title, (root, _) = f"{self.name} FAILED", self.get_first_failure()
        shown = {rank: each.lines(i, rank) for i, (rank, each) in enumerate(self.failures.items())}
        longest = max(len(line) for text in (title, *shown.values()) for line in text.split("\n"))
        width = min(longest, _WIDEST)
        wide, thin = boarder_delim * width, section_delim * width
        first = shown.pop(root)
        others = "\n".join(shown.values()) or "  <NO_OTHER_FAILURES>"
        return (
            f"\n{wide}\n{title}\n{thin}\nFailures:\n{others}\n{thin}\n"
            f"Root Cause (first observed failure):\n{first}\n{wide}"
        )


def record(fn: Callable[..., Any], error_handler: ErrorHandler | None = None) -> Callable[..., Any]:
    """The entry point of a process, whose exceptions are recorded for its launcher, and raised.

    Args:
        fn: the function.
        error_handler: records the exceptions; by default to $TORCHELASTIC_ERROR_FILE.

    As torch.distributed.elastic.multiprocessing.errors.record.
    """
    handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit as ended:
            if ended.code == 0:
                return None
            raise
        except ChildFailedError as error:
            _, failure = error.get_first_failure()
            if failure.error_file != _NOT_AVAILABLE:
                handler.dump_error_file(failure.error_file, failure.exitcode)
            raise
        except Exception as error:
            handler.record_exception(error)
            raise

    return wrapper


__getattr__, __dir__ = outlines.rest_of("torch.distributed.elastic.multiprocessing.errors")
