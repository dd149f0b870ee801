"""Hooks of communication that average gradients, as they are or with fewer bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minitorch
from minitorch.distributed.distributed_c10d import _group_or_default_group, all_reduce

__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]

Hook = Callable[[Any, Any], Any]


def _allreduce_fut(process_group: Any, tensor: Any) -> Any:
    """A future of the average of a tensor, which is divided before it is sent."""
    group = _group_or_default_group(process_group)
    tensor.div_(group.size())
    work = all_reduce(tensor, group=group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])  # type: ignore[union-attr]


def allreduce_hook(process_group: Any, bucket: Any) -> Any:
    """Averages gradients as DDP does without a hook.

    Args:
        process_group: the ranks; None for all of the world.
        bucket: a GradBucket.

    Returns:
        A future of the averages.

    As torch.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook.
    """
    return _allreduce_fut(process_group, bucket.buffer())


def _compress_hook(dtype: Any, process_group: Any, bucket: Any) -> Any:
    group = _group_or_default_group(process_group)
    buffer = bucket[0] if isinstance(bucket, tuple) else bucket.buffer()
    compressed = buffer.to(dtype).div_(group.size())
    work = all_reduce(compressed, group=group, async_op=True)
    return work.get_future().then(  # type: ignore[union-attr]
        lambda future: buffer.copy_(future.value()[0])
    )


def fp16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """Averages gradients as numbers of 16 bits.

    As torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook.
    """
    return _compress_hook(minitorch.float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """Averages gradients as numbers of torch.bfloat16.

    As torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_hook.
    """
    return _compress_hook(minitorch.bfloat16, process_group, bucket)


def _wrapped(hook: Hook, dtype: Any, name: str) -> Hook:
    def wrapper(hook_state: Any, bucket: Any) -> Any:
        bucket.set_buffer(bucket.buffer().to(dtype))
        future = hook(hook_state, bucket)
        return future.then(lambda done: bucket.buffer().copy_(done.value()))

    wrapper.__name__ = wrapper.__qualname__ = name
    return wrapper


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """A hook that gets gradients of 16 bits.

    As torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_wrapper.
    """
    return _wrapped(hook, minitorch.float16, "fp16_compress_wrapper_hook")


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """A hook that gets gradients of torch.bfloat16.

    As torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_wrapper.
    """
    return _wrapped(hook, minitorch.bfloat16, "bf16_compress_wrapper_hook")
