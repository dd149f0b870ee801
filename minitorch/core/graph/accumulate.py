"""Adding a gradient to a leaf's .grad, as AccumulateGrad does."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from minitorch.core.arrays import layout, namespace
from minitorch.core.tensor.base import tensor, version_of

# References to a gradient that nobody else holds: the caller's local variable, the parameter here,
# getrefcount's own argument.
_UNSHARED = 4


def accumulate(leaf: Any, grad: Any, create_graph: bool) -> None:
    """Adds `grad` (an array, or a Tensor under create_graph) to `leaf.grad`.

    A first gradient is stolen where nobody else holds it and it lies in memory as the leaf does,
    else copied. Later ones are added in place, or out of place under create_graph.
    As torch/csrc/autograd/functions/accumulate_grad.h.
    """
    held = leaf._grad
    if create_graph:
        if held is not None:
            leaf._grad = held + grad
        elif grad._edge is None and grad._view is None:
            leaf._grad = tensor(grad._array)
        else:
            leaf._grad = grad.clone()
    elif held is None:
        if grad.base is not None or getrefcount(grad) > _UNSHARED or _lies_otherwise(grad, leaf):
            grad = _copy_like(grad, leaf)
        leaf._grad = tensor(grad)
    elif held._edge is None and held._array.dtype == grad.dtype:
        x = held._array
        x += grad
        version_of(held)[0] += 1
    else:
        leaf._grad = held.detach() + tensor(grad)
    if leaf._post_hooks is not None:
        for hook in list(leaf._post_hooks.values()):
            hook(leaf)


def _lies_otherwise(grad: Any, leaf: Any) -> bool:
    return bool(grad.ndim > 1 and grad.strides != leaf._array.strides)


def _copy_like(grad: Any, leaf: Any) -> Any:
    """A copy of `grad` with the strides of a dense leaf, else C-contiguous."""
    x = leaf._array
    strides = layout.strides_of(x)
    if x.flags.c_contiguous or not layout.is_dense(x.shape, strides):
        return grad.copy("C")
    copied = namespace(grad).empty_strided(x.shape, strides, grad.dtype)
    copied[...] = grad
    return copied
