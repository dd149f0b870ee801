"""Reports as text and as HTML: paragraphs and tables, written once and shown in either form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar

# The page of a notebook has styles of its own: a report brings only what tells columns apart.
_STYLE = (
    "<style>.mt-report table{border-collapse:collapse;margin:.4em 0}"
    ".mt-report td,.mt-report th{padding:.1em .8em .1em 0;text-align:left;white-space:pre}"
    ".mt-report td.number,.mt-report th.number{text-align:right}"
    ".mt-report th{border-bottom:1px solid #8888}.mt-report td{font-family:monospace}</style>"
)
_UNITS = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


@dataclass(slots=True)
class Column:
    """Says how one column of a table is headed and to which side it is set."""

    title: str
    is_number: bool = False


@dataclass(slots=True)
class Table:
    """Rows of texts under titles; `heading` is a sentence above them."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]] = ()
    heading: str = ""

    def text(self) -> str:
        """Returns the table with its columns aligned by spaces."""
        rows = [[column.title for column in self.columns], *self.rows]
        widths = [max(len(row[at]) for row in rows) for at in range(len(self.columns))]
        lines = [self.heading] if self.heading else []
        for row in rows:
            cells = [
                cell.rjust(width) if column.is_number else cell.ljust(width)
                for cell, width, column in zip(row, widths, self.columns)
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def html(self) -> str:
        """Returns the table as HTML, every text escaped."""
        heading = f"<p>{escape(self.heading)}</p>" if self.heading else ""
        head = "".join(self._cell("th", column, column.title) for column in self.columns)
        body = "".join(
            "<tr>"
            + "".join(self._cell("td", column, cell) for column, cell in zip(self.columns, row))
            + "</tr>"
            for row in self.rows
        )
        return f"{heading}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    @staticmethod
    def _cell(tag: str, column: Column, text: str) -> str:
        kind = ' class="number"' if column.is_number else ""
        return f"<{tag}{kind}>{escape(text)}</{tag}>"


def first_rows(columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int = 12) -> Table:
    """Returns a table of the first rows; the last row says how many there are beyond."""
    more = len(rows) - limit
    if more > 0:
        rows = [*rows[:limit], (f"and {more:,} more", *[""] * (len(columns) - 1))]
    return Table(columns, rows)


class Report:
    """Base of reports: a subclass gives its blocks, which are sentences and tables."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    def blocks(self) -> Iterable[str | Table]:
        """Returns the parts of the report, in the order in which they are read."""
        raise NotImplementedError

    def text(self) -> str:
        """Returns the report as plain text."""
        parts = [block if isinstance(block, str) else block.text() for block in self.blocks()]
        return "\n\n".join(part for part in parts if part)

    def html(self) -> str:
        """Returns the report as one HTML element that needs nothing else."""
        parts = [
            f"<p>{escape(block)}</p>" if isinstance(block, str) else block.html()
            for block in self.blocks()
            if block
        ]
        return f'{_STYLE}<div class="mt-report">{"".join(parts)}</div>'

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()


def byte_text(count: int) -> str:
    """Returns a number of bytes for readers: exact up to 99,999 B, then in kB, MB and GB.

    Args:
        count: bytes, of either sign.
    """
    if abs(count) < 100_000:
        return f"{count:,} B"
    unit, size = next(each for each in _UNITS if abs(count) >= each[1])
    return f"{count / size:,.1f} {unit}"


def time_text(microseconds: float) -> str:
    """Returns a length of time for readers, in ms or s.

    Args:
        microseconds: the length in microseconds.
    """
    if abs(microseconds) >= 1e6:
        return f"{microseconds / 1e6:.2f} s"
    return f"{microseconds / 1e3:.2f} ms"


def number_text(value: float | None) -> str:
    """Returns a number with three significant digits, or a dash for None."""
    if value is None:
        return "-"
    if math.isnan(value) or math.isinf(value):
        return str(value)
    return f"{value:.3g}"


def count_text(count: int, thing: str, things: str | None = None) -> str:
    """Returns a number and its noun, as "1 backward" or "2 backwards"."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def series_text(parts: Sequence[str]) -> str:
    """Returns parts joined as a sentence joins them: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def shortened(names: Sequence[str], limit: int = 4) -> str:
    """Returns names joined as a sentence joins them, the last ones of many as a number."""
    if len(names) <= limit:
        return series_text(names)
    return series_text([*names[: limit - 1], f"{len(names) - limit + 1} more"])
