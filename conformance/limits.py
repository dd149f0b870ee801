"""Limits on what a unit, a file or a fault may take: processor time, not time by the clock.

Processor time hardly depends on what else the machine does, so that load decides no verdict. What
waits for something that never comes uses none of it, and is ended by the clock all the same, after
`WAITING` times its limit.
"""

import math
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Processes that share a core with nine busy ones still use up their processor time first.
WAITING = 10
TIME_IS_UP = -signal.SIGXCPU  # the exit code of a process that `end_after` has ended


class TimeLimit(BaseException):
    """The time is used up; no handler inside a case may catch it."""


def processor_time() -> float:
    """Returns the seconds that this process and its children have used, once these have ended."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeLimit in this thread, the main one, when the block has used up its time."""

    def use_up(*_: Any) -> None:
        raise TimeLimit(f"stopped after {seconds} s of processor time")

    def give_up(*_: Any) -> None:
        raise TimeLimit(f"stopped after {WAITING * seconds} s, most of them spent waiting")

    before = [(sign, signal.getsignal(sign)) for sign in (signal.SIGPROF, signal.SIGALRM)]
    signal.signal(signal.SIGPROF, use_up)
    signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, WAITING * seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for sign, handler in before:
            signal.signal(sign, handler)


def run(command: list[str], **settings: Any) -> subprocess.CompletedProcess[str]:
    """Returns what a command prints and how it ends; within `time_limit`, its time counts as well.

    Raises TimeLimit where the command uses up what is left.
    """
    left = signal.getitimer(signal.ITIMER_PROF)[0]  # 0 where there is no limit
    if left:  # the shell sets the limit: `preexec_fn` forks, which threads make unsafe
        command = ["sh", "-c", f'ulimit -S -t {math.ceil(left)}; exec "$@"', "sh", *command]
    before = _ended()
    done = subprocess.run(command, capture_output=True, text=True, **settings)
    if left:
        left = signal.getitimer(signal.ITIMER_PROF)[0] - (_ended() - before)
        if left <= 0 or done.returncode == TIME_IS_UP:
            signal.raise_signal(signal.SIGPROF)
        signal.setitimer(signal.ITIMER_PROF, left)
    return done


def end_after(seconds: float) -> None:
    """Lets the kernel end this process when it has used so much more processor time.

    Unlike TimeLimit, this also ends what does not come back from C.
    """
    own = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    end = math.ceil(own.ru_utime + own.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (end if most < 0 else min(end, most), most))


def _ended() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
