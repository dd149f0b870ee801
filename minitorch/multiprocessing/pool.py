"""torch.multiprocessing.pool: Python's pool of processes over this package's queues.

As in torch, Pool() itself cannot be made: it makes queues without the context that they need.
torch.multiprocessing.Pool is Python's own, whose processes get tensors as shared memory, too.
"""

from __future__ import annotations

import multiprocessing.pool
import multiprocessing.util as util
from typing import Any

from minitorch.multiprocessing.queue import SimpleQueue


def clean_worker(*args: Any, **kwargs: Any) -> None:
    """Runs a process of a pool, and gives shared memory back at its end."""
    import gc

    multiprocessing.pool.worker(*args, **kwargs)
    gc.collect()


class Pool(multiprocessing.pool.Pool):
    """A pool of processes that sends tensors as shared memory."""

    __module__ = "torch.multiprocessing.pool"

    def _setup_queues(self) -> None:
        self._inqueue = SimpleQueue()
        self._outqueue = SimpleQueue()
        self._quick_put = self._inqueue._writer.send
        self._quick_get = self._outqueue._reader.recv

    def _repopulate_pool(self) -> None:
        """Starts processes until there are as many as there should be."""
        own: Any = self
        for _ in range(own._processes - len(own._pool)):
            given = own._inqueue, own._outqueue, own._initializer, own._initargs
            wrap = (own._wrap_exception,) if hasattr(self, "_wrap_exception") else ()
            arguments = (*given, own._maxtasksperchild, *wrap)
            worker = own.Process(target=clean_worker, args=arguments)
            own._pool.append(worker)
            worker.name = worker.name.replace("Process", "PoolWorker")
            worker.daemon = True
            worker.start()
            util.debug("added worker")
