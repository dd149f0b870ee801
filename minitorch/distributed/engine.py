"""The engine: drives the operations of this process, by polling their requests.

An operation is a generator that yields requests, things with Test(). The caller starts its first
request at once, so that no order of operations can block another; the others follow as requests
complete. A thread that waits for an operation drives all of them; while none waits, a thread of
the engine looks after them now and then, so that communication goes on during computation without
taking a core.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from typing import Any

_LOOKS = 2000  # in vain, before the first nap
_NAP, _LONGEST_NAP = 5e-5, 1e-3  # seconds
_TICK = 2e-4  # seconds between two looks in the background
_REST = 1e-3  # seconds between two looks for something to look after
_QUIET = 50  # such looks in vain until the thread must be woken, which costs an operation 60 us
_GRACE = 0.5  # seconds for what a rank sent before it left, and for word that it was lost


class Operation:
    """An operation on its way.

    Args:
        steps: the generator of its requests.
        keep: what it reads and writes, which lives as long as it does.
        name: what its time limit calls it.
        limit: how many seconds it may take.
    """

    def __init__(self, steps: Iterator[Any], keep: Any, name: str, limit: float) -> None:
        self.steps, self.keep, self.name, self.limit = steps, keep, name, limit
        self.request: Any = None
        self.done = False
        self.error: BaseException | None = None
        self.failed_in_mpi = False
        self.on_done: list[Any] = []

    def advance(self) -> None:
        """Runs on to the next request, or to the end."""
        try:
            self.request = next(self.steps)
        except StopIteration:
            self.done = True
        except BaseException as error:
            self.failed_in_mpi = type(error).__module__.startswith("mpi4py")
            self.error, self.done = error, True

    def look(self) -> bool:
        """Looks at its request; whether it went on."""
        try:
            complete = self.request.Test()
        except Exception as error:  # of MPI: the sizes of two ranks differ, say
            self.error, self.done = _translated(error, self.name), True
            self.failed_in_mpi = "truncate" not in str(error).lower()  # no rank is lost then
            return True
        if complete:
            self.advance()
        return bool(complete)


def _translated(error: Exception, name: str) -> Exception:
    """The exception that the caller gets for an error of MPI."""
    text = str(error)
    if "truncate" in text.lower():
        return RuntimeError(
            f"{name}: Message truncated: another rank sent more than this rank has room for"
        )
    return RuntimeError(f"{name}: {text}")


class Engine:
    """All operations of this process, and what ended them if something did."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # the thread that holds it may call MPI
        self.active: list[Operation] = []
        self.lost: list[Any] = []  # operations and errors: MPI may still write into their memory
        self.failure: str | None = None
        self.left: tuple[int, float] | None = None  # a rank that left, and until when to wait
        self.busy = threading.Event()
        self.drivers = 0
        self.ticking = False
        self.survey: Any = None  # returns what all ranks do; asked when the time limit is over

    def submit(self, operation: Operation) -> Operation:
        """Starts an operation.

        Raises:
            RuntimeError: the world has failed before.
        """
        if self.failure is not None:
            raise RuntimeError(self.failure)
        with self.lock:
            operation.advance()
            if not operation.done:
                self.active.append(operation)
        self._announce([operation])
        return operation

    def leave_alone(self) -> None:
        """Has a thread look after the operations that no caller waits for."""
        if not self.ticking:
            self.ticking = True
            threading.Thread(target=self._tick, daemon=True, name="minitorch MPI").start()
        if not self.busy.is_set():
            self.busy.set()

    def _poll(self) -> list[Operation] | None:
        """Looks at all operations once, with the lock; those that are done, or None: none moved."""
        moved = False
        for each in self.active:
            moved |= each.look()
        if not moved:
            return None
        done = [each for each in self.active if each.done]
        if done:
            self.active = [each for each in self.active if not each.done]
        for each in done:
            if each.failed_in_mpi:
                self._explain(each)
        return done

    def _explain(self, operation: Operation) -> None:
        """Has an operation that failed in MPI tell of a lost rank, which is known soon after.

        MPI copies from the memory of another process, and sees first that there is none any more.
        """
        end = time.monotonic() + (_GRACE if self.survey is not None else 0)
        while self.failure is None and time.monotonic() < end:
            time.sleep(_REST)
        if self.failure is not None:
            operation.error = RuntimeError(self.failure)

    def _announce(self, operations: list[Operation]) -> None:
        """Calls what waits for operations, without the lock: it may start others."""
        for each in operations:
            if each.done:
                waiting, each.on_done = each.on_done, []
                for function in waiting:
                    function()

    def drive(self, operation: Operation, limit: float) -> None:
        """Polls until an operation is done; Ctrl-C, lost ranks and the time limit end it, too."""
        end, idle, looks = time.monotonic() + limit, 0, 0
        self.drivers += 1
        try:
            while not operation.done:
                with self.lock:
                    done = self._poll()
                if done is not None:
                    idle = 0
                    self._announce(done)
                elif (idle := idle + 1) < _LOOKS:
                    os.sched_yield()
                else:  # the others are far behind: leave them the processor
                    time.sleep(min(_LONGEST_NAP, _NAP * (idle - _LOOKS + 1) ** 0.5))
                looks += 1
                if looks & 127 == 0 or idle >= _LOOKS:
                    self._check(operation, limit, end)
        finally:
            self.drivers -= 1
            if self.active and not self.drivers:
                self.leave_alone()

    def _check(self, operation: Operation, limit: float, end: float) -> None:
        """Ends all operations where a rank is gone, or this one has taken too long."""
        now = time.monotonic()
        if self.left is not None and now > self.left[1] and self.failure is None:
            self.failure = f"[MPI] Connection closed by peer: rank {self.left[0]} has left"
        if self.failure is None and now > end:
            milliseconds = round(limit * 1000)
            what = f"{milliseconds}ms for {operation.name} operation to complete"
            text = f"[MPI] Timed out waiting {what}"
            self.failure = text if self.survey is None else f"{text}{self.survey()}"
        if self.failure is not None:
            self.abandon(self.failure)

    def abandon(self, text: str) -> None:
        """Ends all operations with an error; their memory is kept."""
        with self.lock:
            ended, self.active = self.active, []
            for each in ended:
                each.error, each.done = RuntimeError(text), True
            self.lost.extend(ended)
        self._announce(ended)

    def note_left(self, rank: int) -> None:
        """Gives operations a little time to end without a rank that has left."""
        self.left = self.left or (rank, time.monotonic() + _GRACE)

    def note_lost(self, who: str) -> None:
        """Has all operations fail, for want of a rank."""
        if self.failure is None:
            self.failure = f"[MPI] Connection closed by peer: {who} was lost"

    def _tick(self) -> None:
        quiet = 0
        while True:
            self.busy.wait()
            if not self.active:
                quiet += 1
                if quiet > _QUIET:
                    self.busy.clear()
                    if self.active:  # since this thread looked
                        self.busy.set()
                time.sleep(_REST)
                continue
            quiet = 0
            if self.drivers or not self.lock.acquire(blocking=False):
                time.sleep(_REST)
                continue
            try:
                done = self._poll()
            finally:
                self.lock.release()
            if done:
                self._announce(done)
            if self.failure is not None and self.active:
                self.abandon(self.failure)
            if done is None:
                time.sleep(_TICK)


ENGINE = Engine()
