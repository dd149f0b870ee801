"""torch.torch_version: the version as a string that compares as a version."""

from __future__ import annotations

import re
from typing import Any


class TorchVersion(str):
    """A version such as '2.13.0+cpu': a str, compared number by number with strings and tuples."""

    __slots__ = ()
    __module__ = "torch.torch_version"

    def __eq__(self, other: object) -> bool:
        return _parts(self) == _parts(other)

    def __lt__(self, other: Any) -> bool:
        return _parts(self) < _parts(other)

    def __le__(self, other: Any) -> bool:
        return _parts(self) <= _parts(other)

    def __gt__(self, other: Any) -> bool:
        return _parts(self) > _parts(other)

    def __ge__(self, other: Any) -> bool:
        return _parts(self) >= _parts(other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def _parts(version: Any) -> tuple[tuple[int, ...], str]:
    """The numbers, without zeros at the end, and what comes after '+'."""
    text = version if isinstance(version, str) else ".".join(map(str, version))
    public, _, local = text.partition("+")
    numbers = [int(number) for number in re.findall(r"\d+", public)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers), local
