"""Buffers assigned as attributes of modules."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn.modules.module import register_module_buffer_registration_hook


def test_a_buffer_in_place_of_none_says_whether_it_persists():
    m = nn.Module()
    m.a = nn.Buffer(torch.ones(1))
    m.a = None
    m.a = nn.Buffer(torch.ones(1), persistent=False)
    assert list(m.state_dict()) == []
    m.a = torch.zeros(1)  # stays as it is
    assert list(m.state_dict()) == []
    m.a = nn.Buffer(torch.ones(1))
    assert list(m.state_dict()) == ["a"]


def test_buffers_are_assigned_by_the_register_buffer_of_the_class():
    class Own(nn.Module):
        def register_buffer(self, name, tensor):
            names.append(name)
            super().register_buffer(name, tensor)

    names = []
    m = Own()
    m.a = nn.Buffer(torch.ones(1))
    m.a = torch.zeros(1)
    assert names == ["a", "a"]
    with pytest.raises(RuntimeError, match="without the persistent argument is not allowed"):
        m.a = nn.Buffer(torch.ones(1), persistent=False)
    with pytest.raises(TypeError, match="cannot assign 'int' as buffer 'a'"):
        m.a = 3


def test_hooks_for_buffers_see_assigned_ones():
    seen = []
    m = nn.Module()
    m.a = nn.Buffer(torch.ones(1))
    handle = register_module_buffer_registration_hook(lambda *given: seen.append(given[1]))
    m.a = torch.zeros(1)
    handle.remove()
    assert seen == ["a"]


def test_a_buffer_does_not_replace_another_attribute():
    m = nn.Module()
    m.a = 3
    with pytest.raises(KeyError, match="attribute 'a' already exists"):
        m.a = nn.Buffer(torch.ones(1))


@pytest.mark.parametrize("device", ["ipu", "mtia", "xpu"])
def test_modules_with_parameters_fail_to_move_to_devices_that_there_are_not(device):
    assert isinstance(getattr(nn.Identity(), device)(), nn.Identity)
    with pytest.raises((RuntimeError, AssertionError), match=f"(?i){device}"):
        getattr(nn.Linear(1, 1), device)()


def test_a_call_of_a_module_without_init_misses_backward_hooks_first():
    class Own(nn.Module):
        def __init__(self):
            self.k = 1

    with pytest.raises(AttributeError, match="'Own' object has no attribute '_backward_hooks'"):
        Own()(1)
