"""DistributedDataParallel: gradients are averaged over ranks, bucket by bucket, during backward.

A hook of each parameter copies its gradient into a bucket, times one over the number of ranks; a
full bucket starts its all-reduce once all buckets before it have. The order of gloo's additions
depends on where a gradient lies in its bucket, so the buckets are torch's: one for all parameters
in the first iteration, then in the order in which gradients arrived, 1 MiB first and 25 after.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy

import minitorch
from minitorch.core.graph.running import queue_callback
from minitorch.distributed.distributed_c10d import (
    _get_default_group,
    all_gather_object,
    broadcast,
    broadcast_object_list,
    get_global_rank,
)
from minitorch.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]

_FIRST = 1 << 20  # bytes of the first bucket
_CAP = 25  # MiB of the others
_UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This "
    "error indicates that your module has parameters that were not used in producing loss. You can "
    "enable unused parameter detection by passing the keyword argument "
    "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \n"
    "making sure all `forward` function outputs participate in calculating loss. \n"
    "If you already have done the above, then the distributed data parallel module wasn't able to "
    "locate the output tensors in the return value of your module's `forward` function. Please "
    "include the loss function and the structure of the return value of `forward` of your module "
    "when reporting this issue (e.g. list, dict, iterable)."
)


def assigned(sizes: list[tuple[int, Any]], limits: list[int]) -> list[list[int]]:
    """Numbers of parameters by bucket. As torch's _compute_bucket_assignment_by_size.

    Args:
        sizes: bytes and dtype of each parameter; a bucket has one dtype.
        limits: at how many bytes a bucket is closed: the first, the next, the last for all others.
    """
    closed: list[list[int]] = []
    growing: dict[Any, tuple[list[int], int, int]] = {}
    for i, (size, dtype) in enumerate(sizes):
        members, total, step = growing.get(dtype, ([], 0, 0))
        members, total = [*members, i], total + size
        if total >= limits[min(step, len(limits) - 1)]:
            closed.append(members)
            members, total, step = [], 0, step + 1
        growing[dtype] = members, total, step
    return closed + [members for members, _, _ in growing.values() if members]


class Bucket:
    """Gradients that are averaged together.

    Args:
        parameters: whose gradients they are, in the order in which they lie in memory.
    """

    def __init__(self, parameters: list[Any]) -> None:
        self.parameters = parameters
        sizes = [each._array.size for each in parameters]
        self.tensor = minitorch.zeros(sum(sizes), dtype=parameters[0].dtype)
        self.views, at = [], 0
        for each, size in zip(parameters, sizes):
            self.views.append(self.tensor._array[at : at + size].reshape(each._array.shape))
            at += size
        self.reset()

    def reset(self) -> None:
        """Awaits all gradients anew."""
        self.missing, self.work = len(self.parameters), None  # type: ignore[var-annotated]


class _Reducer:
    """The buckets of a module, and which of its gradients have come."""

    def __init__(self, parameters: list[Any], group: Any, limits: list[int]) -> None:
        self.parameters, self.group, self.limits = parameters, group, limits
        self.rebuilt, self.arrived = False, []  # type: ignore[var-annotated]
        self.came: set[int] = set()
        self.next = 0
        self.expecting = False
        self._lay_out(parameters, [sys.maxsize], turned=True)
        for i, each in enumerate(parameters):
            each.register_post_accumulate_grad_hook(lambda p, i=i: self._take(i, p))
        self.syncing = True

    def _lay_out(self, ordered: list[Any], limits: list[int], turned: bool = False) -> None:
        sizes = [(each._array.nbytes, each.dtype) for each in ordered]
        groups = assigned(sizes, limits)
        groups = groups[::-1] if turned else groups
        self.buckets = [Bucket([ordered[i] for i in members]) for members in groups]
        self.places = {
            id(each): (bucket, view)
            for bucket in self.buckets
            for each, view in zip(bucket.parameters, bucket.views)
        }

    def prepare(self) -> None:
        """Awaits the gradients of a backward pass.

        Raises:
            RuntimeError: some of the one before have not come.
        """
        if self.expecting and self.came and self.next < len(self.buckets):
            lacking = [str(i) for i in range(len(self.parameters)) if i not in self.came]
            raise RuntimeError(
                f"{_UNFINISHED}\nParameter indices which did not receive grad for rank "
                f"{self.group.rank()}: {' '.join(lacking)}\n In addition, you can set the "
                "environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to print "
                "out information about which particular parameters did not receive gradient on "
                "this rank as part of this error"
            )
        if not self.rebuilt and len(self.arrived) == len(self.parameters):
            order = [self.arrived]
            root = get_global_rank(self.group, 0)
            broadcast_object_list(order, root, group=self.group)  # of rank 0, for all
            self._lay_out([self.parameters[i] for i in order[0]], self.limits)
            self.rebuilt = True
        self.next, self.came, self.expecting = 0, set(), True
        for bucket in self.buckets:
            bucket.reset()

    def _take(self, index: int, parameter: Any) -> None:
        """Copies a gradient into its bucket, and starts the buckets that are full."""
        if not (self.syncing and self.expecting):
            return
        bucket, view = self.places[id(parameter)]
        share = view.dtype.type(1 / self.group.size())
        numpy.multiply(parameter._grad._array, share, out=view)
        self.came.add(index)
        if not self.rebuilt:
            self.arrived.append(index)
        bucket.missing -= 1
        while self.next < len(self.buckets) and self.buckets[self.next].missing == 0:
            ready = self.buckets[self.next]
            ready.work = self.group.allreduce([ready.tensor])
            self.next += 1
            if self.next == len(self.buckets):
                queue_callback(self._finish)

    def _finish(self) -> None:
        """Waits for all buckets, and copies the averages into the gradients."""
        for bucket in self.buckets:
            bucket.work.wait()
            for parameter, view in zip(bucket.parameters, bucket.views):
                array = parameter._grad._array
                if array.flags.writeable and 0 not in array.strides:
                    array[...] = view
                else:  # a gradient that was expanded has no memory of its own
                    parameter.grad = minitorch.from_numpy(view.copy()).to(parameter.dtype)
        self.expecting = False


class DistributedDataParallel(Module):
    """A module that all ranks of a group train together, each with its share of the data.

    Args:
        module: on the CPU, the same on all ranks; rank 0's values are given to all.
        broadcast_buffers: whether rank 0's buffers are given to all before each forward.
        process_group: the ranks; all of the world if it is not given.
        bucket_cap_mb: MiB of gradients that are averaged together.

    Raises:
        ValueError: there is no group.
        RuntimeError: no parameter requires a gradient, or the modules of two ranks differ.
        NotImplementedError: an option is one that minitorch does not have.

    As torch.nn.parallel.DistributedDataParallel.
    """

    def __init__(
        self,
        module: Any,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__()
        group = process_group or _get_default_group()
        options = {
            "find_unused_parameters": find_unused_parameters,
            "gradient_as_bucket_view": gradient_as_bucket_view,
            "static_graph": static_graph,
            "device_ids": device_ids,
            "output_device": output_device,
            **settings,
        }
        asked = [name for name, value in options.items() if value]
        if asked:
            raise NotImplementedError(
                "torch.nn.parallel.DistributedDataParallel with "
                f"{', '.join(asked)} is not implemented by minitorch"
            )
        parameters = [each for each in module.parameters() if each.requires_grad]
        if not parameters:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter "
                "that requires a gradient."
            )
        self.module, self.process_group = module, group
        self.broadcast_buffers = broadcast_buffers is not False
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        if init_sync:
            self._check_shapes(parameters)
            self._share([*module.parameters(), *module.buffers()])
        cap = int((_CAP if bucket_cap_mb is None else bucket_cap_mb) * (1 << 20))
        limits = [_FIRST if bucket_cap_mb is None else cap, cap]
        self.reducer = _Reducer(parameters, group, limits)

    def _check_shapes(self, parameters: list[Any]) -> None:
        """Compares the parameters of all ranks. RuntimeError if they differ."""
        group = self.process_group
        shapes = [list(each.shape) for each in parameters]
        found: list[Any] = [None] * group.size()
        all_gather_object(found, shapes, group=group)
        for rank, other in enumerate(found):
            if len(other) != len(shapes):
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but Rank {group.rank()} has "
                    f"{len(shapes)} params, while rank {rank} has inconsistent {len(other)} params."
                )
        for i, shape in enumerate(shapes):
            if shape != found[0][i]:
                raise RuntimeError(
                    f"[{group.rank()}]: params[{i}] in this process with sizes {shape} appears not "
                    "to match sizes of the same param in process 0."
                )

    def _share(self, tensors: list[Any]) -> None:
        """Gives all ranks the values of the first."""
        for each in tensors:
            broadcast(each.detach(), group=self.process_group, group_src=0)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the module; the backward of what it returns averages gradients."""
        syncs = minitorch.is_grad_enabled() and self.require_backward_grad_sync
        self.reducer.syncing = self.require_backward_grad_sync
        if syncs:
            self.reducer.prepare()
        if self.require_forward_param_sync and self.broadcast_buffers:
            self._share(list(self.module.buffers()))
        result = self.module(*args, **kwargs)
        self.require_forward_param_sync = syncs
        return result

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Within it gradients are summed up on each rank, to be averaged later."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(self, *args: Any, **kwargs: Any) -> Any:
        """Refuses: all ranks must have as many batches."""
        raise NotImplementedError(
            "torch.nn.parallel.DistributedDataParallel.join is not implemented by minitorch"
        )

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        """Refuses: gradients are averaged as they are."""
        raise NotImplementedError(
            "torch.nn.parallel.DistributedDataParallel.register_comm_hook is not implemented by "
            "minitorch"
        )
