"""Adadelta. Zeiler, https://arxiv.org/abs/1212.5701."""

from __future__ import annotations

from typing import Any

from minitorch.optim._functional import functional
from minitorch.optim.optimizer import CAPTURABLE_ON, scalar, zeros_alike
from minitorch.optim.tensorwise import TensorOptimizer, check, check_rate

__all__ = ["Adadelta", "adadelta"]


class Adadelta(TensorOptimizer):
    """p -= lr * g * sqrt(d + eps) / sqrt(v + eps): running means of squared steps and gradients.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 1 by default; a number, or a Tensor of one element.
        rho: the factor of what d and v were before, from 0 to 1.
        eps: what is added below the roots.
        weight_decay: the factor of the parameters that are added to their gradients.
        foreach: how torch goes over many tensors; here it changes nothing.
        capturable: for CUDA graphs; on the CPU the step is refused.
        maximize: whether to step up, with the gradient.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.Adadelta.html. Zeiler,
    https://arxiv.org/abs/1212.5701.
    """

    _state_entries = ("square_avg", "acc_delta", "step")
    _capturable_devices = [device for device in CAPTURABLE_ON if device != "xla"]

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        check("rho value", rho, most=1.0)
        check("epsilon value", eps)
        check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["square_avg"] = zeros_alike(param)
        state["acc_delta"] = zeros_alike(param)

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rho, eps = group["rho"], group["eps"]
        square, steps = state["square_avg"], state["acc_delta"]
        square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        root = square.add(eps).sqrt_()
        delta = steps.add(eps).sqrt_()
        if group["differentiable"]:
            delta = delta.clone()
        delta.div_(root).mul_(grad)
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-scalar(group["lr"]))


adadelta = functional(
    Adadelta,
    "square_avgs, acc_deltas, state_steps, capturable=False, foreach=None, "
    "differentiable=False, has_complex=False, *, lr, rho, eps, weight_decay, maximize",
)
