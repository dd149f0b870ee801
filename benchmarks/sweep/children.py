"""Work in a child process that may take too long, ask for too much memory, or crash."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

if sys.platform == "linux":
    import resource

MEMORY = 6 << 30  # bytes that a child may take on top of what its parent has


@dataclass(frozen=True)
class Ended:
    """Why a child ended before its work did."""

    reason: str


def results(work: Callable[[], Iterable[Any]], patience: float) -> Iterator[Any]:
    """The results of `work`, each as it comes from a child, and an Ended if the child did not get
    to the end. It is killed when it is silent for `patience` seconds.

    A forked child has the modules of its parent at once. Where there is no fork, the work is done
    here.
    """
    if not hasattr(os, "fork"):
        yield from work()
        return
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(work, sender))
    child.start()
    sender.close()
    try:
        while receiver.poll(patience):
            found = receiver.recv()
            if found is None:
                return
            yield found
        yield Ended(f"gave nothing for {patience:.0f} s")
    except EOFError:
        child.join()
        yield Ended(f"crashed with exit code {child.exitcode}")
    finally:
        child.kill()
        child.join()
        receiver.close()


def _send(work: Callable[[], Iterable[Any]], sender: Connection) -> None:
    """Sends each result, then None."""
    _limit_memory()
    for found in work():
        sender.send(found)
    sender.send(None)


def _limit_memory() -> None:
    """Lets allocations fail, as a MemoryError, that the machine may not be able to serve."""
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, hard))
