"""Stochastic gradient descent, with momentum (also Nesterov's) and weight decay."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from minitorch.autograd.grad_mode import set_grad_enabled
from minitorch.core.arrays import DEVICE_ARRAYS, namespace
from minitorch.core.arrays.floating_point import restore, silence
from minitorch.core.base.fields import tensor, version_of
from minitorch.core.base.modes import BEFORE_WRITES, SPARSE, TENSOR_FORMULAS, aside
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim._functional import functional
from minitorch.optim.arithmetic import add_scaled, rounded, update, update_all
from minitorch.optim.differentiable import sgd_step
from minitorch.optim.group_lists import fill_lists
from minitorch.optim.optimizer import (
    Optimizer,
    announce_writes,
    check_devices,
    check_implementations,
    has_sparse,
    is_seen,
    number,
)

__all__ = ["SGD", "sgd"]


class SGD(Optimizer):
    """p -= lr * g, where g is the gradient or, with momentum, a decaying sum of gradients.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.001 by default; a number, or a Tensor of one element.
        momentum: the factor of the sum before, b = momentum * b + (1 - dampening) * g; 0 for none.
        dampening: by how much less than 1 a new gradient counts in it.
        weight_decay: the factor of the parameters that are added to their gradients.
        nesterov: whether the step is g + momentum * b; it needs momentum, and no dampening.
        maximize: whether to step up, with the gradient.
        foreach, fused: how torch goes over many tensors; here they change nothing.
        differentiable: whether steps are recorded, to differentiate through them.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        RuntimeError: for `fused` beside `foreach` or `differentiable`.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html. Sutskever et al., ICML
    2013.
    """

    _sparse_refusal = None

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        check_implementations(differentiable, foreach, fused)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("nesterov", False)
            group.setdefault("maximize", False)
            group.setdefault("foreach", None)
            group.setdefault("differentiable", False)
            group.setdefault("fused", None)

    def _init_group(
        self,
        group: dict[str, Any],
        params: list[Any],
        grads: list[Any],
        momentum_buffer_list: list[Any],
    ) -> bool:
        """Fills the lists as torch's does. Returns whether a gradient is sparse.

        A parameter without a momentum buffer, before its first step, has None in its place.
        """
        first = len(params)
        is_sparse, _ = fill_lists(self, group, params, grads, {}, lambda param: {})
        if group["momentum"]:
            states = [self.state[param] for param in params[first:]]
            momentum_buffer_list.extend(state.get("momentum_buffer") for state in states)
        return is_sparse

    @aside
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. closure computes the loss anew and returns it."""
        loss = self._closure_loss(closure)
        for group in self.param_groups:
            if group["fused"] or group["differentiable"]:
                check_devices(group)
                if group["differentiable"]:
                    self._step_by_tensors(group)
                    continue
            if (SPARSE and has_sparse(group)) or (TENSOR_FORMULAS and is_seen(group)):
                self._step_by_tensors(group)
                continue
            if BEFORE_WRITES:
                announce_writes(self, group)
            if group["momentum"] or group["weight_decay"] or group["maximize"]:
                state = silence()
                try:
                    self._step_group(group)
                finally:
                    restore(state)
                continue
            if DEVICE_ARRAYS and lie_on_device(group):
                self._step_group(group)
                continue
            rate = -number(group["lr"])
            for param in group["params"]:
                grad = param._grad
                if grad is None:
                    continue
                x, g = param._array, grad._array
                if x.dtype.kind == "f" and x.flags.c_contiguous and g.flags.c_contiguous:
                    if x.ndim != 1:
                        x, g = x.ravel(), g.ravel()  # a view, in half the time of reshape(-1)
                    add_scaled(x, g, rate)
                else:
                    update(partial(add_scaled, factor=rate), [x], [g])
                version_of(param)[0] += 1
        return loss

    def _step_by_tensors(self, group: dict[str, Any]) -> None:
        with set_grad_enabled(group["differentiable"]):
            for param in group["params"]:
                if param._grad is not None:
                    state = self.state[param] if group["momentum"] else {}
                    sgd_step(param, param._grad, state, group)

    def _step_group(self, group: dict[str, Any]) -> None:
        calls: dict[Any, Any] = {}
        for param in group["params"]:
            grad = param._grad
            if grad is None:
                continue
            x = param._array
            written, first = [x], False
            if group["momentum"]:
                state = self.state[param]
                held = state.get("momentum_buffer")
                first = held is None
                if first:
                    held = state["momentum_buffer"] = tensor(namespace(x).empty_like(x))
                else:
                    version_of(held)[0] += 2  # as mul_ and add_ count
                written.append(held._array)
            version_of(param)[0] += 1
            calls.setdefault((first, x.dtype, type(x)), []).append((written, [grad._array]))
        for (first, _, _), pairs in calls.items():
            xp = namespace(pairs[0][0][0])
            if xp.fused is not None and xp.fused.steps.take(pairs):
                launch(xp, group, first, pairs)
            else:
                update_all(sgd_kernel(group, first), pairs, xp)


def lie_on_device(group: dict[str, Any]) -> bool:
    """Whether a parameter of a group lies on a device."""
    return any([type(param._array) in DEVICE_ARRAYS for param in group["params"]])


def launch(xp: Any, group: dict[str, Any], first: bool, pairs: Any) -> None:
    """A step of a group, for arrays whose namespace has it in one launch."""
    xp.fused.steps.sgd(
        pairs,
        bool(group["maximize"]),
        bool(group["nesterov"]),
        first,
        float(number(group["weight_decay"])),
        float(group["momentum"]),
        float(1 - group["dampening"]),
        float(number(group["lr"])),
    )


def sgd_kernel(group: dict[str, Any], first: bool) -> Callable[..., None]:
    """A step of a group as a function of vectors: parameter, momentum buffer if any, gradient.

    first: the buffer is not filled yet. The order of operations is that of torch/optim/sgd.py.
    """
    rate, decay = number(group["lr"]), number(group["weight_decay"])
    momentum, dampening = group["momentum"], group["dampening"]

    def kernel(x: Any, *rest: Any) -> None:
        *buffers, g = rest
        if group["maximize"]:
            g = -g
        if decay:
            g = g.copy()
            add_scaled(g, x, decay)
        if buffers:
            (buffer,) = buffers
            if first:
                buffer[...] = g
            else:
                buffer *= rounded(momentum, buffer.dtype)
                add_scaled(buffer, g, 1 - dampening)
            if group["nesterov"]:
                g = g.copy()
                add_scaled(g, buffer, momentum)
            else:
                g = buffer
        add_scaled(x, g, -rate)

    return kernel


sgd = functional(
    SGD,
    "momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None, grad_scale=None, "
    "found_inf=None, *, weight_decay, momentum, lr, dampening, nesterov, maximize",
)
