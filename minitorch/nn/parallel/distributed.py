"""DistributedDataParallel, of which there is the name alone."""

from __future__ import annotations

from typing import Any

from minitorch.distributed.distributed_c10d import _NO_GROUP, is_initialized
from minitorch.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A module that several processes train together.

    Raises:
        ValueError: no group was initialised.
        NotImplementedError: there is one.
    """

    def __init__(
        self,
        module: Any,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: Any = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: Any = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        **settings: Any,
    ) -> None:
        if not is_initialized():
            raise ValueError(_NO_GROUP)
        raise NotImplementedError(
            "torch.nn.parallel.DistributedDataParallel is not implemented by minitorch"
        )
