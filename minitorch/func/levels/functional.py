"""The level of functionalize: tensors that get a new value instead of being written.

No level below writes. So after a write into a base, or into one of its views, all views have to be
made again from the new base. As aten/src/ATen/FunctionalTensorWrapper.cpp.
"""

from __future__ import annotations

import weakref
from typing import Any

from minitorch.core.base.fields import version_of
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.row import Row
from minitorch.core.graph.views import geometry_of, is_view, replay_view
from minitorch.core.tensor.tensor import Tensor
from minitorch.func.levels.base import Level, TrackingLevel, tensors_of


class FunctionalLevel(TrackingLevel):
    """The level of functionalize."""

    wrapper = "FunctionalTensorWrapper"

    def __init__(self) -> None:
        self.views: list[Any] = []  # weak references

    def text(self, x: Any) -> str:
        return f"FunctionalTensor(lvl={self.number}, value=\\\n{x._value!r})"

    def follow(self, row: Row, bound: Any, outputs: list[Any], result: Any) -> None:
        self.views += [weakref.ref(x) for x in outputs if x is not None and is_view(x)]

    def call_in_place(self, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        x = args[0]
        if x._level is self and "_captured" not in x.__dict__:
            return Level.call_in_place(self, name, function, args, kwargs)
        if any([other._level is self for other in tensors_of((args[1:], kwargs))]):
            raise RuntimeError(
                "mutating a non-functional tensor with a functional tensor is not allowed. Please "
                "ensure that all of your inputs are wrapped inside of a functionalize() call."
            )
        with self.below():
            return getattr(Tensor, name)(*args, **kwargs)

    def overwrite(self, x: Any, result: Any, copied: bool) -> None:
        base = x._view[0] if is_view(x) else x
        before = base._array
        with self.below():
            value = self.value(result).to(x.dtype)
            value = value if value.shape == x.shape else value.expand(x.shape)
            whole = _laid_out(value if base is x else base._value.clone(), before)
            if base is not x:
                _again(x, before, whole).copy_(value)
            base._value, base._array = whole, whole._array
            views = [each for each in [ref() for ref in self.views] if each is not None]
            for each in views:
                if each._view[0] is base:
                    each._value = _again(each, before, whole)
                    each._array = each._value._array
        version_of(x)[0] += 1


def _laid_out(value: Any, like: Any) -> Any:
    """`value` with the strides of an array, so that views of both are alike."""
    shape, strides, _ = geometry_of(like)
    if value.stride() == strides:
        return value
    return OPS.new_empty_strided(value, shape, strides).copy_(value)


def _again(view: Any, before: Any, base: Any) -> Any:
    """The view of `base` with the place that `view` has in the array `before`."""
    if len(view._view) > 3:
        return replay_view(view, base)
    shape, strides, offset = geometry_of(view._array)
    return OPS.as_strided(base, shape, strides, offset - geometry_of(before)[2])
