"""python -m conformance: the verdict on a torch-like library; see README.md."""

import argparse
import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is loaded

from rich.console import Console

from conformance.cases import opinfo
from conformance.cases.case import PROPERTIES
from conformance.cases.sources import ON_DEVICES, SOURCES, Unit, tier, units
from conformance.differ import gaps
from conformance.examine import examine, library
from conformance.options import Options
from conformance.oracle.device import DEVICES
from conformance.pool import verdicts
from conformance.report import as_json, found
from conformance.report.board import LEGEND, boards, overview, progress, summary
from conformance.report.explain import explain
from conformance.report.verdicts import Ledger


def parser() -> argparse.ArgumentParser:
    """Returns the command line."""
    made = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    add = made.add_argument
    add("--source", metavar="A,B", help=f"default: all of {', '.join(SOURCES)}")
    add("--op", action="append", default=[], metavar="KEY", help="a unit by name or pattern")
    add("--tier", action="append", choices=opinfo.TIERS, help="operators of this tier only")
    add("--impl", default="minitorch", help="the module to examine; torch compares it with itself")
    add("--property", action="append", choices=PROPERTIES, help="only this one (repeatable)")
    add("--dtype", action="append", choices=opinfo.DTYPES, help="only this one (repeatable)")
    add("--seed", type=int, default=0)
    add("--device", choices=DEVICES, default="cpu", help="stand-in: cuda without a GPU")
    add("--limit", type=int, help="at most so many samples of a dtype")
    add("--examples", type=int, help="so many generated programs")
    add("--found", default="conformance-found", metavar="FOLDER", help="keep those that differ")
    add("--profile", choices=sorted(opinfo.PROFILES), default="quick")
    add("--jobs", type=int, default=2, help="processes")
    add("--seconds", type=int, default=120, help="a unit's time")
    add("--explain", action="append", default=[], metavar="KEY", help="show a unit's differences")
    add("--verbose", action="store_true", help="all units on the board, explain what differs")
    add("--json", metavar="FILE")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line says; returns 0 when clean, 1 for differences, 2 for misuse."""
    given = parser().parse_args(arguments)
    wide = Console()
    console = wide if wide.is_terminal else Console(width=max(wide.width, 150))
    options = Options(
        impl=given.impl,
        profile=given.profile,
        seed=given.seed,
        device=given.device,
        dtypes=tuple(given.dtype or ()),
        properties=tuple(name for name in PROPERTIES if name in (given.property or PROPERTIES)),
        limit=given.limit,
        examples=given.examples,
        seconds=given.seconds,
    )
    try:
        chosen = choose(given, options)
    except LookupError as error:
        console.print(str(error))
        return 2
    library(given.impl)  # a mistake in the name shows at once
    ledger = Ledger(
        options.properties, gaps.read(device=given.device) if given.impl != "torch" else []
    )
    try:
        run(ledger, chosen, options, given.jobs, console)
    except KeyboardInterrupt:
        console.print(f"interrupted after {len(ledger.verdicts)} of {len(chosen)} units")
    report(ledger, given, console)
    return 0 if ledger.clean and len(ledger.verdicts) == len(chosen) else 1


def choose(given: argparse.Namespace, options: Options) -> list[Unit]:
    """Returns the units which the command line asks for; LookupError where there is none."""
    every = SOURCES if given.device == "cpu" else ON_DEVICES
    names = given.source.split(",") if given.source else list(every)
    if unknown := [name for name in names if name not in SOURCES]:
        raise LookupError(f"no such source: {', '.join(unknown)}. There are: {', '.join(SOURCES)}")
    wanted = [*given.op, *given.explain]
    if not given.source and (given.tier or (wanted and all(map(_is_operator, wanted)))):
        names = ["opinfo"]
    everything = units(names, options)
    if given.tier:
        everything = [unit for unit in everything if tier(unit) in given.tier]
    if not wanted:
        return everything
    known = {text: [unit for unit in everything if _matches(unit, text)] for text in wanted}
    if unknown := [text for text, found in known.items() if not found]:
        near = [unit.name for unit in everything if any(text in unit.name for text in unknown)]
        raise LookupError(f"no such unit: {', '.join(unknown)}. Near: {', '.join(near) or 'none'}")
    return list(dict.fromkeys(unit for found in known.values() for unit in found))


def _is_operator(text: str) -> bool:
    return text in opinfo.tiers()


def _matches(unit: Unit, text: str) -> bool:
    return text in (unit.key, unit.name) or fnmatchcase(unit.name, text)


def run(ledger: Ledger, chosen: list[Unit], options: Options, jobs: int, console: Console) -> None:
    """Enters the verdict on every unit into the ledger, showing how far it is."""
    if len(chosen) == 1:
        coming = iter([examine(chosen[0], options)])
    else:
        coming = verdicts(chosen, options, jobs)
    if not console.is_terminal:
        for verdict in coming:  # one by one, so that an interruption keeps what is there
            ledger.verdicts.append(verdict)
        return
    with progress(console) as bar:
        task = bar.add_task("units", total=len(chosen))
        for verdict in coming:
            ledger.verdicts.append(verdict)
            clean = sum(ledger.passes(each) for each in ledger.verdicts)
            bar.update(task, advance=1, description=f"{clean} clean; {verdict.name:.40}")


def report(ledger: Ledger, given: argparse.Namespace, console: Console) -> None:
    """Prints the board and the totals; explains and writes what was asked for."""
    for verdict in ledger.verdicts:
        asked = any(_matches(verdict.unit, text) for text in given.explain)
        if asked or (given.verbose and not ledger.passes(verdict)):
            explain(verdict, given.impl, console)
    for table in boards(ledger, everything=given.verbose or bool(given.explain)):
        console.print(table)
    console.print(f"[dim]{LEGEND}[/]")
    console.print(overview(ledger))
    if given.json:
        as_json.write(ledger, given.json, vars(given))
    for file in found.save(ledger, Path(given.found), given.impl):
        console.print(f"differs: {file}", highlight=False, soft_wrap=True)
    for line in summary(ledger):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
