"""Sparse tensors as gradients: what backward asks of them, and those of embeddings."""

from __future__ import annotations

import sys
from typing import Any

# Modules whose functions join the table.
import minitorch.aten.sparse.arithmetic
import minitorch.aten.sparse.compressed_arithmetic
import minitorch.aten.sparse.compressed_operators
import minitorch.aten.sparse.compressed_products
import minitorch.aten.sparse.elementwise
import minitorch.aten.sparse.products
import minitorch.aten.sparse.reduction
import minitorch.aten.sparse.shapes  # noqa: F401
from minitorch.aten.sparse.creation import from_dense as from_dense
from minitorch.aten.sparse.creation import sparse_coo_tensor as sparse_coo_tensor
from minitorch.aten.sparse.dispatch import is_sparse
from minitorch.aten.sparse.tensor import made
from minitorch.core.arrays import on_numpy
from minitorch.core.arrays.bags import bags_of
from minitorch.core.base.fields import LEAF, NOWHERE, tensor
from minitorch.core.base.modes import GRADIENT_KINDS, SPARSE
from minitorch.core.graph.reach import discover
from minitorch.core.numbers import device as devices

LEFT_OUT = (devices.sparse_csc, devices.sparse_bsr, devices.sparse_bsc)

if not SPARSE:
    SPARSE.append(sys.modules[__name__])
    GRADIENT_KINDS.append(sys.modules[__name__])


def meets(roots: list[Any]) -> bool:
    """Whether a backward from these roots makes sparse gradients, or adds to some."""
    nodes, leaves = discover([target for target, _ in roots])
    return any(
        "sparse" in node.__dict__ or getattr(node, "saved_sparse", False) is True for node in nodes
    ) or any(is_sparse(leaf) or is_sparse(leaf._grad) for leaf in leaves if leaf is not NOWHERE)


def accumulated(leaf: Any, grad: Any, recorded: bool) -> bool:
    """Adds `grad` to leaf.grad if any of them is sparse; else False. As accumulate_grad.h."""
    held = leaf._grad
    if leaf._edge is not LEAF or not (is_sparse(grad) or is_sparse(held) or is_sparse(leaf)):
        return False
    if held is None:
        if is_sparse(grad) and grad.layout in LEFT_OUT:
            raise grad._lacks("is_contiguous")  # as torch, which asks for it before it takes one
        c = grad._array
        if is_sparse(grad):
            stolen = not recorded and c.values.flags.c_contiguous
            leaf._grad = stolen_from(grad) if stolen else grad.clone()
        else:
            given = grad if recorded else grad.detach()
            leaf._grad = given.clone(memory_format=devices.contiguous_format)
    elif is_sparse(held) and not is_sparse(grad):
        leaf._grad = grad + held
    elif recorded:
        leaf._grad = held + grad
    else:
        held.add_(grad)
    return True


def stolen_from(grad: Any) -> Any:
    """A gradient of the same parts; torch makes it anew, and forgets whether it is coalesced."""
    if not grad.is_sparse:
        return grad.detach()
    c = grad._array
    return made(c.indices, c.values, c.shape)


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
    """The gradient of a table whose rows were added or averaged in bags.

    As ATen's _embedding_bag_sparse_backward.
    """
    if not bags.numel():
        bags = tensor(bags_of(on_numpy, indices._array, offsets._array))
    grad = grad.index_select(0, bags)
    if mean:
        grad = grad * (1 / sizes.to(grad.dtype)).unsqueeze(1).index_select(0, bags)
    if weights is not None:
        grad = grad * weights.unsqueeze(1)
    return embedding(grad, indices, rows, padding, by_frequency)
