"""RMSprop. Hinton, https://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf."""

from __future__ import annotations

from typing import Any

from minitorch.optim._functional import functional
from minitorch.optim.optimizer import scalar, zeros_alike
from minitorch.optim.tensorwise import TensorOptimizer, check, check_rate, plus_eps

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(TensorOptimizer):
    """p -= lr * g / (sqrt(v) + eps), where v is a running mean of squared gradients.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.01 by default; a number, or a Tensor of one element.
        alpha: the factor of what v was before; not negative.
        eps: what is added to the root.
        weight_decay: the factor of the parameters that are added to their gradients.
        momentum: the factor of the step before, which is added to the next.
        centered: whether to subtract the squared mean gradient from v, which makes it a variance.
        capturable: for CUDA graphs; on the CPU the step is refused.
        foreach: how torch goes over many tensors; here it changes nothing.
        maximize: whether to step up, with the gradient.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html. Hinton's lecture 6
    on neural networks; centered: Graves, https://arxiv.org/abs/1308.0850.
    """

    _later_defaults = {"momentum": 0, "centered": False, **TensorOptimizer._later_defaults}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_rate(lr)
        check("epsilon value", eps)
        check("momentum value", momentum)
        check("weight_decay value", weight_decay)
        check("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["square_avg"] = zeros_alike(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_alike(param)
        if group["centered"]:
            state["grad_avg"] = zeros_alike(param)

    def _entries_read(self, group: dict[str, Any]) -> tuple[str, ...]:
        momentum = ("momentum_buffer",) if group["momentum"] > 0 else ()
        return ("square_avg", "step", *momentum, *(("grad_avg",) if group["centered"] else ()))

    def _listed_entries(self) -> tuple[str, ...]:
        return "square_avg", "momentum_buffer", "grad_avg", "step"

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rate, alpha = scalar(group["lr"]), group["alpha"]
        square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = plus_eps(root, group)
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root)
            param.add_(buffer, alpha=-rate)
        else:
            param.addcdiv_(grad, root, value=-rate)


rmsprop = functional(
    RMSprop,
    "square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None, maximize=False, "
    "differentiable=False, capturable=False, has_complex=False, *, lr, alpha, eps, "
    "weight_decay, momentum, centered",
)
