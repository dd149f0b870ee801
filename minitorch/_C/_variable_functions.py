"""torch._C._VariableFunctions: an object that has all functions of torch which C++ writes.

Packages list them to find what they can take over: `dir(torch._C._VariableFunctions)`.
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

import minitorch
from minitorch import _VF
from minitorch._public import foreach
from minitorch.core.declare.registry import FUNCTIONS, load_families
from minitorch.core.declare.wording.signatures import names_below


@functools.cache
def names() -> list[str]:
    """The names of torch's parser that are functions here, too."""
    load_families()
    private = [*foreach.names(), *[name for name in FUNCTIONS if name.startswith("_")]]
    found = {*names_below("torch"), *names_below("_VF"), *private}
    return sorted([name for name in found if _has(name)])


def _has(name: str) -> bool:
    return name in vars(_VF) or callable(getattr(minitorch, name, None))


def _found(name: str, owner: str) -> Any:
    if name.startswith("__") or not _has(name):
        raise AttributeError(f"{owner} has no attribute '{name}'")
    return getattr(_VF, name)


class _OfClass(type):
    def __getattr__(cls, name: str) -> Any:
        return _found(name, "type object 'torch._C._VariableFunctionsClass'")

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__(), *names()})

    def __call__(cls) -> NoReturn:
        raise TypeError("cannot create 'torch._C._VariableFunctionsClass' instances")


class _VariableFunctionsClass(metaclass=_OfClass):
    """The class of `_VariableFunctions`, which has the functions as static methods."""

    __module__ = "torch._C"

    def __getattr__(self, name: str) -> Any:
        return _found(name, "'torch._C._VariableFunctionsClass' object")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *names()})


_VariableFunctions = object.__new__(_VariableFunctionsClass)
