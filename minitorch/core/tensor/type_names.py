"""torch.typename: the name of an object's type in messages."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.fields import TensorBase


def typename(obj: Any, /) -> str:
    """The type of `obj` with its module, 'torch.FloatTensor' for a tensor. For an object that has
    a name, such as a class or a function, that name."""
    if isinstance(obj, TensorBase):
        return obj.type()  # type: ignore[attr-defined]
    module = getattr(obj, "__module__", "") or ""
    if hasattr(obj, "__qualname__"):
        name = obj.__qualname__
    elif hasattr(obj, "__name__"):
        name = obj.__name__
    else:
        module, name = type(obj).__module__, type(obj).__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"
