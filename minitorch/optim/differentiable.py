"""Steps that autograd records: Tensor operations in the order of torch's single-tensor steps."""

from __future__ import annotations

from typing import Any

from minitorch.autograd.grad_mode import enable_grad, no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim.optimizer import scalar


def sgd_step(param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    """A step of SGD for one parameter, as _single_tensor_sgd of torch/optim/sgd.py."""
    rate, decay, momentum = scalar(group["lr"]), group["weight_decay"], group["momentum"]
    if group["maximize"]:
        grad = -grad
    if decay:
        grad = _decayed(param, grad, decay)
    if momentum:
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = grad.detach().clone()
        else:
            buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
        grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
    if isinstance(rate, Tensor) and rate.requires_grad:
        param.addcmul_(grad, rate, value=-1)
    else:
        param.add_(grad, alpha=-rate)


@enable_grad()
def adam_step(param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    """A step of Adam for one parameter, as _single_tensor_adam of torch/optim/adam.py."""
    rate, decay = scalar(group["lr"]), group["weight_decay"]
    beta1, beta2 = (scalar(beta) for beta in group["betas"])
    tensors = [state["exp_avg"], state["exp_avg_sq"]]
    if group["amsgrad"]:
        tensors.append(state["max_exp_avg_sq"])
    step = state["step"]
    if group["maximize"]:
        grad = -grad
    step += 1
    if decay:
        if group["decoupled_weight_decay"]:
            param.mul_(1 - rate * decay)
        else:
            grad = _decayed(param, grad, decay)
    if param.is_complex():
        param, grad, *tensors = map(OPS.view_as_real, (param, grad, *tensors))
    first, second, *largest = tensors
    first.lerp_(grad, 1 - beta1)
    if isinstance(beta2, Tensor) and beta2.requires_grad:
        second.lerp_(OPS.square(grad), 1 - beta2)
    else:
        second.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    size = -(rate / (1 - beta1 ** step.clone()))
    root = (1 - beta2 ** step.clone()).sqrt() * size
    if largest:
        (most,) = largest
        most.copy_(OPS.maximum(most.clone(), second))
        second = most
    param.addcdiv_(first.clone(), (second.sqrt() / root).add_(group["eps"] / size))


@no_grad()
def adam_step_seen(param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    """A step of Adam for one parameter that modes see: its factors are numbers."""
    rate, decay = group["lr"], group["weight_decay"]
    beta1, beta2 = (scalar(beta) for beta in group["betas"])
    tensors = [state["exp_avg"], state["exp_avg_sq"]]
    if group["amsgrad"]:
        tensors.append(state["max_exp_avg_sq"])
    if group["maximize"]:
        grad = -grad
    state["step"].add_(1)
    if decay:
        if group["decoupled_weight_decay"]:
            param.mul_(1 - rate * decay)
        else:
            grad = _decayed(param, grad, decay)
    if param.is_complex():
        grad, *tensors, param = map(OPS.view_as_real, (grad, *tensors, param))
    first, second, *largest = tensors
    first.lerp_(grad, 1 - beta1)
    second.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    steps = state["step"].item()
    size, root = rate / (1 - beta1**steps), (1 - beta2**steps) ** 0.5
    if largest:
        (most,) = largest
        OPS.maximum(most, second, out=most)
        second = most
    param.addcdiv_(first, (second.sqrt() / root).add_(group["eps"]), value=-size)
    if largest and state["exp_avg"].is_complex():
        state["max_exp_avg_sq"] = OPS.view_as_complex(second)


def _decayed(param: Any, grad: Any, decay: Any) -> Any:
    if isinstance(decay, Tensor) and decay.requires_grad:
        return grad.addcmul(param.clone(), decay)
    return grad.add(param, alpha=decay)
