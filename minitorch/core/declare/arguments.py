"""Argument names that torch also takes in NumPy's spelling: axis for dim, keepdims for keepdim."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitorch.core.declare.errors import missing_argument

NUMPY_NAMES = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}


def numpy_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Lets `function` also be called with NumPy's names of its arguments."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {NUMPY_NAMES.get(name, name): value for name, value in kwargs.items()}
        return function(*args, **kwargs)

    called.shell = called  # type: ignore[attr-defined]
    return called


def renamed(function: Callable[..., Any], names: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
    """Calls `function` with keywords that it did not know, in NumPy's spelling, as its own.

    For functions that gather unknown keywords in `**names` themselves, which saves the wrapper of
    `numpy_names` (0.15 us). TypeError for a keyword that NumPy does not know either.
    """
    for name, value in names.items():
        if name not in NUMPY_NAMES or NUMPY_NAMES[name] == "input":
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'")
        kwargs[NUMPY_NAMES[name]] = value
    return function(*args, **kwargs)


def written_out(name: str, argument: str, numbers: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    """A list of ints that was given by name, as one sequence, or written out: x.tile(2, 3)."""
    if given is None:
        if not numbers:
            raise missing_argument(name, argument)
        given = numbers if len(numbers) != 1 or type(numbers[0]) is int else numbers[0]
    return tuple(given)
