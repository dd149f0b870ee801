"""The settings of saving and loading: globals that files may name, byte orders, memory maps."""

from __future__ import annotations

import enum
import mmap
from typing import Any


class SourceChangeWarning(Warning):
    """A class of a file in the old format has another source now."""


class LoadEndianness(enum.Enum):
    """The byte order of files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_settings: dict[str, Any] = {"endianness": None, "crc32": True, "mmap": mmap.MAP_PRIVATE}
_safe: list[Any] = []


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order of files that do not say theirs; None stands for little."""
    return _settings["endianness"]


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Sets the byte order of files that do not say theirs."""
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _settings["endianness"] = endianness


def get_crc32_options() -> bool:
    """Whether files are saved with checksums."""
    return _settings["crc32"]


def set_crc32_options(compute_crc32: bool) -> None:
    """Says whether files need checksums. They are written either way; none is checked."""
    _settings["crc32"] = compute_crc32


def get_default_mmap_options() -> int:
    """The flags with which `load` maps files: mmap.MAP_PRIVATE or MAP_SHARED."""
    return _settings["mmap"]


class set_default_mmap_options:
    """Sets how `load` maps files, until the end of a `with` where it is used in one."""

    def __init__(self, flags: int) -> None:
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE "
                f"or mmap.MAP_SHARED, but got {flags}"
            )
        self.prev = get_default_mmap_options()
        _settings["mmap"] = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _settings["mmap"] = self.prev


class skip_data:
    """Saving without the numbers, loading without reading them: not there."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        raise NotImplementedError("torch.serialization.skip_data")


# ---- globals that a file may name


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Marks functions and classes as safe for `load` to call where files name them.

    Each is itself, or a pair of it and the full name that files call it by.
    """
    _safe.extend(each for each in safe_globals if each not in _safe)


def get_safe_globals() -> list[Any]:
    """The globals that were marked as safe."""
    return list(_safe)


def clear_safe_globals() -> None:
    """Forgets the globals that were marked as safe."""
    _safe.clear()


class safe_globals:
    """Marks functions and classes as safe until the end of a `with`."""

    def __init__(self, safe_globals: list[Any]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        self._before = get_safe_globals()
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception: object) -> None:
        _safe[:] = self._before


def marked_globals() -> dict[str, Any]:
    """The globals that were marked as safe, by the names that files use for them."""
    found: dict[str, Any] = {}
    for each in _safe:
        if not isinstance(each, tuple):
            found[f"{each.__module__}.{each.__qualname__}"] = each
        elif len(each) != 2:
            raise ValueError(
                "Expected tuple of length 2 (global, str of callable full path), but got tuple of "
                f"length: {len(each)}"
            )
        elif type(each[1]) is not str:
            raise TypeError(
                "Expected second item in tuple to be str of callable full path, but got: "
                f"{type(each[1])}"
            )
        else:
            found[each[1]] = each[0]
    return found
