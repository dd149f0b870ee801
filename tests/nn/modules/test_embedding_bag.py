"""EmbeddingBag: sums, means and maxima of rows."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn import functional as F

ROWS = torch.arange(12.0).view(4, 3)
INDICES, OFFSETS = torch.tensor([0, 2, 2, 3]), torch.tensor([0, 1, 1])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("sum", [21, 24, 27]), ("mean", [7, 8, 9]), ("max", [9, 10, 11])],
)
def test_bags_are_the_rows_between_offsets(mode, expected):
    out = F.embedding_bag(INDICES, ROWS, OFFSETS, mode=mode)
    assert out.tolist() == [[0, 1, 2], [0, 0, 0], expected]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding_idx", [None, 2])
def test_gradients_are_those_of_the_rows_one_by_one(mode, padding_idx):
    weight = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    bags = [torch.tensor(bag) for bag in ([0], [1, 2, 1, 3], [2, 0])]
    offsets = torch.tensor([0, 1, 5])
    out = F.embedding_bag(torch.cat(bags), weight, offsets, mode=mode, padding_idx=padding_idx)
    rows = [weight[bag[bag != padding_idx] if padding_idx else bag] for bag in bags]
    reduce = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax}[mode]
    expected = torch.stack([reduce(each, 0) for each in rows])
    assert torch.allclose(out, expected)
    factor = torch.randn(3, 3, dtype=torch.float64)
    (g,) = torch.autograd.grad((out * factor).sum(), weight)
    (h,) = torch.autograd.grad((expected * factor).sum(), weight)
    assert torch.allclose(g, h)


def test_samples_have_weights_of_their_own():
    weight, factors = ROWS.clone().requires_grad_(), torch.tensor([2.0, 0.5, 1, 0])
    factors.requires_grad_()
    out = F.embedding_bag(INDICES, weight, OFFSETS, mode="sum", per_sample_weights=factors)
    assert out[2].tolist() == [9, 10.5, 12]
    out.sum().backward()
    assert factors.grad.tolist() == [3, 21, 21, 30]
    assert weight.grad[:, 0].tolist() == [2, 0, 1.5, 0]


def test_the_last_offset_may_say_where_the_last_bag_ends():
    layer = nn.EmbeddingBag.from_pretrained(ROWS, mode="sum", include_last_offset=True)
    out = layer(INDICES, torch.tensor([0, 3, 4]))
    assert out[:, 0].tolist() == [12, 9]
    assert not layer.weight.requires_grad


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="offsets has to be a 1D Tensor but got None"):
        F.embedding_bag(INDICES, ROWS)
    with pytest.raises(RuntimeError, match=r"value 9 which is not in the valid range \[0, 4\)"):
        F.embedding_bag(torch.tensor([9]), ROWS, torch.tensor([0]))
