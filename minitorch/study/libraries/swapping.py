"""Putting things in the place of others for a while, and taking only those out again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol


class Step(Protocol):
    """Something that was changed."""

    def undo(self) -> None:
        """Puts it back, unless somebody else has changed it since."""


class Swap:
    """An attribute of a class or a module that has another value for a while."""

    def __init__(self, owner: Any, name: str, value: Any) -> None:
        self.owner, self.name, self.value = owner, name, value
        self.original = vars(owner)[name]
        setattr(owner, name, value)

    def undo(self) -> None:
        """Puts the original back, unless another value stands there by now."""
        if vars(self.owner).get(self.name) is self.value:
            setattr(self.owner, self.name, self.original)


def swapped_apply(kind: Any, call: Callable[[type, Callable[..., Any], Any, Any], Any]) -> Swap:
    """Puts a call in the place of the `apply` of the class Function of either library.

    Args:
        kind: that class.
        call: gets the program's class, its `apply`, and the arguments; returns the result.
    """
    original = vars(kind)["apply"]

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return call(cls, original.__get__(None, cls), args, kwargs)

    return Swap(kind, "apply", classmethod(apply))


def undo(steps: Iterable[Step]) -> None:
    """Takes changes back, the last one first."""
    for each in reversed(list(steps)):
        each.undo()
