"""python -m conformance: the verdict on a torch-like library; see README.md."""

import argparse
import gc
import os
import signal
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

from rich.console import Console

from conformance import conditions, matrix
from conformance.cases.case import PROPERTIES
from conformance.cases.sources import ON_DEVICES, PENDING, SOURCES, Unit, source, tier, units
from conformance.differ import gaps
from conformance.examine import examine, library
from conformance.options import DTYPES, PROFILES, TIERS, Options
from conformance.oracle.device import DEVICES
from conformance.pool import WRITTEN, verdicts
from conformance.report import as_html, as_json, found
from conformance.report.board import boards, overview, progress, summary
from conformance.report.explain import explain
from conformance.report.grades import LEGEND
from conformance.report.verdicts import Ledger
from conformance.surroundings import SURROUNDINGS

SECONDS = {"quick": 120, "full": 600}  # grid_sampler_3d has samples of millions of numbers
PIPED = 120  # columns, where there is no terminal to ask
TOLD = 3  # units that differ, without --verbose: what comes and goes may be gone in the next run


_ISAS = (*conditions.SETTINGS, conditions.MATRIX)
_WHICH = f"of {', '.join(SOURCES)}; default: all but {', '.join(PENDING)}"
_PACKAGES = "the environments of the source packages: made there if they are missing"
_ISA = "the instruction sets that both libraries use: pinned to AVX2's, unless this says otherwise"


def _tiers(text: str) -> list[str]:
    """The tiers of a list with commas."""
    names = text.split(",")
    if unknown := sorted(set(names) - set(TIERS)):
        raise argparse.ArgumentTypeError(f"no tier is called {', '.join(unknown)}")
    return names


