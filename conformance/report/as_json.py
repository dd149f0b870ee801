"""The verdicts as JSON."""

import json
from dataclasses import asdict
from pathlib import Path

from conformance.cases.sources import tier
from conformance.examine import Verdict
from conformance.report.verdicts import Ledger


def write(ledger: Ledger, file: str, arguments: dict) -> None:
    """Writes totals, and every unit's properties with their first differences."""
    content = {
        "arguments": arguments,
        "complete": len(ledger.verdicts) == arguments["units"],
        "clean": ledger.clean,
        "totals": {
            group: {
                name: asdict(total)
                for name in ledger.properties
                if (total := ledger.total(name, verdicts)).applicable
            }
            for group, verdicts in {"all": ledger.verdicts, **ledger.groups()}.items()
        },
        "stale gaps": [f"{gap.pattern}: {gap.property}" for gap in ledger.stale],
        "units": {
            verdict.name: plain(ledger, verdict)
            for verdict in sorted(ledger.verdicts, key=lambda verdict: verdict.name)
        },
    }
    Path(file).write_text(json.dumps(content, indent=1, default=str) + "\n")


def plain(ledger: Ledger, verdict: Verdict) -> dict:
    """Returns one verdict as plain data."""
    return {
        "source": verdict.unit.source,
        "tier": tier(verdict.unit),
        "passes": ledger.passes(verdict),
        "wrong": ledger.wrong(verdict),
        "seconds": round(verdict.seconds, 3),
        "trouble": verdict.trouble,
        "properties": {
            name: {
                "grade": found.grade.name,
                "passes": found.passes,
                "accepted": ledger.accepted(verdict, name),
                "cases": found.cases,
                "failing cases": found.differing,
                "differences": [
                    {
                        "case": entry.case.title,
                        "path": entry.path,
                        "grade": entry.grade.name,
                        "torch": entry.torch,
                        "other": entry.other,
                    }
                    for entry in found.differences
                ],
            }
            for name, found in verdict.found.items()
        },
    }
