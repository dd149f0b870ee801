"""torch.utils.file_baton: a lock that processes share as a file."""

from __future__ import annotations

import os
import time
import warnings


class FileBaton:
    """A lock that belongs to the process that made its file.

    Args:
        lock_file_path: the file.
        wait_seconds: how long to sleep between two looks at it.
        warn_after_seconds: after how long a warning says which file is waited for; None for never.
    """

    def __init__(
        self,
        lock_file_path: str,
        wait_seconds: float = 0.1,
        warn_after_seconds: float | None = None,
    ) -> None:
        self.lock_file_path = lock_file_path
        self.wait_seconds = wait_seconds
        self.fd: int | None = None
        self.warn_after_seconds = warn_after_seconds

    def try_acquire(self) -> bool:
        """Whether this process has made the file; False where it exists."""
        try:
            self.fd = os.open(self.lock_file_path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        return True

    def wait(self) -> None:
        """Sleeps until the file is gone."""
        since, has_warned = time.time(), False
        while os.path.exists(self.lock_file_path):
            time.sleep(self.wait_seconds)
            if self.warn_after_seconds is None or has_warned:
                continue
            if time.time() - since > self.warn_after_seconds:
                has_warned = True
                warnings.warn(
                    f'Waited on lock file "{self.lock_file_path}" for '
                    f"{self.warn_after_seconds} seconds.",
                    stacklevel=2,
                )

    def release(self) -> None:
        """Removes the file."""
        if self.fd is not None:
            os.close(self.fd)
        os.remove(self.lock_file_path)
