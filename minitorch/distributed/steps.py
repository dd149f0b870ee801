"""Collectives as generators of MPI's requests, over flat arrays.

Each is written for one group of `size` ranks, and sends nothing where that is one. Data is sent at
once, so that MPI's own collectives start in one order on all ranks; before it is believed, the
ranks have agreed that all of them run the same operation.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy

from minitorch.distributed import sparse_sums
from minitorch.distributed.agreement import (
    HEAD,
    Call,
    Check,
    head_of,
    message_error,
    read_head,
    split_error,
)
from minitorch.distributed.order import FOLDS, bounds, folded, sum_of_part

__all__ = (
    "Channel all_gather all_reduce all_to_all barrier broadcast checked gather joined receive "
    "reduce reduce_scatter scatter send sparse_sum"
).split()

sparse_sum = sparse_sums.all_reduce
Array = Any
_SMALL = 1 << 14  # bytes up to which each rank gets all and adds for itself: one message
_MIDDLE = 1 << 14  # bytes of a chunk up to which chunks are swapped at once, not along the ring
_PIECE = 1 << 18  # bytes that are added at a time, while the next ones arrive
_TAGS = 1 << 20  # numbers of operations, then those of texts, then those of long messages


class Channel:
    """The means by which the collectives of one group send.

    Args:
        communicator: mpi.Communicator; None in a world of one.
    """

    tag_of_texts = _TAGS

    def __init__(self, communicator: Any, rank: int, size: int) -> None:
        self.communicator, self.rank, self.size, self.count = communicator, rank, size, -1
        self.sent = 0  # messages to other ranks
        self.failure = ""  # once ranks were out of step, data of no operation can be told apart

    def number(self) -> int:
        """The number of an operation, which is its tag: all ranks start them in one order."""
        self.count = (self.count + 1) % _TAGS
        return self.count

    def check(self, call: Call) -> Iterator[Any]:
        """Starts to agree with the other ranks on a call; what waits until they have."""
        return Check(self, call, self.count).steps()

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


def all_reduce(channel: Channel, call: Call, array: Array, op: str) -> Iterator[Any]:
    """Reduces an array over all ranks, in place."""
    number = channel.number()
    if channel.size > 1:
        agreed = channel.check(call)
        at = bounds(array.size, array.itemsize, channel.size)
        if not array.size:
            yield from agreed
        elif array.nbytes <= _SMALL:
            yield from _gathered_sum(channel, agreed, array, at, op)
        elif array.nbytes <= _MIDDLE * channel.size:
            yield from agreed
            yield from _swapped_chunks(channel, array, at, op, number)
        else:
            yield from agreed
            yield from _reduced_chunks(channel, array, at, op, number)
            yield from _spread_chunks(channel, array, at, number)
    _averaged(array, op, channel.size)


def _gathered_sum(channel: Channel, agreed: Any, array: Array, at: Any, op: str) -> Iterator[Any]:
    """Each rank gets all arrays, and adds them."""
    parts = numpy.empty((channel.size, array.size), array.dtype)
    request = channel.communicator.inner.Iallgather(channel.data(array), channel.data(parts))
    yield from agreed
    yield request
    for k in range(channel.size):
        if at[k] < at[k + 1]:
            array[at[k] : at[k + 1]] = folded(parts[:, at[k] : at[k + 1]], k, FOLDS[op])


def _swapped_chunks(channel: Channel, array: Array, at: Any, op: str, number: int) -> Iterator[Any]:
    """Each rank gets its chunk of all arrays, adds them, and gives the sum to all."""
    inner, size, rank = channel.communicator.inner, channel.size, channel.rank
    chunks = [array[at[k] : at[k + 1]] for k in range(size)]
    parts = numpy.empty((size, chunks[rank].size), array.dtype)
    parts[rank] = chunks[rank]
    others = [k for k in range(size) if k != rank]
    requests = [inner.Irecv(channel.data(parts[k]), k, number) for k in others]
    requests += [inner.Isend(channel.data(chunks[k]), k, number) for k in others]
    yield from requests
    chunks[rank][...] = folded(parts, rank, FOLDS[op])
    requests = [inner.Irecv(channel.data(chunks[k]), k, number) for k in others]
    yield from requests + [inner.Isend(channel.data(chunks[rank]), k, number) for k in others]


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


def reduce(channel: Channel, call: Call, array: Array, op: str, root: int) -> Iterator[Any]:
    """Reduces an array to the root, in place; the others keep parts of the sum, as with gloo."""
    number = channel.number()
    if channel.size > 1:
        yield from channel.check(call)
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
    channel: Channel, call: Call, parts: list[Array], out: Array, op: str, whole: bool
) -> Iterator[Any]:
    """Reduces one part for each rank.

    Args:
        parts: what this rank has for each rank; of one length.
        out: where the sum of this rank's part goes.
        whole: whether the parts are one tensor, which the ring cuts as a whole.
    """
    if channel.size == 1:
        out[...] = parts[0]
    else:
        sent = joined(parts)
        came = numpy.empty((channel.size, out.size), out.dtype)
        inner = channel.communicator.inner
        start = lambda: inner.Ialltoall(channel.data(sent), channel.data(came))
        yield from checked(channel, call, start if out.size else None)
        length = sent.size if whole else out.size
        at = bounds(length, out.itemsize, channel.size)
        first = channel.rank * out.size if whole else 0
        out[...] = sum_of_part(list(came), first, at, FOLDS[op])
    _averaged(out, op, channel.size)


def joined(parts: list[Array]) -> Array:
    """Several arrays as one."""
    return numpy.concatenate(parts)


def checked(channel: Channel, call: Call, start: Any) -> Iterator[Any]:
    """One of MPI's collectives, and the ranks' agreement on it.

    Args:
        start: returns its request; None where there is nothing to send.
    """
    channel.number()
    agreed = channel.check(call)
    request = start() if start is not None else None
    yield from agreed
    if request is not None:
        yield request


def broadcast(channel: Channel, call: Call, array: Array, root: int) -> Iterator[Any]:
    """Gives all ranks the root's array."""
    if channel.size > 1:
        start = lambda: channel.communicator.inner.Ibcast(channel.data(array), root)
        yield from checked(channel, call, start if array.size else None)


