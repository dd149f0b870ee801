"""torch.fx._compatibility: the mark that torch puts on what stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Marked = TypeVar("_Marked")
_BACK_COMPAT_OBJECTS: dict[Any, None] = {}
_MARKED_WITH_COMPATIBILITY: dict[Any, None] = {}


def compatibility(is_backward_compatible: bool) -> Callable[[_Marked], _Marked]:
    """A decorator that notes its object as marked, and as one that stays compatible if it says so.

    Source: torch/fx/_compatibility.py.
    """

    def mark(marked: _Marked) -> _Marked:
        if is_backward_compatible:
            _BACK_COMPAT_OBJECTS.setdefault(marked)
        _MARKED_WITH_COMPATIBILITY.setdefault(marked)
        return marked

    return mark
