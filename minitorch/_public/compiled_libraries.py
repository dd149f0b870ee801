"""Libraries of compiled operators, which need torch's own C++: their operators are known by name.

`load_library` loads what has no need of torch, and raises OSError for the rest, as torch does for
a library of another version. A package that goes on without its operators registers gradients and
shapes for some of them all the same: these find a `CompiledOperator`, which refuses when called.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

_refused: list[str] = []  # the libraries that need torch's C++
_NEEDS = b"libtorch"


def load_library(path: Any, loaded: set[str]) -> None:
    """Loads a library into this process, and notes it in `loaded`.

    Raises:
        OSError: there is none, or it needs torch's C++.
    """
    path = os.path.realpath(path)
    try:
        if os.path.isfile(path) and _NEEDS in _contents(path):
            _refused.append(path)
            raise OSError(f"{path} needs torch's C++ library, which minitorch does not have")
        ctypes.CDLL(path)
    except OSError as error:
        raise OSError(f"Could not load this library: {path}") from error
    loaded.add(path)


@cache
def _contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


class CompiledOperator:
    """An operator of a library that could not be loaded. It can be told about, and not called."""

    text = declaration = "(...)"

    def __init__(self, name: str, path: str) -> None:
        self.key, self.path = name, path
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.backward = self.setup = self.fake = self.vmap = None

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"{self.key} is compiled into {self.path}, which needs torch's C++ library and cannot "
            "run in minitorch"
        )


@cache
def _operator(name: str, path: str) -> CompiledOperator:
    return CompiledOperator(name, path)


def compiled(name: str) -> CompiledOperator | None:
    """The operator "mylib::foo" of a library that could not be loaded; None if none has it."""
    for path in _refused:
        if re.search(re.escape(name.encode()) + rb"[(\0]", _contents(path)):
            return _operator(name, path)
    return None
