"""Names that a module of torch has and minitorch's imports only when they are asked for."""

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any


def names_of(
    module: str,
    places: Mapping[str, str] = MappingProxyType({}),
    modules: Collection[str] = (),
) -> Callable[[str], Any]:
    """The `__getattr__` of a module, by which it finds the names that it does not define itself.

    module: its name in torch.
    places: names -> the module below it that has them; they are kept once they are found.
    modules: the modules below it that are imported when they are asked for.
    """
    home = f"mini{module}"

    def __getattr__(name: str) -> Any:
        if name in places:
            value = getattr(import_module(f"{home}.{places[name]}"), name)
            setattr(sys.modules[home], name, value)  # over the module of that name, if there is one
            return value
        return import_module(f"{home}.{name}") if name in modules else missing(module, name)

    return __getattr__


def missing(module: str, name: str) -> Any:
    """A name that `module` does not define itself: from the table of private names, or an outline.

    AttributeError for what this library does not have, so that hasattr and the import machinery
    work: in torch's words for a public name, for torch does not have it either.
    """
    from minitorch._public.private_names import find, names  # start-up: 14 ms

    if name in names(module):
        return find(module, name)
    if name.startswith("_"):
        raise AttributeError(f"{module}.{name} is not implemented by minitorch")
    raise AttributeError(f"module '{module}' has no attribute '{name}'")
