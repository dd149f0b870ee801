"""Sums of sparse tensors over ranks: all ranks gather indices and values, and add them in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

import minitorch
from minitorch.distributed.agreement import Call

Channel = Any  # of steps
Tensor = Any
_PLACES = 16  # numbers in what ranks tell of their tensors


def all_reduce(channel: Channel, call: Call, tensor: Tensor) -> Iterator[Any]:
    """Adds up a tensor of layout torch.sparse_coo, in place, in the order of the ranks.

    Raises:
        RuntimeError: shapes, or the numbers of sparse dimensions, differ.
    """
    with minitorch.no_grad():
        own = tensor.detach().coalesce()
    places = numpy.ascontiguousarray(own._indices()._array)
    values = numpy.ascontiguousarray(own._values()._array)
    heads, parts = numpy.empty((1, _PLACES), numpy.int64), [(places, values)]
    if channel.size > 1:
        heads, parts = yield from _gathered(channel, call, own, places, values)
    if (heads[:, 1:] != heads[0, 1:]).any():
        raise RuntimeError("Sparse dimensions do not match")
    with minitorch.no_grad():
        total: Any = None
        for row, part in parts:
            at, what = _tensor(row), _tensor(part)
            each = minitorch.sparse_coo_tensor(at, what, own.shape, check_invariants=False)
            total = each if total is None else total + each
        tensor.copy_(total.coalesce())


def _gathered(channel: Channel, call: Call, own: Tensor, places: Any, values: Any) -> Iterator[Any]:
    """The heads of all ranks' tensors, and the indices and values; no values if shapes differ."""
    number, inner = channel.number(), channel.communicator.inner
    told = numpy.zeros(_PLACES, numpy.int64)
    told[: 3 + own.dim()] = [own._nnz(), own.sparse_dim(), own.dim(), *own.shape]
    heads = numpy.empty((channel.size, _PLACES), numpy.int64)
    agreed = channel.check(call)
    request = inner.Iallgather(channel.data(told), channel.data(heads.reshape(-1)))
    yield from agreed
    yield request
    if (heads[:, 1:] != told[1:]).any():
        return heads, []
    counts = heads[:, 0].tolist()
    parts = [
        (
            numpy.empty((len(places), count), places.dtype),
            numpy.empty((count, *values.shape[1:]), values.dtype),
        )
        for count in counts
    ]
    parts[channel.rank] = places, values
    # From here on by messages: other operations may have started on some ranks and not on others.
    others = [rank for rank in range(channel.size) if rank != channel.rank]
    flat = lambda pair: [channel.data(each.reshape(-1)) for each in pair if each.size]
    requests = [inner.Irecv(each, rank, number) for rank in others for each in flat(parts[rank])]
    sent = flat((places, values))
    yield from requests + [inner.Isend(each, rank, number) for rank in others for each in sent]
    return heads, parts


def _tensor(array: Any) -> Tensor:
    if not array.size:  # whatever its strides are
        array = numpy.empty(array.shape, array.dtype)
    if array.dtype.name == "bfloat16":
        return minitorch.from_numpy(array.view(numpy.int16)).view(minitorch.bfloat16)
    return minitorch.from_numpy(array)
