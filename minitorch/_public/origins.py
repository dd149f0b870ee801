"""The modules in which torch defines its functions and classes: `type(error).__module__`.

While minitorch stands for torch, its functions and classes go by the module and the name that they
have in torch, `torch.nn.functional.relu`: printed types, generated code and pickles show them.
Most are defined in the file of torch's name. origins.txt, which `python -m
conformance.oracle.origins` writes, has the others: a module of this package, and the names in it
by the module in which torch has them.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from minitorch.core.declare import expose, registry
from minitorch.core.public_pickles import STANDS
from minitorch.core.tables import table

_PACKAGE = "minitorch"
# What torch has not: `dir(torch)` does not show it, and no program imports it under the name torch.
OWN = frozenset("__main__ _public aten core drop_in functorch study".split())
# Modules of _public in which names of torch's are defined, which take these where minitorch stands
# for torch. The others, and all else in OWN, keep their own.
_NAMED = frozenset(
    "custom_operators foreach higher_order_operators later library_schema lobpcg_gradient "
    "operator_arguments override_tables private_names starred symbolic_int "
    "utils_rebuilding".split()
)
# Code that torch does not have in Python: what stands there is renamed only by the table.
_PRIVATE = (
    *(f"minitorch.{name}" for name in ("aten", "core", "drop_in", "study")),
    *(
        f"minitorch._public.{name}"
        for name in (
            "namespace origins outlines private_names public_pickling questions reducers refused"
        ).split()
    ),
)


def is_own(module: str) -> bool:
    """Whether torch has no module of this name; it begins with `torch.` or with `minitorch.`."""
    return f"{module}.".split(".")[1] in OWN


def is_nameless(module: str) -> bool:
    """Whether a module of this package keeps its own names where minitorch stands for torch."""
    _, part, below = f"{module}..".split(".")[:3]
    return part in OWN and not (part == "_public" and below in _NAMED)


@cache
def _table() -> dict[str, tuple[str, str]]:
    """The places in torch, as module and name, by the full names here."""
    text = table("_public/origins.txt")
    found = {}
    for line in text.splitlines():
        heading, _, names = line.partition(": ")
        here, there = heading.split()
        for entry in names.split():
            own, _, other = entry.partition("=")
            found[f"{here}.{own}"] = there, other or own
    return found


def place_of(thing: Any) -> tuple[str, str] | None:
    """The module and the name that a function or class of this package has in torch; None for other
    things, and where nothing tells."""
    if not isinstance(thing, (FunctionType, type)):
        return None
    module = thing.__module__
    if not isinstance(module, str) or module.partition(".")[0] not in (_PACKAGE, "torch"):
        return None
    own = f"mini{module.removeprefix('mini')}"
    place = _table().get(f"{own}.{thing.__qualname__}")
    if place is None and not own.startswith(_PRIVATE):
        place = own.removeprefix("mini"), thing.__qualname__
    return place


def rename(thing: Any) -> Any:
    """Gives a function or class of this package the name that it has in torch, and returns it."""
    place = place_of(thing)
    if place is not None:
        thing.__module__, thing.__qualname__ = place
    return thing


def rename_all(module: ModuleType) -> None:
    """Renames the functions and classes that a module has now."""
    names: dict[str, Any] = _own_names(module)
    for thing in list(names.values()):
        if isinstance(thing, (FunctionType, type)):
            rename(thing)


_own_names = vars(ModuleType)["__dict__"].__get__  # a module may show more than its own


def stand() -> None:
    """Renames operators, those that are there and those that are assembled later."""
    expose.ON_PUBLISH[:] = [rename]
    STANDS[:] = [True]
    for function in registry.FUNCTIONS.values():
        rename(function)
