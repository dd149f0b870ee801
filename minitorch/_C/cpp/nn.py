"""torch.cpp.nn: the base of the modules that are written in C++."""

from __future__ import annotations

from typing import Any, NoReturn


def refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuses to make an object, as in torch: C++ alone makes them."""
    raise TypeError(f"{cls.__module__}.{cls.__qualname__}: No constructor defined!")


class Module:
    """A module in C++: there is none."""

    __module__ = "torch._C.cpp.nn"
    __new__ = refuse
