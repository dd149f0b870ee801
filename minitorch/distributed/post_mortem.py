"""The report that ranks exchange when an operation exceeds its time: which of them waits where.

The rank that runs out of time asks all others, by the watch that each has: see pmi. They answer
from the thread that listens there, whatever their own program is doing.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import time
from typing import Any
from urllib.parse import quote, unquote

from minitorch.distributed.engine import ENGINE

_PATIENCE = 0.5  # seconds for the answers
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SAID: dict[int, str] = {}
_NEWS = threading.Event()


def own() -> str:
    """The state of this rank: what it waits for, and where its program is."""
    names = ", ".join(each.name for each in list(ENGINE.active))
    place = _place()
    if names and ENGINE.drivers:
        return f"waits for {names} at {place}"
    return f"is at {place}" + (f", and has started {names}" if names else "")


def _place() -> str:
    """The line of the program that its main thread is in, outside of this package."""
    frame: Any = sys._current_frames().get(threading.main_thread().ident or 0)
    found = frame
    while found is not None and found.f_code.co_filename.startswith((_HERE, "<")):
        found = found.f_back
    found = found or frame
    if found is None:
        return "its end"
    code = found.f_code
    return f"{os.path.basename(code.co_filename)}:{found.f_lineno} in {code.co_name}"


def answer(watch: socket.socket, rank: int) -> None:
    """Tells another rank what this one does."""
    with contextlib.suppress(OSError):  # the server is gone
        watch.sendall(f"cmd=say to={rank} what={quote(own())}\n".encode())


def note(rank: int, what: str) -> None:
    """Keeps what another rank has told."""
    _SAID[rank] = unquote(what)
    _NEWS.set()


class Survey:
    """The report on all ranks of a world.

    Args:
        watch: the socket by which this rank asks the others.
        rank, size: of this process, and how many there are.
    """

    def __init__(self, watch: socket.socket, rank: int, size: int) -> None:
        self.watch, self.rank, self.size = watch, rank, size

    def text(self) -> str:
        """A line for each rank, with a line break before it."""
        _SAID.clear()
        end = time.monotonic() + _PATIENCE
        with contextlib.suppress(OSError):
            self.watch.sendall(b"cmd=ask\n")
            while len(_SAID) < self.size - 1 and time.monotonic() < end:
                _NEWS.wait(max(0.0, end - time.monotonic()))
                _NEWS.clear()
        said = {**_SAID, self.rank: own()}
        lines = (said.get(rank, "does not answer") for rank in range(self.size))
        return "".join(f"\nrank {rank} {line}" for rank, line in enumerate(lines))
