"""Post-local SGD: gradients are averaged over all ranks first, over neighbours later."""

from __future__ import annotations

import logging
from typing import Any

from minitorch.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from minitorch.distributed.distributed_c10d import _get_default_group, new_subgroups
from minitorch.futures import Future

logger = logging.getLogger("torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook")


class PostLocalSGDState:
    """The settings of post_localSGD_hook.

    Args:
        process_group: the ranks of the first iterations; None for all of the world.
        subgroup: the ranks of the iterations after.
        start_localSGD_iter: how many iterations are the first.
        post_local_gradient_allreduce: whether gradients are averaged at all after them.

    As torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook.PostLocalSGDState.
    """

    __slots__ = [
        "iter",
        "post_local_gradient_allreduce",
        "process_group",
        "start_localSGD_iter",
        "subgroup",
    ]

    def __init__(
        self,
        process_group: Any,
        subgroup: Any,
        start_localSGD_iter: int,
        post_local_gradient_allreduce: bool = True,
    ) -> None:
        logger.info("Local SGD will be started after %s iterations", start_localSGD_iter)
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Counts an iteration with its last bucket."""
        if bucket.is_last():
            self.iter += 1
        if self.iter == self.start_localSGD_iter:
            logger.info("Start to apply local SGD after %s iterations.", self.iter)


def post_localSGD_hook(state: PostLocalSGDState, bucket: Any) -> Any:
    """Averages gradients over all ranks in the first iterations, over a subgroup afterwards.

    Returns:
        A future of the averages.

    As torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook.post_localSGD_hook.
    """
    everyone = state.process_group if state.process_group is not None else _get_default_group()
    if state.iter < state.start_localSGD_iter:
        state.maybe_increase_iter(bucket)
        return default._allreduce_fut(everyone, bucket.buffer())
    if not state.post_local_gradient_allreduce:
        future: Any = Future()
        future.set_result(bucket.buffer())
        return future
    if state.subgroup is None:
        state.subgroup, _ = new_subgroups()
    return default._allreduce_fut(state.subgroup, bucket.buffer())
