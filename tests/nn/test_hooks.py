"""Hooks of modules, and the handles that registering one returns."""

import copy
import gc
import pickle
import weakref
from collections import OrderedDict

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn.modules import module as all_modules
from minitorch.utils.hooks import RemovableHandle, unserializable_hook


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


class Calls(nn.Module):
    """A module that computes a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def fail(*things):
    raise KeyError("no")


def test_forward_hooks_in_order_and_what_they_change():
    calls = []
    model = Calls(lambda x: x * 2)
    model.register_forward_pre_hook(lambda m, args: args[0] + 1)
    model.register_forward_pre_hook(lambda m, args: calls.append("first"), prepend=True)
    model.register_forward_hook(lambda m, args, out: calls.append(args[0].item()))
    model.register_forward_hook(lambda m, args, out: out * 10)
    assert model(torch.tensor(1.0)).item() == 40.0
    assert calls == ["first", 2.0]


def test_forward_hooks_with_keyword_arguments():
    model = Calls(lambda x, factor: x * factor)
    model.register_forward_pre_hook(lambda m, a, k: (a, {"factor": 5}), with_kwargs=True)
    handle = model.register_forward_hook(lambda m, a, k, out: out + k["factor"], with_kwargs=True)
    assert model(torch.tensor(2.0), factor=1).item() == 15.0
    handle.remove()
    assert not model._forward_hooks_with_kwargs
    model.register_forward_pre_hook(lambda m, a, k: a, with_kwargs=True)
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple"):
        model(torch.tensor(2.0), factor=1)


def test_forward_hooks_that_are_always_called():
    calls = []
    model = Calls(fail)
    model.register_forward_hook(lambda m, a, out: calls.append("usual"))
    model.register_forward_hook(lambda m, a, out: calls.append(out), always_call=True)
    with (
        all_modules.register_module_forward_hook(fail, always_call=True),
        pytest.warns(UserWarning, match="global module forward hook"),
        pytest.raises(KeyError),
    ):
        model()
    assert calls == [None]


def test_full_backward_hooks_see_and_change_gradients():
    calls = []
    model = Calls(lambda x, number: x * number)
    model.register_full_backward_hook(lambda m, i, o: calls.append((len(i), o[0].item())))
    model.register_full_backward_hook(lambda m, i, o: (i[0] + 1, None))
    model.register_full_backward_pre_hook(lambda m, o: (o[0] * 10,))
    x = leaf(1.0)
    model(x, 3).backward()
    assert calls == [(2, 10.0)]
    assert x.grad.tolist() == [31.0]


def test_full_backward_hooks_where_no_input_has_a_gradient():
    calls = []
    model = nn.Linear(1, 1)
    model.register_full_backward_hook(lambda m, i, o: calls.append(i))
    with pytest.warns(UserWarning, match="Full backward hook is firing"):
        model(torch.ones(1)).backward()
    assert calls == [(None,)]
    model.register_full_backward_hook(lambda m, i, o: i + i)
    model.register_full_backward_hook(lambda m, i, o: o)
    with (
        pytest.warns(UserWarning, match="firing"),
        pytest.raises(RuntimeError, match="always return None"),
    ):
        model(torch.ones(1)).backward()


@pytest.mark.parametrize(
    ("register", "hook", "match"),
    [
        ("register_full_backward_hook", lambda m, i, o: i + i, "number of grad_input, got 2"),
        ("register_full_backward_pre_hook", lambda m, o: o + o, "number of grad_output, got 2"),
    ],
)
def test_backward_hooks_of_the_wrong_length(register, hook, match):
    model = nn.Linear(1, 1)
    getattr(model, register)(hook)
    with pytest.raises(RuntimeError, match=match):
        model(leaf(1.0)).backward()


def test_a_module_with_backward_hooks_hands_out_views():
    model = nn.Linear(1, 1)
    model.register_full_backward_hook(lambda m, i, o: None)
    y = model(leaf(1.0))
    assert y.grad_fn.name() == "BackwardHookFunctionBackward"
    with pytest.raises(RuntimeError, match="Output 0 of BackwardHookFunction is a view"):
        y.mul_(2)
    table = Calls(lambda x: {"x": x})
    table.register_full_backward_hook(lambda m, i, o: None)
    with pytest.warns(UserWarning, match="should be a Tensor or a tuple"):
        table(leaf(1.0))


def test_backward_hooks_of_the_old_kind():
    calls = []
    model = nn.ReLU()
    model.register_backward_hook(lambda m, i, o: calls.append(i[0].item()))
    model(leaf(1.0) * 1).backward()
    assert calls == [1.0]
    with pytest.raises(RuntimeError, match="on a single Module"):
        model.register_full_backward_hook(fail)


@pytest.mark.parametrize(
    ("function", "args", "match"),
    [
        (lambda x: {"a": x * 2}, (1,), "does not return a single Tensor"),
        (lambda x: (x * 2, x * 3), (1,), "different autograd Nodes"),
        (lambda x, y: x * y, (1, 3), "does not take as input"),
        (lambda x: x * 2 * 3, (1,), "contains multiple autograd Nodes"),
    ],
)
def test_backward_hooks_of_the_old_kind_that_miss_something(function, args, match):
    model = Calls(function)
    model.register_backward_hook(lambda m, i, o: None)
    x = leaf(1.0) * 1
    with pytest.warns(FutureWarning, match=match):
        model(x, *args[1:])


def test_hooks_of_all_modules():
    calls = []
    model = nn.Sequential(nn.ReLU())
    model.register_forward_hook(lambda m, a, out: calls.append("own"))
    register = all_modules
    with (
        register.register_module_forward_pre_hook(lambda m, a: calls.append("pre")),
        register.register_module_forward_hook(lambda m, a, k, out: None, with_kwargs=True),
        register.register_module_full_backward_hook(lambda m, i, o: calls.append("backward")),
        register.register_module_full_backward_pre_hook(lambda m, o: calls.append("before")),
    ):
        model(leaf(1.0)).backward()
    model(leaf(1.0)).backward()
    around = ["before", "before", "backward", "backward"]
    assert calls == ["pre", "pre", "own", *around, "own"]
    with pytest.raises(RuntimeError, match="as a global Module hook"):
        register.register_module_backward_hook(fail)


def test_hooks_of_everything_that_is_registered():
    calls = []
    register = all_modules
    with (
        register.register_module_buffer_registration_hook(lambda m, n, b: calls.append(n)),
        register.register_module_module_registration_hook(lambda m, n, c: calls.append(n)),
        register.register_module_parameter_registration_hook(lambda m, n, p: nn.Parameter(p * 5)),
    ):
        model = nn.Module()
        model.child = nn.ReLU()
        model.child = None
        model.register_buffer("buffer", torch.ones(1))
        model.weight = nn.Parameter(torch.ones(1))
    assert calls == ["child", "child", "buffer"]
    assert model.weight.item() == 5.0


def test_state_dict_hooks():
    calls = []
    model = nn.Linear(1, 1)
    model.register_state_dict_pre_hook(lambda m, prefix, keep: calls.append("pre"))
    model.register_state_dict_post_hook(lambda m, s, p, d: s.pop("bias") and None)
    assert list(model.state_dict()) == ["weight"]
    model._register_state_dict_hook(lambda m, s, p, d: {"other": 1})
    assert model.state_dict() == {"other": 1}
    post = lambda m, s, p, d: s
    model.register_state_dict_post_hook(post)
    with pytest.raises(RuntimeError, match="must return None"):
        model.state_dict()
    with pytest.raises(RuntimeError, match="Cannot register the same function"):
        model._register_state_dict_hook(post)


def test_load_state_dict_hooks():
    calls = []
    model = nn.Linear(1, 1)
    state = model.state_dict()
    model.register_load_state_dict_pre_hook(lambda m, s, *rest: s.pop("old"))
    model._register_load_state_dict_pre_hook(lambda s, *rest: calls.append(len(rest)))
    model.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    model.load_state_dict({"old": 1, "weight": state["weight"]})
    assert calls == [6]
    model.register_load_state_dict_post_hook(lambda m, keys: keys)
    with pytest.raises(AssertionError, match="not expected to return"):
        model.load_state_dict({"old": 1})


def test_a_hook_does_not_keep_its_module():
    gc.disable()
    try:
        model = nn.Linear(1, 1)
        model.register_load_state_dict_pre_hook(lambda m, *rest: None)
        (wrapped,) = model._load_state_dict_pre_hooks.values()
        gone = weakref.ref(model)
        del model
        assert gone() is None
        with pytest.raises(RuntimeError, match="dead Module"):
            wrapped()
        with pytest.raises(RuntimeError, match="revive the hook of a dead Module"):
            copy.copy(wrapped)
    finally:
        gc.enable()
    model = nn.Linear(1, 1)
    model.register_load_state_dict_pre_hook(fail)
    (wrapped,) = model._load_state_dict_pre_hooks.values()
    assert copy.copy(wrapped).module() is model


def test_handles_are_pickled_with_their_hooks():
    hooks, extra = OrderedDict(), OrderedDict()
    handle = RemovableHandle(hooks, extra_dict=extra)
    hooks[handle.id] = extra[handle.id] = 1
    others, again = pickle.loads(pickle.dumps((hooks, handle)))
    again.remove()
    assert (others, len(hooks)) == ({}, 1)
    handle.remove()
    handle.remove()
    assert not hooks
    assert not extra
    pickle.loads(pickle.dumps(RemovableHandle(OrderedDict()))).remove()


def test_a_tensor_is_pickled_without_its_hooks():
    x = leaf(1.0)
    x.register_hook(unserializable_hook(lambda grad: None))
    assert pickle.loads(pickle.dumps(x))._backward_hooks is None
    x.register_hook(fail)
    with pytest.warns(UserWarning, match="will not be serialized"):
        pickle.dumps(x)
