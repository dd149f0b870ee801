"""torch.func.functional_call and its kin: modules as functions of their parameters."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.func import functional_call, grad, stack_module_state, vmap


def test_a_module_computes_with_what_it_is_given_and_keeps_its_own():
    net = nn.Linear(2, 1)
    before = net.weight
    found = functional_call(
        net, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(2)
    )
    assert found.tolist() == [2.0]
    assert net.weight is before


def test_gradients_by_parameters_are_those_of_backward():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.arange(6.0).reshape(2, 3)
    net(x).sum().backward()
    found = grad(lambda p: functional_call(net, p, x).sum())(dict(net.named_parameters()))
    for name, parameter in net.named_parameters():
        assert torch.allclose(found[name], parameter.grad)


def test_several_models_at_once():
    nets = [nn.Linear(3, 2) for _ in range(3)]
    parameters, buffers = stack_module_state(nets)
    x = torch.ones(4, 3)
    found = vmap(lambda p, b: functional_call(nets[0], (p, b), x))(parameters, buffers)
    assert torch.allclose(found, torch.stack([net(x) for net in nets]))


def test_buffers_that_are_written_come_back():
    net = nn.BatchNorm1d(2)
    state = dict(net.named_buffers())
    count = state["num_batches_tracked"].clone()
    functional_call(net, state, torch.arange(4.0).reshape(2, 2))
    assert state["num_batches_tracked"] == count + 1


def test_wrong_names_are_refused():
    net = nn.Linear(2, 1)
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'w'.\n\tMissing key"):
        functional_call(net, {"w": torch.ones(1)}, torch.ones(2), strict=True)
    with pytest.raises(ValueError, match=r"\['a'\] appeared in multiple dictionaries"):
        functional_call(net, ({"a": 1}, {"a": 2}))
    with pytest.raises(RuntimeError, match="Expected at least one model, got 0"):
        stack_module_state([])
