"""The server of TCPStore: one thread, which answers all connections.

A message is its length in four bytes, then fields, each after its own length. The first field of a
question is the command, that of an answer b"ok", or what went wrong.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from minitorch.distributed.store import Table


def packed(*fields: bytes) -> bytes:
    """A message of these fields."""
    body = b"".join(struct.pack("<I", len(field)) + field for field in fields)
    return struct.pack("<I", len(body)) + body


def unpacked(body: bytes) -> list[bytes]:
    """The fields of a message, without its length."""
    fields, i = [], 0
    while i < len(body):
        (size,) = struct.unpack_from("<I", body, i)
        fields.append(body[i + 4 : i + 4 + size])
        i += 4 + size
    return fields


class Waiting(NamedTuple):
    """A connection that is answered as soon as something is there, or too late."""

    peer: socket.socket
    there: Callable[[], bool]
    end: float
    answer: Callable[[], bytes]


class Server(threading.Thread):
    """Serves a table of keys and values until it is closed.

    Args:
        listening: the socket on which connections come in.
    """

    def __init__(self, listening: socket.socket) -> None:
        super().__init__(daemon=True, name="minitorch TCPStore")
        self.listening, self.table = listening, Table()
        self.port = listening.getsockname()[1]
        self.waiting: list[Waiting] = []
        self.unread: dict[socket.socket, bytes] = {}
        self.selector = selectors.DefaultSelector()
        self.waker, self.woken = socket.socketpair()
        self.users = 0

    def run(self) -> None:
        """Answers, until close()."""
        self.selector.register(self.listening, selectors.EVENT_READ)
        self.selector.register(self.woken, selectors.EVENT_READ)
        while True:
            ends = [each.end for each in self.waiting]
            limit = max(0.0, min(ends) - time.monotonic()) if ends else None
            for key, _ in self.selector.select(limit):
                peer: Any = key.fileobj
                if peer is self.woken:
                    self._end()
                    return
                if peer is self.listening:
                    self._accept()
                else:
                    self._read(peer)
            self._give_up(time.monotonic())

    def close(self) -> None:
        """Ends the thread and all connections."""
        if self.is_alive():
            self.waker.send(b"x")
            if threading.current_thread() is not self:
                self.join()

    def release(self) -> None:
        """Closes the server when none of the stores that use it is left."""
        self.users -= 1
        if self.users == 0:
            self.close()

    def _end(self) -> None:
        for each in (self.listening, self.waker, self.woken, *self.unread):
            each.close()
        self.selector.close()

    def _accept(self) -> None:
        peer, _ = self.listening.accept()
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread[peer] = b""
        self.selector.register(peer, selectors.EVENT_READ)

    def _read(self, peer: socket.socket) -> None:
        try:
            part = peer.recv(1 << 20)
        except OSError:
            part = b""
        if not part:
            self._forget(peer)
            return
        whole = self.unread[peer] + part
        while len(whole) >= 4:
            (size,) = struct.unpack_from("<I", whole)
            if len(whole) < 4 + size:
                break
            self._answer(peer, unpacked(whole[4 : 4 + size]))
            whole = whole[4 + size :]
        if peer in self.unread:
            self.unread[peer] = whole

    def _forget(self, peer: socket.socket) -> None:
        self.selector.unregister(peer)
        del self.unread[peer]
        self.waiting = [each for each in self.waiting if each.peer is not peer]
        peer.close()

    def _send(self, peer: socket.socket, message: bytes) -> None:
        with contextlib.suppress(OSError):  # its end is noticed when the connection is read
            peer.sendall(message)

    def _answer(self, peer: socket.socket, fields: list[bytes]) -> None:
        command, *rest = fields
        handler = getattr(self, f"_on_{command.decode()}", None)
        if handler is None:
            self._send(peer, packed(b"unknown"))
            return
        try:
            answer = handler(peer, *rest)
        except ValueError as error:
            answer = packed(b"value", str(error).encode())
        if answer is not None:
            self._send(peer, answer)
        self._wake()

    def _wake(self) -> None:
        """Answers the clients that wait for keys that are set now."""
        left, self.waiting = self.waiting, []
        for each in left:
            if each.there():
                self._send(each.peer, each.answer())
            else:
                self.waiting.append(each)

    def _give_up(self, now: float) -> None:
        late = [each for each in self.waiting if each.end <= now]
        self.waiting = [each for each in self.waiting if each.end > now]
        for each in late:
            self._send(each.peer, packed(b"timeout"))

    def _once(self, peer: Any, there: Any, limit: bytes, answer: Any) -> bytes | None:
        """The answer if there() says so; else None, and it is sent once it does."""
        if there():
            return answer()
        self.waiting.append(Waiting(peer, there, time.monotonic() + float(limit), answer))
        return None

    # ---- commands: each returns the answer, or None if that comes later

    def _on_set(self, peer: Any, *pairs: bytes) -> bytes:
        for key, value in zip(pairs[::2], pairs[1::2]):
            self.table.values[key.decode()] = value
        return packed(b"ok")

    def _on_get(self, peer: Any, limit: bytes, *keys: bytes) -> bytes | None:
        names = [key.decode() for key in keys]
        values = self.table.values
        found = lambda: packed(b"ok", *(values[name] for name in names))
        return self._once(peer, lambda: self.table.has(names), limit, found)

    def _on_wait(self, peer: Any, limit: bytes, *keys: bytes) -> bytes | None:
        names = [key.decode() for key in keys]
        return self._once(peer, lambda: self.table.has(names), limit, lambda: packed(b"ok"))

    def _on_add(self, peer: Any, key: bytes, amount: bytes) -> bytes:
        return packed(b"ok", b"%d" % self.table.add(key.decode(), int(amount)))

    def _on_check(self, peer: Any, *keys: bytes) -> bytes:
        there = all(key.decode() in self.table.values for key in keys)
        return packed(b"ok", b"%d" % there)

    def _on_compare_set(self, peer: Any, key: bytes, expected: bytes, desired: bytes) -> bytes:
        return packed(b"ok", self.table.compare_set(key.decode(), expected, desired))

    def _on_delete(self, peer: Any, key: bytes) -> bytes:
        there = self.table.values.pop(key.decode(), None) is not None
        return packed(b"ok", b"%d" % there)

    def _on_count(self, peer: Any) -> bytes:
        return packed(b"ok", b"%d" % len(self.table.values))

    def _on_list(self, peer: Any) -> bytes:
        return packed(b"ok", *(key.encode() for key in self.table.values))

    def _on_append(self, peer: Any, key: bytes, value: bytes) -> bytes:
        self.table.append(key.decode(), value)
        return packed(b"ok")

    def _on_push(self, peer: Any, key: bytes, value: bytes) -> bytes:
        self.table.queues[key.decode()].append(value)
        return packed(b"ok")

    def _on_pop(self, peer: Any, key: bytes, limit: bytes) -> bytes | None:
        queue = self.table.queues[key.decode()]
        if not queue and not float(limit):
            return packed(b"empty")
        first = lambda: packed(b"ok", queue.popleft())
        return self._once(peer, lambda: bool(queue), limit, first)

    def _on_length(self, peer: Any, key: bytes) -> bytes:
        return packed(b"ok", b"%d" % len(self.table.queues[key.decode()]))
