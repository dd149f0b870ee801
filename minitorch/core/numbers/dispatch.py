"""dispatch: the dtypes that ATen's kernels know, by the sets that its dispatch macros name.

A row says `kernel="tril", knows=EVERY - LATE_UNSIGNED`; calls with other dtypes are refused as
not implemented. As ATen/Dispatch_v2.h.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import LATE_UNSIGNED as LATE_UNSIGNED

BOOL = frozenset((dtypes.bool,))
INTEGRAL = frozenset((dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))
BYTE, LONG = frozenset((dtypes.uint8,)), frozenset((dtypes.int64,))
FLOATING = frozenset((dtypes.float32, dtypes.float64))
HALVES = frozenset((dtypes.float16, dtypes.bfloat16))
COMPLEX = frozenset((dtypes.complex64, dtypes.complex128))
COMPLEX_HALF = frozenset((dtypes.complex32,))
FLOAT8 = frozenset(each for each in dtypes.FLOAT8 if each.is_signed)  # the scales are moved alone
EVERY = frozenset(dtypes.DTYPES)  # but for floats of 8 bits, which few kernels know

# The dtypes of most element-wise kernels, unless their rows declare others.
USUAL = EVERY - LATE_UNSIGNED - COMPLEX_HALF

# Of these NumPy's dtypes are made when they are first used.
_WAITING = HALVES | COMPLEX_HALF | FLOAT8


def in_numpy(known: Set[dtypes.dtype]) -> set[Any]:
    """NumPy's dtypes for a set of ours, except those that are made at their first use."""
    return {each.numpy for each in known - _WAITING}


def refusing_others(known: frozenset[dtypes.dtype]) -> Callable[[Any, str], None]:
    """A function of an array and a kernel's name: NotImplementedError for a dtype that the kernel
    does not know. For forwards that call one of several kernels."""
    plain = in_numpy(known)

    def refuse(x: Any, kernel: str) -> None:
        if x.dtype not in plain and dtypes.of(x) not in known:
            raise dtypes.unknown_to(kernel, x)

    return refuse


# Raises what kernels say that know all dtypes but uint16, uint32 and uint64.
refuse_late_unsigned = refusing_others(EVERY - LATE_UNSIGNED)
