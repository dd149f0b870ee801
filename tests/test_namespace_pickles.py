"""Public functions are pickled by their names, as models that hold them are saved."""

import io
import pickle
from types import FunctionType

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.core.declare import registry

SPACES = {
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
    "torch.fft": torch.fft,
    "torch.special": torch.special,
    "torch.nn.init": torch.nn.init,
}


@pytest.mark.parametrize("path", SPACES)
def test_a_pickled_function_is_the_same_function(path):
    space = SPACES[path]
    for name in dir(space):
        function = getattr(space, name)
        if isinstance(function, FunctionType) and not name.startswith("_"):
            assert pickle.loads(pickle.dumps(function)) is function, name


def test_a_pickled_function_of_torch_is_the_same_function():
    registry.load_families()
    for name, function in registry.FUNCTIONS.items():
        if getattr(torch, name, None) is function:
            assert pickle.loads(pickle.dumps(function)) is function, name


def test_a_model_that_holds_functions_is_saved_and_loaded():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.activation, self.norm = torch.tanh, torch.linalg.vector_norm

    globals()["Model"] = Model
    Model.__qualname__ = "Model"
    file = io.BytesIO()
    torch.save(Model(), file)
    file.seek(0)
    model = torch.load(file, weights_only=False)
    assert model.activation is torch.tanh
    assert model.norm is torch.linalg.vector_norm
