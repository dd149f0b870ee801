"""FileStore: a store in a file that all processes can write to, in torch's format.

The file is a journal: a key and a value, each after its length in four bytes. "/key" is set by it,
"-/key" deletes. A process locks the file to read or write.
"""

from __future__ import annotations

import importlib
import os
import struct
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitorch.distributed.binding import bound, seconds
from minitorch.distributed.errors import DistStoreError
from minitorch.distributed.store import DEFAULT_TIMEOUT, Store, compared, number, text

_REFERENCES, _FINISHED = "refcount/", "cleanup/"
# Windows has none: there a FileStore cannot be made.
fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None
_LOOK = 0.01  # seconds between two looks for a key


class Journal:
    """The file, and what this process has read of it."""

    def __init__(self, path: str) -> None:
        self.path, self.at, self.values = path, 0, {}  # type: ignore[var-annotated]

    @contextmanager
    def opened(self) -> Iterator[int]:
        """The descriptor of the locked file, once all of it was read."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise DistStoreError(f"{error.strerror}: {self.path}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._read(file)
            yield file
        finally:
            os.close(file)

    def _read(self, file: int) -> None:
        os.lseek(file, self.at, os.SEEK_SET)
        size = os.fstat(file).st_size - self.at
        whole = b""
        while len(whole) < size and (part := os.read(file, size - len(whole))):
            whole += part
        i = 0
        while i < len(whole):
            key, i = _taken(whole, i)
            value, i = _taken(whole, i)
            name = key.decode()
            if name.startswith("-"):
                self.values.pop(name[1:], None)
            else:
                self.values[name] = value
        self.at += i

    def write(self, file: int, key: str, value: bytes) -> None:
        """Adds a line to the locked file."""
        name = key.encode()
        line = struct.pack("<I", len(name)) + name + struct.pack("<I", len(value)) + value
        os.lseek(file, 0, os.SEEK_END)
        while line:
            line = line[os.write(file, line) :]
        self._read(file)

    def add(self, key: str, amount: int) -> int:
        """Adds to a counter and returns it."""
        with self.opened() as file:
            total = number(self.values.get(key, b"0")) + amount
            self.write(file, key, b"%d" % total)
        return total


def _taken(whole: bytes, i: int) -> tuple[bytes, int]:
    (size,) = struct.unpack_from("<I", whole, i)
    return whole[i + 4 : i + 4 + size], i + 4 + size


def _release(journal: Journal, workers: int) -> None:
    """Deletes the file when as many stores as there are workers are gone, and none is left."""
    if not os.path.exists(journal.path):
        return
    finished, left = journal.add(_FINISHED, 1), journal.add(_REFERENCES, -1)
    if left == 0 and workers >= 0 and finished >= workers:
        os.unlink(journal.path)


class FileStore(Store):
    """A store in a file. As torch.distributed.FileStore.

    Args:
        file_name: the path of the file, which is made if it is not there.
        world_size: how many processes use it: the last one deletes it. None does if it is -1.
    """

    __module__ = "torch._C._distributed_c10d"

    @bound("FileStore", "__init__(file_name: str, world_size: int = -1) -> None")
    def __init__(self, file_name: Any, world_size: Any) -> None:
        if fcntl is None:
            raise NotImplementedError(
                "torch.distributed.FileStore is not implemented by minitorch on this system"
            )
        self._journal, self._workers = Journal(text(file_name)), int(world_size)
        self._timeout = DEFAULT_TIMEOUT
        self._journal.add(_REFERENCES, 1)
        weakref.finalize(self, _release, self._journal, self._workers)

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._journal.path

    def _set(self, key: str, value: bytes) -> None:
        with self._journal.opened() as file:
            self._journal.write(file, f"/{key}", value)

    def _appears(self, keys: list[str], limit: float) -> bool:
        """Whether all keys have values within `limit` seconds."""
        end = time.monotonic() + limit
        while not self._check(keys):
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK)
        return True

    def _get(self, key: str) -> bytes:
        limit = seconds(self.timeout)
        if not self._appears([key], limit):
            raise RuntimeError(f"Timeout waiting for key: {key} after {limit * 1000:.0f} ms")
        return self._journal.values[f"/{key}"]

    def _add(self, key: str, amount: int) -> int:
        return self._journal.add(f"/{key}", amount)

    def _check(self, keys: list[str]) -> bool:
        with self._journal.opened():
            return all(f"/{key}" in self._journal.values for key in keys)

    def _wait(self, keys: list[str], limit: float) -> None:
        if not self._appears(keys, limit):
            raise RuntimeError("Wait timeout")

    def _compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        with self._journal.opened() as file:
            found = self._journal.values.get(f"/{key}")
            writes, there = compared(found, expected, desired)
            if writes:
                self._journal.write(file, f"/{key}", desired)
        return there

    def _delete_key(self, key: str) -> bool:
        with self._journal.opened() as file:
            self._journal.write(file, f"-/{key}", b"")
        return True  # as torch, whether there was one or not

    def _num_keys(self) -> int:
        with self._journal.opened():
            return len(self._journal.values)

    def _list_keys(self) -> list[str]:
        with self._journal.opened():
            return [key[1:] for key in self._journal.values]

    def _clone(self) -> FileStore:
        return FileStore(self.path, self._workers)
