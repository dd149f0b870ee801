"""Warnings that are given once in a process; every time after torch.set_warn_always(True)."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_given: set[str] = set()
_always = [False]


# Packages through which a warning looks for the line that called: most of what they do, torch does
# in C++, or warns of at the line of its caller.
_COMPILED = frozenset(
    "core aten _public linalg fft special sparse nested func autograd _C _VF _functorch _ops "
    "library _tensor _library functional storage amp utils distributed study".split()
)


def warn_once(
    text: str,
    place: str | None = None,
    category: type[Warning] = UserWarning,
    in_python: bool = False,
) -> None:
    """Gives a warning unless it was given before, at the line that called into C++ in torch.

    place: what stands for the text, if one place of torch gives several.
    in_python: whether torch's own Python has that line.
    """
    key = text if place is None else place
    if not _always[0]:
        if key in _given:
            return
        _given.add(key)
    warn(text, category, in_python)


def warn(text: str, category: type[Warning] = UserWarning, in_python: bool = False) -> None:
    """Gives a warning at the line that called into C++ in torch; at one of minitorch's if that is
    `in_python`."""
    level, frame = 2, sys._getframe(1)
    while not in_python and frame.f_back is not None and _is_compiled(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def deprecated(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: each call of the function gives a FutureWarning first."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(text, FutureWarning, stacklevel=2)
            return function(*args, **kwargs)

        return called

    return declare


def _is_compiled(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", _PACKAGE)  # assembled functions have none
    package, _, rest = f"mini{name.removeprefix('mini')}".partition(".")
    part = rest.partition(".")[0]
    return package == _PACKAGE and (
        not part or part in _COMPILED or rest.startswith(("nn._functional", "nn.functional"))
    )


def set_warn_always(b: bool, /) -> None:
    """Sets whether warnings are given each time, not once. RuntimeError unless `b` is a bool."""
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _always[0] = b


def is_warn_always_enabled() -> bool:
    """Whether warnings are given each time."""
    return _always[0]
