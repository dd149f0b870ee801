"""Counts of instructions by function, as Valgrind's callgrind tells them.

The containers are whole: they print, add and compare counts that were taken elsewhere. minitorch
takes none itself, because callgrind is switched on and off around a statement by compiled code.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

import minitorch as torch
from minitorch.utils.benchmark.utils.common import TaskSpec, identity

__all__ = ["CallgrindStats", "CopyIfCallgrind", "FunctionCount", "FunctionCounts"]

_ROWS = 18  # of counts that are printed, the first and the last ones
# What differs from build to build in a function's name: torch's folder, CPython's, the library.
_STANDARD = (
    (r"^.+build/\.\./", "build/../"),
    (r"^.+/build/aten/", "build/aten/"),
    (r"^.+/Python/", "Python/"),
    (r"^.+/Objects/", "Objects/"),
    (r"\s\[.+\]$", ""),
)


class FunctionCount(NamedTuple):
    """The number of instructions of a function."""

    count: int  # type: ignore[assignment]
    function: str


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class FunctionCounts:
    """Counts of many functions, from the largest; they can be added, subtracted and filtered.

    Args:
        inclusive: whether a count has the instructions of the functions that are called, too.
        truncate_rows: whether the middle of many rows is left out in print.
    """

    _data: tuple[FunctionCount, ...]
    inclusive: bool
    truncate_rows: bool = True
    _linewidth: int | None = None  # of print; torch's own if None

    def __iter__(self) -> Iterator[FunctionCount]:
        yield from self._data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, item: Any) -> FunctionCounts:
        found: Any = self._data[item]
        # A single count is a tuple, too: torch takes it for several.
        return FunctionCounts(found, self.inclusive, truncate_rows=False)

    def __repr__(self) -> str:
        # A sign counts twice, in torch as well.
        width = max((len(str(count)) + int(count < 0) for count, _ in self), default=0)
        line = self._linewidth or torch._tensor_str.PRINT_OPTS.linewidth
        room = max(line - width - 4, 40)
        lines = [f"  {count:>{width}}  {_shortened(name, room)}" for count, name in self]
        if self.truncate_rows and len(lines) > _ROWS:
            half = _ROWS // 2
            lines = [*lines[:half], "...".rjust(width + 2), *lines[-half:]]
        if not self.inclusive:
            lines += ["", f"Total: {self.sum()}"]
        return "\n".join([identity(self), *lines])

    def __add__(self, other: FunctionCounts) -> FunctionCounts:
        return self._merge(other, 1)

    def __sub__(self, other: FunctionCounts) -> FunctionCounts:
        return self._merge(other, -1)

    def __mul__(self, other: int | float) -> FunctionCounts:
        scaled = {name: int(count * other) for count, name in self}
        return self._from_dict(scaled, self.inclusive)

    def transform(self, map_fn: Callable[[str], str]) -> FunctionCounts:
        """The counts by other names; those of functions that get the same name are added up."""
        renamed = _summed((map_fn(name), count) for count, name in self)
        return self._from_dict(renamed, self.inclusive)

    def filter(self, filter_fn: Callable[[str], bool]) -> FunctionCounts:
        """The counts of the functions for whose name `filter_fn` says yes."""
        return FunctionCounts(tuple(x for x in self if filter_fn(x.function)), self.inclusive)

    def sum(self) -> int:
        """All instructions."""
        return sum(count for count, _ in self)

    def denoise(self) -> FunctionCounts:
        """The counts without CPython's look-ups of names, which vary from run to run."""
        return self.filter(lambda name: "dictobject.c:lookdict_unicode" not in name)

    def _merge(self, second: FunctionCounts, sign: int) -> FunctionCounts:
        if self.inclusive != second.inclusive:
            raise AssertionError("Cannot merge inclusive and exclusive counts.")
        first = ((name, count) for count, name in self)
        other = ((name, sign * count) for count, name in second)
        return self._from_dict(_summed([*first, *other]), self.inclusive)

    @staticmethod
    def _from_dict(counts: dict[str, int], inclusive: bool) -> FunctionCounts:
        found = (FunctionCount(count, name) for name, count in counts.items() if count)
        return FunctionCounts(tuple(sorted(found, reverse=True)), inclusive)


