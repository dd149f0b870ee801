"""torch.cond: one of two functions, chosen by a tensor."""

from collections.abc import Callable
from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.utils import _pytree


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:
    """The result of `true_fn(*operands)` if `pred` holds, else that of `false_fn(*operands)`.

    Args:
        pred: a bool, or a tensor of one element.
        operands: a tuple or list of tensors, or of trees of these.

    Raises:
        RuntimeError: for another condition, functions or operands.

    As torch.cond.
    """
    if isinstance(pred, (bool, int, float)):
        return true_fn(*operands) if pred else false_fn(*operands)
    if not isinstance(pred, Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    leaves = _pytree.tree_leaves(operands)
    if not isinstance(operands, (tuple, list)) or not all([isinstance(x, Tensor) for x in leaves]):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists "
            f"of tensor leaves, but got {operands}."
        )
    return true_fn(*operands) if pred.item() else false_fn(*operands)
