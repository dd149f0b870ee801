"""Python functions of elements: apply_, map_ and map2_, in place, on the CPU, without history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.aten.views import expand_forward
from minitorch.core.arrays import namespace
from minitorch.core.declare.families import composite
from minitorch.core.tensor.base import TensorBase


def _write(name: str, function: Callable[..., Any], self: Any, *others: Any) -> Any:
    """Calls `function` on the numbers of each place and writes what it gives into `self`."""
    for i, other in enumerate(others):
        if not isinstance(other, TensorBase):
            raise TypeError(
                f"{name}(): argument '{'other' if len(others) == 1 else 'xy'[i]}' (position "
                f"{i + 1}) must be Tensor, not {type(other).__name__}"
            )
    if any(each.requires_grad for each in (self, *others)):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )
    if self.device.type != "cpu":
        raise TypeError(f"{name} is only implemented on CPU tensors")
    for other in others:
        if other._array.dtype != self._array.dtype:
            raise TypeError(f"{name}: expected {self.type()} for 'other' (got {other.type()})")
    x = self._array
    arrays = (x, *[expand_forward(namespace(x), other._array, x.shape) for other in others])
    for place in numpy.ndindex(x.shape):  # one after the other: they may read what was written
        value = function(*[each[place].item() for each in arrays])
        if not isinstance(value, (bool, int, float, complex)):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        x[place] = value
    return self


@composite("apply_", on=("method",))
def apply_(self: Any, callable: Callable[[Any], Any]) -> Any:
    """Replaces every element by what a Python function makes of it. As Tensor.apply_."""
    return _write("apply_", callable, self)


@composite("map_", on=("method",))
def map_(self: Any, other: Any, callable: Callable[[Any, Any], Any]) -> Any:
    """Replaces every element by a function of it and of that of `other`. As Tensor.map_."""
    return _write("map_", callable, self, other)


@composite("map2_", on=("method",))
def map2_(self: Any, x: Any, y: Any, callable: Callable[[Any, Any, Any], Any]) -> Any:
    """Replaces every element by a function of it and of those of two others."""
    return _write("map2_", callable, self, x, y)
