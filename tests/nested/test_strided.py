"""Strided nested tensors: their parts, operators, gradients and errors."""

from typing import Any

import pytest

import minitorch as torch

pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")


@pytest.fixture
def rows() -> Any:
    return torch.nested.nested_tensor([torch.arange(4.0).view(2, 2), torch.ones(1, 2)])


def test_a_strided_nested_tensor_prints_its_parts(rows: Any) -> None:
    lines = ["nested_tensor([", "  tensor([[0., 1.],", "          [2., 3.]]),"]
    assert repr(rows).split("\n") == [*lines, "  tensor([[1., 1.]])", "])"]


def test_sizes_are_told_where_all_agree(rows: Any) -> None:
    assert (rows.size(0), rows.size(2), rows.dim(), rows.numel()) == (2, 2, 3, 6)
    with pytest.raises(RuntimeError, match="Given dimension 1 is irregular"):
        rows.size(1)
    with pytest.raises(RuntimeError, match="NestedTensorImpl doesn't support sizes"):
        rows.shape  # noqa: B018


def test_gradients_of_a_strided_chain_reach_its_leaf(rows: Any) -> None:
    rows.requires_grad_()
    result = (rows * 3).sin()
    assert result.grad_fn.name() == "SinBackward0"
    sum(part.sum() for part in result.unbind()).backward()
    expected = 3 * torch.cos(3 * rows.detach().values())
    assert torch.equal(rows.grad.values(), expected)


def test_lists_of_tensors_keep_their_histories() -> None:
    first, second = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    joined = torch.nested.as_nested_tensor([first, second])
    assert joined.grad_fn.name() == "NestedTensorFromTensorListBackward0"
    joined.to_padded_tensor(0.0).sum().backward()
    assert first.grad.tolist() == [1.0, 1.0]
    assert second.grad.tolist() == [1.0, 1.0, 1.0]


def test_matmul_multiplies_the_parts(rows: Any) -> None:
    product = rows @ rows.transpose(1, 2)
    assert [part.tolist() for part in product.unbind()] == [[[1.0, 3.0], [3.0, 13.0]], [[2.0]]]


def test_masks_and_padding_give_the_parts_back(rows: Any) -> None:
    padded = rows.to_padded_tensor(0.0)
    mask = torch.tensor([[True, True], [True, False]])
    again = torch._nested_tensor_from_mask(padded, mask)
    assert torch.equal(again.values(), rows.values())
    with pytest.raises(RuntimeError, match="Mask must be left-aligned without gaps"):
        torch._nested_tensor_from_mask(padded, ~mask)


def test_operators_without_a_kernel_name_their_backend(rows: Any) -> None:
    with pytest.raises(NotImplementedError, match="'aten::exp' with arguments from the 'Nested"):
        rows.exp()
    with pytest.raises(RuntimeError, match="add does not support broadcasting"):
        rows + torch.nested.nested_tensor([torch.ones(1, 2), torch.ones(1, 2)])


def test_attention_of_nested_tensors_is_that_of_their_parts() -> None:
    parts = [torch.arange(12.0).view(2, 2, 3).sin(), torch.arange(18.0).view(3, 2, 3).cos()]
    heads = torch.nested.nested_tensor(parts, layout=torch.jagged).transpose(1, 2)
    found = torch.nn.functional.scaled_dot_product_attention(heads, heads, heads)
    for part, each in zip(parts, found.transpose(1, 2).unbind(), strict=True):
        dense = part.transpose(0, 1)
        expected = torch.nn.functional.scaled_dot_product_attention(dense, dense, dense)
        assert torch.allclose(each, expected.transpose(0, 1), atol=1e-6)


def test_multihead_attention_of_nested_tensors_refuses_training(rows: Any) -> None:
    layer = torch.nn.MultiheadAttention(2, 2, batch_first=True)
    with pytest.raises(AssertionError, match="because training is enabled"):
        layer(rows, rows, rows)


def test_storage_of_a_strided_nested_tensor_is_that_of_its_buffer():
    x = torch.nested.nested_tensor([torch.ones(2), torch.zeros(1)])
    torch.storage._reset_warn_typed_storage_removal()
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        assert x.storage().tolist() == [1.0, 1.0, 0.0]
