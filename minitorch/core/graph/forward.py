"""Forward mode: tensors that carry tangents, level by level.

A dual tensor has `_tangents`: level -> Tensor. Calls of operators compute the tangents of results
(core/declare/general/tangents.py). While they compute the tangent of a level, tangents of that
level and of higher levels are invisible (`VisibleLevels`): a tangent may itself be a dual tensor of
a lower level. If a write gave a base a tangent, a view of it takes its own tangent from there.
As torch/csrc/autograd/forward_grad.h and autograd_meta.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.lazy import bits_of, lazy, raw_of
from minitorch.core.base.fields import laid_out
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import Mode, inference_mode, recording, transforms, watch
from minitorch.core.graph.node import Node, next_order
from minitorch.core.graph.views import is_view, recorded_edge, replay_view, view_of

UNLIMITED = 1 << 30
visible_levels: ContextVar[int] = ContextVar("visible_levels", default=UNLIMITED)


class VisibleLevels(Mode):
    """A block that sees the tangents of the levels below a number; none at 0."""

    __slots__ = ()
    variable = visible_levels


class Tangents(dict[int, Any]):
    """The tangents of one tensor; None for a level in which it ignores its base's tangent too."""

    __slots__ = ("__weakref__",)
    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


LEVELS: list[WeakSet[Tangents]] = []  # by entered level, the Tangents that have one in it
_within: list[int] = []  # for each, how many function transforms were running


def enter() -> int:
    """Opens a level, and returns its number."""
    LEVELS.append(WeakSet())
    _within.append(len(transforms.get()))
    watch(+1)
    return len(LEVELS) - 1


def leave() -> None:
    """Closes the last level, and drops its tangents."""
    watch(-1)
    _within.pop()
    for tangents in LEVELS.pop():
        tangents.pop(len(LEVELS), None)


def active() -> bool:
    """Whether tangents can be seen."""
    return bool(LEVELS) and visible_levels.get() > 0 and not inference_mode.get()


def level_of(tensors: Sequence[Any]) -> int:
    """The highest level that can be seen in which one of the tensors has a tangent; else -1."""
    if active():
        depth = len(transforms.get())
        for level in reversed(range(min(len(LEVELS), visible_levels.get()))):
            if _within[level] == depth and any(
                [tangent_of(each, level) is not None for each in tensors]
            ):
                return level
    return -1


def tangent_of(self: Any, level: int) -> Any:
    """The tangent of `self` in a level; None if it has none."""
    tangents = self._tangents
    if tangents is not None and level in tangents:
        return tangents[level]
    base = self._view[0] if is_view(self) else None
    tangent = None if base is None else tangent_of(base, level)
    if tangent is not None:
        with VisibleLevels(level):
            tangent = replay_view(self, tangent)
        set_tangent(self, level, tangent)
    return tangent


def set_tangent(self: Any, level: int, tangent: Any) -> None:
    """Gives `self` this tangent, uncopied; None means no tangent, even if its base has one."""
    if self._tangents is None:
        self._tangents = Tangents()
    self._tangents[level] = tangent
    LEVELS[level].add(self._tangents)


def dualize(self: Any, tangent: Any, level: int, in_place: bool = False) -> None:
    """Gives `self` a tangent, with the strides of `self`.

    in_place: whether `self` was written. An existing tangent of `self` is then written as well; if
        `self` is a view, its base gets a tangent too.
    """
    kinds = [None if each is None else each._array.dtype.kind for each in (tangent, self)]
    if any(kind is None or kind not in "fcV" for kind in kinds):
        raise RuntimeError(
            "Expected both tensor and its forward grad to be floating point or complex"
        )
    if tangent_of(tangent, level) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level"
            f"{level} is not supported."
        )
    x = self._array
    if tangent._array.shape != x.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(x.shape)} while the given "
            f"forward gradient is of size {list(tangent._array.shape)}."
        )
    held = tangent_of(self, level) if in_place else None
    with VisibleLevels(level):
        if held is not None:
            if tangent is not held:
                held.copy_(tangent)
            return
        apart = self._tangents is not None and level in self._tangents
        if in_place and is_view(self) and not apart:
            base = self._view[0]
            set_tangent(base, level, _zeros_beside(base._array, tangent._array.dtype))
            part = replay_view(self, tangent_of(base, level))
            tangent = part.copy_(tangent)
        elif not (transforms.get() or _lies_as(tangent._array, x)):
            tangent = _zeros_beside(x, tangent._array.dtype).copy_(tangent)
    set_tangent(self, level, tangent)


def _place(x: Any) -> tuple[Any, ...]:
    """How an array lies in its memory, in elements."""
    xp = namespace(x)
    owner = xp.storage(x)
    offset = (xp.pointer(x) - xp.pointer(owner)) // x.itemsize if x.size else 0
    return layout.strides_of(x), offset, owner.nbytes // x.itemsize


def _lies_as(x: Any, like: Any) -> bool:
    (strides, *place), (wanted, *other) = _place(x), _place(like)
    steps = [a == b or n < 2 for a, b, n in zip(strides, wanted, x.shape, strict=True)]
    return all(steps) and place == other and bits_of(x) == bits_of(like)


def _zeros_beside(like: Any, dtype: Any) -> Any:
    """A Tensor of zeros with the strides, offset and size of memory of the array `like`."""
    strides, offset, size = _place(like)
    steps = [stride * dtype.itemsize for stride in strides]
    xp = namespace(raw_of(like))
    x = xp.strided(xp.zeros(size, dtype), like.shape, steps, offset * dtype.itemsize)
    return laid_out(lazy(x, *bits_of(like)))


class CppFunction(Node):
    """The node of a dual tensor's primal part; torch has no class for it: it is `CppFunction`."""

    __slots__ = ()
    fits = True

    def name(self) -> str:
        return "torch::autograd::Identity"

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        return (grad,)

    apply_graph = apply


def primal_of(self: Any, level: int) -> Any:
    """A view of `self` without its tangent in a level."""
    node, edge = None, recorded_edge(self) if recording() else None
    if edge is not None:
        node = CppFunction()
        node.edges, node.order = (edge,), next_order()
        node.shape, node.dtype = self._array.shape, self._array.dtype
    if transforms.get():
        primal = OPS.view(self, self.shape)
    else:
        primal = view_of(self, self._array, node)
    for below in range(level):
        tangent = tangent_of(self, below)
        if tangent is not None:
            set_tangent(primal, below, tangent)
    if level < len(LEVELS):
        set_tangent(primal, level, None)
    return primal
