"""Modes that see the calls of functions, and attributes that ask while there are some."""

import subprocess
import sys

import pytest

import minitorch as torch
from minitorch.core.declare.protocols import function_modes
from minitorch.nn import functional as F
from minitorch.overrides import TorchFunctionMode


class Log(TorchFunctionMode):
    def __init__(self):
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


def test_a_mode_sees_functions_methods_and_attributes():
    x = torch.ones(2)
    with Log() as log:
        torch.add(x, 1)
        x + 1
        x.shape  # noqa: B018
        F.relu(x)
        torch.zeros(2)
        torch.tensor([1.0])
    T = torch.Tensor
    assert log.seen == [
        torch.add, T.add, T.shape.__get__, F.relu, torch.zeros, torch.tensor
    ]  # fmt: skip


def test_functions_ask_once_a_mode_is_entered_in_a_program_that_has_made_nothing_else(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import minitorch as torch
from minitorch.overrides import TorchFunctionMode

class Log(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__)
        return func(*args, **(kwargs or {}))

x = torch.ones(2)
with Log():
    torch.add(x, 1)
    x.exp()
    torch.nn.functional.relu(x)
torch.add(x, 1)
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["add", "exp", "relu"]


def test_the_innermost_of_several_modes_is_asked_first():
    order = []

    class Named(TorchFunctionMode):
        def __init__(self, name):
            self.name = name

        def __torch_function__(self, func, types, args=(), kwargs=None):
            order.append(self.name)
            return func(*args, **(kwargs or {}))

    with Named("outer"), Named("inner"):
        torch.ones(2).exp()
    assert order == ["inner", "outer"] * 2


def test_attributes_ask_nobody_once_the_last_mode_is_left():
    shape = torch.Tensor.shape
    plain = shape.fget
    with Log(), Log():
        assert torch.Tensor.shape is shape
        assert shape.fget is not plain
    assert torch.Tensor.shape is shape
    assert shape.fget is plain
    assert function_modes.stack() == ()


def test_a_mode_is_left_also_after_an_error():
    class Failing(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"), Failing():
        torch.ones(2)
    assert function_modes.stack() == ()
    assert torch.ones(2).tolist() == [1.0, 1.0]


def test_a_mode_that_declines_makes_a_type_error():
    class Declining(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    with pytest.raises(TypeError, match="Multiple dispatch failed for"), Declining():
        torch.ones(2)


def test_modes_are_switched_off_by_disable_torch_function():
    with Log() as log, torch._C.DisableTorchFunction():
        torch.ones(2)
    assert log.seen == []
    with Log() as log, torch._C.DisableTorchFunctionSubclass():
        torch.ones(2)
    assert log.seen == [torch.ones]


def test_operators_of_torch_ops_are_seen_themselves():
    x = torch.ones(2)
    with Log() as log:
        torch.ops.aten.add.Tensor(x, x)
    assert log.seen == [torch.ops.aten.add.Tensor]
