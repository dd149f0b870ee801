"""Classes of torch for what minitorch does not have, compiled programs and quantised tensors.

Programs can mention them and ask whether something is an instance of one: nothing is. Making one
raises a NotImplementedError that names it.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, NoReturn

_CLASSES = """
CompilationUnit DispatchKey DispatchKeySet Graph Node ScriptDict ScriptFunction
ScriptList ScriptMethod ScriptModule ScriptObject StorageBase Tag Type Value
"""
# Those that torch writes in Python, and what they take.
_PARAMETERS = {
    "SymBool": "node",
    "SymFloat": "node",
    "SymInt": "node",
    **dict.fromkeys(
        [f"{name}Storage" for name in ("QInt32", "QInt8", "QUInt2x4", "QUInt4x2", "QUInt8")],
        "*args, wrap_storage=None, dtype=None, device=None, _internal=False",
    ),
}


def names() -> list[str]:
    """All of them."""
    return [*_CLASSES.split(), *_PARAMETERS]


@cache
def refused(name: str) -> Any:
    """The class of a name, which cannot be made; None if it is not listed."""
    if name not in names():
        return None
    taken = eval(f"lambda {_PARAMETERS.get(name, '*args, **kwargs')}: None")
    taken.__name__ = taken.__qualname__ = name

    def made(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        taken(*args, **kwargs)
        raise NotImplementedError(f"torch.{name} is not implemented by minitorch")

    members = {"__new__": made, "__signature__": inspect.signature(taken)}
    text = "Cannot be made: it is not implemented."
    return type(name, (), {"__module__": "torch", "__doc__": text, **members})