def parser() -> argparse.ArgumentParser:
    """Returns the command line."""
    made = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    add = made.add_argument
    add("--source", metavar="A,B", help=_WHICH)
    add("--op", action="append", default=[], metavar="KEY", help="a unit by name or pattern")
    add("--tier", action="extend", type=_tiers, metavar="A,B", help=f"of {', '.join(TIERS)}")
    add("--impl", default="minitorch", help="the module to examine; torch compares it with itself")
    add("--property", action="append", choices=PROPERTIES, help="only this one (repeatable)")
    add("--dtype", action="append", choices=DTYPES, help="only this one (repeatable)")
    add("--seed", type=int, default=0)
    add("--device", choices=DEVICES, default="cpu", help="docs/cuda.md says which")
    add("--within", choices=SURROUNDINGS, default="", help="all cases inside of these surroundings")
    add("--limit", type=int, help="at most so many samples of a dtype")
    add("--examples", type=int, help="so many generated programs")
    add("--found", default="conformance-found", metavar="FOLDER", help="keep those that differ")
    add("--packages-env", default="conformance-packages", metavar="FOLDER", help=_PACKAGES)
    add("--profile", choices=PROFILES, default="quick")
    add("--jobs", type=int, default=2, help="processes")
    add("--seconds", type=int, help="a unit's processor time: 120, full profile: 600")
    add("--explain", action="append", default=[], metavar="KEY", help="show a unit's differences")
    add("--verbose", action="store_true", help="all units on the board, explain all that differ")
    add(conditions.OPTION, default=conditions.PINNED, choices=_ISAS, help=_ISA)
    add("--json", metavar="FILE", help="the verdict for programs")
    add("--html", metavar="FILE", help="the verdict for people: one page, to open in a browser")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line says; returns 0 when clean, 1 when not, 2 for misuse."""
    given = parser().parse_args(arguments)
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED
    if given.isa == conditions.MATRIX:
        return matrix.run(sys.argv[1:] if arguments is None else arguments, console, given.json)
    options = Options(
        impl=given.impl,
        profile=given.profile,
        seed=given.seed,
        device=given.device,
        dtypes=tuple(given.dtype or ()),
        properties=tuple(name for name in PROPERTIES if name in (given.property or PROPERTIES)),
        limit=given.limit,
        within=given.within,
        examples=given.examples,
        brief=bool(given.explain or given.html),
        seconds=given.seconds or _seconds(given),
        packages_folder=given.packages_env,
        sampled=given.profile == "quick" and not (given.source or given.op or given.explain),
    )
    gc.disable()  # torch, its samples and the library: millions of objects that stay
    try:
        everything = all_units(given, options)
        chosen = choose(everything, given)
        library(given.impl)  # a mistake in the name shows at once
    except LookupError as error:
        console.print(str(error))
        return 2
    finally:
        gc.freeze()
        gc.enable()
    ledger = Ledger(
        options.properties,
        gaps.read(device=given.device, profile=given.profile) if given.impl != "torch" else [],
        names=frozenset(unit.name for unit in everything),
        strict=not any(
            (options.dtypes, options.limit, options.examples, options.seed, options.within)
        ),
        without_units=sorted({*names_of_sources(given)} - {unit.source for unit in everything}),
    )
    start = time.perf_counter()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: keep the results so far
    try:
        run(ledger, chosen, options, given.jobs, console)
    except KeyboardInterrupt:
        console.print(f"[red]interrupted after {len(ledger.verdicts)} of {len(chosen)} units[/]")
    about = vars(given) | {"units": len(chosen), "wall": round(time.perf_counter() - start, 1)}
    about |= {"processor": conditions.processor(), "variables": conditions.chosen()}
    report(ledger, given, about, console)
    return 0 if ledger.clean and len(ledger.verdicts) == len(chosen) else 1


def _seconds(given: argparse.Namespace) -> int:
    """The limit of a unit, unless the command line has one: the source's own, or the profile's."""
    alone = given.source if given.source in SOURCES else "opinfo"
    return getattr(source(alone), "SECONDS", SECONDS[given.profile])


def all_units(given: argparse.Namespace, options: Options) -> list[Unit]:
    """Returns all units of the sources which the command line asks for."""
    return units(names_of_sources(given), options)


def names_of_sources(given: argparse.Namespace) -> list[str]:
    """Returns the sources which the command line asks for; LookupError for an unknown one."""
    every = [name for name in SOURCES if name not in PENDING]
    if given.device != "cpu":
        every = list(ON_DEVICES)
    names = given.source.split(",") if given.source else every
    if unknown := [name for name in names if name not in SOURCES]:
        raise LookupError(f"no such source: {', '.join(unknown)}. There are: {', '.join(SOURCES)}")
    wanted = [*given.op, *given.explain]
    if not given.source and (given.tier or (wanted and all(map(_is_operator, wanted)))):
        names = ["opinfo"]
    return names


def choose(everything: list[Unit], given: argparse.Namespace) -> list[Unit]:
    """Returns the units which the command line asks for; LookupError where there is none."""
    if given.tier:
        everything = [unit for unit in everything if tier(unit) in given.tier]
    wanted = [*given.op, *given.explain]
    if not wanted:
        return everything
    known = {text: [unit for unit in everything if _matches(unit, text)] for text in wanted}
    if unknown := [text for text, found in known.items() if not found]:
        near = [each.name for each in everything if any(text in each.name for text in unknown)]
        raise LookupError(f"no such unit: {', '.join(unknown)}. Near: {', '.join(near) or 'none'}")
    return list(dict.fromkeys(unit for found in known.values() for unit in found))


def _is_operator(text: str) -> bool:
    return text in source("opinfo").tiers()


def _matches(unit: Unit, text: str) -> bool:
    return text in (unit.key, unit.name) or fnmatchcase(unit.name, text)


def run(ledger: Ledger, chosen: list[Unit], options: Options, jobs: int, console: Console) -> None:
    """Enters the verdict on every unit into the ledger, showing how far it is."""
    if len(chosen) == 1 and chosen[0].source not in WRITTEN:
        coming = iter([examine(chosen[0], options)])
    else:
        coming = verdicts(chosen, options, jobs)
    with progress(console) as bar:
        task = bar.add_task("", total=len(chosen), clean=0, other=0)
        clean = 0
        for verdict in coming:  # one by one, so that an interruption keeps the results so far
            ledger.verdicts.append(verdict)
            clean += ledger.passes(verdict)
            other = len(ledger.verdicts) - clean
            bar.update(task, advance=1, description=verdict.name, clean=clean, other=other)


def report(ledger: Ledger, given: argparse.Namespace, about: dict, console: Console) -> None:
    """Writes the files that were asked for; prints explanations, the board and the totals."""
    if given.json:
        as_json.write(ledger, given.json, about)
    if given.html:
        as_html.write(ledger, given.html, about)
    failing = [verdict for verdict in ledger.verdicts if not ledger.passes(verdict)]
    told = failing if given.verbose else failing[:TOLD]
    for verdict in ledger.verdicts:
        asked = any(_matches(verdict.unit, text) for text in given.explain)
        if asked or verdict in told:
            explain(ledger, verdict, given.impl, console)
    for board in boards(ledger, everything=given.verbose or bool(given.explain)):
        console.print(board)
    console.print(overview(ledger, console.width))
    console.print(f"[dim]{LEGEND}[/]")
    for file in found.save(ledger, Path(given.found), given.impl):
        console.print(f"differs: {file}", soft_wrap=True)
    for line in summary(ledger):
        console.print(line, markup=False, soft_wrap=True)
    console.print(f"{given.isa}: {conditions.described()}", markup=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
