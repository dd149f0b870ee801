"""Python's collector of garbage, which rests while the package is imported."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """A block without garbage collections; the objects that are made in it count as old afterwards.

    All objects that an import makes stay. Collections that find this out again and again take 10 of
    the 60 ms of processor time that this library needs on top of NumPy.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # a program's frozen objects stay frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()
