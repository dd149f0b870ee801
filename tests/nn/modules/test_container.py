"""Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict."""

from collections import OrderedDict

import pytest

import minitorch as torch
from minitorch import nn


def names(modules):
    return [type(module).__name__ for module in modules]


def three():
    return nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Tanh())


def test_sequential_calls_its_modules_in_order():
    double, square = nn.Module(), nn.Module()
    double.forward = lambda x: 2 * x
    square.forward = lambda x: x * x
    assert nn.Sequential(double, square)(3) == 36
    assert nn.Sequential()(3) == 3


def test_sequential_takes_names_from_an_ordered_dict():
    model = nn.Sequential(OrderedDict(first=nn.ReLU(), second=nn.Tanh()))
    assert model.second is model[1]
    assert [name for name, _ in model[1:].named_children()] == ["second"]


def test_sequential_is_indexed_and_sliced_like_a_list():
    model = three()
    assert model[-1] is model[2]
    assert names(model[1:]) == ["ReLU", "Tanh"]
    with pytest.raises(IndexError, match="index 3 is out of range"):
        model[3]


def test_deleting_renumbers():
    model = three()
    del model[0]
    assert [name for name, _ in model.named_children()] == ["0", "1"]
    assert names([model.pop(0), *model]) == ["ReLU", "Tanh"]


def test_sequential_grows():
    model = nn.Sequential(nn.ReLU()).append(nn.Tanh()).insert(0, nn.GELU())
    model.extend([nn.SiLU()])
    assert names(model) == ["GELU", "ReLU", "Tanh", "SiLU"]
    assert names(model[:1] + model[1:2]) == ["GELU", "ReLU"]
    assert names(model[:1] * 2) == ["GELU", "GELU"]


def test_only_modules_go_in():
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        nn.Sequential(5)
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        nn.ModuleList([5])


def test_module_list_behaves_like_a_list():
    modules = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    modules.insert(0, nn.GELU())
    modules += [nn.SiLU()]
    modules[1] = nn.Mish()
    del modules[2]
    assert names(modules) == ["GELU", "Mish", "SiLU"]
    assert names(modules[:2]) == ["GELU", "Mish"]
    assert [name for name, _ in modules.named_children()] == ["0", "1", "2"]


def test_module_list_folds_equal_neighbours_in_its_repr():
    modules = nn.ModuleList([nn.Tanh(), nn.ReLU(), nn.ReLU()])
    assert repr(modules) == "ModuleList(\n  (0): Tanh()\n  (1-2): 2 x ReLU()\n)"


def test_module_dict_behaves_like_a_dict():
    modules = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
    assert list(modules) == ["a", "b"]
    assert "a" in modules
    assert isinstance(modules.pop("a"), nn.ReLU)
    modules.update([("c", nn.GELU())])
    assert list(modules.keys()) == ["b", "c"]
    with pytest.raises(KeyError, match="attribute 'keys' already exists"):
        modules["keys"] = nn.ReLU()


def test_parameter_list_makes_parameters_of_tensors():
    values = nn.ParameterList([torch.ones(2), torch.zeros(1)])
    values.append(torch.ones(3))
    assert [name for name, _ in values.named_parameters()] == ["0", "1", "2"]
    assert isinstance(values[-1], nn.Parameter)
    assert len(values[1:]) == 2


def test_parameter_dict_keeps_its_keys_in_order():
    values = nn.ParameterDict([("b", torch.ones(2)), ("a", torch.zeros(1))])
    assert list(values) == ["b", "a"]
    assert values.pop("b").numel() == 2
    assert [name for name, _ in values.named_parameters()] == ["a"]
    assert list(values | nn.ParameterDict({"c": torch.ones(1)})) == ["a", "c"]


def test_parameter_containers_print_shapes():
    assert repr(nn.ParameterList([torch.ones(2, 3)])) == (
        "ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])"
    )
    assert repr(nn.ParameterDict({"a": torch.ones(2)})) == (
        "ParameterDict(  (a): Parameter containing: [torch.FloatTensor of size 2])"
    )


def test_insertion_moves_modules_up_by_their_numbers():
    named = torch.nn.Sequential(OrderedDict(a=torch.nn.ReLU(), b=torch.nn.Tanh()))
    with pytest.raises(KeyError, match="1"):
        named.insert(0, torch.nn.ELU())
    numbered = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()).insert(-1, torch.nn.ELU())
    assert [type(each).__name__ for each in numbered] == ["ReLU", "ELU", "Tanh"]


def test_parameters_are_made_of_tensors():
    with pytest.raises(AttributeError, match="'str' object has no attribute 'detach'"):
        torch.nn.Parameter("a")
