"""Shows an operator's differences side by side, each with a script that reproduces it."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.cases.experiments import PROPERTIES
from conformance.examine import Verdict
from conformance.report.reproducer import reproducer


def explain(verdict: Verdict, impl: str, console: Console) -> None:
    """Prints what differs in an operator, property by property, the worst first."""
    console.rule(f"[bold]{escape(verdict.key)}[/]")
    if verdict.trouble:
        console.print(f"[red]{escape(verdict.trouble)}[/]")
    if not any(found.grade for found in verdict.found.values()):
        console.print("nothing differs, bit for bit, in " + ", ".join(verdict.found))
    scripts: set[str] = set()
    told: dict[tuple[str, str], str] = {}  # a trial that fails as a whole is told once
    ordered = sorted(verdict.found.items(), key=lambda pair: PROPERTIES.index(pair[0]))
    for name, found in ordered:
        if not found.grade:
            continue
        fails = f"; {found.differing} of {found.cases} trials fail" if found.differing else ""
        console.print(f"[bold]{escape(name)}[/]: {found.grade.name.lower()}{fails}")
        fresh = []
        for entry in found.differences:
            before = told.setdefault((entry["trial"], entry["other"]), name)
            if before != name:
                console.print(f"  {escape(entry['trial'])}: as in {before}")
            elif entry["grade"] == "MISSING":
                console.print(f"  {escape(entry['trial'])}: {escape(entry['other'])}")
            else:
                fresh.append(entry)
        if fresh:
            console.print(_side_by_side(fresh, impl))
        for entry in fresh if not found.passes else ():
            script = reproducer(entry["case"], impl)
            if script not in scripts:
                scripts.add(script)
                console.print(escape(script), style="dim", highlight=False, soft_wrap=True)
                break
        console.print()


def _side_by_side(entries: list[dict], impl: str) -> Table:
    table = Table(expand=True, show_lines=True)
    table.add_column("where", ratio=2, overflow="fold")
    table.add_column("torch", ratio=4, overflow="fold")
    table.add_column(escape(impl), ratio=4, overflow="fold")
    for entry in entries:
        where = f"{entry['grade'].lower()} in {entry['trial']} {entry['path']}"
        table.add_row(*map(escape, (where, entry["torch"], entry["other"])))
    return table
