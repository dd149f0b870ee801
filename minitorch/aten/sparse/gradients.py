"""Gradients that are sparse: those of embeddings, and how leaves gather them."""

from __future__ import annotations

from typing import Any

from minitorch.aten.bags import bags_of
from minitorch.aten.sparse.tensor import SparseTensor, clone, made
from minitorch.core.arrays import on_numpy
from minitorch.core.graph.engine import discover
from minitorch.core.tensor.base import LEAF, tensor


def meets(targets: list[Any]) -> bool:
    """Whether a backward from these targets makes sparse gradients, or adds to some."""
    nodes, leaves = discover(targets)
    return any(getattr(node, "saved_sparse", False) is True for node in nodes) or any(
        isinstance(leaf._grad, SparseTensor) for leaf in leaves
    )


def accumulated(leaf: Any, grad: Any, recorded: bool) -> bool:
    """Adds `grad` to leaf.grad if either is sparse; else False. As accumulate_grad.h of torch."""
    held = leaf._grad
    if leaf._edge is not LEAF or not (
        isinstance(grad, SparseTensor) or isinstance(held, SparseTensor)
    ):
        return False
    if held is None:
        c = grad._array
        stolen = not recorded and c.values.flags.c_contiguous
        leaf._grad = made(c.indices, c.values, c.shape) if stolen else clone(grad)
    elif isinstance(held, SparseTensor) and not isinstance(grad, SparseTensor):
        leaf._grad = grad + held
    elif recorded:
        leaf._grad = held + grad
    else:
        held.add_(grad)
    return True


def embedding(grad: Any, indices: Any, rows: int, padding: int, by_frequency: bool) -> Any:
    """The gradient of a table of which `indices` were looked up. As embedding_sparse_backward."""
    if by_frequency:
        raise RuntimeError(
            "embedding_backward: scale_grad_by_freq not supported with sparse gradients"
        )
    if grad.requires_grad:
        raise NotImplementedError(
            "the second gradient of torch.nn.functional.embedding with sparse=True"
        )
    features = grad.shape[-1]
    if padding != -1:
        kept = indices != padding
        indices, grad = indices[kept], grad[kept]
    places = indices.reshape(1, -1).long()._array
    return made(places, grad.reshape(-1, features)._array, (rows, features))


def bag(
    grad: Any,
    indices: Any,
    offsets: Any,
    bags: Any,
    sizes: Any,
    rows: int,
    by_frequency: bool,
    mean: bool,
    weights: Any,
    padding: int,
) -> Any:
    """The same for sums and means of bags of rows. As _embedding_bag_sparse_backward."""
    if not bags.numel():
        bags = tensor(bags_of(on_numpy, indices._array, offsets._array))
    grad = grad.index_select(0, bags)
    if mean:
        grad = grad * (1 / sizes.to(grad.dtype)).unsqueeze(1).index_select(0, bags)
    if weights is not None:
        grad = grad * weights.unsqueeze(1)
    return embedding(grad, indices, rows, padding, by_frequency)
