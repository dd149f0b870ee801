"""ASGD. Polyak and Juditsky, https://doi.org/10.1137/0330046."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.optim._functional import functional
from minitorch.optim.optimizer import scalar
from minitorch.optim.tensorwise import TensorOptimizer, check, check_rate

__all__ = ["ASGD", "asgd"]


class ASGD(TensorOptimizer):
    """SGD with a decaying rate, and the mean of the parameters from step t0 on.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html.
    """

    entries = ("mu", "ax", "eta", "step")
    together = "params, mus, etas, and state_steps"

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

    def _begin(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["eta"] = (
            OPS.as_tensor(scalar(group["lr"]), dtype=state["step"].dtype).clone().detach()
        )
        state["mu"] = OPS.tensor(1.0)
        state["ax"] = OPS.zeros_like(param)

    def _update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
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
