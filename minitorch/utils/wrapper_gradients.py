"""Instances of wrapper subclasses as gradients: what backward asks of them."""

from __future__ import annotations

from typing import Any

from minitorch.autograd.function_node import FunctionNode
from minitorch.core.base.fields import LEAF, NOWHERE, is_wrapper
from minitorch.core.base.modes import WRAPPERS
from minitorch.core.graph.reach import discover


def meets(roots: list[Any]) -> bool:
    """Whether a backward from these roots may come to such instances, which a Function may make."""
    if any([type(grad) in WRAPPERS for _, grad in roots]):
        return True
    nodes, leaves = discover([target for target, _ in roots])
    return any("wraps" in node.__dict__ or isinstance(node, FunctionNode) for node in nodes) or any(
        is_wrapper(leaf) or is_wrapper(leaf._grad) for leaf in leaves if leaf is not NOWHERE
    )


def accumulated(leaf: Any, grad: Any, recorded: bool) -> bool:
    """Adds `grad` to leaf.grad if any of them is such an instance; else False. As torch, which
    writes none of them in place."""
    held = leaf._grad
    if leaf._edge is not LEAF or not (is_wrapper(grad) or is_wrapper(held) or is_wrapper(leaf)):
        return False
    if held is None:
        if leaf.is_nested and not grad.is_contiguous():
            grad = grad.clone()
        leaf._grad = grad.clone() if recorded else grad.detach()
    else:
        leaf._grad = held + grad
    return True
