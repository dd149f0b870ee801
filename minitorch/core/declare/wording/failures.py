"""Functions that a public function calls once it failed; the first failure imports misfits.py."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minitorch.core.declare.wording.public import Public


def _misfits() -> Any:
    from minitorch.core.declare.wording import misfits  # start-up: 1 ms

    return misfits


def refuse(public: Public, *held: Any) -> Callable[[], Any] | None:
    """Raises for a call that torch's parser refuses. To be called by the public function itself.

    held: the values of its parameters by place, in `*rest`, by name, and in `**others`.

    Returns:
        An Again, which makes the call with plain numbers; None if all numbers are plain.

    Raises:
        TypeError: torch's parser refuses the call.
    """
    return _misfits().refused_or_plain(public, held, sys._getframe(2))


def refuse_method(name: str, *held: Any) -> Callable[[], Any] | None:
    """`refuse` for a method of Tensor that is written by hand. To be called by the method."""
    misfits = _misfits()
    return misfits.refused_or_plain(misfits.by_hand(name), held, sys._getframe(2))


def failed(public: Public, *held: Any) -> Callable[[], Any] | None:
    """An Again, which repeats a failed call with torch's names for NumPy's, dtypes for Python's
    types, and plain numbers; None if that would change nothing. Raises as `refuse` does."""
    return _misfits().again(public, held, sys._getframe(2))
