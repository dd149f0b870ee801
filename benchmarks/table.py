"""The rows of the table, their budgets, and the table itself."""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .measure import Timing

BUDGETS = tomllib.loads((Path(__file__).parent / "budgets.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Row:
    """One line: what the library under test took, what torch took, and what NumPy would take."""

    name: str
    unit: str  # "s", "B", or "x" for a bare number
    ours: float
    torch: float
    ratio: float
    median_ratio: float
    numpy: float | None = None

    @property
    def budget(self) -> tuple[str, float] | None:
        """The limited figure ("ratio" or "value") and its limit; None if there is no limit."""
        for kind in ("ratio", "value"):
            if self.name in BUDGETS[kind]:
                return kind, BUDGETS[kind][self.name]
        return None

    @property
    def over(self) -> bool:
        if self.budget is None:
            return False
        kind, limit = self.budget
        return not (self.ratio if kind == "ratio" else self.ours) <= limit

    def as_dict(self) -> dict[str, object]:
        return {**asdict(self), "budget": self.budget, "over": self.over}


def row(
    name: str, ours: Timing, torch: Timing, numpy: Timing | None = None, per: int = 1, unit="s"
) -> Row:
    return Row(
        name,
        unit,
        ours.best / per,
        torch.best / per,
        ours.best / torch.best,
        ours.median / torch.median,
        numpy.best / per if numpy else None,
    )


def geometric_mean(name: str, rows: Sequence[Row]) -> Row:
    """The row that stands for a group: the geometric mean of each column."""

    def mean(values: list[float]) -> float:
        return math.exp(sum(map(math.log, values)) / len(values))

    floors = [r.numpy for r in rows if r.numpy is not None]
    return Row(
        name,
        rows[0].unit,
        mean([r.ours for r in rows]),
        mean([r.torch for r in rows]),
        mean([r.ratio for r in rows]),
        mean([r.median_ratio for r in rows]),
        mean(floors) if len(floors) == len(rows) else None,
    )


def quantity(value: float | None, unit: str) -> str:
    """A number of three digits with a fitting unit."""
    if value is None:
        return ""
    if unit == "x":
        return f"{value:.2f} x"
    scales = {
        "s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
        "B": [(2**20, "MiB"), (2**10, "KiB"), (1, "B")],
    }[unit]
    scale, name = next((s for s in scales if value >= s[0]), scales[-1])
    return f"{value / scale:#.3g}".rstrip(".") + f" {name}"


def head(implementation: str) -> str:
    line = f"{'':44}{implementation:>10}{'torch':>10}{'numpy':>10}"
    return f"{line}{'ratio':>8}{'median':>8}{'budget':>10}"


def line(r: Row) -> str:
    figures = "".join(f"{quantity(value, r.unit):>10}" for value in (r.ours, r.torch, r.numpy))
    text = f"{r.name:44}{figures}{r.ratio:>8.3f}{r.median_ratio:>8.3f}"
    if r.budget is None:
        return text
    kind, limit = r.budget
    shown = f"{limit:.2f}" if kind == "ratio" else quantity(limit, r.unit)
    return f"{text}{shown:>10}  {'OVER' if r.over else 'ok'}"
