"""torch.__config__: what this library stands on."""

from __future__ import annotations

import numpy

from minitorch._public.settings import get_num_interop_threads, get_num_threads


def show() -> str:
    """The libraries that do the work, a line each."""
    build = numpy.show_config(mode="dicts")["Build Dependencies"]
    blas = build["blas"]
    return (
        f"minitorch runs PyTorch's operators on:\n  - NumPy {numpy.__version__}\n"
        f"  - {blas['name']} {blas['version']}\n"
    )


def parallel_info() -> str:
    """The threads that may be used."""
    return (
        f"ATen/Parallel:\n\tat::get_num_threads() : {get_num_threads()}\n"
        f"\tat::get_num_interop_threads() : {get_num_interop_threads()}\n"
    )
