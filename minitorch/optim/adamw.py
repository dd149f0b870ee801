"""AdamW: Adam with decoupled weight decay. Loshchilov and Hutter, https://arxiv.org/abs/1711.05101."""

from __future__ import annotations

from typing import Any

from minitorch.optim._functional import functional
from minitorch.optim.adam import Adam

__all__ = ["AdamW", "adamw"]


class AdamW(Adam):
    """Adam that shrinks the parameters themselves by lr * weight_decay before each step.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.001 by default; a number, or a Tensor of one element.
        betas: the factors of what m and v were before, from 0 to below 1; two floats or two
            Tensors.
        eps: what is added to the root.
        weight_decay: p *= 1 - lr * weight_decay; 0.01 by default.
        amsgrad: whether to divide by the largest v so far.
        maximize: whether to step up, with the gradient.
        foreach, fused: how torch goes over many tensors; here they change nothing.
        capturable: for CUDA graphs; on the CPU the step is refused.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        RuntimeError: for `fused` beside `foreach` or `differentiable`.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html. Loshchilov and Hutter,
    https://arxiv.org/abs/1711.05101.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


adamw = functional(
    AdamW,
    "exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False, "
    "differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False, *, "
    "amsgrad, beta1, beta2, lr, weight_decay, eps, maximize",
)
