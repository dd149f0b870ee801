"""Argument names that torch also takes in NumPy's spelling: axis for dim, keepdims for keepdim."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}


def numpy_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Lets `function` also be called with NumPy's names of its arguments.

    The ordinary call stays as it is: only a TypeError for an unknown keyword is looked at.
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        for name in NUMPY_NAMES.keys() & kwargs.keys():
            kwargs[NUMPY_NAMES[name]] = kwargs.pop(name)
        return function(*args, **kwargs)

    return called
