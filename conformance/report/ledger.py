"""The verdicts as JSON."""

import json
from pathlib import Path

from conformance.report.board import Ledger


def write(ledger: Ledger, file: str, tiers: dict[str, str], arguments: dict) -> None:
    """Writes totals, and every operator's properties with their first differences."""
    operators = {
        verdict.key: {
            "tier": tiers[verdict.key],
            "passes": ledger.passes(verdict),
            "seconds": round(verdict.seconds, 3),
            "trouble": verdict.trouble,
            "properties": {
                name: {
                    "grade": found.grade.name,
                    "passes": found.passes,
                    "accepted": ledger.accepted(verdict.key, name) and not found.passes,
                    "cases": found.cases,
                    "failing cases": found.differing,
                    "differences": [
                        {field: entry[field] for field in entry if field != "case"}
                        for entry in found.differences
                    ],
                }
                for name, found in verdict.found.items()
            },
        }
        for verdict in sorted(ledger.verdicts, key=lambda verdict: verdict.key)
    }
    totals = {
        name: dict(zip(("passing", "applicable", "bit for bit"), ledger.total(name), strict=True))
        for name in ledger.properties
    }
    content = {
        "arguments": arguments,
        "clean": ledger.clean,
        "totals": totals,
        "stale gaps": [f"{gap.pattern}: {gap.property}" for gap in ledger.stale],
        "operators": operators,
    }
    Path(file).write_text(json.dumps(content, indent=1, default=str) + "\n")
