"""PowerSGD: gradients are sent as products of two thin matrices (arXiv:1905.13727)."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from typing import Any

import numpy

import minitorch
from minitorch.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from minitorch.distributed.distributed_c10d import (
    _get_default_group,
    _group_or_default_group,
    all_reduce,
)

__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]

logger = logging.getLogger("torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook")
Tensor = Any


def _orthogonalize(matrices: Tensor, epsilon: float = 0) -> None:
    """Makes the columns of matrices orthonormal, in place."""
    if not (len(matrices.shape) == 3 and matrices.shape[2] <= matrices.shape[1]):
        raise AssertionError
    count, _, rank = matrices.shape
    if rank <= 2 or matrices.dtype in (minitorch.float16, minitorch.bfloat16):
        _orthogonalize_gram_schmidt(matrices, epsilon=epsilon)
    else:
        triangle = minitorch.empty(count, rank, rank, dtype=matrices.dtype)
        minitorch.linalg.qr(matrices, out=(matrices, triangle))


def _orthogonalize_gram_schmidt(matrices: Tensor, epsilon: float = 0) -> None:
    """Makes columns orthonormal one after another.

    Args:
        epsilon: is added to the length of each, for columns of zeros.
    """
    columns = matrices.shape[2]
    for i in range(columns):
        column = matrices[:, :, i : i + 1]
        length = minitorch.norm(column, dim=1, keepdim=True)
        column /= length if epsilon == 0 else length + epsilon
        if i + 1 < columns:
            rest = matrices[:, :, i + 1 :]
            rest -= minitorch.sum(column * rest, dim=1, keepdim=True) * column


def _should_compress(
    num_rows: int, num_cols: int, matrix_approximation_rank: int, min_compression_rate: float
) -> tuple[bool, int, int]:
    """Whether a matrix is worth it, and its elements before and after."""
    before = num_rows * num_cols
    after = (num_rows + num_cols) * matrix_approximation_rank
    return after * min_compression_rate < before, before, after


def _report_compression_stats(bucket: Any, state: Any) -> None:
    if bucket.is_last() and state.iter >= state.next_stats_report:
        rate, before, after = state.compression_stats()
        logger.info(
            "Compression stats: iter %s, total before compression %s, total after compression %s, "
            "rate %s",
            state.iter,
            before,
            after,
            rate,
        )
        state.next_stats_report = state.iter + state.compression_stats_logging_frequency


class PowerSGDState:
    """Settings of PowerSGD, and its state between iterations.

    Args:
        process_group: the ranks; None for all of the world.
        matrix_approximation_rank: columns of the thin matrices.
        start_powerSGD_iter: iterations that send whole gradients before.
        min_compression_rate: how much smaller a gradient must become.
        use_error_feedback: whether what was lost is added to the next gradient.
        warm_start: whether the next iteration starts from these matrices.
        orthogonalization_epsilon: is added to lengths of columns.
        random_seed: of the first matrices.
        batch_tensors_with_same_shape: whether gradients of one shape are handled together.

    Raises:
        ValueError: it would start before the buckets are made anew.

    As torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.PowerSGDState.
    """

    def __init__(
        self,
        process_group: Any,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1_000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is "
                "enabled, because PowerSGD can only be applied after the first two iterations in "
                "DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.rng = numpy.random.RandomState(random_seed)
        self.error_dict: dict[int, Tensor] = {}
        self.p_memory_dict: dict[int, Tensor] = {}
        self.q_memory_dict: dict[int, Tensor] = {}
        self.iter = 0
        self.total_numel_before_compression = self.total_numel_after_compression = 0
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.next_stats_report = 0
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape

    def __getstate__(self) -> dict[str, Any]:
        logger.warning("NOTE: Process group is not serializable and excluded from a saved state.")
        return {name: value for name, value in self.__dict__.items() if name != "process_group"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = _get_default_group()
        logger.warning(
            "NOTE: Process group will be set to a default group (i.e. the world size)."
            "                If a different group is desired, please set `self.process_group` "
            "after PowerSGD state is loaded."
        )
        self.__dict__.update(state)

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Counts an iteration with its last bucket."""
        if bucket.is_last():
            self.iter += 1
        if self.iter == self.start_powerSGD_iter:
            logger.info("Start to apply PowerSGD after %s iterations.", self.iter)

    def compression_stats(self) -> tuple[float, int, int]:
        """The factor by which gradients became smaller, and their elements before and after."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return (before / after if after > 0 else 0, before, after)

    def reduced(self, tensor: Tensor) -> Any:
        """A future of the sum of a tensor over the ranks."""
        work = all_reduce(tensor, group=self.process_group, async_op=True)
        return work.get_future()  # type: ignore[union-attr]

    def keep_error(self, index: int, copy: Tensor, tensor: Tensor) -> None:
        """Keeps what a bucket lost, or forgets the matrices, as the settings say."""
        if self.use_error_feedback:
            self.error_dict[index] = copy - tensor
        if not self.warm_start:
            self.p_memory_dict.clear()
            self.q_memory_dict.clear()


def _with_error(state: PowerSGDState, index: int, tensor: Tensor) -> Tensor | None:
    """Adds the earlier error, in place; returns a copy of the sum, to compute the new error."""
    if not state.use_error_feedback:
        return None
    if index in state.error_dict:
        tensor.add_(state.error_dict[index])
    else:
        logger.info(
            "A zero tensor of length %s that represents local error is created.", len(tensor)
        )
        state.error_dict[index] = minitorch.zeros_like(tensor)
    return tensor.detach().clone()


class _Thin:
    """The thin matrices of a bucket, in two flat tensors that are kept."""

    def __init__(self, state: PowerSGDState, index: int, shapes: list[tuple[int, ...]]) -> None:
        self.state, self.index = state, index
        sizes = [
            (count, rows, columns, min(rows, columns, state.matrix_approximation_rank))
            for count, rows, columns in shapes
        ]
        self.ps_shapes = [(count, rows, rank) for count, rows, _, rank in sizes]
        self.qs_shapes = [(count, columns, rank) for count, _, columns, rank in sizes]

    def allocate(self, dtype: Any) -> None:
        """Makes the flat tensors."""
        for memory, shapes in (
            (self.state.p_memory_dict, self.ps_shapes),
            (self.state.q_memory_dict, self.qs_shapes),
        ):
            memory[self.index] = minitorch.empty(sum(map(math.prod, shapes)), dtype=dtype)

    def matrices(self, memory: dict[int, Tensor], shapes: list[Any]) -> list[Tensor]:
        """Views of a flat tensor."""
        views, at = [], 0
        for shape in shapes:
            views.append(memory[self.index][at : at + math.prod(shape)].view(shape))
            at += math.prod(shape)
        return views

    def randomize(self, qs: list[Tensor], dtype: Any) -> None:
        """Draws the right matrices, alike on all ranks."""
        with minitorch.random.fork_rng(devices=[]):
            minitorch.manual_seed(self.state.rng.randint(1_000_000_000))
            for q in qs:
                q.copy_(minitorch.randn(*q.shape, dtype=dtype))
                _orthogonalize(q, self.state.orthogonalization_epsilon)


def _completed(future: Any) -> Any:
    """A future that is waited for, so that all ranks start its sums in one order.

    Left alone, one rank may start the next bucket before that, and another after it.
    """
    future.wait()
    return future


def _sorted_out(state: PowerSGDState, tensors: list[Tensor]) -> tuple[dict[Any, Any], list[Tensor]]:
    """Gradients that are worth it, as matrices by shape; and the others."""
    by_shape: dict[Any, list[Tensor]] = {}
    whole = []
    for tensor in tensors:
        matrix = tensor.view(tensor.shape[0], -1)
        rows, columns = matrix.shape
        rank = min(rows, columns, state.matrix_approximation_rank)
        worth, before, after = _should_compress(rows, columns, rank, state.min_compression_rate)
        state.total_numel_before_compression += before
        if worth:
            by_shape.setdefault(matrix.shape, []).append(matrix)
            state.total_numel_after_compression += after
        else:
            whole.append(tensor)
            state.total_numel_after_compression += before
    return by_shape, whole


def _batches(state: PowerSGDState, by_shape: dict[Any, list[Tensor]]) -> Iterator[Tensor]:
    for tensors in by_shape.values():
        if not state.batch_tensors_with_same_shape:
            yield from [each.unsqueeze(0) for each in tensors]
        elif len(tensors) == 1:
            yield tensors[0].unsqueeze(0)
        else:
            yield minitorch.stack(tensors)


def powerSGD_hook(state: PowerSGDState, bucket: Any) -> Any:
    """Averages each gradient as a product of two thin matrices.

    Args:
        state: settings, and what is kept between iterations.
        bucket: a GradBucket.

    Returns:
        A future of the averages, which are written into the bucket.

    As torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.powerSGD_hook.
    """
    size = _group_or_default_group(state.process_group).size()
    flat, index = bucket.buffer(), bucket.index()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return default._allreduce_fut(state.process_group, flat)
    copy, dtype = _with_error(state, index, flat), flat.dtype
    by_shape, whole = _sorted_out(state, bucket.gradients())
    _report_compression_stats(bucket, state)
    empty = [minitorch.tensor([], dtype=dtype)]
    together = minitorch.cat([each.view(-1) for each in whole] or empty)
    matrices = list(_batches(state, by_shape))
    thin = _Thin(state, index, [tuple(each.shape) for each in matrices])
    fresh = not state.warm_start or index not in state.p_memory_dict
    if fresh:
        thin.allocate(dtype)
    ps = thin.matrices(state.p_memory_dict, thin.ps_shapes)
    qs = thin.matrices(state.q_memory_dict, thin.qs_shapes)
    if fresh:
        thin.randomize(qs, dtype)
    else:
        for q in qs:
            _orthogonalize(q, state.orthogonalization_epsilon)
    for matrix, q, p in zip(matrices, qs, ps):
        minitorch.bmm(matrix, q, out=p)
    first = state.reduced(together)

    def unpack(future: Any) -> Tensor:
        sums, at = future.value()[0].div_(size), 0
        for each in whole:
            each.copy_(sums[at : at + each.numel()].view_as(each))
            at += each.numel()
        return state.reduced(state.p_memory_dict[index]).wait()[0]

    def compute_qs(future: Any) -> Tensor:
        state.p_memory_dict[index] = future.value()
        for p in ps:
            _orthogonalize(p, state.orthogonalization_epsilon)
        for matrix, p, q in zip(matrices, ps, qs):
            minitorch.bmm(matrix.transpose(1, 2), p, out=q)
        return state.reduced(state.q_memory_dict[index]).wait()[0]

    def decompress(future: Any) -> Tensor:
        state.q_memory_dict[index] = future.value().div_(size)
        for p, q, matrix in zip(ps, qs, matrices):
            minitorch.bmm(p, q.transpose(1, 2), out=matrix)
        for matrix in matrices:
            if matrix.shape[0] > 1:  # a copy of several gradients
                for i, original in enumerate(by_shape[matrix.shape[1:]]):
                    original.copy_(matrix[i])
        state.keep_error(index, copy, flat)
        state.maybe_increase_iter(bucket)
        return flat

    return _completed(first.then(unpack).then(compute_qs).then(decompress))


def batched_powerSGD_hook(state: PowerSGDState, bucket: Any) -> Any:
    """Averages all gradients of a bucket as one square matrix, by a product of two thin ones.

    torch's raises an AssertionError once it compresses, as it takes a matrix for a batch of them.

    As torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.batched_powerSGD_hook.
    """
    size = _group_or_default_group(state.process_group).size()
    flat, index = bucket.buffer(), bucket.index()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return default._allreduce_fut(state.process_group, flat)
    length, rank = flat.shape[0], state.matrix_approximation_rank
    side = math.ceil(math.sqrt(length))
    state.total_numel_before_compression += length
    state.total_numel_after_compression += side * rank * 2
    padded = minitorch.zeros(side**2, dtype=flat.dtype)
    padded[:length] = flat
    _report_compression_stats(bucket, state)
    copy = _with_error(state, index, padded)
    matrix = padded.view(side, side)
    if not state.warm_start or index not in state.p_memory_dict:
        state.p_memory_dict[index] = minitorch.empty(side, rank, dtype=flat.dtype)
        with minitorch.random.fork_rng(devices=[]):
            minitorch.manual_seed(state.rng.randint(1_000_000_000))
            state.q_memory_dict[index] = minitorch.randn(side, rank, dtype=flat.dtype)
    _orthogonalize(state.q_memory_dict[index].unsqueeze(0))
    minitorch.matmul(matrix, state.q_memory_dict[index], out=state.p_memory_dict[index])

    def compute_q(future: Any) -> Tensor:
        state.p_memory_dict[index] = future.value()[0]
        _orthogonalize(state.p_memory_dict[index].unsqueeze(0))
        minitorch.matmul(matrix.t(), state.p_memory_dict[index], out=state.q_memory_dict[index])
        return state.reduced(state.q_memory_dict[index]).wait()[0]

    def decompress(future: Any) -> Tensor:
        state.q_memory_dict[index] = future.value().div_(size)
        minitorch.matmul(state.p_memory_dict[index], state.q_memory_dict[index].t(), out=matrix)
        state.keep_error(index, copy, padded)
        state.maybe_increase_iter(bucket)
        return flat.copy_(padded[:length])

    first = state.reduced(state.p_memory_dict[index])
    return _completed(first.then(compute_q).then(decompress))
