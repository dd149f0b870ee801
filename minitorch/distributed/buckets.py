"""Buckets of gradients: which parameters lie together, and where."""

from __future__ import annotations

from typing import Any

import numpy

import minitorch

Tensor = Any


def assigned(sizes: list[tuple[int, Any]], limits: list[int], alone: Any = ()) -> list[list[int]]:
    """Numbers of parameters by bucket. As torch's _compute_bucket_assignment_by_size.

    Args:
        sizes: bytes and dtype of each parameter; a bucket has one dtype.
        limits: at how many bytes a bucket is closed: the first, the next, the last for all others.
        alone: numbers of parameters that have a bucket of their own.
    """
    closed: list[list[int]] = []
    growing: dict[Any, tuple[list[int], int, int]] = {}
    for i, (size, dtype) in enumerate(sizes):
        if i in alone:
            closed.append([i])
            continue
        members, total, step = growing.get(dtype, ([], 0, 0))
        members, total = [*members, i], total + size
        if total >= limits[min(step, len(limits) - 1)]:
            closed.append(members)
            members, total, step = [], 0, step + 1
        growing[dtype] = members, total, step
    return closed + [members for members, _, _ in growing.values() if members]


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
        """Whose gradients they are."""
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
            self.tensor = minitorch.zeros(count, dtype=parameters[0].dtype)
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
        """What a rank without gradients sends."""
        if self.is_sparse:
            (each,) = self.parameters
            return minitorch.sparse_coo_tensor(each.shape, dtype=each.dtype)
        return minitorch.zeros_like(self.tensor)

    def reset(self) -> None:
        """Awaits all gradients anew."""
        self.missing = len(self.parameters)
        self.work: Any = None


def _is_dense(tensor: Tensor) -> bool:
    """Whether a tensor covers its memory without gaps, in some order of its dimensions."""
    array = tensor._array
    order = numpy.argsort(array.strides, kind="stable")[::-1]
    return bool(array.transpose(order).flags.c_contiguous)
