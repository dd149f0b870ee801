"""torch.backends: which libraries do the work, and the switches that scripts set on them."""

from types import ModuleType as _ModuleType

from minitorch.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]

fp32_precision = "none"  # a switch: products stay exact whatever it says


def __getattr__(name: str) -> _ModuleType:
    from importlib import import_module

    try:
        return import_module("minitorch.backends.answers").MODULES[name]
    except KeyError:
        text = f"torch.backends.{name} is not implemented by minitorch"
        raise AttributeError(text) from None
