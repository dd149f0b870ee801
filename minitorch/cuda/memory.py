"""torch.cuda's account of memory: that of CuPy's pool."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from minitorch._public import outlines
from minitorch.cuda import (
    _cupy,
    is_available,
    memory_reserved,
)
from minitorch.cuda import empty_cache as empty_cache
from minitorch.cuda import mem_get_info as mem_get_info
from minitorch.cuda import memory_allocated as memory_allocated

__all__ = (
    "CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete "
    "caching_allocator_disabled caching_allocator_enable change_current_allocator empty_cache "
    "get_allocator_backend get_per_process_memory_fraction host_memory_stats "
    "host_memory_stats_as_nested_dict list_gpu_processes max_memory_allocated max_memory_cached "
    "max_memory_reserved mem_get_info memory_allocated memory_cached memory_reserved "
    "memory_snapshot memory_stats memory_stats_as_nested_dict memory_summary "
    "reset_accumulated_host_memory_stats reset_accumulated_memory_stats "
    "reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats "
    "reset_peak_memory_stats set_per_process_memory_fraction use_mem_pool"
).split()


_account: Any = None


def _counted(missing: str) -> Any:
    """The account of this process, begun at the first call: to keep it takes 1 us an allocation.

    missing: the function that torch calls, and lacks without CUDA. AttributeError.
    """
    global _account
    if _account is None and not is_available():  # as in torch's builds without CUDA
        raise AttributeError(f"module 'torch._C' has no attribute '_cuda_{missing}'")
    if _account is None:
        from minitorch.cuda._account import Account  # start-up: it needs CuPy

        _account = Account(_cupy().get_default_memory_pool())
    return _account


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """The account of the allocator by name; empty without CUDA.

    Of torch's names those of bytes that are allocated and reserved, counted since this process
    first asked for any of them.
    """
    return (
        OrderedDict()
        if not is_available()
        else OrderedDict(sorted(_counted("memoryStats").stats().items()))
    )


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that tensors occupied at once, since this process first asked for an account
    or began it anew; 0 without CUDA."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes held at once, counted as max_memory_allocated is; 0 without CUDA."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def memory_cached(device: Any = None) -> int:
    """memory_reserved by its old name."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: Any = None) -> int:
    """max_memory_reserved by its old name."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _renamed(old: str, new: str) -> None:
    warnings.warn(
        f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning, stacklevel=3
    )


def reset_peak_memory_stats(device: Any = None) -> None:
    """Begins the account of peaks anew."""
    _counted("resetPeakMemoryStats").reset_peaks()


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Begins the account of sums anew."""
    _counted("resetAccumulatedMemoryStats").reset_sums()


def reset_max_memory_allocated(device: Any = None) -> None:
    """Begins the account of peaks anew."""
    _old_reset("reset_max_memory_allocated")


def reset_max_memory_cached(device: Any = None) -> None:
    """Begins the account of peaks anew."""
    _old_reset("reset_max_memory_cached")


def _old_reset(name: str) -> None:
    warnings.warn(
        f"torch.cuda.{name} now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak "
        "memory stats.",
        FutureWarning,
        stacklevel=3,
    )
    reset_peak_memory_stats()


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Lets this process use a part of the memory of the device alone."""
    _cupy().get_default_memory_pool().set_limit(fraction=fraction)


__getattr__, __dir__ = outlines.rest_of("torch.cuda.memory")
