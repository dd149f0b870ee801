"""Where torch defines its functions and classes, for programs that ask: `type(error).__module__`.

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
# Modules of minitorch that torch has not: `dir(torch)` does not show them, and no program imports
# them under the name torch.
# NAMELESS hold no names of torch's, and keep their own where minitorch stands for torch.
NAMELESS = frozenset(
    "__main__ _checks aten compiled_libraries core distribution drop_in functorch installing "
    "namespace origins outlines public_pickling questions refused settings study".split()
)
OWN = NAMELESS.union(
    "_later _lobpcg_gradient _override_tables _utils_rebuilding custom_operators foreach "
    "higher_order_operators library_schema operator_arguments private_names starred "
    "symbolic_int".split()
)
# Code that torch does not have in Python: what stands there is renamed only by the table.
_PRIVATE = tuple(
    f"minitorch.{name}"
    for name in (
        "aten core drop_in namespace origins outlines private_names public_pickling questions "
        "refused study"
    ).split()
)


@cache
def _table() -> dict[str, tuple[str, str]]:
    """The places in torch, as module and name, by the full names here."""
    text = table("origins.txt")
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
