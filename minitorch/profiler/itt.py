"""torch.profiler.itt: ranges for Intel's tools, which nothing here listens to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available() -> bool:
    """Whether ranges can be marked."""
    return False


def _fail() -> NoReturn:
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build?")


def range_push(msg: str) -> int:
    """Begins a range."""
    _fail()


def range_pop() -> int:
    """Ends the innermost range."""
    _fail()


def mark(msg: str) -> None:
    """Marks a moment."""
    _fail()


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range for the time of a block."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
