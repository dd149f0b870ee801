"""Examines units in processes of their own; one that dies takes nothing with it.

A unit of written programs has a process for itself: programs define classes, change settings and
import modules, so the verdict on the next one would depend on which process is free for it.
"""

import multiprocessing
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait

from conformance import examine as examiner
from conformance import limits
from conformance.cases.sources import Unit
from conformance.examine import Verdict, examine
from conformance.options import Options

GRACE = 15  # seconds past a unit's limits; a process that is still busy then is killed
WRITTEN = ("programs",)  # the sources whose cases torch may not survive: chance wrote them


@dataclass
class Worker:
    """A process, the pipe to it, its position (see examine.PLACE), and the unit that it runs.

    deadly: the unit's cases in which torch has ended a process already.
    """

    process: multiprocessing.Process
    pipe: Connection
    place: Sequence[int]
    unit: Unit | None = None
    since: float = 0.0
    deadly: tuple[int, ...] = ()


def verdicts(units: list[Unit], options: Options, jobs: int) -> Iterator[Verdict]:
    """Yields the verdict on every unit as soon as it is there, in no fixed order."""
    waiting = list(reversed(units))
    workers: list[Worker] = []
    longest = limits.WAITING * options.seconds + GRACE  # by the clock
    try:
        for _ in range(min(jobs, len(units))):
            workers.append(_start(options, workers))
        for worker in workers:
            _feed(worker, waiting)
        while busy := [worker for worker in workers if worker.unit]:
            ready = wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                if worker.pipe in ready:
                    verdict = _receive(worker, options.seconds)
                elif (waited := time.monotonic() - worker.since) > longest:
                    verdict = Verdict(worker.unit, trouble=f"killed after waiting {waited:.0f} s")
                    worker.process.kill()
                else:
                    continue
                if verdict.trouble.startswith(("killed", "crashed")):
                    fresh = _start(options, workers)
                    workers[workers.index(worker)] = fresh
                    if verdict.trouble.startswith("crashed") and _is_torchs(worker):
                        _feed(fresh, [worker.unit], (*worker.deadly, worker.place[0]))
                        continue
                    worker = fresh
                elif waiting and (verdict.unit.is_program or waiting[-1].is_program):
                    worker = _anew(worker, options, workers)
                _feed(worker, waiting)
                yield verdict
    finally:
        for worker in workers:
            worker.process.terminate()


def _start(options: Options, others: list[Worker]) -> Worker:
    context = multiprocessing.get_context(start_method(options.device))
    here, there = context.Pipe()
    forked = context.get_start_method() == "fork"
    inherited = [here, *(worker.pipe for worker in others)] if forked else []
    place = context.RawArray("i", 2)
    process = context.Process(target=_serve, args=(there, options, inherited, place), daemon=True)
    process.start()
    there.close()
    return Worker(process, here, place)


def _anew(worker: Worker, options: Options, workers: list[Worker]) -> Worker:
    """Ends a process and starts one in its place; the same process if a start takes seconds."""
    if start_method(options.device) != "fork":
        return worker
    worker.process.terminate()
    worker.process.join()
    worker.pipe.close()
    place = workers.index(worker)
    workers[place] = _start(options, workers[:place] + workers[place + 1 :])
    return workers[place]


def start_method(device: str) -> str:
    """The way processes begin: forked, since torch and op_db are loaded once then.

    No process may use CUDA after a fork of one that has, and op_db asks the GPU for its capability
    while it is imported: on cuda each process begins anew.
    """
    return "spawn" if device == "cuda" else "fork"


def _feed(worker: Worker, waiting: list[Unit], deadly: tuple[int, ...] = ()) -> None:
    worker.unit = waiting.pop() if waiting else None
    worker.since = time.monotonic()
    worker.deadly = deadly
    if worker.unit:
        worker.pipe.send((worker.unit, deadly))


def _is_torchs(worker: Worker) -> bool:
    """Whether torch, not the library, ended the process, by a program: the rest is examined."""
    case, done = worker.place
    return worker.unit.source in WRITTEN and not done and case not in worker.deadly


def _receive(worker: Worker, seconds: int) -> Verdict:
    try:
        return worker.pipe.recv()
    except EOFError:
        worker.process.join()
        ended = f"crashed: exit code {worker.process.exitcode}"
        if worker.process.exitcode == limits.TIME_IS_UP:
            ended = f"killed after {seconds + GRACE} s of processor time"
        return Verdict(worker.unit, trouble=ended)


def _serve(
    pipe: Connection, options: Options, inherited: list[Connection], place: Sequence[int]
) -> None:
    examiner.PLACE = place
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:  # or the pipes would stay open when the parent dies
        other.close()
    try:
        while True:
            unit, deadly = pipe.recv()
            limits.end_after(options.seconds + GRACE)
            verdict = examine(unit, replace(options, deadly=deadly))
            lost = options.device == "cuda" and _is_cuda_lost()
            if lost:
                verdict.trouble = "crashed: after an assertion on the device CUDA does nothing more"
            pipe.send(verdict)
            if lost:
                return
    except (EOFError, BrokenPipeError):
        pass


def _is_cuda_lost() -> bool:
    """Whether an assertion in a kernel has ended this process's use of CUDA."""
    import torch  # not above: what a spawned process loads first has yet to set its threads

    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False
