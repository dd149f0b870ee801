"""positions: the errors for positions that lie outside of an array, in torch's words."""

from __future__ import annotations

from typing import Any


def bounds_error(
    index: Any, dim: int, size: int, start: str = "", kind: type[Exception] = IndexError
) -> Exception:
    """The error for a position outside of a dimension, naming the position.

    start: the beginning of the text, the name of a function. kind: the type of the error.
    """
    return kind(f"{start}index {int(index)} is out of bounds for dimension {dim} with size {size}")


def range_error() -> IndexError:
    """The error of kernels that do not name the wrong position."""
    return IndexError("index out of range in self")
