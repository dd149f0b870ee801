"""torch.distributed.algorithms.ddp_comm_hooks: what averages the gradients of DDP, by name."""

from __future__ import annotations

from enum import Enum, member
from functools import partial
from typing import Any

from minitorch._public import outlines
from minitorch.distributed.algorithms.ddp_comm_hooks import debugging_hooks as debugging
from minitorch.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from minitorch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD
from minitorch.distributed.algorithms.ddp_comm_hooks import quantization_hooks as quantization

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def _ddp_comm_hook_wrapper(comm_hook: Any, model: Any, state: Any) -> None:
    model.register_comm_hook(state, comm_hook)


def _powerSGD_comm_hook_wrapper(
    comm_hook: Any,
    model: Any,
    state: Any,
    matrix_approximation_rank: int,
    start_powerSGD_iter: int = 1_000,
) -> None:
    """Registers a hook of PowerSGD, whose state is made of a process group."""
    state = powerSGD.PowerSGDState(
        process_group=state,
        matrix_approximation_rank=matrix_approximation_rank,
        start_powerSGD_iter=start_powerSGD_iter,
    )
    model.register_comm_hook(state, comm_hook)


def _plain(hook: Any) -> Any:
    return member(partial(_ddp_comm_hook_wrapper, comm_hook=hook))


def _power(hook: Any, rank: int) -> Any:
    return member(
        partial(_powerSGD_comm_hook_wrapper, comm_hook=hook, matrix_approximation_rank=rank)
    )


class DDPCommHookType(Enum):
    """Hooks of communication by name; the value registers one: `.value(model=..., state=...)`.

    As torch.distributed.algorithms.ddp_comm_hooks.DDPCommHookType.
    """

    ALLREDUCE = _plain(default.allreduce_hook)
    FP16_COMPRESS = _plain(default.fp16_compress_hook)
    BF16_COMPRESS = _plain(default.bf16_compress_hook)
    QUANTIZE_PER_TENSOR = _plain(quantization.quantization_pertensor_hook)
    QUANTIZE_PER_CHANNEL = _plain(quantization.quantization_perchannel_hook)
    POWER_SGD = _power(powerSGD.powerSGD_hook, 1)
    POWER_SGD_RANK2 = _power(powerSGD.powerSGD_hook, 2)
    BATCHED_POWER_SGD = _power(powerSGD.batched_powerSGD_hook, 1)
    BATCHED_POWER_SGD_RANK2 = _power(powerSGD.batched_powerSGD_hook, 2)
    NOOP = _plain(debugging.noop_hook)


def register_ddp_comm_hook(comm_hook_type: Any, model: Any, state: Any = None) -> None:
    """Registers a hook of a DistributedDataParallel by its name.

    As torch.distributed.algorithms.ddp_comm_hooks.register_ddp_comm_hook.
    """
    comm_hook_type.value(model=model, state=state)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.algorithms.ddp_comm_hooks")
