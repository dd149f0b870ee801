"""Adam. Kingma and Ba, https://arxiv.org/abs/1412.6980."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from minitorch.core.arrays import namespace
from minitorch.core.arrays.floating_point import restore, silence
from minitorch.core.arrays.missing import NoNumbers
from minitorch.core.base.fields import tensor, version_of
from minitorch.core.base.modes import BEFORE_WRITES, TENSOR_FORMULAS, aside
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.tensor.tensor import Tensor
from minitorch.optim._functional import functional
from minitorch.optim.arithmetic import (
    add_product,
    add_quotient,
    add_scaled,
    lerp,
    rounded,
    update_all,
)
from minitorch.optim.differentiable import adam_step, adam_step_seen
from minitorch.optim.group_lists import fill_lists
from minitorch.optim.helpers import counted
from minitorch.optim.optimizer import (
    Optimizer,
    announce_writes,
    check_devices,
    check_entries,
    check_implementations,
    is_seen,
    number,
    scalar,
    zeros_alike,
)
from minitorch.optim.tensorwise import check, check_betas

__all__ = ["Adam", "adam"]


class Adam(Optimizer):
    """p -= lr * m / (sqrt(v) + eps): unbiased running means of the gradient and its square.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        lr: the learning rate, 0.001 by default; a number, or a Tensor of one element.
        betas: the factors of what m and v were before, from 0 to below 1; two floats or two
            Tensors.
        eps: what is added to the root.
        weight_decay: the factor of the parameters that are added to their gradients.
        amsgrad: whether to divide by the largest v so far.
        foreach, fused: how torch goes over many tensors; here they change nothing.
        maximize: whether to step up, with the gradient.
        capturable: for CUDA graphs; on the CPU the step is refused.
        differentiable: whether steps are recorded, to differentiate through them.
        decoupled_weight_decay: whether weight decay shrinks the parameters instead, as in AdamW.

    Raises:
        ValueError: for options out of range, and no parameters.
        TypeError: for what is no Tensor.
        RuntimeError: for `fused` beside `foreach` or `differentiable`.
        AssertionError: by `step`, for `capturable` on the CPU.

    As https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html. Kingma and Ba,
    https://arxiv.org/abs/1412.6980; amsgrad: Reddi et al., https://arxiv.org/abs/1904.09237.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor):
            if foreach and not capturable:
                raise ValueError(
                    "lr as a Tensor is not supported for capturable=False and foreach=True"
                )
            if lr.numel() != 1:
                raise ValueError("Tensor lr must be 1-element")
        check("learning rate", lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        tensors = [isinstance(beta, Tensor) for beta in betas]
        if not all(tensors) and not all(isinstance(beta, float) for beta in betas):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas if all(tensors) else ()):
            if foreach and not capturable:
                raise ValueError(
                    f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True"
                )
            if beta.numel() != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")
        defaults = {
            "lr": lr,
            "betas": tuple(map(scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        check_implementations(differentiable, foreach, fused)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("amsgrad", False)
            group.setdefault("maximize", False)
            group.setdefault("foreach", None)
            group.setdefault("capturable", False)
            group.setdefault("differentiable", False)
            group.setdefault("decoupled_weight_decay", False)
            group.setdefault("fused", None)
            for param in group["params"]:
                held = self.state.get(param, {})
                if "step" in held and not isinstance(held["step"], Tensor):
                    held["step"] = counted(float(held["step"]), group["fused"])

    _sparse_refusal = "Adam does not support sparse gradients, please consider SparseAdam instead"

    def _param_state(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """The state of a parameter, made before its first step."""
        state: dict[str, Any] = self.state[param]
        if not state:
            x = param._array
            xp = namespace(x)
            state["step"] = counted(0.0, group["fused"])
            for name in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")[: 3 if group["amsgrad"] else 2]:
                state[name] = zeros_alike(param) if STACK.get() else tensor(xp.zeros_like(x))
        return state

    def _init_group(
        self,
        group: dict[str, Any],
        params_with_grad: list[Any],
        grads: list[Any],
        exp_avgs: list[Any],
        exp_avg_sqs: list[Any],
        max_exp_avg_sqs: list[Any],
        state_steps: list[Any],
    ) -> bool:
        """Fills the lists as torch's does. Returns whether a parameter is complex."""
        amsgrad = group["amsgrad"]
        lists = [exp_avgs, exp_avg_sqs, *((max_exp_avg_sqs,) if amsgrad else ()), state_steps]
        entries = dict(zip(entries_of(amsgrad), lists, strict=True))

        def state_of(param: Any) -> dict[str, Any]:
            return self._param_state(param, group)

        return fill_lists(self, group, params_with_grad, grads, entries, state_of)[1]

    @aside
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. closure computes the loss anew and returns it."""
        loss = self._closure_loss(closure)
        state = silence()
        try:
            self._step_groups()
        finally:
            restore(state)
        return loss

    def _step_differentiably(self, group: dict[str, Any]) -> None:
        for param in group["params"]:
            if param._grad is not None:
                adam_step(param, param._grad, self._param_state(param, group), group)

    def _step_seen(self, group: dict[str, Any]) -> None:
        given = [each for each in group["params"] if each._grad is not None]
        states = [self._param_state(each, group) for each in given]
        for param, state in zip(given, states, strict=True):
            adam_step_seen(param, param._grad, state, group)

    def _step_groups(self) -> None:
        for group in self.param_groups:
            amsgrad = group["amsgrad"]
            if group["fused"] or group["capturable"] or group["differentiable"]:
                if group["capturable"]:  # on the CPU refused, but after torch looked at the states
                    for param in group["params"]:
                        if param._grad is not None:
                            check_entries(self._param_state(param, group), entries_of(amsgrad))
                check_devices(group)
                if group["differentiable"]:
                    self._step_differentiably(group)
                    continue
            if TENSOR_FORMULAS and is_seen(group):
                self._step_seen(group)
                continue
            if BEFORE_WRITES:
                announce_writes(self, group)
            writes = 2 if group["weight_decay"] and group["decoupled_weight_decay"] else 1
            calls: dict[Any, Any] = {}
            states = self.state
            for param in group["params"]:
                grad = param._grad
                if grad is None:
                    continue
                state = states[param] or self._param_state(param, group)
                first, second = state["exp_avg"], state["exp_avg_sq"]
                largest = state["max_exp_avg_sq"] if amsgrad else None
                step = state["step"]  # read last, as torch reads it: a state may lack some
                count = step._array
                try:
                    steps = count.item() + 1.0
                except NoNumbers:  # of a fake tensor: any number gives the same shapes
                    steps = 1.0
                count[...] = steps
                x = param._array
                written = [x, first._array, second._array]
                if largest is not None:
                    written.append(largest._array)
                    version_of(largest)[0] += 1
                # Cells that are there are not asked for: 1 us less for six parameters.
                (step._cell or version_of(step))[0] += 1
                (first._cell or version_of(first))[0] += 1
                (second._cell or version_of(second))[0] += 2  # as mul_ and addcmul_ count
                (param._cell or version_of(param))[0] += writes
                calls.setdefault((steps, x.dtype, type(x)), []).append((written, [grad._array]))
            for (steps, dtype, _), pairs in calls.items():
                xp = namespace(pairs[0][0][0])
                if xp.fused is not None and xp.fused.steps.take(pairs):
                    launch(xp, group, steps, pairs)
                else:
                    update_all(adam_kernel(group, steps, dtype), pairs, xp)


def entries_of(amsgrad: bool) -> tuple[str, ...]:
    """Names of the entries of a state that a step reads, in torch's order."""
    return ("exp_avg", "exp_avg_sq", *(("max_exp_avg_sq",) if amsgrad else ()), "step")


constant = lru_cache(64)(rounded)  # options that are the same at every step


def launch(xp: Any, group: dict[str, Any], steps: float, pairs: Any) -> None:
    """The step number `steps` of a group, for arrays whose namespace has it in one launch."""
    rate = number(group["lr"])
    beta1, beta2 = (number(beta) for beta in group["betas"])
    decay, decoupled = group["weight_decay"], group["decoupled_weight_decay"]
    xp.fused.steps.adam(
        pairs,
        bool(group["maximize"]),
        bool(decoupled),
        float(1 - rate * decay if decoupled else decay),
        float(1 - beta1),
        float(beta2),
        float(1 - beta2),
        float((1 - beta2**steps) ** 0.5),
        float(group["eps"]),
        float(-rate / (1 - beta1**steps)),
    )


def adam_kernel(group: dict[str, Any], steps: float, dtype: Any) -> Callable[..., None]:
    """The step number `steps` of a group, as a function of vectors of one dtype.

    The order of operations is that of torch/optim/adam.py, each rounded as its kernel rounds it.
    """
    real = dtype if dtype.kind != "c" else dtype.type(0).real.dtype
    # A Tensor's arithmetic with numbers is that of its dtype, float32 as a rule.
    rate = group["lr"]._array if isinstance(group["lr"], Tensor) else group["lr"]
    beta1, beta2 = (number(beta) for beta in group["betas"])
    decay, decoupled = group["weight_decay"], group["decoupled_weight_decay"]
    maximize = group["maximize"]
    weight = 1 - beta1
    keep, square = constant(beta2, real), constant(1 - beta2, real)
    root = rounded((1 - beta2**steps) ** 0.5, real)
    eps = constant(group["eps"], real)
    size = rounded(-rate / (1 - beta1**steps), real)
    shrink = rounded(1 - rate * decay, real) if decay else None

    def kernel(x: Any, first: Any, second: Any, *rest: Any) -> None:
        *largest, g = rest
        xp = namespace(x)
        if maximize:
            g = -g
        if decay:
            if decoupled:
                x *= shrink
            else:
                g = g.copy()
                add_scaled(g, x, decay)
        lerp(first, g, weight)
        second *= keep
        add_product(second, g, g, square)
        if largest:
            (most,) = largest
            xp.maximum(most, second, out=most)
            denominator = xp.sqrt(most)
        else:
            denominator = xp.sqrt(second)
        denominator /= root
        denominator += eps
        add_quotient(x, first, denominator, size)

    return kernel


adam = functional(
    Adam,
    "exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False, "
    "differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False, "
    "decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps, maximize",
)
