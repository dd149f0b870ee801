"""The watch over operations of NCCL: a thread that looks for failures, and for time that is over.

As the watchdog of ProcessGroupNCCL: the host does not wait for an operation, so that another thread
must notice if it never ends. $TORCH_NCCL_ASYNC_ERROR_HANDLING says what happens then: 0 nothing,
2 the communicators end, and all that follows raises; else the process ends with them.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

from minitorch.distributed.errors import DistBackendError

_REST = 0.1  # seconds between two looks


def _handling() -> str:
    return os.environ.get("TORCH_NCCL_ASYNC_ERROR_HANDLING", "3")


class Watch:
    """The operations of one group that the device is not known to be done with.

    Args:
        communicators: of the group.
    """

    def __init__(self, communicators: Any) -> None:
        self.communicators = communicators
        self.pending: list[Any] = []
        self.failure: BaseException | None = None
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self.ended = threading.Event()

    def add(self, work: Any) -> None:
        """Looks after an operation, too."""
        with self.lock:
            if self.thread is None:  # nothing else looks
                self.pending = [each for each in self.pending if not each.is_completed()]
            self.pending.append(work)
        if self.thread is None and _handling() != "0":
            self.thread = threading.Thread(target=self._go_on, daemon=True, name="minitorch NCCL")
            self.thread.start()

    def stop(self) -> None:
        """Looks no more."""
        self.ended.set()

    def _go_on(self) -> None:
        while not self.ended.wait(_REST):
            self.look()
            if self.failure is not None:
                return

    def look(self) -> None:
        """Lets go of what is done; ends everything if an operation failed or takes too long."""
        with self.lock:
            self.pending = [each for each in self.pending if not each.is_completed()]
            late = next((each for each in self.pending if self._is_late(each)), None)
        try:
            self.communicators.check()
        except Exception as error:
            self._fail(error)
            return
        if late is not None:
            ran = round((time.monotonic() - late.began) * 1000)
            text = (
                f"[Rank {self.communicators.rank}] Watchdog caught collective operation timeout: "
                f"{late} ran for {ran} milliseconds before timing out."
            )
            self._fail(DistBackendError(text))

    @staticmethod
    def _is_late(work: Any) -> bool:
        return time.monotonic() - work.began > work.limit

    def _fail(self, error: BaseException) -> None:
        rank = self.communicators.rank
        self.failure = error
        with self.lock:
            for each in self.pending:
                each.error = error
        sys.stderr.write(f"[rank{rank}]: {error}\n")
        self.communicators.abort()
        if _handling() != "2":
            sys.stderr.write(
                f"[rank{rank}]: Some NCCL operations have failed or timed out. Due to the "
                "asynchronous nature of CUDA kernels, subsequent GPU operations might run on "
                "corrupted/incomplete data.\n"
                f"[rank{rank}]: To avoid data inconsistency, we are taking the entire process "
                "down.\n"
            )
            sys.stderr.flush()
            os.abort()
