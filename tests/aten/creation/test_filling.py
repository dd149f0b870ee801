"""fill, zero_, masked_fill and index_fill."""

from typing import Any

import pytest

import minitorch as torch


def test_filling_by_a_tensor_gives_it_the_whole_gradient() -> None:
    value = torch.tensor(2.0, requires_grad=True)
    x = torch.ones(3, requires_grad=True)
    y = (x * 1).fill_(value)
    assert type(y.grad_fn).__name__ == "FillBackward3"
    y.sum().backward()
    assert value.grad == 3
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_masked_fill_broadcasts_the_mask_and_the_input() -> None:
    mask = torch.tensor([True, False])
    assert torch.ones(2, 1).masked_fill(mask, 5).tolist() == [[5.0, 1.0], [5.0, 1.0]]
    assert torch.ones(2, dtype=torch.int64).masked_fill(mask, 2.9).tolist() == [2, 1]


def test_the_two_overloads_of_masked_fill_have_nodes_of_their_own() -> None:
    x, mask = torch.ones(2, requires_grad=True), torch.tensor([True, False])
    value = torch.tensor(5.0, requires_grad=True)
    assert type(x.masked_fill(mask, 5).grad_fn).__name__ == "MaskedFillBackward0"
    y = x.masked_fill(mask, value)
    assert type(y.grad_fn).__name__ == "MaskedFillBackward1"
    y.sum().backward()
    assert (x.grad.tolist(), value.grad.item()) == ([0.0, 1.0], 1.0)


def test_index_fill_counts_a_repeated_slice_once() -> None:
    value = torch.tensor(5.0, requires_grad=True)
    y = torch.zeros(3, 2).index_fill(0, torch.tensor([0, 0, -1]), value)
    assert y.tolist() == [[5.0, 5.0], [0.0, 0.0], [5.0, 5.0]]


ERRORS = [
    (lambda x: x.masked_fill_(torch.tensor([1, 0, 1]), 0), RuntimeError, "mask with dtype long"),
    (lambda x: x.masked_fill_(x > 0, torch.ones(2)), RuntimeError, "0-dimensional value tensor"),
    (lambda x: x.masked_fill_(x > 0, 2j), RuntimeError, "value cannot be converted to type float"),
    (lambda x: x.masked_fill_(torch.ones(2, 3) > 0, 0), RuntimeError, "output with shape [3]"),
    (lambda x: x.fill_(torch.ones(2)), RuntimeError, "fill_ only supports 0-dimension value tens"),
    (lambda x: x.index_fill_(0, torch.tensor([5]), 1), IndexError, "index 5 is out of bounds"),
]


@pytest.mark.parametrize(("write", "error", "text"), ERRORS)
def test_a_refused_fill_leaves_the_tensor_as_it_was(
    write: Any, error: type[Exception], text: str
) -> None:
    x = torch.ones(3)
    with pytest.raises(error) as caught:
        write(x)
    assert text in str(caught.value)
    assert x.tolist() == [1.0, 1.0, 1.0]
    assert x._version == 0


def test_the_gradient_of_a_filling_value_is_that_of_the_elements_under_the_mask() -> None:
    x = torch.zeros(2, 2, requires_grad=True)
    value = torch.tensor(1.0, requires_grad=True)
    out = x.masked_fill(torch.tensor([[True, False], [False, True]]), value)
    given = torch.ones(2, 2, requires_grad=True)
    (grad,) = torch.autograd.grad(out, value, given, create_graph=True)
    assert grad.item() == 2.0
    assert grad.grad_fn.next_functions[0][0].name() == "MaskedSelectBackward0"


def test_masks_and_indices_have_no_gradient():
    mask = torch.ones(2, requires_grad=True) * 1
    with torch.no_grad():
        x = torch.ones(2).view(2)
    with pytest.raises(RuntimeError, match="only supports boolean masks"):
        x.masked_fill_(mask, 0.5)
    with pytest.raises(RuntimeError, match="index_add_"):
        x.index_add_(0, mask, torch.ones(2))
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        x.masked_fill_(mask > 0, torch.tensor(1.0, requires_grad=True))


def test_fill_casts_a_tensor_as_a_copy_does():
    x = torch.zeros(2, dtype=torch.int64)
    assert torch.fill(x, torch.tensor(float("inf"))).tolist() == [-(2**63)] * 2
    with pytest.warns(UserWarning, match="Casting complex values to real"):
        assert torch.fill(torch.zeros(2), torch.tensor(2 + 1j)).tolist() == [2.0, 2.0]
