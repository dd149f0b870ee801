"""Stochastic gradient descent, with momentum (also Nesterov's) and weight decay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import namespace
from minitorch.core.tensor.base import tensor, version_of
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim.arithmetic import add_scaled, rounded, update
from minitorch.optim.optimizer import Optimizer, check_implementations, number


class SGD(Optimizer):
    """p -= lr * g, where g is the gradient or, with momentum, a decaying sum of gradients.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html.
    """

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

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. closure computes the loss anew and returns it."""
        loss = self._evaluate(closure)
        for group in self.param_groups:
            rate = number(group["lr"])
            plain = not (group["momentum"] or group["weight_decay"] or group["maximize"])
            for param in group["params"]:
                grad = param._grad
                if grad is None:
                    continue
                x, g = param._array, grad._array
                if plain and x.flags.c_contiguous and g.flags.c_contiguous and x.dtype.kind == "f":
                    add_scaled(x.reshape(-1), g.reshape(-1), -rate)
                else:
                    self._step(param, x, g, rate, group)
                version_of(param)[0] += 1
        return loss

    def _step(self, param: Any, x: Any, g: Any, rate: float, group: dict[str, Any]) -> None:
        momentum, decay = group["momentum"], number(group["weight_decay"])
        held, first = None, False
        if momentum:
            state = self.state[param]
            held = state.get("momentum_buffer")
            if held is None:
                first = True
                held = state["momentum_buffer"] = tensor(namespace(x).empty_like(x))
            else:
                version_of(held)[0] += 2  # as mul_ and add_ count

        def kernel(x: Any, *rest: Any) -> None:
            *buffers, g = rest
            if group["maximize"]:
                g = -g
            if decay:
                g = g.copy()
                add_scaled(g, x, decay)
            if momentum:
                (buffer,) = buffers
                if first:
                    buffer[...] = g
                else:
                    buffer *= rounded(momentum, buffer.dtype)
                    add_scaled(buffer, g, 1 - group["dampening"])
                if group["nesterov"]:
                    g = g.copy()
                    add_scaled(g, buffer, momentum)
                else:
                    g = buffer
            add_scaled(x, g, -rate)

        with numpy.errstate(all="ignore"):
            update(kernel, [x] if held is None else [x, held._array], [g])
