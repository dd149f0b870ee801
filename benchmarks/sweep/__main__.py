"""python -m benchmarks --sweep: every operator of op_db and every optimizer beside torch's."""

import argparse
import fnmatch
import json
import math
import random
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from benchmarks.measure import library, use_threads
from benchmarks.sweep import children, optimizers, samples, timing
from benchmarks.table import BUDGETS, quantity


@dataclass(frozen=True)
class Row:
    """The time of one operator: seconds at best, and the width of the ratio's interval."""

    name: str
    size: str
    kind: str
    ours: float
    torch: float
    width: float

    @property
    def ratio(self) -> float:
        return self.ours / self.torch


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks --sweep", description=__doc__)
    listed = {"type": lambda text: text.split(",")}
    parser.add_argument("--size", default=[*samples.SIZES], help="tiny,medium,large", **listed)
    parser.add_argument("--kind", default=[*timing.KINDS], help="forward,grad,backward", **listed)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="of the names")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of them, drawn by chance")
    parser.add_argument("--seed", type=int, default=0, help="of that draw")
    parser.add_argument("--limit", type=float, default=1.0, help="seconds a row may take")
    parser.add_argument(
        "--patience",
        type=float,
        default=60.0,
        help="seconds without a row, then a name is given up",
    )
    parser.add_argument("--threads", type=int, default=1, help="of both libraries, by wall time")
    parser.add_argument("--worst", type=int, default=40, help="how many rows to show of a group")
    parser.add_argument("--json", metavar="FILE", help="write all rows to a file")
    parser.add_argument("--impl", default="minitorch", metavar="MODULE")
    return parser.parse_args(arguments)


def chosen(options: argparse.Namespace) -> dict[str, Any]:
    """The operators and optimizers that were asked for, by name."""
    every = {**samples.operators(), **samples.optimizers()}
    names = sorted(fnmatch.filter(every, options.only))
    if options.sample is not None and options.sample < len(names):
        names = sorted(random.Random(options.seed).sample(names, options.sample))
    return {name: every[name] for name in names}


def measured(
    name: str, entry: Any, size: str, options: argparse.Namespace
) -> Iterator[Row | tuple[str, str, str]]:
    """The rows of an operator, or its name and size with why there is none."""
    use_threads(options.threads)
    both = [library(options.impl), library("torch")]
    if name.startswith("optim."):
        pairs = {"forward": lambda: [optimizers.sampler(each, name, size) for each in both]}
    else:
        try:
            call = samples.sample(name, entry, size)
        except Exception as error:  # of torch's own samples
            yield name, size, f"samples: {type(error).__name__}: {str(error)[:90]}"
            return
        if call is None:
            yield name, size, "no sample of this size"
            return
        pairs = {
            kind: lambda kind=kind: [timing.sampler(each, call, kind) for each in both]
            for kind in options.kind
        }
    for kind, make in pairs.items():
        try:
            samplers = make()
            if None in samplers:
                continue
            yield Row(name, size, kind, *timing.race(samplers, options.limit))
        except Exception as error:
            yield name, size, f"{kind}: {type(error).__name__}: {str(error)[:90]}"


def mean(rows: Sequence[Row]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(sum([math.log(row.ratio) for row in rows]) / len(rows))


def report(rows: Sequence[Row], options: argparse.Namespace) -> list[str]:
    """Prints each group's mean and its worst rows; returns the groups over their budgets."""
    over = []
    for size in options.size:
        for kind in timing.KINDS:
            group = [row for row in rows if (row.size, row.kind) == (size, kind)]
            if not group:
                continue
            limit = BUDGETS.get("sweep", {}).get(f"{size} {kind}")
            found = mean(group)
            slow = sum(row.ratio > 1.5 for row in group)
            print(f"\n{size} {kind}: {len(group)} rows, geometric mean {found:.3f}", end="")
            print(f" (budget {limit})" if limit else "", f"{slow} above 1.5", sep=", ")
            if limit and found > limit:
                over.append(f"{size} {kind}")
            for row in sorted(group, key=lambda row: -row.ratio)[: options.worst]:
                print(
                    f"  {row.name:44}{quantity(row.ours, 's'):>10}{quantity(row.torch, 's'):>10}"
                    f"{row.ratio:>9.2f}  ± {row.width / 2:.0%}"
                )
    return over


def main(arguments: Sequence[str]) -> int:
    options = options_of(arguments)
    warnings.simplefilter("ignore")
    entries = chosen(options)
    rows: list[Row] = []
    missing: list[tuple[str, str, str]] = []
    start = time.perf_counter()
    for name, entry in entries.items():
        for size in options.size:
            work = partial(measured, name, entry, size, options)
            for found in children.results(work, options.patience):
                if isinstance(found, Row):
                    rows.append(found)
                elif isinstance(found, children.Ended):
                    missing.append((name, size, found.reason))
                else:
                    missing.append(found)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                kept = {"rows": [asdict(row) for row in rows], "missing": missing}
                json.dump(kept, file, indent=1)
    over = report(rows, options)
    print(f"\n{len(entries)} names in {time.perf_counter() - start:.0f} s; without a row:")
    for each in missing:
        print("  " + " | ".join(each))
    print(f"{len(over)} groups over their budgets {over}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
