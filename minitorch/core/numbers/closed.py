"""Objects with a fixed set of attributes."""

from __future__ import annotations

from typing import Any, NoReturn

assign = object.__setattr__


class Closed:
    """The base of classes whose objects cannot be changed: an attempt raises torch's error."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{_named(self)}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        if hasattr(type(self), name):
            raise AttributeError(f"attribute '{name}' of '{_named(self)}' objects is not writable")
        raise AttributeError(f"'{_named(self)}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        Closed.__setattr__(self, name, None)


def _named(self: Any) -> str:
    return f"{type(self).__module__}.{type(self).__qualname__}"
