"""torch.utils.tensorboard imports the package `tensorboard`, and torch.utils does not."""

import importlib
import subprocess
import sys

import pytest


def test_import_of_tensorboard_without_the_package_raises_its_error(monkeypatch):
    monkeypatch.delitem(sys.modules, "minitorch.utils.tensorboard", raising=False)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ModuleNotFoundError, match="tensorboard") as refused:
        importlib.import_module("minitorch.utils.tensorboard")
    assert refused.value.name == "tensorboard"


def test_versions_of_tensorboard_before_1_15_are_refused(monkeypatch):
    old = type(sys)("tensorboard")
    old.__version__ = "1.14.2"
    monkeypatch.delitem(sys.modules, "minitorch.utils.tensorboard", raising=False)
    monkeypatch.setitem(sys.modules, "tensorboard", old)
    with pytest.raises(ImportError, match=r"TensorBoard logging requires .* 1\.15 or above"):
        importlib.import_module("minitorch.utils.tensorboard")


def test_minitorch_utils_does_not_import_tensorboard():
    text = "import sys, minitorch.utils; print([n for n in sys.modules if 'tensorboard' in n])"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
