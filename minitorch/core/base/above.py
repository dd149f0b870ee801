"""Objects of rooms above that a room below needs while a program runs.

Rooms import only rooms below them. The few questions that go upward are asked here, by the path of
the answer in this package; minitorch/_public/namespace.py, which stands above all rooms, lists the
paths that may be asked for.
"""

from importlib import import_module
from typing import Any

PATHS: set[str] = set()


def from_above(path: str) -> Any:
    """Returns the object at a path like "utils.dlpack:DLDeviceType"; without a colon, the module.

    Raises:
        LookupError: the path is not one of PATHS.
    """
    if path not in PATHS:
        raise LookupError(f"{path} is not listed among the questions that go upward")
    module, _, name = path.partition(":")
    found = import_module(f"minitorch.{module}")
    return getattr(found, name) if name else found
