"""Buckets of gradients: which parameters lie together, and where."""

from __future__ import annotations

from typing import Any

import numpy

import minitorch

Tensor = Any


def assigned(
    sizes: list[tuple[int, Any]], limits: list[int], alone: Any = ()
) -> list[tuple[list[int], int]]:
    """Numbers of parameters by bucket, each with the bytes at which the bucket was to be closed: 0
    for a bucket of one. As torch's _compute_bucket_assignment_by_size.

    Args:
        sizes: bytes and dtype of each parameter; a bucket has one dtype.
        limits: at how many bytes a bucket is closed: the first, the next, the last for all others.
        alone: numbers of parameters that have a bucket of their own.
    """
    closed: list[tuple[list[int], int]] = []
    growing: dict[Any, tuple[list[int], int, int]] = {}
    for i, (size, dtype) in enumerate(sizes):
        if i in alone:
            closed.append(([i], 0))
            continue
        members, total, step = growing.get(dtype, ([], 0, 0))
        members, total = [*members, i], total + size
        limit = limits[min(step, len(limits) - 1)]
        if total >= limit:
            closed.append((members, limit))
            members, total, step = [], 0, step + 1
        growing[dtype] = members, total, step
    # torch keeps the remaining tensors in a hash table, whose last entry comes first.
    last = len(limits) - 1
    rest = [(each, limits[min(step, last)]) for each, _, step in growing.values() if each]
    return closed + rest[::-1]


def _compute_bucket_assignment_by_size(
    tensors: Any,
    bucket_size_limits: Any,
    expect_sparse_gradient: Any = (),
    tensor_indices: Any = (),
    logger: Any = None,
) -> tuple[list[list[int]], list[int]]:
    """The buckets of tensors, by their numbers, and at how many bytes each was to be closed.

    Args:
        tensors: one for each gradient.
        bucket_size_limits: bytes of the first bucket, of the next, of all that follow.
        expect_sparse_gradient: whether each gradient is sparse, and its own bucket.
        tensor_indices: the numbers of the tensors, if not their places.
        logger: notes what is refused: a ParallelLog.

    Raises:
        RuntimeError: a tensor is sparse.

    Source: compute_bucket_assignment_by_size in torch/csrc/distributed/c10d/reducer.cpp.
    """
    if any(each.layout is not minitorch.strided for each in tensors):
        if logger is not None:
            logger.note_error("No support for sparse tensors.")
        raise RuntimeError("No support for sparse tensors.")
    sizes = [(each.nbytes, each.dtype) for each in tensors]
    numbers = list(tensor_indices) or list(range(len(tensors)))
    sparse = list(expect_sparse_gradient) or [False] * len(tensors)
    alone = [i for i, number in enumerate(numbers) if sparse[number]]
    groups = assigned(sizes, list(bucket_size_limits), alone)
    if not tensor_indices:
        groups.sort()
    return [[numbers[i] for i in each] for each, _ in groups], [limit for _, limit in groups]


class GradBucket:
    """Gradients that are averaged together, as a hook of communication sees them.

    As torch.distributed.GradBucket.
    """

    __module__ = "torch.distributed"

    def __init__(self, bucket: Bucket, index: int, last: bool, tensor: Tensor) -> None:
        self._bucket, self._index, self._last, self._tensor = bucket, index, last, tensor

    def index(self) -> int:
        """The number of the bucket."""
        return self._index

    def buffer(self) -> Tensor:
        """All gradients as one flat tensor."""
        return self._tensor

    def gradients(self) -> list[Tensor]:
        """The gradient of each parameter, as a view of the flat tensor."""
        if self._bucket.is_sparse:
            return [self._tensor]
        found, at = [], 0
        for each in self._bucket.parameters:
            found.append(self._tensor[at : at + each.numel()].view(each.shape))
            at += each.numel()
        return found

    def parameters(self) -> list[Tensor]:
        """The parameters whose gradients are in the bucket."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether no bucket comes after it."""
        return self._last

    def set_buffer(self, tensor: Tensor) -> None:
        """Puts another flat tensor in the place of this one."""
        self._tensor = tensor


class Bucket:
    """Gradients that are averaged together.

    Args:
        parameters: whose gradients they are, in the order in which they lie in memory.
        numbers: of these parameters.
        is_sparse: whether there is one, whose gradient is sparse: it is sent as it is.
    """

    def __init__(
        self, parameters: list[Tensor], numbers: list[int], is_sparse: bool = False
    ) -> None:
        self.parameters, self.numbers, self.is_sparse = parameters, numbers, is_sparse
        self.reset()
        if is_sparse:
            self.tensor: Any = None  # the gradient, once there is one
            self.views: list[Any] = [None]
            return
        count = sum([each.numel() for each in parameters])
        with minitorch.no_grad():
            first = parameters[0]
            self.tensor = minitorch.zeros(count, dtype=first.dtype, device=first.device)
            self.views = self.views_of(self.tensor)

    def views_of(self, tensor: Tensor) -> list[Tensor]:
        """A view of a flat tensor for each parameter, with its strides where it has no gaps."""
        views, at = [], 0
        for each in self.parameters:
            strides = each.stride() if _is_dense(each) else None
            part = tensor[at : at + each.numel()]
            if strides is None or each.is_contiguous():
                views.append(part.view(each.shape))
            else:
                views.append(part.as_strided(each.shape, strides, at + tensor.storage_offset()))
            at += each.numel()
        return views

    def zeros(self) -> Tensor:
        """The zeros that a rank without gradients sends."""
        if self.is_sparse:
            (each,) = self.parameters
            return minitorch.sparse_coo_tensor(each.shape, dtype=each.dtype, device=each.device)
        return minitorch.zeros_like(self.tensor)

    def reset(self) -> None:
        """Awaits all gradients anew."""
        self.missing = len(self.parameters)
        self.work: Any = None


def _is_dense(tensor: Tensor) -> bool:
    """Whether a tensor covers its memory without gaps, in some order of its dimensions."""
    array = tensor._array
    order = numpy.argsort(array.strides, kind="stable")[::-1].tolist()
    return bool(array.transpose(order).flags.c_contiguous)
