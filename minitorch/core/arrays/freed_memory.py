"""How much freed memory the C library keeps for the next arrays.

glibc gives memory back to the system once twice the size of the largest block that was freed so
far lies idle at the end of its heap. A step of training frees tens of megabytes in arrays of one
or two: they would go back at every step, and return at the next as pages that the system fills
with zeros, one fault for 4 KiB. See docs/decisions/0032-freed-memory-is-kept.md.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import numpy

# The largest block that glibc learns from has 32 MiB, bookkeeping included.
_LARGEST = 31 << 20


def keep_freed_memory() -> None:
    """Frees one large block, untouched: glibc then keeps up to twice as much freed memory."""
    if sys.platform == "linux":
        with suppress(MemoryError):  # where there is little, all the more of it goes back
            numpy.empty(_LARGEST, numpy.uint8)
