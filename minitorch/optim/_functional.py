"""Steps as functions of lists: torch.optim.adam.adam and the others beside their classes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitorch.autograd.grad_mode import is_grad_enabled
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.tensor import Tensor

__all__ = (
    "adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd sparse_adam"
).split()

# Options of a class that the function takes one by one.
_PAIRS = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}


def functional(cls: Any, parameters: str) -> Callable[..., None]:
    """The function that steps `params` by `grads` and lists of states, as an optimizer would.

    parameters: what it takes after those two; first the lists, without defaults.
    """
    first = "d_p_list" if cls.__name__ == "SGD" else "grads"
    taken: Any = eval(f"lambda params, {first}, {parameters}: locals()")
    taken.__name__ = taken.__qualname__ = cls.__name__.lower()
    code = taken.__code__
    lists = code.co_varnames[: code.co_argcount - len(taken.__defaults__)]
    keys = [each.removeprefix("state_").removesuffix("_list") for each in lists[2:]]
    keys = [each.removesuffix("s") for each in keys]

    @functools.wraps(taken)
    def step(*args: Any, **kwargs: Any) -> None:
        given = taken(*args, **kwargs)
        params, grads, *states = (given.pop(each) for each in lists)
        held = dict(zip(keys, states, strict=True))
        if not all(isinstance(each, Tensor) for each in held.get("step", ())):
            raise RuntimeError(
                "API has changed, `state_steps` argument must contain a list of singleton tensors"
            )
        for pair, parts in _PAIRS.items():
            if parts[0] in given:
                given[pair] = tuple(given.pop(each) for each in parts)
        optimizer = cls([OPS.zeros(())])
        involved = [each for some in (params, grads, *states) for each in some if each is not None]
        recorded = is_grad_enabled() and any(each.requires_grad for each in involved)
        optimizer.defaults["differentiable"] = given["differentiable"] = recorded
        optimizer.param_groups[0].update(given, params=params)
        for i, param in enumerate(params):
            found = {key: values[i] for key, values in held.items() if i < len(values)}
            optimizer.state[param] = {k: each for k, each in found.items() if each is not None}
        before = [param._grad for param in params]
        try:
            for param, grad in zip(params, grads):
                param._grad = grad
            cls.step.__wrapped__(optimizer)
        finally:
            for param, grad in zip(params, before):
                param._grad = grad
        for key, values in held.items():
            for i, param in enumerate(params[: len(values)]):
                if key in optimizer.state[param] and values[i] is None:
                    values[i] = optimizer.state[param][key]

    return step
