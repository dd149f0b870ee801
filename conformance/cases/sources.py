"""The sources of cases, by name. Each is a module beside this one, imported when it is asked for.

A source has two functions, and may have two more:

- `keys(options)` returns the names of what it examines: operators, modules, families of snippets;
- `cases(key, options)` yields the cases of one key, the same ones for the same options;
- `tiers()` returns the tier of each key, where they are sorted by how commonly they are used;
- `remarks(seconds)` yields lines for the end of a report, by the seconds that each key took.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from conformance.cases.case import Case
from conformance.options import Options

SOURCES = {
    "opinfo": "opinfo",
    **dict.fromkeys(("operators", "layers", "views", "autograd", "func", "errors"), "pieces"),
    "rows": "rows",
    "refusals": "refusals",
    "dtypes": "other_dtypes",
    "sizes": "sizes",
    "layouts": "layouts",
    "lengths": "lengths",
    "values": "values",
    "meta": "numberless",
    "programs": "programs",
    "modules": "modules",
    "optimizers": "optimizers",
    "random": "random_numbers",
    "distributions": "distributions",
    "printing": "printing",
    "checkpoints": "checkpoints",
    "scripts": "scripts",
    "multiprocessing": "multiprocessing_scripts",
    "distributed": "distributed",
    "rank-tests": "rank_tests",
    "sparse": "sparse",
    "compressed": "sparse_compressed",
    "study": "studies",
    "modes": "modes",
    "nested": "nested",
    "fx": "traced",
    "namespace": "public_names",
    "numbers": "odd_numbers",
    "parser": "parser",
    "mixed": "mixed",
    "docstrings": "docstrings",
    "packages": "packages",
}
# Those with faults that are known, and not mended yet, that need a network, or take long: they run
# where they are named.
PENDING = ("numbers", "packages", "rank-tests", "values")
# Those which run on devices: they say where their tensors are made, or leave it to the default.
ON_DEVICES = (
    *("opinfo", "operators", "layers", "views", "autograd", "func"),
    *("programs", "modules", "optimizers"),
)

SNIPPETS = Path(__file__).parent / "snippets"  # a folder for each source of written programs


class Unit(NamedTuple):
    """A key of a source: what one process examines at a time, and one row of the board."""

    source: str
    key: str

    @property
    def name(self) -> str:
        """The name which gaps.toml and the command line know it by."""
        return self.key if self.source == "opinfo" else f"{self.source}/{self.key}"

    @property
    def is_program(self) -> bool:
        """Whether its cases are written programs, which may change what the next ones find."""
        return any((SNIPPETS / self.source).glob(f"{self.key}.*"))


def source(name: str) -> Any:
    """Returns a source's module, or what stands for one of its folders of pieces."""
    module = importlib.import_module(f"conformance.cases.{SOURCES[name]}")
    return module.Pieces(name) if SOURCES[name] == "pieces" else module


def units(names: list[str], options: Options) -> list[Unit]:
    """Returns everything there is to examine in the named sources."""
    return [Unit(name, key) for name in names for key in source(name).keys(options)]


def tier(unit: Unit) -> str:
    """Returns how commonly a unit is used: core, common or rest; nothing for most sources."""
    tiers = getattr(source(unit.source), "tiers", dict)
    return tiers().get(unit.key, "")


def cases(unit: Unit, options: Options) -> Iterator[Case]:
    """Yields the cases of one unit."""
    return source(unit.source).cases(unit.key, options)
