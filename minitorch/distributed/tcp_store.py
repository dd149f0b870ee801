"""TCPStore: a store that one process serves and all reach over the network."""

from __future__ import annotations

import datetime
import errno
import os
import socket
import struct
import threading
import time
import weakref
from typing import Any

from minitorch.distributed.binding import bound, seconds
from minitorch.distributed.connecting import connected, pauses
from minitorch.distributed.errors import DistNetworkError, DistStoreError, QueueEmptyError
from minitorch.distributed.store import Store, text
from minitorch.distributed.store_server import Server, packed, unpacked

_JOINED = "init/"  # the key that counts the workers; those of callers begin with a stroke
_GRACE = 30.0  # seconds that an answer may be late before the server counts as lost

# Servers that several stores of this process may share, by port.
_SHARED: weakref.WeakValueDictionary[int, Server] = weakref.WeakValueDictionary()


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens at a host of this machine, or everywhere if it is not one of its own.

    Raises:
        DistNetworkError: another socket listens there.
    """
    for where in (host, ""):
        try:
            return socket.create_server((where, port), backlog=2048)
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES) or not where:
                name = errno.errorcode.get(error.errno or 0, "UNKNOWN")
                message = os.strerror(error.errno or 0).lower()
                raise DistNetworkError(
                    "The server socket has failed to listen on any local network address. port: "
                    f"{port}, useIpv6: false, code: -{error.errno}, name: {name}, "
                    f"message: {message}"
                ) from None
    raise AssertionError("unreachable")


def _served(host: str, port: int, shared: bool, descriptor: int | None) -> Server:
    """A server on a port, or one that this process has there already and shares."""
    found = _SHARED.get(port) if shared and port else None
    if found is not None and found.is_alive():
        return found
    listening = _listening(host, port) if descriptor is None else socket.socket(fileno=descriptor)
    server = Server(listening)
    server.start()
    if shared:
        _SHARED[server.port] = server
    return server


class Connection:
    """A connection to the server: one question at a time."""

    def __init__(self, host: str, port: int, limit: float) -> None:
        self.lock = threading.Lock()
        try:
            self.peer = connected(host, port, limit)
        except OSError:
            raise DistNetworkError(
                f"The client socket has timed out after {limit * 1000:.0f}ms while trying "
                f"to connect to ({host}, {port})."
            ) from None
        weakref.finalize(self, self.peer.close)

    def ask(self, command: str, *fields: bytes, limit: float) -> list[bytes]:
        """The fields of the server's answer, without the first.

        Raises:
            ValueError: a counter has no number in it.
            TimeoutError: what was awaited did not come.
            DistNetworkError: the server is gone.
        """
        with self.lock:
            try:
                self.peer.settimeout(limit + _GRACE)
                self.peer.sendall(packed(command.encode(), *fields))
                (size,) = struct.unpack("<I", self._read(4))
                how, *values = unpacked(self._read(size))
            except OSError as error:
                raise DistNetworkError(
                    f"The connection to the TCPStore server has failed: {error}"
                ) from None
        if how == b"value":
            raise ValueError(values[0].decode())
        if how == b"timeout":
            raise TimeoutError
        if how == b"empty":
            raise QueueEmptyError("queue is empty")
        return values

    def _read(self, size: int) -> bytes:
        whole = bytearray()
        while len(whole) < size:
            part = self.peer.recv(min(1 << 20, size - len(whole)))
            if not part:
                raise ConnectionResetError(
                    "Connection was likely closed. Did the remote server shutdown or crash?"
                )
            whole += part
        return bytes(whole)

    def __repr__(self) -> str:
        here, there = self.peer.getsockname(), self.peer.getpeername()
        return (
            f"TCPClient(SocketImpl(fd={self.peer.fileno()}, addr=[{here[0]}]:{here[1]}, "
            f"remote=[{there[0]}]:{there[1]}))"
        )


class TCPStore(Store):
    """A store over the network. As torch.distributed.TCPStore.

    Args:
        host_name, port: where the server listens; 0 takes a free port, which `port` tells.
        world_size: how many stores the server waits for; None waits for none.
        is_master: whether this process serves it.
        timeout: how long connecting, get and wait may take.
        wait_for_workers: whether the master waits for the others.
        multi_tenant: whether several stores of this process may share a server.
        master_listen_fd: the descriptor of a socket that listens already.
        use_libuv: which of torch's servers serves; there is one here.
    """

    __module__ = "torch._C._distributed_c10d"

    @bound(
        "TCPStore",
        "__init__(host_name: str, port: port, world_size: int | None = None, "
        "is_master: bool = False, timeout: time = datetime.timedelta(seconds=300), "
        "wait_for_workers: bool = True, multi_tenant: bool = False, "
        "master_listen_fd: int | None = None, use_libuv: bool = True) -> None",
    )
    def __init__(
        self,
        host_name: Any,
        port: int,
        world_size: int | None,
        is_master: bool,
        timeout: Any,
        wait_for_workers: bool,
        multi_tenant: bool,
        master_listen_fd: int | None,
        use_libuv: bool,
    ) -> None:
        self._host, self._libuv = text(host_name), use_libuv
        self._timeout = datetime.timedelta(seconds=seconds(timeout))
        self._server: Any = None
        if is_master:
            self._server = _served(self._host, int(port), multi_tenant, master_listen_fd)
            self._server.users += 1
            weakref.finalize(self, self._server.release).atexit = False
            port = self._server.port
        self._port = int(port)
        self._connection = Connection(self._host, self._port, seconds(timeout))
        if wait_for_workers and world_size is not None:
            self._join(int(world_size))

    def _join(self, world_size: int) -> None:
        """Counts this store in; the master waits until all are counted."""
        limit = seconds(self._timeout)
        end = time.monotonic() + limit
        joined = int(self._ask("add", _JOINED.encode(), b"1")[0])
        waits = pauses()
        while self._server is not None and joined < world_size:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {limit:.0f} seconds waiting for clients. "
                    f"{joined}/{world_size} clients joined."
                )
            next(waits)
            joined = int(self._ask("add", _JOINED.encode(), b"0")[0])

    @property
    def host(self) -> str:
        """The name of the server's machine."""
        return self._host

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return self._port

    @property
    def libuvBackend(self) -> bool:
        """Whether libuv was asked for."""
        return self._libuv

    def _ask(self, command: str, *fields: bytes) -> list[bytes]:
        return self._connection.ask(command, *fields, limit=seconds(self._timeout))

    def _awaited(self, command: str, keys: list[str], limit: float) -> list[bytes]:
        """The answer once the keys have values. DistStoreError if they get none in time."""
        names = [_name(key) for key in keys]
        try:
            return self._connection.ask(command, b"%f" % limit, *names, limit=limit)
        except TimeoutError:
            raise self._late(keys, limit) from None

    def _late(self, keys: list[str], limit: float) -> DistStoreError:
        listed = ", ".join(f"/{key}" for key in keys)
        return DistStoreError(f"wait timeout after {limit * 1000:.0f}ms, keys: {listed}")

    def _set(self, key: str, value: bytes) -> None:
        self._ask("set", _name(key), value)

    def _get(self, key: str) -> bytes:
        return self._awaited("get", [key], seconds(self._timeout))[0]

    def _add(self, key: str, amount: int) -> int:
        return int(self._ask("add", _name(key), b"%d" % amount)[0])

    def _check(self, keys: list[str]) -> bool:
        return self._ask("check", *map(_name, keys))[0] == b"1"

    def _wait(self, keys: list[str], limit: float) -> None:
        self._awaited("wait", keys, limit)

    def _compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        return self._ask("compare_set", _name(key), expected, desired)[0]

    def _delete_key(self, key: str) -> bool:
        return self._ask("delete", _name(key))[0] == b"1"

    def _num_keys(self) -> int:
        return int(self._ask("count")[0])

    def _list_keys(self) -> list[str]:
        return [key[1:].decode() for key in self._ask("list") if key.startswith(b"/")]

    def _append(self, key: str, value: bytes) -> None:
        self._ask("append", _name(key), value)

    def _multi_get(self, keys: list[str]) -> list[bytes]:
        return self._awaited("get", keys, seconds(self._timeout))

    def _multi_set(self, keys: list[str], values: list[bytes]) -> None:
        if len(keys) != len(values):
            raise DistStoreError("multiSet keys and values vectors must be of same size")
        super()._multi_set(keys, values)

    def _has_extended_api(self) -> bool:
        return True

    def _queue_push(self, key: str, value: bytes) -> None:
        self._ask("push", _name(key), value)

    def _queue_pop(self, key: str, block: bool) -> bytes:
        limit = seconds(self._timeout) if block else 0.0
        try:
            return self._connection.ask("pop", _name(key), b"%f" % limit, limit=limit)[0]
        except TimeoutError:
            raise self._late([key], limit) from None

    def _queue_len(self, key: str) -> int:
        return int(self._ask("length", _name(key))[0])

    def _clone(self) -> TCPStore:
        return TCPStore(
            self._host,
            self._port,
            timeout=self._timeout,
            wait_for_workers=False,
            use_libuv=self._libuv,
        )

    def __repr__(self) -> str:
        serves = self._server is not None
        server = f"TCPServer(port={self._server.port})" if serves else "<nullptr>"
        return f"TCPStore(client={self._connection!r}, server={server})"


def _name(key: str) -> bytes:
    return f"/{key}".encode()
