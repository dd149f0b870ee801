"""The questions that checkers ask the nodes of scalars, of minitorch and of real torch alike."""

from __future__ import annotations

import math
from typing import Any

from minitorch.study.libraries.chosen import library_of


def one_of(tensor: Any) -> Any:
    """The number 1 as a tensor of a tensor's library and dtype."""
    return library_of(tensor).module.ones((), dtype=tensor.dtype)


def is_leaf(node: Any) -> bool:
    """Whether a node keeps the gradient of a leaf."""
    return hasattr(node, "variable")


def local_derivatives(node: Any, one: Any) -> list[float | None]:
    """The derivatives of a scalar node's output with respect to each of its inputs.

    Args:
        node: the node.
        one: the number 1, as `one_of` makes it.
    """
    found = node(one)
    found = found if isinstance(found, tuple) else (found,)
    return [None if gradient is None else float(gradient.detach()) for gradient in found]


def is_close(mine: Any, right: float | None) -> bool:
    """Whether a number that was worked out by hand is the right one, to three digits."""
    if right is None or not isinstance(mine, int | float):
        return mine is right
    return math.isclose(mine, right, rel_tol=1e-3, abs_tol=1e-6)
