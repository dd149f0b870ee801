"""Variable: the old name of tensors with gradients."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import RUNNING
from minitorch.core.graph.backward import backward, grad
from minitorch.core.graph.current_backward import queue_callback
from minitorch.core.tensor.tensor import Tensor

__all__ = ["Variable", "VariableMeta"]


class _Engine:
    """The engine, as Variable shows it."""

    def run_backward(
        self,
        tensors: Any,
        grad_tensors: Any,
        keep_graph: bool,
        create_graph: bool,
        inputs: Any = (),
        allow_unreachable: bool = False,
        accumulate_grad: bool = False,
    ) -> tuple[Any, ...] | None:
        """Runs backward: adds to .grad with accumulate_grad, else returns gradients of `inputs`."""
        if accumulate_grad:
            return backward(tensors, grad_tensors, keep_graph, create_graph, inputs=inputs or None)
        unused = allow_unreachable
        return grad(tensors, inputs, grad_tensors, keep_graph, create_graph, allow_unused=unused)

    def queue_callback(self, callback: Any) -> None:
        """Calls `callback` at the end of the backward that is running."""
        queue_callback(callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether the backward that is running computes all gradients, so that segments of the
        graph may run backward on their own."""
        walk = RUNNING.get()
        return walk is None or walk.wanted is None


_Engine.__name__ = _Engine.__qualname__ = "_EngineBase"
_Engine.__module__ = "torch._C"


class VariableMeta(type):
    """Takes every Tensor for a Variable."""

    __module__ = "torch.autograd.variable"

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """Variable(tensor, requires_grad) is the same memory as a new leaf.

    Args:
        data: a Tensor; None makes an empty one.
        requires_grad: whether the leaf gets gradients.
        volatile: has no effect; True gives a warning.

    Raises:
        TypeError: for what is no Tensor.

    As torch.autograd.Variable.
    """

    __module__ = "torch.autograd.variable"
    _execution_engine = _Engine()

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        if data is None:
            data = Tensor()
        if not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        result = data.detach()
        if requires_grad:
            result._check_can_require_grad()
        return result.requires_grad_(requires_grad)
