"""Runs the suite under each setting of `conditions.py`, in processes of its own; a row for each."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from conformance import conditions

# Sources that compute, or print results: the others read names and declarations.
SOURCES = (
    "opinfo,operators,layers,views,autograd,func,errors,"
    "programs,refusals,modules,optimizers,random,scripts"
)
CHOSEN = ("--source", "--op", "--tier", "--explain")  # with one of these, the caller chooses


class Row(NamedTuple):
    """The result of a run under one setting."""

    setting: str
    units: int = 0
    noise: int = 0  # of these, where numbers were judged by their distance to float64
    wrong: tuple[str, ...] = ()
    minutes: float = 0.0
    trouble: str = ""
    missing: tuple[str, ...] = ()  # instruction sets, without which it cannot be run

    @property
    def is_clean(self) -> bool:
        """Whether nothing was wrong in a whole run, as far as one is possible here."""
        return not self.wrong and not self.trouble


def run(arguments: list[str], console: Console, file: str | None = None) -> int:
    """Runs the command line's units under each setting; 0 where all of them are clean.

    file: gets the rows as JSON, after each of them: a matrix that is stopped leaves what it had.
    """
    others = _without_setting(arguments)
    if not any(word.partition("=")[0] in CHOSEN for word in others):
        others = ["--source", SOURCES, *others]
    rows = []
    for row in _rows(others):
        rows.append(row)
        if file is not None:
            Path(file).write_text(json.dumps(_verdict(rows), indent=1) + "\n")
        console.print(_told(row), markup=False, soft_wrap=True)
    console.print(_table(rows))
    console.print(f"on {conditions.processor()}", markup=False, soft_wrap=True)
    return 0 if all(row.is_clean for row in rows) else 1


def _without_setting(arguments: list[str]) -> list[str]:
    """Returns a command line without the option that asks for the matrix."""
    words = [word for word in arguments if not word.startswith(f"{conditions.OPTION}=")]
    if conditions.OPTION in words:
        place = words.index(conditions.OPTION)
        del words[place : place + 2]
    return words


def _rows(arguments: list[str]) -> Iterator[Row]:
    for setting in conditions.SETTINGS:
        if missing := conditions.lacking(setting):
            yield Row(setting, missing=tuple(missing))
        else:
            yield _under(setting, arguments)


def _under(setting: str, arguments: list[str]) -> Row:
    """Returns what a run of the suite under a setting came to."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "verdict.json"
        command = [sys.executable, "-m", "conformance", *arguments]
        ended = subprocess.run(
            [*command, conditions.OPTION, setting, "--json", str(file)],
            capture_output=True,
            text=True,
            env=conditions.unset(),
        )
        if not file.exists():
            return Row(setting, trouble=ended.stderr.strip().rpartition("\n")[2] or "no verdict")
        verdict = json.loads(file.read_text())
    units = verdict["units"]
    return Row(
        setting,
        len(units),
        sum(_has_noise(unit) for unit in units.values()),
        tuple(name for name, unit in units.items() if unit["wrong"]),
        verdict["arguments"]["wall"] / 60,
        "" if verdict["complete"] else "interrupted",
    )


def _has_noise(unit: dict) -> bool:
    return any(found["grade"] == "NOISE" for found in unit["properties"].values())


def _verdict(rows: list[Row]) -> dict:
    return {
        "processor": conditions.processor(),
        "complete": len(rows) == len(conditions.SETTINGS),
        "settings": [row._asdict() for row in rows],
    }


def _told(row: Row) -> str:
    if row.missing:
        return f"{row.setting}: not run: this processor has no {', '.join(row.missing)}"
    if row.trouble:
        return f"{row.setting}: {row.trouble}"
    wrong = f"{len(row.wrong)} wrong" + "".join(f" {name}" for name in row.wrong)
    return f"{row.setting}: {row.units} units, {wrong}, {row.minutes:.1f} min"


def _table(rows: list[Row]) -> Table:
    table = Table("setting", "variables", "units", "judged by float64", "wrong")
    for row in rows:
        variables = conditions.SETTINGS[row.setting].variables.items()
        table.add_row(
            row.setting,
            " ".join(f"{name}={value}" for name, value in variables) or "none",
            str(row.units or "-"),
            str(row.noise),
            row.trouble or ("not run" if row.missing else str(len(row.wrong))),
        )
    return table
