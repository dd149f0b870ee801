"""Accepted differences: gaps.toml, strict both ways."""

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

FILE = Path(__file__).parent.parent / "gaps.toml"


@dataclass(frozen=True)
class Gap:
    """A difference that is accepted: for operators of a pattern, in one property."""

    pattern: str
    property: str
    reason: str
    link: str
    device: str = "cpu"

    def covers(self, key: str, name: str) -> bool:
        """Returns whether this gap speaks of the operator's property."""
        return name == self.property and fnmatchcase(key, self.pattern)


def read(file: Path = FILE, device: str = "cpu") -> list[Gap]:
    """Returns the gaps that are listed for a device; each needs pattern, property, reason, link."""
    found = [Gap(**entry) for entry in tomllib.loads(file.read_text()).get("gap", [])]
    return [gap for gap in found if gap.device == device]


def stale(gaps: list[Gap], checked: set[tuple[str, str]], failed: set[tuple[str, str]]) -> list:
    """Returns the gaps that were looked at and no longer differ anywhere."""
    return [
        gap
        for gap in gaps
        if any(gap.covers(*pair) for pair in checked)
        and not any(gap.covers(*pair) for pair in failed)
    ]
