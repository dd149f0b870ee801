"""DeviceContext: the default device among the modes of a thread."""

import pytest

import minitorch as torch
from minitorch.aten.creation.default_device import DeviceContext, set_default_device
from minitorch.core.declare.protocols import function_modes
from minitorch.overrides import BaseTorchFunctionMode


@pytest.fixture(autouse=True)
def no_default():
    yield
    set_default_device(None)
    assert function_modes.stack() == ()


def test_a_device_that_is_entered_is_the_innermost_mode():
    with BaseTorchFunctionMode() as mode, torch.device("meta"):
        outer, inner = function_modes.stack()
        assert outer is mode
        assert type(inner) is DeviceContext
        assert inner.device == torch.device("meta")
        assert torch.ones(1).is_meta


def test_a_device_that_is_set_is_the_outermost_mode_and_the_only_one():
    set_default_device("meta")
    with BaseTorchFunctionMode() as mode:
        set_default_device("cpu")
        assert [type(each) for each in function_modes.stack()] == [DeviceContext, type(mode)]
    set_default_device(None)
    assert function_modes.stack() == ()


def test_a_device_context_gives_way_to_the_one_before():
    with DeviceContext("meta"):
        with DeviceContext("cpu"):
            assert not torch.ones(1).is_meta
            assert len(function_modes.stack()) == 1
        assert torch.ones(1).is_meta


def test_the_error_of_a_refused_call_does_not_name_the_default_device():
    with torch.device("cpu"), pytest.raises(TypeError, match=r"got \(int, int, float\), but"):
        torch.linspace(0, 1, 2.5)


def test_makers_are_handed_the_device_and_other_functions_are_not():
    with torch.device("meta"):
        assert torch.tensor(1.0).is_meta
        assert torch.arange(3).is_meta
        assert not torch.Tensor(2).is_meta
        assert not torch.ones(1, device="cpu").is_meta
