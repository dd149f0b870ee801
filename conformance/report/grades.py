"""The look of each grade, everywhere alike: its mark in a cell, its words, its colour."""

from typing import NamedTuple

from conformance.differ.tolerances import ULPS
from conformance.examine import Verdict
from conformance.report.verdicts import Ledger


class Look(NamedTuple):
    """The look of a grade."""

    mark: str
    words: str
    style: str


LOOKS = {
    "SAME": Look("=", "the same bits", "green"),
    "ULPS": Look("u", f"within {ULPS} units in the last place", "green"),
    "TOLERANCE": Look("~", "within torch.testing's tolerance", "green"),
    "NOISE": Look("n", "beyond it, and as near to float64 as torch's own", "green"),
    "GAP": Look("gap", "accepted in gaps.toml, with a reason", "yellow"),
    "PATTERN": Look("text", "another text, though torch's own tests would accept it", "yellow"),
    "MISSING": Look("miss", "not there yet", "blue"),
    "WRONG": Look("WRONG", "other numbers, names, sizes or edges", "red"),
    "KIND": Look("KIND", "another type, structure, dtype or exception", "red"),
    "RAISES": Look("raise", "an exception where torch has none", "red"),
}
LEGEND = "   ".join(f"{look.mark} {look.words}" for look in LOOKS.values())


def grade(ledger: Ledger, verdict: Verdict, name: str) -> str:
    """Returns the grade of a property as it is shown: GAP where a difference is accepted."""
    return "GAP" if ledger.accepted(verdict, name) else ledger.grade(verdict, name).name
