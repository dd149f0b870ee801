"""torch.overrides: which functions there are, and their names."""

import inspect

import minitorch as torch
from minitorch import overrides
from minitorch.nn import functional as F


def test_functions_have_the_names_that_torch_gives_them():
    names = {
        torch.add: "torch.add",
        torch.Tensor.add: "torch.Tensor.add",
        torch.Tensor.dim: "torch.Tensor.dim",
        torch.Tensor.shape.__get__: "torch.Tensor.shape.__get__",
        torch.einsum: "torch.functional.einsum",
        F.conv2d: "torch.nn.functional.conv2d",
        torch.ops.aten.mm.default: "aten.mm.default",
        len: None,
    }
    assert {f: overrides.resolve_name(f) for f in names} == names


def test_functions_are_overridable_or_ignored():
    functions = overrides.get_overridable_functions()
    assert torch.add in functions[torch]
    assert torch.Tensor.exp in functions[torch.Tensor]
    ignored = overrides.get_ignored_functions()
    assert {torch.ones, torch.Tensor.as_subclass} <= ignored
    assert not ignored & {each for found in functions.values() for each in found}


def test_testing_overrides_take_what_the_functions_take():
    fakes = overrides.get_testing_overrides()
    assert fakes[torch.add](1, 2) == -1
    assert list(inspect.signature(fakes[F.relu]).parameters) == ["input", "inplace"]
