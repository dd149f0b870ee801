"""Packing and padding: what the operators themselves refuse and pass on."""

import pytest

import minitorch as torch


def test_packing_takes_the_steps_of_all_sequences_in_turn():
    x = torch.arange(6.0).reshape(3, 2)
    data, sizes = torch._pack_padded_sequence(x, torch.tensor([3, 1]), False)
    assert data.tolist() == [0, 1, 2, 4]
    assert sizes.tolist() == [2, 1, 1]
    data, _ = torch._pack_padded_sequence(x.t(), torch.tensor([3, 1]), True)
    assert data.tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize("create_graph", [False, True])
def test_what_is_not_packed_gets_zero(create_graph):
    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    data, _ = torch._pack_padded_sequence(x, torch.tensor([3, 1]), False)
    (grad,) = torch.autograd.grad(data.square().sum(), x, create_graph=create_graph)
    assert grad.tolist() == [[0, 2], [4, 0], [8, 0]]
    assert data.grad_fn.name() == "PackPaddedSequenceBackward0"


def test_padding_fills_up_to_the_length_asked_for():
    padded, lengths = torch._pad_packed_sequence(
        torch.arange(4.0), torch.tensor([2, 1, 1]), True, -1, 4
    )
    assert padded.tolist() == [[0, 2, 3, -1], [1, -1, -1, -1]]
    assert lengths.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("torch._pack_padded_sequence(x[:0], n, False)", "Cannot pack empty tensors."),
        ("torch._pack_padded_sequence(x, n[:1], False)", "Expected `len(lengths)` to be equal to"),
        ("torch._pack_padded_sequence(x, n.flip(0), False)", "`lengths` array must be sorted in"),
        ("torch._pack_padded_sequence(x, n * 0, False)", "Length of all samples has to be greater"),
        (
            "torch._pack_padded_sequence(x, n.float(), False)",
            "1D CPU int64 tensor, but got 1D cpu Flo",
        ),
        ("torch._pad_packed_sequence(x, n, False, 0, 1)", "Expected total_length to be at least"),
    ],
)
def test_what_is_refused(source, text):
    with pytest.raises(RuntimeError) as caught:
        eval(source, {"torch": torch, "x": torch.ones(3, 2), "n": torch.tensor([2, 1])})
    assert text in str(caught.value)
