"""Examines units in processes of their own; one that dies takes nothing with it."""

import multiprocessing
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from conformance.cases.sources import Unit
from conformance.examine import Verdict, examine
from conformance.options import Options

GRACE = 15  # seconds that a process is waited for after a unit's time is over


@dataclass
class Worker:
    """A process, the pipe to it, and what it is busy with."""

    process: multiprocessing.Process
    pipe: Connection
    unit: Unit | None = None
    since: float = 0.0


def verdicts(units: list[Unit], options: Options, jobs: int) -> Iterator[Verdict]:
    """Yields the verdict on every unit as soon as it is there, in no fixed order."""
    waiting = list(reversed(units))
    workers: list[Worker] = []
    try:
        for _ in range(min(jobs, len(units))):
            workers.append(_start(options, workers))
        for worker in workers:
            _feed(worker, waiting)
        while busy := [worker for worker in workers if worker.unit]:
            ready = wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                if worker.pipe in ready:
                    verdict = _receive(worker)
                elif time.monotonic() - worker.since > options.seconds + GRACE:
                    verdict = Verdict(worker.unit, trouble=f"killed after {options.seconds} s")
                    worker.process.kill()
                else:
                    continue
                if verdict.trouble.startswith(("killed", "crashed")):
                    workers[workers.index(worker)] = worker = _start(options, workers)
                _feed(worker, waiting)
                yield verdict
    finally:
        for worker in workers:
            worker.process.terminate()


def _start(options: Options, others: list[Worker]) -> Worker:
    context = multiprocessing.get_context("fork")  # torch and op_db are loaded once
    here, there = context.Pipe()
    inherited = [here, *(worker.pipe for worker in others)]
    process = context.Process(target=_serve, args=(there, options, inherited), daemon=True)
    process.start()
    there.close()
    return Worker(process, here)


def _feed(worker: Worker, waiting: list[Unit]) -> None:
    worker.unit = waiting.pop() if waiting else None
    worker.since = time.monotonic()
    if worker.unit:
        worker.pipe.send(worker.unit)


def _receive(worker: Worker) -> Verdict:
    try:
        return worker.pipe.recv()
    except EOFError:
        worker.process.join(5)
        return Verdict(worker.unit, trouble=f"crashed: exit code {worker.process.exitcode}")


def _serve(pipe: Connection, options: Options, inherited: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:  # or the pipes would stay open when the parent dies
        other.close()
    try:
        while True:
            pipe.send(examine(pipe.recv(), options))
    except (EOFError, BrokenPipeError):
        pass
