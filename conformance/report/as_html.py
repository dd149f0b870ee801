"""The verdict as one page for people: it needs no network, and nothing beside it."""

import json
from pathlib import Path

from conformance.cases.case import PROPERTIES
from conformance.cases.sources import tier
from conformance.differ.texts import parts
from conformance.examine import Example, Found, Shown, Verdict
from conformance.report.entries import script, title
from conformance.report.grades import LOOKS, grade
from conformance.report.verdicts import Ledger

PARTS = Path(__file__).parent / "page"


def write(ledger: Ledger, file: str, about: dict) -> None:
    """Writes the page."""
    Path(file).write_text(page(content(ledger, about)), encoding="utf-8")


def page(data: dict) -> str:
    """Returns the page's source: the frame with style, script and data inside."""
    source = (PARTS / "page.html").read_text(encoding="utf-8")
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    for place, text in (
        ("/* page.css */", (PARTS / "page.css").read_text(encoding="utf-8")),
        ("/* page.js */", (PARTS / "page.js").read_text(encoding="utf-8")),
        ("/* data */", plain.replace("<", "\\u003c")),  # no text can end the element it stands in
    ):
        before, _, after = source.partition(place)
        source = before + text + after
    return source


def content(ledger: Ledger, about: dict) -> dict:
    """Returns what the page shows; each script stands once, however many refer to it."""
    import torch

    scripts: dict[str, int] = {}
    found = [name for name in ledger.properties if ledger.total(name).applicable]
    return {
        "about": about,
        "torch": torch.__version__.partition("+")[0],
        "properties": {name: PROPERTIES[name] for name in found},
        "looks": {name: look._asdict() for name, look in LOOKS.items()},
        "stale": [f"{gap.pattern} ({gap.property})" for gap in ledger.stale],
        "units": [
            {
                "source": verdict.unit.source,
                "key": verdict.unit.key,
                "tier": tier(verdict.unit),
                "passes": ledger.passes(verdict),
                "seconds": round(verdict.seconds, 2),
                "trouble": verdict.trouble,
                "found": {
                    name: _cell(ledger, verdict, name, about["impl"], scripts)
                    for name in verdict.found
                },
            }
            for verdicts in ledger.groups().values()
            for verdict in verdicts
        ],
        "scripts": list(scripts),
    }


def _cell(ledger: Ledger, verdict: Verdict, name: str, impl: str, scripts: dict) -> dict:
    found: Found = verdict.found[name]
    shown = found.differences or ([found.example] if found.example else [])
    if found.grade.name == "MISSING":
        shown = shown[:1]
    cell = {
        "grade": grade(ledger, verdict, name),
        "cases": found.cases,
        "differing": found.differing,
        "shown": [_shown(each, impl, scripts) for each in shown],
    }
    if cell["grade"] == "GAP":
        cell["gaps"] = [[gap.reason, gap.link] for gap in ledger.covering(verdict, name)]
    return cell


def _shown(entry: Shown | Example, impl: str, scripts: dict) -> list:
    """Returns case, path, script, and both sides in parts; one side where they are the same."""
    number = scripts.setdefault(script(entry, impl), len(scripts))
    if isinstance(entry, Example):
        return [title(entry), "", number, [entry.theirs]]
    return [title(entry), entry.path, number, *parts(entry.torch, entry.other)]
