"""How the classes of torch.distributions are named, and how pickles find them again."""

from importlib import import_module
from typing import Any

_OWN, _PUBLIC = "minitorch.", "torch."


def publish(cls: type) -> None:
    """Gives a class of this library the name of its module in torch."""
    if cls.__module__.startswith(_OWN):
        cls.__module__ = _PUBLIC + cls.__module__.removeprefix(_OWN)


def rebuild(module: str, name: str) -> Any:
    """An empty instance of one of the library's own classes."""
    cls = getattr(import_module(module), name)
    return cls.__new__(cls)


def reduced(self: Any, protocol: Any) -> Any:
    """What `__reduce_ex__` returns: own classes by their own modules, a program's as ever."""
    cls = type(self)
    if not cls.__module__.startswith(_PUBLIC):
        return object.__reduce_ex__(self, protocol)
    state = object.__reduce_ex__(self, 2)[2]
    return rebuild, (_OWN + cls.__module__.removeprefix(_PUBLIC), cls.__qualname__), state
