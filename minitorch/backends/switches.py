"""Switches of libraries that do no work here: set, asked for, set for a block, frozen for good.

No number depends on them. A module that has some hands its names to `guard`: what is no bool is
refused, in torch's words, and after `torch.backends.disable_global_flags()` every assignment is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_FROZEN = [False]


def disable_global_flags() -> None:
    """Refuses from now on to set switches other than for a `with` block."""
    _FROZEN[0] = True


def flags_frozen() -> bool:
    """Whether switches can be set for a `with` block alone."""
    return _FROZEN[0]


class _Guarded(ModuleType):
    """A module whose switches are looked at when they are set."""

    def __setattr__(self, name: str, value: Any) -> None:
        setters = self.__dict__["_SETTERS"]
        if name in setters:
            if _FROZEN[0]:
                path = self.__name__.removeprefix("mini")
                raise RuntimeError(
                    f"not allowed to set {path} flags after disable_global_flags; please use "
                    "flags() context manager instead"
                )
            check(setters[name], value)
        super().__setattr__(name, value)


def guard(module: str, **setters: str) -> None:
    """Looks at what the switches of a module are set to.

    setters: the name of each -> that of the function of C++ that sets it, which errors name; ""
        for what may be no bool.
    """
    vars(sys.modules[module])["_SETTERS"] = setters
    sys.modules[module].__class__ = _Guarded


def check(setter: str, value: Any) -> None:
    """RuntimeError for anything but a bool."""
    if setter and not isinstance(value, bool):
        raise RuntimeError(f"{setter} expects a bool, but got {type(value).__name__}")


def change(names: dict[str, Any], **wanted: Any) -> tuple[Any, ...]:
    """Sets the switches among the names of a module for which a value is given, though they may be
    frozen. What they were before."""
    before = tuple([names[name] for name in wanted])
    setters = names.get("_SETTERS", {})
    given = {name: value for name, value in wanted.items() if value is not None}
    for name, value in given.items():
        check(setters.get(name, ""), value)
    names.update(given)
    return before


@contextmanager
def changed(names: dict[str, Any], **wanted: Any) -> Iterator[None]:
    """Sets switches for the duration of a `with` block."""
    before = change(names, **wanted)
    try:
        yield
    finally:
        names.update(zip(wanted, before, strict=True))
