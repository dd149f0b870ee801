"""The warnings of NumPy about infinities and NaNs, which torch does not give, are left out.

An errstate around every operator would cost 0.65 us a call (docs/decisions); a warning filter for
this package's own modules costs nothing. It has to stay the first one: a program that asks for all
warnings, or for errors in their place, puts its own in front; and it has to stay when the list is
replaced, as at the end of a `warnings.catch_warnings` in which the package was imported.
"""

from __future__ import annotations

import re
import warnings
from types import ModuleType
from typing import Any


class _Expression:
    """A regular expression for texts that begin in one of a few ways, compiled when more than a
    match is asked of it: to compile two takes 1 ms of the time to import minitorch."""

    __slots__ = ("beginnings", "source")

    def __init__(self, source: str, *beginnings: str) -> None:
        self.source, self.beginnings = source, beginnings

    def match(self, text: str) -> bool:
        return text.startswith(self.beginnings)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.compiled(), name)

    def __reduce__(self) -> Any:
        return re.compile, (self.source,)

    def compiled(self) -> Any:
        """The expression itself."""
        return re.compile(self.source)


_TEXTS = _Expression(
    "(divide by zero|overflow|underflow|invalid value) encountered|Mean of empty slice|"
    "Degrees of freedom <= 0|All-NaN",
    *(f"{what} encountered" for what in ("divide by zero", "overflow", "underflow")),
    "invalid value encountered",
    "Mean of empty slice",
    "Degrees of freedom <= 0",
    "All-NaN",
)
_OWN = f"{__name__.partition('.')[0]}."
_MODULES = _Expression(_OWN.replace(".", r"\."), _OWN)
_SILENCE = ("ignore", _TEXTS, RuntimeWarning, _MODULES, 0)


class _Filters(list[Any]):
    """The list of warning filters, with that of this package in front of whatever is put in."""

    def insert(self, index: Any, item: Any) -> None:
        super().insert(index, item)
        self._put_in_front()

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._put_in_front()

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        # warnings.catch_warnings works with a slice.
        return _Filters(found) if isinstance(index, slice) else found

    def _put_in_front(self) -> None:
        if not self or self[0] is not _SILENCE:
            if _SILENCE in self:
                self.remove(_SILENCE)
            super().insert(0, _SILENCE)


class _Warnings(ModuleType):
    """The module `warnings`, whose list of filters always has that of this package."""

    @property
    def filters(self) -> Any:
        return self.__dict__["filters"]

    @filters.setter
    def filters(self, filters: Any) -> None:
        own = filters if type(filters) is _Filters else _Filters(filters)
        own._put_in_front()
        self.__dict__["filters"] = own


def silence() -> None:
    """Leaves out RuntimeWarnings that arise in this package, whatever filters a program sets."""
    warnings.__class__ = _Warnings
    warnings.filters = warnings.filters
    warnings._filters_mutated()  # type: ignore[attr-defined]
