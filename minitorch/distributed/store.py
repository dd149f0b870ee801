"""Stores: tables of keys and values by which processes find one another.

Keys are text, values bytes. A store writes its methods with a line in front of their names
(`_set`, `_get`); the public ones check what they are given, as torch's do.
"""

from __future__ import annotations

import datetime
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from minitorch.distributed.binding import bound, seconds
from minitorch.distributed.errors import DistStoreError, QueueEmptyError

DEFAULT_TIMEOUT = datetime.timedelta(seconds=300)


def text(key: str | bytes) -> str:
    """A key as text."""
    return key.decode() if isinstance(key, bytes) else key


def data(value: str | bytes) -> bytes:
    """A value as bytes."""
    return value.encode() if isinstance(value, str) else bytes(value)


def number(value: bytes) -> int:
    """A value that add() counts with. ValueError if it is no number, in the words of C++."""
    try:
        return int(value)
    except ValueError:
        raise ValueError("stoll") from None


def compared(found: bytes | None, expected: bytes, desired: bytes) -> tuple[bool, bytes]:
    """Whether compare_set writes over `found` (None if unset), and its return value."""
    if (found or b"") == expected:
        return True, desired
    return False, expected if found is None else found


def _pure(name: str) -> RuntimeError:
    return RuntimeError(f'Tried to call pure virtual function "::c10d::Store::{name}"')


class Store:
    """A table of keys and values that several processes see. As torch.distributed.Store."""

    __module__ = "torch.distributed.distributed_c10d"
    _timeout: Any = DEFAULT_TIMEOUT

    @property
    def timeout(self) -> datetime.timedelta:
        """The time limit of get and wait."""
        return self._timeout

    @bound("Store", "set_timeout(arg0: time) -> None")
    def set_timeout(self, timeout: Any) -> None:
        """Sets how long get and wait wait."""
        self._set_timeout(datetime.timedelta(seconds=seconds(timeout)))

    def _set_timeout(self, timeout: datetime.timedelta) -> None:
        self._timeout = timeout

    @bound("Store", "set(arg0: str, arg1: str) -> None")
    def set(self, key: Any, value: Any) -> None:
        """Writes a value."""
        self._set(text(key), data(value))

    def _set(self, key: str, value: bytes) -> None:
        raise _pure("set")

    @bound("Store", "get(arg0: str) -> bytes")
    def get(self, key: Any) -> bytes:
        """The value of a key, as soon as there is one. DistStoreError if that takes too long."""
        return self._get(text(key))

    def _get(self, key: str) -> bytes:
        raise _pure("get")

    @bound("Store", "add(arg0: str, arg1: int) -> int")
    def add(self, key: Any, amount: Any) -> int:
        """Adds to a counter, which begins at 0, and returns it."""
        return self._add(text(key), int(amount))

    def _add(self, key: str, amount: int) -> int:
        raise _pure("add")

    @bound("Store", "check(arg0: strs) -> bool")
    def check(self, keys: Any) -> bool:
        """Whether all keys have values."""
        return self._check([text(key) for key in keys])

    def _check(self, keys: list[str]) -> bool:
        raise _pure("check")

    @bound("Store", "wait(arg0: strs) -> None", "wait(arg0: strs, arg1: time) -> None")
    def wait(self, keys: Any, timeout: Any = None) -> None:
        """Returns as soon as all keys have values. DistStoreError if that takes too long."""
        limit = self.timeout if timeout is None else timeout
        self._wait([text(key) for key in keys], seconds(limit))

    def _wait(self, keys: list[str], limit: float) -> None:
        raise _pure("wait")

    @bound("Store", "compare_set(arg0: str, arg1: str, arg2: str) -> bytes")
    def compare_set(self, key: Any, expected: Any, desired: Any) -> bytes:
        """Writes `desired` over `expected` (empty if unset); returns the value there afterwards.

        Where there is no value and another was expected, that is returned.
        """
        return self._compare_set(text(key), data(expected), data(desired))

    def _compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        raise _pure("compareSet")

    @bound("Store", "delete_key(arg0: str) -> bool")
    def delete_key(self, key: Any) -> bool:
        """Deletes a key; whether there was one."""
        return self._delete_key(text(key))

    def _delete_key(self, key: str) -> bool:
        raise _pure("deleteKey")

    @bound("Store", "num_keys() -> int")
    def num_keys(self) -> int:
        """The number of keys, with those that the store itself uses."""
        return self._num_keys()

    def _num_keys(self) -> int:
        raise _pure("getNumKeys")

    @bound("Store", "list_keys() -> list[str]")
    def list_keys(self) -> list[str]:
        """The keys."""
        return self._list_keys()

    def _list_keys(self) -> list[str]:
        raise NotImplementedError("listKeys is not implemented.")

    @bound("Store", "append(arg0: str, arg1: str) -> None")
    def append(self, key: Any, value: Any) -> None:
        """Adds bytes at the end of a value."""
        self._append(text(key), data(value))

    def _append(self, key: str, value: bytes) -> None:
        """Swaps the value for a longer one until no other process came between."""
        old, new = b"", value
        while (found := self._compare_set(key, old, new)) != new:
            old, new = found, found + value

    @bound("Store", "multi_get(arg0: strs) -> list[bytes]")
    def multi_get(self, keys: Any) -> list[bytes]:
        """The values of several keys, as soon as all have one."""
        return self._multi_get([text(key) for key in keys])

    def _multi_get(self, keys: list[str]) -> list[bytes]:
        return [self._get(key) for key in keys]

    @bound("Store", "multi_set(arg0: strs, arg1: strs) -> None")
    def multi_set(self, keys: Any, values: Any) -> None:
        """Writes several values; those without a key are left out.

        Raises:
            ValueError: there are more keys than values.
        """
        self._multi_set([text(key) for key in keys], [data(value) for value in values])

    def _multi_set(self, keys: list[str], values: list[bytes]) -> None:
        if len(keys) > len(values):  # torch reads beyond the end of the values
            raise ValueError(f"multi_set got {len(keys)} keys and {len(values)} values")
        for key, value in zip(keys, values):
            self._set(key, value)

    @bound("Store", "has_extended_api() -> bool")
    def has_extended_api(self) -> bool:
        """Whether append, multi_get and multi_set are one message each."""
        return self._has_extended_api()

    def _has_extended_api(self) -> bool:
        return False

    @bound("Store", "queue_push(arg0: str, arg1: str) -> None")
    def queue_push(self, key: Any, value: Any) -> None:
        """Puts a value at the end of a queue."""
        self._queue_push(text(key), data(value))

    def _queue_push(self, key: str, value: bytes) -> None:
        raise NotImplementedError("queue support is not implemented.")

    @bound("Store", "queue_pop(key: str, block: bool = True) -> bytes")
    def queue_pop(self, key: Any, block: bool) -> bytes:
        """Takes the first value of a queue. QueueEmptyError if there is none, and none is awaited.

        DistStoreError if it is awaited for too long.
        """
        return self._queue_pop(text(key), block)

    def _queue_pop(self, key: str, block: bool) -> bytes:
        raise NotImplementedError("queue support is not implemented.")

    @bound("Store", "queue_len(arg0: str) -> int")
    def queue_len(self, key: Any) -> int:
        """The number of values in a queue."""
        return self._queue_len(text(key))

    def _queue_len(self, key: str) -> int:
        raise NotImplementedError("queue support is not implemented.")

    @bound("Store", "barrier(key: str, world_size: int, timeout: time | None = None) -> None")
    def barrier(self, key: Any, world_size: Any, timeout: Any) -> None:
        """Returns as soon as `world_size` processes have called it with that key."""
        name = text(key)
        if self.add(f"{name}/count", 1) == int(world_size):
            self.set(f"{name}/last", b"1")
        self.wait([f"{name}/last"], self.timeout if timeout is None else timeout)

    @bound("Store", "clone() -> torch._C._distributed_c10d.Store")
    def clone(self) -> Any:
        """A store with the same table, which another thread can use."""
        return self._clone()

    def _clone(self) -> Any:
        raise _pure("clone")

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__module__}.{type(self).__name__}' object")

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"


