"""Counts of CuPy's calls to the device, as the libraries of this harness count them."""

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple


class Counts(NamedTuple):
    """Kernels launched, copies to the device, copies from it, and times the host waited for it.

    A copy from the device waits, too, and counts as both.
    """

    launches: int
    uploads: int
    downloads: int
    waits: int


def counts() -> Counts:
    """Returns the counts since the process began."""
    driver = ctypes.CDLL("libcuda.so.1")
    runtime = ctypes.CDLL("libfakecudart.so")

    def value(library: ctypes.CDLL, name: str) -> int:
        return ctypes.c_long.in_dll(library, f"emu_{name}").value

    downloads = value(runtime, "d2h")
    waits = value(runtime, "syncs") + downloads
    return Counts(value(driver, "launches"), value(runtime, "h2d"), downloads, waits)


def counts_of(function: Callable[[], Any], warm: int = 2) -> Counts:
    """Returns what one call of a function asks, after so many others."""
    for _ in range(warm):
        function()
    before = counts()
    function()
    return Counts(*[after - start for after, start in zip(counts(), before, strict=True)])
