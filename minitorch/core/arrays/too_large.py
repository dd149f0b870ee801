"""torch's errors for arrays of more bytes than it counts, or than the machine has.

Called once NumPy refused an array: nothing here is asked of arrays that fit.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

_COUNTED = 1 << 63  # bytes and elements that torch counts are fewer
_REFUSED = ("array is too big", "Maximum allowed", "maximum supported")


def no_memory(nbytes: int) -> RuntimeError:
    """The error where the machine does not have so many bytes."""
    return RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: "
        f"you tried to allocate {nbytes} bytes. Error code 12 (Cannot allocate memory)"
    )


def uncounted(shape: Any) -> RuntimeError | None:
    """The error for sizes whose product is not counted; torch multiplies all before it asks
    whether it counts them, so that sizes of 0 save only those that follow."""
    count = 1
    for size in shape:
        count *= int(size)
        if count >= 2 * _COUNTED:
            break
    return RuntimeError("numel: integer multiplication overflow") if count >= _COUNTED else None


def fresh_error(error: Exception, shape: Any, dtype: Any) -> Exception:
    """The error for a fresh row-major array which NumPy refused with `error`."""
    shape, itemsize = _sizes(shape), _itemsize(dtype)
    if isinstance(error, MemoryError):
        return no_memory(prod(shape) * itemsize)
    if not _is_of_size(error):
        return error
    if uncounted(shape) is not None or prod(shape) * itemsize >= _COUNTED:
        return RuntimeError(f"Storage size calculation overflowed with sizes={shape}")
    step = 1
    for size in reversed(shape[1:]):
        step *= max(size, 1)
        if step >= _COUNTED:
            return RuntimeError("Stride calculation overflowed")
    return _beyond_numpy(shape)


def check_resize(shape: Any, itemsize: int) -> None:
    """Raises the error for sizes that torch gives to a tensor which has others: it counts the
    elements first."""
    error = uncounted(shape)
    if error is not None:
        raise error
    if prod(shape) * itemsize >= _COUNTED:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={_sizes(shape)}")


def strided_error(error: Exception, shape: Any, strides: Any, dtype: Any) -> Exception:
    """The error for a fresh array of these strides, in elements."""
    shape, itemsize = _sizes(shape), _itemsize(dtype)
    reach = 0 if 0 in shape else 1 + sum([(n - 1) * s for n, s in zip(shape, strides, strict=True)])
    if isinstance(error, MemoryError):
        return no_memory(reach * itemsize)
    if not _is_of_size(error):
        return error
    if reach * itemsize >= _COUNTED:
        return RuntimeError(
            f"Storage size calculation overflowed with sizes={shape} and strides={list(strides)}"
        )
    return _beyond_numpy(shape)


def view_error(error: Exception, shape: Any) -> Exception:
    """The error for a view of these sizes, whose bytes torch does not count but NumPy does."""
    if not _is_of_size(error):
        return error
    return uncounted(_sizes(shape)) or _beyond_numpy(_sizes(shape))


def _beyond_numpy(shape: list[int]) -> NotImplementedError:
    return NotImplementedError(f"a tensor of sizes={shape}, which NumPy cannot describe")


def _is_of_size(error: Exception) -> bool:
    return isinstance(error, ValueError) and str(error).startswith(_REFUSED)


def _sizes(shape: Any) -> list[int]:
    return [int(n) for n in (shape if hasattr(shape, "__iter__") else (shape,))]


def _itemsize(dtype: Any) -> int:
    return int(numpy.dtype(dtype).itemsize)
