"""Keeps the scripts of cases that were made by chance and differ."""

import hashlib
from pathlib import Path

from conformance.differ.compare import PASSING
from conformance.report.entries import script
from conformance.report.verdicts import Ledger


def save(ledger: Ledger, folder: Path, impl: str) -> list[Path]:
    """Writes the script of each such case into the folder; returns the files."""
    scripts = {
        script(entry, impl)
        for verdict in ledger.verdicts
        for found in verdict.found.values()
        for entry in found.differences
        if entry.case.found_by_chance and entry.grade > PASSING
    }
    if scripts:
        folder.mkdir(parents=True, exist_ok=True)
    files = []
    for source in sorted(scripts):
        files.append(folder / f"{hashlib.sha1(source.encode()).hexdigest()[:10]}.py")
        files[-1].write_text(source)
    return files