def all_gather(channel: Channel, call: Call, array: Array, out: Array) -> Iterator[Any]:
    """Gives all ranks all arrays: row k of `out` is rank k's."""
    if channel.size == 1:
        out[0] = array
        return
    inner = channel.communicator.inner
    start = lambda: inner.Iallgather(channel.data(array), channel.data(out))
    yield from checked(channel, call, start if array.size else None)


def gather(channel: Channel, call: Call, array: Array, out: Array, root: int) -> Iterator[Any]:
    """Gives the root all arrays; `out` is None elsewhere."""
    if channel.size == 1:
        out[0] = array
        return
    into = None if out is None else channel.data(out)
    start = lambda: channel.communicator.inner.Igather(channel.data(array), into, root)
    yield from checked(channel, call, start if array.size else None)


def scatter(channel: Channel, call: Call, rows: Array, out: Array, root: int) -> Iterator[Any]:
    """Gives rank k row k of the root's rows, which are None elsewhere."""
    if channel.size == 1:
        out[...] = rows[0]
        return
    sent = None if rows is None else channel.data(rows)
    start = lambda: channel.communicator.inner.Iscatter(sent, channel.data(out), root)
    yield from checked(channel, call, start if out.size else None)


def all_to_all(
    channel: Channel,
    call: Call,
    sent: Array,
    sent_sizes: list[int],
    out: Array,
    out_sizes: list[int],
) -> Iterator[Any]:
    """Gives each rank a stretch of each rank's array; sizes count elements, and are told to all."""
    if channel.size == 1:
        out[...] = sent
        return
    inner, byte = channel.communicator.inner, channel.communicator.byte
    sizes = numpy.empty((channel.size, 2 * channel.size), numpy.int64)
    own = numpy.array([*sent_sizes, *out_sizes], numpy.int64)
    channel.number()
    agreed = channel.check(call)
    told = inner.Iallgather([own, byte], [sizes, byte])
    request = inner.Ialltoallv(
        _stretches(channel, sent, sent_sizes), _stretches(channel, out, out_sizes)
    )
    yield from agreed
    yield told
    error = split_error(channel, sizes)
    if error:
        channel.failure = error
        raise RuntimeError(error)
    yield request


def _stretches(channel: Channel, array: Array, sizes: list[int]) -> list[Any]:
    counts = [size * array.itemsize for size in sizes]
    starts = [sum(counts[:k]) for k in range(len(counts))]
    view, byte = channel.data(array)
    return [view, counts, starts, byte]


def barrier(channel: Channel, call: Call) -> Iterator[Any]:
    """Waits until all ranks have started a barrier: they only agree on the operation."""
    if channel.size > 1:
        yield from checked(channel, call, None)


# ---- messages


def send(channel: Channel, array: Array, to: int, tag: int) -> Iterator[Any]:
    """Sends an array to a rank: a header, and the data behind it or in a message of their own."""
    comm, inner, byte = channel.communicator
    channel.sent = (channel.sent + 1) % _TAGS
    head = head_of(array, channel.sent)
    if array.nbytes <= _SMALL:
        yield comm.Isend([head + array.tobytes(), byte], to, tag)
    else:
        requests = [comm.Isend([head, byte], to, tag)]
        requests.append(inner.Isend(channel.data(array), to, 2 * _TAGS + channel.sent))
        yield from requests


def receive(
    channel: Channel, array: Array, source: int | None, tag: int, seen: list[Any]
) -> Iterator[Any]:
    """Receives an array from a rank.

    Args:
        source: the rank; None stands for any.
        seen: gets the request, which knows the source.

    Raises:
        RuntimeError: what was sent has another size or dtype.
    """
    comm, inner, byte = channel.communicator
    came = numpy.empty(HEAD + _SMALL, numpy.uint8)
    # start-up: imported already, by whatever made the group
    mpi = importlib.import_module("mpi4py.MPI")
    request = Received(mpi, comm, [came, byte], source, tag)
    seen.append(request)
    yield request
    count, number, dtype = read_head(came)
    length = count * numpy.dtype(dtype if dtype != "bfloat16" else "int16").itemsize
    fits = (count, dtype) == (array.size, array.dtype.name)
    into = array if fits else numpy.empty(length, numpy.uint8)
    if length > _SMALL:
        yield inner.Irecv(channel.data(into), request.source, 2 * _TAGS + number)
    else:
        into.view(numpy.uint8)[...] = came[HEAD : HEAD + length]
    if not fits:
        raise RuntimeError(message_error(request.source, count, dtype, channel.rank, array))


class Received:
    """A request of a message, which remembers who sent it."""

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
