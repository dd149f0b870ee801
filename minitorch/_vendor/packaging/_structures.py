"""Values that are greater, or less, than all others."""

from __future__ import annotations


class InfinityType:
    """Greater than anything but itself."""

    def __repr__(self) -> str:
        return "Infinity"

    def __hash__(self) -> int:
        return hash(repr(self))

    def __lt__(self, other: object) -> bool:
        return False

    def __le__(self, other: object) -> bool:
        return isinstance(other, InfinityType)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InfinityType)

    def __gt__(self, other: object) -> bool:
        return True

    def __ge__(self, other: object) -> bool:
        return True

    def __neg__(self) -> NegativeInfinityType:
        return NegativeInfinity


class NegativeInfinityType:
    """Less than anything but itself."""

    def __repr__(self) -> str:
        return "-Infinity"

    def __hash__(self) -> int:
        return hash(repr(self))

    def __lt__(self, other: object) -> bool:
        return True

    def __le__(self, other: object) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NegativeInfinityType)

    def __gt__(self, other: object) -> bool:
        return False

    def __ge__(self, other: object) -> bool:
        return isinstance(other, NegativeInfinityType)

    def __neg__(self) -> InfinityType:
        return Infinity


Infinity = InfinityType()
NegativeInfinity = NegativeInfinityType()
