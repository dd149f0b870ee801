"""Streams and events for the stand-in of CuPy: they compute nothing, and note what they were told.

As cupy.cuda.Stream and cupy.cuda.Event of CuPy 14:
https://docs.cupy.dev/en/stable/reference/generated/cupy.cuda.Stream.html
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

_NUMBERS = itertools.count(1)
_CURRENT = threading.local()


class Event:
    """A moment on a stream: `at` is the stream, `after` how much that had been told before."""

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ) -> None:
        self.at: Stream | None = None
        self.after = 0
        self.done = True
        self.times = not disable_timing

    def record(self, stream: Stream | None = None) -> None:
        """Makes it this moment of a stream."""
        self.at = get_current_stream() if stream is None else stream
        self.after = len(self.at.told)

    def synchronize(self) -> None:
        """Waits for it: all has happened here."""
        self.done = True


class Stream:
    """A queue of work, with a list `told` of what it was told, the oldest first."""

    null: Stream

    def __init__(
        self,
        null: bool = False,
        non_blocking: bool = False,
        ptds: bool = False,
        priority: int | None = None,
    ) -> None:
        self.ptr = 0 if null else next(_NUMBERS)
        self.non_blocking, self.priority = non_blocking, priority
        self.told: list[Any] = []
        self.done = True

    def record(self, event: Event | None = None) -> Event:
        """Notes how far it has come, in an event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Waits for an event, before what it is told next."""
        assert event.at is not None, "an event that was never recorded"
        self.told.append(("wait", event))

    def synchronize(self) -> None:
        """Lets the host wait."""
        self.told.append(("synchronize",))

    def use(self) -> Stream:
        """Makes it the current stream of the thread."""
        _stack()[-1] = self
        return self

    def __enter__(self) -> Stream:
        _stack().append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _stack().pop()


Stream.null = Stream(null=True)


def _stack() -> list[Stream]:
    if not hasattr(_CURRENT, "streams"):
        _CURRENT.streams = [Stream.null]
    return _CURRENT.streams


def get_current_stream(device_id: int | None = None) -> Stream:
    """The current stream of the thread."""
    return _stack()[-1]
