"""The choice of a library: minitorch, or the real torch that a program has imported.

Real torch is never imported here. It is met where a program has imported it.
"""

from __future__ import annotations

from typing import Any

from minitorch.study.libraries.kinds import real_torch
from minitorch.study.libraries.library import Library
from minitorch.study.libraries.on_torch import Torch

_LIBRARIES: dict[str, Library] = {}


def library_named(name: str | None = None) -> Library:
    """A library by its name.

    Args:
        name: "minitorch" or "torch"; None takes real torch if a program has imported it, else
            minitorch.

    Raises:
        ValueError: if it has another name, or real torch is meant and was not imported.
    """
    if name is None:
        name = "minitorch" if real_torch() is None else "torch"
    if name not in ("minitorch", "torch"):
        raise ValueError(f"the library is 'minitorch' or 'torch', not {name!r}")
    if name not in _LIBRARIES:
        if name == "torch":
            if real_torch() is None:
                raise ValueError("real torch was not imported: import torch first")
            _LIBRARIES[name] = Torch()
        else:
            from minitorch.study.libraries.on_minitorch import Minitorch  # start-up: 1 ms

            _LIBRARIES[name] = Minitorch()
    return _LIBRARIES[name]


def library_of(thing: Any) -> Library | None:
    """The library of a tensor, node, module or optimizer; None if it is of neither."""
    names = ["minitorch"] if real_torch() is None else ["minitorch", "torch"]
    libraries = [library_named(name) for name in names]
    for library in libraries:
        if library.is_tensor(thing):
            return library
    for library in libraries:
        if library.is_node(thing) or library.is_module(thing):
            return library
        if isinstance(thing, library.module.optim.Optimizer):
            return library
    return None
