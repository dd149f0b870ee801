"""Python's collector of garbage, which rests while the package is imported."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collections within, and the objects that are made there count as old after it.

    All that an import makes stays. To find that out again and again takes 10 of the 60 ms of
    processor time that this library needs on top of NumPy.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # so nothing is unfrozen that a program froze
                gc.freeze()
                gc.unfreeze()
            gc.enable()
