"""Dual tensors of forward mode: views with a tangent, and their parts."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.declare.families import composite
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.graph import forward


@composite("_make_dual", on=("function",))
def _make_dual(primal: Any, tangent: Any, level: int) -> Any:
    """A view of `primal` that carries `tangent` in a level of forward mode.

    Raises:
        RuntimeError: if there is no such level, or the shapes differ.

    As _make_dual of aten/src/ATen/native/AutogradComposite.cpp.
    """
    _check_level(level, "_make_dual")
    if forward.level_of((primal,)) >= level:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the "
            f"same level {level} is not supported."
        )
    dual = OPS.view(primal, primal.shape)
    dual._array = primal._array  # with its own strides
    forward.dualize(dual, tangent, level)
    return dual


@composite("_unpack_dual", on=("function",))
def _unpack_dual(dual: Any, level: int) -> Any:
    """(a view of a tensor without its tangent in a level, the tangent or None).

    Raises:
        RuntimeError: if there is no such level.

    As _unpack_dual of aten/src/ATen/native/AutogradComposite.cpp.
    """
    if dual._tangents:
        _check_level(level, "_fw_primal")
    primal = forward.primal_of(dual, level)
    tangent = forward.tangent_of(dual, level) if forward.active() else None
    return return_type("_unpack_dual", ("primal", "tangent"))((primal, tangent))


def _check_level(level: int, name: str) -> None:
    if level == 0 and not forward.LEVELS:
        raise RuntimeError(
            "Trying to access a forward AD level with an invalid index. This index was either not "
            "created or is already deleted."
        )
    if not 0 <= level < len(forward.LEVELS):
        raise RuntimeError(f"Invalid level given to {name}")
