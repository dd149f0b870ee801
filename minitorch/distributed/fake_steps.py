"""The backend fake: no rank says anything to another; results are made of this rank's own data.

For programs that are tried out with fewer processes than they are written for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minitorch.distributed.agreement import Call
from minitorch.distributed.steps import Channel as Channel

Array = Any
_NOTHING: tuple[Any, ...] = ()


def all_reduce(channel: Channel, call: Call, array: Array, op: str) -> Iterator[Any]:
    """Leaves an array as it is."""
    yield from _NOTHING


def reduce(channel: Channel, call: Call, array: Array, op: str, root: int) -> Iterator[Any]:
    """Leaves an array as it is."""
    yield from _NOTHING


def reduce_scatter(
    channel: Channel, call: Call, parts: list[Array], out: Array, op: str, whole: bool
) -> Iterator[Any]:
    """Gives this rank its own part."""
    out[...] = parts[channel.rank]
    yield from _NOTHING


def broadcast(channel: Channel, call: Call, array: Array, root: int) -> Iterator[Any]:
    """Leaves an array as it is."""
    yield from _NOTHING


def all_gather(channel: Channel, call: Call, array: Array, out: Array) -> Iterator[Any]:
    """Takes this rank's array for that of all."""
    out[...] = array
    yield from _NOTHING


def gather(channel: Channel, call: Call, array: Array, out: Array, root: int) -> Iterator[Any]:
    """Takes this rank's array for that of all, on the root."""
    if out is not None:
        out[...] = array
    yield from _NOTHING


def scatter(channel: Channel, call: Call, rows: Array, out: Array, root: int) -> Iterator[Any]:
    """Gives the root its own row."""
    if rows is not None:
        out[...] = rows[channel.rank]
    yield from _NOTHING


def all_to_all(
    channel: Channel,
    call: Call,
    sent: Array,
    sent_sizes: list[int],
    out: Array,
    out_sizes: list[int],
) -> Iterator[Any]:
    """Treats this rank's data as received; if sizes differ, the beginning of it each time."""
    if len(set(out_sizes)) == 1 and out_sizes == sent_sizes:
        out[...] = sent
    else:
        at = 0
        for size in out_sizes:
            given = sent[:size]
            out[at : at + given.size] = given
            at += size
    yield from _NOTHING


def barrier(channel: Channel, call: Call) -> Iterator[Any]:
    """Waits for no other rank."""
    yield from _NOTHING


def sparse_sum(channel: Channel, call: Call, tensor: Any) -> Iterator[Any]:
    """Leaves a tensor as it is."""
    yield from _NOTHING


def send(channel: Channel, array: Array, to: int, tag: int) -> Iterator[Any]:
    """Sends nothing."""
    yield from _NOTHING


def receive(
    channel: Channel, array: Array, source: int | None, tag: int, seen: list[Any]
) -> Iterator[Any]:
    """Leaves an array as it is."""
    yield from _NOTHING
