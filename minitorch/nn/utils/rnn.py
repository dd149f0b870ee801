"""Sequences of several lengths, padded or packed. As torch/nn/utils/rnn.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from minitorch.aten.layers.sequence_packing import pad_sequence as _padded
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

_asked_for("torch.nn", {"pad_sequence": _padded})


class PackedSequence_(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(PackedSequence_):
    """Sequences of several lengths, step by step; made by pack_sequence and pack_padded_sequence.

    Args:
        data: (sum of lengths, *): the first elements of all sequences, the longest first, then the
            second elements of those that have one, ...
        batch_sizes: how many sequences have a first element, a second, ...; on the CPU.
        sorted_indices, unsorted_indices: the order of the sequences, and back; None as they came.

    Raises:
        ValueError: if `batch_sizes` is not on the CPU.

    As torch.nn.utils.rnn.PackedSequence.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Any = None,
        sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> Any:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
                "created manually. They should be instantiated by functions like pack_sequence and "
                "pack_padded_sequences in nn.utils.rnn. "
                "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with(self, data: Any, convert: Any) -> Any:
        """Other data, the indices converted."""
        indices = [None if i is None else convert(i) for i in self[2:]]
        return type(self)(data, self.batch_sizes, *indices)

    def pin_memory(self) -> Any:
        """A copy in page-locked memory."""
        return self._with(self.data.pin_memory(), lambda t: t.pin_memory())

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Itself with `data` cast or moved, as Tensor.to."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data, lambda t: t.to(data.device))

    def _on(self, device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        probe = OPS.tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        if probe.device.type != device:
            kwargs["device"] = device
        return self.to(*args, **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> Any:
        """Itself with `data` on a GPU."""
        return self._on("cuda", args, kwargs)

    def cpu(self, *args: Any, **kwargs: Any) -> Any:
        """Itself with `data` on the CPU."""
        return self._on("cpu", args, kwargs)

    def double(self) -> Any:
        return self.to(dtype=dtypes.float64)

    def float(self) -> Any:
        return self.to(dtype=dtypes.float32)

    def half(self) -> Any:
        return self.to(dtype=dtypes.float16)

    def long(self) -> Any:
        return self.to(dtype=dtypes.int64)

    def int(self) -> Any:
        return self.to(dtype=dtypes.int32)

    def short(self) -> Any:
        return self.to(dtype=dtypes.int16)

    def char(self) -> Any:
        return self.to(dtype=dtypes.int8)

    def byte(self) -> Any:
        return self.to(dtype=dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether `data` is on a GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether `data` is in page-locked memory."""
        return self.data.is_pinned()


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes one; None for None.

    Args:
        permutation: a vector of the numbers from 0 on, int64.

    As torch.nn.utils.rnn.invert_permutation.
    """
    if permutation is None:
        return None
    output = OPS.empty_like(permutation)
    numbers = OPS.arange(0, permutation.numel(), device=permutation.device)
    return output.scatter_(0, permutation, numbers)


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The first elements of padded sequences, packed.

    Args:
        input: (T, N, *); (N, T, *) if `batch_first`.
        lengths: how many elements of each count, a list or Tensor on the CPU; positive, and falling
            unless `enforce_sorted` is False.
        batch_first: whether the batch is dimension 0 of `input`.
        enforce_sorted: whether `lengths` must fall; else the sequences are sorted.

    Raises:
        RuntimeError: for lengths that do not fall, are not positive, or are not N. A length above T
            is not noticed: `data` is too short then.

    As torch.nn.utils.rnn.pack_padded_sequence.
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=dtypes.int64)
    else:
        lengths = OPS.as_tensor(lengths, dtype=dtypes.int64, device="cpu")
    indices = None
    if not enforce_sorted:
        lengths, indices = OPS.sort(lengths, descending=True)
        indices = indices.to(input.device)
        input = input.index_select(0 if batch_first else 1, indices)
    data, batch_sizes = OPS._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, indices, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, Any]:
    """Packed sequences as one tensor (T, N, *), padded to total_length or the longest of them, and
    their lengths.

    Args:
        sequence: a PackedSequence.
        batch_first: whether the result is (N, T, *) instead.
        padding_value: what fills the ends.
        total_length: T; None for the longest sequence.

    Returns:
        The tensor, and the lengths (N) on the CPU, in the order before packing.

    Raises:
        ValueError: if `total_length` is less than that.

    As torch.nn.utils.rnn.pad_packed_sequence.
    """
    length = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < length:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, "
                f"but got total_length={total_length} and max sequence length being {length}"
            )
        length = total_length
    padded, lengths = OPS._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, length
    )
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(
    sequences: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Any:
    """Sequences (L, *) of several lengths as one tensor (T, N, *), or (N, T, *).

    Args:
        sequences: an iterable of Tensors, alike but for the first size.
        batch_first: whether the result is (N, T, *).
        padding_value: what fills the rest.
        padding_side: 'right' or 'left', where it stands.

    Raises:
        RuntimeError: if `sequences` is not iterable, or for another `padding_side`.

    As torch.nn.utils.rnn.pad_sequence.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    return _padded(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The first elements of padded sequences, one tensor for each.

    As in torch, padded_sequences (T, N, *) becomes (N, T, *) itself.

    Args:
        padded_sequences: (T, N, *); (N, T, *) if `batch_first`.
        lengths: (N), how many elements of each.
        batch_first: whether the batch is dimension 0.

    As torch.nn.utils.rnn.unpad_sequence.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    positions = OPS.arange(padded_sequences.shape[1], device=lengths.device)
    return [
        sequence[positions < length]
        for sequence, length in zip(padded_sequences, lengths, strict=True)
    ]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (L, *) of several lengths, packed; the longest first, unless enforce_sorted is
    False.

    Args:
        sequences: an iterable of Tensors, alike but for the first size.
        enforce_sorted: whether the lengths must fall; else the sequences are sorted.

    Raises:
        RuntimeError: for lengths that must fall and do not.

    As torch.nn.utils.rnn.pack_sequence.
    """
    lengths = OPS.as_tensor([each.size(0) for each in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """Packed sequences, one tensor for each.

    Args:
        packed_sequences: a PackedSequence.

    As torch.nn.utils.rnn.unpack_sequence.
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
