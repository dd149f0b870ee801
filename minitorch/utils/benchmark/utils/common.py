"""Tasks to measure, their measurements, and how numbers of seconds are written."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
import textwrap
import time
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import minitorch as torch

__all__ = [
    "Measurement",
    "TaskSpec",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "trim_sigfig",
    "unit_to_english",
]

_MAX_SIGNIFICANT_FIGURES = 4
_MIN_CONFIDENCE_INTERVAL = 25e-9  # seconds
# From which share of the median on the distance between the quartiles is told.
_IQR_WARN_THRESHOLD = 0.1
_IQR_GROSS_WARN_THRESHOLD = 0.25

_UNITS = {"ns": ("nanosecond", 1e-9), "us": ("microsecond", 1e-6), "ms": ("millisecond", 1e-3)}
_UNITS["s"] = ("second", 1)


def identity(self: Any) -> str:
    """The first line of a printed object of torch.utils.benchmark: its class and address."""
    kind = type(self)
    return f"<{kind.__module__.removeprefix('mini')}.{kind.__qualname__} object at {id(self):#x}>"


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """The statement to measure, and its labels."""

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
        """The label of the task, or its statement."""
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
        """The head of a measurement's printed text."""
        sections = [self.title, self.description or "", self.setup_str()]
        return "\n".join([f"{each}\n" if "\n" in each else each for each in sections if each])


_TASKSPEC_FIELDS = tuple(each.name for each in dataclasses.fields(TaskSpec))


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """The times of several blocks of runs of a statement.

    Args:
        number_per_run: how often a block ran the statement.
        raw_times: the seconds that each block took.
        task_spec: what was measured.
        metadata: whatever the program wants to keep with it.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __post_init__(self) -> None:
        self._sorted_times: tuple[float, ...] = ()
        self._warnings: tuple[str, ...] = ()
        self._median = self._mean = self._p25 = self._p75 = -1.0

    def __getattr__(self, name: str) -> Any:
        if name in _TASKSPEC_FIELDS:
            return getattr(self.task_spec, name)
        return super().__getattribute__(name)

    @property
    def times(self) -> list[float]:
        """The seconds of a run, one number per block."""
        return [each / self.number_per_run for each in self.raw_times]

    @property
    def median(self) -> float:
        """The median time."""
        self._lazy_init()
        return self._median

    @property
    def mean(self) -> float:
        """The mean time."""
        self._lazy_init()
        return self._mean

    @property
    def iqr(self) -> float:
        """The distance between the quartiles."""
        self._lazy_init()
        return self._p75 - self._p25

    @property
    def significant_figures(self) -> int:
        """The number of significant figures of the median, from the spread between the quartiles.

        Its logarithms are of single precision, as torch's are, which decides ties.
        """
        self._lazy_init()
        count = len(self._sorted_times)
        last = int(torch.tensor(3 * count / 4).ceil())
        middle = torch.tensor(self._sorted_times[count // 4 : last])
        spread, root = middle.std(unbiased=False).item(), torch.tensor(len(middle)).sqrt().item()
        interval = max(1.645 * spread / root, _MIN_CONFIDENCE_INTERVAL)
        digits = torch.tensor(self._median / interval).log10().item()
        figures = int(torch.tensor(digits).floor())
        return min(max(figures, 1), _MAX_SIGNIFICANT_FIGURES)

    @property
    def has_warnings(self) -> bool:
        """Whether the times differ so much that the text says so."""
        self._lazy_init()
        return bool(self._warnings)

    def _lazy_init(self) -> None:
        if not self.raw_times or self._sorted_times:
            return
        self._sorted_times = tuple(sorted(self.times))
        times = torch.tensor(self._sorted_times, dtype=torch.float64)
        self._mean = times.mean().item()
        self._p25, self._median, self._p75 = [
            times.quantile(share).item() for share in (0.25, 0.5, 0.75)
        ]
        if self.meets_confidence(_IQR_WARN_THRESHOLD):
            return
        text = "This could indicate system fluctuation."
        if not self.meets_confidence(_IQR_GROSS_WARN_THRESHOLD):
            text = "This suggests significant environmental influence."
        share = self.iqr / self.median * 100
        told = f"  WARNING: Interquartile range is {share:.1f}% of the median measurement."
        self._warnings = (f"{told}\n           {text}",)

    def meets_confidence(self, threshold: float = _IQR_WARN_THRESHOLD) -> bool:
        """Whether the times differ by a small share of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        """The title of the task."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """The name of the task in a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        self._lazy_init()
        count, threads = len(self._sorted_times), self.num_threads
        unit, scale = select_unit(self._median)
        several = count > 1
        lines = [identity(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if several else ''}{self._median / scale:.2f} {unit}")
        if count >= 4:
            low, high = self._p25 / scale, self._p75 / scale
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        lines.append(
            f"  {count} measurement{'s' if several else ''}, {self.number_per_run} runs "
            f"{'per measurement,' if several else ','} {threads} thread{'s' if threads > 1 else ''}"
        )
        return "\n".join([*lines, *self._warnings])

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One measurement for each task, with the times of all of that task, per run."""
        times: dict[TaskSpec, list[float]] = {}
        for each in measurements:
            times.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, found, task, None) for task, found in times.items()]


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a number of seconds has one to three digits before the point, and its
    length in seconds."""
    thousands = int(torch.tensor(t).log10().item() // 3)
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(thousands, "s")
    return unit, _UNITS[unit][1]


def unit_to_english(u: str) -> str:
    """The word for a unit: "nanosecond" for "ns"."""
    return _UNITS[u][0]


def trim_sigfig(x: float, n: int) -> float:
    """A number rounded to `n` significant figures, in single precision."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10 ** (int(torch.tensor(x).abs().log10().ceil().item()) - n)
    return float(torch.tensor(x / scale).round() * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The elements without repetitions, each where it stands first."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Sets the number of threads for the duration of a `with` block."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)


def _make_temp_dir(prefix: str | None = None, gc_dev_shm: bool = False) -> str:
    """A new folder for temporary files, which the caller removes."""
    if (os.getenv("BENCHMARK_USE_DEV_SHM") or "").lower() in ("1", "true"):
        raise NotImplementedError(
            "torch.utils.benchmark with BENCHMARK_USE_DEV_SHM is not implemented by minitorch"
        )
    name = f"{prefix or tempfile.gettempprefix()}__{int(time.time())}__{uuid.uuid4()}"
    path = os.path.join(tempfile.gettempdir(), name)
    os.makedirs(path, exist_ok=False)
    return path
