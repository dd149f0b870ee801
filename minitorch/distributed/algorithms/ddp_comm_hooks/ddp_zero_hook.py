"""Hooks that take the steps of a ZeroRedundancyOptimizer while gradients are averaged.

torch refuses them under gloo; for other backends they are not implemented.
"""

from __future__ import annotations

from typing import Any, NoReturn

from minitorch.distributed.distributed_c10d import Backend, get_backend

__all__ = ["hook_with_zero_step", "hook_with_zero_step_interleaved"]


def _refuse(name: str, ddp: Any, zero: Any) -> NoReturn:
    if not zero._overlap_with_ddp:
        raise ValueError(
            "ZeroRedundancyOptimizer must be constructed with `overlap_with_ddp=True` to use this "
            "hook properly"
        )
    if get_backend(ddp.process_group) == Backend.GLOO:
        raise RuntimeError("Gloo backend using Overlapping DDP with ZeRO may meet hangs")
    home = "torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook"
    raise NotImplementedError(f"{home}.{name} is not implemented by minitorch")


def hook_with_zero_step(hook: Any, ddp: Any, zero: Any, shard_buckets: bool = False) -> NoReturn:
    """Refuses to overlap steps with averages.

    Raises:
        ValueError: the optimizer does not wait for a hook.
        RuntimeError: the backend is gloo, as in torch.
        NotImplementedError: it is another.

    As torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook.hook_with_zero_step.
    """
    _refuse("hook_with_zero_step", ddp, zero)


def hook_with_zero_step_interleaved(
    hook: Any, ddp: Any, zero: Any, shard_buckets: bool = False
) -> NoReturn:
    """Refuses to overlap steps with backward and averages; errors as of hook_with_zero_step.

    As torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook.hook_with_zero_step_interleaved.
    """
    _refuse("hook_with_zero_step_interleaved", ddp, zero)
