"""Accepted differences: gaps.toml, strict both ways."""

import tomllib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.differ.compare import IDLE
from conformance.oracle.choices import holds

FILE = Path(__file__).parent.parent / "gaps.toml"


@dataclass(frozen=True)
class Gap:
    """A difference that is accepted: for units whose name matches a pattern, in one property."""

    pattern: str  # or several, "lt,gt"
    property: str
    reason: str
    link: str
    device: str = "cpu"  # or several, "cpu,stand-in"
    profile: str = ""  # the only one whose samples show it, if not each does
    grades: tuple[str, ...] = ("PATTERN", "WRONG")  # other texts and values, of the same kind
    part: str = ""  # of the property, "stride" or "values" of gradients, if not all of it
    when: str = ""  # what torch's choice of kernels must be, by its name in oracle/choices.py

    def covers(self, unit: str, name: str) -> bool:
        """Returns whether this gap concerns this property of the unit of this name."""
        return name == self.property and fnmatchcase(unit, self.pattern)

    @property
    def may_pass(self) -> bool:
        """Whether accepted differences may be absent: idle strides, choices by the processor."""
        return self.part == IDLE or bool(self.when)

    def accepts(self, grade: str, part: str) -> bool:
        """Returns whether this gap accepts a difference of this grade in this part."""
        return grade in self.grades and self.part in ("", part)


def read(file: Path = FILE, device: str = "cpu", profile: str = "full") -> list[Gap]:
    """Returns the gaps of a device and profile, and of torch's choices in this process.

    Each needs pattern, property, reason and link.
    """
    found = [Gap(**entry) for entry in tomllib.loads(file.read_text()).get("gap", [])]
    return [
        replace(gap, pattern=pattern, property=name)
        for gap in found
        if device in gap.device.split(",") and gap.profile in ("", profile) and holds(gap.when)
        for pattern in gap.pattern.split(",")  # an entry may name several units
        for name in gap.property.split(",")  # and several properties
    ]


def stale(gaps: list[Gap], names: set[str], looked_at: dict[str, dict[str, bool]]) -> list[Gap]:
    """Returns the gaps that no longer differ anywhere, where that can be known.

    `looked_at` tells, by unit and property, whether it passes. A gap whose pattern matches some
    of the `names` that this run did not look at may still differ there.
    """
    found = []
    for gap in gaps:
        if gap.may_pass:
            continue
        among = [name for name in names if fnmatchcase(name, gap.pattern)]
        known = [looked_at[name] for name in among if name in looked_at]
        outcomes = [passes[gap.property] for passes in known if gap.property in passes]
        if len(known) == len(among) and outcomes and all(outcomes):
            found.append(gap)
    return found
