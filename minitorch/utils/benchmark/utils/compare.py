"""Tables of measurements: a row for what runs, a column for each description of how it runs."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

import minitorch as torch
from minitorch.utils.benchmark.utils import common
from minitorch.utils.benchmark.utils.common import Measurement

__all__ = ["Colorize", "Compare"]

# How terminals are told of colours, and that a colour ends.
BEST = "\033[92m"
GOOD = "\033[34m"
BAD = "\033[2m\033[91m"
VERY_BAD = "\033[31m"
BOLD = "\033[1m"
TERMINATE = "\033[0m"

_SEPARATOR = "  |  "
_SPREAD_WIDTH = 7  # of " (! 12%)", which follows a time that is not to be trusted


class Colorize(enum.Enum):
    """Among which times the best one is looked for."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Options(NamedTuple):
    """The options for writing a table."""

    colorize: Colorize = Colorize.NONE
    trims_figures: bool = False
    highlights_warnings: bool = False


class _Column:
    """The format of a column's times, which makes all of them equally long."""

    def __init__(
        self, results: list[Measurement | None], time_scale: float, options: Options
    ) -> None:
        there = [each for each in results if each is not None]
        self._scale = time_scale
        self._trims = options.trims_figures
        self._highlights = options.highlights_warnings and any(x.has_warnings for x in there)
        digits = [int(torch.tensor(x.median / time_scale).log10().ceil()) for x in there]
        decimals = 1
        if self._trims:
            figures = [x.significant_figures for x in there]
            decimals = min(
                max(wanted - before, 0) for wanted, before in zip(figures, digits, strict=True)
            )
        self._width = max(digits) + decimals + (1 if decimals else 0)
        self._decimals = decimals

    def text_of(self, result: Measurement | None) -> str:
        """The median of a measurement in the table's unit; spaces where there is none."""
        if result is None:
            return " " * len(self._written(1, 1, ""))
        spread = ""
        if self._highlights and result.has_warnings:
            spread = f" (! {result.iqr / result.median * 100:.0f}%)"
        return self._written(result.median / self._scale, result.significant_figures, spread)

    def _written(self, value: float, figures: int, spread: str) -> str:
        if self._trims:
            value = common.trim_sigfig(value, figures)
        padded = f"{spread:>{_SPREAD_WIDTH}}" if self._highlights else ""
        return f"{value:>{self._width}.{self._decimals}f}{padded}"


class _Row:
    """The measurements of a row, and what stands in front of them."""

    def __init__(self, results: list[Measurement | None], group: int) -> None:
        self.results = results
        self.group = group  # rows of one number of threads
        self.name = ""
        self.heading: str | None = None  # a line above it


def _coloured(text: str, value: float, best: float) -> str:
    """A time in the colour of how it compares with the best one; those between have none."""
    if value <= best * 1.01 or value <= best + 100e-9:
        return BEST + BOLD + text + TERMINATE * 2
    if value <= best * 1.1:
        return GOOD + BOLD + text + TERMINATE * 2
    if value >= best * 5:
        return VERY_BAD + BOLD + text + TERMINATE * 2
    if value >= best * 2:
        return BAD + text + TERMINATE * 2
    return text


