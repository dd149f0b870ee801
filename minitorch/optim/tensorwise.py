"""Optimizers that step parameter by parameter, with Tensor operations in the order of torch's.

A dozen operations a parameter cost some 15 us; SGD and Adam, which most programs use, have arrays
and fused arithmetic instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.autograd.grad_mode import set_grad_enabled
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim.group_lists import fill_lists
from minitorch.optim.helpers import counted
from minitorch.optim.optimizer import (
    CAPTURABLE_ON,
    Optimizer,
    check_devices,
    check_entries,
    scalar,
)

# Options that older checkpoints lack.
_LATER = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}


class TensorOptimizer(Optimizer):
    """Subclasses define `_begin_state`, the first state of a parameter, and `_update_param`."""

    _later_defaults: dict[str, Any] = _LATER
    # Of a parameter's state, in the order in which torch reads them.
    _state_entries: tuple[str, ...] = ()
    _on_one_device = "params and state_steps"
    _capturable_devices = CAPTURABLE_ON

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in self._later_defaults.items():
                group.setdefault(name, default)
            for param in group["params"]:
                held = self.state.get(param, {})
                for name in ("step", "eta", "mu"):
                    if name in held and not isinstance(held[name], Tensor):
                        held[name] = counted(float(held[name]), group.get("fused"))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. closure computes the loss anew and returns it."""
        loss = self._closure_loss(closure)
        with set_grad_enabled(self.defaults["differentiable"]):
            for group in self.param_groups:
                params = [param for param in group["params"] if param.grad is not None]
                states = [self._param_state(param, group) for param in params]
                if group.get("fused") or group.get("capturable"):
                    check_devices(group, self._on_one_device, self._capturable_devices)
                for param, state in zip(params, states, strict=True):
                    self._step_one(param, state, group)
        return loss

    def _param_state(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """The state of a parameter, made before its first step.

        Raises: KeyError for an entry that the step needs and a state that was put there lacks.
        """
        state: dict[str, Any] = self.state[param]
        if not state:
            state["step"] = counted(0.0)
            self._begin_state(param, state, group)
        check_entries(state, self._entries_read(group))
        return state

    def _entries_read(self, group: dict[str, Any]) -> tuple[str, ...]:
        """Names of the entries of a state that a step reads, in torch's order."""
        return self._state_entries

    def _init_group(
        self, group: dict[str, Any], params: list[Any], grads: list[Any], *lists: list[Any]
    ) -> Any:
        """Fills the lists as torch's does; `lists` are in the order of the functional form.

        Returns whether a parameter is complex.
        """
        entries = dict(zip(self._listed_entries(), lists, strict=True))
        found = fill_lists(
            self, group, params, grads, entries, lambda param: self._param_state(param, group)
        )
        return found[1]

    def _listed_entries(self) -> tuple[str, ...]:
        """Names of the entries of a state in the order in which the functional form takes them."""
        return self._state_entries

    def _step_one(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["step"] += 1
        grad = -param.grad if group["maximize"] else param.grad
        if group.get("weight_decay"):
            if group.get("decoupled_weight_decay"):
                param.mul_(1 - scalar(group["lr"]) * group["weight_decay"])
            else:
                grad = grad.add(param, alpha=group["weight_decay"])
        if param.is_complex():  # its parts are numbers of their own
            param, grad = OPS.view_as_real(param), OPS.view_as_real(grad)
            state = {
                name: OPS.view_as_real(held) if held.is_complex() else held
                for name, held in state.items()
            }
        self._update_param(param, grad, state, group)

    def _begin_state(self, param: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Puts the state of a parameter before its first step beside its `step`, a 0."""
        raise NotImplementedError

    def _update_param(
        self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        """Steps one parameter, which is real. `step` was counted and weight decay added."""
        raise NotImplementedError


def plus_eps(x: Any, group: dict[str, Any]) -> Any:
    """x + eps: in place where no gradient needs x itself."""
    return x.add(group["eps"]) if group["differentiable"] else x.add_(group["eps"])


def check_rate(lr: Any) -> None:
    """ValueError for a learning rate below 0, or a Tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check("learning rate", lr)


def check(what: str, value: Any, most: float = float("inf")) -> None:
    """ValueError for an option below 0, or above `most`."""
    if not 0.0 <= value <= most:
        raise ValueError(f"Invalid {what}: {value}")


def check_adam(lr: Any, betas: Any, eps: Any, weight_decay: Any) -> None:
    """ValueError for an option of Adam's kin that is out of range, in torch's order."""
    check_rate(lr)
    check("epsilon value", eps)
    check_betas(betas)
    check("weight_decay value", weight_decay)


def check_betas(betas: Any) -> None:
    """ValueError for factors of running means outside [0, 1)."""
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
