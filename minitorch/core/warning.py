"""Warnings that are given once in a process; every time after torch.set_warn_always(True)."""

from __future__ import annotations

import warnings

_given: set[str] = set()
_always = [False]


def warn_once(text: str, stacklevel: int = 2) -> None:
    """Gives a UserWarning unless it was given before. stacklevel: as for warnings.warn."""
    if _always[0] or text not in _given:
        _given.add(text)
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)


def set_warn_always(b: bool, /) -> None:
    """Asks for warnings each time, not once."""
    _always[0] = b


def is_warn_always_enabled() -> bool:
    """Whether warnings were asked for each time."""
    return _always[0]
