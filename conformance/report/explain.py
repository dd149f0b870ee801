"""Shows a unit's differences side by side, each with a script that reproduces it."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from conformance.differ.texts import parts
from conformance.examine import Shown, Verdict
from conformance.report.entries import script, title
from conformance.report.grades import LOOKS, grade
from conformance.report.verdicts import Ledger

MARKED = "bold reverse"


def explain(ledger: Ledger, verdict: Verdict, impl: str, console: Console) -> None:
    """Prints the differences of a unit, property by property; without any, the outcomes."""
    console.rule(f"[bold]{escape(verdict.name)}[/]")
    if verdict.trouble:
        console.print(f"[red]{escape(verdict.trouble)}[/]")
    differing = {name: found for name, found in verdict.found.items() if found.differences}
    scripts: set[str] = set()
    told: dict[tuple[str, str], str] = {}  # a case that fails as a whole is told once
    for name, found in differing.items():
        look = LOOKS[grade(ledger, verdict, name)]
        fails = f"; {found.differing} of {found.cases} cases differ" if found.differing else ""
        console.print(f"[bold]{escape(name)}[/]: [{look.style}]{look.words}[/]{fails}")
        for gap in ledger.covering(verdict, name):
            console.print(f"  accepted: {escape(gap.reason)} [dim]{escape(gap.link)}[/]")
        fresh = []
        for entry in found.differences:
            before = told.setdefault((entry.case.title, entry.other), name)
            if before != name:
                console.print(f"  {escape(title(entry))}: as in {before}")
            elif entry.grade.name == "MISSING":
                console.print(f"  {escape(title(entry))}: {escape(entry.other)}")
            else:
                fresh.append(entry)
        if fresh:
            console.print(_side_by_side(fresh, impl))
        for entry in fresh if not found.passes else ():
            source = script(entry, impl)
            if source not in scripts:
                scripts.add(source)
                console.print(escape(source), style="dim", highlight=False, soft_wrap=True)
                break
        console.print()
    if same := [name for name in verdict.found if name not in differing]:
        _looked_at(verdict, same, impl, console)


def _side_by_side(entries: list[Shown], impl: str) -> Table:
    table = Table(expand=True, show_lines=True)
    table.add_column("where", ratio=2, overflow="fold")
    table.add_column("torch", ratio=4, overflow="fold")
    table.add_column(escape(impl), ratio=4, overflow="fold")
    for entry in entries:
        where = f"{LOOKS[entry.grade.name].mark} {title(entry)} {entry.path}"
        table.add_row(escape(where), *map(_marked, parts(entry.torch, entry.other)))
    return table


def _marked(pieces: list[str]) -> Text:
    """Returns a text with the parts marked that the other side has not."""
    marked = Text()
    for number, piece in enumerate(pieces):
        marked.append(piece, MARKED if number % 2 else "")
    return marked


def _looked_at(verdict: Verdict, names: list[str], impl: str, console: Console) -> None:
    """Prints the properties that are equal, bit for bit, with the first case's outcome in brief."""
    examples = {name: verdict.found[name].example for name in names}
    cases = ", ".join(f"{name} ({verdict.found[name].cases})" for name in names)
    console.print(f"[green]the same bits[/] in {cases}")
    if not any(examples.values()):
        return
    table = Table(expand=True, padding=(0, 1))
    table.add_column("", overflow="fold", ratio=2)
    table.add_column("torch", overflow="fold", ratio=5)
    table.add_column(escape(impl), overflow="fold", ratio=5)
    before = ""
    for name, example in examples.items():
        if example is None:
            continue
        case = "" if title(example) == before else f"\n[dim]{escape(title(example))}[/]"
        before = title(example)
        table.add_row(escape(name) + case, escape(example.theirs), escape(example.ours))
    console.print(table)
    first = next(example for example in examples.values() if example)
    console.print(escape(script(first, impl)), style="dim", highlight=False, soft_wrap=True)