def _summed(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, count in counts:
        found[name] = found.get(name, 0) + count
    return found


def _shortened(name: str, room: int) -> str:
    """A name whose middle is left out if it is longer than `room`."""
    if len(name) <= room:
        return name
    left = (room - 5) // 2
    return f"{name[:left]} ... {name[-(room - left - 5) :]}"


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class CallgrindStats:
    """The instructions that a statement took, and those of an empty one.

    Args:
        task_spec: what was measured.
        number_per_run: how often the statement ran.
        built_with_debug_symbols: whether functions have the lines of their source.
        baseline_inclusive_stats, baseline_exclusive_stats: of the empty statement.
        stmt_inclusive_stats, stmt_exclusive_stats: of the statement.
        stmt_callgrind_out: the file that callgrind wrote.
    """

    task_spec: TaskSpec
    number_per_run: int
    built_with_debug_symbols: bool
    baseline_inclusive_stats: FunctionCounts
    baseline_exclusive_stats: FunctionCounts
    stmt_inclusive_stats: FunctionCounts
    stmt_exclusive_stats: FunctionCounts
    stmt_callgrind_out: str | None

    def __repr__(self) -> str:
        base, threads = self.baseline_exclusive_stats, self.task_spec.num_threads
        totals = (self.counts(), self.counts(denoise=True)), (base.sum(), base.denoise().sum())
        rows = zip(("Instructions: ", "Baseline:     "), totals, strict=True)
        runs = f"{self.number_per_run} runs per measurement"
        lines = [
            identity(self),
            self.task_spec.summarize(),
            f"{' ' * 27}All{' ' * 10}Noisy symbols removed",
            *[f"    {label}{every:>12}{' ' * 15}{steady:>12}" for label, (every, steady) in rows],
            f"{runs}, {threads} thread{'s' if threads > 1 else ''}",
        ]
        if not self.built_with_debug_symbols:
            lines += [
                "Warning: PyTorch was not built with debug symbols.",
                "         Source information may be limited. Rebuild with",
                "         REL_WITH_DEB_INFO=1 for more detailed results.",
            ]
        return "\n".join(lines)

    def stats(self, inclusive: bool = False) -> FunctionCounts:
        """The counts of the statement, with or without the functions that are called."""
        return self.stmt_inclusive_stats if inclusive else self.stmt_exclusive_stats

    def counts(self, *, denoise: bool = False) -> int:
        """All instructions of the statement, with or without CPython's look-ups of names."""
        stats = self.stmt_exclusive_stats
        return (stats.denoise() if denoise else stats).sum()

    def delta(self, other: CallgrindStats, inclusive: bool = False) -> FunctionCounts:
        """The number of instructions by which each function took more than in `other`."""
        return self.stats(inclusive) - other.stats(inclusive)

    def as_standardized(self) -> CallgrindStats:
        """The counts by names without what differs from build to build, such as folders."""

        def standard(name: str) -> str:
            for before, after in _STANDARD:
                name = re.sub(before, after, name)
            return name

        renamed = {
            field.name: getattr(self, field.name).transform(standard)
            for field in dataclasses.fields(self)
            if field.name.endswith("clusive_stats")
        }
        return dataclasses.replace(self, **renamed, stmt_callgrind_out=None)


class Serialization(enum.Enum):
    """The ways by which a value gets to the process that Valgrind watches."""

    PICKLE = 0
    TORCH = 1
    TORCH_JIT = 2


_GLOBALS_ALLOWED_TYPES: dict[Serialization, tuple[Any, ...]] = {
    Serialization.PICKLE: (str, bytes, bool, int, float, complex),
    Serialization.TORCH_JIT: (torch.jit.ScriptFunction, torch.jit.ScriptModule),
    Serialization.TORCH: (torch.nn.Module,),
}


class CopyIfCallgrind:
    """Says of a global of a Timer that the statement may run with a copy of it.

    Args:
        value: the global.
        setup: code that runs before it is read there, such as the import of its class.

    Raises:
        ValueError: it is of a type that is not handed on.
    """

    def __init__(self, value: Any, *, setup: str | None = None) -> None:
        for way, types in _GLOBALS_ALLOWED_TYPES.items():
            if isinstance(value, types):
                self._value, self._setup, self._serialization = value, setup, way
                return
        supported = "\n".join(map(repr, _GLOBALS_ALLOWED_TYPES.values()))
        raise ValueError(
            f"Unsupported type: {type(value)}\n"
            "`collect_callgrind` restricts globals to the following types:\n"
            f"{textwrap.indent(supported, '  ')}"
        )

    @property
    def value(self) -> Any:
        """The global."""
        return self._value

    @property
    def setup(self) -> str | None:
        """The code that runs before it is read."""
        return self._setup

    @property
    def serialization(self) -> Serialization:
        """The way by which the value gets to the other process."""
        return self._serialization

    @staticmethod
    def unwrap_all(globals: dict[str, Any]) -> dict[str, Any]:
        """The globals themselves, by name."""
        return {
            name: each.value if isinstance(each, CopyIfCallgrind) else each
            for name, each in globals.items()
        }


class _ValgrindWrapper:
    """Stands for the class that runs a statement under callgrind."""

    def collect_callgrind(self, task_spec: TaskSpec, globals: Any, **options: Any) -> NoReturn:
        """Refuses.

        Raises:
            OSError: a program of Valgrind is not installed. NotImplementedError: all of them are.
        """
        commands = ("valgrind", "callgrind_control", "callgrind_annotate")
        if absent := [each for each in commands if shutil.which(each) is None]:
            raise OSError("Missing: " + ", ".join(absent))
        raise NotImplementedError(
            "torch.utils.benchmark.Timer.collect_callgrind is not implemented by minitorch"
        )


CALLGRIND_SINGLETON: _ValgrindWrapper | None = None


def wrapper_singleton() -> _ValgrindWrapper:
    """The one wrapper of this process."""
    global CALLGRIND_SINGLETON
    if CALLGRIND_SINGLETON is None:
        CALLGRIND_SINGLETON = _ValgrindWrapper()
    return CALLGRIND_SINGLETON
