"""An account of the memory on CUDA devices, kept by a hook of CuPy's allocator."""

from __future__ import annotations

from typing import Any

import cupy


class Account(cupy.cuda.MemoryHook):
    """How many bytes tensors occupy and the pool holds: now, at most, and in all.

    As CuPy counts them, a block is as large as was asked for, rounded up to 512 bytes.
    """

    name = "minitorch"

    def __init__(self, pool: Any) -> None:
        super().__init__()
        self.pool = pool
        self.allocated = self.freed = 0
        self.reset_peaks()
        self.__enter__()  # for the rest of the process

    def malloc_postprocess(self, **given: Any) -> None:
        self.allocated += given["mem_size"]
        self.most_used = max(self.most_used, self.pool.used_bytes())
        self.most_held = max(self.most_held, self.pool.total_bytes())

    def free_postprocess(self, **given: Any) -> None:
        self.freed += given["mem_size"]

    def reset_peaks(self) -> None:
        """Lets peaks be what there is now."""
        self.most_used, self.most_held = self.pool.used_bytes(), self.pool.total_bytes()

    def reset_sums(self) -> None:
        """Lets sums begin at 0."""
        self.allocated = self.freed = 0

    def stats(self) -> dict[str, int]:
        """The numbers under torch's names."""
        now = {"allocated": self.pool.used_bytes(), "reserved": self.pool.total_bytes()}
        most = {"allocated": self.most_used, "reserved": self.most_held}
        stats = {}
        for kind in now:
            stats[f"{kind}_bytes.all.current"] = now[kind]
            stats[f"{kind}_bytes.all.peak"] = most[kind]
        stats["allocated_bytes.all.allocated"] = self.allocated
        stats["allocated_bytes.all.freed"] = self.freed
        return stats
