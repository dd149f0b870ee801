"""Adafactor. Shazeer and Stern, https://arxiv.org/abs/1804.04235."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers.limits import finfo
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim.helpers import counted
from minitorch.optim.optimizer import Optimizer, scalar, zeros_alike

__all__ = ["Adafactor", "adafactor"]


class Adafactor(Optimizer):
    """Gradients over the root of their running mean square, which is kept by rows and columns.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.01 by default; a number, or a Tensor of one element. It is the
            largest relative step.
        beta2_decay: step ** beta2_decay is the share of a new square in the mean; not positive.
        eps: the least mean square (of the dtype if None), and the least size of a parameter by
            which steps are scaled.
        d: the greatest mean size of an update, at least 1.
        weight_decay: p *= 1 - lr * weight_decay before each step.
        foreach: as torch's over many tensors: the update is rounded once more.
        maximize: whether to step up, with the gradient.

    Raises:
        ValueError: for options out of range.
        RuntimeError: by `step`, for complex parameters.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.Adafactor.html. Shazeer and Stern,
    https://arxiv.org/abs/1804.04235.
    """

    __module__ = "torch.optim"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for fits, what, value in (
            (0.0 <= lr <= inf, "Learning rate should be >= 0", lr),
            (0.0 >= beta2_decay >= -inf, "beta2_decay should be <= 0", beta2_decay),
            (eps[0] is None or 0.0 <= eps[0] <= inf, "epsilon1 should be >= 0", eps[0]),
            (0.0 <= eps[1] <= inf, "epsilon2 should be >= 0", eps[1]),
            (1.0 <= d <= inf, "Clipping threshold d should be >= 1", d),
            (0.0 <= weight_decay <= inf, "weight_decay should be >= 0", weight_decay),
        ):
            if not fits:
                raise ValueError(f"{what} but is: {value}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
            for param in group["params"]:
                held = self.state.get(param, {})
                if held and not isinstance(held["step"], Tensor):
                    held["step"] = counted(float(held["step"]))

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. closure computes the loss anew and returns it."""
        loss = self._closure_loss(closure)
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            if any([param.is_complex() for param in params]):
                raise RuntimeError("Adafactor does not support complex parameters")
            least = group["eps"][0]
            if least is None and params:
                least = finfo(params[0].dtype).eps
            for param in params:
                state = self.state[param]
                if not state:
                    _begin(param.grad, state)
                grad = -param.grad if group["maximize"] else param.grad
                _update(param, grad, state, group, least)
        return loss


def _begin(grad: Any, state: dict[str, Any]) -> None:
    state["step"] = counted(0.0)
    if grad.dim() > 1:
        *rest, rows, columns = grad.shape
        state["row_var"] = grad.new_zeros((*rest, rows, 1))
        state["col_var"] = grad.new_zeros((*rest, 1, columns))
    else:
        state["variance"] = zeros_alike(grad)


def _check_state(state: dict[str, Any], factored: bool) -> None:
    """AssertionError for a state that was put there and lacks what the shape of grad asks for."""
    if factored and (state.get("row_var") is None or state.get("col_var") is None):
        raise AssertionError("row_var and col_var should be defined when grad is multidimensional")
    if not factored and state.get("variance") is None:
        raise AssertionError("variance should be defined when grad is a vector")


def _update(
    param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any], least: float
) -> None:
    """Steps one parameter, as _single_tensor_adafactor of torch/optim/_adafactor.py."""
    rate, decay = scalar(group["lr"]), group["weight_decay"]
    state["step"] += 1
    step = state["step"].item()
    _check_state(state, grad.dim() > 1)
    share = step ** group["beta2_decay"]
    size = param.norm(2).item() / param.numel() ** 0.5
    alpha = max(group["eps"][1], size) * min(rate, 1 / step**0.5)
    if decay != 0:
        param.mul_(1 - rate * decay)
    if grad.dim() > 1:
        for name, dim in (("row_var", -1), ("col_var", -2)):
            mean = OPS.norm(grad, dim=dim, keepdim=True).square_().div_(grad.size(dim))
            state[name].lerp_(mean, share)
        update = state["row_var"] @ state["col_var"]
        update.div_(state["row_var"].mean(dim=-2, keepdim=True).clamp_(min=least))
    else:
        state["variance"].lerp_(grad * grad, share)
        update = state["variance"].clone()
    update.clamp_(min=least * least).rsqrt_().mul_(grad)
    clip = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * group["d"]))
    if group["foreach"]:  # rounds once more
        param.add_(update.mul_(-(alpha / clip)))
    else:
        param.add_(update, alpha=-alpha / clip)
