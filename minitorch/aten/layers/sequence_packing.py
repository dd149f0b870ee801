"""Sequences of several lengths: padded to one length, or packed step by step.

As ATen/native/PackedSequence.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy

from minitorch.core.arrays import namespace
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.runtime import arrays_of
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes


def _longs(x: Any) -> list[int]:
    """The lengths or sizes in an array. RuntimeError for one of another kind."""
    if x.ndim != 1 or x.dtype != dtypes.int64.numpy or namespace(x).device_type != "cpu":
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {x.ndim}D "
            f"{namespace(x).device_type} {dtypes.of(x).scalar_name} tensor"
        )
    counts: list[int] = x.tolist()
    return counts


def _steps(batch_sizes: Sequence[int]) -> list[tuple[int, int, int]]:
    """(first step, step after the last, batch size) of all runs of one batch size."""
    runs, start = [], 0
    for size, run in groupby(batch_sizes):
        end = start + len([*run])
        runs.append((start, end, size))
        start = end
    return runs


def _pack(xp: Any, input: Any, lengths: Any, batch_first: bool) -> tuple[Any, Any]:
    if not input.size:
        raise RuntimeError("Cannot pack empty tensors.")
    if input.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    x = input.swapaxes(0, 1) if batch_first else input
    counts = _longs(lengths)
    if len(counts) != x.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} "
            f"(batch_size={x.shape[1]})"
        )
    if counts[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if counts != sorted(counts, reverse=True):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    sizes = [sum(count > t for count in counts) for t in range(counts[0])]
    parts = [x[start:end, :size].reshape(-1, *x.shape[2:]) for start, end, size in _steps(sizes)]
    return xp.concatenate(parts), numpy.array(sizes)


def _unpack_array(grad: Any, sizes: Any, batch_sizes: Any, batch_first: bool) -> Any:
    xp = namespace(grad)
    shape = (sizes[1], sizes[0], *sizes[2:]) if batch_first else sizes
    out = xp.zeros(shape, grad.dtype)
    offset = 0
    for start, end, size in _steps(batch_sizes.tolist()):
        rows = grad[offset : offset + (end - start) * size]
        out[start:end, :size] = rows.reshape(-1, size, *grad.shape[1:])
        offset += len(rows)
    return out.swapaxes(0, 1) if batch_first else out


@composite("_pack_padded_sequence_backward", on=("F",), raw=_unpack_array)
def _pack_padded_sequence_backward(
    grad: Any, sizes: Any, batch_sizes: Any, batch_first: bool
) -> Any:
    shape = (sizes[1], sizes[0], *sizes[2:]) if batch_first else sizes
    out = OPS.empty(shape, dtype=grad.dtype, device=grad.device).zero_()
    offset = 0
    for t, size in enumerate(batch_sizes.tolist()):
        OPS.narrow(out[t], 0, 0, size).copy_(OPS.narrow(grad, 0, offset, size))
        offset += size
    return out.transpose(0, 1) if batch_first else out


_pack_padded_sequence = operator(
    "_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)",
    node="PackPaddedSequenceBackward0",
    forward=_pack,
    differentiable=(True, False),
    input=lambda F, grad, input_sym_sizes, result1, batch_first: F._pack_padded_sequence_backward(
        grad, input_sym_sizes, result1, batch_first
    ),
    on=("function",),
    real_gradients=True,
)


@composite("_pad_packed_sequence", on=("function",))
@overloads(
    "Tensor data, Tensor batch_sizes, bool batch_first, Number padding_value, int total_length"
)
def _pad_packed_sequence(
    data: Any, batch_sizes: Any, batch_first: bool, padding_value: Any, total_length: int
) -> Any:
    """The sequences padded to one length, (T, N, *), and their lengths."""
    sizes = _longs(batch_sizes._array)
    length = len(sizes)
    if total_length > 0:
        if total_length < length:
            raise RuntimeError(
                "Expected total_length to be at least the length of the longest sequence in input, "
                f"but got total_length={total_length} and max sequence length being {length}"
            )
        length = total_length
    shape = (length, sizes[0], *data.shape[1:])
    output = OPS.empty(shape, dtype=data.dtype, device=data.device).fill_(padding_value)
    offset = 0
    for start, end, size in _steps(sizes):
        count = (end - start) * size
        rows = data[offset : offset + count].view(end - start, size, *data.shape[1:])
        output[start:end, :size].copy_(rows)
        offset += count
    lengths = numpy.array([sum(size > n for size in sizes) for n in range(sizes[0])])
    return (output.transpose(0, 1) if batch_first else output), tensor(lengths)


@composite("pad_sequence", on=("F",))
@overloads(
    "tuple of Tensors sequences, bool batch_first = False, float padding_value = 0.0, "
    "str padding_side = 'right'"
)
def pad_sequence(
    sequences: Sequence[Any], batch_first: bool, padding_value: float, padding_side: str
) -> Any:
    """Sequences (L, *) of several lengths as one (T, N, *), padded on one side."""
    arrays_of(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    first = sequences[0]
    longest = max([each.size(0) for each in sequences])
    count = len(sequences)
    shape = (count, longest) if batch_first else (longest, count)
    options = {"dtype": first.dtype, "device": first.device}
    out = OPS.empty((*shape, *first.shape[1:]), **options).fill_(padding_value)
    for i, each in enumerate(sequences):
        length = each.size(0)
        start = longest - length if padding_side == "left" else 0
        if batch_first:
            place = OPS.narrow(OPS.select(out, 0, i), 0, start, length)
        else:
            place = OPS.select(OPS.narrow(out, 0, start, length), 1, i)
        place.copy_(each)
    return out