class Table:
    """The measurements of one label as a table.

    Args:
        results: of at least one measurement; a later one takes the place of an earlier one with the
            same row and column.
        colorize, trim_significant_figures, highlight_warnings: how it is written.

    Raises:
        AssertionError: they have several labels.
    """

    def __init__(
        self,
        results: list[Measurement],
        colorize: Colorize,
        trim_significant_figures: bool,
        highlight_warnings: bool,
    ) -> None:
        if len({each.label for each in results}) != 1:
            raise AssertionError("All results must share the same label")
        self.results, self.label = results, results[0].label
        self._options = Options(colorize, trim_significant_figures, highlight_warnings)
        fastest = min(each.median for each in results)
        self.time_unit, self.time_scale = common.select_unit(fastest)
        self.row_keys = common.ordered_unique(map(self.row_fn, results))
        self.row_keys.sort(key=lambda key: key[:2])  # the order of statements stays
        self.column_keys = common.ordered_unique(map(self.col_fn, results))
        self.rows = self._rows()
        self.columns = [
            _Column([row.results[i] for row in self.rows], self.time_scale, self._options)
            for i in range(len(self.column_keys))
        ]

    @staticmethod
    def row_fn(m: Measurement) -> tuple[int, str | None, str]:
        """The row of a measurement: its number of threads, its environment, what runs."""
        return m.num_threads, m.env, m.as_row_name

    @staticmethod
    def col_fn(m: Measurement) -> str | None:
        """The column of a measurement: its description."""
        return m.description

    def _rows(self) -> list[_Row]:
        found = {(self.row_fn(each), self.col_fn(each)): each for each in self.results}
        environments = {each.env for each in self.results}
        names_environment = len(environments) > 1
        width = max(len(each) for each in environments) if names_environment else 0
        rows: list[_Row] = []
        threads, environment, group = -1, "", -1
        for key in self.row_keys:
            row = _Row([found.get((key, column)) for column in self.column_keys], group)
            if key[0] != threads:
                threads, environment, group = key[0], "", group + 1
                row.group, row.heading = group, f"{threads} threads: "
            shown = f"({key[1]})" if names_environment and key[1] != environment else ""
            row.name = "  " + shown.ljust(width + 4) + key[2]
            environment = key[1]
            rows.append(row)
        return rows

    def render(self) -> str:
        """The text of the table."""
        texts = [["", *self.column_keys]]
        texts += [[row.name, *self._times(row)] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        lines = [_SEPARATOR.join(text.center(w) for text, w in zip(texts[0], widths, strict=True))]
        overall = len(lines[0])
        for text, row in zip(texts[1:], self.rows, strict=True):
            if row.heading is not None:
                lines.append(row.heading.ljust(overall, "-"))
            lines.append(_SEPARATOR.join(self._cells(row, text, widths)))
        title = f" {self.label or ''} ".center(overall - 2, "-")
        end = f"Times are in {common.unit_to_english(self.time_unit)}s ({self.time_unit}).\n"
        if self._options.highlights_warnings and any(each.has_warnings for each in self.results):
            end += "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
        return "\n".join([f"[{title}]", *lines, "", end])

    def _times(self, row: _Row) -> list[str]:
        pairs = zip(row.results, self.columns, strict=True)
        return [column.text_of(result) for result, column in pairs]

    def _cells(self, row: _Row, texts: list[str], widths: list[int]) -> list[str]:
        """A row's texts as wide as their columns are, with colours."""
        cells = [texts[0].ljust(widths[0])]
        for i, result in enumerate(row.results):
            text = texts[i + 1].center(widths[i + 1])
            best = self._best(row, i)
            if result is not None and best is not None:
                text = _coloured(text, result.median, best)
            cells.append(text)
        return cells

    def _best(self, row: _Row, column: int) -> float | None:
        """The time that one in this row and column is compared with."""
        among: list[Measurement | None] = []
        if self._options.colorize is Colorize.ROWWISE:
            among = row.results
        elif self._options.colorize is Colorize.COLUMNWISE:
            among = [each.results[column] for each in self.rows if each.group == row.group]
        return optional_min(each.median for each in among if each is not None)


def optional_min(seq: Iterable[float]) -> float | None:
    """The least of some numbers; None if there are none."""
    return min(seq, default=None)


class Compare:
    """Measurements as tables, one for each label: `print(Compare(measurements))`.

    Rows have a number of threads, an `env`, and the `sub_label` or the statement; columns have a
    `description`. Measurements of one task are taken together.

    Args:
        results: the measurements.

    Raises:
        ValueError: one of them is something else.
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trim_significant_figures = False
        self._colorize = Colorize.NONE
        self._highlight_warnings = False

    def __str__(self) -> str:
        return "\n".join(self._render())

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Adds measurements. ValueError for anything else."""
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(
                    f"Expected an instance of `Measurement`, got {type(each)} instead."
                )
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Leaves out figures of the times that their spread says nothing for."""
        self._trim_significant_figures = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colours times by how they compare with the best one of their column, or of their row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Marks times that differ much from run to run."""
        self._highlight_warnings = True

    def print(self) -> None:
        """Prints the tables."""
        print(str(self))

    def _render(self) -> list[str]:
        """The text of each table."""
        groups: dict[str | None, list[Measurement]] = {}
        for each in Measurement.merge(self._results):
            groups.setdefault(each.label, []).append(each)
        return [
            Table(
                group, self._colorize, self._trim_significant_figures, self._highlight_warnings
            ).render()
            for group in groups.values()
        ]
