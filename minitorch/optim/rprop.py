"""Rprop. Riedmiller and Braun, https://doi.org/10.1109/ICNN.1993.298623."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.optim._functional import functional
from minitorch.optim.optimizer import scalar, zeros_alike
from minitorch.optim.tensorwise import TensorOptimizer, check_rate

__all__ = ["Rprop", "rprop"]


class Rprop(TensorOptimizer):
    """Steps of their own for every element: larger while the gradient keeps its sign.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.01 by default; a number, or a Tensor of one element. It is the
            first size of steps.
        etas: the factors of a step's size when the sign turned, below 1, and when it stayed, above
            1.
        step_sizes: the least size and the largest.
        capturable: for CUDA graphs; on the CPU the step is refused.
        foreach: how torch goes over many tensors; here it changes nothing.
        maximize: whether to step up, with the gradient.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.Rprop.html. Riedmiller and Braun,
    ICNN 1993.
    """

    _state_entries = ("prev", "step_size", "step")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        rate = scalar(group["lr"])
        state["prev"] = zeros_alike(param)
        first = complex(rate, rate) if param.is_complex() else rate
        state["step_size"] = OPS.full_like(param.grad, first)

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        (shrink, grow), (least, most) = group["etas"], group["step_sizes"]
        before, size = state["prev"], state["step_size"]
        sign = grad.mul(before.clone() if group["differentiable"] else before).sign()
        sign[sign.gt(0)] = grow
        sign[sign.lt(0)] = shrink
        sign[sign.eq(0)] = 1
        size.mul_(sign).clamp_(least, most)
        grad = grad.clone()
        grad[sign.eq(shrink)] = 0  # no step back: only the step size shrinks
        param.addcmul_(grad.sign(), size, value=-1)
        before.copy_(grad)


rprop = functional(
    Rprop,
    "prevs, step_sizes, state_steps, foreach=None, capturable=False, maximize=False, "
    "differentiable=False, has_complex=False, *, step_size_min, step_size_max, etaminus, "
    "etaplus",
)
