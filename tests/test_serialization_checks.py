"""The questions that torch.serialization asks while it saves and loads."""

import os
from types import SimpleNamespace

import pytest

import minitorch as torch
from minitorch.serialization import check_module_version_greater_or_equal as is_new


def module(version):
    return SimpleNamespace(__name__="m", __version__=version)


def test_versions_are_compared_number_by_number():
    assert is_new(module("1.2.3"), (1, 2))
    assert not is_new(module("1.2.3"), (1, 10))


def test_a_malformed_version_raises_or_warns():
    with pytest.raises(RuntimeError, match=r"'m' module version string is malformed 'a\.b'"):
        is_new(module("a.b"), (1, 2))
    with pytest.warns(UserWarning, match="continuing assuming that requirement is met"):
        assert is_new(module("a.b"), (1, 2), error_if_malformed=False)


def test_mkdtemp_removes_its_folder():
    with torch.serialization.mkdtemp() as path:
        assert os.path.isdir(path)
    assert not os.path.exists(path)


def test_validate_cuda_device_says_what_to_do_without_cuda():
    with pytest.raises(RuntimeError, match=r"torch\.cuda\.is_available\(\) is False"):
        torch.serialization.validate_cuda_device("cuda:0")
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        torch.serialization.validate_cuda_device("cpu")
