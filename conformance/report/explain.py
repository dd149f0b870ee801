"""Shows a unit's differences side by side, each with a script that reproduces it."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.cases.case import PROPERTIES
from conformance.examine import Verdict


def explain(verdict: Verdict, impl: str, console: Console) -> None:
    """Prints what differs in a unit, property by property, the worst first."""
    console.rule(f"[bold]{escape(verdict.name)}[/]")
    if verdict.trouble:
        console.print(f"[red]{escape(verdict.trouble)}[/]")
    if not any(found.grade for found in verdict.found.values()):
        console.print("nothing differs, bit for bit, in " + ", ".join(verdict.found))
    scripts: set[str] = set()
    told: dict[tuple[str, str], str] = {}  # a trial that fails as a whole is told once
    for name in PROPERTIES:
        found = verdict.found.get(name)
        if found is None or not found.grade:
            continue
        fails = f"; {found.differing} of {found.cases} cases fail" if found.differing else ""
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
            script = entry["case"].script(impl)
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
