"""The board in the terminal: sources x properties, then the units which differ, and the totals."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from conformance.differ.compare import Grade
from conformance.examine import Verdict
from conformance.report.verdicts import Ledger

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
HEADERS = {"requires_grad": "req grad", "gradgrad": "grad grad", "signature": "sig na ture"}


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


def overview(ledger: Ledger) -> Table:
    """Returns sources and tiers x properties, passing / applicable."""
    table = Table(title="sources x properties", padding=(0, 0))
    for header in ("source", "clean", "miss", "wrong"):
        table.add_column(header, justify="left" if header == "source" else "right")
    names = _applicable(ledger, ledger.verdicts)
    for name in names:
        table.add_column(HEADERS.get(name, name), justify="center")
    for group, verdicts in ledger.groups().items():
        cells = [
            f"{sum(map(ledger.passes, verdicts))}/{len(verdicts)}",
            str(sum(map(ledger.missing, verdicts))),
            str(sum(map(ledger.wrong, verdicts))),
        ]
        for name in names:
            total = ledger.total(name, verdicts)
            cells.append(f"{total.passing}/{total.applicable}" if total.applicable else "")
        table.add_row(group, *cells)
    return table


def boards(ledger: Ledger, everything: bool = False) -> list[Table]:
    """Returns, for each source and tier, the units that differ (or all) x properties."""
    return [
        table
        for group, verdicts in ledger.groups().items()
        if (table := _board(ledger, group, verdicts, everything)).row_count
    ]


def _board(ledger: Ledger, group: str, verdicts: list[Verdict], everything: bool) -> Table:
    table = Table(title=f"{group} x properties", show_footer=True, padding=(0, 0))
    clean = sum(map(ledger.passes, verdicts))
    table.add_column(group, f"{clean} of {len(verdicts)} clean", overflow="fold")
    names = _applicable(ledger, verdicts)
    for name in names:
        total = ledger.total(name, verdicts)
        footer = f"{total.passing}/{total.applicable}"
        table.add_column(HEADERS.get(name, name), footer, justify="center")
    for verdict in sorted(verdicts, key=lambda verdict: verdict.name):
        if everything or not ledger.passes(verdict):
            table.add_row(verdict.unit.key, *(_cell(ledger, verdict, name) for name in names))
    return table


def _applicable(ledger: Ledger, verdicts: list[Verdict]) -> list[str]:
    return [name for name in ledger.properties if any(name in v.found for v in verdicts)]


def _cell(ledger: Ledger, verdict: Verdict, name: str) -> str:
    if name not in verdict.found:
        return "[red]?[/]" if verdict.trouble else ""
    found = verdict.found[name]
    if not found.passes and ledger.accepted(verdict, name):
        return "[yellow]gap[/]"
    return MARKS[found.grade]


def summary(ledger: Ledger) -> list[str]:
    """Returns the closing lines; the last one holds "N of M" for every property."""
    lines = [f"{v.name}: {v.trouble}" for v in ledger.verdicts if v.trouble]
    lines += [
        f"gaps.toml: {gap.pattern} ({gap.property}) no longer differs: remove the entry"
        for gap in ledger.stale
    ]
    if idle := [v.name for v in ledger.verdicts if not v.found and not v.trouble]:
        lines.append(f"without a case on this device: {', '.join(idle)}")
    for group, verdicts in ledger.groups().items():
        lines.append(
            f"{group} clean: {sum(map(ledger.passes, verdicts))} of {len(verdicts)}; "
            f"with something missing: {sum(map(ledger.missing, verdicts))}; "
            f"with wrong results: {sum(map(ledger.wrong, verdicts))}"
        )
    totals = {name: total for name in ledger.properties if (total := ledger.total(name)).applicable}
    lines.append(
        "bit for bit: "
        + ", ".join(
            f"{name} {total.exact} of {total.applicable}"
            for name, total in totals.items()
            if name in ("value", "saved", "grad", "gradgrad", "in-place", "out")
        )
    )
    lines.append(
        "; ".join(f"{name} {total.passing} of {total.applicable}" for name, total in totals.items())
    )
    return lines
