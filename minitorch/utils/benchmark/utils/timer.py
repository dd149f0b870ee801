"""The time of a statement, as `timeit` measures it, with torch's threads and devices."""

from __future__ import annotations

import enum
import textwrap
import timeit
from collections.abc import Callable
from typing import Any, NoReturn

import minitorch as torch
from minitorch.utils.benchmark.utils import common
from minitorch.utils.benchmark.utils.valgrind_wrapper import timer_interface

__all__ = ["Language", "Timer", "timer"]


def timer() -> float:
    """Seconds on a clock, once the GPU is done if there is one."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    """The language of a statement."""

    PYTHON = 0
    CPP = 1


class CPPTimer:
    """The measure of statements in C++: minitorch compiles none."""

    def __init__(
        self,
        stmt: str,
        setup: str,
        global_setup: str,
        timer: Callable[[], float],
        globals: dict[str, Any],
    ) -> None:
        if globals:
            raise ValueError("C++ timing does not support globals.")
        raise NotImplementedError(
            "torch.utils.benchmark.Timer with language='c++' is not implemented by minitorch"
        )

    def timeit(self, number: int) -> float:
        """Seconds that `number` runs take."""
        raise NotImplementedError("torch.utils.benchmark.CPPTimer is not implemented by minitorch")


def _dedented(code: str) -> str:
    return textwrap.dedent(code).removeprefix("\n").rstrip()


class Timer:
    """Measures a statement after some runs to warm up, on one thread unless told otherwise.

    Args:
        stmt: what is measured, a piece of Python.
        setup: what runs once before.
        global_setup: for C++ alone.
        timer: the clock, a function that returns seconds.
        globals: what the statement can name; torch is there.
        label, sub_label, description, env: how tables name the measurement.
        num_threads: how many threads torch may use.
        language: Language.PYTHON or its name.

    Raises:
        ValueError: the statement is no text, there is a `global_setup`, or no such language.
        NotImplementedError: the statement is in C++.
    """

    _timer_cls: Any = timeit.Timer

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        self._globals = dict(globals or {})
        more: dict[str, Any] = {}
        if language in (Language.PYTHON, "py", "python"):
            self._globals.setdefault("torch", torch)
            self._language = Language.PYTHON
            if global_setup:
                raise ValueError(
                    f"global_setup is C++ only, got `{global_setup}`. Most likely this code can "
                    "simply be moved to `setup`."
                )
        elif language in (Language.CPP, "cpp", "c++"):
            self._timer_cls, self._language = CPPTimer, Language.CPP
            more["global_setup"] = global_setup
        else:
            raise ValueError(f"Invalid language `{language}`.")
        stmt, setup = _dedented(stmt), _dedented(setup)
        names = timer_interface.CopyIfCallgrind.unwrap_all(self._globals)
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=names, **more)
        self._task_spec = common.TaskSpec(
            stmt, setup, global_setup, label, sub_label, description, env, num_threads
        )

    def _timeit(self, number: int) -> float:
        # A clock may stand still for so short a time; nothing takes none at all.
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number: int = 1000000) -> common.Measurement:
        """One measurement of `number` runs."""
        with common.set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return common.Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> NoReturn:
        """Refuses, as torch's does."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> NoReturn:
        """Refuses, as torch's does."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> common.Measurement:
        """Measurements of blocks so long that the clock does not count, for `min_run_time`.

        Args:
            callback: is told how many runs a block has, and the seconds that it took.
            min_run_time: how many seconds the blocks take in all, at least.
        """
        number = self._estimate_block_size(min_run_time)
        times = self._blocks(number, lambda times: True, min_run_time, None, callback)
        return common.Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> common.Measurement:
        """Measurements of blocks until the times differ by less than a share of the median.

        Args:
            threshold: the share, of the distance between the quartiles.
            min_run_time: how many seconds the blocks take in all, at least.
            max_run_time: after how many seconds the last block ends, however much the times differ.
            callback: is told how many runs a block has, and the seconds that it took.
        """
        number = self._estimate_block_size(min_run_time=0.05)

        def measured(times: list[float]) -> common.Measurement:
            return common.Measurement(number, times, self._task_spec)

        def agree(times: list[float]) -> bool:
            return len(times) > 3 and measured(times).meets_confidence(threshold)

        return measured(self._blocks(number, agree, min_run_time, max_run_time, callback))

    def _estimate_block_size(self, min_run_time: float) -> int:
        """The power of ten of runs for which the clock takes a ten-thousandth of a block."""
        with common.set_torch_threads(self._task_spec.num_threads):
            overhead = torch.tensor([self._timeit(0) for _ in range(5)]).median().item()
            number = 1
            while number * 10 <= 2**31 - 1:
                taken = self._timeit(number)
                if taken > min_run_time:
                    break
                if overhead / taken <= 1e-4 and taken >= min_run_time / 1000:
                    break
                number *= 10
        return number

    def _blocks(
        self,
        number: int,
        is_enough: Callable[[list[float]], bool],
        min_run_time: float,
        max_run_time: float | None,
        callback: Callable[[int, float], Any] | None,
    ) -> list[float]:
        """The seconds of blocks of `number` runs, until there are enough of them."""
        times: list[float] = []
        total, enough = 0.0, False
        with common.set_torch_threads(self._task_spec.num_threads):
            while total < min_run_time or not enough:
                times.append(self._timeit(number))
                total += times[-1]
                if callback:
                    callback(number, times[-1])
                enough = is_enough(times)
                if max_run_time and total > max_run_time:
                    break
        return times

    def collect_callgrind(
        self,
        number: int = 100,
        *,
        repeats: int | None = None,
        collect_baseline: bool = True,
        retain_out_file: bool = False,
    ) -> Any:
        """Refuses, once the statement has run: Valgrind counts what compiled torch tells it to.

        Raises:
            ValueError: `repeats` is below 1. OSError: a program of Valgrind is not installed.
            NotImplementedError: all of them are.
        """
        if repeats is not None and repeats < 1:
            raise ValueError("If specified, `repeats` must be >= 1")
        self._timeit(1)
        return timer_interface.wrapper_singleton().collect_callgrind(
            task_spec=self._task_spec,
            globals=self._globals,
            number=number,
            repeats=repeats or 1,
            collect_baseline=collect_baseline,
            is_python=True,
            retain_out_file=retain_out_file,
        )
