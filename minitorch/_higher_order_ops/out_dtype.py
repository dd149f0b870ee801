"""torch._higher_order_ops.out_dtype: an operator whose result has a dtype of its own."""

from __future__ import annotations

from typing import Any

from minitorch._ops import HigherOrderOperator, OpOverload
from minitorch._public import outlines
from minitorch.autograd.grad_mode import is_grad_enabled
from minitorch.core.tensor.tensor import Tensor


class OutDtypeOperator(HigherOrderOperator):
    """Computes an operator in another dtype: int8 matrices multiplied into int32, for example.

    It takes an overload of an operator, the dtype, and the operator's arguments.

    Raises:
        ValueError: the operator is no overload, or does not return one tensor.
        NotImplementedError: an argument requires a gradient, which torch has no formula for.
    """

    __module__ = "torch._higher_order_ops.out_dtype"

    def __init__(self) -> None:
        super().__init__("out_dtype")

    def __call__(self, op: Any, output_dtype: Any, *args: Any) -> Any:
        if not isinstance(op, OpOverload):
            raise ValueError("out_dtype's first argument must be an OpOverload")
        text = str(op._schema)
        if "!" in text:
            raise ValueError("out_dtype's first argument needs to be a functional operator")
        returns = text.rpartition("->")[2].strip()
        if returns != "Tensor":
            kinds = [part.split(" ")[0] for part in returns.strip("()").split(", ") if part]
            raise ValueError(
                "out_dtype's can only apply to ops that return a single tensor"
                f"Instead got [{', '.join(kinds)}]"
            )
        if is_grad_enabled() and any(getattr(each, "requires_grad", False) for each in args):
            raise NotImplementedError("torch.ops.higher_order.out_dtype of what has a gradient")
        return op(*[_converted(each, output_dtype) for each in args]).to(output_dtype)


def _converted(argument: Any, dtype: Any) -> Any:
    return argument.to(dtype) if isinstance(argument, Tensor) else argument


out_dtype = OutDtypeOperator()
__getattr__, __dir__ = outlines.rest_of("torch._higher_order_ops.out_dtype")
