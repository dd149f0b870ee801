"""Functions under names of their own, which CPython's errors show."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


def copy_of(function: Any) -> Any:
    """Another function with the code, closure, defaults and names of `function`."""
    made = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    made.__doc__, made.__annotations__ = function.__doc__, function.__annotations__
    made.__dict__.update(function.__dict__)
    return made


def named_by_subclasses(*names: str) -> Callable[[Any], Any]:
    """A decorator of a class that torch has not: the classes derived from it at once get copies of
    some of its methods, named after them, as in "Conv2d.forward() missing 1 required positional
    argument: 'input'"."""

    def declare(base: Any) -> Any:
        def __init_subclass__(cls: Any, /, **options: Any) -> None:
            super(base, cls).__init_subclass__(**options)
            if base in cls.__bases__:
                for name in names:
                    if name not in vars(cls):
                        name_after(cls, name)

        base.__init_subclass__ = classmethod(__init_subclass__)
        return base

    return declare


def name_after(cls: Any, name: str) -> None:
    """Gives a class a copy of an inherited method that is named after it."""
    made = copy_of(getattr(cls, name))
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, made)
