"""torch.torch_version: the version as a string that compares as a version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """A version such as '2.13.0+cpu': a str that compares as PEP 440 orders versions.

    It compares with strings and with tuples of numbers; as text where either is no version.
    """

    __slots__ = ()

    @staticmethod
    def _packaging() -> tuple[Any, Any]:
        # start-up: 1 ms, and `import torch` compares nothing
        from minitorch._vendor.packaging.version import InvalidVersion, Version

        return InvalidVersion, Version

    def _convert_to_version(self, inp: Any) -> Any:
        """The version that a string, or the numbers of a tuple, stand for.

        Raises:
            InvalidVersion: `inp` is no version.
        """
        InvalidVersion, Version = self._packaging()
        if isinstance(inp, Version):
            return inp
        if not isinstance(inp, str) and not isinstance(inp, Iterable):
            raise InvalidVersion(inp)
        return Version(inp if isinstance(inp, str) else ".".join(map(str, inp)))

    def _cmp_wrapper(self, cmp: Any, method: str) -> Any:
        """The comparison of the version with another; as strings if either is no version."""
        InvalidVersion, Version = self._packaging()
        try:
            return getattr(Version(self), method)(self._convert_to_version(cmp))
        except InvalidVersion:
            return getattr(str, method)(self, cmp)

    def __eq__(self, other: object) -> bool:
        return self._cmp_wrapper(other, "__eq__")

    def __lt__(self, other: Any) -> bool:
        return self._cmp_wrapper(other, "__lt__")

    def __le__(self, other: Any) -> bool:
        return self._cmp_wrapper(other, "__le__")

    def __gt__(self, other: Any) -> bool:
        return self._cmp_wrapper(other, "__gt__")

    def __ge__(self, other: Any) -> bool:
        return self._cmp_wrapper(other, "__ge__")

    def __hash__(self) -> int:
        return str.__hash__(self)
