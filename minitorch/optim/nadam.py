"""NAdam. Dozat, https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ."""

from __future__ import annotations

from typing import Any

from minitorch.optim._functional import functional
from minitorch.optim.helpers import counted
from minitorch.optim.optimizer import scalar, zeros_alike
from minitorch.optim.tensorwise import TensorOptimizer, check, check_adam

__all__ = ["NAdam", "nadam"]


class NAdam(TensorOptimizer):
    """Adam that looks a step ahead, as Nesterov's momentum does.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.002 by default; a number, or a Tensor of one element.
        betas: the factors of what the means were before, from 0 to below 1.
        eps: what is added to the root.
        weight_decay: as in Adam, or as in AdamW with `decoupled_weight_decay`.
        momentum_decay: how fast the share of momentum grows, beta1 * (1 - 0.96 ** (step *
            momentum_decay) / 2).
        decoupled_weight_decay: whether weight decay shrinks the parameters, not their gradients.
        foreach: how torch goes over many tensors; here it changes nothing.
        maximize: whether to step up, with the gradient.
        capturable: for CUDA graphs; on the CPU the step is refused.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.NAdam.html. Dozat, Incorporating
    Nesterov Momentum into Adam, 2016.
    """

    _state_entries = ("exp_avg", "exp_avg_sq", "mu_product", "step")
    _later_defaults = {**TensorOptimizer._later_defaults, "decoupled_weight_decay": False}
    _on_one_device = "params, mu_products and state_steps"

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam(lr, betas, eps, weight_decay)
        check("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["mu_product"] = counted(1.0)
        state["exp_avg"] = zeros_alike(param)
        state["exp_avg_sq"] = zeros_alike(param)

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rate, (beta1, beta2), decay = scalar(group["lr"]), group["betas"], group["momentum_decay"]
        mean, square, product = state["exp_avg"], state["exp_avg_sq"], state["mu_product"]
        steps = state["step"].item()
        correction = 1 - beta2**steps
        mu = beta1 * (1.0 - 0.5 * (0.96 ** (steps * decay)))
        following = beta1 * (1.0 - 0.5 * (0.96 ** ((steps + 1) * decay)))
        product *= mu
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(correction).sqrt()
        if group["differentiable"]:
            root = root.add(group["eps"])
            grad = grad * (-rate * (1.0 - mu) / (1.0 - product))
            mean = mean * (-rate * following / (1.0 - product * following))
            param.addcdiv_(grad, root)
            param.addcdiv_(mean, root)
        else:
            so_far = product.item()
            root.add_(group["eps"])
            param.addcdiv_(grad, root, value=-rate * (1.0 - mu) / (1.0 - so_far))
            param.addcdiv_(mean, root, value=-rate * following / (1.0 - so_far * following))


nadam = functional(
    NAdam,
    "exp_avgs, exp_avg_sqs, mu_products, state_steps, decoupled_weight_decay=False, "
    "foreach=None, capturable=False, differentiable=False, has_complex=False, maximize=False, "
    "*, beta1, beta2, lr, weight_decay, momentum_decay, eps",
)
