"""Muon. Jordan, https://kellerjordan.github.io/posts/muon/."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim.optimizer import Optimizer, scalar, zeros_alike

__all__ = ["Muon"]


class Muon(Optimizer):
    """Momentum whose steps are made orthogonal, for matrices.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.001 by default; a number, or a Tensor of one element.
        weight_decay: p *= 1 - lr * weight_decay before each step; 0.1 by default.
        momentum: the factor of the mean gradient before.
        nesterov: whether the step takes a share of the new gradient again.
        ns_coefficients: the three of the Newton-Schulz iteration that makes steps orthogonal, x = a
            * x + (b * xx' + c * xx'xx') x.
        eps: the least norm that a step is divided by.
        ns_steps: how many iterations, less than 100.
        adjust_lr_fn: how the rate goes by the shape: 'original' (also None), times sqrt(max(1, rows
            / columns)), or 'match_rms_adamw', times 0.2 * sqrt(max(rows, columns)).

    Raises:
        ValueError: for parameters of other than two dimensions, and options out of range.
        RuntimeError: by `step`, for complex parameters.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.Muon.html. Jordan,
    https://kellerjordan.github.io/posts/muon/.
    """

    __module__ = "torch.optim"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        checked = {"Learning rate": lr, "momentum": momentum, "weight decay": weight_decay}
        for what, value in checked.items():
            if not 0.0 <= value <= math.inf:
                raise ValueError(f"{what} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{param.size()}"
                    )

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. closure computes the loss anew and returns it."""
        loss = self._closure_loss(closure)
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                if param.is_complex():
                    raise RuntimeError("Muon does not support complex parameters")
                self._update_param(param, param.grad, self.state[param], group)
        return loss

    @staticmethod
    def _update_param(param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        rate, momentum = scalar(group["lr"]), group["momentum"]
        buffer = state.setdefault("momentum_buffer", zeros_alike(grad))
        buffer.lerp_(grad, 1 - momentum)
        update = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
        update = orthogonalized(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = param.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(rows, columns))
        else:
            ratio = math.sqrt(max(1, rows / columns))
        param.mul_(1 - rate * group["weight_decay"])
        param.add_(update, alpha=-(rate * ratio))


def orthogonalized(grad: Any, coefficients: Any, steps: int, eps: float) -> Any:
    """A matrix near the orthogonal one nearest to `grad`, in bfloat16, by Newton-Schulz."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = grad.bfloat16()
    tall = grad.size(0) > grad.size(1)
    if tall:
        x = x.T
    x.div_(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        x = OPS.addmm(x, OPS.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x
