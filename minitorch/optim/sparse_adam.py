"""SparseAdam: Adam for the rows that sparse gradients have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim.optimizer import Optimizer, check_entries, scalar, zeros_alike
from minitorch.optim.tensorwise import check_betas

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Steps, with their means of gradients and of squares, the elements that gradients have.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.001 by default; a number, or a Tensor of one element.
        betas: the factors of what the means were before, from 0 to below 1.
        eps: what is added to the root; positive.
        maximize: whether to step up, with the gradient.

    Raises:
        ValueError: for options out of range, and sparse or complex parameters.
        RuntimeError: by `step`, for dense gradients.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.SparseAdam.html. Kingma and Ba,
    https://arxiv.org/abs/1412.6980.
    """

    _sparse_refusal = None

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for what, value in (("learning rate", lr), ("epsilon value", eps)):
            if not 0.0 < value <= math.inf:
                raise ValueError(f"Invalid {what}: {value}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        sparse_params = [
            [i, j]
            for i, group in enumerate(self.param_groups)
            for j, param in enumerate(group["params"])
            if param.is_sparse
        ]
        if sparse_params:
            raise ValueError(
                f"Sparse params at indices {sparse_params}: SparseAdam requires dense parameter "
                "tensors"
            )
        complex_params = [
            [i, j]
            for i, group in enumerate(self.param_groups)
            for j, param in enumerate(group["params"])
            if param.is_complex()
        ]
        if complex_params:
            raise ValueError(
                f"Complex params at indices {complex_params}: SparseAdam does not support complex "
                "parameters"
            )

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. RuntimeError for gradients that are dense."""
        loss = self._closure_loss(closure)
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            for param in params:
                if not param.grad.is_sparse:
                    raise RuntimeError(
                        "SparseAdam does not support dense gradients, please consider Adam instead"
                    )
                state = self.state[param]
                if not state:
                    state["step"] = 0
                    state["exp_avg"], state["exp_avg_sq"] = map(zeros_alike, (param, param))
                check_entries(state, ("exp_avg", "exp_avg_sq", "step"))
                state["step"] += 1
            for param in params:
                self._update_param(param, self.state[param], group)
        return loss

    @staticmethod
    def _update_param(param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad = (-param.grad if group["maximize"] else param.grad).coalesce()
        where, values, size = grad._indices(), grad._values(), grad.size()
        if not values.numel():
            return
        moved = []
        for name, found, beta in zip(
            ("exp_avg", "exp_avg_sq"), (values, values.pow(2)), group["betas"], strict=True
        ):
            held = state[name].sparse_mask(grad)._values()
            change = found.sub(held).mul_(1 - beta)
            state[name].add_(grad.new(where, change, size))
            moved.append(change.add_(held))
        mean, square = moved
        beta1, beta2 = group["betas"]
        corrected = math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        rate = scalar(group["lr"]) * corrected
        step = -rate * mean.div_(square.sqrt_().add_(group["eps"]))
        param.add_(grad.new(where, step, size))
