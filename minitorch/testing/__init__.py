"""torch.testing: asserting that results are close, and making tensors to test with."""

from importlib import import_module

import minitorch
from minitorch.testing._comparison import assert_allclose, assert_close
from minitorch.testing._creation import make_tensor

__all__ = ["FileCheck", "assert_allclose", "assert_close", "make_tensor"]


def __getattr__(name: str) -> object:
    if name == "FileCheck":
        return minitorch.FileCheck
    if name in ("_internal", "_utils"):
        return import_module(f"minitorch.testing.{name}")
    raise AttributeError(f"module 'torch.testing' has no attribute '{name}'")
