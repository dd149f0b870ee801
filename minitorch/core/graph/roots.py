"""The roots of a backward: their targets, and gradients that fit them."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.fields import LEAF, NOWHERE
from minitorch.core.graph.fit import SHAPES_CHANGED, expected_by, fit_gradient
from minitorch.core.graph.node import Node


def target_of(edge: Any, self: Any) -> Any:
    """The target of a gradient of `self`: a leaf, a Node, or (Node, number); `self` if NOWHERE."""
    return self if edge is LEAF or edge is NOWHERE else edge


class CallerOfBackward(Node):
    """Stands for the caller of backward in error messages."""

    __slots__ = ()
    edges = ()

    def name(self) -> str:
        return ""


ROOT = CallerOfBackward()


def fit_root(target: Any, grad: Any) -> Any:
    """The gradient of a root in the shape its node expects: .data may have another one now."""
    if isinstance(target, Node):
        return fit_gradient(grad, target.shape, target.dtype, ROOT)
    if type(target) is tuple:
        into, number = target
        return fit_gradient(grad, into.shape[number], into.dtype[number], ROOT)
    if SHAPES_CHANGED:
        like = expected_by(target)
        return fit_gradient(grad, like.shape, like.dtype, ROOT)
    return grad
