"""Large kernels in parts that several threads take one after the other.

NumPy's loops release Python's lock, so two of them run at once. Each part is a block of elements
that is computed independently, and the blocks depend on sizes alone: the bits are the same for any
number of threads. docs/decisions/0033-threads-for-long-loops.md lists the kernels that become
faster.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from typing import Any

from minitorch.core.arrays import blas

# Whether this is a part of a kernel already: what it calls is not cut again.
_inside: ContextVar[bool] = ContextVar("inside", default=False)


class _Helper:
    """A thread that waits for work, does it, and reports the end."""

    __slots__ = ("_done", "_wanted", "_work")

    def __init__(self) -> None:
        self._wanted, self._done = allocate_lock(), allocate_lock()
        self._wanted.acquire()
        self._done.acquire()
        self._work: Callable[[], None] | None = None
        start_new_thread(self._wait, ())  # which the end of the program does not wait for

    def _wait(self) -> None:
        while True:
            self._wanted.acquire()
            work, self._work = self._work, None
            if work is not None:
                work()
            del work  # and with it the arrays
            self._done.release()

    def start(self, work: Callable[[], None]) -> None:
        self._work = work
        self._wanted.release()

    def join(self) -> None:
        self._done.acquire()


_helpers: list[_Helper] = []
_idle: deque[_Helper] = deque()


def _forget() -> None:
    """Drops the threads in the child of a fork: they exist in the parent alone."""
    _helpers.clear()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _free(most: int) -> list[_Helper]:
    """Up to `most` threads that wait; new ones are made while there are fewer in all."""
    found = []
    for _ in range(most):
        try:
            found.append(_idle.pop())
        except IndexError:
            if len(_helpers) >= most:  # others use them
                break
            try:
                helper = _Helper()
            except RuntimeError:  # the system has none, or the program ends
                break
            _helpers.append(helper)
            found.append(helper)
    return found


# Elements that a thread computes at a time, as torch's grain: 40 us of exp in double.
PART = 1 << 15
MANY = 4 * PART  # elements from which on it pays to wake a thread, which takes 40 us


def over_elements(kernel: Callable[..., None], out: Any, *arrays: Any) -> Any:
    """`out` after kernel(*arrays, out). The kernel is called on parts of the elements if there are
    many, and all arrays lie row by row in one shape."""
    size = out.size
    if (
        size < MANY
        or blas.threads() == 1
        or not out.flags.c_contiguous
        or any([x.shape != out.shape or not x.flags.c_contiguous for x in arrays])
    ):
        kernel(*arrays, out)
        return out
    flat = [x.reshape(-1) for x in (*arrays, out)]
    run(lambda start: kernel(*[x[start : start + PART] for x in flat]), range(0, size, PART))
    return out


def over_rows(kernel: Callable[[slice], None], rows: int, size: int) -> None:
    """Calls kernel(rows of a block) until all rows are done; `size` elements in all decide whether
    there are several blocks."""
    if size < MANY or rows < 2 or blas.threads() == 1:
        kernel(slice(None))
        return
    step = max(1, PART * rows // size)
    run(lambda start: kernel(slice(start, start + step)), range(0, rows, step))


def run(work: Callable[[Any], None], parts: Sequence[Any]) -> None:
    """Calls work(part) for each of `parts`, on as many threads as a product may use.

    work: writes what no other part reads or writes. Context variables, NumPy's error state among
        them, are those of the caller. What it raises is raised here, from the first part in time.
    """
    threads = min(len(parts), blas.threads())
    helpers = _free(threads - 1) if threads > 1 and not _inside.get() else []
    if not helpers:
        for part in parts:
            work(part)
        return
    rest = iter(parts)
    errors: list[BaseException] = []

    def share() -> None:
        _inside.set(True)
        try:
            for part in rest:
                work(part)
        except BaseException as error:
            errors.append(error)
            for _ in rest:  # no thread starts on these
                pass

    try:
        for helper in helpers:
            context = copy_context()
            helper.start(lambda context=context: context.run(share))
        copy_context().run(share)
        for helper in helpers:
            _wait_for(helper, errors)
        _idle.extend(helpers)
        if errors:
            raise errors[0]
    finally:
        errors.clear()  # whose tracebacks lead here


def _wait_for(helper: _Helper, errors: list[BaseException]) -> None:
    """Waits until the helper is done, even if a signal's handler raises meanwhile."""
    while True:
        try:
            return helper.join()
        except BaseException as error:
            errors.append(error)
