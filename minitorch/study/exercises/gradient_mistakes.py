"""Finds the cause of a wrong gradient, and says it in one or two sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from .expressions import Expression, Truth, Use
from .verdict import enumeration, number


def gradient_mistake(
    name: str, mine: dict[str, Any], stage: str, expression: Expression, truth: Truth
) -> str:
    """A sentence about the wrong gradient of a value, whose users all have the right one.

    Args:
        name: the value's name.
        mine: the reader's gradients by name.
        stage: the name of the stage that the expression belongs to.
        expression: the program.
        truth: the library's results.
    """
    found, right = mine[name], truth.gradients[name]
    uses = [use for use in expression.uses(name) if use in truth.parts]
    if right is None:
        return f"{name} does not require grad: its .grad stays None. Yours is {number(found)}."
    if found is None:
        return f"{name}.grad is None, and {number(right)} is right: the walk did not reach {name}."
    if np.shape(found) != right.shape:
        return _wrong_shape(name, np.shape(found), right.shape, uses, truth)
    head = f"{name}.grad is {number(found)}, and {number(right)} is right"
    if name == expression.root:
        return f"{head}: the walk starts there."
    sharing = _sharing(name, mine)
    if sharing:
        return (
            f"{head}. It shares its memory with {sharing}.grad, so that += wrote into both; "
            "make a new array."
        )
    late = [use.step for use in uses if len(expression.uses(use.step.name)) > 1]
    if late and ("two uses" in stage or stage == "a random graph"):
        step = late[0]
        return (
            f"{head}. {step} goes on before its own gradient is complete: {step.name} is used "
            f"{len(expression.uses(step.name))} times, and has to wait for all of them."
        )
    if len(uses) > 1:
        for use in uses:
            if _is_equal(found, truth.parts[use]):
                where = enumeration(list(dict.fromkeys(str(other.step) for other in uses)))
                return (
                    f"{head}. {name} is used {len(uses)} times, in {where}; yours is what one use "
                    "sends: add them up."
                )
    where = enumeration(list(dict.fromkeys(str(use.step) for use in uses)))
    verb = "is" if len(uses) == 1 else "are"
    return f"{head}. The gradient of {where} {verb} right: look at what goes on from there."


def _wrong_shape(
    name: str, found: tuple[int, ...], right: tuple[int, ...], uses: list[Use], truth: Truth
) -> str:
    head = f"{name}.grad has the shape {found}, and {name}.data has {right}."
    for use in uses:
        shape = truth.values[use.step.name].shape
        if use.step.operation == "sum":
            return f"{head} {use.step} passes one number on to each element of {name}: repeat it."
        if shape != right:
            dims = _repeated(shape, right)
            return f"{head} {use.step} repeats {name}: sum its gradient over {dims}."
    return head


def _repeated(shape: tuple[int, ...], of: tuple[int, ...]) -> str:
    """The dimensions of `shape` in which a tensor of shape `of` is repeated."""
    new = len(shape) - len(of)
    dims = [*range(new), *(new + i for i, n in enumerate(of) if n == 1 and shape[new + i] != 1)]
    word = "dimension" if len(dims) == 1 else "dimensions"
    return f"{word} {enumeration([str(dim) for dim in dims])}"


def _sharing(name: str, mine: dict[str, Any]) -> str | None:
    """The name of another value whose gradient lies in the same memory."""
    found = mine[name]
    if not isinstance(found, np.ndarray):
        return None
    for other, gradient in mine.items():
        is_array = isinstance(gradient, np.ndarray)
        if other != name and is_array and np.shares_memory(found, gradient):
            return other
    return None


def _is_equal(mine: Any, right: np.ndarray) -> bool:
    return np.shape(mine) == right.shape and np.allclose(np.asarray(mine, float), right, 1e-9)
