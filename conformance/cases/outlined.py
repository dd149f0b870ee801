"""Names that only an outline of minitorch gives: they are there, and refuse whatever is asked.

A library lacks such a name, as far as the source "namespace" is concerned, unless outlined.toml
has it, with the reason. Whether minitorch stands for torch in this process makes no difference:
its modules then find names of their outlines that they do not have by themselves.
"""

import importlib
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

FILE = Path(__file__).parent.parent / "outlined.toml"
_own_names = vars(ModuleType)["__dict__"].__get__  # without names that are made on demand


class Accepted(NamedTuple):
    """An entry of the list: a module of torch, names in it, and why they are names alone."""

    owner: str
    names: frozenset[str]
    reason: str


@cache
def accepted() -> tuple[Accepted, ...]:
    """Returns the list."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))["outlined"]
    return tuple(
        Accepted(entry["owner"], frozenset(entry["names"].split()), entry["reason"])
        for entry in entries
    )


def counts_as_missing(owner: ModuleType, name: str) -> bool:
    """Returns whether only an outline gives a name, and the list does not have it."""
    if not owner.__name__.startswith("minitorch"):
        return False
    path = owner.__name__.removeprefix("mini")
    if any(each.owner == path and name in each.names for each in accepted()):
        return False
    return is_outlined(owner, name)


def is_outlined(owner: ModuleType, name: str) -> bool:
    """Returns whether what stands under a name in a module of minitorch comes of an outline.

    It does not where nothing stands under it.
    """
    path = owner.__name__.removeprefix("mini")
    try:
        thing = _own(owner, name)
    except AttributeError:
        return _describes(path, name)
    if isinstance(thing, ModuleType):
        return _is_outline(thing)
    home, known_as = _attribute(thing, "__module__"), _attribute(thing, "__name__")
    if _gives(home, known_as, thing):
        return True
    written = name in _own_names(owner) and not _is_outline(owner)
    return not written and _gives(path, name, thing)


def _attribute(thing: Any, name: str) -> Any:
    """Returns an attribute; None where there is none, or where a device would be asked for it."""
    try:
        return getattr(thing, name, None)
    except AssertionError:
        return None


def _is_outline(module: ModuleType) -> bool:
    return getattr(module.__spec__, "origin", None) == "outline"


def _own(owner: ModuleType, name: str) -> Any:
    """Returns what a module has by itself, which may be a module in it.

    Raises:
        AttributeError: there is nothing, or the outline that completes the module has it.
    """
    names = _own_names(owner)
    if name in names:
        return names[name]
    getter = names.get("__getattr__")
    getter = getattr(getter, "own", getter)
    if getter is not None:
        with suppress(AttributeError):
            return getter(name)
    try:
        return importlib.import_module(f"{owner.__name__}.{name}")
    except ImportError:
        raise AttributeError(name) from None


def _describes(module: Any, name: Any) -> bool:
    """Returns whether the outline of a module has a name."""
    from minitorch._public import outlines

    known = outlines.outline(module) if isinstance(module, str) else None
    return known is not None and name in known.lines


def _gives(module: Any, name: Any, thing: Any) -> bool:
    """Returns whether a thing is what the outline of a module makes of a name."""
    from minitorch._public import outlines

    if not _describes(module, name):
        return False
    known = outlines.outline(module)
    handed_on = known is not None and known.lines[name].startswith("from ")
    return not handed_on and outlines.find(module, name) is thing
