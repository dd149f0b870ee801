"""torch._tensor: where torch's Python side has Tensor."""

from __future__ import annotations

from typing import Any

from minitorch._utils_rebuilding import _set_obj_state
from minitorch.core.tensor.tensor import Tensor

__all__ = ["Tensor"]


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """What `func` makes of the arguments, of another class and with a user's attributes."""
    made = func(*args)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return made
    return _set_obj_state(made, state)


def _rebuild_from_type(func: Any, type: Any, args: Any, dict: Any) -> Any:
    """What `func` makes of the arguments, as a tensor of a class with these attributes."""
    if type is Tensor:
        return func(*args)
    made = func(*args).as_subclass(type)
    made.__dict__ = dict
    return made
