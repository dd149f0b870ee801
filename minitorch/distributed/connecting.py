"""Connections to a process that may not listen yet, and pauses between questions to it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator


def pauses() -> Iterator[float]:
    """Sleeps longer each time, from 1 ms to 50 ms, and gives the time when the sleep ended.

    Processes that are started together are ready within few milliseconds of each other; one that
    another machine starts may take minutes.
    """
    pause = 0.001
    while True:
        time.sleep(pause)
        yield time.monotonic()
        pause = min(2 * pause, 0.05)


def connected(host: str, port: int, limit: float) -> socket.socket:
    """A connection to a server, which sends small messages at once.

    Args:
        limit: how many seconds the server may take until it listens.

    Raises:
        OSError: no connection within that time.
    """
    end = time.monotonic() + limit
    waits = pauses()
    while True:
        try:
            peer = socket.create_connection((host, port), timeout=max(limit, 0.001))
            break
        except OSError:
            if time.monotonic() > end:
                raise
            next(waits)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer
