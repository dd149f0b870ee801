"""RAdam. Liu and others, https://arxiv.org/abs/1908.03265."""

from __future__ import annotations

from typing import Any

from minitorch.optim._functional import functional
from minitorch.optim.optimizer import scalar, zeros_alike
from minitorch.optim.tensorwise import TensorOptimizer, check_adam, plus_eps

__all__ = ["RAdam", "radam"]


class RAdam(TensorOptimizer):
    """Adam whose first steps are those of momentum, until their variance is known well enough.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.001 by default; a number, or a Tensor of one element.
        betas: the factors of what the means were before, from 0 to below 1.
        eps: what is added to the root.
        weight_decay: as in Adam, or as in AdamW with `decoupled_weight_decay`.
        decoupled_weight_decay: whether weight decay shrinks the parameters, not their gradients.
        foreach: how torch goes over many tensors; here it changes nothing.
        maximize: whether to step up, with the gradient.
        capturable: for CUDA graphs; on the CPU the step is refused.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.RAdam.html. Liu et al.,
    https://arxiv.org/abs/1908.03265.
    """

    _state_entries = ("exp_avg", "exp_avg_sq", "step")
    _later_defaults = {**TensorOptimizer._later_defaults, "decoupled_weight_decay": False}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["exp_avg"] = zeros_alike(param)
        state["exp_avg_sq"] = zeros_alike(param)

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rate, (beta1, beta2) = scalar(group["lr"]), group["betas"]
        mean, square, steps = state["exp_avg"], state["exp_avg_sq"], state["step"].item()
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        correction = 1 - beta2**steps
        update = mean / (1 - beta1**steps) * rate
        most = 2 / (1 - beta2) - 1
        length = most - 2 * steps * (beta2**steps) / correction  # of the mean, in steps
        if length > 5.0:
            update = update * (correction**0.5 / plus_eps(square.sqrt(), group))
            update = update * (
                ((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) ** 0.5
            )
        param.add_(update, alpha=-1.0)


radam = functional(
    RAdam,
    "exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False, foreach=None, "
    "differentiable=False, capturable=False, has_complex=False, maximize=False, *, beta1, "
    "beta2, lr, weight_decay, eps",
)
