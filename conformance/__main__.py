"""python -m conformance: the verdict on a torch-like library; see README.md."""

import argparse
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is loaded

from rich.console import Console

from conformance.cases import opinfo
from conformance.cases.experiments import PROPERTIES
from conformance.differ import gaps
from conformance.examine import Options, examine, library
from conformance.pool import verdicts
from conformance.report import ledger as ledger_file
from conformance.report.board import LEGEND, Ledger, board, progress, summary
from conformance.report.explain import explain


def parser() -> argparse.ArgumentParser:
    """Returns the command line."""
    made = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    add = made.add_argument
    add("--op", action="append", default=[], metavar="KEY", help="an operator (repeatable)")
    add("--tier", action="append", choices=opinfo.TIERS, help="default: all three")
    add("--impl", default="minitorch", help="the module to examine; torch compares it with itself")
    add("--property", action="append", choices=PROPERTIES, help="only this one (repeatable)")
    add("--dtype", action="append", choices=opinfo.DTYPES, help="only this one (repeatable)")
    add("--seed", type=int, default=0)
    add("--limit", type=int, help="at most so many samples of a dtype")
    add("--profile", choices=sorted(opinfo.PROFILES), default="quick")
    add("--jobs", type=int, default=2, help="processes")
    add("--seconds", type=int, default=120, help="an operator's time")
    add("--explain", action="append", metavar="KEY", help="show an operator's differences")
    add("--verbose", action="store_true", help="all operators on the board, explain what differs")
    add("--json", metavar="FILE")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line says; returns 0 when clean, 1 for differences, 2 for misuse."""
    given = parser().parse_args(arguments)
    wide = Console()
    console = wide if wide.is_terminal else Console(width=max(wide.width, 150))
    tiers = opinfo.tiers()
    chosen = [*given.op, *(given.explain or [])]
    keys = chosen or [k for k, tier in tiers.items() if tier in (given.tier or opinfo.TIERS)]
    if unknown := [key for key in keys if key not in tiers]:
        near = [k for k in tiers if any(name in k for name in unknown)]
        console.print(f"no such operator: {', '.join(unknown)}. Near: {', '.join(near) or 'none'}")
        return 2
    library(given.impl)  # a mistake in the name shows at once
    options = Options(
        impl=given.impl,
        profile=given.profile,
        seed=given.seed,
        dtypes=tuple(given.dtype or ()),
        properties=tuple(name for name in PROPERTIES if name in (given.property or PROPERTIES)),
        limit=given.limit,
        seconds=given.seconds,
    )
    ledger = Ledger(options.properties, gaps.read() if given.impl != "torch" else [])
    try:
        run(ledger, keys, options, given.jobs, console)
    except KeyboardInterrupt:
        console.print(f"interrupted after {len(ledger.verdicts)} of {len(keys)} operators")
    report(ledger, given, console, tiers)
    return 0 if ledger.clean and len(ledger.verdicts) == len(keys) else 1


def run(ledger: Ledger, keys: list[str], options: Options, jobs: int, console: Console) -> None:
    """Enters the verdict on every operator into the ledger, showing how far it is."""
    found = verdicts(keys, options, jobs) if len(keys) > 1 else [examine(keys[0], options)]
    if not console.is_terminal:
        ledger.verdicts.extend(found)
        return
    with progress(console) as bar:
        task = bar.add_task("operators", total=len(keys))
        for verdict in found:
            ledger.verdicts.append(verdict)
            clean = sum(ledger.passes(each) for each in ledger.verdicts)
            bar.update(task, advance=1, description=f"{clean} clean; {verdict.key:.40}")


def report(ledger: Ledger, given, console: Console, tiers: dict[str, str]) -> None:
    """Prints the board and the totals; explains and writes what was asked for."""
    for verdict in ledger.verdicts:
        if verdict.key in (given.explain or ()) or (given.verbose and not ledger.passes(verdict)):
            explain(verdict, given.impl, console)
    console.print(board(ledger, everything=given.verbose or bool(given.explain)))
    console.print(f"[dim]{LEGEND}[/]")
    if given.json:
        ledger_file.write(ledger, given.json, tiers, vars(given))
    for line in summary(ledger):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
