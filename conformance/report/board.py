"""The board in the terminal: operators x properties while they run, the totals at the end."""

from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from conformance.differ.compare import Grade
from conformance.differ.gaps import Gap, stale
from conformance.examine import Verdict

MARKS = {
    Grade.SAME: "[green]=[/]",
    Grade.ULPS: "[green]u[/]",
    Grade.TOLERANCE: "[green]~[/]",
    Grade.PATTERN: "[yellow]text[/]",
    Grade.WRONG: "[red]WRONG[/]",
    Grade.KIND: "[red]KIND[/]",
    Grade.RAISES: "[red]raise[/]",
    Grade.MISSING: "[blue]miss[/]",
}
LEGEND = (
    "= same bits   u within ulps   ~ within tolerance   text: another error text   "
    "miss: not there yet   WRONG: other numbers, names or edges   KIND: another type or error   "
    "raise: an error where torch has none   gap: accepted in gaps.toml"
)


@dataclass
class Ledger:
    """All verdicts, and what the gaps make of them."""

    properties: tuple[str, ...]
    gaps: list[Gap] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def accepted(self, key: str, name: str) -> bool:
        """Returns whether a gap covers this property of this operator."""
        return any(gap.covers(key, name) for gap in self.gaps)

    def passes(self, verdict: Verdict) -> bool:
        """Returns whether an operator is clean, accepted gaps aside."""
        return not verdict.trouble and all(
            found.passes or self.accepted(verdict.key, name)
            for name, found in verdict.found.items()
        )

    def total(self, name: str) -> tuple[int, int, int]:
        """Returns how many operators pass a property, how many have it, how many bit for bit."""
        found = [v.found[name] for v in self.verdicts if name in v.found]
        passing = [each for each in found if each.passes]
        return len(passing), len(found), sum(each.grade is Grade.SAME for each in passing)

    @property
    def stale(self) -> list[Gap]:
        """The gaps that no longer differ."""
        pairs = {(v.key, name): found for v in self.verdicts for name, found in v.found.items()}
        failed = {pair for pair, found in pairs.items() if not found.passes}
        return stale(self.gaps, set(pairs), failed)

    @property
    def clean(self) -> bool:
        """Whether the run may end with status 0."""
        return all(self.passes(verdict) for verdict in self.verdicts) and not self.stale


def progress(console: Console) -> Progress:
    """Returns the bar with the time that is left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def board(ledger: Ledger, everything: bool = False) -> Table:
    """Returns the operators that differ (or all) x properties, with the totals as the last row."""
    table = Table(title="operators x properties", show_footer=True, padding=(0, 0))
    clean = sum(ledger.passes(verdict) for verdict in ledger.verdicts)
    table.add_column("operator", f"{clean} of {len(ledger.verdicts)} clean", overflow="fold")
    for name in ledger.properties:
        passing, having, _ = ledger.total(name)
        header = name.replace("requires_grad", "req grad").replace("gradgrad", "grad grad")
        table.add_column(header, f"{passing}/{having}", justify="center")
    for verdict in sorted(ledger.verdicts, key=lambda verdict: verdict.key):
        if everything or not ledger.passes(verdict):
            table.add_row(verdict.key, *(_cell(ledger, verdict, n) for n in ledger.properties))
    return table


def _cell(ledger: Ledger, verdict: Verdict, name: str) -> str:
    if name not in verdict.found:
        return "[red]?[/]" if verdict.trouble else ""
    found = verdict.found[name]
    if not found.passes and ledger.accepted(verdict.key, name):
        return "[yellow]gap[/]"
    return MARKS[found.grade]


def summary(ledger: Ledger) -> list[str]:
    """Returns the closing lines; the last one holds "N of M" for every property."""
    lines = [f"{v.key}: {v.trouble}" for v in ledger.verdicts if v.trouble]
    lines += [
        f"gaps.toml: {gap.pattern} ({gap.property}) no longer differs: remove the entry"
        for gap in ledger.stale
    ]
    if idle := [v.key for v in ledger.verdicts if not v.found and not v.trouble]:
        lines.append(f"without a trial on this device: {', '.join(idle)}")
    missing = sum(
        any(found.grade is Grade.MISSING for found in verdict.found.values())
        for verdict in ledger.verdicts
    )
    clean = sum(ledger.passes(verdict) for verdict in ledger.verdicts)
    total = len(ledger.verdicts)
    lines.append(
        f"operators clean: {clean} of {total}; with something missing: {missing}; "
        f"with wrong results: {sum(_wrong(verdict) for verdict in ledger.verdicts)}"
    )
    exact = {name: ledger.total(name) for name in ledger.properties}
    lines.append(
        "bit for bit: "
        + ", ".join(
            f"{name} {same} of {having}"
            for name, (_, having, same) in exact.items()
            if name in ("value", "saved", "grad", "gradgrad", "in-place", "out")
        )
    )
    lines.append(
        "; ".join(f"{name} {passing} of {having}" for name, (passing, having, _) in exact.items())
    )
    return lines


def _wrong(verdict: Verdict) -> bool:
    bad = (Grade.PATTERN, Grade.WRONG, Grade.KIND, Grade.RAISES)
    return any(found.grade in bad for found in verdict.found.values())
