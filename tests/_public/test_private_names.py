"""Names that torch's modules have by importing them, and their helpers."""

import importlib
import math
import subprocess
import sys

import pytest

import minitorch as torch
from minitorch._public import private_names
from minitorch.nn import functional as F


@pytest.mark.parametrize("module", private_names._TABLE)
def test_every_name_of_the_table_is_there(module):
    found = importlib.import_module(f"mini{module}")
    assert all(getattr(found, name) is not None for name in private_names.names(module))


def test_modules_of_python_are_names_of_torch():
    assert torch.math is math
    assert F.torch is torch


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = torch.nn.init.nothing_of_the_kind
    with pytest.raises(AttributeError, match="has no attribute"):
        private_names.find("torch", "nothing_of_the_kind")


def test_projections_of_attention():
    x, w = torch.ones(2, 3), torch.eye(3)
    q, k, v = F._in_projection(x, x * 2, x * 3, w, w, w)
    assert (q[0, 0], k[0, 0], v[0, 0]) == (1, 2, 3)
    assert [each.shape for each in F._in_projection_packed(x, x, x, torch.ones(9, 3))] == [
        (2, 3)
    ] * 3


def test_sizes_of_batches_and_images_are_checked():
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        F._verify_batch_size(torch.Size([1, 3]))
    with pytest.raises(ValueError, match="Expected more than 1 spatial element when training"):
        F._verify_spatial_size(torch.Size([2, 3, 1]))
    F._verify_spatial_size(torch.Size([2, 3, 2]))


def test_masks_of_keys_are_checked():
    mask = torch.zeros(2, 3).bool()
    F._check_key_padding_mask(mask, 3, 2)
    with pytest.raises(AssertionError, match=r"shape\[0\] to be 1, but got 2"):
        F._check_key_padding_mask(mask, 3, 1)
    with pytest.raises(AssertionError, match=r"shape\[1\] to be 4, but got 3"):
        F._check_key_padding_mask(mask, 4, 2)


def test_small_helpers_of_functions():
    assert F._is_integer(3)
    assert F._is_integer(torch.tensor(3))
    assert not F._is_integer(torch.tensor(3.0))
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        assert F._get_softmax_dim("softmax", 2, 2) == 1
    weight = torch.full((2, 2), 3.0)
    F._no_grad_embedding_renorm_(weight, torch.tensor([1]), 1.0, 2.0)
    assert weight[0].tolist() == [3.0, 3.0]
    assert weight[1].norm().item() == pytest.approx(1.0)


def test_subclasses_are_made_of_tensors():
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2, requires_grad=True)
    made = torch.Tensor._make_subclass(Mine, x * 2)
    assert type(made) is Mine
    assert made.is_leaf
    assert not made.requires_grad
    assert Mine._make_subclass(Mine, torch.ones(2), True).requires_grad
    with pytest.raises(TypeError, match=r"cls must be a type \(got int\)"):
        torch.Tensor._make_subclass(1, x)


def test_modules_may_define_how_they_are_called():
    class Twice(torch.nn.Module):
        def _call_impl(self, *args, **kwargs):
            return 2 * super()._call_impl(*args, **kwargs)

        def forward(self, x):
            return x + 1

    assert Twice()(torch.ones(1)).item() == 4.0
    assert torch.nn.Identity()._call_impl(3) == 3


def test_modes_of_autograd_can_be_asked_for():
    assert torch.autograd.is_multithreading_enabled()
    with torch.autograd.set_multithreading_enabled(False):
        assert not torch.autograd.is_multithreading_enabled()
    assert not torch.autograd.is_view_replay_enabled()
    with torch.autograd._force_original_view_tracking(True):
        assert torch.autograd.is_view_replay_enabled()


def test_tensors_come_as_tuples():
    x = torch.ones(1)
    assert torch.autograd._tensor_or_tensors_to_tuple(None, 2) == (None, None)
    assert torch.autograd._tensor_or_tensors_to_tuple(x, 1) == (x,)
    assert torch.autograd._tensor_or_tensors_to_tuple([x, x], 2) == (x, x)


def test_modules_that_stand_for_torchs_have_the_names_that_those_import():
    program = (
        "from torch.hub import urlparse, HASH_REGEX\n"
        "from torch.serialization import MAP_LOCATION, PROTOCOL_VERSION\n"
        "import torch, urllib.parse\n"
        "assert urlparse is urllib.parse.urlparse and PROTOCOL_VERSION == 1001\n"
        "assert not hasattr(torch.hub, 'nonsense')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "minitorch", "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_modules_are_attributes_of_those_that_they_are_in():
    program = (
        "import torch\n"
        "assert torch.fx.experimental.__name__ == 'torch.fx.experimental'\n"
        "assert torch.nn.modules.utils is not torch.nn.utils\n"
        "assert torch._prims.__name__ and torch.fx.passes.__name__\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "minitorch", "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_classes_that_are_no_tensors_are_refused():
    x = torch.ones(2)
    with pytest.raises(TypeError, match="cls must be a type \\(got int\\)"):
        x.as_subclass(3)
    with pytest.raises(TypeError, match="from a class that does not inherit from Tensor"):
        torch.Tensor._make_subclass(int, x)
    with pytest.raises(TypeError, match=r"argument 'data' \(position 2\) must be Tensor, not int"):
        torch.Tensor._make_subclass(torch.nn.Parameter, 3)
    with pytest.raises(TypeError, match=r"'require_grad' \(position 3\) must be bool, not str"):
        torch.nn.Parameter(x, "a")
