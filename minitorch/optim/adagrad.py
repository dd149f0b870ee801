"""Adagrad. Duchi, Hazan and Singer, http://jmlr.org/papers/v12/duchi11a.html."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import SPARSE
from minitorch.optim._functional import functional
from minitorch.optim.group_lists import fill_lists
from minitorch.optim.helpers import counted
from minitorch.optim.optimizer import check_implementations, scalar
from minitorch.optim.tensorwise import TensorOptimizer, check, check_rate, plus_eps

__all__ = ["Adagrad", "adagrad"]


class Adagrad(TensorOptimizer):
    """p -= lr * g / (sqrt(s) + eps), where s is the sum of all squared gradients.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.01 by default; a number, or a Tensor of one element.
        lr_decay: step n, from 0 on, is divided by 1 + n * lr_decay.
        weight_decay: the factor of the parameters that are added to their gradients.
        initial_accumulator_value: the first s.
        eps: what is added to the root.
        foreach, fused: how torch goes over many tensors; here they change nothing.
        maximize: whether to step up, with the gradient.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        RuntimeError: for `fused` beside `foreach` or `differentiable`, and by `step`, for weight
            decay with sparse gradients.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html. Duchi et al., JMLR
    12, 2011.
    """

    _state_entries = ("sum", "step")
    _sparse_refusal = None
    _later_defaults = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_rate(lr)
        check("lr_decay value", lr_decay)
        check("weight_decay value", weight_decay)
        check("initial_accumulator_value value", initial_accumulator_value)
        check("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_implementations(differentiable, foreach, fused)
        for group in self.param_groups:
            for param in group["params"]:
                state = self.state[param]
                state["step"] = counted(0.0, group["fused"])
                self._begin_state(param, state, group)

    def share_memory(self) -> None:
        """Moves the sums of squares to where other processes see them."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        first = self.defaults["initial_accumulator_value"]
        first = complex(first, first) if param.is_complex() else first
        state["sum"] = OPS.full_like(param, first, requires_grad=False)

    def _step_one(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        if SPARSE and param.grad.is_sparse and group["weight_decay"]:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        super()._step_one(param, state, group)

    def _init_group(
        self, group: dict[str, Any], params: list[Any], grads: list[Any], *lists: list[Any]
    ) -> Any:
        entries = dict(zip(self._state_entries, lists, strict=True))
        return fill_lists(
            self, group, params, grads, entries, lambda param: self._param_state(param, group)
        )

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        steps = state["step"].item() - 1
        rate = scalar(group["lr"]) / (1 + steps * group["lr_decay"])
        if SPARSE and grad.is_sparse:
            from minitorch.aten.sparse.gradients import sparse_coo_tensor  # start-up: 10 ms

            grad = grad.coalesce()
            where, values, size = grad._indices(), grad._values(), grad.size()
            state["sum"].add_(sparse_coo_tensor(where, values.pow(2), size))
            root = state["sum"].sparse_mask(grad)._values().sqrt_().add_(group["eps"])
            param.add_(sparse_coo_tensor(where, values / root, size), alpha=-rate)
            return
        total = state["sum"].addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, plus_eps(total.sqrt(), group), value=-rate)


adagrad = functional(
    Adagrad,
    "state_sums, state_steps, fused=None, grad_scale=None, found_inf=None, "
    "has_sparse_grad=False, foreach=None, differentiable=False, has_complex=False, *, lr, "
    "weight_decay, lr_decay, eps, maximize",
)
