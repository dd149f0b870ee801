"""torch._higher_order_ops.map: a function of each slice of tensors."""

from collections.abc import Callable
from typing import Any

from minitorch import stack
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils import _pytree


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """The results of `f(slice, *args)` for each slice of `xs`, stacked.

    Args:
        xs: a tensor or a tree of tensors of the same first dimension, which is sliced.

    Raises:
        RuntimeError: for other things than tensors, or first dimensions that are 0 or differ.

    As torch._higher_order_ops.map.
    """
    leaves, structure = _pytree.tree_flatten(xs)
    if not all([isinstance(x, Tensor) for x in leaves]):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    shapes = [x.shape for x in leaves]
    if shapes[0][0] == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any([shape[0] != shapes[0][0] for shape in shapes]):
        raise RuntimeError(
            f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}."
        )
    results = [
        f(_pytree.tree_unflatten([x.select(0, i) for x in leaves], structure), *args)
        for i in range(shapes[0][0])
    ]
    return _pytree.tree_map(lambda *parts: stack(parts), *results)
