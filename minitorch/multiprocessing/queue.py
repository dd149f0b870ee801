"""torch.multiprocessing.queue: Python's queues, which send tensors as shared memory."""

from __future__ import annotations

import io
import multiprocessing.queues
import pickle
from multiprocessing.reduction import ForkingPickler
from typing import Any


class ConnectionWrapper:
    """A connection that sends objects through the pickler of multiprocessing."""

    __module__ = "torch.multiprocessing.queue"

    def __init__(self, conn: Any) -> None:
        self.conn = conn

    def send(self, obj: Any) -> None:
        """Sends an object."""
        buffer = io.BytesIO()
        ForkingPickler(buffer, pickle.HIGHEST_PROTOCOL).dump(obj)
        self.send_bytes(buffer.getvalue())

    def recv(self) -> Any:
        """The next object that was sent."""
        return pickle.loads(self.recv_bytes())

    def __getattr__(self, name: str) -> Any:
        if "conn" in self.__dict__:
            return getattr(self.conn, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'conn'")


class Queue(multiprocessing.queues.Queue):  # type: ignore[type-arg]
    """Python's queue with a feeding thread."""

    __module__ = "torch.multiprocessing.queue"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own: Any = self
        own._reader, own._writer = ConnectionWrapper(own._reader), ConnectionWrapper(own._writer)
        own._send, own._recv = own._writer.send, own._reader.recv


class SimpleQueue(multiprocessing.queues.SimpleQueue):  # type: ignore[type-arg]
    """Python's simplified queue."""

    __module__ = "torch.multiprocessing.queue"

    def _make_methods(self) -> None:
        own: Any = self
        if not isinstance(own._reader, ConnectionWrapper):
            own._reader = ConnectionWrapper(own._reader)
            own._writer = ConnectionWrapper(own._writer)
        super()._make_methods()  # type: ignore[misc]
