"""Versions as https://packaging.python.org/specifications/version-specifiers/ defines them."""

from __future__ import annotations

import re
from functools import total_ordering
from typing import Any

from minitorch._vendor.packaging._structures import Infinity, NegativeInfinity

__all__ = ["VERSION_PATTERN", "InvalidVersion", "Version", "parse"]

VERSION_PATTERN = r"""
    v?
    (?:(?P<epoch>[0-9]+)!)?
    (?P<release>[0-9]+(?:\.[0-9]+)*)
    (?P<pre>[-_\.]?(?P<pre_l>alpha|a|beta|b|preview|pre|c|rc)[-_\.]?(?P<pre_n>[0-9]+)?)?
    (?P<post>
        (?:-(?P<post_n1>[0-9]+))
        |
        (?:[-_\.]?(?P<post_l>post|rev|r)[-_\.]?(?P<post_n2>[0-9]+)?)
    )?
    (?P<dev>[-_\.]?(?P<dev_l>dev)[-_\.]?(?P<dev_n>[0-9]+)?)?
    (?:\+(?P<local>[a-z0-9]+(?:[-_\.][a-z0-9]+)*))?
"""
_PHASES = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


class InvalidVersion(ValueError):
    """A text that is no version."""


def parse(version: str) -> Version:
    """The version that a text describes. InvalidVersion if it describes none."""
    return Version(version)


@total_ordering
class Version:
    """A version in its parts, to be compared with others.

    Args:
        version: a text such as "2.13.0+cpu" or "1.0rc1".

    Raises:
        InvalidVersion: it describes no version.
    """

    _regex = re.compile(rf"^\s*{VERSION_PATTERN}\s*$", re.VERBOSE | re.IGNORECASE)

    def __init__(self, version: str) -> None:
        found = self._regex.search(version)
        if found is None:
            raise InvalidVersion(f"Invalid version: {version!r}")
        self.epoch = int(found["epoch"] or 0)
        self.release = tuple(map(int, found["release"].split(".")))
        phase = (found["pre_l"] or "").lower()
        self.pre = (_PHASES.get(phase, phase), int(found["pre_n"] or 0)) if phase else None
        self.post = int(found["post_n1"] or found["post_n2"] or 0) if found["post"] else None
        self.dev = int(found["dev_n"] or 0) if found["dev"] else None
        parts = re.split(r"[-_.]", found["local"].lower()) if found["local"] else []
        self._local = tuple([int(part) if part.isdigit() else part for part in parts])
        self._key = self._made_key()

    def _made_key(self) -> tuple[Any, ...]:
        release = self.release
        while len(release) > 1 and release[-1] == 0:
            release = release[:-1]
        pre: Any = self.pre
        if pre is None:  # 1.0.dev1 < 1.0a1 < 1.0
            only_dev = self.post is None and self.dev is not None
            pre = NegativeInfinity if only_dev else Infinity
        post = NegativeInfinity if self.post is None else self.post
        dev = Infinity if self.dev is None else self.dev
        local: Any = tuple(
            [
                (part, "") if isinstance(part, int) else (NegativeInfinity, part)
                for part in self._local
            ]
        )
        return self.epoch, release, pre, post, dev, local or NegativeInfinity

    @property
    def local(self) -> str | None:
        """The part behind '+'."""
        return ".".join(map(str, self._local)) or None

    @property
    def public(self) -> str:
        """All but the part behind '+'."""
        return str(self).partition("+")[0]

    @property
    def base_version(self) -> str:
        """The epoch and the numbers of the release."""
        epoch = f"{self.epoch}!" if self.epoch else ""
        return epoch + ".".join(map(str, self.release))

    @property
    def is_prerelease(self) -> bool:
        """Whether it comes before a release."""
        return self.dev is not None or self.pre is not None

    @property
    def is_postrelease(self) -> bool:
        """Whether it comes after a release."""
        return self.post is not None

    @property
    def is_devrelease(self) -> bool:
        """Whether it is one of development."""
        return self.dev is not None

    @property
    def major(self) -> int:
        """The first number of the release."""
        return self.release[0]

    @property
    def minor(self) -> int:
        """The second number of the release; 0 if there is none."""
        return self.release[1] if len(self.release) > 1 else 0

    @property
    def micro(self) -> int:
        """The third number of the release; 0 if there is none."""
        return self.release[2] if len(self.release) > 2 else 0

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key < other._key if isinstance(other, Version) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        pre = "" if self.pre is None else f"{self.pre[0]}{self.pre[1]}"
        post = "" if self.post is None else f".post{self.post}"
        dev = "" if self.dev is None else f".dev{self.dev}"
        local = "" if self.local is None else f"+{self.local}"
        return f"{self.base_version}{pre}{post}{dev}{local}"

    def __repr__(self) -> str:
        return f"<Version('{self}')>"
