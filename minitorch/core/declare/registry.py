"""The registry: rows by key, functions by name, and families that are not loaded yet.

It is imported by the modules that put functions here (expose.py) and by the modules that look them
up while operators are called (observe.py, tangents.py, writing.py, in_place.py).
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from minitorch.core.declare.row import Row

ROWS: dict[str, Row] = {}  # key -> row
PLACES: dict[str, tuple[CodeType, int]] = {}  # key of a row -> the code that declares it, and where
FUNCTIONS: dict[str, Callable[..., Any]] = {}  # the functions of `torch`, by name
BY_KEY: dict[str, Callable[..., Any]] = {}  # key of a row -> its public function
DUNDERS: dict[str, str] = {}  # a Python operator -> the name of the method that does the same
FAMILIES: list[Callable[[], None]] = []  # each loads one


def function_of_row(row: Row) -> Callable[..., Any]:
    """The public function of a row, assembled on first need."""
    return resolved(BY_KEY[row.key])


def is_installed(row: Row) -> bool:
    """Whether a row has a public function; in-place random rows have only a node and a forward."""
    return row.key in BY_KEY


def resolved(function: Any) -> Callable[..., Any]:
    """A function that may wait for its first call, with the code that it gets then."""
    become = (function.__kwdefaults__ or {}).get("_become")
    return function if become is None else become()


def load_families() -> None:
    """Loads all families that are not loaded yet."""
    while FAMILIES:
        FAMILIES.pop()()
