"""Cross-layer equalization: the function of the model stays, the ranges of weights meet."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.ao.quantization import _equalize


def test_equalize_keeps_what_linear_layers_compute():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    x = torch.randn(5, 3)
    found = _equalize.equalize(model, [["0", "1"]], inplace=False)
    assert torch.allclose(found(x), model(x), atol=1e-5)
    first = _equalize.channel_range(found[0].weight, 0)
    assert torch.allclose(first, _equalize.channel_range(found[1].weight, 1), atol=1e-4)


def test_equalize_refuses_other_layers_and_groups_of_one():
    with pytest.raises(ValueError, match="module type not supported"):
        _equalize.cross_layer_equalization(nn.ReLU(), nn.Linear(1, 1))
    with pytest.raises(ValueError, match="at least two modules"):
        _equalize.expand_groups_in_paired_modules_list([["a"]])
