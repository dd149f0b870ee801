"""The namespace that computes on an array, and the error where CuPy is missing."""

import sys

import pytest

from minitorch import cuda
from minitorch.core import arrays


class Watching:
    """A finder that finds nothing and notes the names it was asked for."""

    def __init__(self):
        self.names = []

    def find_spec(self, name, path=None, target=None):
        self.names.append(name)


@pytest.mark.skipif("cupy" in sys.modules, reason="CuPy is there")
def test_cupy_is_looked_for_once(monkeypatch):
    monkeypatch.setattr(arrays, "_absent", set())
    monkeypatch.setitem(sys.modules, "cupy", None)  # its import fails, whatever is installed
    monkeypatch.delitem(sys.modules, "minitorch.core.arrays.on_cupy", raising=False)
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        arrays.cuda()
    monkeypatch.delitem(sys.modules, "cupy")
    finder = Watching()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    assert not cuda.is_available()
    assert finder.names == []
