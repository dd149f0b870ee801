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

_TEXTS = re.compile(
    "(divide by zero|overflow|underflow|invalid value) encountered|Mean of empty slice|"
    "Degrees of freedom <= 0|All-NaN"
)
_SILENCE = ("ignore", _TEXTS, RuntimeWarning, re.compile(rf"{__name__.partition('.')[0]}\."), 0)


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
