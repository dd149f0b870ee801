"""Connections to processes that are not ready yet."""

import socket
import threading
import time
from itertools import islice

import pytest

from minitorch.distributed.connecting import connected, pauses


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def test_a_server_that_listens_later_is_reached():
    port = free_port()
    opened = []
    later = threading.Timer(0.03, lambda: opened.append(socket.create_server(("127.0.0.1", port))))
    later.start()
    with connected("127.0.0.1", port, 30) as peer:
        later.join()
        assert peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    opened[0].close()


def test_a_server_that_never_listens_is_given_up_at_the_limit():
    begun = time.monotonic()
    with pytest.raises(ConnectionRefusedError):
        connected("127.0.0.1", free_port(), 0.05)
    assert time.monotonic() - begun >= 0.05


def test_pauses_begin_short_and_end_at_50_milliseconds(monkeypatch):
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    list(islice(pauses(), 8))
    assert slept == [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.05, 0.05]
