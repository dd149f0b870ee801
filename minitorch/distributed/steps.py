"""Collectives as generators of MPI's requests, over flat arrays.

Each is written for one group of `size` ranks, and sends nothing where that is one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy

from minitorch.distributed.order import FOLDS, bounds, folded, sum_of_part

Array = Any
_SMALL = 1 << 14  # bytes up to which each rank gets all and adds for itself: one message
_PIECE = 1 << 18  # bytes that are added at a time, while the next ones arrive
_TAGS = 1 << 20


class Channel:
    """What the collectives of one group send by.

    Args:
        communicator: mpi.Communicator; None in a world of one.
    """

    def __init__(self, communicator: Any, rank: int, size: int) -> None:
        self.communicator, self.rank, self.size, self.count = communicator, rank, size, 0

    def number(self) -> int:
        """The number of an operation, which is its tag: all ranks start them in one order."""
        self.count = (self.count + 1) % _TAGS
        return self.count

    def data(self, array: Array) -> list[Any]:
        """Bytes of an array as mpi4py takes them."""
        return [array.view(numpy.uint8), self.communicator.byte]


def _averaged(array: Array, op: str, size: int) -> None:
    """Divides a sum where an average was asked for. RuntimeError for integers, in torch's words."""
    if op != "AVG":
        return
    if array.dtype.kind in "iub":
        names = {"int8": "Char", "uint8": "Byte", "int32": "Int", "int64": "Long", "bool": "Bool"}
        name = names[array.dtype.name]
        raise RuntimeError(f"result type Float can't be cast to the desired output type {name}")
    with numpy.errstate(all="ignore"):
        array /= array.dtype.type(size)


def all_reduce(channel: Channel, array: Array, op: str) -> Iterator[Any]:
    """Reduces an array over all ranks, in place."""
    at = bounds(array.size, array.itemsize, channel.size)
    number = channel.number()
    if channel.size > 1 and array.size:
        if array.nbytes <= _SMALL:
            yield from _gathered_sum(channel, array, at, op, number)
        else:
            yield from _reduced_chunks(channel, array, at, op, number)
            yield from _spread_chunks(channel, array, at, number)
    _averaged(array, op, channel.size)


def _gathered_sum(channel: Channel, array: Array, at: Any, op: str, number: int) -> Iterator[Any]:
    """Each rank gets all arrays, and adds them. A header in front tells whether all do the same."""
    kind = f"all_reduce({op}) of {array.size} elements of {array.dtype.name}"
    head = numpy.array([zlib.crc32(kind.encode()), number], numpy.int64)
    own = numpy.concatenate([head.view(numpy.uint8), array.view(numpy.uint8)])
    came = numpy.zeros((channel.size, own.size), numpy.uint8)
    yield channel.communicator.comm.Iallgather(channel.data(own), channel.data(came))
    different = numpy.flatnonzero((came[:, :16] != own[:16]).any(axis=1))
    if different.size:
        raise RuntimeError(
            "Detected mismatch between collectives on ranks. "
            f"Rank {channel.rank} is running collective: {kind}, but Rank {different[0]} is "
            "running another one"
        )
    parts = came[:, 16:].view(array.dtype)
    for k in range(channel.size):
        array[at[k] : at[k + 1]] = folded(parts[:, at[k] : at[k + 1]], k, FOLDS[op])


