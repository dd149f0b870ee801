"""Pickles of objects whose classes have torch's names.

A program that runs with minitorch in place of torch finds `torch.nn.modules.linear.Linear`, so its
pickles name this class, as torch's do, and either library loads them. If minitorch has its own
name, torch may not be there to import: pickles then name the class by its module here.
"""

from importlib import import_module
from typing import Any

_PUBLIC, _OWN = "torch.", "minitorch."
# Not empty once minitorch stands for torch for good in this process. Set by origins.stand; read for
# each pickle, and when a module is completed.
STANDS: list[bool] = []


def rebuild(module: str, name: str) -> Any:
    """An empty instance of one of the library's own classes."""
    cls = getattr(import_module(module), name)
    return cls.__new__(cls)


def reduced(self: Any, protocol: Any) -> Any:
    """Returns what `__reduce_ex__` returns for an object of a public class, or one derived."""
    module = type(self).__module__
    if STANDS or not module.startswith(_PUBLIC):
        return object.__reduce_ex__(self, protocol)
    state = object.__reduce_ex__(self, 2)[2]  # what __getstate__ gives
    return rebuild, (_OWN + module.removeprefix(_PUBLIC), type(self).__qualname__), state
