"""Steps as functions of lists have the results of the optimizers of their names."""

import importlib
import inspect

import pytest

import minitorch as torch
from minitorch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

CLASSES = "Adadelta Adagrad Adam AdamW Adamax ASGD NAdam RAdam RMSprop Rprop SGD".split()
OPTIONS = {"RMSprop": {"momentum": 0.5, "centered": True}, "SGD": {"momentum": 0.9}}
PAIRS = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}


def function_of(name):
    return getattr(importlib.import_module(f"minitorch.optim.{name.lower()}"), name.lower())


@pytest.mark.parametrize("name", CLASSES)
def test_a_function_steps_as_its_class(name):
    function = function_of(name)
    p = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    optimizer = getattr(torch.optim, name)([p], **OPTIONS.get(name, {}))
    p.grad = torch.tensor([0.1, 0.2, -0.3])
    optimizer.step()
    group = dict(optimizer.param_groups[0])
    for pair, parts in PAIRS.items():
        group |= zip(parts, group.get(pair, ()))
    parameters = inspect.signature(function).parameters.values()
    needed = [each for each in parameters if each.default is each.empty]
    lists = [each.name for each in needed if each.kind is not each.KEYWORD_ONLY][2:]
    keys = [each.removeprefix("state_").removesuffix("_list").removesuffix("s") for each in lists]
    state = optimizer.state[p]
    states = [[state[key].clone()] if key in state else [] for key in keys]
    options = {each.name: group[each.name] for each in needed if each.kind is each.KEYWORD_ONLY}
    q = p.detach().clone()
    function([q], [p.grad], *states, **options)
    optimizer.step()
    assert q.tolist() == p.tolist()
    for key, values in zip(keys, states):
        assert [each.tolist() for each in values] == [state[key].tolist() for _ in values]


def test_a_step_records_its_history_where_gradients_are_wanted():
    w = torch.ones(2, requires_grad=True)
    fast = [w.clone()]
    grads = torch.autograd.grad((w**3).sum(), w, create_graph=True)
    options = {"lr": 0.1, "momentum": 0, "dampening": 0, "weight_decay": 0}
    function_of("SGD")(fast, grads, [None], nesterov=False, maximize=False, **options)
    (found,) = torch.autograd.grad(fast[0].sum(), w)
    assert torch.allclose(found, torch.full((2,), 0.4))  # 1 - 0.1 * 6


def test_parameters_keep_their_own_gradients():
    p = torch.ones(2, requires_grad=True)
    p.grad = torch.full((2,), 7.0)
    options = {"lr": 0.1, "momentum": 0, "dampening": 0, "weight_decay": 0}
    with torch.no_grad():
        function_of("SGD")([p], [p * 2], [None], nesterov=False, maximize=False, **options)
    assert p.tolist() == pytest.approx([0.8, 0.8])
    assert p.grad.tolist() == [7, 7]


def test_hooks_of_all_optimizers_stand_around_its_own():
    seen = []
    p = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=0.1)
    handles = [
        register_optimizer_step_pre_hook(lambda *_: seen.append("before")),
        register_optimizer_step_post_hook(lambda *_: seen.append("after")),
    ]
    optimizer.register_step_pre_hook(lambda *_: seen.append("its own before"))
    optimizer.register_step_post_hook(lambda *_: seen.append("its own after"))
    optimizer.step()
    assert seen == ["before", "its own before", "its own after", "after"]
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert seen[4:] == ["its own before", "its own after"]
