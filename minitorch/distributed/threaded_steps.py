"""The backend threaded: ranks are threads of one process, and give one another their arrays.

For tests. All operations are one: each rank lays down what the others may read, and goes on as soon
as all have. Sums are added in the order of gloo's ring, so that their bits are those of gloo.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy

from minitorch.distributed.agreement import Call, difference, message_error, split_error
from minitorch.distributed.order import FOLDS, bounds, sum_of_part
from minitorch.distributed.steps import _averaged

Array = Any
_ORDER = count()


class Meeting:
    """The contributions of the ranks to one operation."""

    def __init__(self) -> None:
        self.given: dict[int, Any] = {}


class Exchange:
    """The operations of one group, which its threads share."""

    def __init__(self) -> None:
        self.news = threading.Condition()
        self.meetings: defaultdict[int, Meeting] = defaultdict(Meeting)
        self.letters: defaultdict[tuple[int, int], deque[Any]] = defaultdict(deque)


_EXCHANGES: dict[tuple[int, str], Exchange] = {}


def shared_by(store: Any, group: str) -> Exchange:
    """The exchange of the threads that meet at a store as one group."""
    while hasattr(store, "underlying_store"):
        store = store.underlying_store
    return _EXCHANGES.setdefault((id(store), group), Exchange())


def forget() -> None:
    """Forgets what threads have shared so far."""
    _EXCHANGES.clear()


class Channel:
    """The means by which the operations of one group reach the other threads.

    Args:
        communicator: the Exchange of the group.
    """

    def __init__(self, communicator: Exchange, rank: int, size: int) -> None:
        self.communicator, self.rank, self.size, self.count = communicator, rank, size, -1
        self.failure = ""

    def number(self) -> int:
        """The number of an operation: all ranks start them in one order."""
        self.count += 1
        return self.count


class Waiting:
    """A request that is done as soon as a condition holds.

    Args:
        holds: asked with the lock of the exchange.
    """

    def __init__(self, exchange: Exchange, holds: Any) -> None:
        self.exchange, self.holds = exchange, holds

    def Test(self) -> bool:
        """Whether the wait is over; waits a moment, as the other threads need this one's turn."""
        with self.exchange.news:
            return bool(self.holds()) or bool(self.exchange.news.wait_for(self.holds, 1e-4))


def _met(channel: Channel, call: Call, payload: Any) -> Iterator[Any]:
    """The contributions of all ranks to an operation.

    Raises:
        RuntimeError: two ranks run different operations.
    """
    exchange, number = channel.communicator, channel.number()
    with exchange.news:
        meeting = exchange.meetings[number]
        meeting.given[channel.rank] = call, payload
        if len(meeting.given) == channel.size:
            del exchange.meetings[number]
        exchange.news.notify_all()
    yield Waiting(exchange, lambda: len(meeting.given) == channel.size)
    for rank in range(channel.size):
        other = meeting.given[rank][0]
        if other != call:
            text = difference(channel.rank, call, number, rank, other, number, False)
            if text:
                raise RuntimeError(text)
    return [meeting.given[rank][1] for rank in range(channel.size)]


def all_reduce(channel: Channel, call: Call, array: Array, op: str) -> Iterator[Any]:
    """Reduces an array over all ranks, in place."""
    parts = yield from _met(channel, call, array.copy())
    array[...] = _summed(parts, op)
    _averaged(array, op, channel.size)


def _summed(parts: list[Array], op: str) -> Array:
    at = bounds(parts[0].size, parts[0].itemsize, len(parts)) if len(parts) > 1 else None
    return parts[0] if at is None else sum_of_part(parts, 0, at, FOLDS[op])


def reduce(channel: Channel, call: Call, array: Array, op: str, root: int) -> Iterator[Any]:
    """Reduces an array to the root, in place; the others keep theirs."""
    parts = yield from _met(channel, call, array.copy())
    if channel.rank == root:
        array[...] = _summed(parts, op)
        _averaged(array, op, channel.size)


