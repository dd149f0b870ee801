"""Ranks that are threads, over the stand-ins for CuPy and NCCL."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import minitorch.distributed as dist
from minitorch.distributed.backends import BACKENDS
from minitorch.testing._internal.distributed import multi_threaded_pg as threads
from tests import strict_nccl, strict_streams
from tests.strict_array import registered

BACKENDS.pop("threaded", None)  # which importing the worlds of threads has added


@contextlib.contextmanager
def nccl_there() -> Iterator[Any]:
    """While it lasts there are a device, CuPy and its module nccl, which is what comes back."""
    nccl = sys.modules["cupy.cuda.nccl"] = strict_nccl.module(strict_streams)
    try:
        with registered():
            yield nccl
    finally:
        del sys.modules["cupy.cuda.nccl"]


@contextlib.contextmanager
def ranks() -> Iterator[Callable[..., list[Any]]]:
    """Gives a function that runs another one, of a rank, on threads; what each returns or raises.

    Its keyword `backend` is what init_process_group gets, and `options` more of its arguments.
    """
    threads._install_threaded_pg()

    def run(
        function: Callable[[int], Any], size: int = 2, backend: Any = "nccl", **options: Any
    ) -> list[Any]:
        store, ended = dist.HashStore(), [None] * size

        def work(rank: int) -> None:
            try:
                dist.init_process_group(backend, store=store, rank=rank, world_size=size, **options)
                ended[rank] = function(rank)
            except BaseException as error:
                ended[rank] = error
            if dist.is_initialized():
                dist.destroy_process_group()

        started = [
            threading.Thread(target=work, args=(rank,), name=f"rank {rank}") for rank in range(size)
        ]
        for each in started:
            each.start()
        for each in started:
            each.join(60)
        return ended

    try:
        yield run
    finally:
        threads._uninstall_threaded_pg()
        threads.ProcessLocalGroup.reset()
