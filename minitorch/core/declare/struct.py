"""Struct: named values, of which thousands are made while the package is imported."""

from __future__ import annotations

from typing import Any, Self


class Struct:
    """Named values: subclasses annotate them; the constructor takes them in that order or by name.

    A dataclass, whose methods are compiled anew in each process, takes 0.5 to 1 ms of an import,
    and an instance of 26 values 2.4 us instead of 1.2.
    """

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(zip(type(self).__annotations__, values), **named)

    def but(self, **changes: Any) -> Self:
        """A copy with other values for some names."""
        names = type(self).__annotations__
        kept = {name: value for name, value in self.__dict__.items() if name in names}
        return type(self)(**{**kept, **changes})