def reduce_scatter(
    channel: Channel, call: Call, parts: list[Array], out: Array, op: str, whole: bool
) -> Iterator[Any]:
    """Reduces one part for each rank."""
    sent = numpy.concatenate(parts)
    given = yield from _met(channel, call, sent)
    rows = [each.reshape(channel.size, -1)[channel.rank] for each in given]
    if channel.size > 1:
        first = channel.rank * out.size if whole else 0
        at = bounds(sent.size if whole else out.size, out.itemsize, channel.size)
        out[...] = sum_of_part(rows, first, at, FOLDS[op])
    else:
        out[...] = rows[0]
    _averaged(out, op, channel.size)


def broadcast(channel: Channel, call: Call, array: Array, root: int) -> Iterator[Any]:
    """Gives all ranks the root's array."""
    given = yield from _met(channel, call, array.copy() if channel.rank == root else None)
    array[...] = given[root]


def all_gather(channel: Channel, call: Call, array: Array, out: Array) -> Iterator[Any]:
    """Gives all ranks all arrays: row k of `out` is rank k's."""
    given = yield from _met(channel, call, array.copy())
    for row, each in zip(out, given):
        row[...] = each


def gather(channel: Channel, call: Call, array: Array, out: Array, root: int) -> Iterator[Any]:
    """Gives the root all arrays; `out` is None elsewhere."""
    given = yield from _met(channel, call, array.copy())
    if out is not None:
        for row, each in zip(out, given):
            row[...] = each


def scatter(channel: Channel, call: Call, rows: Array, out: Array, root: int) -> Iterator[Any]:
    """Gives rank k row k of the root's rows, which are None elsewhere."""
    given = yield from _met(channel, call, None if rows is None else rows.copy())
    out[...] = given[root][channel.rank]


def all_to_all(
    channel: Channel,
    call: Call,
    sent: Array,
    sent_sizes: list[int],
    out: Array,
    out_sizes: list[int],
) -> Iterator[Any]:
    """Gives each rank a stretch of each rank's array; sizes count elements.

    Raises:
        RuntimeError: two ranks expect different sizes.
    """
    given = yield from _met(channel, call, (sent.copy(), sent_sizes, out_sizes))
    told = numpy.array([[*sizes, *wanted] for _, sizes, wanted in given])
    error = split_error(channel, told)
    if error:
        raise RuntimeError(error)
    at = 0
    for (array, sizes, _), size in zip(given, out_sizes):
        start = sum(sizes[: channel.rank])
        out[at : at + size] = array[start : start + size]
        at += size


def barrier(channel: Channel, call: Call) -> Iterator[Any]:
    """Waits until all ranks have started a barrier."""
    yield from _met(channel, call, None)


def sparse_sum(channel: Channel, call: Call, tensor: Any) -> Iterator[Any]:
    """Adds up a sparse tensor, in place, in the order of the ranks."""
    given = yield from _met(channel, call, tensor.detach().coalesce())
    total = given[0]
    for each in given[1:]:
        total = total + each
    tensor.copy_(total.coalesce())


def send(channel: Channel, array: Array, to: int, tag: int) -> Iterator[Any]:
    """Lays an array down for a rank."""
    exchange = channel.communicator
    with exchange.news:
        exchange.letters[to, tag].append((next(_ORDER), channel.rank, array.copy()))
        exchange.news.notify_all()
    yield from ()


def receive(
    channel: Channel, array: Array, source: int | None, tag: int, seen: list[Any]
) -> Iterator[Any]:
    """Takes the first array that a rank, or any, has laid down for this one.

    Raises:
        RuntimeError: it has another size or dtype.
    """
    exchange = channel.communicator
    letters = exchange.letters[channel.rank, tag]
    found: list[Any] = []

    def take() -> bool:
        if not found:
            fits = (each for each in letters if source is None or each[1] == source)
            first = next(fits, None)
            if first is not None:
                letters.remove(first)
                found.append(first)
        return bool(found)

    request = Waiting(exchange, take)
    seen.append(request)
    yield request
    _, sender, came = found[0]
    request.source = sender  # type: ignore[attr-defined]
    if (came.size, came.dtype) != (array.size, array.dtype):
        raise RuntimeError(message_error(sender, came.size, came.dtype.name, channel.rank, array))
    array[...] = came
