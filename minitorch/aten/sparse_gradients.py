"""How sparse tensors are made: of coordinates and values, of a dense tensor, by a mask, and as the
gradients of embeddings; and how leaves gather such gradients."""

from __future__ import annotations

import sys
from typing import Any

import numpy

import minitorch.aten.sparse_products  # noqa: F401  # whose functions join the table
from minitorch.aten.lookup import bags_of
from minitorch.aten.sparse import SparseTensor, clone, made, refuse_history
from minitorch.core.arrays import on_numpy
from minitorch.core.graph.formulas import OPS
from minitorch.core.graph.modes import SPARSE
from minitorch.core.graph.reach import discover
from minitorch.core.numbers import device as devices
from minitorch.core.tensor.base import LEAF, NOWHERE, TensorBase, tensor
from minitorch.core.warning import warn_once

if not SPARSE:
    SPARSE.append(sys.modules[__name__])

_UNCHECKED = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur "
    "when operating on a sparse tensor which violates the invariants, but checks incur performance "
    "overhead. To silence this warning, explicitly opt in or out. See "
    "`torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. "
)


def sparse_coo_tensor(
    indices: Any,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Any:
    """A tensor of `size` with `values` at `indices`, one column each, and zeros elsewhere.

    Values at the same place add up. Without a size, it reaches as far as the indices. Called with a
    size alone, it is all zeros.
    """
    if device is not None and devices.device(device).type != "cpu":
        raise NotImplementedError(f"torch.sparse_coo_tensor on {device}")
    if check_invariants is None:
        warn_once(_UNCHECKED)
    if values is None:
        shape = tuple(indices)
        places = numpy.empty((len(shape), 0), numpy.int64)
        return made(places, OPS.empty((0,), dtype=dtype)._array, shape)
    values = values if isinstance(values, TensorBase) else OPS.tensor(values, dtype=dtype)
    refuse_history("torch.sparse_coo_tensor", values)
    values = values if dtype is None else values.to(dtype)
    x = values._array if values.dim() else values._array.reshape(1)
    places = indices._array if isinstance(indices, TensorBase) else numpy.array(indices)
    if places.ndim != 2 and (size is None or len(size) == len(places) + x.ndim - 1):
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    places = places.astype(numpy.int64, copy=False)
    if places.shape[1] != len(x):
        raise RuntimeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{places.shape[1]}, nnz from values: {len(x)}"
        )
    lowest = places.min(1, initial=0)
    if (size is None or check_invariants) and lowest.any():
        dim = int((lowest < 0).argmax())
        raise RuntimeError(f"found negative index {lowest[dim]} for dim {dim}")
    reach = places.max(1, initial=-1)
    shape = (*(reach + 1).tolist(), *x.shape[1:]) if size is None else tuple(size)
    if len(shape) != len(places) + x.ndim - 1:
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
            f"{len(shape)}, sparse_dim = {len(places)}, dense_dim = {x.ndim - 1}"
        )
    if shape[len(places) :] != x.shape[1:]:
        wanted = [len(x), *shape[len(places) :]]
        raise RuntimeError(f"values has incorrect size, expected {wanted}, got {list(x.shape)}")
    for dim, last in enumerate(reach.tolist() if check_invariants else ()):
        if last >= shape[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {shape[dim]} but found "
                f"index {last}"
            )
    result = made(places, x, shape, bool(is_coalesced))
    result._edge = LEAF if requires_grad else None
    return result


def from_dense(self: Any, sparse_dim: int | None = None, layout: Any = None) -> Any:
    """The elements of `self` that are not zero; of the first sparse_dim dimensions, whole rows."""
    if layout not in (None, devices.sparse_coo):
        if layout is devices.strided:
            return self
        raise NotImplementedError(f"torch.Tensor.to_sparse with layout={layout}")
    refuse_history("torch.Tensor.to_sparse", self)
    x = on_numpy.as_array(self.detach().resolve_conj().resolve_neg()._array)
    rank = x.ndim if sparse_dim is None else sparse_dim
    if not 0 <= rank <= x.ndim or (rank == 0 and x.ndim):
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{x.ndim}] range, but {rank} is "
            "given"
        )
    there = (x != 0).any(tuple(range(rank, x.ndim)))
    places = numpy.array(there.nonzero() if rank else numpy.empty((0, int(there))), numpy.int64)
    values = x[there] if rank else x[None][: int(there)]
    return made(places, values, x.shape, coalesced=True)


def masked(self: Any, mask: Any) -> Any:
    """The elements of `self` where `mask` has some."""
    if not isinstance(mask, SparseTensor):
        raise NotImplementedError(
            "Could not run 'aten::sparse_mask' with arguments from the 'CPU' backend."
        )
    refuse_history("torch.Tensor.sparse_mask", self)
    c = mask._array
    if self.shape != c.shape:
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(self.shape)} but mask has size {list(c.shape)}"
        )
    return made(c.indices, self._array[tuple(c.indices)], c.shape, c.coalesced)


# ---- as gradients --------------------------------------------------------------------------------


def meets(targets: list[Any]) -> bool:
    """Whether a backward from these targets makes sparse gradients, or adds to some."""
    nodes, leaves = discover(targets)
    return any(getattr(node, "saved_sparse", False) is True for node in nodes) or any(
        isinstance(leaf._grad, SparseTensor) for leaf in leaves if leaf is not NOWHERE
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
