"""python -m conformance.mutants: how many planted faults the suite notices."""

import argparse
import gc
import json
import math
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

import minitorch
from conformance.examine import warned_always
from conformance.mutants import fault as faults_
from conformance.mutants import hunt, watch
from conformance.mutants.hunt import Fate

EQUIVALENT = Path(__file__).parent / "equivalent.toml"
ENOUGH = 0.95


def parser() -> argparse.ArgumentParser:
    """Returns the command line."""
    made = argparse.ArgumentParser(prog="python -m conformance.mutants", description=__doc__)
    add = made.add_argument
    add("--count", type=int, default=450, help="so many faults, spread over all kinds")
    add("--only", action="append", metavar="PATTERN", help="all faults whose name has it")
    add("--op", action="append", metavar="KEY", help="only the cases of these units (repeatable)")
    add("--seed", type=int, default=0)
    add("--jobs", type=int, default=2, help="processes")
    add("--list", action="store_true", help="show what would be planted")
    add("--json", metavar="FILE")
    return made


def equivalents() -> list[dict[str, str]]:
    """Returns the patterns of faults that no comparison can show, each with its reason."""
    return tomllib.loads(EQUIVALENT.read_text()).get("equivalent", [])


def main(arguments: list[str] | None = None) -> int:
    """Plants what the command line says; 0 if enough was noticed and the list is right."""
    given = parser().parse_args(arguments)
    console = Console(width=150, highlight=False)
    torch.set_num_threads(1)
    found = hunt.all_faults()
    if given.only:
        for kind, every in found.items():
            found[kind] = [e for e in every if any(matches(e.name, p) for p in given.only)]
        given.count = sum(map(len, found.values()))
    sample = hunt.Sample(found, given.count, given.seed)
    if given.list:
        for each in sample.draw():
            console.print(each.name, markup=False)
        return 0
    fates = list(_hunted(sample, given, console))
    listed = equivalents()
    report(fates, listed, console)
    rate, error = of_all(fates, listed, {kind: len(every) for kind, every in found.items()})
    console.print(
        f"of all faults, each kind as often as it is: {rate:.1%}, give or take {error:.1%}"
    )
    if given.json:
        Path(given.json).write_text(json.dumps([as_json(fate) for fate in fates], indent=1))
    return 0 if _enough(fates, listed) else 1


def matches(name: str, pattern: str) -> bool:
    """Returns whether a fault's name has a pattern in it, in which only `*` is special."""
    return fnmatchcase(name, f"*{pattern.replace('[', '[[]')}*")


def _hunted(sample: hunt.Sample, given: argparse.Namespace, console: Console) -> Iterator[Fate]:
    first = start = time.monotonic()
    faults_.live()  # before processes are forked, and before `freeze` hides functions
    always = warned_always(torch), warned_always(minitorch)
    with console.status("looking at cases") as status, always[0], always[1]:
        watched = watch.everything(given.op or [], given.jobs, status.update)
        console.print(f"{len(watched)} cases looked at in {time.monotonic() - start:.0f} s")
        hunting = hunt.Hunt(watched)
        gc.freeze()
        start = time.monotonic()
        done = 0
        for done, fate in enumerate(hunting.sampled(sample, given.jobs), 1):
            status.update(f"{done} of {done + sample.missing.total()}: {fate.fault.kind}")
            yield fate
    for each in hunting.unsteady:
        console.print(f"differs with no fault planted, left out: {each}", markup=False)
    taken = time.monotonic() - start
    console.print(
        f"{done} faults in {taken:.0f} s, {taken / max(done, 1):.2f} s each; "
        f"{time.monotonic() - first:.0f} s in all"
    )


def _excused(fate: Fate, listed: list[dict[str, str]]) -> str:
    """Returns why no comparison can show a fault that survived; nothing if one can."""
    reasons = [each["reason"] for each in listed if matches(fate.fault.name, each["pattern"])]
    return "" if fate.killed or not reasons else reasons[0]


def _enough(fates: list[Fate], listed: list[dict[str, str]]) -> bool:
    counted = [fate for fate in fates if not _excused(fate, listed)]
    killed = sum(fate.killed for fate in counted)
    return killed >= ENOUGH * len(counted) and not stale(fates, listed)


def stale(fates: list[Fate], listed: list[dict[str, str]]) -> list[str]:
    """Returns the patterns of the list that a fault which was noticed fits."""
    return [
        each["pattern"]
        for each in listed
        if any(fate.killed and matches(fate.fault.name, each["pattern"]) for fate in fates)
    ]


def report(fates: list[Fate], listed: list[dict[str, str]], console: Console) -> None:
    """Prints the survivors and the rate of each kind."""
    excused = [fate for fate in fates if _excused(fate, listed)]
    counted = [fate for fate in fates if not _excused(fate, listed)]
    for fate in excused:
        console.print(f"cannot be observed: {_excused(fate, listed)}", style="bold", markup=False)
        console.print(fate.fault.diff, markup=False)
    for fate in counted:
        if not fate.killed:
            console.print(f"survived, {fate.fault.kind}: {_seen(fate)}", style="bold")
            console.print(fate.fault.diff, markup=False)
    planted, killed = Counter(), Counter()
    for fate in counted:
        planted[fate.fault.kind] += 1
        killed[fate.fault.kind] += fate.killed
    table = Table("kind", "planted", "noticed", "rate")
    for kind in sorted(planted):
        share = killed[kind] / planted[kind]
        table.add_row(kind, str(planted[kind]), str(killed[kind]), f"{share:.0%}")
    console.print(table)
    for pattern in stale(fates, listed):
        console.print(f"listed as equivalent, but noticed: {pattern}", markup=False)
    rate = killed.total() / max(planted.total(), 1)
    console.print(
        f"{killed.total()} of {planted.total()} noticed: {rate:.1%}; "
        f"{len(excused)} more cannot be observed"
    )


def of_all(
    fates: list[Fate], listed: list[dict[str, str]], sizes: dict[str, int]
) -> tuple[float, float]:
    """Returns the rate to expect of all faults, most of them of few kinds, and its error.

    sizes: how many faults there are of each kind. The error is two standard ones of a sample that
    is drawn from each kind, with one more noticed fault and one more unnoticed.
    """
    results: dict[str, list[bool]] = defaultdict(list)
    for fate in fates:
        if not _excused(fate, listed):
            results[fate.fault.kind].append(fate.killed)
    total = sum([sizes[kind] for kind in results])
    rate = variance = 0.0
    for kind, killed in results.items():
        share, planted = sizes[kind] / max(total, 1), len(killed)
        rate += share * sum(killed) / planted
        guess = (sum(killed) + 1) / (planted + 2)
        left_out = 1 - planted / sizes[kind]
        variance += share**2 * guess * (1 - guess) / planted * left_out
    return rate, 2 * math.sqrt(variance)


def _seen(fate: Fate) -> str:
    """Returns why a fault survived, as far as can be told."""
    if not fate.cases:
        return "no case runs it"
    if fate.run < fate.cases:
        return f"{fate.run} of {fate.cases} cases that run it find the same, then its time was up"
    return f"all {fate.cases} cases that run it find the same"


def as_json(fate: Fate) -> dict[str, Any]:
    """Returns a fate as plain data."""
    fault = fate.fault
    return {
        "kind": fault.kind,
        "file": fault.file,
        "line": fault.line,
        "before": fault.before,
        "after": fault.after,
        "killed": fate.killed,
        "killer": fate.killer,
        "cases": fate.cases,
        "run": fate.run,
        "seconds": round(fate.seconds, 3),
    }


if __name__ == "__main__":
    sys.exit(main())
