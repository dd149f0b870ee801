"""torch.while_loop: a function of its own results, as long as a condition holds."""

from collections.abc import Callable
from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.utils import _pytree


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any
) -> Any:
    """The values after rounds of `body_fn(*carried)`, as long as `cond_fn(*carried)` holds.

    Args:
        cond_fn: returns a bool, or a tensor of one bool.
        body_fn: returns a tuple that is structured as its arguments.
        carried_inputs: a tuple of tensors and ints, or of trees of these.

    Raises:
        RuntimeError: for what is not callable, other inputs, or a condition of another kind.

    As torch.while_loop.
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    leaves, structure = _pytree.tree_flatten(tuple(carried_inputs))
    if not all([isinstance(x, (Tensor, int)) for x in leaves]):
        raise RuntimeError(
            "Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that only"
            f"consists of tensor or int leaves, but got {carried_inputs}."
        )
    carried = _pytree.tree_unflatten(leaves, structure)
    while _holds(cond_fn(*carried)):
        carried = body_fn(*carried)
        if not isinstance(carried, tuple):
            raise RuntimeError(f"body_fn should return a tuple but got {type(carried)}")
    return carried


def _holds(condition: Any) -> bool:
    if isinstance(condition, Tensor) and condition.numel() == 1:
        return bool(condition.item())
    if isinstance(condition, bool):
        return condition
    raise RuntimeError(
        f"cond_fn must return a boolean scalar tensor or a boolean but got {condition}"
    )
