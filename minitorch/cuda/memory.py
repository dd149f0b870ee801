"""torch.cuda's account of memory: that of CuPy's pool, whose peaks are not kept."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any, NoReturn

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


def _unknown(name: str) -> NoReturn:
    _cupy()
    raise NotImplementedError(f"torch.cuda.{name}: CuPy keeps no such account")


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """The account of the allocator by name; empty without CUDA."""
    return OrderedDict() if not is_available() else _unknown("memory_stats")


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that tensors occupied at once; 0 without CUDA."""
    return 0 if not is_available() else _unknown("max_memory_allocated")


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes held at once; 0 without CUDA."""
    return 0 if not is_available() else _unknown("max_memory_reserved")


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


def reset_peak_memory_stats(device: Any = None) -> NoReturn:
    """Begins the account of peaks anew: there is none."""
    _unknown("reset_peak_memory_stats")


def reset_accumulated_memory_stats(device: Any = None) -> NoReturn:
    """Begins the account of sums anew: there is none."""
    _unknown("reset_accumulated_memory_stats")


def reset_max_memory_allocated(device: Any = None) -> NoReturn:
    """Begins the account of peaks anew: there is none."""
    _unknown("reset_max_memory_allocated")


def reset_max_memory_cached(device: Any = None) -> NoReturn:
    """Begins the account of peaks anew: there is none."""
    _unknown("reset_max_memory_cached")


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Lets this process use a part of the memory of the device alone."""
    _cupy().get_default_memory_pool().set_limit(fraction=fraction)


__getattr__, __dir__ = outlines.rest_of("torch.cuda.memory")
