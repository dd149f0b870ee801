"""torch.utils.benchmark: how long statements take, as Timer and Measurement of torch do it."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import textwrap
import timeit
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy

import minitorch as torch
from minitorch.namespace import missing

__path__: list[str] = []  # a package in torch, of whose modules there are outlines


def timer() -> float:
    """Seconds on a clock, once the GPU is done if there is one."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    """In which language a statement is."""

    PYTHON = 0
    CPP = 1


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """What is measured, and what it is called."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """Its label, or the statement."""
        named = f": {self.sub_label}" if self.sub_label else ""
        if self.label is not None or "\n" not in self.stmt:
            return (self.stmt if self.label is None else self.label) + named
        named = f" ({self.sub_label})" if self.sub_label else ""
        return f"stmt:{named}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self) -> str:
        """The setup, indented where it has several lines."""
        if self.setup == "pass" or not self.setup:
            return ""
        setup = self.setup
        return f"setup:\n{textwrap.indent(setup, '  ')}" if "\n" in setup else f"setup: {setup}"

    def summarize(self) -> str:
        """The head of what is printed of a measurement."""
        sections = [self.title, self.description or "", self.setup_str()]
        return "\n".join([f"{each}\n" if "\n" in each else each for each in sections if each])


@dataclasses.dataclass(repr=False)
class Measurement:
    """The times of several blocks of runs of a statement."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        return self.__getattribute__(name)

    @property
    def times(self) -> list[float]:
        """The time of a run, one per block."""
        return [each / self.number_per_run for each in self.raw_times]

    @cached_property
    def _quartiles(self) -> list[float]:
        return [float(each) for each in numpy.quantile(self.times, [0.25, 0.5, 0.75])]

    @property
    def median(self) -> float:
        """The median time."""
        return self._quartiles[1]

    @property
    def mean(self) -> float:
        """The mean time."""
        return float(numpy.mean(self.times))

    @property
    def iqr(self) -> float:
        """The distance between the quartiles."""
        return self._quartiles[2] - self._quartiles[0]

    def meets_confidence(self, threshold: float = 0.1) -> bool:
        """Whether the times differ by a small share of the median."""
        return self.iqr / self.median < threshold

    @property
    def has_warnings(self) -> bool:
        """Whether the times differ so much that the text says so."""
        return not self.meets_confidence()

    @property
    def title(self) -> str:
        """The title of the task."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """What a table calls it."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        exponent = min((e for e in (-9, -6, -3, 0) if self.median < 10 ** (e + 3)), default=0)
        scale, unit = 10**exponent, {-9: "ns", -6: "us", -3: "ms", 0: "s"}[exponent]
        low, median, high = [each / scale for each in self._quartiles]
        count, threads = len(self.times), self.num_threads
        several = count > 1
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if several else ''}{median:.2f} {unit}")
        if count >= 4:
            lines.append(f"  IQR:    {high - low:.2f} {unit} ({low:.2f} to {high:.2f})")
        lines.append(
            f"  {count} measurement{'s' if several else ''}, {self.number_per_run} runs "
            f"{'per measurement,' if several else ','} {threads} thread{'s' if threads > 1 else ''}"
        )
        if self.has_warnings:
            share = self.iqr / self.median * 100
            lines.append(
                f"  WARNING: Interquartile range is {share:.1f}% of the median measurement."
            )
            gross = not self.meets_confidence(0.25)
            lines.append(
                "           This suggests significant environmental influence."
                if gross
                else "           This could indicate system fluctuation."
            )
        return "\n".join(lines)


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(count)
        yield
    finally:
        torch.set_num_threads(before)


def _dedented(code: str) -> str:
    return textwrap.dedent(code).removeprefix("\n").rstrip()


class Timer:
    """Measures a statement after some runs to warm up, on one thread unless told otherwise."""

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
        if language not in (Language.PYTHON, "python", "py"):
            raise NotImplementedError(f"torch.utils.benchmark.Timer with language {language!r}")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply "
                "be moved to `setup`."
            )
        names = {"torch": torch, **(globals or {})}
        stmt, setup = _dedented(stmt), _dedented(setup)
        self._timer = timeit.Timer(stmt, setup, timer, names)
        self._task_spec = TaskSpec(
            stmt, setup, global_setup, label, sub_label, description, env, num_threads
        )

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number: int = 1000000) -> Measurement:
        """One measurement of `number` runs."""
        with _threads(self._task_spec.num_threads):
            self._timeit(max(number // 100, 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measurements of blocks so long that the clock does not count, for `min_run_time`."""
        times: list[float] = []
        with _threads(self._task_spec.num_threads):
            number = self._block_size(min_run_time)
            while sum(times) < min_run_time:
                times.append(self._timeit(number))
                if callback:
                    callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def _block_size(self, min_run_time: float) -> int:
        overhead = sorted([self._timeit(0) for _ in range(5)])[2]
        number = 1
        while number * 10 <= 2**31 - 1:
            taken = self._timeit(number)
            if taken > min_run_time:
                break
            if overhead / taken <= 1e-4 and taken >= min_run_time / 1000:
                break
            number *= 10
        return number


def __getattr__(name: str) -> Any:
    return missing("torch.utils.benchmark", name)
