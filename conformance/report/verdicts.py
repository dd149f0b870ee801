"""All verdicts of a run, and what the accepted gaps make of them."""

from dataclasses import dataclass, field

from conformance.cases.sources import SOURCES, tier
from conformance.differ.compare import PASSING, Grade
from conformance.differ.gaps import Gap, stale
from conformance.examine import Verdict
from conformance.options import TIERS

BAD = (Grade.PATTERN, Grade.WRONG, Grade.KIND, Grade.RAISES)


@dataclass
class Total:
    """The count of units that passed in one property."""

    passing: int
    applicable: int
    exact: int  # bit for bit


@dataclass
class Ledger:
    """The verdicts, in the order in which they came."""

    properties: tuple[str, ...]
    gaps: list[Gap] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    names: frozenset[str] = frozenset()  # of all units there are, also those not chosen
    strict: bool = True  # False with a part of the cases: a gap may differ in the others
    without_units: list[str] = field(default_factory=list)  # sources, which say why

    def grade(self, verdict: Verdict, name: str) -> Grade:
        """Returns the worst grade of this property of this unit which no gap accepts."""
        gaps = self.covering(verdict, name)
        return max(
            (
                grade
                for grade, part in verdict.found[name].grades
                if not any(gap.accepts(grade.name, part) for gap in gaps)
            ),
            default=Grade.SAME,
        )

    def accepted(self, verdict: Verdict, name: str) -> bool:
        """Returns whether gaps accept all that differs in this property of this unit."""
        return not verdict.found[name].passes and self.grade(verdict, name) <= PASSING

    def covering(self, verdict: Verdict, name: str) -> list[Gap]:
        """Returns the gaps which cover this property of this unit."""
        return [gap for gap in self.gaps if gap.covers(verdict.name, name)]

    def passes(self, verdict: Verdict) -> bool:
        """Returns whether a unit is clean, accepted gaps aside."""
        return not verdict.trouble and all(
            self.grade(verdict, name) <= PASSING for name in verdict.found
        )

    def missing(self, verdict: Verdict) -> bool:
        """Returns whether the library lacks something that the unit asks for."""
        return any(self.grade(verdict, name) is Grade.MISSING for name in verdict.found)

    def wrong(self, verdict: Verdict) -> bool:
        """Returns whether the unit differs in what the library does have."""
        return bool(verdict.trouble) or any(
            self.grade(verdict, name) in BAD for name in verdict.found
        )

    def total(self, name: str, verdicts: list[Verdict] | None = None) -> Total:
        """Returns how many of the units pass a property."""
        among = self.verdicts if verdicts is None else verdicts
        pairs = [(v, v.found[name]) for v in among if name in v.found]
        passing = [found for v, found in pairs if found.passes]
        return Total(len(passing), len(pairs), sum(f.grade is Grade.SAME for f in passing))

    def groups(self) -> dict[str, list[Verdict]]:
        """Returns the verdicts by source, those of operators by source and tier."""
        order = {name: number for number, name in enumerate((*SOURCES, *TIERS))}
        found: dict[str, list[Verdict]] = {}
        for verdict in sorted(
            self.verdicts, key=lambda v: (order[v.unit.source], order.get(tier(v.unit), 0))
        ):
            label = f"{verdict.unit.source} {tier(verdict.unit)}".strip()
            found.setdefault(label, []).append(verdict)
        return found

    @property
    def stale(self) -> list[Gap]:
        """The gaps that no longer differ."""
        looked_at = {
            v.name: {name: found.passes for name, found in v.found.items()}
            for v in self.verdicts
            if not v.trouble
        }
        return stale(self.gaps, self.names | looked_at.keys(), looked_at) if self.strict else []

    @property
    def clean(self) -> bool:
        """Whether the run may end with status 0: nothing is wrong, and of the operators that small
        scripts use most nothing is missing. What else is missing is counted, not held against."""
        return not self.stale and not any(
            self.wrong(verdict) or (tier(verdict.unit) == "core" and self.missing(verdict))
            for verdict in self.verdicts
        )
