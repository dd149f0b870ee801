"""Pruning: masks, on top of each other and over several parameters."""

import pickle

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn.utils import prune


def linear(*rows):
    layer = nn.Linear(len(rows[0]), len(rows))
    layer.weight.data = torch.tensor(rows)
    return layer


def test_the_smallest_elements_are_pruned_until_it_is_made_permanent():
    layer = prune.l1_unstructured(linear([1.0, -3.0], [0.5, 2.0]), "weight", amount=2)
    assert layer.weight.tolist() == [[0, -3], [0, 2]]
    layer(torch.ones(1, 2)).sum().backward()
    assert layer.weight_orig.grad.tolist() == [[0, 1], [0, 1]]
    assert prune.is_pruned(nn.Sequential(layer))
    restored = pickle.loads(pickle.dumps(next(iter(layer._forward_pre_hooks.values()))))
    assert restored.amount == 2
    prune.remove(layer, "weight")
    assert layer.weight.tolist() == [[0, -3], [0, 2]]
    assert not prune.is_pruned(layer)
    assert type(layer.weight) is nn.Parameter


def test_channels_are_pruned_among_those_that_are_left():
    layer = linear([1.0, 1.0], [5.0, 0.5], [2.0, 2.0])
    prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)
    prune.ln_structured(layer, "weight", amount=1, n=1, dim=0)
    assert layer.weight.tolist() == [[0, 0], [5, 0.5], [0, 0]]
    prune.l1_unstructured(layer, "weight", amount=1)
    assert layer.weight_mask.tolist() == [[0, 0], [1, 0], [0, 0]]
    (container,) = layer._forward_pre_hooks.values()
    assert len(container) == 3


def test_the_smallest_elements_of_all_parameters_together():
    a, b = linear([1.0, 2.0]), linear([3.0, 0.1])
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=0.5)
    assert a.weight.tolist() == [[0, 2]]
    assert b.weight.tolist() == [[3, 0]]


@pytest.mark.parametrize("amount", [3, 0.5])
def test_a_number_or_a_share_is_pruned_at_random(amount):
    layer = prune.random_unstructured(nn.Linear(3, 2), "weight", amount)
    assert layer.weight_mask.sum() == 3
    layer = prune.random_structured(nn.Linear(6, 2), "weight", amount, dim=1)
    assert (layer.weight_mask.sum(0) == 0).sum() == 3


@pytest.mark.parametrize(
    ("amount", "error", "text"),
    [
        (9, ValueError, "should be smaller than the number of parameters to prune=6"),
        (-1, ValueError, "either be a float in the range"),
        (1.5, ValueError, "either be a float in the range"),
        ("x", TypeError, "Invalid type for amount: x"),
    ],
)
def test_amounts_are_checked_and_leave_the_module_as_it_was(amount, error, text):
    layer = nn.Linear(3, 2)
    with pytest.raises(error, match=text):
        prune.l1_unstructured(layer, "weight", amount)
    assert sorted(dict(layer.named_parameters())) == ["bias", "weight"]
