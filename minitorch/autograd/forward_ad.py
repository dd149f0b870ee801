"""torch.autograd.forward_ad: dual tensors, which carry the tangents of forward mode."""

from __future__ import annotations

from typing import Any, NamedTuple

from minitorch.aten import function_named
from minitorch.core.graph import forward
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils._contextlib import _DecoratorContextManager

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_current_level = -1


def enter_dual_level() -> int:
    """Opens a level, in which dual tensors can be made.

    Returns:
        The number of the level, 0.

    Raises:
        RuntimeError: if a level is open.

    As torch.autograd.forward_ad.enter_dual_level.
    """
    global _current_level
    if _current_level >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _current_level = forward.enter()
    return _current_level


def exit_dual_level(*, level: int | None = None) -> None:
    """Closes the level, and drops its tangents.

    Args:
        level: its number; the open level if None.

    Raises:
        RuntimeError: if no level is open, or another one.

    As torch.autograd.forward_ad.exit_dual_level.
    """
    global _current_level
    level = _current_level if level is None else level
    if level != _current_level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is "
            "not supported."
        )
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    forward.leave()
    _current_level = level - 1


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A view of `tensor` that carries `tangent`. Inside a dual_level.

    Args:
        tensor: floating or complex.
        tangent: a Tensor of the shape of `tensor`, floating or complex.
        level: the number of a level; the open level if None.

    Returns:
        A Tensor that shares the memory of `tensor`.

    Raises:
        RuntimeError: if no level is open, or the shapes differ.
        ValueError: for integers.

    As torch.autograd.forward_ad.make_dual.
    """
    level = _current_level if level is None else level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for what, each in (("primal", tensor), ("tangent", tangent)):
        if not (each.is_floating_point() or each.is_complex()):
            raise ValueError(
                f"Expected {what} to be floating point or complex, but got: {each.dtype}"
            )
    return function_named("_make_dual")(tensor, tangent, level=level)


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor; the tangent is None for a tensor that has none.

    Args:
        primal: the Tensor without its tangent.
        tangent: a Tensor of the shape of `primal`, or None.

    As torch.autograd.forward_ad.UnpackedDualTensor.
    """

    primal: Tensor
    tangent: Tensor | None


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """A view of a tensor without its tangent, and the tangent.

    Args:
        tensor: any Tensor.
        level: the number of a level; the open level if None.

    Returns:
        An UnpackedDualTensor; its tangent is None outside of a level, or for a tensor that has
            none.

    As torch.autograd.forward_ad.unpack_dual.
    """
    level = _current_level if level is None else level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*function_named("_unpack_dual")(tensor, level=level))


class dual_level(_DecoratorContextManager):
    """A level of forward mode from enter to exit.

    As torch.autograd.forward_ad.dual_level.
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


def _is_fwd_grad_enabled() -> bool:
    """Whether operators compute tangents."""
    return forward.visible_levels.get() > 0


class _set_fwd_grad_enabled(_DecoratorContextManager):
    """Switches forward mode on or off, at once and until exit."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.before = forward.visible_levels.get()
        forward.visible_levels.set(forward.UNLIMITED if mode else 0)

    def clone(self) -> Any:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        forward.visible_levels.set(self.before)
