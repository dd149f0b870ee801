"""Adamax. Kingma and Ba, https://arxiv.org/abs/1412.6980, section 7."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.optim._functional import functional
from minitorch.optim.optimizer import scalar, zeros_alike
from minitorch.optim.tensorwise import TensorOptimizer, check_adam

__all__ = ["Adamax", "adamax"]


class Adamax(TensorOptimizer):
    """p -= lr * m / u: a running mean of the gradient, and a decaying maximum of its magnitude.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.002 by default; a number, or a Tensor of one element.
        betas: the factors of what m and u were before, from 0 to below 1: u = max(beta2 * u, |g| +
            eps).
        eps: what is added to magnitudes.
        weight_decay: the factor of the parameters that are added to their gradients.
        foreach: how torch goes over many tensors; here it changes nothing.
        maximize: whether to step up, with the gradient.
        differentiable: whether steps are recorded, to differentiate through them.
        capturable: for CUDA graphs; on the CPU the step is refused.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.Adamax.html. Kingma and Ba,
    https://arxiv.org/abs/1412.6980.
    """

    _state_entries = ("exp_avg", "exp_inf", "step")

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_adam(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["exp_avg"] = zeros_alike(param)
        state["exp_inf"] = zeros_alike(param)

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        (beta1, beta2), eps = group["betas"], group["eps"]
        mean, largest = state["exp_avg"], state["exp_inf"]
        mean.lerp_(grad, 1 - beta1)
        if group["differentiable"]:
            both = (largest.mul_(beta2).unsqueeze(0), grad.abs().add_(eps).unsqueeze_(0))
            largest.copy_(OPS.amax(OPS.cat(both, 0), (0,), False))
        else:
            OPS.maximum(largest.mul_(beta2), grad.abs().add_(eps), out=largest)
        rate = scalar(group["lr"]) / (1 - beta1 ** state["step"].item())
        param.addcdiv_(mean, largest, value=-rate)


adamax = functional(
    Adamax,
    "exp_avgs, exp_infs, state_steps, foreach=None, maximize=False, differentiable=False, "
    "capturable=False, has_complex=False, *, eps, beta1, beta2, lr, weight_decay",
)