def _pieces(chunk: Array) -> list[Array]:
    length = max(1, _PIECE // chunk.itemsize)
    return [chunk[i : i + length] for i in range(0, chunk.size, length)]


def _reduced_chunks(channel: Channel, array: Array, at: Any, op: str, number: int) -> Iterator[Any]:
    """The first turn of gloo's ring: rank k has the sum of chunk k then, the others parts of it."""
    inner, size, fold = channel.communicator.inner, channel.size, FOLDS[op]
    above, below = (channel.rank + 1) % size, (channel.rank - 1) % size
    chunk = lambda k: array[at[k % size] : at[k % size + 1]]
    longest = max(high - low for low, high in pairwise(at))
    spare = numpy.empty(longest, array.dtype)
    for step in range(1, size):
        own = _pieces(chunk(channel.rank + step + 1))
        came = _pieces(spare[: sum(each.size for each in own)])
        coming = [inner.Irecv(channel.data(each), above, number) for each in came]
        out = _pieces(chunk(channel.rank + step))
        going = [inner.Isend(channel.data(each), below, number) for each in out]
        for request, mine, before in zip(coming, own, came):
            yield request
            fold(mine, before, out=mine)
        yield from going


def _spread_chunks(channel: Channel, array: Array, at: Any, number: int) -> Iterator[Any]:
    """The second turn of gloo's ring: every rank gets all sums."""
    inner, size = channel.communicator.inner, channel.size
    above, below = (channel.rank + 1) % size, (channel.rank - 1) % size
    chunk = lambda k: _pieces(array[at[k % size] : at[k % size + 1]])
    for step in range(size - 1):
        came, out = chunk(channel.rank + step + 1), chunk(channel.rank + step)
        coming = [inner.Irecv(channel.data(each), above, number) for each in came]
        yield from coming + [inner.Isend(channel.data(each), below, number) for each in out]


def reduce(channel: Channel, array: Array, op: str, root: int) -> Iterator[Any]:
    """Reduces an array to the root, in place; the others keep parts of the sum, as with gloo."""
    number = channel.number()
    if channel.size > 1 and array.size:
        at = bounds(array.size, array.itemsize, channel.size)
        yield from _reduced_chunks(channel, array, at, op, number)
        inner = channel.communicator.inner
        if channel.rank == root:
            others = [k for k in range(channel.size) if k != root]
            chunks = [array[at[k] : at[k + 1]] for k in others]
            yield from [inner.Irecv(channel.data(c), k, number) for c, k in zip(chunks, others)]
        else:
            own = array[at[channel.rank] : at[channel.rank + 1]]
            yield inner.Isend(channel.data(own), root, number)
    _averaged(array, op, channel.size)


def reduce_scatter(
    channel: Channel, parts: list[Array], out: Array, op: str, whole: bool
) -> Iterator[Any]:
    """Reduces one part for each rank.

    Args:
        parts: what this rank has for each rank; of one length.
        out: where the sum of this rank's part goes.
        whole: whether the parts are one tensor, which the ring cuts as a whole.
    """
    channel.number()
    if channel.size == 1:
        out[...] = parts[0]
    elif out.size:
        sent = numpy.concatenate(parts)
        came = numpy.empty((channel.size, out.size), out.dtype)
        yield channel.communicator.comm.Ialltoall(channel.data(sent), channel.data(came))
        length = sent.size if whole else out.size
        at = bounds(length, out.itemsize, channel.size)
        start = channel.rank * out.size if whole else 0
        out[...] = sum_of_part(list(came), start, at, FOLDS[op])
    _averaged(out, op, channel.size)


def broadcast(channel: Channel, array: Array, root: int) -> Iterator[Any]:
    """Gives all ranks the root's array."""
    if channel.size > 1 and array.size:
        yield channel.communicator.comm.Ibcast(channel.data(array), root)


def all_gather(channel: Channel, array: Array, out: Array) -> Iterator[Any]:
    """Gives all ranks all arrays: row k of `out` is rank k's."""
    if channel.size == 1:
        out[0] = array
    elif array.size:
        yield channel.communicator.comm.Iallgather(channel.data(array), channel.data(out))


def gather(channel: Channel, array: Array, out: Array, root: int) -> Iterator[Any]:
    """Gives the root all arrays; `out` is None elsewhere."""
    if channel.size == 1:
        out[0] = array
    elif array.size:
        into = None if out is None else channel.data(out)
        yield channel.communicator.comm.Igather(channel.data(array), into, root)


def scatter(channel: Channel, rows: Array, out: Array, root: int) -> Iterator[Any]:
    """Gives rank k row k of the root's rows, which are None elsewhere."""
    if channel.size == 1:
        out[...] = rows[0]
    elif out.size:
        sent = None if rows is None else channel.data(rows)
        yield channel.communicator.comm.Iscatter(sent, channel.data(out), root)


def all_to_all(
    channel: Channel, sent: Array, sent_sizes: list[int], out: Array, out_sizes: list[int]
) -> Iterator[Any]:
    """Gives each rank a stretch of each rank's array; sizes count elements."""
    if channel.size == 1:
        out[...] = sent
        return
    yield channel.communicator.comm.Ialltoallv(
        _stretches(channel, sent, sent_sizes), _stretches(channel, out, out_sizes)
    )


def _stretches(channel: Channel, array: Array, sizes: list[int]) -> list[Any]:
    counts = [size * array.itemsize for size in sizes]
    starts = [sum(counts[:k]) for k in range(len(counts))]
    view, byte = channel.data(array)
    return [view, counts, starts, byte]


def barrier(channel: Channel) -> Iterator[Any]:
    """Is done as soon as all ranks have started it."""
    if channel.size > 1:
        yield channel.communicator.comm.Ibarrier()


def send(channel: Channel, array: Array, to: int, tag: int) -> Iterator[Any]:
    """Sends an array to a rank."""
    yield channel.communicator.comm.Isend(channel.data(array), to, tag)


class Received:
    """A request of a message, which remembers who sent it.

    Args:
        start: called with MPI's status, starts the request.
    """

    def __init__(self, mpi: Any, comm: Any, data: Any, source: int | None, tag: int) -> None:
        self.status = mpi.Status()
        self.source: int | None = source
        self.request = comm.Irecv(data, mpi.ANY_SOURCE if source is None else source, tag)

    def Test(self) -> bool:
        """Whether the message is there."""
        done = self.request.Test(self.status)
        if done:
            self.source = self.status.Get_source()
        return done
