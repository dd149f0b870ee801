"""Shows an operator's differences side by side, each with a script that reproduces it."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.examine import Verdict
from conformance.report.reproducer import reproducer


def explain(verdict: Verdict, impl: str, console: Console, scripts: int = 2) -> None:
    """Prints what differs in an operator, property by property, the worst first."""
    console.rule(f"[bold]{escape(verdict.key)}[/]")
    if verdict.trouble:
        console.print(f"[red]{escape(verdict.trouble)}[/]")
    if not any(found.grade for found in verdict.found.values()):
        console.print("nothing differs, bit for bit, in " + ", ".join(verdict.found))
    for name, found in verdict.found.items():
        if not found.grade:
            continue
        shown = set()
        title = (
            f"{name}: {found.grade.name.lower()}; {found.differing} of {found.cases} trials fail"
        )
        table = Table(title=escape(title), title_justify="left", expand=True, show_lines=True)
        table.add_column("where", ratio=2, overflow="fold")
        table.add_column("torch", ratio=4, overflow="fold")
        table.add_column(impl, ratio=4, overflow="fold")
        for entry in found.differences:
            where = f"{entry['grade'].lower()} in {entry['trial']} {entry['path']}"
            table.add_row(*map(escape, (where, entry["torch"], entry["other"])))
        console.print(table)
        for entry in found.differences:
            script = reproducer(entry["case"], impl)
            if script not in shown and len(shown) < scripts and not found.passes:
                shown.add(script)
                console.print(f"[dim]{escape(script)}[/]\n", highlight=False, soft_wrap=True)
                break
