"""`_init_group` of torch's optimizers: the parameters of a group beside their gradients and states.

No step here needs it. Classes that derive from one of torch's optimizers write a step of their own
with it, and hand the lists to the functional form: `torch.optim.adam.adam(params, grads, ...)`.
"""

from collections.abc import Callable
from typing import Any


def fill_lists(
    optimizer: Any,
    group: dict[str, Any],
    params: list[Any],
    grads: list[Any],
    entries: dict[str, list[Any]],
    state_of: Callable[[Any], dict[str, Any]],
) -> tuple[bool, bool]:
    """Appends each parameter of a group that has a gradient, the gradient and entries of its state.

    Args:
        optimizer: whose refusal of sparse gradients holds.
        group: one of its `param_groups`.
        params, grads: the lists of parameters and gradients.
        entries: names of entries of a state -> the list for them; a state may lack one.
        state_of: makes the state of a parameter unless it has one.

    Returns whether a gradient is sparse and whether a parameter is complex.
    """
    is_sparse = is_complex = False
    for param in group["params"]:
        if param.grad is None:
            continue
        is_complex |= param.is_complex()
        params.append(param)
        if param.grad.is_sparse:
            is_sparse = True
            if optimizer._sparse_refusal:
                raise RuntimeError(optimizer._sparse_refusal.format(type(optimizer).__name__))
        grads.append(param.grad)
        state = state_of(param)
        for name, values in entries.items():
            if name in state:
                values.append(state[name])
    return is_sparse, is_complex
