"""ASGD. Polyak and Juditsky, https://doi.org/10.1137/0330046."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.optim._functional import functional
from minitorch.optim.helpers import counted
from minitorch.optim.optimizer import scalar, zeros_alike
from minitorch.optim.tensorwise import TensorOptimizer, check, check_rate

__all__ = ["ASGD", "asgd"]


class ASGD(TensorOptimizer):
    """SGD with a decaying rate, and the mean of the parameters from step t0 on.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.01 by default; a number, or a Tensor of one element.
        lambd: how fast the rate decays, lr / (1 + lambd * lr * step) ** alpha; it also shrinks the
            parameters by lambd times the rate.
        alpha: the exponent of that.
        t0: the step from which the mean is taken.
        weight_decay: the factor of the parameters that are added to their gradients.
        foreach: how torch goes over many tensors; here it changes nothing.
        maximize: whether to step up, with the gradient.
        differentiable: whether steps are recorded, to differentiate through them.
        capturable: for CUDA graphs; on the CPU the step is refused.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html. Polyak and Juditsky,
    SIAM J. Control Optim. 30, 1992.
    """

    _state_entries = ("mu", "ax", "eta", "step")
    _on_one_device = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_rate(lr)
        check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["eta"] = (
            OPS.as_tensor(scalar(group["lr"]), dtype=state["step"].dtype).clone().detach()
        )
        state["mu"] = counted(1.0)
        state["ax"] = zeros_alike(param)

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rate, decay = scalar(group["lr"]), group["lambd"]
        eta, mean, steps = state["eta"].item(), state["ax"], state["step"].item()
        param.mul_(1 - decay * eta)
        param.add_(grad, alpha=-eta)
        if state["mu"].item() != 1:
            mean.add_(param.sub(mean).mul_(state["mu"]))
        else:
            mean.copy_(param)
        state["eta"].copy_(OPS.as_tensor(rate / ((1 + decay * rate * steps) ** group["alpha"])))
        state["mu"].copy_(OPS.as_tensor(1 / max(1, steps - group["t0"])))


asgd = functional(
    ASGD,
    "axs, mus, etas, state_steps, foreach=None, maximize=False, differentiable=False, "
    "capturable=False, has_complex=False, *, lambd, lr, t0, alpha, weight_decay",
)
