"""Lazy modules and the uninitialised parameters in them."""

import copy
import pickle

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.core.base.modes import ASSEMBLED_GLOBALS

LAYERS = [
    (lambda: nn.LazyLinear(3), nn.Linear, (2, 4), (3, 4)),
    (lambda: nn.LazyConv2d(6, 3, groups=2), nn.Conv2d, (1, 4, 5, 5), (6, 2, 3, 3)),
    (lambda: nn.LazyConv1d(6, 3), nn.Conv1d, (4, 5), (6, 4, 3)),
    (lambda: nn.LazyConvTranspose3d(6, 2), nn.ConvTranspose3d, (1, 4, 2, 2, 2), (4, 6, 2, 2, 2)),
    (lambda: nn.LazyBatchNorm1d(), nn.BatchNorm1d, (3, 4), (4,)),
    (lambda: nn.LazyInstanceNorm2d(affine=True), nn.InstanceNorm2d, (1, 4, 3, 3), (4,)),
]


@pytest.mark.parametrize(("make", "becomes", "size", "weight"), LAYERS)
def test_a_lazy_module_becomes_an_ordinary_one(make, becomes, size, weight):
    layer = make()
    assert layer.has_uninitialized_params()
    layer(torch.randn(size))
    assert type(layer) is becomes
    assert type(layer.weight) is nn.Parameter
    assert layer.weight.shape == weight
    assert not layer._forward_pre_hooks
    assert not layer._load_state_dict_pre_hooks


def test_it_draws_what_the_ordinary_one_draws():
    torch.manual_seed(3)
    expected = nn.Linear(4, 3)
    torch.manual_seed(3)
    layer = nn.LazyLinear(3)
    layer(torch.zeros(1, 4))
    assert torch.equal(layer.weight, expected.weight)
    assert torch.equal(layer.bias, expected.bias)


def test_it_takes_the_shapes_of_what_it_loads():
    given = nn.BatchNorm2d(3)
    layer = nn.LazyBatchNorm2d()
    layer.load_state_dict(given.state_dict())
    assert layer.running_var.tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        given.load_state_dict(nn.LazyBatchNorm2d().state_dict())


@pytest.mark.usefixtures("no_garbage")
def test_operators_refuse_it_only_while_one_exists():
    before = ASSEMBLED_GLOBALS["WATCHED"]
    weight = nn.UninitializedParameter(dtype=torch.float64)
    uses = {
        lambda: weight + 1: "<me",
        weight.numel: "<me",
        lambda: torch.conv1d(weight, weight): "<b",
    }
    for use, named in uses.items():
        text = f"Attempted to use an uninitialized parameter in {named}"
        with pytest.raises(ValueError, match=text):
            use()
    weight.materialize((2, 3))
    assert (weight + 1).dtype is torch.float64
    other = nn.UninitializedBuffer()
    assert ASSEMBLED_GLOBALS["WATCHED"] == before + 1
    del other
    assert ASSEMBLED_GLOBALS["WATCHED"] == before


def test_it_is_copied_and_pickled_as_it_is():
    layer = nn.LazyLinear(3, bias=False).half()
    for each in (copy.deepcopy(layer), pickle.loads(pickle.dumps(nn.LazyLinear(3)))):
        assert repr(each.weight) == "<UninitializedParameter>"
    assert copy.deepcopy(layer)(torch.ones(1, 2).half()).shape == (1, 3)


class Forgetful(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.UninitializedParameter()

    def initialize_parameters(self, x):
        pass


def test_it_must_be_initialised_by_its_first_input():
    with pytest.raises(RuntimeError, match="module Forgetful has not been fully initialized"):
        Forgetful()(1)
    with pytest.raises(ValueError, match="in_channels must be divisible by groups"):
        nn.LazyConv2d(4, 3, groups=2)(torch.zeros(1, 3, 5, 5))
