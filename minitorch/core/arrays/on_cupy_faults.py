"""Faults that kernels find: an index out of range, reported when the host next waits.

A kernel that meets such an index writes 1 into a word of the host's memory and continues. The next
call that copies numbers from the device, or waits for it, raises torch's error: nothing has to wait
for a check. With CUDA_LAUNCH_BLOCKING=1 the host checks each index before it is used, and raises
torch's error of the CPU.
"""

from __future__ import annotations

import os
from typing import Any

import cupy
import numpy

from minitorch.core.numbers.device import AcceleratorError, OutOfMemoryError

_ADVICE = (
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
    "below might be incorrect.\n"
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
_TEXT = (
    "CUDA error: device-side assert triggered\n"
    "Search for `cudaErrorAssert' in "
    "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more "
    f"information.\n{_ADVICE}"
)
INVALID_DEVICE = (
    "CUDA error: invalid device ordinal\n"
    f"GPU device may be out of range, do you have enough GPUs?\n{_ADVICE}"
)
_memory = cupy.cuda.alloc_pinned_memory(8)
_word = numpy.frombuffer(_memory, numpy.int64, 1)
_word[0] = 0
WORD = numpy.uint64(_memory.ptr)  # kernels are given it: the device reads the host's memory there
OutOfMemory = cupy.cuda.memory.OutOfMemoryError
blocking = os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0")


def check() -> None:
    """Raises the error for a fault that a kernel found. Called after waiting for the device."""
    if _word[0]:
        _word[0] = 0
        raise AcceleratorError(_TEXT)


def out_of_memory(error: Any) -> OutOfMemoryError:
    """torch's error in the place of CuPy's, which knows how many bytes were asked for."""
    free, total = cupy.cuda.runtime.memGetInfo()
    return OutOfMemoryError(
        f"CUDA out of memory. Tried to allocate {_size(error._size)}. GPU 0 has a total capacity "
        f"of {_size(total)} of which {_size(free)} is free."
    )


def _size(count: int) -> str:
    """A number of bytes in torch's words. As c10/util/StringUtil.h and CachingAllocator.h."""
    if count <= 1024:
        return f"{count} bytes"
    for name, bits in (("KiB", 10), ("MiB", 20)):
        if count <= 1 << bits + 10:
            return f"{count / (1 << bits):.2f} {name}"
    return f"{count / (1 << 30):.2f} GiB"