class Table:
    """The values of a store in memory, with what waits for them: of threads, or of a server."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.queues: defaultdict[str, deque[bytes]] = defaultdict(deque)

    def add(self, key: str, amount: int) -> int:
        """Adds to a counter and returns it."""
        total = number(self.values.get(key, b"0")) + amount
        self.values[key] = b"%d" % total
        return total

    def compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        """Writes a value over another one; returns the value there afterwards."""
        writes, there = compared(self.values.get(key), expected, desired)
        if writes:
            self.values[key] = desired
        return there

    def append(self, key: str, value: bytes) -> None:
        """Adds bytes at the end of a value."""
        self.values[key] = self.values.get(key, b"") + value

    def has(self, keys: list[str]) -> bool:
        """Whether all keys have values."""
        return all(key in self.values for key in keys)


class HashStore(Store):
    """A store of the threads of one process. As torch.distributed.HashStore."""

    __module__ = "torch._C._distributed_c10d"

    @bound("HashStore", "__init__() -> None")
    def __init__(self) -> None:
        self._table = Table()
        self._changed = threading.Condition()

    def _change(self, function: Callable[[], Any]) -> Any:
        with self._changed:
            try:
                return function()
            finally:
                self._changed.notify_all()

    def _set(self, key: str, value: bytes) -> None:
        self._change(lambda: self._table.values.__setitem__(key, value))

    def _await(self, keys: list[str], limit: float) -> None:
        """Waits, with the lock, until all keys have values."""
        if not self._changed.wait_for(lambda: self._table.has(keys), limit):
            raise DistStoreError("Wait timeout")

    def _get(self, key: str) -> bytes:
        with self._changed:
            self._await([key], seconds(self.timeout))
            return self._table.values[key]

    def _add(self, key: str, amount: int) -> int:
        return self._change(lambda: self._table.add(key, amount))

    def _check(self, keys: list[str]) -> bool:
        with self._changed:
            return self._table.has(keys)

    def _wait(self, keys: list[str], limit: float) -> None:
        with self._changed:
            self._await(keys, limit)

    def _compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        return self._change(lambda: self._table.compare_set(key, expected, desired))

    def _delete_key(self, key: str) -> bool:
        with self._changed:
            return self._table.values.pop(key, None) is not None

    def _num_keys(self) -> int:
        return len(self._table.values)

    def _list_keys(self) -> list[str]:
        with self._changed:
            return list(self._table.values)

    def _append(self, key: str, value: bytes) -> None:
        self._change(lambda: self._table.append(key, value))

    def _has_extended_api(self) -> bool:
        return True

    def _queue_push(self, key: str, value: bytes) -> None:
        self._change(lambda: self._table.queues[key].append(value))

    def _queue_pop(self, key: str, block: bool) -> bytes:
        with self._changed:
            end = time.monotonic() + (seconds(self.timeout) if block else 0)
            while not self._table.queues[key]:
                if not block:
                    raise QueueEmptyError("queue is empty")
                if not self._changed.wait(max(0, end - time.monotonic())):
                    raise DistStoreError("Wait timeout")
            return self._table.queues[key].popleft()

    def _queue_len(self, key: str) -> int:
        with self._changed:
            return len(self._table.queues[key])

    def _clone(self) -> HashStore:
        other = HashStore()
        other._table, other._changed, other._timeout = self._table, self._changed, self._timeout
        return other


class PrefixStore(Store):
    """A part of another store: all keys get a prefix. As torch.distributed.PrefixStore."""

    __module__ = "torch.distributed.distributed_c10d"

    @bound("PrefixStore", "__init__(prefix: str, store: Store) -> None")
    def __init__(self, prefix: Any, store: Any) -> None:
        self._prefix, self._store = text(prefix), store

    @property
    def underlying_store(self) -> Any:
        """The store that this one is a part of."""
        return self._store

    @property
    def _underlying_non_prefix_store(self) -> Any:
        store = self._store
        return store._underlying_non_prefix_store if isinstance(store, PrefixStore) else store

    @property
    def timeout(self) -> datetime.timedelta:
        """The time limit of get and wait: that of the store that this one is a part of."""
        return self._store.timeout

    def _set_timeout(self, timeout: datetime.timedelta) -> None:
        self._store.set_timeout(timeout)

    def _name(self, key: str) -> str:
        return f"{self._prefix}/{key}"

    def _names(self, keys: list[str]) -> list[str]:
        return [self._name(key) for key in keys]

    def _set(self, key: str, value: bytes) -> None:
        self._store.set(self._name(key), value)

    def _get(self, key: str) -> bytes:
        return self._store.get(self._name(key))

    def _add(self, key: str, amount: int) -> int:
        return self._store.add(self._name(key), amount)

    def _check(self, keys: list[str]) -> bool:
        return self._store.check(self._names(keys))

    def _wait(self, keys: list[str], limit: float) -> None:
        self._store.wait(self._names(keys), datetime.timedelta(seconds=limit))

    def _compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        return self._store.compare_set(self._name(key), expected, desired)

    def _delete_key(self, key: str) -> bool:
        return self._store.delete_key(self._name(key))

    def _num_keys(self) -> int:
        return self._store.num_keys()

    def _list_keys(self) -> list[str]:
        start = f"{self._prefix}/"
        return [key.removeprefix(start) for key in self._store.list_keys() if key.startswith(start)]

    def _append(self, key: str, value: bytes) -> None:
        self._store.append(self._name(key), value)

    def _multi_get(self, keys: list[str]) -> list[bytes]:
        return self._store.multi_get(self._names(keys))

    def _multi_set(self, keys: list[str], values: list[bytes]) -> None:
        self._store.multi_set(self._names(keys), values)

    def _has_extended_api(self) -> bool:
        return self._store.has_extended_api()

    def _queue_push(self, key: str, value: bytes) -> None:
        self._store.queue_push(self._name(key), value)

    def _queue_pop(self, key: str, block: bool) -> bytes:
        return self._store.queue_pop(self._name(key), block)

    def _queue_len(self, key: str) -> int:
        return self._store.queue_len(self._name(key))

    def _clone(self) -> PrefixStore:
        return PrefixStore(self._prefix, self._store.clone())
