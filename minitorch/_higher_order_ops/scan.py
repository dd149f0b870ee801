"""torch._higher_order_ops.scan: a function that carries a state along a dimension."""

from collections.abc import Callable
from typing import Any

from minitorch import stack
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils import _pytree


def scan(
    combine_fn: Callable[..., Any], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """The last state, and the outputs of all steps stacked along `dim`.

    Args:
        combine_fn: (state, slice) -> (next state, output); all are tensors or trees of them.
        init: the first state.
        xs: a tensor or a tree of tensors, which is sliced along `dim`.
        reverse: whether it goes from the last slice to the first.

    Raises:
        RuntimeError: for other arguments, or a dimension that is not there or empty.

    As torch._higher_order_ops.scan.
    """
    leaves, structure = _pytree.tree_flatten(xs)
    if not leaves:
        return init, []
    dim = canonical(leaves[0].ndim, dim)
    _check(combine_fn, leaves, _pytree.tree_leaves(init), dim, reverse)
    places = range(leaves[0].shape[dim])
    carry, outputs = init, []
    for i in reversed(places) if reverse else places:
        sliced = _pytree.tree_unflatten([x.select(dim, i) for x in leaves], structure)
        carry, output = combine_fn(carry, sliced)
        outputs.append(output)
    if reverse:
        outputs.reverse()
    return carry, _pytree.tree_map(lambda *parts: _stacked(parts, dim), *outputs)


def canonical(ndim: int, dim: Any) -> Any:
    """A dimension counted from the first. IndexError if there is none such."""
    if not isinstance(dim, int):
        return dim
    if not -max(ndim, 1) <= dim < max(ndim, 1):
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-max(ndim, 1)}, "
            f"{max(ndim, 1) - 1}], but got {dim})"
        )
    return dim % max(ndim, 1)


def _stacked(parts: Any, dim: int) -> Any:
    if not isinstance(parts[0], Tensor):
        return parts[-1]
    return stack(parts, dim if dim <= parts[0].ndim else 0)


def _check(function: Any, leaves: list[Any], init: list[Any], dim: Any, reverse: Any) -> None:
    if not callable(function):
        raise RuntimeError(f"Combine_fn must be a callable, but got {function}")
    if not isinstance(dim, int):
        raise RuntimeError(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if not init:
        raise RuntimeError("scan() operator requires init leaves.")
    for name, listed in (("init", init), ("xs", leaves)):
        for x in listed:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"All {name} leaves must be a Tensor but got {x}")
    if any([x.ndim <= dim or x.shape[dim] == 0 for x in leaves]):
        raise RuntimeError(
            "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"
        )
