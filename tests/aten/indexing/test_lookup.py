"""Embeddings whose rows are scaled down as they are looked up."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_rows_beyond_the_largest_norm_are_scaled_down_in_place():
    weight = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    F.embedding(torch.tensor([0, 1]), weight, max_norm=1.0)
    assert weight[0].tolist() == pytest.approx([0.6, 0.8])
    assert weight[1:].tolist() == torch.tensor([[0.3, 0.4], [6.0, 8.0]]).tolist()


@pytest.mark.parametrize("kind", [torch.nn.Embedding, torch.nn.EmbeddingBag])
def test_rows_of_parameters_are_scaled_down_without_a_history(kind):
    layer = kind(2, 2, max_norm=1.0)
    layer.weight.data.fill_(3.0)
    before = layer.weight._version
    layer(torch.tensor([[0]])).sum().backward()
    assert layer.weight.norm(dim=1).tolist() == pytest.approx([1.0, 18**0.5])
    assert layer.weight._version == before + 1
    assert layer.weight.grad.tolist() == [[1.0, 1.0], [0.0, 0.0]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_embedding_bag_of_half_types_rounds_a_weighted_sum_once(dtype):
    weight = torch.tensor([[1 + 2.0**-7], [1 + 2.0**-6]], dtype=dtype)
    share = torch.tensor([1 + 2.0**-7, -1.0], dtype=dtype)  # the first product needs 15 bits
    bag = torch.tensor([[0, 1]])
    out = F.embedding_bag(bag, weight, mode="sum", per_sample_weights=share[None])
    assert out.dtype == dtype
    assert out.item() == 2.0**-14
