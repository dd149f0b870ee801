"""The board in the terminal: sources x properties, the units which differ, and the totals."""

from collections.abc import Iterator

from rich.console import Console, ConsoleRenderable, Group
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from conformance.cases.sources import source
from conformance.examine import Verdict
from conformance.report.grades import LOOKS, grade
from conformance.report.verdicts import Ledger

ROWS = 60  # of units, when not all are asked for
EXACT = ("value", "state", "saved", "grad", "gradgrad", "in-place", "out")


def progress(console: Console) -> Progress:
    """Returns the bar with the time that is left."""
    return Progress(
        TextColumn("{task.fields[clean]} clean, {task.fields[other]} not"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.description}[/]"),
        console=console,
        transient=True,
    )


def overview(ledger: Ledger, width: int) -> Group:
    """Returns sources and tiers x properties, passing / applicable, in as many tables as it takes.

    Where everything passes, there stands the number alone.
    """
    groups = ledger.groups()
    columns = [
        ("clean", [_share(sum(map(ledger.passes, among)), len(among)) for among in groups.values()])
    ]
    for name in ledger.properties:
        totals = [ledger.total(name, verdicts) for verdicts in groups.values()]
        if any(total.applicable for total in totals):
            columns.append((name, [_share(total.passing, total.applicable) for total in totals]))
    room = width - max(map(len, groups), default=0) - 4
    return Group(*(_overview(list(groups), some) for some in _fitting(columns, room)))


def _share(passing: int, applicable: int) -> str:
    if not applicable:
        return ""
    return f"{passing}/{applicable}" if passing < applicable else str(passing)


def _fitting(columns: list, room: int) -> Iterator[list]:
    """Yields the columns in groups no wider than there is room."""
    some: list = []
    used = 0
    for column in columns:
        header, cells = column
        needed = 1 + max(map(len, (*_header(header).split("\n"), *cells)))
        if some and used + needed > room:
            yield some
            some, used = [], 0
        some.append(column)
        used += needed
    yield some


def _header(name: str) -> str:
    """Returns a property's name on several lines where it is long."""
    return {"gradgrad": "grad\ngrad", "requires_grad": "req.\ngrad", "in-place": "in-\nplace"}.get(
        name, name
    )


def _overview(groups: list[str], columns: list) -> Table:
    table = Table(padding=(0, 0), title_justify="left")
    table.add_column("", no_wrap=True)
    for header, _ in columns:
        table.add_column(_header(header), justify="right", no_wrap=True, vertical="bottom")
    for row, group in enumerate(groups):
        cells = [cells[row] for _, cells in columns]
        table.add_row(group, *(f"[red]{c}[/]" if "/" in c else f"[green]{c}[/]" for c in cells))
    return table


def boards(ledger: Ledger, everything: bool = False) -> Iterator[ConsoleRenderable | str]:
    """Yields, for each source and tier, the units that differ (or all) and in which properties."""
    shown = {
        group: sorted(
            (v for v in verdicts if everything or not ledger.passes(v)),
            key=lambda verdict: (not ledger.wrong(verdict), verdict.name),
        )
        for group, verdicts in ledger.groups().items()
    }
    shown = {group: verdicts for group, verdicts in shown.items() if verdicts}
    room = ROWS // len(shown) if shown else ROWS
    spare = sum(max(0, room - len(verdicts)) for verdicts in shown.values())
    for group, verdicts in shown.items():
        rows = len(verdicts) if everything else min(len(verdicts), room + spare)
        spare -= max(0, rows - room)
        yield _board(ledger, group, verdicts[:rows])
        if rows < len(verdicts):
            yield f"... and {len(verdicts) - rows} more of {group}: --verbose or --html shows them"


def _board(ledger: Ledger, group: str, verdicts: list[Verdict]) -> Table:
    clean = sum(map(ledger.passes, ledger.groups()[group]))
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.title_justify, table.title_style = "left", "bold"
    table.title = f"{group}: {clean} of {len(ledger.groups()[group])} clean"
    table.add_column("", overflow="fold", ratio=2, min_width=20)
    table.add_column("", overflow="fold", ratio=5)
    for verdict in verdicts:
        table.add_row(escape(verdict.unit.key), _marks(ledger, verdict))
    return table


def _marks(ledger: Ledger, verdict: Verdict) -> str:
    """Returns a unit's properties by grade, the worst first."""
    by_grade: dict[str, list[str]] = {}
    for name in verdict.found:
        by_grade.setdefault(grade(ledger, verdict, name), []).append(name)
    texts = [f"[red]{escape(verdict.trouble)}[/]"] if verdict.trouble else []
    passes = ledger.passes(verdict)
    for name, look in reversed(LOOKS.items()):
        names = by_grade.get(name, [])
        if names and (passes or look.style != "green"):
            what = "everything" if len(names) == len(verdict.found) > 1 else ", ".join(names)
            texts.append(f"[{look.style}]{look.mark}[/] {what}")
    return "   ".join(texts) or "[dim]no case[/]"


def summary(ledger: Ledger) -> list[str]:
    """Returns the closing lines; the last one holds "N of M" for every property."""
    lines = [f"{v.name}: {v.trouble}" for v in ledger.verdicts if v.trouble]
    lines += [
        f"{v.name}: torch itself ended in program {', '.join(map(str, v.deadly))}, left out here"
        for v in ledger.verdicts
        if v.deadly
    ]
    lines += [
        f"gaps.toml: {gap.pattern} ({gap.property}) no longer differs: remove the entry"
        for gap in ledger.stale
    ]
    examined = [v.unit.source for v in ledger.verdicts]
    for name in dict.fromkeys([*examined, *ledger.without_units]):
        seconds = {v.unit.key: v.seconds for v in ledger.verdicts if v.unit.source == name}
        lines += getattr(source(name), "remarks", lambda seconds: ())(seconds)
    if idle := [v.name for v in ledger.verdicts if not v.found and not v.trouble]:
        lines.append(f"without a case here: {', '.join(sorted(idle))}")
    for group, verdicts in ledger.groups().items():
        lines.append(
            f"{group} clean: {sum(map(ledger.passes, verdicts))} of {len(verdicts)}; "
            f"with something missing: {sum(map(ledger.missing, verdicts))}; "
            f"with wrong results: {sum(map(ledger.wrong, verdicts))}"
        )
    totals = {name: total for name in ledger.properties if (total := ledger.total(name)).applicable}
    exact = {name: total for name, total in totals.items() if name in EXACT}
    if exact:
        shares = (f"{name} {total.exact} of {total.applicable}" for name, total in exact.items())
        lines.append(f"bit for bit: {', '.join(shares)}")
    lines.append(
        "; ".join(f"{name} {total.passing} of {total.applicable}" for name, total in totals.items())
    )
    return lines
