"""What formulas write into, of all that they made themselves: parts of arrays, and of Tensors.

Gradients of gradients show that a formula wrote (CopySlices), so these write where torch writes.
A tensor of a function transform cannot always be written into a plain one: `is_transformed` tells.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.writing import store
from minitorch.core.graph.formulas import RAW
from minitorch.core.graph.modes import transforms


def is_transformed(x: Any) -> bool:
    """Whether `x`, an array or a Tensor, belongs to a function transform."""
    return getattr(x, "_level", None) is not None


def overwrite(F: Any, place: Any, values: Any) -> None:
    """Copies `values` into a view."""
    if F is RAW:
        place[...] = values
    else:
        place.copy_(values)


def fill(F: Any, place: Any, number: float) -> None:
    """Writes one number into all of a view."""
    if F is RAW:
        place[...] = number
    else:
        place.fill_(number)


def multiply(F: Any, place: Any, number: float) -> None:
    """Multiplies a view by a number, as C++ calls it: of mul's overloads that of a Scalar."""
    if F is RAW:
        place *= number
    elif transforms.get():
        place.mul_(number)
    else:
        store("mul_", F.mul_Scalar, place, ((number,), {}))
