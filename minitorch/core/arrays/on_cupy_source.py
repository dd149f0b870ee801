"""Kernels in CUDA C++ by the dtype of their numbers, compiled on first use and kept.

A source is written for T, the numbers in memory, and A, in which they are computed: float32 for
half types, else T. A row is the work of a block, whose threads meet in `sum` and `largest`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import cupy

_NAMES = {"float16": "float16", "bfloat16": "bfloat16", "float32": "float", "float64": "double"}
_NAMES |= {"int64": "long long"}
_HALVES = "#include <cupy/carray.cuh>\n"
_HEADER = """
typedef {number} T;
typedef {wide} A;
typedef long long I;
#define INFINITE A(__int_as_float(0x7f800000))

__device__ A sum(A v, A* parts) {
    for (int step = 16; step; step >>= 1) v += __shfl_xor_sync(0xffffffffu, v, step);
    if (blockDim.x > 32) {
        __syncthreads();  // all have read the parts of the sum before
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
        __syncthreads();
        v = parts[0];
        for (int i = 1; i < blockDim.x / 32; i++) v += parts[i];
    }
    return v;
}

__device__ A largest(A v, A* parts) {
    for (int step = 16; step; step >>= 1) {
        A other = __shfl_xor_sync(0xffffffffu, v, step);
        v = other > v ? other : v;
    }
    if (blockDim.x > 32) {
        __syncthreads();
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
        __syncthreads();
        v = parts[0];
        for (int i = 1; i < blockDim.x / 32; i++) v = parts[i] > v ? parts[i] : v;
    }
    return v;
}
"""
_THREADS = 256
# Blocks of a kernel that goes over all elements: more of them go round again.
_MOST_BLOCKS = 132 * 32


def is_supported(x: Any) -> bool:
    """Whether there are kernels of the dtype of `x`."""
    return x.dtype.name in _NAMES and x.dtype.kind in "fV"


@functools.cache
def kernel(source: str, name: str, dtype: Any) -> Callable[..., None]:
    """The kernel `name` of a source, for numbers of a dtype: kernel(grid, block, arguments)."""
    number = _NAMES[dtype.name]
    wide = "float" if dtype.itemsize == 2 else number
    header = _HEADER.replace("{number}", number).replace("{wide}", wide)
    if "sum(" not in source and "largest(" not in source:
        header = header[: header.index("__device__")]
    text = (_HALVES if dtype.itemsize == 2 else "") + header + source
    # The function of the only device, which RawKernel looks up at each call: 0.25 us less.
    made: Callable[..., None] = cupy.RawKernel(text, name, options=("-std=c++17",)).kernel
    return made


def in_rows(x: Any) -> Any:
    """`x`, or a copy of it, row by row without gaps; cupy.ascontiguousarray makes vectors of 0-d
    arrays."""
    return x if x.flags.c_contiguous else cupy.ascontiguousarray(x)


def by_rows(function: Any, rows: int, length: int, *arguments: Any) -> None:
    """Launches a kernel with a block for each row of so many numbers."""
    threads = 32
    while threads < length // 4 and threads < 1024:
        threads *= 2
    function((rows,), (threads,), arguments)


def by_elements(function: Any, size: int, *arguments: Any) -> None:
    """Launches a kernel with a thread for each of so many elements, or for each few of them."""
    blocks = (size + _THREADS - 1) // _THREADS
    function((min(blocks, _MOST_BLOCKS),), (_THREADS,), arguments)
