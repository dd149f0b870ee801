"""Ranks tell one another which operation they run, so that none of them gets wrong numbers.

Each collective sends 16 bytes to all ranks beside its data: a digest of what it is, and its number.
MPI pairs the exchanges of a group in the order in which a rank starts them, whatever they are, so
that two ranks that run different operations always notice, and both of them.
"""

from __future__ import annotations

import hashlib
import pickle
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy

_TEXT = 4096  # bytes of a call that is described to the other ranks
_OPTIONS = (
    "TensorOptions(dtype=float (default), device=cpu, layout=Strided (default), "
    "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
)
_DTYPES = {
    "float32": "Float",
    "float64": "Double",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "int8": "Char",
    "uint8": "Byte",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "bool": "Bool",
}


class Call(NamedTuple):
    """An operation as a rank runs it.

    kind: torch's name of it, such as ALLREDUCE.
    dtype, count: of the elements that all ranks must have alike.
    more: what else they must: the reduction, or the root.
    shapes: of the tensors.
    """

    kind: str
    dtype: str = ""
    count: int = 0
    more: str = ""
    shapes: tuple[tuple[int, ...], ...] = ()


@lru_cache(1024)
def _digest(kind: str, dtype: str, count: Any, more: str) -> bytes:
    words = f"{kind} {dtype} {count} {more}"
    return hashlib.blake2b(words.encode(), digest_size=8).digest()


class Check:
    """The exchange of one collective, which is on its way when this is made.

    Args:
        channel: steps.Channel.
        number: of the operation.
        strict: whether shapes must be alike, too, as with TORCH_DISTRIBUTED_DEBUG=DETAIL.
    """

    def __init__(self, channel: Any, call: Call, number: int, strict: bool = False) -> None:
        self.channel, self.call, self.number, self.strict = channel, call, number, strict
        size = call.shapes if strict else call.count
        digest = _digest(call.kind, call.dtype, size, call.more)
        self.own = digest + number.to_bytes(8, "little")
        self.came = bytearray(16 * channel.size)
        comm, byte = channel.communicator.comm, channel.communicator.byte
        self.request = comm.Iallgather([self.own, byte], [self.came, byte])

    def steps(self) -> Iterator[Any]:
        """Waits for the exchange. RuntimeError on all ranks if two of them differ."""
        yield self.request
        if self.came != self.own * self.channel.size:
            yield from self._tell()

    def _tell(self) -> Iterator[Any]:
        """Sends the whole call to all ranks, receives theirs, and raises."""
        channel = self.channel
        inner, byte = channel.communicator.inner, channel.communicator.byte
        tag = channel.tag_of_texts + self.number % channel.tag_of_texts
        own = pickle.dumps((tuple(self.call), self.number)).ljust(_TEXT, b"\0")
        others = [rank for rank in range(channel.size) if rank != channel.rank]
        texts = {rank: bytearray(_TEXT) for rank in others}
        # Differing numbers: this rank's own says which message is for it.
        tags = {
            rank: channel.tag_of_texts + self._number_of(rank) % channel.tag_of_texts
            for rank in others
        }
        coming = [inner.Irecv([texts[rank], byte], rank, tags[rank]) for rank in others]
        yield from coming + [inner.Isend([own, byte], rank, tag) for rank in others]
        for rank in others:
            call, number = pickle.loads(texts[rank])
            text = difference(
                channel.rank, self.call, self.number, rank, Call(*call), number, self.strict
            )
            if text:
                if not self.strict:  # data of the two operations is on its way, and lost
                    channel.failure = text
                raise RuntimeError(text)

    def _number_of(self, rank: int) -> int:
        return int.from_bytes(self.came[16 * rank + 8 : 16 * rank + 16], "little")


def _print(call: Call, number: int, more: bool) -> str:
    """A call in the words of torch's CollectiveFingerPrint.

    Args:
        more: whether to add the reduction or root, which torch does not compare.
    """
    end = f", {call.more})" if more and call.more else ")"
    if not call.shapes:
        return f"CollectiveFingerPrint(SequenceNumber={number}OpType={call.kind}{end}"
    shapes = ", ".join(str(n) for shape in call.shapes for n in shape)
    return (
        f"CollectiveFingerPrint(SequenceNumber={number}, OpType={call.kind}, "
        f"TensorShape=[{shapes}], TensorDtypes={', '.join(_dtypes(call))}, "
        f"TensorDeviceTypes={', '.join(_devices(call))}{end}"
    )


def _dtypes(call: Call) -> list[str]:
    return [_DTYPES.get(call.dtype, call.dtype)] * len(call.shapes)


def _devices(call: Call) -> list[str]:
    return [_OPTIONS] * len(call.shapes)


def _sizes(call: Call) -> list[str]:
    return [str(n) for shape in call.shapes for n in shape]


def difference(
    rank: int, own: Call, number: int, other_rank: int, other: Call, other_number: int, strict: bool
) -> str:
    """The difference between the calls of two ranks, in torch's words; empty if there is none."""
    found = []
    if number != other_number:
        found.append(f"\t Sequence number: {number}vs {other_number}")
    if own.kind != other.kind:
        found.append(f"  Op type: {own.kind}vs {other.kind}")
    looks = {"shapes": _sizes, "dtypes": _dtypes, "devices": _devices}
    if not strict and own.count == other.count:  # any shape will do
        del looks["shapes"]
    for what, of in looks.items():
        if of(own) != of(other):
            found.append(f"  Tensor Tensor {what}: {' '.join(of(own))}vs {' '.join(of(other))}")
    more = not found and own.more != other.more
    if more:
        found.append(f"  {own.more}vs {other.more}")
    if not found:
        return ""
    return (
        f"Detected mismatch between collectives on ranks. Rank {rank} is running collective: "
        f"{_print(own, number, more)}, but Rank {other_rank} is running collective: "
        f"{_print(other, other_number, more)}.Collectives differ in the following aspects: "
        + "".join(found)
    )


def split_error(channel: Any, sizes: Any) -> str:
    """The two ranks of an all_to_all that expect different sizes, as text; empty if none do.

    Args:
        sizes: for each rank, the elements that it sends to each, then those it expects from each.
    """
    sent, expected = sizes[:, : channel.size], sizes[:, channel.size :]
    wrong = numpy.argwhere(sent != expected.T)
    if not len(wrong):
        return ""
    source, target = map(int, wrong[0])
    return (
        f"Detected mismatch between collectives on ranks. Rank {source} sends "
        f"{sent[source, target]} elements to Rank {target} in all_to_all, but Rank {target} "
        f"expects {expected[target, source]}"
    )


# ---- messages from one rank to another: a header, and behind it the data if they are few

_HEAD = struct.Struct("<qq8s")  # elements, number of the message, dtype
HEAD = _HEAD.size


def head_of(array: Any, number: int) -> bytes:
    """The head of a message: its number of elements, the number of the operation, and its dtype."""
    return _HEAD.pack(array.size, number, array.dtype.name.encode())


def read_head(data: Any) -> tuple[int, int, str]:
    """The number of elements of a message, the number of its operation, and the dtype."""
    count, number, dtype = _HEAD.unpack(bytes(data[:HEAD]))
    return count, number, dtype.rstrip(b"\0").decode()


def message_error(source: int, count: int, dtype: str, rank: int, array: Any) -> str:
    """Two ranks that differ in what one sends to the other."""
    return (
        f"Detected mismatch between send and recv. Rank {source} is running send of {count} "
        f"elements of {dtype}, but Rank {rank} is running recv of {array.size} elements of "
        f"{array.dtype.name}"
    )
