"""nn.utils.rnn: sequences packed, padded and taken apart."""

import pytest

import minitorch as torch
from minitorch.nn.utils import rnn


@pytest.fixture
def sequences():
    return [torch.arange(float(n)) + 10 * n for n in (2, 3, 1)]


def test_what_is_packed_is_unpacked(sequences):
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    assert packed.data.tolist() == [30, 20, 10, 31, 21, 32]
    assert packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.sorted_indices.tolist() == [1, 0, 2]
    assert packed.unsorted_indices.tolist() == [1, 0, 2]
    for a, b in zip(rnn.unpack_sequence(packed), sequences, strict=True):
        assert torch.equal(a, b)


def test_padding(sequences):
    assert rnn.pad_sequence(sequences, padding_value=-1).tolist() == [
        [20, 30, 10],
        [21, 31, -1],
        [-1, 32, -1],
    ]
    left = rnn.pad_sequence(sequences, batch_first=True, padding_side="left")
    assert left.tolist() == [[0, 20, 21], [30, 31, 32], [0, 0, 10]]
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True, total_length=4)
    assert padded.shape == (3, 4)
    assert lengths.tolist() == [2, 3, 1]
    for a, b in zip(rnn.unpad_sequence(padded, lengths, batch_first=True), sequences, strict=True):
        assert torch.equal(a, b)


def test_a_packed_sequence_is_a_tuple_that_can_be_cast(sequences):
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    assert isinstance(packed, tuple)
    assert packed.cpu() is packed.float() is packed
    assert packed.double().data.dtype is torch.float64
    assert packed.long().sorted_indices.tolist() == [1, 0, 2]
    assert not packed.is_cuda
    assert not packed.is_pinned()
    assert repr(rnn.PackedSequence((torch.ones(1), torch.tensor([1])))) == (
        "PackedSequence(data=tensor([1.]), batch_sizes=tensor([1]), sorted_indices=None, "
        "unsorted_indices=None)"
    )


REFUSED = {
    "PackedSequence(x)": "Expected data to be a list or tuple of length 2",
    "pad_sequence([])": "received an empty list of sequences",
    "pad_sequence([1])": "expected Tensor as element 0 in argument 0, but got int",
    "pad_sequence([x], padding_side='up')": (
        "Expected padding_side to be one of left or right, but got up."
    ),
    "pad_packed_sequence(pack_sequence([x]), total_length=1)": (
        "Expected total_length to be at least the length of the longest sequence in input, but got "
        "total_length=1 and max sequence length being 2"
    ),
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_refused(source):
    with pytest.raises((AssertionError, RuntimeError, TypeError, ValueError)) as caught:
        eval(source, dict(vars(rnn), x=torch.ones(2)))
    assert str(caught.value) == REFUSED[source]


def test_the_module_is_found_by_name():
    assert torch.nn.utils.rnn is rnn
