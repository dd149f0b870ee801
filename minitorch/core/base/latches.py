"""Latches: they keep the whole process off a fast path as long as there is a reason.

While a `Latch` is empty, the fast path is taken: code that runs often tests only that. The
reasons are held weakly, so a latch opens again by itself when the last of them has died.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any


class Latch(dict[int, Any]):
    """Objects that are a reason not to take a fast path: weak references to them, by their id."""

    __slots__ = ()

    def hold(self, reason: Any) -> None:
        """Closes the latch until `reason` has died or is released."""
        key = id(reason)
        # pop(key, reference) has a default, so nothing happens if the key is gone.
        self[key] = weakref.ref(reason, partial(self.pop, key))

    def release(self, reason: Any) -> None:
        """Takes a reason away, if it is one."""
        self.pop(id(reason), None)
