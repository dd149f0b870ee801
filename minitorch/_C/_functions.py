"""torch._C._functions: functions of autograd that torch writes in C++."""

from __future__ import annotations

from typing import Any

from minitorch.autograd.function import Function


def _copied(ctx: Any, x: Any) -> Any:
    return x.clone()


def _undefined(ctx: Any, grad: Any) -> None:
    """Gives no gradient."""


# The node has the name of the class that a program calls.
_Node = type(
    "UndefinedGrad",
    (Function,),
    {"forward": staticmethod(_copied), "backward": staticmethod(_undefined)},
)


class UndefinedGrad:
    """A call that copies a tensor and lets no gradient through: it is undefined, not zero.

    Source: torch/csrc/autograd/functions/basic_ops.h.
    """

    def __call__(self, *inputs: Any) -> Any:
        """A copy of the tensor. TypeError for none, or for several."""
        if len(inputs) != 1:
            raise TypeError(f"expected 1 arguments, got {len(inputs)} instead")
        return _Node.apply(*inputs)
