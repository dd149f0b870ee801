"""The backend mpi: MPI's own reductions, which are trees for many ranks; their bits are the MPI's.

All else, and reductions of dtypes that MPI has no name for, is as with gloo.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from minitorch.distributed import steps
from minitorch.distributed.agreement import Call

__all__ = steps.__all__
Channel, barrier, broadcast = steps.Channel, steps.barrier, steps.broadcast
all_gather, gather, scatter = steps.all_gather, steps.gather, steps.scatter
all_to_all, send, receive = steps.all_to_all, steps.send, steps.receive
sparse_sum, checked, joined = steps.sparse_sum, steps.checked, steps.joined
Array = Any
_TYPES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "int8": "INT8_T",
    "uint8": "UINT8_T",
    "int32": "INT32_T",
    "int64": "INT64_T",
}
_OPS = {"SUM": "SUM", "AVG": "SUM", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX"}
_OPS |= {"BAND": "BAND", "BOR": "BOR", "BXOR": "BXOR"}


def _known(array: Array, op: str) -> Any:
    """MPI's type of an array and its reduction; None if MPI has no name for the dtype."""
    name = _TYPES.get(array.dtype.name)
    if name is None:
        return None
    # start-up: imported already, by whatever made the group
    mpi = importlib.import_module("mpi4py.MPI")
    return getattr(mpi, name), getattr(mpi, _OPS[op])


def _in_place() -> Any:
    return importlib.import_module("mpi4py.MPI").IN_PLACE


def all_reduce(channel: Channel, call: Call, array: Array, op: str) -> Iterator[Any]:
    """Reduces an array over all ranks, in place."""
    known = _known(array, op) if channel.size > 1 and array.size else None
    if known is None:
        yield from steps.all_reduce(channel, call, array, op)
        return
    inner = channel.communicator.inner
    start = lambda: inner.Iallreduce(_in_place(), [array, known[0]], known[1])
    yield from steps.checked(channel, call, start)
    steps._averaged(array, op, channel.size)


def reduce(channel: Channel, call: Call, array: Array, op: str, root: int) -> Iterator[Any]:
    """Reduces an array to the root, in place; the others keep theirs."""
    known = _known(array, op) if channel.size > 1 and array.size else None
    if known is None:
        yield from steps.reduce(channel, call, array, op, root)
        return
    inner, mine = channel.communicator.inner, [array, known[0]]
    own = channel.rank == root
    given = (_in_place(), mine) if own else (mine, None)
    yield from steps.checked(channel, call, lambda: inner.Ireduce(*given, known[1], root))
    if own:
        steps._averaged(array, op, channel.size)


def reduce_scatter(
    channel: Channel, call: Call, parts: list[Array], out: Array, op: str, whole: bool
) -> Iterator[Any]:
    """Reduces one part for each rank."""
    known = _known(out, op) if channel.size > 1 and out.size else None
    if known is None:
        yield from steps.reduce_scatter(channel, call, parts, out, op, whole)
        return
    sent, inner = steps.joined(parts), channel.communicator.inner
    pair = [sent, known[0]], [out, known[0]]
    yield from steps.checked(channel, call, lambda: inner.Ireduce_scatter_block(*pair, known[1]))
    steps._averaged(out, op, channel.size)
