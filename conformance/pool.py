"""Runs operators in processes of their own; one that dies takes nothing with it."""

import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from conformance.examine import Options, Verdict, examine

GRACE = 15  # seconds that a process is waited for after an operator's time is over


@dataclass
class Worker:
    """A process, the pipe to it, and what it is busy with."""

    process: multiprocessing.Process
    pipe: Connection
    key: str = ""
    since: float = 0.0


def verdicts(keys: list[str], options: Options, jobs: int) -> Iterator[Verdict]:
    """Yields the verdict on every operator as soon as it is there, in no fixed order."""
    waiting = list(reversed(keys))
    workers = [_start(options) for _ in range(min(jobs, len(keys)))]
    try:
        for worker in workers:
            _feed(worker, waiting)
        while busy := [worker for worker in workers if worker.key]:
            ready = wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                if worker.pipe in ready:
                    verdict = _receive(worker)
                elif time.monotonic() - worker.since > options.seconds + GRACE:
                    verdict = Verdict(worker.key, trouble=f"killed after {options.seconds} s")
                    worker.process.kill()
                else:
                    continue
                if verdict.trouble.startswith(("killed", "crashed")):
                    workers[workers.index(worker)] = worker = _start(options)
                _feed(worker, waiting)
                yield verdict
    finally:
        for worker in workers:
            worker.process.terminate()


def _start(options: Options) -> Worker:
    context = multiprocessing.get_context("fork")  # torch and op_db are loaded once
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, options), daemon=True)
    process.start()
    there.close()
    return Worker(process, here)


def _feed(worker: Worker, waiting: list[str]) -> None:
    worker.key = waiting.pop() if waiting else ""
    worker.since = time.monotonic()
    if worker.key:
        worker.pipe.send(worker.key)


def _receive(worker: Worker) -> Verdict:
    try:
        return worker.pipe.recv()
    except EOFError:
        worker.process.join(5)
        return Verdict(worker.key, trouble=f"crashed: exit code {worker.process.exitcode}")


def _serve(pipe: Connection, options: Options) -> None:
    try:
        while True:
            pipe.send(examine(pipe.recv(), options))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        pass
