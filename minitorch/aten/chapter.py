"""Chapters: the packages in which the families of operators stand."""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def families(chapter: str) -> Callable[[str], Any]:
    """The `__getattr__` of a chapter: its families are imported when they are first asked for.

    chapter: the full name of its package.
    """

    def __getattr__(name: str) -> Any:
        full = f"{chapter}.{name}"
        if not name.startswith("_"):
            try:
                return import_module(full)
            except ModuleNotFoundError as error:
                if error.name != full:
                    raise
        raise AttributeError(f"module '{chapter}' has no attribute '{name}'")

    return __getattr__
