"""Refusals of writes into memory that is written or read at two places at once.

As aten/src/ATen/MemoryOverlap.cpp. What is read through a bit is copied
first, and overlaps nothing.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.lazy import Lazy

_TEXT = (
    "unsupported operation: {} to a single memory location. Please clone() the tensor before "
    "performing the operation."
)


def overlaps_itself(x: Any) -> bool:
    """Whether elements of `x` are known to share memory with one another."""
    if x.flags.c_contiguous:
        return False
    return bool(x.size) and any(n > 1 and not s for n, s in zip(x.shape, x.strides, strict=True))


def check_itself(x: Any) -> None:
    """RuntimeError with torch's text if elements of `x`, about to be written, share memory."""
    if not x.flags.c_contiguous and overlaps_itself(x):
        raise RuntimeError(_TEXT.format("more than one element of the written-to tensor refers"))


def check_same_or_apart(x: Any, other: Any) -> None:
    """RuntimeError with torch's text if `other`, read while `x` is written, lies partly in it."""
    if x is not other and _overlap(x, other) == "partly":
        raise _refused()


def check_apart(x: Any, other: Any, itself: bool) -> None:
    """RuntimeError with torch's text if `other`, read while `x` is written, lies in it at all.

    itself: whether they are one tensor, which is refused even if it is empty.
    """
    if (itself and type(x) is not Lazy) or _overlap(x, other):
        raise _refused()


def _refused() -> RuntimeError:
    both = "some elements of the input tensor and the written-to tensor refer"
    return RuntimeError(_TEXT.format(both))


def _overlap(x: Any, other: Any) -> str:
    """'', 'partly' or 'fully'; '' as well where torch holds it too hard to tell."""
    if not (x.size and other.size) or type(x) is not type(other) or type(x) is Lazy:
        return ""
    xp = namespace(x)
    if not xp.may_share_memory(x, other):
        return ""
    strides, others = layout.strides_of(x), layout.strides_of(other)
    if not (layout.is_dense(x.shape, strides) and layout.is_dense(other.shape, others)):
        return ""
    if xp.pointer(x) == xp.pointer(other) and x.nbytes == other.nbytes and strides == others:
        return "fully"
    return "partly"
