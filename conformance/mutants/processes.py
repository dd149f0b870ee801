"""Runs a function on each of many things, each time in a fresh fork of this process."""

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any

from conformance import limits

_END = object()


class Lost(str):
    """Why there is no result: the process was killed, or it died."""


def each_in_a_process(
    function: Callable[[Any], Any], things: Iterable[Any], jobs: int, seconds: float
) -> Iterator[tuple[Any, Any]]:
    """Yields (thing, result) as they come, `Lost` for a result that did not.

    seconds: of processor time, for each.
    """
    longest = limits.WAITING * seconds  # by the clock
    context = multiprocessing.get_context("fork")
    waiting = iter(things)
    busy: dict[Any, tuple[Any, Any, float]] = {}
    try:
        while True:
            while len(busy) < jobs and (thing := next(waiting, _END)) is not _END:
                here, there = context.Pipe(duplex=False)
                process = context.Process(target=_serve, args=(function, thing, there, seconds))
                process.start()
                there.close()
                busy[here] = thing, process, time.monotonic()
            if not busy:
                return
            ready = wait(list(busy), timeout=0.5)
            for pipe, (thing, process, since) in list(busy.items()):
                if pipe in ready:
                    result = _receive(pipe, process, seconds)
                elif time.monotonic() - since > longest:
                    process.kill()
                    result = Lost(f"no answer within {longest:.0f} s")
                else:
                    continue
                del busy[pipe]
                process.join()
                pipe.close()
                yield thing, result
    finally:
        for _, process, _ in busy.values():
            process.kill()


def _receive(pipe: Any, process: Any, seconds: float) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        process.join()
        if process.exitcode == limits.TIME_IS_UP:
            return Lost(f"no answer within {seconds:.0f} s of processor time")
        return Lost(f"died with exit code {process.exitcode}")


def _serve(function: Callable[[Any], Any], thing: Any, pipe: Any, seconds: float) -> None:
    limits.end_after(seconds)
    try:
        pipe.send(function(thing))
    except Exception as error:
        pipe.send(Lost(f"{type(error).__name__}: {error}"))
    pipe.close()
